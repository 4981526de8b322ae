import { abortedBySignal, DocketError, NetworkError } from './errors.ts'
import type { CallOptions, Send } from './http.ts'
import { streamOf } from './stream-of.ts'

/** A file of the server. Either `body` or `blob` is read, once. */
export interface Download {
  readonly fileName: string | null
  readonly mediaType: string
  /** In bytes. */
  readonly size: number | null
  /** In hexadecimal. */
  readonly sha256: string | null
  /** Goes on behind the last byte when the connection breaks. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  /** The whole file, compared with its SHA-256 where the platform computes it. */
  blob(): Promise<Blob>
}

/** Attempts to go on without a single byte in between. */
const maxResumes = 4

export async function download(send: Send, path: string, options: CallOptions): Promise<Download> {
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  const request = { ...options, signal, method: 'GET', path }
  const first = await send({ ...request, headers: { accept: '*/*', ...options.headers } })
  const { headers } = first
  const sha256 = /^"([0-9a-f]{64})"$/.exec(headers.get('etag') ?? '')?.[1] ?? null
  const mediaType = headers.get('content-type') ?? 'application/octet-stream'
  const etag = headers.get('etag')
  const chunks = chunksOf(first, (from, failures) => resume(send, request, { from, failures, etag }))
  const body = streamOf(chunks, () => stop.abort())
  return {
    fileName: fileNameOf(headers.get('content-disposition') ?? ''),
    mediaType,
    size: sizeOf(headers),
    sha256,
    body,
    blob: async () => verified(await new Response(body, { headers: { 'content-type': mediaType } }).blob(), sha256),
  }
}

/** A proxy that compresses changes the length, and has no parts. */
const sizeOf = (headers: Headers): number | null => {
  const length = headers.get('content-length')
  return length === null || headers.has('content-encoding') ? null : Number(length)
}

async function* chunksOf(
  first: Response,
  next: (from: number, failures: number) => Promise<Response>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  let response = first
  let received = 0
  for (let failures = 0; ; failures += 1) {
    const reader = response.body?.getReader()
    if (reader === undefined) return
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        received += read.value.length
        failures = 0
        yield read.value
      }
      return
    } catch (error) {
      if (error instanceof DocketError) throw error
      response = await next(received, failures)
    } finally {
      await reader.cancel().catch(() => undefined)
    }
  }
}

interface Rest {
  readonly from: number
  /** Attempts to go on since the last byte. */
  readonly failures: number
  readonly etag: string | null
}

async function resume(
  send: Send,
  request: { readonly method: string; readonly path: string; readonly signal: AbortSignal } & CallOptions,
  { from, failures, etag }: Rest,
): Promise<Response> {
  const broken = `The connection broke after ${from} bytes`
  if (request.signal.aborted) throw abortedBySignal()
  if (failures >= maxResumes) throw new NetworkError(`${broken}, ${failures + 1} times: read it again.`)
  if (etag === null || etag.startsWith('W/'))
    throw new NetworkError(`${broken}, and the file has no version to go on with: read it again.`)
  const headers = { accept: '*/*', ...request.headers, range: `bytes=${from}-`, 'if-range': etag }
  const response = await send({ ...request, headers })
  if (response.status === 206) return response
  await response.body?.cancel()
  throw new NetworkError(`${broken}, and the file has changed since: read it again.`)
}

/** RFC 6266: `filename*` wins. */
function fileNameOf(disposition: string): string | null {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1]
  if (encoded !== undefined) return decodeURIComponent(encoded)
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? null
}

/** Pages over plain HTTP have no `crypto.subtle`. */
async function verified(blob: Blob, sha256: string | null): Promise<Blob> {
  if (sha256 === null || globalThis.crypto?.subtle === undefined) return blob
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()))
  const found = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  if (found === sha256) return blob
  throw new NetworkError(`The file arrived with the SHA-256 ${found} instead of ${sha256}: read it again.`)
}
