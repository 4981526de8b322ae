import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { sendFrame } from './frames.ts'
import { type PeerWork, type SocketServer, serveSocket } from './serve-socket.ts'
import { ConnectionLost, openSocketClient, type SocketClient } from './socket-client.ts'

const folder = mkdtempSync(join(tmpdir(), 'docket-socket-'))
const address = { path: join(folder, 'socket'), secret: 'of both' }
const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
  rmSync(address.path, { force: true })
})

function workOf(hanging: Promise<number>) {
  return {
    double: (value: number) => value * 2,
    reject: (message: string) => {
      throw Object.assign(new RangeError(message), { code: '57P03', nested: {} })
    },
    wait: (_: null) => hanging,
    count: (to: number, onProgress: (done: number) => void) => {
      for (let done = 1; done <= to; done++) onProgress(done)
    },
  }
}
type Work = ReturnType<typeof workOf>

async function serve(closed: () => void = () => undefined): Promise<SocketServer> {
  const peer = (): PeerWork => ({ work: workOf(new Promise(() => undefined)), closed })
  const server = await serveSocket({
    ...address,
    onError: () => undefined,
    onPeer: (connected) => {
      connected.send('welcome')
      return peer()
    },
  })
  opened.push(server)
  return server
}

function openClient(): SocketClient<Work> {
  const client = openSocketClient<Work>({
    ...address,
    onEvent: () => undefined,
    reviveError: ({ name, message, members }) => Object.assign(new Error(`${name}: ${message}`), members),
  })
  opened.push(client)
  return client
}

test('calls have results, progress and errors with their codes', async () => {
  await serve()
  const connection = await openClient().connected()
  expect(await Promise.all([connection.call('double', 4), connection.call('double', 5)])).toEqual([8, 10])
  const progress: number[] = []
  await connection.call('count', 3, { onProgress: (done) => progress.push(done) })
  expect(progress).toEqual([1, 2, 3])
  const error = await connection.call('reject', 'too far').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ message: 'RangeError: too far', code: '57P03' })
})

test('calls of a server that ends are rejected, and the next server is found', async () => {
  const first = await serve()
  const client = openClient()
  const connection = await client.connected()
  const waiting = connection.call('wait', null)
  const rejected = expect(waiting).rejects.toThrow(ConnectionLost)
  await first.close()
  await rejected
  await expect(connection.call('double', 1)).rejects.toThrow(ConnectionLost)
  await serve()
  await expect.poll(() => client.connection()?.call('double', 1)).toBe(2)
})

test('a call without a response in time is rejected, and others go on', async () => {
  await serve()
  const connection = await openClient().connected()
  await expect(connection.call('wait', null, { timeoutMs: 1 })).rejects.toThrow(ConnectionLost)
  expect(await connection.call('double', 1)).toBe(2)
})

test('a server learns that a peer is gone', async () => {
  const gone = Promise.withResolvers<void>()
  await serve(gone.resolve)
  const client = openClient()
  await client.connected()
  client.close()
  await gone.promise
  await expect(client.connected()).rejects.toThrow(ConnectionLost)
})

test('who waits for a connection learns that the client is closed', async () => {
  const client = openClient()
  const connected = expect(client.connected()).rejects.toThrow(ConnectionLost)
  expect(client.connection()).toBe(null)
  client.close()
  await connected
  await expect(client.connected()).rejects.toThrow(ConnectionLost)
})

test('a connection with another secret ends before a call is read', async () => {
  await serve()
  const ended = await new Promise<string>((resolve) => {
    const socket = connect(address.path)
    let received = 'nothing'
    socket.on('data', () => {
      received = 'something'
    })
    socket.once('close', () => resolve(received))
    sendFrame(socket, Buffer.from('of nobo'))
  })
  expect(ended).toBe('nothing')
})
