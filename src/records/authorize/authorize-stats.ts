import type { Column, Table } from '../../catalog/catalog.ts'
import type { ResolvedPath } from '../../catalog/resolve-path.ts'
import { COLUMN_TYPE_NAMES, type ColumnTypeName, columnTypeOf, comparisonOf } from '../../column-types/column-types.ts'
import type { Operand } from '../../condition/condition-tree.ts'
import type { Problem, RequestPart } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import {
  type Aggregate,
  type GroupField,
  PERIOD_UNITS,
  type RecordRequest,
  type StatsRequest,
  type StatTerm,
} from '../parse/record-request.ts'
import type {
  AuthorizedAggregate,
  AuthorizedGroup,
  AuthorizedStats,
  FieldPath,
  StatColumn,
} from './authorized-request.ts'

type Part = RequestPart['part']

/** Resolves the columns of a path, or reports why the caller may not use it. */
export type AuthorizePath = (path: readonly string[]) => Result<ResolvedPath, Problem>

interface StatsRights {
  readonly table: Table
  readonly authorize: AuthorizePath
  /** Why a value may not be used; null: it is allowed. */
  readonly unreadable: (value: Operand) => string | null
}

/** Checks every field that is grouped, aggregated or compared by the same rules as fields of a condition. */
export function authorizeStats(
  request: RecordRequest,
  requested: StatsRequest,
  { table, authorize, unreadable }: StatsRights,
): Result<AuthorizedStats, Problem> {
  const [order] = request.query.orders
  if (order !== undefined) {
    return fail({
      kind: 'bad-query',
      detail: 'Groups take their order from sysparm_order_by',
      position: order.position,
    })
  }
  const groups: AuthorizedGroup[] = []
  for (const field of requested.groupBy) {
    const fieldPath = authorizeField('group_by', field.path, { table, authorize })
    if (!fieldPath.ok) return fieldPath
    const unfit = explainUnfitGroup(field, fieldPath.value.end.column)
    if (unfit !== null) return wrong('group_by', field.key, unfit)
    groups.push({ key: field.key, unit: field.unit, fieldPath: fieldPath.value })
  }
  const aggregates: AuthorizedAggregate[] = []
  const find = (term: StatTerm, part: Part, isDisplayed: boolean): Result<StatColumn, Problem> => {
    if (term.kind === 'count') return succeed(term)
    if (term.kind === 'group') {
      const index = requested.groupBy.findIndex(({ key }) => key === term.path)
      return index < 0
        ? wrong(part, term.path, 'fields of sysparm_group_by, count, sum(field), avg(field), min(field), max(field)')
        : succeed({ kind: 'group', index })
    }
    const known = aggregates.findIndex(({ kind, fieldPath }) => kind === term.kind && fieldPath.path === term.path)
    if (known >= 0) return succeed({ kind: 'aggregate', index: known })
    const fieldPath = authorizeField(part, term.path, { table, authorize })
    if (!fieldPath.ok) return fieldPath
    const { type } = fieldPath.value.end.column
    if (!isPossible(term.kind, type)) {
      const types = COLUMN_TYPE_NAMES.filter((each) => isPossible(term.kind, each))
      return wrong(part, term.path, `fields of the types ${types.join(', ')}; it is of type ${type}`)
    }
    aggregates.push({ kind: term.kind, fieldPath: fieldPath.value, isDisplayed })
    return succeed({ kind: 'aggregate', index: aggregates.length - 1 })
  }
  for (const term of requested.displayed) {
    const found = find(term, `${term.kind}_fields`, true)
    if (!found.ok) return found
  }
  const having: AuthorizedStats['having'][number][] = []
  for (const { term, operator, value } of requested.having) {
    const hidden = unreadable(value)
    if (hidden !== null) return wrong('having', value.text, hidden)
    const on = find(term, 'having', false)
    if (!on.ok) return on
    having.push({ on: on.value, operator })
  }
  const orders: AuthorizedStats['orders'][number][] = []
  for (const { term, direction } of requested.orders) {
    const on = find(term, 'order_by', false)
    if (!on.ok) return on
    orders.push({ on: on.value, direction })
  }
  return succeed({ groups, aggregates, having, orders })
}

/** What would be correct; null: the column can form such groups. */
function explainUnfitGroup({ path, unit }: GroupField, column: Column): string | null {
  const { type } = column
  if (columnTypeOf(column).storage.index === null) return `fields that can be compared; ${path} is of type ${type}`
  if (unit === null) return null
  const comparison = comparisonOf(column)
  if (comparison === 'datetime' || (comparison === 'date' && unit !== 'hour')) return null
  const units = PERIOD_UNITS.filter((each) => each !== 'hour').join(', ')
  return comparison === 'date'
    ? `dates with one of the units ${units}; ${path} has no hours`
    : `fields with a date where a unit is given; ${path} is of type ${type}`
}

function isPossible(kind: Aggregate, type: ColumnTypeName): boolean {
  const { aggregate } = columnTypeOf({ type })
  return kind === 'sum' || kind === 'avg' ? aggregate[kind] !== undefined : aggregate.hasExtremes === true
}

/** Field paths of the request, for the limit on references. */
export function fieldsOf({ groups, aggregates }: AuthorizedStats): readonly FieldPath[] {
  return [...groups, ...aggregates].map(({ fieldPath }) => ({ fieldPath, denied: false }))
}

function authorizeField(
  part: Part,
  path: string,
  { table, authorize }: { readonly table: Table; readonly authorize: AuthorizePath },
): Result<ResolvedPath, Problem> {
  const fieldPath = authorize(path.split('.'))
  if (fieldPath.ok || fieldPath.error.kind !== 'bad-query') return fieldPath
  return wrong(part, path, `a list of columns of ${table.name} (${fieldPath.error.detail})`)
}

function wrong(part: Part, found: string, expected: string): Result<never, Problem> {
  return fail({ kind: 'bad-parameter', parameter: { part }, found, expected })
}
