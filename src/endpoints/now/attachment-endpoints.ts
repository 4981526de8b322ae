import type { AttachmentServiceDeps } from '../../attachments/attachment-deps.ts'
import { deleteAttachment, findAttachment } from '../../attachments/find-attachment.ts'
import { openStoredFile } from '../../documents/open-stored-file.ts'
import { declare, type Endpoint, type EndpointResponse, type Method } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import { streamFile } from '../../http/response/stream-file.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { recordRequest } from '../../records/parse/record-request.ts'
import { RecordJson } from '../../records/record-result.ts'
import { RecordService } from '../../records/record-service.ts'
import { readServedSysId, writeServedSysId } from '../../records/translate/find-given-ids.ts'
import { serviceCaller } from '../service-caller.ts'
import { type AttachmentRow, attachmentRow, fileOf, metadataHeader, type StoredFile } from './attachment-rows.ts'
import { LOGGED_IN, nowErrors } from './now-errors.ts'
import { parseTableRequest } from './parse-table-request.ts'
import { attachBody, attachForm, type ReceivingDeps } from './receive-attachment.ts'
import { NOW_ACCESS, type NowDeps, versions } from './table-endpoints.ts'
import { DELETED, resultResponse, tableResponse } from './table-response.ts'

/** Dependencies of the Attachment API. */
export interface NowAttachmentDeps extends NowDeps, ReceivingDeps {
  readonly attachments: AttachmentServiceDeps
}

const TABLE = 'sys_attachment'
const ATTACHMENT_PATH = { sys_id: '32 hexadecimal digits.' }

function attachmentEndpoint(
  path: string,
  method: Method,
  about: Pick<Endpoint<NowAttachmentDeps>, 'id' | 'summary' | 'errors' | 'receives' | 'sendsFiles' | 'isNegotiated'>,
  handle: (deps: NowAttachmentDeps, request: EndpointRequest) => Promise<Result<EndpointResponse, Problem>>,
): Endpoint<NowAttachmentDeps> {
  return declare({
    ...about,
    ...versions(`/attachment${path}`),
    methods: [method],
    tag: 'ServiceNow',
    description: 'Files of records, with the rights of the record.',
    access: { ...NOW_ACCESS, rights: 'now' },
    input: {},
    texts: 'described',
    ...(path.startsWith('/{sys_id}') ? { inPath: ATTACHMENT_PATH } : {}),
    output: null,
    errorFormat: nowErrors,
    isUndescribed: true,
    // Transferring bytes is not a statement.
    isGated: false,
    handle: (deps: NowAttachmentDeps, _input, request) => handle(deps, request),
  })
}

/** Parameters of a list, besides columns. */
const OF_LIST: ReadonlySet<string> = new Set([
  'sysparm_query',
  'sysparm_limit',
  'sysparm_offset',
  'sysparm_no_count',
  'sysparm_suppress_pagination_header',
])

async function list(
  { records, face }: NowAttachmentDeps,
  request: EndpointRequest,
): Promise<Result<EndpointResponse, Problem>> {
  const { texts, baseUrl, id, route } = request
  const isRead = (name: string): boolean => OF_LIST.has(name) || !name.startsWith('sysparm_')
  const parameters = new Map([...texts].filter(([name]) => isRead(name)))
  const received = { operation: 'list', table: TABLE, sysId: null, ifMatch: null, idempotencyKey: null } as const
  const parsed = parseTableRequest({ ...received, parameters, body: undefined }, face)
  if (!parsed.ok) return parsed
  const service = new RecordService(records, serviceCaller(request))
  const result = await service.send({ ...parsed.value.request, links: false })
  if (!result.ok) return result
  if (result.value.kind !== 'page') throw new Error('a list is a page')
  const rows = result.value.records.rows().map((row) => attachmentRow(row, baseUrl))
  const page = { ...result.value, records: new RecordJson(JSON.stringify(rows)) }
  const ignoredParameters = [...[...texts.keys()].filter((name) => !isRead(name)), ...parsed.value.ignoredParameters]
  const root = route.slice(0, -'/attachment'.length)
  return succeed({
    whole: tableResponse(page, {
      ...parsed.value,
      ignoredParameters,
      parameters,
      table: 'attachment',
      baseUrl,
      root,
      requestId: id,
    }),
  })
}

/** The row as visible to the caller. @param sysId as in responses */
async function readRow(
  { records, face }: NowAttachmentDeps,
  request: EndpointRequest,
  sysId: string,
): Promise<Result<AttachmentRow, Problem>> {
  const service = new RecordService(records, serviceCaller(request))
  const found = await service.send(recordRequest({ operation: 'read', table: TABLE, sysId, face }))
  if (!found.ok) return found
  const [row] = found.value.kind === 'record' ? found.value.records.rows() : []
  return row === undefined
    ? fail({ kind: 'record-not-found', table: TABLE, sysId })
    : succeed(attachmentRow(row, request.baseUrl))
}

