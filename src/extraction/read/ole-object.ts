import { isCompoundFile, readCompoundFile } from './compound-file.ts'

/** The file inside an OLE object. */
export interface OleFile {
  /** null: the object does not contain it. */
  readonly name: string | null
  /** null: a document of an unsupported format. */
  readonly bytes: Buffer | null
}

/** Streams with an unchanged file: of Office, of OpenDocument, of Acrobat. */
const wholeFiles = ['Package', 'EmbeddedOdf', 'CONTENTS'] as const
/** A file of any kind, after its name. */
const packager = '\u0001Ole10Native'
/** Formats of Office before 2007. */
const oldDocuments = ['WordDocument', 'Workbook', 'Book', 'PowerPoint Document'] as const

/** @returns null: the object contains a formula or a drawing, not a file */
export function readOleObject(bytes: Buffer): OleFile | null {
  if (!isCompoundFile(bytes)) return null
  const streams = new Map(
    readCompoundFile(bytes, new Set([...wholeFiles, packager, ...oldDocuments])).map(
      (stream) => [stream.name, stream.bytes] as const,
    ),
  )
  for (const name of wholeFiles) {
    const file = streams.get(name)
    if (file !== undefined && file.length > 0) return { name: null, bytes: file }
  }
  const packed = streams.get(packager)
  if (packed !== undefined) return readPackagedFile(packed)
  return oldDocuments.some((name) => streams.has(name)) ? { name: null, bytes: null } : null
}

/**
 * Two bytes of flags after the size, then the label, the original path, eight bytes and a path, then the file with its size.
 */
function readPackagedFile(native: Buffer): OleFile | null {
  const label = textAt(native, 6)
  const source = textAt(native, label.next)
  const pathAt = source.next + 4
  if (pathAt + 4 > native.length) return null
  const sizeAt = pathAt + 4 + native.readUInt32LE(pathAt)
  if (sizeAt + 4 > native.length) return null
  const size = native.readUInt32LE(sizeAt)
  const name = label.text.slice(Math.max(label.text.lastIndexOf('\\'), label.text.lastIndexOf('/')) + 1)
  return { name: name === '' ? null : name, bytes: native.subarray(sizeAt + 4, sizeAt + 4 + size) }
}

/** Up to a zero byte, in the character set of the original machine: usually Windows-1252. */
function textAt(bytes: Buffer, from: number): { readonly text: string; readonly next: number } {
  const end = bytes.indexOf(0, from)
  const to = end < 0 ? bytes.length : end
  return { text: new TextDecoder('windows-1252').decode(bytes.subarray(from, to)), next: to + 1 }
}
