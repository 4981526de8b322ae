import { isOwnKey } from '../../column-types/column-types.ts'
import type { KeyPart, RecordKey } from '../../column-types/record-key.ts'
import { succeed } from '../../kernel/result.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { FoundFirst, PlanKind, PlannedOrder, RecordPlan } from '../plan/record-plan.ts'
import { ofRequest, Param } from '../plan/value-source.ts'
import { storageOf } from './adopted-storage.ts'
import { columnsOfPage } from './columns-of-page.ts'
import { operatorOf, partOf } from './compare-key.ts'
import { positionBetween, positionOf } from './computed-key.ts'
import type { Expression } from './expression.ts'
import { FoundRows } from './found-rows.ts'
import { Aliases, FromClause, Row, writePredicate } from './from-clause.ts'
import { sourceOf } from './row-source.ts'
import { castOf, isText, orderKey, orderKeyOf, typeOfKeyOf } from './write-comparison.ts'
import { writeCutKeys, writeRecord } from './write-field.ts'
import { writeRecordRights } from './write-record-rights.ts'
import { writeRemovedColumn } from './write-removed-history.ts'
import { writeTag } from './write-tag.ts'
import { writeTotal, writeTotalOfList } from './write-total.ts'

/** Name of an order key among the columns of the page. No column can have it. */
const keyName = (index: number): string => `#key_${index}`

type ListPlan = Extract<PlanKind, { readonly kind: 'list' }>
type ReadPlan = Extract<PlanKind, { readonly kind: 'read' }>

/**
 * One page. The rows are found, sorted and limited first, with only the columns that are needed; the field paths of the response
 * are joined to the rows of the page. Columns of the result: catalog epoch, identity epoch, JSON text of the records, number of found
 * rows (limit + 1: there are more), order keys of the last record, total, keys of the fields that were cut; of a view of the log also
 * the time before which changes are removed.
 */
export function writeList(plan: RecordPlan, form: ListPlan): Sql<unknown> {
  const aliases = new Aliases()
  const page = new Row('page', plan.table)
  const pageFrom = new FromClause(page, aliases)
  const maxText = form.maxText === null ? null : sql`${new Param(form.maxText, 0)}::integer`
  const record = writeRecord(maxText === null ? plan : { ...plan, maxText }, pageFrom)
  const cut = maxText === null ? sql`null::text` : writeCutKeys(plan.fields, pageFrom, maxText)
  const limit = typeof form.limit === 'number' ? sql.lit(form.limit) : sql`${new Param(form.limit, 0)}::bigint`
  const keys = form.orders.map((_order, index) => sql`${sql.ref(`page.${keyName(index)}`)}::text`)
  const { columns, computed } = columnsOfPage(plan.table, page.used)
  const { before, rows, total } = writeRowsAndTotal(plan, form, { aliases, columns, limit })
  const removed = writeRemovedColumn(plan.table, form.removedHistory, aliases)

  return sql`${before}select e.catalog::text, e.identity::text, a.body, a.found, a.keys, ${total}, a.cut${removed}
    from docket_system.epoch e,
    (select string_agg(j.record, ',' order by j.n) filter (where j.n <= ${limit}) as body, count(*)::integer as found,
            max(j.keys) filter (where j.n = ${limit}) as keys, string_agg(distinct j.cut, ',') filter (where j.n <= ${limit}) as cut
     from (select page."#" as n, ${record} as record, ${cut} as cut, case when page."#" = ${limit} then json_build_array(${sql.join(keys)})::text end as keys
           from (select row_number() over () as "#", page.*${computed} from (${rows}) as page) as page ${pageFrom.joins()}) as j) as a`
}

interface RowsAndTotal {
  /** The beginning of the statement. */
  readonly before: Expression
  readonly rows: Expression
  readonly total: Expression
}

function writeRowsAndTotal(plan: RecordPlan, form: ListPlan, parts: PageParts): RowsAndTotal {
  if (form.foundFirst !== null) return writeFoundFirst(plan, form, { ...parts, first: form.foundFirst })
  return {
    before: sql``,
    rows: writePage(plan, form, parts),
    total: form.count ? writeTotalOfList(plan, form, parts) : sql`null::text`,
  }
}

