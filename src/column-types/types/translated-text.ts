import type { ColumnType } from '../column-type.ts'
import { scalar } from '../json-piece.ts'
import { textType } from '../text-type.ts'

export const translated_text: ColumnType = {
  ...textType('Translated text'),
  isTranslated: true,
  display: { write: (_value, { translation }) => scalar(translation()) },
  // A translation belongs to a record, and a group is not a record.
  aggregate: { groupedAs: 'string' },
}
