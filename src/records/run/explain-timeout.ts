import { hasParts } from '../../column-types/column-types.ts'
import { PATTERN_OPERATORS } from '../../condition/operators.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { PlannedComparison, Predicate } from '../plan/planned-predicate.ts'
import { flatten } from '../plan/predicates.ts'
import type { RecordPlan } from '../plan/record-plan.ts'

/** The problem of a statement that exceeded its time limit, with what helps. Conditions of rules are not named. */
export function explainTimeout({ form }: RecordPlan): Problem {
  const read =
    form.kind === 'list' || form.kind === 'stats' ? flatten('all', form.where).find(isWithoutIndex) : undefined
  const fieldPath = read?.kind === 'comparison' ? read.comparison.fieldPath : null
  const detail =
    fieldPath === null
      ? 'the database did not finish within the time that one request may take; narrow the query, or leave out the count with sysparm_no_count=1'
      : `the database did not finish within the time that one request may take: no index has parts of ${fieldPath.column.name}; narrow the query, or let an administrator create a record of sys_db_index with the table ${fieldPath.column.ownerTable}, the column ${fieldPath.column.name} and the purpose contains`
  return { kind: 'over-budget', detail }
}

const isWithoutIndex = (predicate: Predicate): boolean =>
  predicate.kind === 'comparison' && lacksIndex(predicate.comparison)

/** Whether a condition on a part of a text reads every record, and an index of ours would serve it. */
function lacksIndex({ operator, fieldPath }: PlannedComparison): boolean {
  if (fieldPath === null || !PATTERN_OPERATORS.has(operator) || fieldPath.table.adopted !== null) return false
  const { column } = fieldPath
  return column.storage !== null && column.displayed === undefined && hasParts(column) && !column.indexed.parts
}
