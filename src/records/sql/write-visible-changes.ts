import { type Catalog, SYSTEM_COLUMNS, type Table } from '../../catalog/catalog.ts'
import { sql } from '../../kernel/sql.ts'
import type { Owner, Predicate } from '../plan/planned-predicate.ts'
import type { Param } from '../plan/value-source.ts'
import { keptRow, storageOf } from './adopted-storage.ts'
import type { Expression } from './expression.ts'
import { Aliases, embed, Row } from './from-clause.ts'
import { idLiteral } from './id-literal.ts'

/**
 * The changes with some sequence numbers, of records of one hierarchy, as far as a user may see them. Columns of the result: sequence
 * number, operation, class, record, time, user (both null if they may not be read), changes by column (null: none is visible).
 *
 * Rights are checked on the current record; for a deleted one, on the values that the log kept. If rights depend on the row, they are
 * also checked on the row after the change and before it. The log has all changes since then, so these rows are rebuilt from the
 * current one. If a change makes a value visible, the value is returned even if the change did not modify it: otherwise the response
 * would reveal what the record contained while it was hidden.
 */
export function writeVisibleChanges(
  owner: Owner,
  { catalog, positions }: { readonly catalog: Catalog; readonly positions: Param },
): Expression {
  const { table } = owner
  const aliases = new Aliases()
  const isAlwaysReadable = isTrue(owner.readable) && (owner.columns ?? []).every(({ visible }) => isTrue(visible))
  const now = new Row('r', table)
  const stands = sql`${storageOf(table)} as t where ${new Row('t', table).isNamed(sql`c.record_id`)}`
  const system = (name: string, stored: Expression): Expression => {
    const visible = owner.columns?.find((column) => column.name === name)?.visible
    // Adopted tables have no such column.
    if (visible === undefined) return table.columns.has(name) ? sql`null::text` : stored
    return isTrue(visible) ? stored : sql`case when ${embed(visible, now, aliases)} then ${stored} end`
  }
  const then = sql`and ${embed(owner.readable, new Row('a', table), aliases)}`
  return sql`select c.position::text, c.operation::text, c.table_id::text, c.record_id,
      ${system('sys_updated_at', sql`c.changed_at::text`)}, ${system('sys_updated_by', sql`c.changed_by::text`)},
      ${isAlwaysReadable ? writeLoggedValues(owner, now, aliases) : writeValuesVisibleThen(owner, catalog, aliases)}
    from unnest(${positions}::bigint[]) as p (position) join docket_system.change as c on c.position = p.position
    cross join lateral (select min(d.position) as ends from docket_system.change as d
      where d.record_id = c.record_id and d.position >= c.position and d.table_id = c.table_id and d.operation = 'd') as life
    cross join lateral (
      select t.* from ${stands} and life.ends is null
      union all
      select k.* from docket_system.change as d, ${rowOf(table, valuesOf(sql`d.changes`, table, catalog))}
      where d.position = life.ends
    ) as r ${isAlwaysReadable ? sql`` : rowsOfThen(owner, catalog)}
    where ${embed(owner.readable, now, aliases)} ${isAlwaysReadable ? sql`` : then}
    order by c.position`
}

/** For a user whose rights do not depend on the row. */
function writeLoggedValues(owner: Owner, now: Row, aliases: Aliases): Expression {
  return sql`(select jsonb_object_agg(e.key, e.value) from jsonb_each(c.changes) as e where ${writeColumns(owner, now, aliases)})`
}

function writeValuesVisibleThen(owner: Owner, catalog: Catalog, aliases: Aliases): Expression {
  const { table } = owner
  const [now, after, before] = [new Row('r', table), new Row('a', table), new Row('b', table)]
  const wasReadable = sql`coalesce(${embed(owner.readable, before, aliases)}, false)`
  const isVisible = sql`${writeColumns(owner, now, aliases)} and ${writeColumns(owner, after, aliases)}`
  const wasVisible = sql`(${wasReadable} and coalesce(${writeColumns(owner, before, aliases)}, false))`
  const others = (owner.columns ?? []).filter(({ visible }) => !isTrue(visible))
  const becomesVisible = others.map(
    ({ visible }) =>
      sql`(coalesce(${embed(visible, after, aliases)}, false) and not coalesce(${embed(visible, before, aliases)}, false))`,
  )
  const descendants = table.descendants.flatMap((name) => catalog.tables.get(name) ?? [])
  // A change adds journal entries: there is no value before it.
  const journals = descendants.flatMap(({ columns }) => [...columns.values()].filter(({ storage }) => storage === null))
  const names = [...new Set(journals.map(({ name }) => name))]
  const isEntry = names.length === 0 ? sql`false` : sql`e.key in (${sql.join(names.map((name) => sql.lit(name)))})`
  const system = [...SYSTEM_COLUMNS].map((name) => sql.lit(name))
  return sql`nullif(
      coalesce((select jsonb_object_agg(e.key, e.value) from jsonb_each(c.changes) as e
        where ${isVisible} and (c.operation <> 'u' or ${isEntry} or ${wasVisible})), '{}')
      || case when c.operation = 'u' and (not ${wasReadable} or ${becomesVisible.length === 0 ? sql`false` : sql.join(becomesVisible, sql` or `)})
        then coalesce((select jsonb_object_agg(e.key, jsonb_build_array(null, e.value))
          from jsonb_each(docket_system.stored_values(c.table_id, to_jsonb(a.*))) as e
          where e.key not in (${sql.join(system)}) and ${isVisible} and not ${wasVisible}), '{}') else '{}' end, '{}')`
}

