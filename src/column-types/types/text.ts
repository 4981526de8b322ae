import type { ColumnType } from '../column-type.ts'
import { textType } from '../text-type.ts'

const type = textType('Text')

export const text: ColumnType = {
  ...type,
  storage: { ...type.storage, adopts: { same: ['text'] } },
  write: { ...type.write, editor: 'lines' },
  schema: { stored: ({ readAsDocument }) => (readAsDocument ? {} : { type: 'string' }) },
}
