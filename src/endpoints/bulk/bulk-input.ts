import { z } from 'zod'
import type { ImportOptions } from '../../bulk/import-job.ts'
import { type Mapping, readMapping } from '../../bulk/mapping.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import { names } from '../../http/endpoint/read-input.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'

export const flag = (description: string) => z.boolean().default(false).meta({ description })

export const raw = flag(
  "1: CSV cells are unchanged texts. Default: a ' is added before texts that a spreadsheet would execute.",
)

export const migrate = flag(
  '1: records move in from another system (administrators only). sys_id, number, authors, times, states and journals are those of the file.',
)

/** Parameters of every import. */
export const importInput = {
  key: names('Columns that identify existing records, separated by commas; empty: every row is new.'),
  on_hit: z.enum(['update', 'patch', 'skip']).default('update').meta({
    description:
      'What happens to an existing record. `patch`: values may be instructions, as of PATCH (`{"add":["…"]}` in a list).',
  }),
  on_miss: z.enum(['create', 'reject']).default('create').meta({
    description: 'What happens to a row whose key columns match no record.',
  }),
  migrate,
  mapping: z.string().optional().meta({
    description:
      'Names of the file: `{"columns":{"Opened":"opened_at"},"values":{"state":{"New":"0"}}}`; `"*":null` leaves out other columns.',
  }),
  sysparm_input_display_value: flag('1: values are display values, with times in the time zone of the caller.'),
  dry_run: flag('1: report what would change, write nothing.'),
}

export type ImportInput = z.output<z.ZodObject<typeof importInput>>

export function optionsOf(input: ImportInput, isText: boolean): Omit<ImportOptions, 'table'> {
  const { key: keys, on_hit: onHit, on_miss: onMiss, migrate: migrating } = input
  return { keys, onHit, onMiss, isText, migrating, inputDisplay: input.sysparm_input_display_value }
}

/** null: columns and values in the file have the names of the table. */
export function mappingOf({ mapping }: ImportInput): Result<Mapping | null, Problem> {
  return mapping === undefined ? succeed(null) : readMapping(mapping, 'mapping')
}

/** Only an administrator may take authors and times from a file. */
export function mayMigrate(migrates: boolean, { principal: { roles } }: EndpointRequest): Result<null, Problem> {
  if (!migrates || roles.has('admin')) return succeed(null)
  return fail({ kind: 'role-needed', roles: ['admin'], to: 'import with migrate=1' })
}