/** If the found rows are all there are, the page is among them. If not, only their number says so, and the page is read from the table. */
function writeFoundFirst(
  plan: RecordPlan,
  form: ListPlan,
  { first, ...parts }: PageParts & { readonly first: FoundFirst },
): RowsAndTotal {
  const { upTo } = first
  const found = new FoundRows(plan.table, parts.aliases, upTo)
  // Few rows are simply sorted, also by a column behind a reference.
  const orders = form.orders.map((order) => ({ ...order, isByReference: false }))
  const amongFound = writePage(plan, { ...form, orders }, { ...parts, found })
  const inOrder = writePage({ ...plan, readable: first.readableInOrder }, form, parts)
  const rest =
    form.countUpTo === null || form.countUpTo > upTo
      ? writeTotal({ table: plan.table, anyOf: form.counted, countUpTo: form.countUpTo }, parts.aliases)
      : sql`null`
  return {
    before: found.write(first.where),
    rows: sql`select * from (${amongFound}) as among where ${found.areAll()}
      union all select * from (${inOrder}) as walked where not ${found.areAll()}`,
    total: form.count ? sql`case when ${found.areAll()} then ${found.count()}::text else ${rest} end` : sql`null::text`,
  }
}

interface PageParts {
  readonly aliases: Aliases
  readonly columns: readonly string[]
  readonly limit: Expression
  /** The page is read from these; undefined: from the table. */
  readonly found?: FoundRows
  /** 1: the first order key is the same in all rows of the range, so it is not sorted by. */
  readonly sortedFrom?: 0 | 1
  /** The rows of the range may have any order. */
  readonly isUnsorted?: true
}

function writePage(plan: RecordPlan, form: ListPlan, parts: PageParts): Expression {
  if (form.paging.kind === 'page') {
    return writeFromStart(plan, form, parts, form.offset === 0 ? null : sql`${new Param(form.offset, 0)}::bigint`)
  }
  const { nulls } = form.paging
  if (nulls.length === 0) return writeFromStart(plan, form, parts, null)
  // A row is after the cursor if it is equal in all keys but the last and after it in the last, or equal in all but the last two
  // and after it in the last but one, and so on. Each case is a range of an index in the right order, and PostgreSQL stops at the
  // limit, so a page costs the same at any depth.
  const ranges = form.orders
    .flatMap((_order, depth) => rangesAfter(form.orders, depth, nulls))
    .toReversed()
    .map(({ after, isUnnamed }) => {
      const rows = sql`${parts.limit} + 1`
      return isUnnamed
        ? writeUnnamed(plan, form, parts, { rows, after })
        : sql`(${writeFirst(plan, form, parts, { rows, after })})`
    })
  const [only, second] = ranges
  // Nothing comes after a key of nulls. No response contains such a cursor.
  if (only === undefined) return sql`${writeRange(plan, form, parts, () => sql`false`)} limit ${parts.limit} + 1`
  // A single range (as of an order by the key alone) already has the limit.
  if (second === undefined) return only
  return sql`${sql.join(ranges, sql` union all `)} limit ${parts.limit} + 1`
}

/**
 * For an order by a column behind a reference, PostgreSQL reads the referenced records in the order of that column's index, and the
 * rows of each. It cannot do so for an outer join, so rows with and without a value are separate ranges.
 */
function writeFromStart(plan: RecordPlan, form: ListPlan, parts: PageParts, offset: Expression | null): Expression {
  const last = offset === null ? sql`limit ${parts.limit} + 1` : sql`limit ${parts.limit} + 1 offset ${offset}`
  const [first] = form.orders
  if (first === undefined || !first.isByReference) {
    const page = { rows: sql`${parts.limit} + 1`, after: null }
    return offset === null ? writeFirst(plan, form, parts, page) : sql`${writeRange(plan, form, parts, null)} ${last}`
  }
  const rows = offset === null ? sql`${parts.limit} + 1` : sql`${parts.limit} + 1 + ${offset}`
  const filled = sql`(${writeFirst(plan, form, parts, { rows, after: ([key]) => sql`${(key ?? NO_KEY).value} is not null` })})`
  const empty = writeUnnamed(plan, form, parts, { rows, after: () => sql`true` })
  const ranges = first.direction === 'ascending' ? [filled, empty] : [empty, filled]
  return sql`select * from (${sql.join(ranges, sql` union all `)}) as pages ${last}`
}

