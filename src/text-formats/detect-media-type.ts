import { extname } from 'node:path'
import { hasControls, signatureOf } from './file-signatures.ts'
import { formats } from './media-types.ts'

/** Formats that share a container (archive, compound file or text): the bytes give the container, the name the format. */
const members: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'application/zip': {
    '.docx': formats.docx.mediaType,
    '.xlsx': formats.xlsx.mediaType,
    '.pptx': formats.pptx.mediaType,
    '.odt': formats.odt.mediaType,
    '.ods': formats.ods.mediaType,
    '.odp': formats.odp.mediaType,
    '.epub': formats.epub.mediaType,
    '.jar': 'application/java-archive',
  },
  'application/x-ole-storage': {
    '.doc': 'application/msword',
    '.xls': 'application/vnd.ms-excel',
    '.ppt': 'application/vnd.ms-powerpoint',
    '.msg': 'application/vnd.ms-outlook',
  },
  'text/plain': {
    '.csv': formats.csv.mediaType,
    '.tsv': formats.tsv.mediaType,
    '.md': formats.markdown.mediaType,
    '.json': formats.json.mediaType,
    '.ndjson': 'application/x-ndjson',
    '.xml': formats.xml.mediaType,
    '.html': formats.html.mediaType,
    '.htm': formats.html.mediaType,
    '.svg': 'image/svg+xml',
    '.css': 'text/css',
    '.js': 'text/javascript',
    '.yaml': 'application/yaml',
    '.yml': 'application/yaml',
    '.ics': 'text/calendar',
    '.eml': formats.eml.mediaType,
  },
}

/**
 * The media type of a file by its first bytes. The name and the sender's type do not count, unless the bytes are ambiguous.
 *
 * @param head the beginning of the file; 4 KB are enough
 */
export function mediaTypeOf(head: Buffer, fileName: string): string {
  const detected = signatureOf(head.toString('latin1'))?.mediaType ?? (isText(head) ? 'text/plain' : unknownType)
  return members[detected]?.[extname(fileName).toLowerCase()] ?? detected
}

const unknownType = 'application/octet-stream'

/** UTF-8 without control characters that texts do not contain; the last character of the head may be incomplete. */
function isText(head: Buffer): boolean {
  if (hasControls(head.toString('latin1'))) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}
