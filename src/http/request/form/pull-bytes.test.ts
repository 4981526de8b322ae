import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pullBytes } from './pull-bytes.ts'

let take: (incoming: IncomingMessage) => Promise<unknown>
let outcome: PromiseWithResolvers<unknown>
const server = createServer((incoming, response) => {
  take(incoming).then(
    (value) => {
      outcome.resolve(value)
      response.end()
    },
    (error: unknown) => {
      outcome.reject(error)
      response.end()
    },
  )
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** A request whose body the test writes. */
function begin(work: (incoming: IncomingMessage) => Promise<unknown>) {
  take = work
  outcome = Promise.withResolvers()
  const { port } = server.address() as AddressInfo
  const sending = request({ port, host: '127.0.0.1', method: 'POST' })
  sending.on('error', () => undefined)
  return { sending, outcome: outcome.promise }
}

async function all(incoming: IncomingMessage): Promise<string> {
  const body = pullBytes(incoming)
  let text = ''
  for (;;) {
    const piece = await body.next()
    if (piece === undefined) return text
    text += piece.toString()
  }
}

test('a body comes whole, in its order', async () => {
  const { sending, outcome } = begin(all)
  const pieces = Array.from({ length: 200 }, (_, n) => `piece ${n} `.repeat(2_000))
  for (const piece of pieces) sending.write(piece)
  sending.end()
  expect(await outcome).toBe(pieces.join(''))
})

test('no body is one that ends at once', async () => {
  const { sending, outcome } = begin(all)
  sending.end()
  expect(await outcome).toBe('')
})

test('a body that ends too early is an error', async () => {
  const { sending, outcome } = begin(async (incoming) => {
    const body = pullBytes(incoming)
    expect(String(await body.next())).toBe('half')
    sending.destroy()
    return body.next()
  })
  sending.write('half')
  await expect(outcome).rejects.toThrow('the body ends too early')
})

test('also to whoever asks after it broke off', async () => {
  const { sending, outcome } = begin(async (incoming) => {
    const isGone = new Promise((resolve) => incoming.on('close', resolve).on('error', () => undefined))
    sending.destroy()
    await isGone
    return all(incoming)
  })
  sending.write('half')
  await expect(outcome).rejects.toThrow('the body ends too early')
})

test('what nobody asks for is not taken, and dropped in the end', async () => {
  const { sending, outcome } = begin(async (incoming) => {
    const body = pullBytes(incoming)
    const first = await body.next()
    body.stop()
    return first?.length
  })
  const response = new Promise<number | undefined>((resolve) =>
    sending.on('response', ({ statusCode }) => resolve(statusCode)),
  )
  // More than any buffer on the way holds.
  for (let n = 0; n < 64; n++) sending.write(Buffer.alloc(1024 * 1024))
  sending.end()
  expect(await outcome).toBeLessThan(1024 * 1024)
  expect(await response).toBe(200)
})
