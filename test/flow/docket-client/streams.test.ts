import { Aborted, connect, NetworkError } from 'docket-client'
import { AttachmentsClient } from 'docket-client/attachments'
import { DocumentsClient } from 'docket-client/documents'
import { afterEach, describe, expect, test } from 'vitest'

type Send = ConstructorParameters<typeof DocumentsClient>[0]
type Sent = Parameters<Send>[0]

/** A body that stalls after its text, as one of a server that hangs; it breaks when the signal ends it. */
function stalled(text: string, signal?: AbortSignal) {
  let isCancelled = false
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      signal?.addEventListener('abort', () => controller.error(signal.reason))
    },
    cancel() {
      isCancelled = true
    },
  })
  return { body, isCancelled: () => isCancelled }
}

const file = new File(['text'], 'a.txt')
const eventOf = (state: string): string => `event: status\ndata: ${JSON.stringify({ state, percent: 100 })}\n\n`

/** A server that takes the load, and then reports its stages in this body. */
const loading =
  (stages: (request: Sent) => ReadableStream): Send =>
  async (request) =>
    request.method === 'POST' ? Response.json({ data: { doc_id: 'a' } }) : new Response(stages(request))

describe('stages of a load', () => {
  const load = (send: Send, options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {}) =>
    new DocumentsClient(send).load('shelf', file, { onProgress: () => undefined, ...options })

  test('the stream is left when the load is ready', async () => {
    const { body, isCancelled } = stalled(eventOf('ready'))
    expect(await load(loading(() => body))).toMatchObject({ state: 'ready' })
    expect(isCancelled()).toBe(true)
  })

  test('end with the time limit of the call', async () => {
    const send = loading(({ signal }) => stalled(eventOf('indexing'), signal).body)
    await expect(load(send, { timeoutMs: 50 })).rejects.toMatchObject({ name: 'Aborted', code: 'TIMEOUT' })
  })

  test('end with the signal, also between two streams', async () => {
    const stop = new AbortController()
    const send = loading(() => {
      // The stream ends at once; its signal ends while the client waits for the next one.
      setTimeout(() => stop.abort(), 20)
      return new Blob([eventOf('indexing')]).stream()
    })
    await expect(load(send, { signal: stop.signal })).rejects.toMatchObject({ name: 'Aborted', code: 'ABORTED' })
  })
})

describe('events', () => {
  test('a stream that breaks before its first event continues after the id that it began with', async () => {
    const stop = new AbortController()
    const requests: string[] = []
    const fetch = async (input: unknown): Promise<Response> => {
      requests.push(new URL(String(input)).search)
      if (requests.length === 2) stop.abort()
      return new Response('retry: 1000\n\nid: mark-1\n\n')
    }
    const ids: string[] = []
    const docket = connect({ url: 'http://127.0.0.1:1', fetch: fetch as typeof globalThis.fetch })
    const events = docket.events({ tables: ['task'], signal: stop.signal, onId: (id) => ids.push(id) })
    const kinds: string[] = []
    for await (const { kind } of events) kinds.push(kind)
    expect({ requests, ids: ids.slice(0, 1), kinds: kinds.slice(0, 2) }).toEqual({
      requests: ['?tables=task', '?tables=task&last_event_id=mark-1'],
      ids: ['mark-1'],
      kinds: ['open', 'closed'],
    })
  })
})

describe('streams that end early', () => {
  const download = (send: Send, signal?: AbortSignal) => new AttachmentsClient({ send }).download('1', { signal })

  test('an export that a signal ends is Aborted', async () => {
    const stop = new AbortController()
    const fetch = async (): Promise<Response> => new Response(stalled('{"a":"1"}\n', stop.signal).body)
    const docket = connect({ url: 'http://127.0.0.1:1', fetch })
    const rows = docket.table('task').export('', { signal: stop.signal })
    expect(await rows.next()).toEqual({ value: { a: '1' }, done: false })
    stop.abort()
    await expect(rows.next()).rejects.toBeInstanceOf(Aborted)
  })

  test('a download that a signal ends is Aborted', async () => {
    const stop = new AbortController()
    const reader = (
      await download(async ({ signal }) => new Response(stalled('x', signal).body), stop.signal)
    ).body.getReader()
    await reader.read()
    stop.abort()
    await expect(reader.read()).rejects.toBeInstanceOf(Aborted)
  })

  test('a download that breaks again and again is an error of the network', async () => {
    let requests = 0
    const send: Send = async () => {
      requests += 1
      const body = new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) })
      return new Response(body, { status: requests === 1 ? 200 : 206, headers: { etag: '"1"' } })
    }
    const failed = await new Response((await download(send)).body).text().catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(NetworkError)
    expect([requests, (failed as Error).message]).toEqual([
      5,
      'The connection broke after 0 bytes, 5 times: read it again.',
    ])
  })

  test('a stalled download can be cancelled', async () => {
    let signal: AbortSignal | undefined
    const { body } = await download(async (request) => {
      signal = request.signal
      return new Response(stalled('x', signal).body)
    })
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    expect(signal?.aborted).toBe(true)
  })

  test('an upload of a stalled stream can be cancelled, and so is the stream', async () => {
    const { body: content, isCancelled } = stalled('x')
    let sent: ReadableStream | undefined
    const send: Send = async ({ body }) => {
      sent = body as ReadableStream
      return Response.json({ data: [] })
    }
    await new AttachmentsClient({ send }).upload('task', '1', { name: 'a.txt', content })
    const reader = (sent as ReadableStream).getReader()
    await reader.read()
    await reader.read()
    await reader.cancel()
    expect(isCancelled()).toBe(true)
  })
})

describe('progress of an upload in a browser', () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'XMLHttpRequest')
  afterEach(() => {
    if (own === undefined) Reflect.deleteProperty(globalThis, 'XMLHttpRequest')
    else Object.defineProperty(globalThis, 'XMLHttpRequest', own)
  })

  test('reports the end, also if the browser reports no progress of the last bytes', async () => {
    class Request {
      readonly upload: Partial<Record<'onprogress' | 'onload', (event: object) => void>> = {}
      readonly status = 200
      readonly statusText = 'OK'
      readonly response = new Blob(['{"data":[]}'])
      onload = (): void => undefined
      onloadend = (): void => undefined
      open(): void {}
      setRequestHeader(): void {}
      getAllResponseHeaders = (): string => 'content-type: application/json\r\n'
      send(): void {
        this.upload.onprogress?.({ loaded: 2, total: 4 })
        this.upload.onload?.({ loaded: 4, total: 4 })
        this.onload()
        this.onloadend()
      }
    }
    Object.defineProperty(globalThis, 'XMLHttpRequest', { value: Request, configurable: true })
    const seen: unknown[] = []
    const send: Send = async ({ fetch: ownFetch, body }) =>
      (ownFetch as typeof fetch)('http://localhost/', { method: 'POST', body: body as FormData })
    await new AttachmentsClient({ send }).upload('task', '1', file, { onProgress: (bytes) => seen.push(bytes) })
    expect(seen).toEqual([
      { sent: 2, total: 4 },
      { sent: 4, total: 4 },
    ])
  })
})
