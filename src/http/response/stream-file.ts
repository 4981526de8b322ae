import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { namesTag } from '../request/entity-tags.ts'
import { type ByteRange, readByteRanges } from '../request/read-byte-ranges.ts'
import { revalidate } from './caching.ts'
import { beginStream } from './stream-response.ts'

export interface FileToStream {
  readonly fileName: string
  readonly mediaType: string
  /** A browser displays it in a tab of its own, as this type. Absent: it is downloaded. */
  readonly inlineAs?: string
  /** Beside those of the file. */
  readonly headers?: Readonly<Record<string, string>>
  /** null: neither is known before the file is read; then there are no ranges. */
  readonly content: { readonly size: number; readonly sha256: string } | null
  /** Opened before the response begins: a file that cannot be read is an error, not an empty file. */
  open(part: ByteRange | null): Promise<Result<Readable, Problem>>
}

/**
 * Sends a file, or a part of it, under the conditions of the request (RFC 9110, 13 and 14). It is an attachment unless it is to be
 * displayed: a browser must not display it as a page of ours, and must not guess its type.
 */
export async function streamFile(reply: FastifyReply, file: FileToStream): Promise<Result<void, Problem>> {
  const { method, headers: requested } = reply.request
  const { content } = file
  const etag = content === null ? null : `"${content.sha256}"`
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'if-range': ifRange } = requested
  // Rights are checked each time; a cached file may be used while they hold and the bytes are the same.
  const known = { ...revalidate, ...(etag === null ? {} : { etag }) }
  if (ifMatch !== undefined && !namesTag(ifMatch, etag ?? '', 'strong')) return fail({ kind: 'precondition-failed' })
  if (etag !== null && ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag, 'weak')) {
    beginStream(reply, known, 304).end()
    return succeed(undefined)
  }
  // Only GET has ranges; a range of another version of the file does not apply.
  const isRanged = method === 'GET' && (ifRange === undefined || ifRange === etag)
  const range = content === null || !isRanged ? 'whole' : readByteRanges(requested.range, content.size)
  if (range === 'unsatisfiable') return fail({ kind: 'unsatisfiable-range', size: content?.size ?? 0 })
  const part = range === 'whole' ? null : range
  const headers = {
    ...file.headers,
    'content-type': file.inlineAs ?? file.mediaType,
    'content-disposition': dispositionOf(file.fileName, file.inlineAs === undefined ? 'attachment' : 'inline'),
    ...policyOf(file),
    ...known,
    ...(content === null ? {} : sizesOf(content.size, part)),
  }
  const status = part === null ? 200 : 206
  if (method === 'HEAD') {
    beginStream(reply, headers, status).end()
    return succeed(undefined)
  }
  const opened = await file.open(part)
  if (!opened.ok) return opened
  await sendBytes(reply, opened.value, { headers, status })
  return succeed(undefined)
}

/** PDF viewers are part of the browser and do not work in a sandbox. A PDF is never markup. */
function policyOf({ inlineAs }: FileToStream): Readonly<Record<string, string>> {
  if (inlineAs === 'application/pdf') return {}
  return { 'content-security-policy': "sandbox; default-src 'none'" }
}

function sizesOf(size: number, part: ByteRange | null): Readonly<Record<string, string>> {
  return {
    'accept-ranges': 'bytes',
    'content-length': String(part === null ? size : part.to - part.from + 1),
    ...(part === null ? {} : { 'content-range': `bytes ${part.from}-${part.to}/${size}` }),
  }
}

interface Beginning {
  readonly headers: Readonly<Record<string, string>>
  readonly status: 200 | 206
}

async function sendBytes(reply: FastifyReply, bytes: Readable, { headers, status }: Beginning): Promise<void> {
  const stream = beginStream(reply, headers, status)
  try {
    for await (const piece of bytes) if (!(await stream.write(piece))) return
    stream.end()
  } catch (error) {
    stream.breakOff()
    throw error
  } finally {
    bytes.destroy()
  }
}

/** RFC 6266: the name in ASCII for old clients, and in full. */
export function dispositionOf(fileName: string, kind: 'attachment' | 'inline' = 'attachment'): string {
  const plain = fileName.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