const isTrue = (predicate: Predicate): boolean => predicate.kind === 'constant' && predicate.value

/** `a`: the row after the change. `b`: the row before it. */
function rowsOfThen(owner: Owner, catalog: Catalog): Expression {
  const { table } = owner
  const made = (values: Expression): Expression => sql`select k.* from ${rowOf(table, sql`to_jsonb(r.*) || ${values}`)}`
  const undone = (changes: Expression): Expression => valuesOf(changes, table, catalog, sql`c.table_id`)
  const isStamped = usesStamps(owner)
  const stamps = (change: string): Expression =>
    isStamped
      ? sql`|| jsonb_build_object('sys_updated_at', ${sql.ref(`${change}.changed_at`)}, 'sys_updated_by', ${sql.ref(`${change}.changed_by`)})`
      : sql``
  const previous = isStamped
    ? sql`left join lateral (select d.changed_at, d.changed_by from docket_system.change as d
        where d.record_id = c.record_id and d.table_id = c.table_id and d.position < c.position order by d.position desc limit 1) as previous on true`
    : sql``
  return sql`cross join lateral (select jsonb_object_agg(l.key, l.old) as old from (
      select distinct on (e.key) e.key, e.value -> 0 as old
      from docket_system.change as l cross join lateral jsonb_each(l.changes) as e
      where l.record_id = c.record_id and l.table_id = c.table_id and l.operation = 'u' and l.position > c.position
        and l.position < coalesce(life.ends, ${sql.raw(ENDLESS)})
      order by e.key, l.position) as l) as later
    ${previous}
    cross join lateral (
      select r.* where later.old is null
      union all ${made(sql`${undone(sql`later.old`)} ${stamps('c')}`)} where later.old is not null) as a
    cross join lateral (select jsonb_object_agg(e.key, e.value -> 0) as old from jsonb_each(c.changes) as e where c.operation = 'u') as own
    cross join lateral (
      select r.* where own.old is null
      union all ${made(sql`${undone(sql`coalesce(later.old, '{}') || own.old`)} ${stamps('previous')}`)} where own.old is not null) as b`
}

/** Whether rights depend on who wrote the record last, or when: the log has both as columns of its own, not among the values. */
function usesStamps({ table, readable, columns }: Owner): boolean {
  if (table.adopted !== null) return false
  const row = new Row('r', table)
  for (const predicate of [readable, ...(columns ?? []).map(({ visible }) => visible)])
    embed(predicate, row, new Aliases())
  return row.used.has('sys_updated_at') || row.used.has('sys_updated_by')
}

/** Greater than every sequence number. */
const ENDLESS = '9223372036854775807'

/** A row of the table's type as `k`. Values that no longer fit their columns are left out. */
function rowOf(table: Table, values: Expression): Expression {
  return table.adopted === null
    ? sql`docket_system.row_of(null::${storageOf(table)}, ${values}) as k`
    : sql`${keptRow(table, { kept: values, name: sql`c.record_id` })} as k`
}

function writeColumns(owner: Owner, row: Row, aliases: Aliases): Expression {
  const columns = owner.columns ?? []
  const always = columns.filter(({ visible }) => isTrue(visible))
  const others = columns.filter(({ visible }) => !isTrue(visible))
  const alternatives = [
    ...(always.length === 0 ? [] : [sql`e.key in (${sql.join(always.map(({ name }) => sql.lit(name)))})`]),
    ...others.map(({ name, visible }) => sql`(e.key = ${sql.lit(name)} and ${embed(visible, row, aliases)})`),
  ]
  return alternatives.length === 0 ? sql`false` : sql`(${sql.join(alternatives, sql` or `)})`
}

/** Logged values by PostgreSQL's names of the columns; the log has them by the dictionary's names. */
function valuesOf(
  changes: Expression,
  table: Table,
  catalog: Catalog,
  ofClass: Expression = sql`d.table_id`,
): Expression {
  const descendants = table.descendants.flatMap((name) => catalog.tables.get(name) ?? [])
  const renamed = descendants.flatMap((member) =>
    [...member.columns.values()]
      .filter((column) => column.storage !== null && column.storage !== column.name)
      .map(
        (column) =>
          sql`case when ${ofClass} = ${idLiteral(member.id)} and (${changes}) ? ${sql.lit(column.name)} then jsonb_build_object(${sql.lit(column.storage)}::text, (${changes}) -> ${sql.lit(column.name)}) else '{}' end`,
      ),
  )
  return renamed.length === 0 ? changes : sql`((${changes}) || ${sql.join(renamed, sql` || `)})`
}
