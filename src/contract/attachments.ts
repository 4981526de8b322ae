import { z } from 'zod'
import { successOf } from './envelope.ts'

const Attachment = z.object({
  sys_id: z.string(),
  file_name: z.string(),
  table: z.string(),
  record_id: z.string(),
  content_type: z.string().meta({ description: 'Told by the content.' }),
  size_bytes: z.int(),
  hash: z.string().meta({ description: 'SHA-256, in hexadecimal.' }),
  link: z.string(),
})
export type AttachmentOnTheWire = z.infer<typeof Attachment>

/** Record spec, section 9. The shape is our choice. */
export const AttachedAnswer = successOf(z.array(Attachment))
