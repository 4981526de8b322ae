import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  attachFiles,
  type FileToAttach,
  type MigratedFile,
  mayAttach,
  type Owner,
} from '../../attachments/attach-files.ts'
import type { Attachment, AttachmentRoom } from '../../attachments/attachment-room.ts'
import { deleteAttachment, findAttachment } from '../../attachments/find-attachment.ts'
import { OWN_KEY, readSysId } from '../../column-types/record-key.ts'
import { readDateTime } from '../../condition/dates/read-date-text.ts'
import type { AttachmentOnTheWire } from '../../contract/attachments.ts'
import { openStoredFile } from '../../documents/open-stored-file.ts'
import { dropFile, receiveFile, TooManyBytes } from '../../documents/store/blob-store.ts'
import { readFileName } from '../../documents/upload/read-file-name.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { RunGated } from '../../kernel/run-gated.ts'
import { orUnavailable } from '../../kernel/upstream-error.ts'
import { sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import { streamFile } from '../answer/stream-file.ts'
import type { HttpParts } from '../http-parts.ts'
import { baseUrlOf } from '../request/base-url.ts'
import { callerOf } from '../request/caller.ts'
import { isFile, openForm, problemOfForm, readField } from '../request/form/open-form.ts'
import { BrokenForm } from '../request/form/read-form.ts'
import { readQueryString } from '../request/query-string.ts'
import { queryOf } from '../request/request-target.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import { answering } from './answering.ts'
import { isFlag, mayMigrateAs } from './import-parameters.ts'

export interface AttachmentParts {
  readonly room: AttachmentRoom
  /** Where files lie while they are received. */
  readonly uploadFolder: string
  /** Statements pass it; the transfer of bytes does not. */
  readonly gate: StatementGate
}

/** Files of records: docs/spec/records.md, section 9. They are listed through sys_attachment, as every table is. */
export function addAttachmentRoutes(app: FastifyInstance, parts: HttpParts, attachments: AttachmentParts): void {
  const { room, gate } = attachments
  const idOf = (request: FastifyRequest): string => (request.params as { readonly sys_id: string }).sys_id
  for (const root of ['/v1/attachments', '/rest/v1/attachments']) {
    app.route({
      method: 'POST',
      url: `${root}/upload/:table/:sys_id`,
      handler: answering(parts.observe, (request) => upload(parts, attachments, request)),
    })
    app.route({
      method: 'DELETE',
      url: `${root}/:sys_id`,
      handler: answering(parts.observe, (request) => {
        const { principal } = callerOf(request)
        return gate.run(principal.userId, () => deleteAttachment(room, principal, idOf(request)))
      }),
    })
    app.route({
      method: ['GET', 'HEAD'],
      url: `${root}/:sys_id/file`,
      handler: (request, reply) => {
        download(attachments, request, reply).then(
          (sent) => (sent.ok ? undefined : sendProblem(reply, sent.error)),
          (error: unknown) => sendFailure(parts.observe, reply, error),
        )
      },
    })
  }
}

const mostFiles = 20

async function upload(
  parts: HttpParts,
  { room, uploadFolder, gate }: AttachmentParts,
  request: FastifyRequest,
): Promise<Result<readonly AttachmentOnTheWire[], Problem>> {
  const { table, sys_id: sysId } = request.params as { readonly table: string; readonly sys_id: string }
  const owner: Owner = { principal: callerOf(request).principal, table, sysId }
  const parameters = readQueryString(queryOf(request.raw.url ?? ''))
  if (!parameters.ok) return parameters
  const migrates = mayMigrateAs(owner.principal, parameters.value)
  if (!migrates.ok) return migrates
  // Who may not attach anything need not send it first.
  const { userId } = owner.principal
  const allowed = await gate.run(userId, () => mayAttach(room, owner))
  if (!allowed.ok) return allowed
  const received: FileToAttach[] = []
  try {
    const isMigrating = isFlag(parameters.value.get('migrate'))
    const taken = await receive(request, { room, uploadFolder, isMigrating }, received)
    if (!taken.ok) return taken
    const run: RunGated = (work) => gate.runPatiently(userId, work)
    const attached = await orUnavailable(() => attachFiles(room, owner, { files: received, run }), room.onTrouble)
    if (!attached.ok) return attached
    const baseUrl = baseUrlOf(request, parts.settings)
    return succeed(attached.value.map((each) => onTheWire(each, baseUrl)))
  } finally {
    for (const { file } of received) await dropFile(file)
  }
}

/** Files go to the disk as they come. */
async function receive(
  request: FastifyRequest,
  { room, uploadFolder, isMigrating }: Omit<AttachmentParts, 'gate'> & { readonly isMigrating: boolean },
  into: FileToAttach[],
): Promise<Result<null, Problem>> {
  const { maxBytes } = room
  const form = openForm(request)
  if (!form.ok) return form
  const fields = new Map<string, string>()
  try {
    for await (const part of form.value.parts) {
      if (!isFile(part)) {
        if (isMigrating) fields.set(part.name, await readField(part, longestField))
        continue
      }
      const migrated = isMigrating ? readMigrated(fields) : succeed(null)
      if (!migrated.ok) return migrated
      if (into.length === mostFiles) throw new BrokenForm(`it holds more than ${mostFiles} files`)
      const file = await receiveFile(part.content, uploadFolder, maxBytes)
      const name = readFileName(part.fileName)
      into.push({ file, fileName: name.ok ? (name.value ?? 'file') : 'file', migrated: migrated.value })
      if (!name.ok) return name
    }
  } catch (error) {
    return refuse(error instanceof TooManyBytes ? { kind: 'body-too-large', maxBytes } : problemOfForm(error))
  } finally {
    form.value.close()
  }
  if (into.length > 0) return succeed(null)
  return refuse({ kind: 'invalid-value', field: 'files[]', detail: 'there is no file in the form' })
}

/** Characters. */
const longestField = 100

/** Fields of the form that stand before its file. */
function readMigrated(fields: ReadonlyMap<string, string>): Result<MigratedFile, Problem> {
  const invalid = (field: string, detail: string) => refuse({ kind: 'invalid-value', field, detail } as const)
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

function onTheWire(attachment: Attachment, baseUrl: string): AttachmentOnTheWire {
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

async function download(
  { room, gate }: AttachmentParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Result<void, Problem>> {
  const { sys_id: sysId } = request.params as { readonly sys_id: string }
  const { principal } = callerOf(request)
  const found = await gate.run(principal.userId, () => findAttachment(room, principal, sysId))
  if (!found.ok) return found
  const { hash, size, mediaType, fileName } = found.value
  return streamFile(reply, {
    fileName,
    mediaType,
    content: { size, sha256: hash },
    open: (part) => openStoredFile(room, { sha256: hash, fileName }, part),
  })
}
