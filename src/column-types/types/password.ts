import { secretType } from '../secret-type.ts'

export const password = secretType('Password', 'hashed')
