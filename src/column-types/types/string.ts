import type { ColumnType } from '../column-type.ts'
import { textType } from '../text-type.ts'

const type = textType('String')

export const string: ColumnType = {
  ...type,
  storage: { ...type.storage, adopts: { cast: ['varchar', 'bpchar', 'citext', 'uuid'] } },
  choices: 'suggested',
}
