import type { ColumnType } from '../column-type.ts'
import { recordIdType } from '../record-id-type.ts'

/** The key of the row; no table has a second column of this type. */
export const sys_id: ColumnType = {
  ...recordIdType('sys_id'),
  refersTo: 'self',
  schema: {
    stored: ({ key }) => (key?.kind === 'whole' ? { type: 'string', pattern: '^-?\\d+$' } : { type: 'string' }),
  },
}
