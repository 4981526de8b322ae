import type { AttachmentServiceDeps } from '../../attachments/attachment-deps.ts'
import { listRemovableFiles } from '../../attachments/removable-files.ts'
import { RemovableFilesEnvelope } from '../../contract/attachments.ts'
import { declare, withData } from '../../http/endpoint/declare.ts'
import { RECORD_PATH } from '../record-path.ts'

export const removableFilesEndpoint = declare({
  id: 'attachments.removable',
  path: '/v1/attachments/removable/{table}/{sys_id}',
  alsoAt: ['/rest/v1/attachments/removable/{table}/{sys_id}'],
  methods: ['GET'],
  tag: 'Attachments',
  summary: 'List the files of a record that the caller may delete, the newest first',
  description:
    'For whoever may read the record. Without the right to change the record, or to delete files, the list is empty.',
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  inPath: RECORD_PATH,
  output: RemovableFilesEnvelope,
  errors: [403, 404],
  isGated: true,
  async handle({ attachments }: { readonly attachments: AttachmentServiceDeps }, _input, { principal, path }) {
    const { table = '', sys_id: sysId = '' } = path
    return withData(await listRemovableFiles(attachments, { principal, table, sysId }))
  },
})
