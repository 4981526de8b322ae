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
