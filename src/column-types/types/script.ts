import { textType } from '../text-type.ts'

export const script = textType('Script')
