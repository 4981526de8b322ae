import type { Database } from '../../src/database/database.ts'
import { planModeOf } from '../../src/database/plan-modes.ts'
import { loadPrincipal } from '../../src/identity/load-principal.ts'
import { sql } from '../../src/kernel/sql.ts'
import { parseRecordRequest } from '../../src/records/parse/parse-record-request.ts'
import { createRecordDeps, type RecordDeps } from '../../src/records/record-deps.ts'
import { prepareCall } from '../../src/records/request-stages.ts'

const ADMIN = '155931135900000001'

/**
 * PostgreSQL's plan of a list, planned for the values of the query.
 *
 * @param without scan methods that the planner may not use, such as `bitmapscan`
 * @param options of EXPLAIN
 * @param by who requests the list: absent, the administrator
 */
export async function explainList(
  database: Database,
  table: string,
  parameters: Readonly<Record<string, string>>,
  without: readonly string[] = [],
  options = 'costs off',
  by: { readonly userId?: string; readonly deps?: RecordDeps } = {},
): Promise<string> {
  const { userId = ADMIN, deps = createRecordDeps({ database, clock: { nowMs: () => 0 } }) } = by
  const loaded = await loadPrincipal(database, userId)
  if (loaded === undefined) throw new Error(`no user ${userId}`)
  const parsed = parseRecordRequest({
    operation: 'list',
    table,
    sysId: null,
    parameters: new Map(Object.entries({ sysparm_fields: 'number', ...parameters })),
    body: undefined,
    ifMatch: null,
    idempotencyKey: null,
  })
  if (!parsed.ok) throw new Error(`rejected: ${JSON.stringify(parsed.error)}`)
  const catalog = await deps.catalog.current()
  const call = { request: parsed.value.request, ...loaded, baseUrl: '' }
  const ready = await prepareCall(call, { deps, catalog })
  if (!ready.ok) throw new Error(`rejected: ${JSON.stringify(ready.error)}`)
  const { found, bound } = ready.value
  const { name, text, planning } = found.prepared.statement
  const explained = {
    name: `${name}_explain`.slice(-63),
    text: `explain (${options}) ${text}`,
    planning: 'unnamed',
  } as const
  return database.inTransaction(async (session) => {
    const mode = planModeOf(planning)
    if (mode !== null) await session.rows(sql.raw(mode.text))
    for (const way of without) await session.rows(sql`select set_config(${`enable_${way}`}, 'off', true)`)
    return (await session.run(explained, bound.parameters)).join('\n')
  })
}
