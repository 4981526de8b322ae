import { secretType } from '../secret-type.ts'

export const encrypted = secretType('Encrypted text', 'sealed')
