import type { Column } from '../../catalog/catalog.ts'
import { succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { BuiltInRule } from '../plan/planned-change.ts'
import { ofCaller, Param } from '../plan/value-source.ts'
import type { BrokenRule } from '../run/explain-broken-rule.ts'
import type { Expression } from './expression.ts'
import type { Row } from './from-clause.ts'
import { writeParentAllowed } from './write-hierarchy.ts'

/** The row before the write (null on a create) and after it. */
export interface RuledRows {
  readonly before: Row | null
  readonly after: Row
}

/** The sys_id of the caller; null for an API key with only some of their roles. */
const wholeCaller = new Param(
  ofCaller(({ principal }) => succeed([principal.isNarrowed === true ? null : principal.userId])),
  0,
)

/** For each rule an expression that is true, or ends the statement with an error. */
export function writeBuiltInRules(rules: readonly BuiltInRule[], rows: RuledRows): Expression[] {
  return rules.flatMap((rule) => {
    switch (rule.kind) {
      case 'webhook':
        return rule.named.map((column) => writeWebhookRule(column, rows))
      case 'approval':
        return writeApprovalRule(rule, rows)
      case 'approval-state':
        return [writeApprovalState(rule.column, rows)]
      case 'hierarchy':
        return [writeHierarchy(rule, rows)]
      default:
        return unreachable(rule)
    }
  })
}

function writeWebhookRule(column: string, rows: RuledRows): Expression {
  const { before, after } = rows
  const isMine = sql`coalesce(${after.storage('run_as')} = ${wholeCaller}::bigint, false)`
  const holds = before === null ? isMine : sql`(${isSame(column, before, after)} or ${isMine})`
  return demand(holds, rows, { rule: 'webhook-of-another', column })
}

/** Condition: the column is unchanged. Deactivating a webhook is allowed too, because it needs only the right to write the row. */
function isSame(column: string, before: Row, after: Row): Expression {
  const [was, is] = [before.storage(column), after.storage(column)]
  return column === 'active'
    ? sql`(not coalesce(${is}, false) or coalesce(${was}, false))`
    : sql`${is} is not distinct from ${was}`
}

// ── approvals ──

const me = new Param(
  ofCaller(({ principal }) => succeed([principal.userId])),
  0,
)
const isDecided = (state: Expression): Expression => sql`coalesce(${state} in ('approved', 'rejected'), false)`

function writeApprovalRule(
  { isAdmin, named }: BuiltInRule & { readonly kind: 'approval' },
  rows: RuledRows,
): Expression[] {
  const { before, after } = rows
  const decided = isDecided(after.storage('state'))
  if (before === null) return [demand(sql`not ${decided}`, rows, { rule: 'decided-on-create', column: 'state' })]
  const wasDecided = isDecided(before.storage('state'))
  const unchanged = (column: string): Expression =>
    sql`${after.storage(column)} is not distinct from ${before.storage(column)}`
  const reopens = isAdmin ? sql`not ${decided}` : sql`false`
  const final = named.map((column) => {
    const holds = sql`(not ${wasDecided} or ${unchanged(column)} or ${column === 'task' ? sql`false` : reopens})`
    return demand(holds, rows, { rule: 'decision-final', column })
  })
  const ofApprover = sql`coalesce(${before.storage('approver')} = ${me}::bigint, false)`
  const reassigns = named.includes('approver')
    ? [
        demand(sql`(${unchanged('approver')} or ${ofApprover} or ${sql.lit(isAdmin)})`, rows, {
          rule: 'approver-changed',
          column: 'approver',
        }),
      ]
    : []
  if (!named.includes('state')) return [...final, ...reassigns]
  const decides = sql`(${decided} and not ${wasDecided})`
  const byApprover = sql`(not ${decides} or ${ofApprover} and ${unchanged('approver')})`
  const explained = sql`(not ${decides} or ${after.storage('state')} <> 'rejected' or coalesce(${after.storage('comment')}, '') ~ '[^[:space:]]')`
  return [
    ...final,
    ...reassigns,
    demand(byApprover, rows, { rule: 'decided-by-another', column: 'state' }),
    demand(explained, rows, { rule: 'rejected-without-comment', column: 'comment' }),
  ]
}

/** True for the row that is deleted, or the statement ends with an error. */
export function writeRulesOfDelete(rules: readonly BuiltInRule[], row: Row): Expression {
  const kept = rules.some((rule) => rule.kind === 'approval' && !rule.isAdmin)
  if (!kept) return sql`true`
  return demand(
    sql`not ${isDecided(row.storage('state'))}`,
    { before: null, after: row },
    { rule: 'decision-final', column: 'state' },
  )
}

function writeApprovalState(column: Column, rows: RuledRows): Expression {
  const [before, after] = [rows.before, rows.after].map((row) => row?.storage(column.storage ?? ''))
  const same = before === undefined ? sql`false` : sql`${after} is not distinct from ${before}`
  return demand(sql`(not ${isDecided(after ?? sql`null`)} or ${same})`, rows, {
    rule: 'approval-state-given',
    column: column.name,
  })
}

function writeHierarchy(rule: BuiltInRule & { readonly kind: 'hierarchy' }, rows: RuledRows): Expression {
  const { before, after } = rows
  if (before === null) return sql`true`
  return demand(writeParentAllowed(rule, { before, after }), rows, { rule: 'own-ancestor', column: rule.column.name })
}

function demand(
  condition: Expression,
  { before }: RuledRows,
  broken: { readonly rule: BrokenRule; readonly column: string },
): Expression {
  const rejection = sql.lit(JSON.stringify({ kind: 'built-in-rule', ...broken }))
  const checked = sql`case when ${condition} then true else docket_system.reject(${rejection}::jsonb) end`
  return before === null ? checked : sql`(select ${checked} from ${sql.id(before.alias)})`
}
