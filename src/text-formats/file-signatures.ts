/** The format of a file by its first bytes. */
export interface FileSignature {
  readonly mediaType: string
  /** For a message: `a PNG picture`. */
  readonly name: string
}

const control = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

/** Whether the beginning of a file, as Latin-1, contains characters that texts do not contain. */
export const hasControls = (head: string): boolean => control.test(head)

type Row = readonly [sign: RegExp, mediaType: string, name: string]

/** Text formats, or formats that begin as text. */
const written: readonly Row[] = [
  [/^%PDF-/, 'application/pdf', 'a PDF'],
  [/^\{\\rtf/, 'application/rtf', 'an RTF document'],
  [/^%!PS/, 'application/postscript', 'a PostScript document'],
]

/** Binary formats. A text may begin with `MZ` or `ID3`, so a file without control characters is not one of these. */
const binary: readonly Row[] = [
  [/^\x89PNG/, 'image/png', 'a PNG picture'],
  [/^\xff\xd8\xff/, 'image/jpeg', 'a JPEG picture'],
  [/^GIF8/, 'image/gif', 'a GIF picture'],
  [/^(?:II\*\x00|MM\x00\*)/, 'image/tiff', 'a TIFF picture'],
  [/^BM.{4}\x00\x00\x00\x00/s, 'image/bmp', 'a BMP picture'],
  [/^RIFF.{4}WEBP/s, 'image/webp', 'a WebP picture'],
  [/^RIFF.{4}WAVE/s, 'audio/wav', 'a sound or film'],
  [/^RIFF.{4}AVI /s, 'video/x-msvideo', 'a sound or film'],
  [/^.{4}ftypavif/s, 'image/avif', 'an AVIF or HEIC picture'],
  [/^.{4}ftyp(?:heic|heix|mif1)/s, 'image/heic', 'an AVIF or HEIC picture'],
  [/^.{4}ftyp/s, 'video/mp4', 'an MP4 film or sound'],
  [/^(?:ID3|\xff[\xf2\xf3\xfb])/, 'audio/mpeg', 'an MP3 sound'],
  [/^OggS/, 'application/ogg', 'an Ogg sound or film'],
  [/^fLaC/, 'audio/flac', 'a FLAC sound'],
  [/^\x1a\x45\xdf\xa3/, 'video/webm', 'a Matroska film'],
  [/^PK(?:\x03\x04|\x05\x06|\x07\x08)/, 'application/zip', 'a ZIP archive'],
  [/^\x1f\x8b/, 'application/gzip', 'a gzip archive'],
  [/^BZh[1-9]/, 'application/x-bzip2', 'a bzip2 archive'],
  [/^\xfd7zXZ/, 'application/x-xz', 'an xz archive'],
  [/^\x28\xb5\x2f\xfd/, 'application/zstd', 'a Zstandard archive'],
  [/^7z\xbc\xaf/, 'application/x-7z-compressed', 'a 7z archive'],
  [/^Rar!/, 'application/vnd.rar', 'a RAR archive'],
  [/^.{257}ustar/s, 'application/x-tar', 'a tar archive'],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, 'application/x-ole-storage', 'an OLE compound file'],
  [/^\x7fELF/, 'application/x-elf', 'a Linux program'],
  [/^MZ.{10}/s, 'application/vnd.microsoft.portable-executable', 'a Windows program'],
  [/^(?:\xca\xfe\xba\xbe|[\xce\xcf]\xfa\xed\xfe)/, 'application/octet-stream', 'a compiled program'],
  [/^\0asm/, 'application/wasm', 'a WebAssembly program'],
  [/^SQLite format 3\0/, 'application/vnd.sqlite3', 'an SQLite database'],
  [/^AT&TFORM/, 'image/vnd.djvu', 'a DjVu document'],
  [/^ITSF/, 'application/vnd.ms-htmlhelp', 'a compiled HTML help'],
  [/^.{60}BOOKMOBI/s, 'application/x-mobipocket-ebook', 'a Mobipocket book'],
  [/^(?:\xff\xfe\0\0|\0\0\xfe\xff)/, 'application/octet-stream', 'a text in UTF-32'],
]

/**
 * Detects a format by the first bytes. The name of the file does not count.
 *
 * @param head the first bytes as Latin-1; 1 KB is enough
 * @returns undefined: a text, or bytes of no known format
 */
export function signatureOf(head: string): FileSignature | undefined {
  const rows = hasControls(head) ? [...written, ...binary] : written
  const found = rows.find(([sign]) => sign.test(head))
  return found === undefined ? undefined : { mediaType: found[1], name: found[2] }
}
