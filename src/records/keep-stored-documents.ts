import { isDeepStrictEqual } from 'node:util'
import { isEditorDocument } from '../column-types/editor/editor-node.ts'
import type { AuthorizedRequest, AuthorizedWrite } from './authorize/authorized-request.ts'
import { recordRequest } from './parse/record-request.ts'
import type { RecordCall } from './record-call.ts'
import type { Row } from './record-result.ts'

/** Reads a record with the rights of the caller; null: they may not read it. */
export type ReadRecord = (call: RecordCall) => Promise<Row | null>

/**
 * Keeps the stored text if a write sends its editor document back unchanged. A document contains less than the HTML from which
 * it is made, so writing it would change the text.
 */
export function keepStoredDocuments(
  authorized: AuthorizedRequest,
  call: RecordCall,
  readRecord: ReadRecord,
): AuthorizedRequest | Promise<AuthorizedRequest> {
  const { operation } = authorized.request
  if (operation !== 'put' && operation !== 'patch') return authorized
  const documents = authorized.writes.filter(
    ({ column, value }) => column.readAsDocument && isEditorDocument(sent(value)),
  )
  return documents.length === 0 ? authorized : withStored(authorized, readRecord(readOf(call, documents)))
}

async function withStored(authorized: AuthorizedRequest, reading: Promise<Row | null>): Promise<AuthorizedRequest> {
  const record = await reading
  if (record === null) return authorized
  const writes = authorized.writes.map((write) => ({ ...write, value: storedText(write, record) ?? write.value }))
  const body = new Map(authorized.request.body)
  for (const { column, value } of writes) body.set(column.name, value)
  return { ...authorized, writes, request: { ...authorized.request, body } }
}

function readOf({ request, ...sender }: RecordCall, documents: readonly AuthorizedWrite[]): RecordCall {
  const { table, sysId, documents: detail } = request
  const fields = documents.map(({ column }) => column.name)
  return {
    ...sender,
    request: recordRequest({ operation: 'read', table, sysId, fields, documents: detail, display: 'all' }),
  }
}

function storedText({ column, value }: AuthorizedWrite, record: Row): unknown {
  const read = record[column.name]
  if (!column.readAsDocument || typeof read !== 'object' || read === null || !('value' in read)) return undefined
  const isSame = isDeepStrictEqual(read.value, sent(value)) && 'display_value' in read
  return isSame ? read.display_value : undefined
}

/** The value of a write: the value itself, or that of an instruction. */
const sent = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'value' in value ? value.value : value
