import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as delay } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { Clock } from '../../kernel/clock.ts'
import { UpstreamError } from '../../kernel/upstream-error.ts'
import { type BlobPart, type BlobStore, blobPath, hashOfBlobPath, MissingFile, type StoredBlob } from './blob-store.ts'

/** A bucket of an object store with the S3 protocol, from the configuration. */
export interface S3Options {
  /** Such as https://s3.eu-central-1.amazonaws.com or http://127.0.0.1:9000. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Whether the bucket is in the path (`endpoint/bucket/key`) instead of the host (`bucket.endpoint/key`). */
  readonly isPathStyle: boolean
  /** Prefix of every key; empty, or ends with a slash. */
  readonly prefix: string
}

export interface S3StoreOptions extends S3Options {
  readonly clock: Clock
  /** Folder for files while they are read: extraction reads files, not streams. */
  readonly scratchFolder: string
}

/** The store rejected the request, or could not be reached after several attempts. */
class ObjectStoreFailure extends UpstreamError {
  readonly forCallers = 'The store of files does not respond correctly'
}

/** Blobs as objects. A PUT is atomic, and the store checks the bytes against the hash that is signed with it. */
export function s3BlobStore(options: S3StoreOptions): BlobStore {
  const call = (method: string, path: string, more: Partial<StoreRequest> = {}): Promise<Response> =>
    sendToStore(options, { method, path, ...more })
  const get = async (hash: Buffer, part?: BlobPart | null): Promise<Readable> => {
    const range = part == null ? {} : { range: `bytes=${part.from}-${part.to}` }
    const response = await call('GET', blobPath(hash), { ...range, mayBeAbsent: true })
    if (response.status === 404)
      throw new MissingFile(hash, await rejectionOf({ method: 'GET', path: blobPath(hash) }, response))
    // A different range than requested would look like the file.
    if (part != null && response.status !== 206)
      throw new ObjectStoreFailure(`the object store gives no part of ${blobPath(hash)}`)
    return Readable.fromWeb((response.body ?? new Blob([]).stream()) as ReadableStream)
  }
  return {
    async keep({ path, hash, size }) {
      // If HEAD is rejected or the object is missing, PUT follows and reports the reason: HEAD gives none, and 403 may
      // mean that the object is missing.
      const before = await call('HEAD', blobPath(hash), { mayBeRejected: true })
      if (before.ok && Number(before.headers.get('content-length')) === size) return
      await discard(await call('PUT', blobPath(hash), { body: await openAsBlob(path), bodyHash: hash.toString('hex') }))
    },
    read: get,
    async fetch(hash) {
      const path = join(options.scratchFolder, randomUUID())
      const release = (): Promise<void> => rm(path, { force: true })
      await mkdir(options.scratchFolder, { recursive: true })
      try {
        await pipeline(await get(hash), checked(hash), createWriteStream(path))
      } catch (error) {
        await release()
        throw error
      }
      return { path, release }
    },
    async remove(hash) {
      await discard(await call('DELETE', blobPath(hash)))
    },
    list: () => listObjects(options),
    // Objects are never partial.
    dropUnfinished: async () => undefined,
  }
}

/** Passes bytes on and fails at their end if they do not match the hash. */
function checked(hash: Buffer): (bytes: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* (bytes) {
    const found = createHash('sha256')
    for await (const piece of bytes) {
      found.update(piece)
      yield piece
    }
    if (!found.digest().equals(hash)) throw new ObjectStoreFailure(`the object ${blobPath(hash)} holds other bytes`)
  }
}

// ── listing ──

async function* listObjects(options: S3Options & { readonly clock: Clock }): AsyncGenerator<StoredBlob> {
  let token: string | undefined
  do {
    const query = { 'list-type': '2', prefix: options.prefix, ...(token && { 'continuation-token': token }) }
    const xml = await (await sendToStore(options, { method: 'GET', path: null, query })).text()
    for (const [, object = ''] of xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
      const blob = blobOf(object, options.prefix)
      if (blob !== null) yield blob
    }
    token = memberOf(xml, 'NextContinuationToken')
  } while (token !== undefined)
}

/** Our keys contain no characters that XML escapes; a key with such characters is not ours. */
function blobOf(object: string, prefix: string): StoredBlob | null {
  const key = memberOf(object, 'Key') ?? ''
  const hash = key.startsWith(prefix) ? hashOfBlobPath(key.slice(prefix.length)) : null
  if (hash === null) return null
  return { hash, size: Number(memberOf(object, 'Size')), changedMs: Date.parse(memberOf(object, 'LastModified') ?? '') }
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function memberOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => entities[entity] ?? '')
}

