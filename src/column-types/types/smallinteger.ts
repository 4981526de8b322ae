import type { ColumnType } from '../column-type.ts'
import { wholeNumberType } from '../whole-number-type.ts'

const type = wholeNumberType({ title: 'Small integer', storage: 'smallint' })

export const smallinteger: ColumnType = {
  ...type,
  storage: { ...type.storage, adopts: { same: ['int2'] } },
  choices: 'suggested',
}
