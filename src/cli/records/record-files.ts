import { z } from 'zod'

/** A line of `files.ndjson` in a folder of files of records. */
export const FileLine = z.object({
  /** sys_id of the record, or its number. */
  record: z.string(),
  /** Relative to the folder; always with `/`. */
  path: z.string(),
  file_name: z.string(),
  sys_id: z.string().optional(),
  sys_created_at: z.string().nullish(),
  sys_created_by: z.string().nullish(),
})
export type FileLine = z.infer<typeof FileLine>

export const LIST_OF_FILES = 'files.ndjson'
