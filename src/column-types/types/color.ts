import type { ColumnType } from '../column-type.ts'
import { readMatching } from '../given-value.ts'
import { textType } from '../text-type.ts'

const type = textType('Color', readMatching(/^(#[0-9a-f]{3,8}|[a-z]{3,30})$/i, 'a colour (#rrggbb)'))

export const color: ColumnType = { ...type, storage: { ...type.storage, isShort: true } }
