import { createHash, createHmac, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PartUploads } from './s3-part-uploads.ts'
import { stillRunning } from './still-running.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

export interface S3StandIn extends S3Credentials {
  readonly endpoint: string
  readonly bucket: string
  readonly objects: Map<string, StoredObject>
  /** Ids of uploads in parts that were neither completed nor aborted. */
  openUploads(): readonly string[]
  /** Each request as METHOD path. */
  readonly requested: string[]
  /** The statuses of the responses to the next requests; these are not handled further. */
  readonly failNext: number[]
  /** Whether parts of uploads are rejected. */
  partsFail: boolean
  /** Objects per page of a list. */
  pageSize: number
  close(): Promise<void>
}

/** The settings of a server that keeps its files there. */
export const objectStoreSettings = (store: Pick<S3StandIn, 'endpoint' | 'bucket' | keyof S3Credentials>) => ({
  DOCKET_S3_ENDPOINT: store.endpoint,
  DOCKET_S3_BUCKET: store.bucket,
  DOCKET_S3_REGION: store.region,
  DOCKET_S3_ACCESS_KEY_ID: store.accessKeyId,
  DOCKET_S3_SECRET_ACCESS_KEY: store.secretAccessKey,
})

export interface StoredObject {
  /** Empty if the bytes are in a file. */
  readonly bytes: Buffer
  readonly changedMs: number
  readonly file?: { readonly path: string; readonly size: number }
  /** Absent: it came in one piece. */
  readonly parts?: number
}

/**
 * An object store with the part of S3 that Docket uses, for both ways to address a bucket. Like a real one, it checks the signature of
 * every request (version 4, computed here from its description and not by the client's library), its age, and the bytes of a body
 * against the signed hash.
 *
 * @param folder the folder of the bodies, so that none is in memory as a whole, except what comes in parts; null: they are in memory
 */
export async function startS3(bucket = 'docket-files', folder: string | null = null): Promise<S3StandIn> {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a secret/of+the=test', region: 'eu-central-1' }
  const objects: S3StandIn['objects'] = new Map()
  const uploads = new PartUploads(objects)
  const requested: string[] = []
  const failNext: number[] = []
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host')
    const body = await bodyOf(request, searchParams.has('uploadId') ? null : folder).catch(() => undefined)
    // The client has cancelled the request.
    if (body === undefined) return
    const fail = (status: number, code: string): void => {
      response.writeHead(status, { 'content-type': 'application/xml' })
      response.end(`<Error><Code>${code}</Code><Message>refused by the stand-in</Message></Error>`)
    }
    requested.push(`${request.method} ${pathname}`)
    const failure = failNext.shift()
    if (failure !== undefined) return fail(failure, 'SlowDown')
    if (standIn.partsFail && searchParams.has('partNumber')) return fail(403, 'AccessDenied')
    const error = problemWith(request, body, credentials)
    if (error !== undefined) return fail(403, error)
    const inHost = request.headers.host?.startsWith(`${bucket}.`) === true
    const inPath = pathname === `/${bucket}` ? '/' : pathname.slice(bucket.length + 1)
    const isInPath = pathname === `/${bucket}` || pathname.startsWith(`/${bucket}/`)
    const path = inHost ? pathname : isInPath ? inPath : undefined
    if (path === undefined) return fail(404, 'NoSuchBucket')
    const key = decodeURIComponent(path.slice(1))
    if (key === '' && searchParams.has('delete')) {
      const named = [...body.stored.bytes.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, each]) => each ?? '')
      for (const each of named) objects.delete(each)
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(
        `<DeleteResult>${named.map((each) => `<Deleted><Key>${each}</Key></Deleted>`).join('')}</DeleteResult>`,
      )
      return
    }
    if (key === '' && searchParams.has('delimiter')) {
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(listOfFolder(objects, searchParams.get('prefix') ?? ''))
      return
    }
    if (key === '') {
      const keys = [...objects.keys()].filter((each) => each.startsWith(searchParams.get('prefix') ?? '')).sort()
      const from = Number(searchParams.get('continuation-token')?.split('&')[1] ?? 0)
      const page = keys.slice(from, from + standIn.pageSize)
      const next = from + page.length
      const contents = page.map((each) => {
        const object = objects.get(each)
        const changed = new Date(object?.changedMs ?? 0).toISOString()
        return `<Contents><Key>${each}</Key><LastModified>${changed}</LastModified><Size>${sizeOf(object)}</Size></Contents>`
      })
      // Like real tokens, it has characters that XML and URLs encode.
      const token = next < keys.length ? `<NextContinuationToken>+/&amp;${next}</NextContinuationToken>` : ''
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0"?>\n<ListBucketResult>${contents.join('')}${token}</ListBucketResult>`)
      return
    }
    if (searchParams.has('uploads') || searchParams.has('uploadId')) {
      const { status, code, ...sent } = uploads.handle(request.method ?? '', key, searchParams, body.stored.bytes)
      if (code !== undefined) return fail(status, code)
      response.writeHead(status, sent.headers).end(sent.xml)
      return
    }
    const object = objects.get(key)
    const etag = `"${object?.changedMs}-${sizeOf(object)}"`
    // What a real one must have for LanceDB: a commit creates an object that must not exist.
    if (request.method === 'PUT' && request.headers['if-none-match'] === '*' && object !== undefined)
      fail(412, 'PreconditionFailed')
    else if (request.method === 'PUT') {
      objects.set(key, { ...body.stored, changedMs: Date.now() })
      response.writeHead(200, { etag: '"new"' }).end()
    } else if (request.method === 'DELETE') {
      objects.delete(key)
      response.writeHead(204).end()
    } else if (object === undefined) fail(404, 'NoSuchKey')
    else {
      const last = sizeOf(object) - 1
      const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? []
      const start = from === undefined ? 0 : from === '' ? Math.max(last + 1 - Number(to), 0) : Number(from)
      const end = from === undefined || from === '' || to === '' ? last : Math.min(Number(to), last)
      response.writeHead(from === undefined ? 200 : 206, {
        'content-length': end - start + 1,
        etag,
        'last-modified': new Date(object.changedMs).toUTCString(),
        ...(from !== undefined && { 'content-range': `bytes ${start}-${end}/${last + 1}` }),
      })
      if (request.method === 'HEAD') response.end()
      else if (object.file === undefined) response.end(object.bytes.subarray(start, end + 1))
      else await pipeline(createReadStream(object.file.path, { start, end }), response).catch(() => undefined)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://localhost:${(server.address() as AddressInfo).port}`
  stillRunning.add(`object store ${endpoint}`)
  const standIn: S3StandIn = {
    ...credentials,
    endpoint,
    bucket,
    objects,
    openUploads: () => uploads.open(),
    requested,
    failNext,
    partsFail: false,
    pageSize: 2,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      stillRunning.delete(`object store ${endpoint}`)
    },
  }
  return standIn
}

