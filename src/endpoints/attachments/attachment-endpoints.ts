import { attachFiles, type FileToAttach, type MigratedFile, mayAttach } from '../../attachments/attach-files.ts'
import type { Attachment, AttachmentServiceDeps } from '../../attachments/attachment-deps.ts'
import { deleteAttachment, findAttachment } from '../../attachments/find-attachment.ts'
import { OWN_KEY, readSysId } from '../../column-types/record-key.ts'
import { readDateTime } from '../../condition/dates/read-date-text.ts'
import { AttachedEnvelope, type AttachmentResponse } from '../../contract/attachments.ts'
import { DeletedEnvelope } from '../../contract/envelope.ts'
import { openStoredFile } from '../../documents/open-stored-file.ts'
import { dropFile } from '../../documents/store/blob-store.ts'
import { readFileName } from '../../documents/upload/read-file-name.ts'
import { declare, withData } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import type { EndpointGroup } from '../../http/openapi/describe-endpoints.ts'
import { receiveFiles } from '../../http/request/form/receive-files.ts'
import { INLINE_DESCRIPTION, toDisplay } from '../../http/response/inline-type.ts'
import { type FileToStream, streamFile } from '../../http/response/stream-file.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { orUnavailable } from '../../kernel/upstream-error.ts'
import { flag, mayMigrate } from '../bulk/bulk-input.ts'
import { idempotencyKeyOf } from '../records/record-endpoints.ts'
import { removableFilesEndpoint } from './removable-files-endpoint.ts'
import { removedFilesEndpoint } from './removed-files-endpoint.ts'

interface AttachmentDeps {
  readonly attachments: AttachmentServiceDeps
  /** Where files are stored while they are received. */
  readonly uploadFolder: string
}

const shared = { tag: 'Attachments', otherNames: 'ignored' } as const
const maxFiles = 20
const ATTACHMENT_PATH = { sys_id: 'Identifier of the row of sys_attachment.' }
const roots = ['/v1/attachments', '/rest/v1/attachments'] as const
const at = (rest: string): { readonly path: string; readonly alsoAt: readonly string[] } => ({
  path: `${roots[0]}${rest}`,
  alsoAt: [`${roots[1]}${rest}`],
})

const uploadEndpoint = declare({
  ...shared,
  ...at('/upload/{table}/{sys_id}'),
  id: 'attachments.upload',
  methods: ['POST'],
  summary: 'Attach files to a record',
  description: 'For whoever may write the record and create rows of sys_attachment. All of them or none.',
  input: {
    migrate: flag(
      '1: the file moves in from another system (administrators only). The fields sys_id, sys_created_at and sys_created_by before it are kept.',
    ),
  },
  headers: {
    'Idempotency-Key': 'The same files with the same key get the first response for a day, and are attached once.',
  },
  receives: 'stream',
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: {
            'files[]': { type: 'array', items: { type: 'string', format: 'binary' }, description: 'The files.' },
          },
        },
      },
    },
  },
  inPath: { table: 'System name of the table, such as task.', sys_id: 'Identifier of the record.' },
  output: AttachedEnvelope,
  errors: [403, 404],
  limits: [{ name: 'files of an upload', value: maxFiles, unit: 'files', status: 400 }],
  // The transfer of bytes is not a statement.
  isGated: false,
  async handle({ attachments, uploadFolder }: AttachmentDeps, { migrate }, request) {
    const { table = '', sys_id: sysId = '' } = request.path
    const owner = { principal: request.principal, table, sysId }
    const migrates = mayMigrate(migrate, request)
    if (!migrates.ok) return migrates
    // A caller who may not attach files gets the error before the file is sent.
    const allowed = await request.gated(() => mayAttach(attachments, owner))
    if (!allowed.ok) return allowed
    const received = await receive(request, { attachments, uploadFolder, isMigrating: migrate })
    if (!received.ok) return received
    try {
      const files = { files: received.value, idempotencyKey: idempotencyKeyOf(request), run: request.gatedPatiently }
      const attached = await orUnavailable(() => attachFiles(attachments, owner, files), attachments.onError)
      if (!attached.ok) return attached
      return succeed({ data: attached.value.map((each) => toResponse(each, request.baseUrl)) })
    } finally {
      for (const { file } of received.value) await dropFile(file)
    }
  },
})

