import { createHash, randomUUID } from 'node:crypto'
import type { StoredObject } from './s3-stand-in.ts'

interface Upload {
  readonly key: string
  /** By part number. */
  readonly parts: Map<number, { readonly bytes: Buffer; readonly etag: string }>
}

interface UploadResponse {
  readonly status: number
  /** Of an error. */
  readonly code?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly xml?: string
}

/** As in S3: only the last part may be smaller. */
const minPartBytes = 5 * 1024 * 1024

/** Uploads of objects in parts, for the S3 stand-in. */
export class PartUploads {
  readonly #objects: Map<string, StoredObject>
  readonly #uploads = new Map<string, Upload>()

  constructor(objects: Map<string, StoredObject>) {
    this.#objects = objects
  }

  open(): readonly string[] {
    return [...this.#uploads.keys()]
  }

  handle(method: string, key: string, parameters: URLSearchParams, body: Buffer): UploadResponse {
    if (method === 'POST' && parameters.has('uploads')) return this.#begin(key)
    const id = parameters.get('uploadId') ?? ''
    const upload = this.#uploads.get(id)
    if (upload?.key !== key) return { status: 404, code: 'NoSuchUpload' }
    if (method === 'PUT') return addPart(upload, Number(parameters.get('partNumber')), body)
    if (method === 'POST') return this.#complete(id, upload, body.toString())
    if (method !== 'DELETE') return { status: 405, code: 'MethodNotAllowed' }
    this.#uploads.delete(id)
    return { status: 204 }
  }

  #begin(key: string): UploadResponse {
    const id = randomUUID()
    this.#uploads.set(id, { key, parts: new Map() })
    const named = `<Key>${key}</Key><UploadId>${id}</UploadId>`
    return xmlResponse(`<InitiateMultipartUploadResult>${named}</InitiateMultipartUploadResult>`)
  }

  #complete(id: string, { key, parts }: Upload, list: string): UploadResponse {
    const listed = [...list.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      etag: /<ETag>(.*?)<\/ETag>/.exec(part)?.[1]?.replaceAll(/"|&quot;|&#34;/g, ''),
    }))
    const chosen = listed.flatMap(({ number, etag }) => {
      const part = parts.get(number)
      return part?.etag === etag ? (part?.bytes ?? []) : []
    })
    if (chosen.length === 0 || chosen.length < listed.length) return { status: 400, code: 'InvalidPart' }
    if (listed.some(({ number }, at) => number <= (listed[at - 1]?.number ?? 0)))
      return { status: 400, code: 'InvalidPartOrder' }
    if (chosen.slice(0, -1).some(({ length }) => length < minPartBytes)) return { status: 400, code: 'EntityTooSmall' }
    this.#objects.set(key, { bytes: Buffer.concat(chosen), changedMs: Date.now(), parts: chosen.length })
    this.#uploads.delete(id)
    return xmlResponse(
      `<CompleteMultipartUploadResult><Key>${key}</Key><ETag>"new"</ETag></CompleteMultipartUploadResult>`,
    )
  }
}

function addPart({ parts }: Upload, number: number, bytes: Buffer): UploadResponse {
  if (!(number >= 1 && number <= 10_000)) return { status: 400, code: 'InvalidArgument' }
  const etag = createHash('md5').update(bytes).digest('hex')
  parts.set(number, { bytes, etag })
  return { status: 200, headers: { etag: `"${etag}"` } }
}

function xmlResponse(xml: string): UploadResponse {
  return { status: 200, headers: { 'content-type': 'application/xml' }, xml: `<?xml version="1.0"?>\n${xml}` }
}
