import { accessOf } from '../../acl/decide.ts'
import { type Explanation, explainAccess, settleExplanation } from '../../acl/explain.ts'
import type { Catalog, Table } from '../../catalog/catalog.ts'
import { readSysId } from '../../column-types/record-key.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Action, Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import { planRuleCondition } from '../plan/plan-row-access.ts'
import type { Predicate } from '../plan/planned-predicate.ts'
import { FALSE } from '../plan/predicates.ts'
import type { RecordDeps } from '../record-deps.ts'
import { unlessDrifted } from '../run/adopted-table-drift.ts'
import { bindParams } from '../run/bind-params.ts'
import { storageOf } from '../sql/adopted-storage.ts'
import { Aliases, embed, Row } from '../sql/from-clause.ts'

export interface AccessQuestion {
  /** The user whose rights are explained. */
  readonly principal: Principal
  readonly table: string
  readonly operation: Action
  readonly sysId: string | null
  readonly column: string | null
}

/** Explains which rule decides and why; on a record also which conditions hold. Only for administrators: it reveals hidden records. */
export function explainRecordAccess(deps: RecordDeps, question: AccessQuestion): Promise<Result<Explanation, Problem>> {
  return unlessDrifted(deps, question.table, () => explainOn(deps, question))
}

async function explainOn(deps: RecordDeps, question: AccessQuestion): Promise<Result<Explanation, Problem>> {
  const catalog = await deps.catalog.upToDate()
  const requested = catalog.tables.get(question.table)
  if (requested === undefined) return fail({ kind: 'table-not-found', table: question.table, similar: [] })
  const access = accessOf(catalog, question.principal.roles)
  const { operation, column } = question
  if (question.sysId === null) return explainAccess(access, { table: requested, operation, column })

  const own = await classOf(deps, catalog, requested, question.sysId)
  if (own === null) return fail({ kind: 'record-not-found', table: requested.name, sysId: question.sysId })
  const explained = explainAccess(access, { table: own, operation, column })
  if (!explained.ok) return explained
  const holds = await conditionsOn(explained.value, own, { deps, catalog, question })
  return succeed({ ...settleExplanation(explained.value, holds), table: requested.name, class: own.name })
}

async function classOf(deps: RecordDeps, catalog: Catalog, table: Table, sysId: string): Promise<Table | null> {
  const id = readSysId(sysId, table.key)
  if (id === null) return null
  const [row] = await deps.database.rows<{ class: string }>(
    sql`select sys_db_table_id::text as class from ${storageOf(table)} as r where ${new Row('r', table).isRequested(sql`${id}`)}`,
  )
  const own = row === undefined ? undefined : catalog.tablesById.get(row.class)
  return own?.ancestors.includes(table.name) ? own : null
}

interface OnRecord {
  readonly deps: RecordDeps
  readonly catalog: Catalog
  readonly question: AccessQuestion
}

/** Evaluates the conditions in PostgreSQL, with the SQL that they have in the statements of requests. */
async function conditionsOn(
  explanation: Explanation,
  table: Table,
  { deps, catalog, question }: OnRecord,
): Promise<ReadonlyMap<string, boolean>> {
  const decisions = [explanation.table_decision, explanation.column_decision]
  const rules = decisions
    .flatMap((decision) => decision?.rules ?? [])
    .filter((rule) => rule.verdict === 'passes-on-condition')
  if (rules.length === 0) return new Map()
  const row = new Row('r', table)
  const aliases = new Aliases()
  const caller = { principal: question.principal, catalog, nowMs: deps.clock.nowMs() }
  const columns = rules.map((rule, index) => {
    const condition = embed(planCondition(rule.condition, table, catalog), row, aliases)
    return sql`coalesce(${condition}, false) as ${sql.id(`rule_${index}`)}`
  })
  const query = sql<Record<string, boolean>>`select ${sql.join(columns)} from ${storageOf(table)} as r
    where ${row.isRequested(sql`${readSysId(question.sysId ?? '', table.key)}`)}`
  const [held] = await deps.database.rows<Record<string, boolean>>(bindParams(query, caller))
  return new Map(rules.map((rule, index) => [rule.sys_id, held?.[`rule_${index}`] === true]))
}

function planCondition(text: string, table: Table, catalog: Catalog): Predicate {
  const parsed = parseEncodedQuery(text)
  if (!parsed.ok || parsed.value.where === null) return FALSE
  return planRuleCondition(parsed.value.where, table, catalog) ?? FALSE
}
