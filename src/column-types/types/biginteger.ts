import type { ColumnType } from '../column-type.ts'
import { wholeNumberType } from '../whole-number-type.ts'

const type = wholeNumberType({ title: 'Big integer', storage: 'bigint' })

export const biginteger: ColumnType = {
  ...type,
  storage: { ...type.storage, adopts: { same: ['int8'] } },
  convert: { ...type.convert, takesIds: true },
}
