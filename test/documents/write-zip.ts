import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly content: Uint8Array | string
  /** Stored as it is, as the first entry of OpenDocument and EPUB must be. */
  readonly isStored?: boolean
  readonly isEncrypted?: boolean
  /** What the directory claims, where that is not the truth. */
  readonly claimedSize?: number
  /** Packed bytes made elsewhere; `content` is then only measured. */
  readonly packed?: { readonly bytes: Uint8Array; readonly size: number; readonly crc: number }
}

/** A ZIP archive, written as simply as the format allows: for the tests, which also want it wrong in chosen places. */
export function writeZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const content = Buffer.from(entry.content)
    const packed = entry.packed?.bytes ?? (entry.isStored ? content : deflateRawSync(content))
    const name = Buffer.from(entry.name)
    const size = entry.claimedSize ?? entry.packed?.size ?? content.length
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE((entry.isEncrypted ? 1 : 0) | 0x800, 2)
    head.writeUInt16LE(entry.isStored ? 0 : 8, 4)
    head.writeUInt32LE(entry.packed?.crc ?? crc32(content), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(size, 18)
    head.writeUInt16LE(name.length, 22)
    parts.push(Buffer.from('PK\x03\x04'), head, name, Buffer.from(packed))
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\0'), head, tail, name)
    offset += 30 + name.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06'), end])
}
