import { DocumentsClient } from 'docket-client/documents'
import { docket } from '../docket.ts'

export const documents = new DocumentsClient(docket.send)
