import type { Attachment } from '../../attachments/attachment-deps.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { Row } from '../../records/record-result.ts'
import { ROOT } from './now-errors.ts'

/** A row of the Attachment API: only texts. */
export type AttachmentRow = Readonly<Record<string, string>>

/** Columns of sys_attachment; a column that the caller may not read is missing. */
const STORED = [
  'sys_id',
  'table_name',
  'table_sys_id',
  'file_name',
  'content_type',
  'size_bytes',
  'hash',
  'sys_created_by',
  'sys_created_on',
  'sys_updated_by',
  'sys_updated_on',
  'sys_mod_count',
  'sys_tags',
] as const

/** Files are stored completely. */
const CONSTANTS = {
  compressed: 'false',
  state: 'available',
  average_image_color: '',
  image_width: '',
  image_height: '',
} as const

/** @param record of the table sys_attachment, as the Table API returns it without links */
export function attachmentRow(record: Row, baseUrl: string): AttachmentRow {
  const stored = STORED.flatMap((name) => {
    const value = record[name]
    return value === undefined ? [] : [[name, String(value)] as const]
  })
  const { size_bytes: size, sys_id: sysId } = record
  return {
    ...Object.fromEntries(stored),
    ...(size === undefined ? {} : { size_compressed: String(size) }),
    ...CONSTANTS,
    download_link: `${baseUrl}${ROOT}/attachment/${sysId}/file`,
  }
}

export type StoredFile = Pick<Attachment, 'hash' | 'size' | 'mediaType' | 'fileName'>

/** The file that a row names. @returns null: the caller may not read all columns that name it */
export function fileOf(row: AttachmentRow): Result<StoredFile, Problem> | null {
  const { sys_id: sysId = '', hash, size_bytes: size, content_type: mediaType, file_name: fileName } = row
  if (hash === undefined || size === undefined || mediaType === undefined || fileName === undefined) return null
  // A row without a file, such as one that another system wrote.
  if (hash === '') return fail({ kind: 'record-not-found', table: 'sys_attachment', sysId })
  return succeed({ hash, size: Number(size), mediaType, fileName })
}

/** For a header, which is limited to ASCII. */
export const metadataHeader = (row: AttachmentRow): string =>
  JSON.stringify(row).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
