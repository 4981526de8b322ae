import { textType } from '../text-type.ts'

export const field_name = textType('Field name')
