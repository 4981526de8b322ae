import { sql } from 'kysely'
import { succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import { type BuiltInRule, Slot } from '../plan/record-plan.ts'
import type { BrokenRule } from '../run/explain-broken-rule.ts'
import type { Expression } from './expression.ts'
import type { Row } from './from-clause.ts'

/** The written row, and the row as it was; null on a create. */
export interface RuledRows {
  readonly before: Row | null
  readonly after: Row
}

/** The caller with all their roles; null for a key that has some of them. */
const wholeCaller = new Slot(({ principal }) => succeed([principal.isNarrowed === true ? null : principal.userId]), 0)

/** For each rule an expression that is true, or ends the statement. */
export function writeBuiltInRules(rules: readonly BuiltInRule[], rows: RuledRows): Expression[] {
  return rules.flatMap((rule) => {
    switch (rule.kind) {
      case 'webhook':
        return rule.named.map((column) => writeWebhookRule(column, rows))
      default:
        return unreachable(rule.kind)
    }
  })
}

function writeWebhookRule(column: string, rows: RuledRows): Expression {
  const { before, after } = rows
  const isMine = sql`coalesce(${after.storage('run_as')} = ${wholeCaller}::bigint, false)`
  const holds = before === null ? isMine : sql`(${isSame(column, before, after)} or ${isMine})`
  return demand(holds, rows, { rule: 'webhook-of-another', column })
}

/** Switching a webhook off needs no more than the right to write it. */
function isSame(column: string, before: Row, after: Row): Expression {
  const [was, is] = [before.storage(column), after.storage(column)]
  return column === 'active'
    ? sql`(not coalesce(${is}, false) or coalesce(${was}, false))`
    : sql`${is} is not distinct from ${was}`
}

function demand(
  condition: Expression,
  { before }: RuledRows,
  broken: { readonly rule: BrokenRule; readonly column: string },
): Expression {
  const refusal = sql.lit(JSON.stringify({ kind: 'built-in-rule', ...broken }))
  const judged = sql`case when ${condition} then true else docket_system.refuse(${refusal}::jsonb) end`
  return before === null ? judged : sql`(select ${judged} from ${sql.id(before.alias)})`
}
