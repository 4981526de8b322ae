import { readMatching } from '../given-value.ts'
import { textType } from '../text-type.ts'

export const url = textType(
  'URL',
  readMatching(/^(https?|ftp|mailto|tel):[^\s<>"]+$|^\/[^\s<>"]*$/i, 'an address (https://…)'),
)
