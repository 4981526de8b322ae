import { z } from 'zod'
import { Dependents } from './dependents.ts'
import { successOf } from './envelope.ts'

/** Errors of rows that a response lists. */
export const MAX_ROW_ERRORS = 1_000

/**
 * Of a CSV or NDJSON file. An export writes rows with whole texts and journals; the limit holds back files whose rows never end. A file of
 * JSON as a whole has the same limit, in bytes.
 */
export const MAX_ROW_CHARACTERS = 32 * 1_048_576

const counts = {
  inserted: z.int().meta({ description: 'Records created.' }),
  updated: z.int().meta({ description: 'Records changed.' }),
  skipped: z.int().meta({ description: 'Existing records that stayed unchanged (on_hit=skip).' }),
  failed: z.int().meta({ description: 'Rows that were rejected.' }),
  errors: z
    .array(
      z.object({
        table: z.string().meta({ description: 'Table of the row.' }),
        line: z
          .int()
          .meta({ description: 'Line of the file that the row begins on; of JSON the number of the row, from 1.' }),
        code: z.string().meta({ description: 'Code of the error.' }),
        message: z.string().meta({ description: 'What is wrong.' }),
        field: z.string().optional().meta({ description: 'The column that the error is about.' }),
      }),
    )
    .meta({ description: `The first ${MAX_ROW_ERRORS.toLocaleString('en')}.` }),
  ignored_columns: z.array(z.string()).meta({ description: 'Columns of the file that the server fills itself.' }),
  dry_run: z.boolean().meta({ description: 'Nothing was stored.' }),
}

/** The shapes are our choice, but for the names of docs/spec/records.md, section 9. */
export const ImportEnvelope = successOf(
  z.object({ table: z.string().meta({ description: 'Name of the table.' }), ...counts }),
).meta({ id: 'Imported' })
export const JsonImportEnvelope = successOf(
  z.object({ filename: z.string().meta({ description: 'Name of the file.' }), ...counts }),
).meta({ id: 'JsonImported' })
export type ImportResponse = z.infer<typeof ImportEnvelope>['data']

const BulkChange = z.object({
  count: z.int().meta({ description: 'Records that the query finds: all of them are changed or deleted.' }),
  dry_run: z.boolean().meta({ description: 'Nothing was stored.' }),
  failed: z.int().meta({ description: 'Of a dry run: records that cannot be written.' }),
  errors: z
    .array(
      z.object({
        record: z.string().meta({ description: 'sys_id' }),
        code: z.string().meta({ description: 'Code of the error.' }),
        message: z.string().meta({ description: 'What is wrong.' }),
        field: z.string().optional().meta({ description: 'The column that the error is about.' }),
      }),
    )
    .meta({ description: 'Of a dry run: the first 20.' }),
  dependents: Dependents.optional().meta({
    description:
      'Of a delete: records that go or lose a reference with those that can be deleted, as far as the caller may read them.',
  }),
})
export type BulkChangeResponse = z.infer<typeof BulkChange>
export const BulkChangeEnvelope = successOf(BulkChange).meta({ id: 'BulkChanged' })

/** docs/spec/records.md, section 9. */
export const BulkChangeBody = z
  .strictObject({
    query: z.string().meta({
      description: 'Encoded query with a condition. `sys_idISNOTEMPTY` means all records.',
      examples: ['state=7^sys_updated_at<2026-01-01'],
    }),
    action: z.enum(['update', 'delete']).meta({ description: 'What is done with each record.' }),
    values: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Of an update: columns with values or instructions, as of PATCH.' }),
    dry_run: z.boolean().default(false).meta({ description: 'Tries all writes and rolls them back.' }),
    expected_count: z.int().min(0).optional().meta({ description: 'Another number of records is 409.' }),
  })
  .meta({ id: 'BulkChange', description: 'Which records are changed or deleted, and how.' })