/** The first rows of a range. Their keys may be found before the other columns are read (plan/keys-first.ts). */
function writeFirst(plan: RecordPlan, form: ListPlan, parts: PageParts, { rows, after }: LimitedRange): Expression {
  if (!form.keysFirst || parts.found !== undefined) return sql`${writeRange(plan, form, parts, after)} limit ${rows}`
  const { keyColumn } = plan.table
  const named = parts.aliases.next()
  const keys = form.orders.map((order, index) => ({ order, key: sql.ref(`${named}.${keyName(index)}`) }))
  const first = writeRange(plan, form, { ...parts, columns: [keyColumn] }, after)
  const row = new Row(parts.aliases.next(), plan.table)
  const columns = parts.columns.map((name) => sql`${row.storage(name)} as ${sql.id(name)}`)
  const keyColumns = keys.map(({ key }, index) => sql`${key} as ${sql.id(keyName(index))}`)
  const orderBy = keys.map(
    ({ order, key }) =>
      sql`${orderKeyOf({ comparisonType: order.comparisonType, column: order.fieldPath.column }, key)} ${directionOf(order)}`,
  )
  return sql`select ${sql.join([...columns, ...keyColumns])} from (${first} limit ${rows}) as ${sql.id(named)}
    join ${storageOf(plan.table)} as ${sql.id(row.alias)} on ${row.key()} = ${sql.ref(`${named}.${keyColumn}`)}
    order by ${sql.join(orderBy)}`
}

interface LimitedRange {
  readonly rows: Expression
  /** null: all rows. */
  readonly after: After | null
}

interface UnnamedRange extends LimitedRange {
  /** Restricts the range. Does not use the first order key, which is null in all its rows. */
  readonly after: After
}

/** Rows whose first order key is null: those without a reference, and those whose referenced record has no value. */
function writeUnnamed(plan: RecordPlan, form: ListPlan, parts: PageParts, { rows, after }: UnnamedRange): Expression {
  const where =
    (condition: (key: SortKey) => Expression): After =>
    (keys) =>
      sql`${condition(keys[0] ?? NO_KEY)} and ${after(keys)}`
  const range = { ...parts, sortedFrom: 1 } as const
  const isWithout = where(({ reference }) => sql`${reference} is null`)
  const withoutReference = sql`(${writeRange(plan, form, range, isWithout)} limit ${rows})`
  const withoutValue = writeWithoutValue(plan, form, range, {
    rows,
    after: where(({ target, value }) => sql`${target} is not null and ${value} is null`),
  })
  const orderBy = form.orders.slice(1).map((order, index) => {
    const key = sql.ref(`unnamed.${keyName(index + 1)}`)
    return sql`${orderKey(order.comparisonType, key)} ${directionOf(order)}`
  })
  return sql`(select * from (${withoutReference} union all ${withoutValue}) as unnamed order by ${sql.join(orderBy)} limit ${rows})`
}

/** More rows than this whose referenced record has no value are frequent enough to be found in the order of the list. */
const MAX_WITHOUT_VALUE = 1_000

/**
 * Rows whose referenced record has no value. PostgreSQL expects such a record, and as many rows of it as of others: it would read the table in the
 * order of the list, to its end if there is none. So they are found first, as the matches of a search are (found-first.ts).
 */
function writeWithoutValue(
  plan: RecordPlan,
  form: ListPlan,
  parts: PageParts,
  { rows, after }: LimitedRange,
): Expression {
  const few = sql.id(parts.aliases.next())
  const all = sql.id(parts.aliases.next())
  const count = sql`(select count(*) from ${few})`
  const unsorted = writeRange(plan, form, { ...parts, isUnsorted: true }, after)
  return sql`(with ${few} as materialized (${unsorted} limit ${sql.lit(MAX_WITHOUT_VALUE + 1)})
    select * from ${few} where ${count} <= ${sql.lit(MAX_WITHOUT_VALUE)}
    union all select * from (${writeRange(plan, form, parts, after)} limit ${rows}) as ${all} where ${count} > ${sql.lit(MAX_WITHOUT_VALUE)})`
}

const directionOf = ({ direction }: PlannedOrder): Expression => (direction === 'ascending' ? sql`asc` : sql`desc`)

type After = (keys: readonly SortKey[]) => Expression

