import type { ColumnType } from '../column-type.ts'
import { markupType } from '../markup-type.ts'

const type = markupType('WYSIWYG')

/** It may contain plain text, too: a text of another type is kept unchanged. */
export const wysiwyg: ColumnType = {
  ...type,
  write: { ...type.write, editor: 'html' },
  schema: { ...type.schema, stored: ({ readAsDocument }) => (readAsDocument ? {} : { type: 'string' }) },
}
