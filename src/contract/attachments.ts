import { z } from 'zod'
import { successOf } from './envelope.ts'

const Attachment = z.object({
  sys_id: z.string().meta({ description: 'sys_id of the row of sys_attachment.' }),
  file_name: z.string().meta({ description: 'Name of the file.' }),
  table: z.string().meta({ description: 'Table of the record.' }),
  record_id: z.string().meta({ description: 'sys_id of the record.' }),
  content_type: z.string().meta({ description: 'Detected from the content.' }),
  size_bytes: z.int().meta({ description: 'Size in bytes.' }),
  hash: z.string().meta({ description: 'SHA-256, in hexadecimal.' }),
  link: z.string().meta({ description: 'Address of the file.' }),
})
export type AttachmentResponse = z.infer<typeof Attachment>

/** docs/spec/records.md, section 9. The shape is our choice. */
export const AttachedEnvelope = successOf(z.array(Attachment)).meta({ id: 'Attached' })

const user = (description: string) =>
  z
    .object({
      value: z.string().meta({ description: 'sys_id of the user.' }),
      display_value: z
        .string()
        .nullable()
        .meta({ description: 'Name of the user; null if the caller may not read it.' }),
      link: z.string().meta({ description: 'Address of the user.' }),
    })
    .nullable()
    .meta({ description: `${description}; null if the caller may not read it, or the server did.` })
const time = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description}: UTC, \`YYYY-MM-DD HH:MM:SS\`; null if the caller may not read it.` })

const RemovedFile = z.object({
  sys_id: z.string().meta({ description: 'sys_id that the row of sys_attachment had.' }),
  file_name: z.string().nullable().meta({ description: 'Name of the file; null if the caller may not read it.' }),
  content_type: z
    .string()
    .nullable()
    .meta({ description: 'Media type of the file; null if the caller may not read it.' }),
  size_bytes: z.int().nullable().meta({ description: 'Size in bytes; null if the caller may not read it.' }),
  attached_at: time('When the file was attached'),
  attached_by: user('Who attached it'),
  removed_at: time('When it was removed'),
  removed_by: user('Who removed it'),
})
export type RemovedFileResponse = z.infer<typeof RemovedFile>

/** Files that were removed from a record. Ours. */
export const RemovedFilesEnvelope = successOf(z.array(RemovedFile)).meta({ id: 'RemovedFiles' })

/** Files of a record that the caller may delete. Ours. */
export const RemovableFilesEnvelope = successOf(
  z.array(z.string().meta({ description: 'sys_id of the row of sys_attachment.' })),
).meta({ id: 'RemovableFiles' })
