import { textType } from '../text-type.ts'

export const phone = textType('Phone number')
