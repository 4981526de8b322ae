import type { Readable } from 'node:stream'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { mediaTypeOf } from '../../text-formats/detect-media-type.ts'
import type { FileToStream } from './stream-file.ts'

/**
 * Types that browsers display without running any of their content. SVG and HTML can contain scripts; displayed as text they are
 * harmless.
 */
const INLINE_TYPES = new Set(['application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const HEAD_BYTES = 4_096

/** What `inline=1` does, in a sentence of the documentation. */
export const INLINE_DESCRIPTION =
  '1: for display in a browser: PDF, PNG, JPEG, GIF, WebP and plain text, detected from the bytes. Other files remain attachments.'

/** The file as a browser displays it; a file that can only be downloaded stays as it is. */
export async function toDisplay(file: FileToStream): Promise<Result<FileToStream, Problem>> {
  const type = await inlineTypeOf(file)
  if (!type.ok) return type
  return succeed(type.value === null ? file : { ...file, inlineAs: type.value })
}

/**
 * The media type under which a browser may display a file, detected from its first bytes. The file name and the declared type are
 * ignored.
 *
 * @returns null: the file can only be downloaded
 */
async function inlineTypeOf({ content, open }: FileToStream): Promise<Result<string | null, Problem>> {
  if (content === null || content.size === 0) return succeed(PLAIN)
  const opened = await open({ from: 0, to: Math.min(content.size, HEAD_BYTES) - 1 })
  if (!opened.ok) return opened
  const found = mediaTypeOf(await readAll(opened.value), '')
  return succeed(found === 'text/plain' ? PLAIN : INLINE_TYPES.has(found) ? found : null)
}

/** Only valid UTF-8 is treated as text. */
const PLAIN = 'text/plain; charset=utf-8'

async function readAll(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(Buffer.from(part as Uint8Array))
  return Buffer.concat(parts)
}
