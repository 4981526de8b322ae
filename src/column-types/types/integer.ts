import type { ColumnType } from '../column-type.ts'
import { wholeNumberType } from '../whole-number-type.ts'

const type = wholeNumberType({ title: 'Integer', storage: 'integer' })

export const integer: ColumnType = {
  ...type,
  storage: { ...type.storage, adopts: { same: ['int4'] } },
  choices: 'suggested',
}
