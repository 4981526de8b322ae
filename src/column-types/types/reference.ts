import type { ColumnType } from '../column-type.ts'
import { scalar } from '../json-piece.ts'
import { recordIdType } from '../record-id-type.ts'

export const reference: ColumnType = {
  ...recordIdType('Reference'),
  refersTo: 'one',
  display: { write: (_value, { record }) => scalar(record()) },
}
