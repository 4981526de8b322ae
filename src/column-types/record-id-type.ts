import { type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { ColumnType } from './column-type.ts'
import { readId } from './given-value.ts'
import { idPiece, plainText, scalar } from './json-piece.ts'

/** A type whose values are sys_ids. */
export function recordIdType(title: string): ColumnType {
  return {
    title,
    storage: { type: 'bigint', index: 'btree' },
    compare: 'id',
    read: idPiece,
    asText: (value, { key }, ids) => ids.of(value, key),
    write: { value: readId, readsAsText: true },
    display: { write: (value, { column }) => idPiece(value, column) },
    convert: { group: 'id', pattern: '^[0-9]{1,18}$' },
    aggregate: {},
    schema: { stored: () => ({ type: 'string' }) },
  }
}

/** A type whose values are sys_ids of attachments. */
export function fileType(title: string): ColumnType {
  return {
    ...recordIdType(title),
    refersTo: 'file',
    read: plainText,
    display: {
      write: (value, { attachments }) => scalar(sql`${attachments} || ${value} || '/file'`),
      parse: parseFileAddress,
      logged: (value, { attachments }) => (typeof value === 'string' ? `${attachments}${value}/file` : null),
    },
  }
}

/** Converts the address of a file to the sys_id of the attachment. */
function parseFileAddress(text: string): Result<string, never> {
  const [, sysId] = /^\S{0,2000}\/v1\/attachments\/(\d{1,18})\/file$/.exec(text.trim()) ?? []
  return succeed(sysId ?? text)
}
