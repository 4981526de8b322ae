import { z } from 'zod'
import type { AttachmentServiceDeps } from '../../attachments/attachment-deps.ts'
import { listRemovedFiles, type RemovedFile } from '../../attachments/removed-files.ts'
import { type RemovedFileResponse, RemovedFilesEnvelope } from '../../contract/attachments.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { whole } from '../../http/endpoint/read-input.ts'
import { succeed } from '../../kernel/result.ts'
import { RECORD_PATH } from '../record-path.ts'

const maxFiles = 1_000

export const removedFilesEndpoint = declare({
  id: 'attachments.removed',
  path: '/v1/attachments/removed/{table}/{sys_id}',
  alsoAt: ['/rest/v1/attachments/removed/{table}/{sys_id}'],
  methods: ['GET'],
  tag: 'Attachments',
  summary: 'List the files that were removed from a record, the last removed first',
  description:
    'For whoever may read the record: the files that they could read before. Names and times only; the bytes are gone. The deletion log has ' +
    'them for as long as history is kept.',
  input: {
    sysparm_limit: whole(
      z.int().min(1).max(maxFiles).default(100).meta({ description: 'Maximum number of files to return.' }),
    ),
  },
  otherNames: 'ignored',
  receives: 'nothing',
  inPath: RECORD_PATH,
  output: RemovedFilesEnvelope,
  errors: [403, 404],
  limits: [{ name: 'sysparm_limit of removed files', value: maxFiles, unit: 'files', status: 400 }],
  isGated: true,
  async handle(
    { attachments }: { readonly attachments: AttachmentServiceDeps },
    { sysparm_limit: limit },
    { principal, path, baseUrl },
  ) {
    const { table = '', sys_id: sysId = '' } = path
    const removed = await listRemovedFiles(attachments, { principal, table, sysId, limit })
    return removed.ok ? succeed({ data: removed.value.map((file) => toResponse(file, baseUrl)) }) : removed
  },
})

function toResponse(file: RemovedFile, baseUrl: string): RemovedFileResponse {
  const userOf = (user: RemovedFile['removedBy']): RemovedFileResponse['removed_by'] =>
    user === null
      ? null
      : { value: user.id, display_value: user.displayName, link: `${baseUrl}/rest/v1/table/user/${user.id}` }
  return {
    sys_id: file.sysId,
    file_name: file.fileName,
    content_type: file.mediaType,
    size_bytes: file.size,
    attached_at: file.attachedAt,
    attached_by: userOf(file.attachedBy),
    removed_at: file.removedAt,
    removed_by: userOf(file.removedBy),
  }
}
