import { streamOf } from './stream-of.ts'
import { fetchWithProgress, hasUploadEvents } from './upload-events.ts'

/** A file with its name. A stream is sent once: an upload that fails is not repeated. Over HTTP/1.1 browsers send no streams. */
export interface NamedFile {
  readonly name: string
  readonly content: Blob | ReadableStream<Uint8Array<ArrayBuffer>>
  /** Media type; default: that of the blob, or application/octet-stream. */
  readonly type?: string | undefined
  /** Size of a stream in bytes, for progress. */
  readonly size?: number | undefined
}

export type FileInput = File | NamedFile

/** Bytes that are sent. `total` is null when the size of a stream is not known. */
export interface SentBytes {
  readonly sent: number
  readonly total: number | null
}

export interface Upload {
  /** Name of the form's field, with its file or its text. */
  readonly parts: readonly (readonly [name: string, value: FileInput | string])[]
  readonly onProgress?: ((bytes: SentBytes) => void) | undefined
}

interface RequestOfUpload {
  readonly body: FormData | ReadableStream<Uint8Array<ArrayBuffer>> | (() => ReadableStream<Uint8Array<ArrayBuffer>>)
  readonly headers: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch | undefined
}

/**
 * The form of an upload. The platform sends blobs, from the disk where they are files. For streams, and for progress outside of
 * browsers, the form is written here.
 */
export function uploadOf({ parts, onProgress }: Upload): RequestOfUpload {
  const hasStream = parts.some(([, value]) => typeof value !== 'string' && contentOf(value) instanceof ReadableStream)
  if (!hasStream && onProgress === undefined) return { body: formOf(parts), headers: {} }
  if (!hasStream && onProgress !== undefined && hasUploadEvents())
    return { body: formOf(parts), headers: {}, fetch: fetchWithProgress(onProgress) }
  const boundary = `docket-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`
  const open = (): ReadableStream<Uint8Array<ArrayBuffer>> => {
    const reading: Reading = { reader: null }
    const stop = (reason: unknown): void => {
      reading.reader?.cancel(reason).catch(() => undefined)
    }
    return streamOf(chunksOf(parts, { boundary, onProgress, reading }), stop)
  }
  return {
    body: hasStream ? open() : open,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

const contentOf = (file: FileInput): NamedFile['content'] => (file instanceof Blob ? file : file.content)

function formOf(parts: Upload['parts']): FormData {
  const form = new FormData()
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, blobOf(value), value.name)
  }
  return form
}

function blobOf(file: FileInput): Blob {
  if (file instanceof Blob) return file
  const blob = file.content as Blob
  return file.type === undefined ? blob : blob.slice(0, blob.size, file.type)
}

/** The file that is being read. */
interface Reading {
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | null
}

interface Writing {
  readonly boundary: string
  readonly onProgress: Upload['onProgress']
  readonly reading: Reading
}

async function* chunksOf(
  parts: Upload['parts'],
  { boundary, onProgress, reading }: Writing,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const encoder = new TextEncoder()
  const total = totalOf(parts)
  let sent = 0
  for (const [name, value] of parts) {
    yield encoder.encode(`--${boundary}\r\n${headOf(name, value)}\r\n\r\n`)
    if (typeof value === 'string') yield encoder.encode(value)
    else
      for await (const chunk of bytesOf(contentOf(value), reading)) {
        yield chunk
        sent += chunk.length
        onProgress?.({ sent, total })
      }
    yield encoder.encode('\r\n')
  }
  yield encoder.encode(`--${boundary}--\r\n`)
}

function totalOf(parts: Upload['parts']): number | null {
  let total = 0
  for (const [, value] of parts) {
    if (typeof value === 'string') continue
    const content = contentOf(value)
    const size = content instanceof Blob ? content.size : (value as NamedFile).size
    if (size === undefined) return null
    total += size
  }
  return total
}

/** As browsers write it (HTML standard, multipart/form-data): quotes and line ends of names are escaped. */
function headOf(name: string, value: FileInput | string): string {
  const escaped = (text: string): string => text.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
  const disposition = `Content-Disposition: form-data; name="${escaped(name)}"`
  if (typeof value === 'string') return disposition
  const content = contentOf(value)
  const type = value.type || (content instanceof Blob ? content.type : '') || 'application/octet-stream'
  return `${disposition}; filename="${escaped(value.name)}"\r\nContent-Type: ${type.replaceAll(/[\r\n]/g, ' ')}`
}

async function* bytesOf(
  content: NamedFile['content'],
  reading: Reading,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = (content instanceof Blob ? content.stream() : content).getReader()
  reading.reader = reader
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
