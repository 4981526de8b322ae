import type { Table } from '../catalog/catalog.ts'
import { countOf } from '../kernel/count-of.ts'
import type { Action, Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import type { Access, Decision, RuleDecision } from './decide.ts'

/** The response for administrators: which rules decided, and why (`GET /rest/v1/acl/explain`). */
export interface Explanation {
  readonly table: string
  /** The class whose rules decide: the record's own, if the request names a record. */
  readonly class: string
  readonly operation: Action
  readonly column: string | null
  /** `allowed` and `refused` apply to every record; `on_condition`: the conditions below decide row by row. */
  readonly verdict: Verdict
  readonly table_decision: ExplainedDecision
  /** null if the request names no column. */
  readonly column_decision: ExplainedDecision | null
  readonly reason: string
}

type Verdict = 'allowed' | 'refused' | 'on_condition'

export interface ExplainedDecision {
  readonly verdict: Verdict
  /** The level whose rules decided; null: no level has an active rule. */
  readonly level: string | null
  readonly rules: readonly ExplainedRule[]
}

export interface ExplainedRule {
  readonly sys_id: string
  readonly description: string
  readonly roles: readonly string[]
  readonly condition: string
  readonly admin_overrides: boolean
  readonly verdict: RuleDecision['verdict']
  /** Whether the condition holds on the record of the request; absent without a record or a condition. */
  readonly holds?: boolean
}

export interface Question {
  readonly table: Table
  readonly operation: Action
  readonly column: string | null
}

export function explainAccess(access: Access, question: Question): Result<Explanation, Problem> {
  const { table, operation, column } = question
  if (column !== null && !table.columns.has(column)) {
    return fail({ kind: 'thing-not-found', thing: 'column', name: `${table.name}.${column}` })
  }
  const onTable = explainDecision(access.decideTable(table, operation))
  const onColumn = column === null ? null : explainDecision(access.decideColumn(table, column, operation))
  const verdict = together(onTable.verdict, onColumn?.verdict ?? 'allowed')
  return succeed({
    table: table.name,
    class: table.name,
    operation,
    column,
    verdict,
    table_decision: onTable,
    column_decision: onColumn,
    reason: reasonOf(question, onTable, onColumn),
  })
}

/** Completes the explanation after the conditions of the conditional rules are evaluated on the record. */
export function settleExplanation(explanation: Explanation, holds: ReadonlyMap<string, boolean>): Explanation {
  const onTable = settleDecision(explanation.table_decision, holds)
  const onColumn = explanation.column_decision === null ? null : settleDecision(explanation.column_decision, holds)
  return {
    ...explanation,
    verdict: together(onTable.verdict, onColumn?.verdict ?? 'allowed'),
    table_decision: onTable,
    column_decision: onColumn,
  }
}

function settleDecision(decision: ExplainedDecision, holds: ReadonlyMap<string, boolean>): ExplainedDecision {
  const rules = decision.rules.map((rule) => {
    const held = holds.get(rule.sys_id)
    return rule.verdict === 'passes-on-condition' && held !== undefined ? { ...rule, holds: held } : rule
  })
  if (decision.verdict !== 'on_condition') return { ...decision, rules }
  return { ...decision, rules, verdict: rules.some((rule) => rule.holds === true) ? 'allowed' : 'refused' }
}

function explainDecision(decision: Decision): ExplainedDecision {
  return {
    verdict: VERDICTS[decision.grant.kind],
    level: decision.level,
    rules: decision.rules.map(({ rule, verdict }) => ({
      sys_id: rule.id,
      description: rule.description,
      roles: rule.roles,
      condition: rule.condition,
      admin_overrides: rule.adminOverrides,
      verdict,
    })),
  }
}

const VERDICTS = { always: 'allowed', never: 'refused', when: 'on_condition' } as const

function together(table: Verdict, column: Verdict): Verdict {
  if (table === 'refused' || column === 'refused') return 'refused'
  return table === 'on_condition' || column === 'on_condition' ? 'on_condition' : 'allowed'
}

function reasonOf(
  { table, operation, column }: Question,
  onTable: ExplainedDecision,
  onColumn: ExplainedDecision | null,
): string {
  if (onTable.level === null) {
    return `No active rule for ${operation} stands at ${[...table.ancestors, '*'].join(', ')}; access without a rule is denied.`
  }
  const decided = onColumn !== null && onTable.verdict !== 'refused' && onColumn.level !== null ? onColumn : onTable
  const about = decided === onTable ? `the table ${table.name}` : `the column ${column}`
  const passing = decided.rules.filter((rule) => rule.verdict === 'passes').length
  const conditional = decided.rules.filter((rule) => rule.verdict === 'passes-on-condition').length
  const rules = countOf(decided.rules.length, 'active rule', 'active rules')
  const alone = countOf(passing, 'passes without a condition', 'pass without a condition')
  const others = countOf(conditional, 'passes on a condition', 'pass on a condition')
  return `The level ${decided.level} decides ${operation} on ${about}: ${rules}. Of these, ${alone} and ${others}. One passing rule is enough.`
}
