import { sql } from 'kysely'
import { type Catalog, SYSTEM_COLUMNS, type Table } from '../../catalog/catalog.ts'
import type { Owner, Predicate } from '../plan/planned-predicate.ts'
import type { Param } from '../plan/value-source.ts'
import { keptRow, storageOf } from './adopted-storage.ts'
import type { Expression } from './expression.ts'
import { Aliases, embed, Row } from './from-clause.ts'
import { idLiteral } from './id-literal.ts'

/**
 * The changes at some positions, of records of one hierarchy, as far as somebody may see them. Columns of the result: position,
 * operation, class, record, when, by whom (both null where they may not read that), changes by column (null: none that they may see).
 *
 * Rights are asked of the record as it stands; where it is gone, of what its deletion has kept. Where they depend on the row, they
 * are asked too of the row as the change left it and as it was before: the log has all that lies between, so that these rows can be
 * made from the one that stands now. What a change opens is told whole, whether it differs from what stood there or not: else the
 * change would tell what the record held while it was closed.
 */
export function writeSeen(
  owner: Owner,
  { catalog, positions }: { readonly catalog: Catalog; readonly positions: Param },
): Expression {
  const { table } = owner
  const aliases = new Aliases()
  const isOpen = isTrue(owner.readable) && (owner.columns ?? []).every(({ visible }) => isTrue(visible))
  const now = new Row('r', table)
  const stands = sql`${storageOf(table)} as t where ${new Row('t', table).isNamed(sql`c.record_id`)}`
  const system = (name: string, stored: Expression): Expression => {
    const visible = owner.columns?.find((column) => column.name === name)?.visible
    // Tables of others do not tell it by a column.
    if (visible === undefined) return table.columns.has(name) ? sql`null::text` : stored
    return isTrue(visible) ? stored : sql`case when ${embed(visible, now, aliases)} then ${stored} end`
  }
  const then = sql`and ${embed(owner.readable, new Row('a', table), aliases)}`
  return sql`select c.position::text, c.operation::text, c.table_id::text, c.record_id,
      ${system('sys_updated_at', sql`c.changed_at::text`)}, ${system('sys_updated_by', sql`c.changed_by::text`)},
      ${isOpen ? tellAll(owner, now, aliases) : tellThen(owner, catalog, aliases)}
    from unnest(${positions}::bigint[]) as p (position) join docket_system.change as c on c.position = p.position
    cross join lateral (select min(d.position) as ends from docket_system.change as d
      where d.record_id = c.record_id and d.position >= c.position and d.table_id = c.table_id and d.operation = 'd') as life
    cross join lateral (
      select t.* from ${stands} and life.ends is null
      union all
      select k.* from docket_system.change as d, ${rowOf(table, valuesOf(sql`d.changes`, table, catalog))}
      where d.position = life.ends
    ) as r ${isOpen ? sql`` : rowsOfThen(table, catalog)}
    where ${embed(owner.readable, now, aliases)} ${isOpen ? sql`` : then}
    order by c.position`
}

/** Who sees all rows and columns alike, now as ever. */
function tellAll(owner: Owner, now: Row, aliases: Aliases): Expression {
  return sql`(select jsonb_object_agg(e.key, e.value) from jsonb_each(c.changes) as e where ${writeColumns(owner, now, aliases)})`
}

