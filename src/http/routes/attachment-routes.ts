import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { attachFiles, type FileToAttach, mayAttach, type Owner } from '../../attachments/attach-files.ts'
import type { Attachment, AttachmentRoom } from '../../attachments/attachment-room.ts'
import { deleteAttachment, findAttachment } from '../../attachments/find-attachment.ts'
import type { AttachmentOnTheWire } from '../../contract/attachments.ts'
import { orUnavailable } from '../../documents/outside-failure.ts'
import { dropFile, receiveFile, TooManyBytes } from '../../documents/store/blob-store.ts'
import { readFileName } from '../../documents/upload/read-file-name.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import { streamFile } from '../answer/stream-file.ts'
import type { HttpParts } from '../http-parts.ts'
import { baseUrlOf } from '../request/base-url.ts'
import { callerOf } from '../request/caller.ts'
import { answering } from './answering.ts'

export interface AttachmentParts {
  readonly room: AttachmentRoom
  /** Where files lie while they are received. */
  readonly uploadFolder: string
}

/** Files of records: record spec, section 9. They are listed through sys_attachment, as every table is. */
export function addAttachmentRoutes(app: FastifyInstance, parts: HttpParts, attachments: AttachmentParts): void {
  const { room } = attachments
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
      handler: answering(parts.observe, (request) =>
        deleteAttachment(room, callerOf(request).principal, idOf(request)),
      ),
    })
    app.route({
      method: ['GET', 'HEAD'],
      url: `${root}/:sys_id/file`,
      handler: (request, reply) => {
        download(room, request, reply).then(
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
  { room, uploadFolder }: AttachmentParts,
  request: FastifyRequest,
): Promise<Result<readonly AttachmentOnTheWire[], Problem>> {
  if (!request.isMultipart()) {
    const found = request.headers['content-type'] ?? 'no Content-Type'
    return refuse({ kind: 'unsupported-media-type', found, expected: 'Content-Type: multipart/form-data' })
  }
  const { table, sys_id: sysId } = request.params as { readonly table: string; readonly sys_id: string }
  const owner: Owner = { principal: callerOf(request).principal, table, sysId }
  // Who may not attach anything need not send it first.
  const allowed = await mayAttach(room, owner)
  if (!allowed.ok) return allowed
  const received: FileToAttach[] = []
  try {
    const trouble = await receive(request, { room, uploadFolder }, received)
    if (trouble !== null) return refuse(trouble)
    const attached = await orUnavailable(() => attachFiles(room, owner, received), room.onTrouble)
    if (!attached.ok) return attached
    const baseUrl = baseUrlOf(request, parts.settings)
    return succeed(attached.value.map((each) => onTheWire(each, baseUrl)))
  } finally {
    for (const { file } of received) await dropFile(file)
  }
}

/** Files go to the disk as they come. @returns what is wrong with the form; null: nothing */
async function receive(
  request: FastifyRequest,
  { room, uploadFolder }: AttachmentParts,
  into: FileToAttach[],
): Promise<Problem | null> {
  const { maxBytes } = room
  try {
    // Beyond ours, which speaks first.
    const limits = { files: mostFiles, fields: 20, fileSize: maxBytes * 2, fieldSize: 10_000 }
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') continue
      const file = await receiveFile(part.file, uploadFolder, maxBytes)
      const name = readFileName(part.filename)
      into.push({ file, fileName: name.ok ? (name.value ?? 'file') : 'file' })
      if (!name.ok) return name.error
    }
  } catch (error) {
    // The rest is read and dropped: left alone, the caller would wait for somebody to take it.
    request.raw.unpipe()
    request.raw.resume()
    if (error instanceof TooManyBytes) return { kind: 'body-too-large', maxBytes }
    if (error instanceof Error && 'syscall' in error) throw error
    const detail = error instanceof Error ? error.message : 'it breaks off'
    return { kind: 'malformed-request', detail: `the form cannot be read: ${detail.replace(/\.$/, '')}` }
  }
  return into.length > 0 ? null : { kind: 'invalid-value', field: 'files[]', detail: 'there is no file in the form' }
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
  room: AttachmentRoom,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Result<void, Problem>> {
  const { sys_id: sysId } = request.params as { readonly sys_id: string }
  const found = await findAttachment(room, callerOf(request).principal, sysId)
  if (!found.ok) return found
  const { hash, size, mediaType, fileName } = found.value
  return streamFile(reply, {
    fileName,
    mediaType,
    content: { size, sha256: hash },
    open: (part) =>
      orUnavailable(async () => succeed(await room.blobs.read(Buffer.from(hash, 'hex'), part)), room.onTrouble),
  })
}