// ── requests ──

interface StoreRequest {
  readonly method: string
  /** Path of the blob; null: the bucket itself. */
  readonly path: string | null
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Blob
  /** SHA-256 of the body, in hexadecimal. */
  readonly bodyHash?: string
  /** Byte range, in the syntax of the Range header. */
  readonly range?: string
  /** A status of 400 to 499 is a result, not an error. */
  readonly mayBeRejected?: boolean
  /** 404 is a result, not an error. */
  readonly mayBeAbsent?: boolean
}

/** SHA-256 of an empty body. */
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
/** From the end of the request until the store begins to respond; the body of the response may take any time. */
const responseTimeoutMs = 120_000
/** A body that is sent more slowly than this is aborted: two gigabytes may take an hour. */
const minBytesPerMs = 500
/** Pauses between attempts: object stores sometimes ask clients to slow down. */
const pausesMs = [200, 1_000, 3_000] as const

async function sendToStore(options: S3Options & { readonly clock: Clock }, requested: StoreRequest): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await trySend(options, requested)
    if (!(outcome instanceof Error)) {
      const isPassing = outcome.status >= 500 || outcome.status === 429
      if (outcome.ok || (requested.mayBeRejected === true && !isPassing)) return outcome
      // An object that is to be deleted may be absent.
      if (outcome.status === 404 && (requested.method === 'DELETE' || requested.mayBeAbsent === true)) return outcome
      if (!isPassing || attempt === pausesMs.length) throw await rejectionOf(requested, outcome)
      await discard(outcome)
    } else if (attempt === pausesMs.length)
      throw new ObjectStoreFailure(`the object store does not respond: ${outcome.message}`, { cause: outcome })
    await delay(pausesMs[attempt] ?? 0)
  }
}

async function trySend(
  options: S3Options & { readonly clock: Clock },
  requested: StoreRequest,
): Promise<Response | Error> {
  const { region, accessKeyId, secretAccessKey, clock } = options
  const { method, body, bodyHash = emptyHash } = requested
  const signer = new AwsV4Signer({
    method,
    url: objectUrl(options, requested),
    headers: { 'x-amz-content-sha256': bodyHash },
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey,
    datetime: new Date(clock.nowMs()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  })
  const { url, headers } = await signer.sign()
  if (requested.range !== undefined) headers.set('range', requested.range)
  const late = new AbortController()
  const withinMs = responseTimeoutMs + Math.ceil((body?.size ?? 0) / minBytesPerMs)
  const timer = setTimeout(() => late.abort(new Error(`no response within ${withinMs} ms`)), withinMs)
  try {
    // A redirect would lead to an address that nobody configured, with a signature that does not match it.
    return await fetch(url, { method, headers, redirect: 'error', signal: late.signal, ...(body && { body }) })
  } catch (error) {
    return error instanceof Error ? (error.cause instanceof Error ? error.cause : error) : new Error(String(error))
  } finally {
    clearTimeout(timer)
  }
}

/** The URL of an object; with `path` null, of the bucket. */
export function objectUrl(
  { endpoint, bucket, isPathStyle, prefix }: Omit<S3Options, 'accessKeyId' | 'secretAccessKey' | 'region'>,
  { path, query = {} }: Pick<StoreRequest, 'path' | 'query'>,
): string {
  const url = new URL(endpoint)
  if (!isPathStyle) url.hostname = `${bucket}.${url.hostname}`
  const folders = [url.pathname.replace(/\/+$/, ''), ...(isPathStyle ? [bucket] : [])]
  url.pathname = [...folders, path === null ? '' : `${prefix}${path}`].join('/')
  // Not every store accepts a plus for a space.
  url.search = new URLSearchParams(query).toString().replaceAll('+', '%20')
  return url.href
}

async function rejectionOf({ method, path }: StoreRequest, response: Response): Promise<ObjectStoreFailure> {
  const text = await response.text()
  const why = [memberOf(text, 'Code'), memberOf(text, 'Message')].filter((part) => part !== undefined).join(': ')
  return new ObjectStoreFailure(
    `the object store rejected ${method} ${path ?? 'of the bucket'} with status ${response.status}${why && ` (${why})`}`,
  )
}

/** A response that is not read to its end holds its connection. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel()
}
