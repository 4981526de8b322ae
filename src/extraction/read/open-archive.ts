import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl'
import type { ExtractionLimits } from '../extraction-limits.ts'
import { Rejection, unreadable } from '../rejection.ts'

/**
 * A ZIP file whose entries are read one at a time. Entry names are keys only: a name never becomes a path, so that `../` in one
 * has no effect. No entry is opened as an archive.
 */
export interface Archive {
  readonly names: ReadonlySet<string>
  /**
   * The unpacked bytes, in parts; nothing for an unknown name.
   *
   * @throws Rejection when the entry is encrypted, damaged, or unpacks to more than the limits allow
   */
  read(name: string): AsyncIterable<Buffer>
  /** A small entry as a whole: at most 4 MB. */
  readSmall(name: string): Promise<Buffer | undefined>
  close(): void
}

const maxSmallBytes = 4 * 1024 * 1024
/** Below this size any ratio is harmless: an empty worksheet of 200 kB has a ratio of a thousand. */
const ratioMattersFromBytes = 4 * 1024 * 1024

export async function openArchive(bytes: Buffer, limits: ExtractionLimits): Promise<Archive> {
  const zip = await openZip(bytes)
  if (zip.entryCount > limits.maxArchiveEntries) {
    zip.close()
    throw unreadable(
      'archive-limits',
      `${zip.entryCount} entries; at most ${limits.maxArchiveEntries} are read`,
      'open',
    )
  }
  const entries = await listEntries(zip)
  let bytesLeft = limits.maxArchiveBytes

  async function* read(name: string): AsyncGenerator<Buffer> {
    const entry = entries.get(name)
    if (entry === undefined) return
    if (entry.isEncrypted()) throw unreadable('encrypted', 'the archive is protected by a password', 'open')
    if (entry.uncompressedSize > bytesLeft) throw tooLarge(limits)
    let bytes = 0
    for await (const piece of await streamOf(zip, entry)) {
      bytes += piece.length
      bytesLeft -= piece.length
      if (bytesLeft < 0) throw tooLarge(limits)
      if (bytes > ratioMattersFromBytes && bytes > entry.compressedSize * limits.maxArchiveRatio) {
        throw unreadable('archive-limits', `an entry unpacks to more than ${limits.maxArchiveRatio} times its size`)
      }
      yield piece
    }
  }

  return {
    names: new Set(entries.keys()),
    read,
    async readSmall(name) {
      if (!entries.has(name)) return undefined
      const pieces: Buffer[] = []
      let bytes = 0
      for await (const piece of read(name)) {
        bytes += piece.length
        if (bytes > maxSmallBytes)
          throw unreadable('archive-limits', `an entry that describes the others is over ${maxSmallBytes} bytes`)
        pieces.push(piece)
      }
      return Buffer.concat(pieces)
    },
    close: () => zip.close(),
  }
}

function tooLarge(limits: ExtractionLimits): Rejection {
  return unreadable('archive-limits', `the archive unpacks to more than ${limits.maxArchiveBytes} bytes`)
}

async function openZip(bytes: Buffer): Promise<ZipFile> {
  try {
    // `decodeStrings: false`: names are decoded below. The library would reject a whole file for one `../`, although we never
    // use names as paths.
    return await fromBufferPromise(withoutTrailingBytes(bytes), { decodeStrings: false })
  } catch (error) {
    throw damaged(error)
  }
}

const endOfDirectory = Buffer.from('PK\x05\x06', 'latin1')
const endRecordBytes = 22

/**
 * The archive up to the end that its directory states. Transfers add bytes after an archive or truncate comments; other readers
 * ignore this, while the library rejects both.
 */
function withoutTrailingBytes(bytes: Buffer): Buffer {
  for (
    let at = bytes.lastIndexOf(endOfDirectory);
    at >= 0;
    at = at === 0 ? -1 : bytes.lastIndexOf(endOfDirectory, at - 1)
  ) {
    if (at + endRecordBytes > bytes.length) continue
    // The four bytes may occur by chance in packed data and after archives.
    if (!isEndOfDirectory(bytes, at)) continue
    const end = at + endRecordBytes + bytes.readUInt16LE(at + 20)
    if (end <= bytes.length) return bytes.subarray(0, end)
    const repaired = Buffer.from(bytes)
    repaired.writeUInt16LE(bytes.length - at - endRecordBytes, at + 20)
    return repaired
  }
  return bytes
}

const entryOfDirectory = Buffer.from('PK\x01\x02', 'latin1')

const endOfLargeDirectory = Buffer.from('PK\x06\x07', 'latin1')
const endOfLargeBytes = 20

/** An archive over 4 GB states the offset of its directory in the record before this one. */
function isEndOfDirectory(bytes: Buffer, at: number): boolean {
  const hasAt = (sign: Buffer, from: number): boolean => bytes.subarray(from, from + sign.length).equals(sign)
  const offset = bytes.readUInt32LE(at + 16)
  if (offset === 0xffffffff) return at >= endOfLargeBytes && hasAt(endOfLargeDirectory, at - endOfLargeBytes)
  return hasAt(entryOfDirectory, offset)
}

async function listEntries(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) {
      const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
      // Of two entries with one name the first counts; a second one is an attack on readers that use the last.
      if (!entries.has(name)) entries.set(name, entry)
    }
  } catch (error) {
    zip.close()
    throw damaged(error)
  }
  return entries
}

async function* streamOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  try {
    for await (const piece of await zip.openReadStreamPromise(entry)) yield piece as Buffer
  } catch (error) {
    throw error instanceof Rejection ? error : damaged(error)
  }
}

function damaged(error: unknown): Rejection {
  return unreadable('damaged', `the archive: ${error instanceof Error ? error.message : String(error)}`, 'open')
}
