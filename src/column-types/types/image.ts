import { fileType } from '../record-id-type.ts'

export const image = fileType('Image')
