import { columnTypeOf } from '../../column-types/column-types.ts'
import { CASTS } from '../../column-types/comparison-types.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { PlanKind, PlannedCell, RecordPlan } from '../plan/record-plan.ts'
import { Param } from '../plan/value-source.ts'
import type { Expression } from './expression.ts'
import { Aliases, FromClause, Row, writePredicate } from './from-clause.ts'
import { sourceOf } from './row-source.ts'
import { wholeSecondsOf } from './whole-seconds.ts'
import { orderKey } from './write-comparison.ts'
import { writeRecord } from './write-field.ts'
import { writeFirstStart, writePeriod } from './write-period.ts'
import { writeRemovedColumn } from './write-removed-history.ts'

type StatsPlan = Extract<PlanKind, { readonly kind: 'stats' }>
type Aggregated = StatsPlan['stats']['aggregates'][number]

/**
 * Groups of the rows that the caller may read. Columns: catalog epoch, identity epoch, JSON text of the groups, number of found
 * groups (more than the limit: there are more), number of all groups; of a view of the log also the time before which changes are removed.
 */
export function writeStats(plan: RecordPlan, form: StatsPlan): Sql<unknown> {
  const { stats } = form
  const aliases = new Aliases()
  const groupFrom = new FromClause(new Row('g', plan.table), aliases)
  const limit = typeof form.limit === 'number' ? sql.lit(form.limit) : sql`${new Param(form.limit, 0)}::bigint`
  const before = form.offset === 0 ? sql.lit(0) : sql`${new Param(form.offset, 0)}::bigint`
  const group = writeGroup(plan, form, groupFrom)
  const having = stats.having.map((comparison) => {
    const operator = comparison.operator === '!=' ? sql`is distinct from` : sql.raw(comparison.operator)
    return sql`${cellOf(comparison.name)} ${operator} ${new Param(comparison.value, 0)}::${CASTS[comparison.comparisonType]}`
  })
  // Groups with equal order keys are sorted by their group fields.
  const orders = [
    ...stats.orders.map(
      ({ name, comparisonType, direction }) =>
        sql`${orderKey(comparisonType, cellOf(name))} ${direction === 'ascending' ? sql`asc nulls last` : sql`desc nulls last`}`,
    ),
    ...stats.groups.map(({ name, comparisonType }) => sql`${orderKey(comparisonType, cellOf(name))} asc`),
    sql`${cellOf('#count')} asc`,
  ]
  const numbered = sql`select row_number() over (order by ${sql.join(orders)}) as "#", count(*) over () as "#total", g.*
    from (${writeGroups(plan, form, aliases)}) as g where ${sql.join([sql`true`, ...having], sql` and `)}`
  const removed = writeRemovedColumn(plan.table, form.removedHistory, aliases)
  // The first group is read with every page: it has the total where the page is past the end.
  return sql`select e.catalog::text, e.identity::text, s.body, s.found, s.total${removed}
    from docket_system.epoch e,
    (select string_agg(j.record, ',' order by j.n) filter (where j.n > ${before} and j.n <= ${before} + ${limit}) as body,
            count(*) filter (where j.n > ${before})::integer as found, coalesce(max(j.total), 0)::text as total
     from (select g."#" as n, g."#total" as total, ${group} as record
           from (select * from (${numbered}) as g where g."#" = 1 or g."#" > ${before}
                 order by g."#" limit ${limit} + 2) as g ${groupFrom.joins()}) as j) as s`
}

const cellOf = (name: string): Expression => sql.ref(`g.${name}`)

function writeGroups(plan: RecordPlan, { stats, where, counted }: StatsPlan, aliases: Aliases): Expression {
  const source = sourceOf(plan.table, aliases, { where })
  const from = new FromClause(source.row, aliases)
  const keys = stats.groups.map(
    (cell) => sql`${writePeriod(cell, from.valueOf(cell.fieldPath))} as ${sql.id(cell.name)}`,
  )
  const values = stats.aggregates.map((cell) => sql`${writeAggregate(cell, from)} as ${sql.id(cell.name)}`)
  const condition = writePredicate(counted, from)
  const columns = [...keys, ...values, sql`count(*) as "#count"`]
  const groupBy = keys.length === 0 ? sql`` : sql`group by ${sql.join(keys.map((_key, index) => sql.lit(index + 1)))}`
  const groups = sql`select ${sql.join(columns)} from ${source.tables} ${from.joins()}
    where ${condition} ${groupBy}`
  return stats.groups.some(({ unit }) => unit !== null) ? writeFirstStarts(stats, groups) : groups
}

function writeFirstStarts({ groups, aggregates }: StatsPlan['stats'], from: Expression): Expression {
  const keys = groups.map((cell) => sql`${writeFirstStart(cell, cellOf(cell.name))} as ${sql.id(cell.name)}`)
  const values = [...aggregates.map(({ name }) => name), '#count'].map(cellOf)
  return sql`select ${sql.join([...keys, ...values])} from (${from}) as g`
}

function writeAggregate({ kind, fieldPath }: Aggregated, from: FromClause): Expression {
  const value = from.valueOf(fieldPath)
  if (kind === 'min' || kind === 'max') {
    const extreme = sql`${sql.raw(kind)}(${value})`
    // It is compared as it is displayed.
    return wholeSecondsOf(fieldPath)?.of(extreme) ?? extreme
  }
  const aggregate = columnTypeOf(fieldPath.column).aggregate[kind]
  if (aggregate === undefined) throw new Error(`${kind} was planned for a column of type ${fieldPath.column.type}`)
  return aggregate.write(value, fieldPath.column)
}

/** `{"group":{…},"count":n,"sum":{…}}`; each part has the format of a record. */
function writeGroup({ display, links, names }: RecordPlan, { stats }: StatsPlan, groupFrom: FromClause): Expression {
  const part = (cells: readonly PlannedCell[]): Expression =>
    writeRecord({ fields: cells.map(({ displayed }) => displayed), display, links, names }, groupFrom)
  const kinds = [...new Set(stats.aggregates.filter(({ isDisplayed }) => isDisplayed).map(({ kind }) => kind))]
  const parts = kinds.map((kind) => {
    const cells = stats.aggregates.filter((cell) => cell.isDisplayed && cell.kind === kind)
    return sql` || ${sql.lit(`,"${kind}":`)} || ${part(cells)}`
  })
  return sql`'{"group":' || ${part(stats.groups)} || ',"count":' || g."#count"${sql.join(parts, sql``)} || '}'`
}