/** The objects directly in a folder, and the folders in it. */
function listOfFolder(objects: S3StandIn['objects'], prefix: string): string {
  const inside = [...objects].filter(([key]) => key.startsWith(prefix)).sort()
  const folders = new Set(
    inside.flatMap(([key]) => {
      const end = key.indexOf('/', prefix.length)
      return end < 0 ? [] : key.slice(0, end + 1)
    }),
  )
  const contents = inside
    .filter(([key]) => !key.includes('/', prefix.length))
    .map(
      ([key, object]) =>
        `<Contents><Key>${key}</Key><LastModified>${new Date(object.changedMs).toISOString()}</LastModified><Size>${sizeOf(object)}</Size></Contents>`,
    )
  const common = [...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`)
  return `<?xml version="1.0"?>\n<ListBucketResult>${[...contents, ...common].join('')}</ListBucketResult>`
}

const sizeOf = (object: StoredObject | undefined): number => object?.file?.size ?? object?.bytes.length ?? 0

interface Body {
  readonly stored: Pick<StoredObject, 'bytes' | 'file'>
  readonly sha256: string
}

async function bodyOf(request: IncomingMessage, folder: string | null): Promise<Body> {
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  let size = 0
  const path = folder === null || request.method !== 'PUT' ? null : join(folder, randomUUID())
  const file = path === null ? null : await open(path, 'w')
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      hash.update(piece)
      size += piece.length
      if (file === null) pieces.push(piece)
      else await file.writeFile(piece)
    }
  } finally {
    await file?.close()
  }
  const stored = path === null ? { bytes: Buffer.concat(pieces) } : { bytes: Buffer.alloc(0), file: { path, size } }
  return { stored, sha256: hash.digest('hex') }
}

const maxSkewMs = 15 * 60_000

function problemWith(request: IncomingMessage, body: Body, credentials: S3Credentials): string | undefined {
  const { authorization = '' } = request.headers
  const [, credential = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(authorization) ?? []
  const [accessKeyId, day, region, service, end] = credential.split('/')
  if (accessKeyId !== credentials.accessKeyId) return 'InvalidAccessKeyId'
  const date = String(request.headers['x-amz-date'])
  const isScoped =
    region === credentials.region && service === 's3' && end === 'aws4_request' && date.startsWith(day ?? '-')
  if (!isScoped || !signedHeaders.split(';').includes('host')) return 'AuthorizationHeaderMalformed'
  const sentMs = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - sentMs) < maxSkewMs)) return 'RequestTimeTooSkewed'
  if (request.headers['x-amz-content-sha256'] !== body.sha256) return 'XAmzContentSHA256Mismatch'
  const headers = Object.fromEntries(signedHeaders.split(';').map((name) => [name, String(request.headers[name])]))
  const expected = signatureOf({ method: request.method ?? '', target: request.url ?? '', headers }, credentials)
  return signature === expected ? undefined : 'SignatureDoesNotMatch'
}

/** The signed parts of a request. Names of headers are lower case; `x-amz-date` and `x-amz-content-sha256` are among them. */
export interface SignedRequest {
  readonly method: string
  /** Path and query string, as sent. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** Signature version 4 of a request to S3, according to "Signature Calculations for the Authorization Header". */
export function signatureOf({ method, target, headers }: SignedRequest, credentials: S3Credentials): string {
  const [path = '/', search = ''] = target.split('?')
  const names = Object.keys(headers).sort()
  const parameters = [...new URLSearchParams(search)].map((pair) => pair.map(encoded).join('='))
  const canonical = [
    method,
    path.split('/').map(decodeURIComponent).map(encoded).join('/'),
    parameters.sort().join('&'),
    ...names.map((name) => `${name}:${headers[name]?.trim()}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n')
  const date = headers['x-amz-date'] ?? ''
  const scope = [date.slice(0, 8), credentials.region, 's3', 'aws4_request']
  const key = scope.reduce<Buffer>((at, part) => hmac(at, part), Buffer.from(`AWS4${credentials.secretAccessKey}`))
  return hmac(key, ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonical)].join('\n')).toString('hex')
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
