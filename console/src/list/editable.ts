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

/** Whether one line is enough to edit a value of the column. */
const isShort = ({ type, choices }: Column): boolean => singleLine.has(type) || (choices.length > 0 && type !== 'list')

/** Whether a list may offer to edit the column. Reading the record decides whether this record may be changed. */
export const isEditableInList = (column: Column): boolean =>
  !column.isReadOnly && column.rights.write !== 'never' && isShort(column)

/** A change of many offers lists, too: they are edited in a dialog. */
export const isEditableInBulk = (column: Column): boolean =>
  isEditableInList(column) || (column.type === 'list' && !column.isReadOnly && column.rights.write !== 'never')
