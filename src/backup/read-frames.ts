import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { StartFailure } from '../kernel/start-failure.ts'
import { ByteReader, TooShort } from './byte-reader.ts'
import {
  DIGEST_BYTES,
  type EncodedFrame,
  FIRST_LINE,
  type Frame,
  firstDigest,
  frameDigest,
  MAX_HEADER_BYTES,
  MAX_PAYLOAD_BYTES,
} from './frames.ts'
import { mapAhead } from './map-ahead.ts'

const framesAhead = 3
const decompress = promisify(zstdDecompress)

const totals = z.object({
  tables: z.number(),
  rows: z.number(),
  files: z.number(),
  fileBytes: z.number(),
  missingFiles: z.number(),
})
const stored = { encoding: z.enum(['none', 'zstd']), size: z.number().int().min(0).max(MAX_PAYLOAD_BYTES) }
const frameHeader = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('manifest'), ...stored }),
  z.object({ kind: z.literal('rows'), table: z.string(), ...stored }),
  z.object({ kind: z.literal('table'), table: z.string(), rows: z.number(), bytes: z.number(), ...stored }),
  z.object({
    kind: z.literal('file'),
    store: z.enum(['documents', 'attachments']),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    part: z.enum(['more', 'last', 'damaged']),
    ...stored,
  }),
  z.object({ kind: z.literal('end'), totals, ...stored }),
])

/** A frame with a correct digest, and its offset. */
interface PlacedFrame {
  readonly frame: EncodedFrame
  readonly offset: number
}

/**
 * Reads a whole backup, from its first byte to its last, and checks every digest.
 *
 * @param name of the file, for error messages
 * @throws StartFailure if it is not a backup, or is damaged: with the offset in bytes and what was found there
 */
export async function* readFrames(pieces: AsyncIterable<Buffer>, name: string): AsyncGenerator<Frame> {
  const reader = new ByteReader(pieces)
  await readFirstLine(reader, name)
  const decode = ({ frame, offset }: PlacedFrame): Promise<Frame> => decodeFrame(frame, offset, name)
  let last: Frame | undefined
  for await (const frame of mapAhead(readEncoded(reader, name), framesAhead, decode)) {
    if (last?.header.kind === 'end') throw damaged(name, reader.offset, 'something follows the end of the backup')
    last = frame
    yield frame
  }
  if (last?.header.kind !== 'end')
    throw damaged(name, reader.offset, `the file ends after ${placeOf(last)}, and more belongs to it: it was cut off`)
}

async function readFirstLine(reader: ByteReader, name: string): Promise<void> {
  const line = await reader.take(FIRST_LINE.length).catch((error: unknown) => {
    if (error instanceof TooShort) return Buffer.alloc(0)
    throw error
  })
  if (line.toString('latin1') === FIRST_LINE) return
  if (line.toString('latin1').startsWith('docket backup '))
    throw new StartFailure(`${name} was written by a newer Docket in another format: restore it with that version.`)
  throw new StartFailure(`${name} is not a backup of Docket: it does not begin with "${FIRST_LINE.trim()}".`)
}

async function* readEncoded(reader: ByteReader, name: string): AsyncGenerator<PlacedFrame> {
  let digest = firstDigest()
  let place = 'the beginning'
  while (!(await reader.isAtEnd())) {
    const offset = reader.offset
    try {
      const lengths = await reader.take(8)
      const [headerLength, payloadLength] = [lengths.readUInt32BE(0), lengths.readUInt32BE(4)]
      if (headerLength > MAX_HEADER_BYTES || payloadLength > MAX_PAYLOAD_BYTES)
        throw damaged(name, offset, `the frame after ${place} has an impossible length`)
      const frame = { header: await reader.take(headerLength), payload: await reader.take(payloadLength) }
      const expected = frameDigest(digest, lengths, frame)
      if (!expected.equals(await reader.take(DIGEST_BYTES)))
        throw damaged(name, offset, `the checksum of the frame after ${place} is wrong`)
      digest = expected
      place = placeOf({ header: headerOf(frame.header, offset, name) })
      yield { frame, offset }
    } catch (error) {
      if (!(error instanceof TooShort)) throw error
      throw damaged(name, offset, `the file ends inside the frame after ${place}: it was cut off`)
    }
  }
}

async function decodeFrame(frame: EncodedFrame, offset: number, name: string): Promise<Frame> {
  const { encoding, size, ...header } = headerOf(frame.header, offset, name)
  const payload = encoding === 'none' ? frame.payload : await decompress(frame.payload, { maxOutputLength: size + 1 })
  if (payload.length !== size) throw damaged(name, offset, 'a payload has another size than its header says')
  return { header, payload }
}

function headerOf(bytes: Buffer, offset: number, name: string): z.infer<typeof frameHeader> {
  try {
    return frameHeader.parse(JSON.parse(bytes.toString('utf8')))
  } catch (error) {
    throw new StartFailure(
      `${name} has a frame at byte ${offset} that this Docket does not know: restore it with the version that wrote it.`,
      { cause: error },
    )
  }
}

function placeOf(frame: Pick<Frame, 'header'> | undefined): string {
  const header = frame?.header
  switch (header?.kind) {
    case undefined:
      return 'the beginning'
    case 'rows':
      return `rows of ${header.table}`
    case 'table':
      return `the end of table ${header.table}`
    case 'file':
      return `file ${header.hash}`
    default:
      return `the ${header?.kind}`
  }
}

/** The error of a damaged backup. */
export function damaged(name: string, offset: number, what: string): StartFailure {
  return new StartFailure(
    `${name} is damaged at byte ${offset}: ${what}. Use another copy of this backup, or another backup.`,
  )
}
