import { extname } from 'node:path'

const starts: readonly (readonly [bytes: string, mediaType: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['474946383761', 'image/gif'],
  ['474946383961', 'image/gif'],
  ['424d', 'image/bmp'],
  ['49492a00', 'image/tiff'],
  ['4d4d002a', 'image/tiff'],
  ['255044462d', 'application/pdf'],
  ['1f8b', 'application/gzip'],
  ['377abcaf271c', 'application/x-7z-compressed'],
  ['526172211a07', 'application/vnd.rar'],
  ['425a68', 'application/x-bzip2'],
  ['fd377a585a00', 'application/x-xz'],
  ['d0cf11e0a1b11ae1', 'application/x-ole-storage'],
  ['4f676753', 'application/ogg'],
  ['494433', 'audio/mpeg'],
  ['664c6143', 'audio/flac'],
  ['1a45dfa3', 'video/webm'],
  ['7b5c727466', 'application/rtf'],
  ['4d5a', 'application/vnd.microsoft.portable-executable'],
  ['7f454c46', 'application/x-elf'],
]

/** Formats that are archives, or an old container, inside: the bytes say the family, the name which of it. */
const inside: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'application/zip': {
    '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    '.odt': 'application/vnd.oasis.opendocument.text',
    '.ods': 'application/vnd.oasis.opendocument.spreadsheet',
    '.odp': 'application/vnd.oasis.opendocument.presentation',
    '.epub': 'application/epub+zip',
    '.jar': 'application/java-archive',
  },
  'application/x-ole-storage': {
    '.doc': 'application/msword',
    '.xls': 'application/vnd.ms-excel',
    '.ppt': 'application/vnd.ms-powerpoint',
    '.msg': 'application/vnd.ms-outlook',
  },
  'text/plain': {
    '.csv': 'text/csv',
    '.tsv': 'text/tab-separated-values',
    '.md': 'text/markdown',
    '.json': 'application/json',
    '.ndjson': 'application/x-ndjson',
    '.xml': 'application/xml',
    '.html': 'text/html',
    '.htm': 'text/html',
    '.svg': 'image/svg+xml',
    '.css': 'text/css',
    '.js': 'text/javascript',
    '.yaml': 'application/yaml',
    '.yml': 'application/yaml',
    '.ics': 'text/calendar',
    '.eml': 'message/rfc822',
  },
}

/**
 * What a file is by its first bytes: what its name or its sender says does not count, unless the bytes leave it open.
 *
 * @param head the beginning of the file; 4 KB are enough
 */
export function mediaTypeOf(head: Buffer, fileName: string): string {
  const family = familyOf(head)
  return inside[family]?.[extname(fileName).toLowerCase()] ?? family
}

function familyOf(head: Buffer): string {
  const hex = head.subarray(0, 16).toString('hex')
  const known = starts.find(([bytes]) => hex.startsWith(bytes))
  if (known !== undefined) return known[1]
  if (/^504b(0304|0506|0708)/.test(hex)) return 'application/zip'
  const riff = head.subarray(8, 12).toString('latin1')
  if (hex.startsWith('52494646')) {
    return { WEBP: 'image/webp', WAVE: 'audio/wav', 'AVI ': 'video/x-msvideo' }[riff] ?? 'application/octet-stream'
  }
  if (head.subarray(4, 8).toString('latin1') === 'ftyp') {
    return /^(heic|heix|mif1)/.test(riff) ? 'image/heic' : riff.startsWith('avif') ? 'image/avif' : 'video/mp4'
  }
  return isText(head) ? 'text/plain' : 'application/octet-stream'
}

/** UTF-8 without control characters that no text has; a letter may be cut at the end of the head. */
function isText(head: Buffer): boolean {
  if (/[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(head.toString('latin1'))) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}