/** A key that rows are sorted by. */
interface SortKey {
  /** As the cursor of the response contains it. */
  readonly value: Expression
  /** What is sorted by, in order; several expressions if the value is made of several columns. */
  readonly sorted: readonly Expression[]
  /** The sequence number from which the value is computed, if only that has an index (computed-key.ts). */
  readonly position: Expression | null
  /** The reference to the record with the value, and the key of that record; null: the value is in the row itself. */
  readonly reference: Expression | null
  readonly target: Expression | null
}

interface RangeAfter {
  readonly after: After
  /** The first order key, a column behind a reference, is null in all rows of the range. */
  readonly isUnnamed: boolean
}

/** Rows equal to the cursor in the first `depth` keys and after it in the next: nulls are last ascending, first descending. */
function rangesAfter(orders: readonly PlannedOrder[], depth: number, nulls: readonly boolean[]): readonly RangeAfter[] {
  const order = orders[depth]
  if (order === undefined) return []
  const isUnnamed = depth > 0 && nulls[0] === true && orders[0]?.isByReference === true
  const equal: After = (keys) =>
    sql.join(
      [
        sql`true`,
        ...orders.slice(0, depth).flatMap((each, index) => {
          if (isUnnamed && index === 0) return []
          const key = keys[index]?.value ?? sql`null`
          if (nulls[index]) return sql`${key} is null`
          return isAtCursor(each, key, cursorParam(each, index))
        }),
      ],
      sql` and `,
    )
  const beyond = (condition: (key: SortKey) => Expression): RangeAfter => ({
    after: (keys) => sql`${equal(keys)} and ${condition(keys[depth] ?? NO_KEY)}`,
    isUnnamed,
  })
  const isNull = nulls[depth] === true

  if (order.direction === 'ascending') {
    if (isNull) return []
    const after = beyond(
      ({ sorted, position }) =>
        sql`${asRow(sorted)} ${operatorOf(typeOfKeyOf(order), '>')} ${asRow(cursorParts(order, depth, sorted.length))}${near(position, cursorParam(order, depth), null)}`,
    )
    // The caller reverses the ranges, so what comes later in the list is first here.
    if (order.neverNull) return [after]
    const allUnnamed = { after: () => sql`true`, isUnnamed: true }
    return [order.isByReference && depth === 0 ? allUnnamed : beyond(({ value }) => sql`${value} is null`), after]
  }
  if (isNull) return [beyond(({ value }) => sql`${value} is not null`)]
  return [
    beyond(
      ({ sorted, position }) =>
        sql`${asRow(sorted)} ${operatorOf(typeOfKeyOf(order), '<')} ${asRow(cursorParts(order, depth, sorted.length))}${near(position, null, cursorParam(order, depth))}`,
    ),
  ]
}

/**
 * The collation of an adopted column may take different texts for equal, such as those that differ in case. The order does not, and then a
 * row would be both at the cursor and after it. An index of the column serves the first comparison.
 */
function isAtCursor(order: PlannedOrder, key: Expression, param: Expression): Expression {
  const { comparisonType, fieldPath } = order
  const isEqual = sql`${key} ${operatorOf(typeOfKeyOf(order), '=')} ${param}`
  return fieldPath.table.adopted !== null && isText(comparisonType)
    ? sql`${isEqual} and ${orderKey(comparisonType, key)} = ${param}`
    : isEqual
}

const NO_KEY: SortKey = { value: sql`null`, sorted: [sql`null`], position: null, reference: null, target: null }

const near = (position: Expression | null, min: Expression | null, max: Expression | null): Expression =>
  position === null ? sql`` : sql` and ${positionBetween(position, min, max)}`

function asRow(values: readonly Expression[]): Expression {
  const [only, second] = values
  return only !== undefined && second === undefined ? only : sql`(${sql.join([...values])})`
}

/** A sys_id that is made of several columns is sorted by these, so that their index serves. */
function sortKeyOf(order: PlannedOrder, from: FromClause): SortKey {
  const value = from.valueOf(order.fieldPath)
  const storage = order.fieldPath.hops[0]?.column.storage
  const reference = storage == null ? null : from.row.storage(storage)
  const target = storage == null ? null : from.rowOf(order.fieldPath).key()
  const parts = sortedParts(order)
  if (parts === null) {
    const isOwn = order.fieldPath.hops.length === 0 && order.fieldPath.column.name === order.fieldPath.table.keyColumn
    return {
      value,
      sorted: [orderKeyOf({ comparisonType: order.comparisonType, column: order.fieldPath.column }, value)],
      position: isOwn ? positionOf(from.row) : null,
      reference,
      target,
    }
  }
  const at = from.row.parts()
  return { value, sorted: parts.map((part, index) => inOrder(part, at(index))), position: null, reference, target }
}

