import type { FastifyReply } from 'fastify'
import type { OriginalFile } from '../../documents/read-file.ts'
import { beginStream } from './stream-answer.ts'

/** An attachment, whatever it is: a browser must neither show it as a page of ours nor guess what else it could be. */
export async function streamFile(
  reply: FastifyReply,
  { bytes, size, fileName, mediaType }: OriginalFile,
): Promise<void> {
  const stream = beginStream(reply, {
    'content-type': mediaType,
    'content-disposition': dispositionOf(fileName),
    'content-security-policy': "sandbox; default-src 'none'",
    ...(size === null ? {} : { 'content-length': String(size) }),
  })
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

/** RFC 6266: the name in ASCII for old clients, and as it is. */
export function dispositionOf(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
