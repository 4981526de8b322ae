import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type UnsentResponses, unsentResponses } from './unsent-responses.ts'

const mega = 1_048_576
/** More than the operating system buffers for a connection. */
const large = Buffer.alloc(32 * mega)

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server that sends `large` to every caller, as a response of the user that the path names. */
async function serve(unsent: UnsentResponses) {
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    responses.push(response)
    response.end(large)
    unsent.count(response, (request.url ?? '').slice(1))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    /** Resolves when the response has begun to arrive; nothing more is read. */
    async call(userId: string): Promise<Socket> {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      closing.push(() => socket.destroy())
      socket.write(`GET /${userId} HTTP/1.1\r\nhost: x\r\n\r\n`)
      await once(socket, 'readable')
      return socket
    },
    closed: (index: number) => once(responses[index] as ServerResponse, 'close'),
  }
}

test('a user may leave half unsent; above the whole, those wait who have anything unsent, and nobody else (issue 8, A7)', async () => {
  const unsent = unsentResponses(130 * mega)
  let left = 0
  unsent.onLeft(() => {
    left += 1
  })
  const { call, closed } = await serve(unsent)
  const over = () => ['a', 'b', 'c'].filter((userId) => unsent.isOver(userId))
  for (let n = 0; n < 2; n++) await call('a')
  expect(over()).toEqual([])
  const third = await call('a')
  expect(over()).toEqual(['a'])
  await call('b')
  expect(over()).toEqual(['a'])
  await call('b')
  expect(over()).toEqual(['a', 'b'])
  const gone = closed(2)
  third.destroy()
  await gone
  expect(left).toBe(1)
  expect(over()).toEqual([])
})

test('while a share is exceeded, a caller who takes no byte for the given time is cut off (issue 8, A7)', async () => {
  const unsent = unsentResponses(16 * mega, 50)
  const { call, closed } = await serve(unsent)
  await call('a')
  await closed(0)
  expect(unsent.isOver('a')).toBe(false)
})
