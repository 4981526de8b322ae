import type { ColumnType } from '../column-type.ts'
import { markupType } from '../markup-type.ts'

const type = markupType('HTML')

export const html: ColumnType = { ...type, convert: { ...type.convert, escapesText: true } }
