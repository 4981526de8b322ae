import type { ColumnType } from '../column-type.ts'
import { scalar } from '../json-piece.ts'
import { textType } from '../text-type.ts'

const type = textType('Record of any table')

/** The sys_id of a record of any table, as a text; another column names the table. */
export const record_id: ColumnType = {
  ...type,
  compare: 'key',
  display: { ...type.display, asText: (value, { ids }) => scalar(ids.ofName(value)) },
  asText: (value, _column, ids) => scalar(ids.ofName(value)),
}
