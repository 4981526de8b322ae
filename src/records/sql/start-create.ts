import type { RecordPlan } from '../plan/record-plan.ts'
import type { Expression } from './expression.ts'
import { Aliases, FromClause, Row } from './from-clause.ts'
import { boolArray, type CreatePlan } from './statement-parts.ts'
import { writeBuiltInRules } from './write-built-in-rules.ts'
import { writeCheck, writeGuard } from './write-checks.ts'

/** The parts of every statement that creates rows. */
export interface CreateParts {
  readonly aliases: Aliases
  /** A boolean array, of a row that is not written yet. */
  readonly checks: Expression
  /** The rows that were written. */
  readonly made: FromClause
  /** Whether a row of `made` is allowed. */
  readonly guard: Expression
}

export function startCreate(plan: RecordPlan, form: CreatePlan): CreateParts {
  const aliases = new Aliases()
  const checks = boolArray(form.checks.map((check) => writeCheck(check, null, aliases)))
  const made = new FromClause(new Row('made', plan.table), aliases)
  const more = writeBuiltInRules(form.builtInRules, { before: null, after: made.row })
  const guard = writeGuard(form, { action: 'create', from: made, checks: form.checks, more })
  return { aliases, checks, made, guard }
}
