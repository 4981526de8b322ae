import { z } from 'zod'
import { successOf } from './envelope.ts'

const counts = {
  inserted: z.int(),
  updated: z.int(),
  skipped: z.int().meta({ description: 'Records that were there and left as they are (on_hit=skip).' }),
  failed: z.int(),
  errors: z
    .array(
      z.object({
        table: z.string(),
        line: z
          .int()
          .meta({ description: 'Line of the file that the row begins on; of JSON the number of the row, from 1.' }),
        code: z.string(),
        message: z.string(),
        field: z.string().optional(),
      }),
    )
    .meta({ description: 'The first 1,000.' }),
  ignored_columns: z.array(z.string()).meta({ description: 'Columns of the file that the server fills itself.' }),
  dry_run: z.boolean().meta({ description: 'Nothing of it was kept.' }),
}

/** The shapes are our choice, but for the names of record spec, section 9. */
export const ImportAnswer = successOf(z.object({ table: z.string(), ...counts }))
export const JsonImportAnswer = successOf(z.object({ filename: z.string(), ...counts }))
export type ImportOnTheWire = z.infer<typeof ImportAnswer>['data']
