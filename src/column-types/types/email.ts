import { readMatching } from '../given-value.ts'
import { textType } from '../text-type.ts'

export const email = textType('E-mail', readMatching(/^[^\s@<>,;"]+@[^\s@<>,;"]+$/, 'an e-mail address'))