async function read(deps: NowAttachmentDeps, request: EndpointRequest): Promise<Result<EndpointResponse, Problem>> {
  const row = await readRow(deps, request, request.path['sys_id'] ?? '')
  return row.ok ? succeed({ whole: resultResponse(row.value) }) : row
}

/** Converts the sys_id of a path to that of the dictionary. */
async function ownSysId({ records, face }: NowAttachmentDeps, { path }: EndpointRequest): Promise<string> {
  const catalog = await records.catalog.upToDate()
  const table = catalog.tables.get(TABLE)
  if (table === undefined) throw new Error(`${TABLE} is a table of every database`)
  return readServedSysId(path['sys_id'] ?? '', table, { names: face.namesIn(catalog), database: records.database })
}

async function sendFile(deps: NowAttachmentDeps, request: EndpointRequest): Promise<Result<EndpointResponse, Problem>> {
  const { attachments } = deps
  const row = await request.gated(() => readRow(deps, request, request.path['sys_id'] ?? ''))
  if (!row.ok) return row
  const stored = fileOf(row.value) ?? (await findFile(deps, request))
  if (!stored.ok) return stored
  const { hash, size, mediaType, fileName } = stored.value
  const headers = { ...LOGGED_IN, 'x-attachment-metadata': metadataHeader(row.value) }
  const file = { fileName, mediaType, headers, content: { size, sha256: hash } }
  return succeed({
    send: (reply) =>
      streamFile(reply, { ...file, open: (part) => openStoredFile(attachments, { sha256: hash, fileName }, part) }),
  })
}

/** For callers who may read the file, but not every column of its row. */
async function findFile(deps: NowAttachmentDeps, request: EndpointRequest): Promise<Result<StoredFile, Problem>> {
  const sysId = await ownSysId(deps, request)
  return request.gated(() => findAttachment(deps.attachments, request.principal, sysId))
}

/** Handles both ways to create an attachment. */
const attachBy =
  (receive: typeof attachBody) =>
  async (deps: NowAttachmentDeps, request: EndpointRequest): Promise<Result<EndpointResponse, Problem>> => {
    const attached = await receive(deps, request)
    if (!attached.ok) return attached
    const { database } = deps.records
    const catalog = await deps.records.catalog.upToDate()
    const names = deps.face.namesIn(catalog)
    const { sysId, fileName, table, recordId, mediaType, size, hash } = attached.value
    const id = names.writeSysId(sysId, TABLE)
    const root = request.route.slice(0, request.route.lastIndexOf('/attachment/'))
    const stored = {
      sys_id: id,
      table_name: names.nameOf(table),
      table_sys_id: await writeServedSysId(recordId, table, { names, database, catalog }),
      file_name: fileName,
      content_type: mediaType,
      size_bytes: size,
      hash,
    }
    // A caller who may attach files need not be allowed to read their rows.
    const read = await readRow(deps, request, id)
    const row = read.ok ? read.value : attachmentRow(stored, request.baseUrl)
    const location = `${request.baseUrl}${root}/attachment/${id}/file`
    return succeed({ whole: resultResponse(row, { status: 201, headers: { location } }) })
  }

async function remove(deps: NowAttachmentDeps, request: EndpointRequest): Promise<Result<EndpointResponse, Problem>> {
  const sysId = await ownSysId(deps, request)
  const gone = await request.gated(() => deleteAttachment(deps.attachments, request.principal, sysId))
  return gone.ok ? succeed({ whole: DELETED }) : gone
}

const readsNothing = { receives: 'nothing', isNegotiated: true } as const

/** ServiceNow's Attachment API over the files of records. */
export const nowAttachmentEndpoints: readonly Endpoint<NowAttachmentDeps>[] = [
  attachmentEndpoint(
    '',
    'GET',
    { id: 'now-attachments', summary: 'List attachments', errors: [400, 403], ...readsNothing },
    list,
  ),
  attachmentEndpoint(
    '/{sys_id}',
    'GET',
    { id: 'now-attachment', summary: 'Read an attachment', errors: [403, 404], ...readsNothing },
    read,
  ),
  attachmentEndpoint(
    '/{sys_id}/file',
    'GET',
    {
      id: 'now-attachment-file',
      summary: 'Read a file',
      errors: [403, 404, 412, 416],
      receives: 'nothing',
      sendsFiles: true,
    },
    sendFile,
  ),
  attachmentEndpoint(
    '/file',
    'POST',
    {
      id: 'now-attach-file',
      summary: 'Attach the body',
      errors: [400, 403, 404],
      receives: 'stream',
      isNegotiated: true,
    },
    attachBy(attachBody),
  ),
  attachmentEndpoint(
    '/upload',
    'POST',
    {
      id: 'now-attach-form',
      summary: 'Attach a file of a form',
      errors: [400, 403, 404],
      receives: 'stream',
      isNegotiated: true,
    },
    attachBy(attachForm),
  ),
  attachmentEndpoint(
    '/{sys_id}',
    'DELETE',
    { id: 'now-attachment-delete', summary: 'Delete an attachment', errors: [403, 404], ...readsNothing },
    remove,
  ),
]
