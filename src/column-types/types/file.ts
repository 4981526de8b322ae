import { fileType } from '../record-id-type.ts'

export const file = fileType('File')
