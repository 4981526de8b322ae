import type { ColumnType } from '../column-type.ts'
import { recordIdType } from '../record-id-type.ts'

const type = recordIdType('sys_id')

/** The key of the row; no table has a second column of this type. */
export const sys_id: ColumnType = {
  ...type,
  refersTo: 'self',
  display: { ...type.display, asText: (value, { column, ids }) => ids.of(value, column.key) },
  schema: {
    stored: ({ key }) => (key?.kind === 'whole' ? { type: 'string', pattern: '^-?\\d+$' } : { type: 'string' }),
  },
}
