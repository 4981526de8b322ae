import { DocumentsReader } from 'docket-client/documents'
import { docket } from '../docket.ts'

export const documents = new DocumentsReader(docket.send)