/** A comparison of several values at once uses operators of the search path, so a type of an extension is compared as text. */
const inOrder = ({ type }: KeyPart, value: Expression): Expression =>
  type.endsWith('.citext') ? sql`${value}::text` : value

/** The columns of the key if rows are sorted by these; null: rows are sorted by the value. */
function sortedParts({ fieldPath }: PlannedOrder): RecordKey['parts'] | null {
  const { column, table, hops, visible } = fieldPath
  const isOwn = isOwnKey(column) && hops.length === 0 && visible.kind === 'constant' && visible.value
  return isOwn && table.key.kind === 'parts' ? table.key.parts : null
}

function cursorParts(order: PlannedOrder, index: number, count: number): readonly Expression[] {
  const param = cursorParam(order, index)
  const parts = sortedParts(order)
  if (parts === null || parts.length !== count) {
    return [orderKeyOf({ comparisonType: order.comparisonType, column: order.fieldPath.column }, param)]
  }
  return parts.map((part, at) => inOrder(part, partOf(param, at, part.type)))
}

function cursorParam(order: PlannedOrder, index: number): Expression {
  return sql`${new Param(
    ofRequest(({ after }) => succeed([after[index] ?? null])),
    0,
  )}::${castOf(order)}`
}

/** `select … from … where … order by …`, without a limit; `after` restricts it to the rows after a cursor. */
function writeRange(plan: RecordPlan, form: ListPlan, parts: PageParts, after: After | null): Expression {
  const { row, tables } = parts.found?.source() ?? sourceOf(plan.table, parts.aliases, form)
  const from = new FromClause(row, parts.aliases)
  const keys = form.orders.map((order) => sortKeyOf(order, from))
  const isFound = parts.found !== undefined
  const where = isFound ? sql`true` : writePredicate({ kind: 'all', of: [plan.readable, form.where] }, from)
  const columns = parts.columns.map((name) => sql`${row.storage(name)} as ${sql.id(name)}`)
  const keyColumns = keys.map(({ value }, index) => sql`${value} as ${sql.id(keyName(index))}`)
  const orderBy = form.orders.flatMap((order, index) => {
    if (index < (parts.sortedFrom ?? 0)) return []
    const { sorted, position } = keys[index] ?? NO_KEY
    const all = position === null ? sorted : [position, ...sorted]
    return all.map((key) => sql`${key} ${directionOf(order)}`)
  })
  const narrowed = after === null ? where : sql`${where} and ${after(keys)}`
  const found = sql`select ${sql.join([...columns, ...keyColumns])} from ${tables} ${from.joins()} where ${narrowed}`
  return parts.isUnsorted === true ? found : sql`${found} order by ${sql.join(orderBy)}`
}

/**
 * One record. Columns: catalog epoch, identity epoch, JSON text (null: absent or not readable), entity tag, JSON text of the caller's
 * rights.
 */
export function writeRead(plan: RecordPlan, form: ReadPlan): Sql<unknown> {
  const aliases = new Aliases()
  const from = new FromClause(new Row(aliases.next(), plan.table), aliases)
  const record = writeRecord(plan, from)
  const { tagged, tag } = writeTag(plan, from)
  const rights = form.rights === null ? sql`null::text` : writeRecordRights(form.rights, from)
  const where = writePredicate({ kind: 'all', of: [plan.readable, form.where] }, from)
  const sysId = sql`${new Param(form.sysId, 0)}`
  const position = positionOf(from.row)
  const narrowed = near(position, sql`${sysId}::bigint`, sql`${sysId}::bigint`)
  return sql`select e.catalog::text, e.identity::text, r.record, ${tag}, r.rights
    from docket_system.epoch e left join
    (select ${record} as record, ${rights} as rights${tagged === null ? sql`` : sql`, ${tagged} as tagged`}
     from ${storageOf(plan.table)} as ${sql.id(from.row.alias)} ${from.joins()}
     where ${from.row.isRequested(sysId)}${narrowed} and ${where} offset 0) as r on true`
}
