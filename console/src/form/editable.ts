import type { Column } from '../table/table-info.ts'

const READ_ONLY: ReadonlySet<string> = new Set([
  'html',
  'image',
  'file',
  'days_of_week',
  'script',
  'document_id',
  'record_id',
  'encrypted',
  'password',
])

/** Whether the form has an editor for the column. There is nothing to choose from a table that the user may not read. */
export const isEditable = ({ type, isReadOnly, target }: Column): boolean =>
  !isReadOnly && !READ_ONLY.has(type) && !(type === 'reference' && target === null)
