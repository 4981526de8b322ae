import type { Catalog } from '../../src/catalog/catalog.ts'
import type { Database, PreparedStatement } from '../../src/database/database.ts'
import { planModeOf } from '../../src/database/plan-modes.ts'
import type { LoadedPrincipal } from '../../src/identity/load-principal.ts'
import { sql } from '../../src/kernel/sql.ts'
import { parseRecordRequest } from '../../src/records/parse/parse-record-request.ts'
import type { RecordDeps } from '../../src/records/record-deps.ts'
import { prepareCall } from '../../src/records/request-stages.ts'
import type { ListShape } from './list-shapes.ts'

/** Pages with two display values and the total. */
export function parametersOf({ query, limit = 20, withoutTotal }: ListShape): Readonly<Record<string, string>> {
  return {
    sysparm_query: query,
    sysparm_fields: 'number,subject,state,sys_created_at,assigned_user,assignment_group',
    sysparm_display_value: '1',
    sysparm_limit: String(limit),
    ...(withoutTotal && { sysparm_no_count: '1' }),
  }
}

export interface BoundStatement {
  readonly statement: PreparedStatement
  readonly parameters: readonly unknown[]
}

/** The statement that the server would send. @param sysId of the record that is read; null: a list */
export async function statementOf(
  parameters: Readonly<Record<string, string>>,
  caller: LoadedPrincipal,
  {
    deps,
    catalog,
    sysId = null,
  }: { readonly deps: RecordDeps; readonly catalog: Catalog; readonly sysId?: string | null },
): Promise<BoundStatement> {
  const parsed = parseRecordRequest({
    operation: sysId === null ? 'list' : 'read',
    table: 'task',
    sysId,
    parameters: new Map(Object.entries(parameters)),
    body: undefined,
    ifMatch: null,
    idempotencyKey: null,
  })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  const ready = await prepareCall({ ...caller, request: parsed.value.request, baseUrl: '' }, { deps, catalog })
  if (!ready.ok) throw new Error(JSON.stringify(ready.error))
  return { statement: ready.value.found.prepared.statement, parameters: ready.value.bound.parameters }
}

/** The lines of `explain`, with the settings that the statement would have. @param options such as `analyze, buffers` */
export async function explain(
  { inTransaction }: Pick<Database, 'inTransaction'>,
  { statement: { name, text, planning }, parameters }: BoundStatement,
  options: string,
): Promise<readonly string[]> {
  const explained = { name: `${name}_e`, text: `explain (${options}) ${text}`, planning: 'unnamed' } as const
  const lines = await inTransaction(async ({ rows, run }) => {
    const mode = planModeOf(planning)
    if (mode !== null) await rows(sql.raw(mode.text))
    return run(explained, parameters)
  })
  return lines.map(([line]) => String(line))
}
