import type { Column } from '../table/table-info.ts'

const singleLine: ReadonlySet<string> = new Set([
  'string',
  'translated_text',
  'text',
  'email',
  'phone',
  'url',
  'integer',
  'smallinteger',
  'biginteger',
  'decimal',
  'float',
  'percent_complete',
  'boolean',
  'choice',
  'reference',
  'date',
  'datetime',
  'duration',
])

/** Whether a value of the column can be given in one line. */
const isShort = ({ type, choices }: Column): boolean => singleLine.has(type) || choices.length > 0

/** Whether a list may offer to edit the column. Whether this record may be changed, its read says. */
export const isEditableInList = (column: Column): boolean =>
  !column.isReadOnly && column.rights.write !== 'never' && isShort(column)