/** Receives the files of the form. */
async function receive(
  request: EndpointRequest,
  { attachments, uploadFolder, isMigrating }: AttachmentDeps & { readonly isMigrating: boolean },
): Promise<Result<readonly FileToAttach[], Problem>> {
  const received = await receiveFiles(request.openForm(), {
    folder: uploadFolder,
    maxBytes: attachments.maxBytes,
    maxFiles,
    maxFieldBytes: isMigrating ? longestField : null,
    async accept(part, fields) {
      const migrated = isMigrating ? readMigrated(fields) : succeed(null)
      if (!migrated.ok) return migrated
      const name = readFileName(part.fileName)
      return name.ok ? succeed({ fileName: name.value ?? 'file', migrated: migrated.value }) : name
    },
  })
  if (!received.ok) return received
  const files = received.value.files.map(({ file, about }) => ({ file, ...about }))
  if (files.length > 0) return succeed(files)
  return fail({ kind: 'invalid-value', field: 'files[]', detail: 'there is no file in the form' })
}

/** Bytes. */
const longestField = 100

/** Fields of the form that precede its file. */
function readMigrated(fields: ReadonlyMap<string, string>): Result<MigratedFile, Problem> {
  const invalid = (field: string, detail: string) => fail({ kind: 'invalid-value', field, detail } as const)
  const idOf = (name: string): string | null => fields.get(name) || null
  for (const name of ['sys_id', 'sys_created_by']) {
    const id = idOf(name)
    if (id !== null && readSysId(id, OWN_KEY) === null) return invalid(name, 'a sys_id is expected')
  }
  const given = fields.get('sys_created_at') || null
  const createdAt = given === null ? succeed(null) : readDateTime(given, 'UTC')
  if (!createdAt.ok) return invalid('sys_created_at', createdAt.error)
  return succeed({ sysId: idOf('sys_id'), createdBy: idOf('sys_created_by'), createdAt: createdAt.value })
}

function toResponse(attachment: Attachment, baseUrl: string): AttachmentResponse {
  const { sysId, fileName, table, recordId, mediaType, size, hash } = attachment
  return {
    sys_id: sysId,
    file_name: fileName,
    table,
    record_id: recordId,
    content_type: mediaType,
    size_bytes: size,
    hash,
    link: `${baseUrl}/v1/attachments/${sysId}/file`,
  }
}

const bytes = { '*/*': { schema: { type: 'string', format: 'binary' } } }

const fileEndpoint = declare({
  ...shared,
  ...at('/{sys_id}/file'),
  id: 'attachments.file',
  methods: ['GET'],
  summary: 'Read a file, or a range of its bytes',
  description: 'For whoever may read the record.',
  input: { inline: flag(INLINE_DESCRIPTION) },
  headers: {
    Range: 'A range of bytes, such as `bytes=1000-`. For several separate ranges the response is the whole file.',
    'If-Range': 'The ETag to which the range belongs; if the file has changed, the response is the whole file.',
    'If-None-Match': 'ETags of the bytes that the caller has. If one of them is current, the response is 304.',
  },
  receives: 'nothing',
  inPath: ATTACHMENT_PATH,
  output: null,
  sendsFiles: true,
  responses: {
    200: { description: 'The file, as an attachment or for display.', content: bytes },
    206: { description: 'The requested bytes.', content: bytes },
    304: { description: 'The caller has these bytes already.' },
  },
  errors: [404, 412, 416],
  isGated: false,
  async handle({ attachments }: AttachmentDeps, { inline }, { principal, path, gated }) {
    const found = await gated(() => findAttachment(attachments, principal, path['sys_id'] ?? ''))
    if (!found.ok) return found
    const { hash, size, mediaType, fileName } = found.value
    const stored: FileToStream = {
      fileName,
      mediaType,
      content: { size, sha256: hash },
      open: (part) => openStoredFile(attachments, { sha256: hash, fileName }, part),
    }
    const file = inline ? await toDisplay(stored) : succeed(stored)
    if (!file.ok) return file
    return succeed({ send: (reply) => streamFile(reply, file.value) })
  },
})

const deleteEndpoint = declare({
  ...shared,
  ...at('/{sys_id}'),
  id: 'attachments.delete',
  methods: ['DELETE'],
  summary: 'Delete a file',
  description: 'For whoever may write the record and delete rows of sys_attachment.',
  input: {},
  receives: 'nothing',
  inPath: ATTACHMENT_PATH,
  output: DeletedEnvelope,
  errors: [403, 404],
  isGated: true,
  async handle({ attachments }: AttachmentDeps, _input, { principal, path }) {
    return withData(await deleteAttachment(attachments, principal, path['sys_id'] ?? ''))
  },
})

/** Files of records: docs/spec/records.md, section 9. Like the rows of every table, they are listed through sys_attachment. */
export const attachmentEndpoints = [
  uploadEndpoint,
  fileEndpoint,
  deleteEndpoint,
  removedFilesEndpoint,
  removableFilesEndpoint,
]

export const attachmentGroup: EndpointGroup = {
  tags: [
    {
      name: 'Attachments',
      description:
        'Files of records, with the rights of the record. They are listed as rows of sys_attachment. Each address also stands under /rest.',
    },
  ],
  endpoints: attachmentEndpoints,
}
