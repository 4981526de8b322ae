import { attachFiles, mayAttach, type Owner } from '../../attachments/attach-files.ts'
import type { Attachment, AttachmentServiceDeps } from '../../attachments/attachment-deps.ts'
import type { Face } from '../../catalog/vocabulary.ts'
import { dropFile, type ReceivedFile, receiveFile } from '../../documents/store/blob-store.ts'
import { readFileName } from '../../documents/upload/read-file-name.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import { problemOfForm } from '../../http/request/form/open-form.ts'
import { receiveFiles } from '../../http/request/form/receive-files.ts'
import { openBody } from '../../http/request/open-body.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { orUnavailable } from '../../kernel/upstream-error.ts'
import { readServedSysId } from '../../records/translate/find-given-ids.ts'
import { idempotencyKeyOf } from '../records/record-endpoints.ts'

export interface ReceivingDeps {
  readonly attachments: AttachmentServiceDeps
  readonly face: Face
  /** Folder for files while they are received. */
  readonly uploadFolder: string
}

/** Texts that identify the record and the file. */
type Fields = ReadonlyMap<string, string>

interface Received {
  readonly file: ReceivedFile
  readonly sentName: string
  /** As sent; undefined: not sent. */
  readonly type: string | undefined
  readonly fields: Fields
}

type Receive = (isAllowed: (fields: Fields) => Promise<Result<Owner, Problem>>) => Promise<Result<Received, Problem>>

/** `POST …/attachment/file`: the body is the file. */
export const attachBody = (deps: ReceivingDeps, request: EndpointRequest): Promise<Result<Attachment, Problem>> =>
  attach(deps, request, async (isAllowed) => {
    const fields = request.texts
    const name = fields.get('file_name')?.trim() ?? ''
    if (name === '') return missing('file_name', 'the name of the file')
    const allowed = await isAllowed(fields)
    if (!allowed.ok) return allowed
    const body = openBody(request.stream)
    try {
      const file = await receiveFile(body.bytes, deps.uploadFolder, deps.attachments.maxBytes)
      return succeed({ file, sentName: name, type: request.headers['content-type'], fields })
    } catch (error) {
      return fail(problemOfForm(error))
    } finally {
      body.close()
    }
  })

/** `POST …/attachment/upload`: a form with the fields `table_name` and `table_sys_id`, and a file. */
export const attachForm = (deps: ReceivingDeps, request: EndpointRequest): Promise<Result<Attachment, Problem>> =>
  attach(deps, request, async (isAllowed) => {
    const received = await receiveFiles(request.openForm(), {
      folder: deps.uploadFolder,
      maxBytes: deps.attachments.maxBytes,
      maxFiles: 1,
      maxFieldBytes: longestField,
      async accept({ fileName = '', type }, fields) {
        // A caller who may not attach anything is rejected before sending the file; fields may follow the file.
        const isNamed = fields.has('table_name') && fields.has('table_sys_id')
        const allowed = isNamed ? await isAllowed(fields) : null
        return allowed === null || allowed.ok ? succeed({ sentName: fileName, type }) : allowed
      },
    })
    if (!received.ok) return received
    const { files, fields } = received.value
    const [only] = files
    return only === undefined
      ? missing('uploadFile', 'a form with a file')
      : succeed({ file: only.file, ...only.about, fields })
  })

/** Bytes. */
const longestField = 1_000

async function attach(
  deps: ReceivingDeps,
  request: EndpointRequest,
  receive: Receive,
): Promise<Result<Attachment, Problem>> {
  const { attachments } = deps
  const received = await receive((fields) => allowedOwner(deps, request, fields))
  if (!received.ok) return received
  const { file, sentName, type, fields } = received.value
  try {
    const owner = await readOwner(deps, request, fields)
    if (!owner.ok) return owner
    const name = readFileName(fields.get('file_name') || sentName)
    if (!name.ok) return name
    const sent = mediaTypeSent(type)
    const files = [
      { file, fileName: name.value ?? 'file', migrated: null, ...(sent === null ? {} : { mediaType: sent }) },
    ]
    const idempotencyKey = idempotencyKeyOf(request)
    const attached = await orUnavailable(
      () => attachFiles(attachments, owner.value, { files, idempotencyKey, run: request.gatedPatiently }),
      attachments.onError,
    )
    if (!attached.ok) return attached
    const [row] = attached.value
    if (row === undefined) throw new Error('one file makes one row')
    return succeed(row)
  } finally {
    await dropFile(file)
  }
}

async function allowedOwner(
  deps: ReceivingDeps,
  request: EndpointRequest,
  fields: Fields,
): Promise<Result<Owner, Problem>> {
  const owner = await readOwner(deps, request, fields)
  if (!owner.ok) return owner
  const allowed = await request.gated(() => mayAttach(deps.attachments, owner.value))
  return allowed.ok ? owner : allowed
}

/** The record that the request names. */
async function readOwner(
  { attachments, face }: ReceivingDeps,
  { principal }: EndpointRequest,
  fields: Fields,
): Promise<Result<Owner, Problem>> {
  const [named = '', id = ''] = [fields.get('table_name')?.trim(), fields.get('table_sys_id')?.trim()]
  if (named === '') return missing('table_name', 'the table of the record')
  if (id === '') return missing('table_sys_id', 'the sys_id of the record')
  const names = face.namesIn(await attachments.records.catalog.upToDate())
  const table = names.tableNamed(named)
  if (table === undefined) return fail({ kind: 'table-not-found', table: named, similar: [] })
  const sysId = await readServedSysId(id, table, { names, database: attachments.records.database })
  if (sysId === '') return fail({ kind: 'record-not-found', table: named, sysId: id })
  return succeed({ principal, table: table.name, sysId })
}

const missing = (parameter: string, expected: string): Result<never, Problem> =>
  fail({ kind: 'bad-parameter', parameter, found: 'nothing', expected })

/** @returns null: the value sent is not a media type, or a wildcard */
function mediaTypeSent(type: string | undefined): string | null {
  const text = type?.trim() ?? ''
  return text.length <= longestType && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;[\x20-\x7e]*)?$/.test(text) ? text : null
}

/** Length of sys_attachment.content_type, in characters. */
const longestType = 255