function tellThen(owner: Owner, catalog: Catalog, aliases: Aliases): Expression {
  const { table } = owner
  const [now, after, before] = [new Row('r', table), new Row('a', table), new Row('b', table)]
  const wasOpen = sql`coalesce(${embed(owner.readable, before, aliases)}, false)`
  const seen = sql`${writeColumns(owner, now, aliases)} and ${writeColumns(owner, after, aliases)}`
  const wasSeen = sql`(${wasOpen} and coalesce(${writeColumns(owner, before, aliases)}, false))`
  const others = (owner.columns ?? []).filter(({ visible }) => !isTrue(visible))
  const opens = others.map(
    ({ visible }) =>
      sql`(coalesce(${embed(visible, after, aliases)}, false) and not coalesce(${embed(visible, before, aliases)}, false))`,
  )
  const descendants = table.descendants.flatMap((name) => catalog.tables.get(name) ?? [])
  // Entries of a journal are made by the change: nothing stood there before.
  const journals = descendants.flatMap(({ columns }) => [...columns.values()].filter(({ storage }) => storage === null))
  const names = [...new Set(journals.map(({ name }) => name))]
  const isEntry = names.length === 0 ? sql`false` : sql`e.key in (${sql.join(names.map((name) => sql.lit(name)))})`
  const system = [...SYSTEM_COLUMNS].map((name) => sql.lit(name))
  return sql`nullif(
      coalesce((select jsonb_object_agg(e.key, e.value) from jsonb_each(c.changes) as e
        where ${seen} and (c.operation <> 'u' or ${isEntry} or ${wasSeen})), '{}')
      || case when c.operation = 'u' and (not ${wasOpen} or ${opens.length === 0 ? sql`false` : sql.join(opens, sql` or `)})
        then coalesce((select jsonb_object_agg(e.key, jsonb_build_array(null, e.value))
          from jsonb_each(docket_system.stored_values(c.table_id, to_jsonb(a))) as e
          where e.key not in (${sql.join(system)}) and ${seen} and not ${wasSeen}), '{}') else '{}' end, '{}')`
}

const isTrue = (predicate: Predicate): boolean => predicate.kind === 'constant' && predicate.value

/** `a`: the row as the change left it. `b`: as it was before. */
function rowsOfThen(table: Table, catalog: Catalog): Expression {
  const made = (values: Expression): Expression => sql`select k.* from ${rowOf(table, sql`to_jsonb(r) || ${values}`)}`
  const undone = (changes: Expression): Expression => valuesOf(changes, table, catalog, sql`c.table_id`)
  return sql`cross join lateral (select jsonb_object_agg(l.key, l.old) as old from (
      select distinct on (e.key) e.key, e.value -> 0 as old
      from docket_system.change as l cross join lateral jsonb_each(l.changes) as e
      where l.record_id = c.record_id and l.table_id = c.table_id and l.operation = 'u' and l.position > c.position
        and l.position < coalesce(life.ends, ${sql.raw(ENDLESS)})
      order by e.key, l.position) as l) as later
    cross join lateral (
      select r.* where later.old is null
      union all ${made(sql`${undone(sql`later.old`)}`)} where later.old is not null) as a
    cross join lateral (select jsonb_object_agg(e.key, e.value -> 0) as old from jsonb_each(c.changes) as e where c.operation = 'u') as own
    cross join lateral (
      select r.* where own.old is null
      union all ${made(undone(sql`coalesce(later.old, '{}') || own.old`))} where own.old is not null) as b`
}

/** Above every position. */
const ENDLESS = '9223372036854775807'

/** A row of the table's type as `k`; a value that fits its column no longer is left out. */
function rowOf(table: Table, values: Expression): Expression {
  return table.adopted === null
    ? sql`docket_system.row_of(null::${storageOf(table)}, ${values}) as k`
    : sql`${keptRow(table, { kept: values, name: sql`c.record_id` })} as k`
}

function writeColumns(owner: Owner, row: Row, aliases: Aliases): Expression {
  const columns = owner.columns ?? []
  const open = columns.filter(({ visible }) => isTrue(visible))
  const others = columns.filter(({ visible }) => !isTrue(visible))
  const alternatives = [
    ...(open.length === 0 ? [] : [sql`e.key in (${sql.join(open.map(({ name }) => sql.lit(name)))})`]),
    ...others.map(({ name, visible }) => sql`(e.key = ${sql.lit(name)} and ${embed(visible, row, aliases)})`),
  ]
  return alternatives.length === 0 ? sql`false` : sql`(${sql.join(alternatives, sql` or `)})`
}

/** The log keeps values by the dictionary's names; some columns have another in PostgreSQL. */
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
