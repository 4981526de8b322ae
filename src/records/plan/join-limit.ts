import type { ResolvedPath } from '../../catalog/resolve-path.ts'
import { isJournal, refersToMany, refersToOne } from '../../column-types/column-types.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type {
  AuthorizedComparison,
  AuthorizedCondition,
  AuthorizedRequest,
  AuthorizedRows,
} from '../authorize/authorized-request.ts'

/**
 * References that the field paths of one request may follow, each counted once. Each is a join, and PostgreSQL takes seconds to plan
 * some hundreds of joins: a few such requests would occupy every connection.
 */
export const MAX_REFERENCES = 150

type RequestPaths = Pick<AuthorizedRequest, 'fields' | 'where' | 'orders' | 'request'>

export function enforceJoinLimit({ fields, where, orders, request }: RequestPaths): Result<null, Problem> {
  const references = new Set<string>()
  const fieldPath = (path: string, hops: number): void => {
    const names = path.split('.')
    for (let length = 1; length <= hops; length += 1) references.add(names.slice(0, length).join('.'))
  }
  // The display value of a reference takes one more join.
  const displayed = (column: ResolvedPath['end']['column']): number => (refersToOne(column) ? 1 : 0)

  for (const { fieldPath: field } of fields) {
    fieldPath(field.path, field.hops.length + (request.display === 'value' ? 0 : displayed(field.end.column)))
  }
  for (const { fieldPath: order } of orders) fieldPath(order.path, order.hops.length + displayed(order.end.column))
  for (const [index, { rows, condition }] of (where === null ? [] : conditionsOf(where, '')).entries()) {
    // The rows of another table are a subquery with joins of its own.
    if (condition.kind === 'rows') {
      references.add(`#${index}`)
      continue
    }
    const { comparison, fieldPath: tested, other } = condition
    if (tested !== null && comparesSeveral(comparison.operator, tested)) {
      // Each is a subquery with joins of its own, even if other conditions use the same path.
      for (let hop = 0; hop <= tested.hops.length; hop += 1) references.add(`#${index}.${hop}`)
    } else if (tested !== null)
      fieldPath(
        `${rows}${tested.path}`,
        tested.hops.length + (READS_TEXT.test(comparison.operator) ? displayed(tested.end.column) : 0),
      )
    if (other !== null) fieldPath(`${rows}${other.path}`, other.hops.length)
  }
  if (references.size <= MAX_REFERENCES) return succeed(null)
  return fail({
    kind: 'over-budget',
    detail: `it follows ${references.size} references, and one request may follow ${MAX_REFERENCES}; ask for fewer fields with dots`,
  })
}

const READS_TEXT = /LIKE|WITH/

/** Whether the condition is on members of a list, or on entries of a journal. */
function comparesSeveral(operator: string, { hops, end }: ResolvedPath): boolean {
  const isOfMembers = refersToMany(end.column) && end.column.reference !== null && READS_TEXT.test(operator)
  return isOfMembers || isJournal(end.column) || hops.some(({ column }) => refersToMany(column))
}

interface BudgetedCondition {
  /** A prefix that separates paths in another table from those in the request's table. */
  readonly rows: string
  readonly condition: AuthorizedComparison | AuthorizedRows
}

function conditionsOf(condition: AuthorizedCondition, rows: string): readonly BudgetedCondition[] {
  if (condition.kind === 'comparison') return [{ rows, condition }]
  if (condition.kind !== 'rows') return condition.of.flatMap((member) => conditionsOf(member, rows))
  const inner = `${rows}${condition.table.name} `
  const ofRows = condition.where === null ? [] : conditionsOf(condition.where, inner)
  return [{ rows, condition }, ...ofRows]
}
