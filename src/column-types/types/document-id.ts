import { fail, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType, ReadGiven } from '../column-type.ts'
import { documentDigits, readComparedText } from '../comparison-types.ts'
import { show } from '../given-value.ts'
import { plain, plainText, scalar } from '../json-piece.ts'
import { OWN_KEY, resolveDocumentId } from '../record-key.ts'

const readDocumentId: ReadGiven = (value, { key }) => {
  if (value === '') return succeed(null)
  if (typeof value !== 'string') return fail(`a document id is expected, found ${show(value)}`)
  const digits = documentDigits(value)
  return digits === null ? readComparedText(value, 'document') : succeed(resolveDocumentId(digits, key ?? OWN_KEY))
}

/** A record of any table: the first half is the sys_id of the table, the second half that of the record. */
export const document_id: ColumnType = {
  title: 'Document ID',
  storage: { type: 'uuid', index: 'btree' },
  compare: 'document',
  refersTo: 'any',
  read: plainText,
  asText: (value) => plain(sql`replace(${value}::text, '-', '')`),
  write: { value: readDocumentId },
  display: { write: (_value, { document }) => scalar(document()) },
  convert: { group: 'other', pattern: '^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$' },
  aggregate: {},
  schema: { stored: () => ({ type: 'string', format: 'uuid' }), note: 'Table and record in one.' },
}
