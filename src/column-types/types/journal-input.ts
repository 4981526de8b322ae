import type { ColumnType } from '../column-type.ts'
import { noValue } from '../json-piece.ts'
import { textType } from '../text-type.ts'

const type = textType('Journal input')

export const journal_input: ColumnType = {
  ...type,
  storage: { type: null, index: null },
  compare: 'journal',
  read: noValue,
  asText: noValue,
  display: { write: noValue },
  convert: { group: 'fixed' },
  schema: { ...type.schema, note: 'A written text becomes an entry of sys_journal_entry; the column reads as null.' },
}
