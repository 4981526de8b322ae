import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'

/**
 * A backup is one file: a line of text, followed by frames.
 *
 *     backup  = "docket backup 1\n" frame* ; the last frame has the kind "end"
 *     frame   = header-length payload-length header payload digest
 *     header-length, payload-length = 32-bit unsigned, big-endian
 *     header  = JSON in UTF-8
 *     digest  = SHA-256 of the digest of the frame before (of the first line, for the first frame) and of this frame up to here
 *
 * Each digest covers everything before it, so a frame that is changed, missing, duplicated or moved is found at its place. Payloads are
 * compressed one by one: memory does not depend on the size of the backup, and the rest of a damaged file can still be read by hand.
 * docs/backup.md describes the format for other programs.
 */
export const FIRST_LINE = 'docket backup 1\n'
export const DIGEST_BYTES = 32
/** Longer ones are never written: a larger length is damage, and no memory is allocated for it. */
export const MAX_HEADER_BYTES = 1_048_576
export const MAX_PAYLOAD_BYTES = 64 * 1_048_576
/** Bytes of rows or of a file in one frame, before compression. */
export const PIECE_BYTES = 1_048_576

export type FileStoreName = 'documents' | 'attachments'

/** The content of a frame. */
export type FrameKind =
  /** Payload: the manifest as JSON. */
  | { readonly kind: 'manifest' }
  /** Payload: part of a table's rows, in the text format of COPY. */
  | { readonly kind: 'rows'; readonly table: string }
  /** Ends a table. */
  | { readonly kind: 'table'; readonly table: string; readonly rows: number; readonly bytes: number }
  /** Payload: part of a file. `hash`: SHA-256 of the whole file, hexadecimal. */
  | { readonly kind: 'file'; readonly store: FileStoreName; readonly hash: string; readonly part: FilePart }
  | { readonly kind: 'end'; readonly totals: Totals }

/**
 * `more`: others follow. `last`: the file is complete. `damaged`: it ends here, and its bytes in the store do not match its hash; a restore
 * leaves it out.
 */
export type FilePart = 'more' | 'last' | 'damaged'

export interface Totals {
  readonly tables: number
  readonly rows: number
  readonly files: number
  readonly fileBytes: number
  /** Files that records or documents need and that were missing or damaged in the store. */
  readonly missingFiles: number
}

export interface Frame {
  readonly header: FrameKind
  readonly payload: Buffer
}

/** How a payload is stored. */
export type Encoding = 'none' | 'zstd'

const compress = promisify(zstdCompress)
const level = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

export interface EncodedFrame {
  readonly header: Buffer
  readonly payload: Buffer
}

/** Compresses a frame's payload, unless that does not make it smaller, as for files that are compressed already. */
export async function encodeFrame({ header, payload }: Frame): Promise<EncodedFrame> {
  const compressed = payload.length < 64 ? payload : await compress(payload, level)
  const isSmaller = compressed.length < payload.length
  const encoding: Encoding = isSmaller ? 'zstd' : 'none'
  return {
    header: Buffer.from(JSON.stringify({ ...header, encoding, size: payload.length })),
    payload: isSmaller ? compressed : payload,
  }
}

/** The digest that precedes the first frame. */
export function firstDigest(): Buffer {
  return createHash('sha256').update(FIRST_LINE).digest()
}

export function frameLengths({ header, payload }: EncodedFrame): Buffer {
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32BE(header.length, 0)
  lengths.writeUInt32BE(payload.length, 4)
  return lengths
}

export function frameDigest(before: Buffer, lengths: Buffer, { header, payload }: EncodedFrame): Buffer {
  return createHash('sha256').update(before).update(lengths).update(header).update(payload).digest()
}
