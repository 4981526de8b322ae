import type { Column, Table } from '../../catalog/catalog.ts'
import { referencesOfRecord } from '../../catalog/indexed-references.ts'
import { isTextual } from '../../column-types/record-key.ts'
import { sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type {
  BesideTextPredicate,
  Owner,
  PlannedLink,
  PlannedPath,
  Predicate,
  RelatedPredicate,
  RowsPredicate,
} from '../plan/planned-predicate.ts'
import { Param } from '../plan/value-source.ts'
import { refersTo, shapedParts, storageOf } from './adopted-storage.ts'
import { isAmong, isKey, isNamed, isRequestedKey, type PartAt, typeOfKey } from './compare-key.ts'
import { positionOf } from './computed-key.ts'
import { writeDisplayedValue } from './displayed-value.ts'
import type { Expression, HopValues } from './expression.ts'
import { idLiteral } from './id-literal.ts'
import { namedKeys, writeComparison, writeNearKey, writeSameValues } from './write-comparison.ts'

/** A row of a table in a statement, with its alias. */
export class Row {
  readonly alias: string
  readonly table: Table
  /** Storage columns of this row that the statement uses: a subquery that supplies the row must select them. */
  readonly used = new Set<string>()

  constructor(alias: string, table: Table) {
    this.alias = alias
    this.table = table
  }

  storage(name: string): Expression {
    this.used.add(name)
    return sql.ref(`${this.alias}.${name}`)
  }

  key(): Expression {
    return this.storage(this.table.keyColumn)
  }

  /** The sys_id as text, as columns that refer to records of any table have it. */
  name(): Expression {
    // Such columns have the collation "C"; a text key has that of its own column.
    return isTextual(this.table.key) ? sql`${this.key()}::text collate "C"` : sql`${this.key()}::text`
  }

  /** The columns of the key, as PostgreSQL's indexes have them. */
  parts(): PartAt {
    return shapedParts(this.table, (name) => this.storage(name))
  }

  /** Condition: a reference to the table refers to this row. */
  isKey(reference: Expression): Expression {
    return isKey(this.table.key, this.parts(), reference)
  }

  /** Condition: the row is the requested one. @param sysId a parameter that was read for the key of the table */
  isRequested(sysId: Expression): Expression {
    const { key } = this.table
    return isRequestedKey(key, this.parts(), sql`${sysId}::${typeOfKey(key)}`)
  }

  /** Condition: the row has the sys_id with this text, which may be invalid for the table. */
  isNamed(name: Expression): Expression {
    return isNamed(this.table.key, this.parts(), name)
  }

  /** Condition: a reference in the row refers to the requested record; null: the value of the reference must be compared. */
  refersTo(column: Column, target: Parameters<typeof refersTo>[1]): Expression | null {
    return refersTo({ table: this.table, column, storage: (name) => this.storage(name) }, target)
  }

  /** @param names texts of sys_ids, each valid for the key of the table */
  isAmong(names: Expression): Expression {
    return isAmong(this.table.key, this.parts(), names)
  }
}

/** Makes aliases that are unique in a statement. */
export class Aliases {
  readonly #prefix: string
  #count = 0

  /** @param prefix distinguishes them from those of an enclosing statement */
  constructor(prefix = 't') {
    this.#prefix = prefix
  }

  next(): string {
    this.#count += 1
    return `${this.#prefix}${this.#count}`
  }
}

/**
 * The joins for the field paths of a row, one for each reference. All are left joins on a key: they neither remove nor repeat rows,
 * and PostgreSQL turns them into inner joins where a condition allows it.
 */
export class FromClause implements HopValues {
  readonly row: Row
  readonly aliases: Aliases
  readonly #rows: Expression[] = []
  readonly #joins = new Map<string, { readonly row: Row; readonly sql: Expression }>()

  constructor(row: Row, aliases: Aliases) {
    this.row = row
    this.aliases = aliases
  }

  /** The value at the end of a field path: null if a reference is empty, or if the caller may not see a row or column of the path. */
  valueOf(fieldPath: PlannedPath): Expression {
    return this.#masked(fieldPath.visible, this.rowOf(fieldPath), fieldPath.column)
  }

  /** A condition on the row at the end of a field path's references; SQL null where the caller may not see the value of the path. */
  whereVisible(fieldPath: PlannedPath, condition: (row: Row) => Expression | null): Expression | null {
    const row = this.rowOf(fieldPath)
    const written = condition(row)
    if (written === null || isTrue(fieldPath.visible)) return written
    return sql`case when ${embed(fieldPath.visible, row, this.aliases)} then ${written} end`
  }

  /** The row at the end of a field path's references. */
  rowOf(fieldPath: PlannedPath): Row {
    let at = this.row
    for (const hop of fieldPath.hops) {
      // A rule may follow references that the caller may not. The two must never share a join, not even where the caller sees nothing.
      const isOpen = isTrue(hop.visible) && isTrue(hop.readable)
      const name = `${at.alias}.${hop.column.id} ${isOpen ? 'open' : 'guarded'}`
      const known = this.#joins.get(name)
      at = known === undefined ? this.#join(name, at, hop) : known.row
    }
    return at
  }

  /** Adds a row of values that are computed from this row and its joins. @returns its alias */
  addRow(select: Expression): Expression {
    const name = sql.id(this.aliases.next())
    this.#rows.push(sql`cross join lateral (${select}) as ${name}`)
    return name
  }

  /** The joins, each after those that it depends on; then the computed rows. */
  joins(): Expression {
    const joins = [...[...this.#joins.values()].map((join) => join.sql), ...this.#rows]
    return joins.length === 0 ? sql`` : sql.join(joins, sql` `)
  }

  get hasJoins(): boolean {
    return this.#joins.size > 0
  }

  #join(name: string, from: Row, hop: PlannedPath['hops'][number]): Row {
    const row = new Row(this.aliases.next(), hop.target)
    const reference = this.#masked(hop.visible, from, hop.column)
    const readable = embed(hop.readable, row, this.aliases)
    const join = sql`left join ${storageOf(hop.target)} as ${sql.id(row.alias)} on ${row.isKey(reference)} and ${readable}`
    this.#joins.set(name, { row, sql: join })
    return row
  }

  #masked(visible: Predicate, row: Row, column: Column): Expression {
    if (column.storage === null) return sql`null::text`
    const value = writeDisplayedValue(column, row) ?? row.storage(column.storage)
    if (visible.kind === 'constant' && visible.value) return value
    return sql`case when ${embed(visible, row, this.aliases)} then ${value} end`
  }
}

const TRUE: Predicate = { kind: 'constant', value: true }
const isTrue = (predicate: Predicate): boolean => predicate.kind === 'constant' && predicate.value

/** A condition on a row, for a place where no join can be added: joins for its field paths go into a subquery. */
export function embed(predicate: Predicate, row: Row, aliases: Aliases): Expression {
  const from = new FromClause(row, aliases)
  const condition = writePredicate(predicate, from)
  return from.hasJoins
    ? sql`(select ${condition} from (select) as ${sql.id(aliases.next())} ${from.joins()})`
    : condition
}

/** A predicate as SQL. It may be null instead of false, because every place that uses it treats null as false. */
export function writePredicate(predicate: Predicate, from: FromClause): Expression {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value ? sql`true` : sql`false`
    case 'all':
    case 'any': {
      const members = predicate.of.map((member) => writePredicate(member, from))
      return sql`(${sql.join(members, predicate.kind === 'all' ? sql` and ` : sql` or `)})`
    }
    case 'class':
      return sql`${from.row.storage('sys_db_table_id')} in (${sql.join(predicate.ids.map(idLiteral))})`
    case 'row':
      return sql`${from.row.key()} in (${sql.join(predicate.ids.map(idLiteral))})`
    case 'belongs':
      return writeBelongs(predicate, from)
    case 'beside-text':
      return writeBesideText(predicate, from)
    case 'related':
      return writeRelated(predicate, from)
    case 'rows':
      return writeRows(predicate, from)
    case 'comparison': {
      const comparison = writeComparison(predicate.comparison, from)
      const position = positionOf(from.row)
      const near = position === null ? null : writeNearKey(predicate.comparison, position)
      return near === null ? comparison : sql`(${comparison} and ${near})`
    }
    default:
      return unreachable(predicate)
  }
}

/** The condition itself is written so that no other index is read for it, and PostgreSQL expects it to be true. */
function writeBesideText({ where, references, anyOf }: BesideTextPredicate, from: FromClause): Expression {
  const columns = references.map(({ storage, name }) => from.row.storage(storage ?? name))
  const values = sql.join(anyOf.map(namedKeys), sql` || `)
  return sql`(${referencesOfRecord(columns)} && (${values}) and nullif(${writePredicate(where, from)}, false) is not null)`
}

function writeRelated(
  { quantifier, source, fieldPath, target, readable, where }: RelatedPredicate,
  from: FromClause,
): Expression {
  const row = new Row(from.aliases.next(), target)
  const holds = embed(where, row, from.aliases)
  const wanted = sql`${embed(readable, row, from.aliases)} and ${quantifier === 'some' ? holds : sql`(${holds}) is not true`}`
  const found =
    source === 'members'
      ? writeMembers(fieldPath, { row, wanted }, from)
      : writeEntries(fieldPath, { row, wanted }, from)
  return quantifier === 'some' ? found : sql`not ${found}`
}

/** A condition on rows of another table, as a subquery. Predicates that are always true are left out, so that an index serves the link. */
function writeRows({ quantifier, number, target, link, readable, where }: RowsPredicate, from: FromClause): Expression {
  const row = new Row(from.aliases.next(), target)
  const rows = new FromClause(row, from.aliases)
  const conditions = [
    writeLink(link, rows, from),
    ...[link.other.visible, readable].filter((each) => !isTrue(each)).map((each) => embed(each, row, from.aliases)),
    ...(isTrue(where) ? [] : [writePredicate(where, rows)]),
  ]
  const found = sql`select from ${storageOf(target)} as ${sql.id(row.alias)} ${rows.joins()} where ${sql.join(conditions, sql` and `)}`
  if (quantifier === 'some') return sql`exists (${found})`
  if (quantifier === 'none') return sql`not exists (${found})`
  const wanted = sql`${new Param(number, 0)}::bigint`
  // Counting stops one row after the number: more rows do not change the result.
  return sql`(select count(*) from (${found} limit ${wanted} + 1) as ${sql.id(from.aliases.next())}) ${sql.raw(quantifier)} ${wanted}`
}

function writeLink(link: PlannedLink, rows: FromClause, from: FromClause): Expression {
  const other = rows.valueOf({ ...link.other, visible: TRUE })
  switch (link.kind) {
    case 'own-key':
      return from.row.isKey(other)
    case 'other-key':
      return rows.row.isKey(from.valueOf(link.own))
    case 'values':
      return writeSameValues(link.own.column, from.valueOf(link.own), other)
    default:
      return unreachable(link)
  }
}

interface RelatedRows {
  readonly row: Row
  readonly wanted: Expression
}

function writeMembers(list: PlannedPath, { row, wanted }: RelatedRows, from: FromClause): Expression {
  const member = from.aliases.next()
  return sql`exists (select from unnest(${from.valueOf(list)}) as ${sql.id(member)} (id)
    join ${storageOf(row.table)} as ${sql.id(row.alias)} on ${row.isNamed(sql.ref(`${member}.id`))} where ${wanted})`
}

/** A condition on the entries of a journal column. A caller sees the entries if they may see the column. */
function writeEntries(journal: PlannedPath, { row, wanted }: RelatedRows, from: FromClause): Expression {
  const entries = from.whereVisible(
    journal,
    (record) => sql`exists (select from ${storageOf(row.table)} as ${sql.id(row.alias)}
      where ${row.storage('record_id')} = ${record.name()} and ${row.storage('table_id')} = ${record.storage('sys_db_table_id')}
        and ${row.storage('column_name')} in (${sql.join(journalsOf(journal).map((name) => sql.lit(name)))}) and ${wanted})`,
  )
  return sql`coalesce(${entries ?? sql`false`}, false)`
}

const journalsOf = ({ column }: PlannedPath): readonly string[] =>
  column.displayed?.kind === 'journals' ? column.displayed.of.map(({ name }) => name) : [column.name]

function writeBelongs({ to, others }: Extract<Predicate, { readonly kind: 'belongs' }>, from: FromClause): Expression {
  const record = from.row.storage('record_id')
  const cases = to.map((owner) => {
    const row = new Row(from.aliases.next(), owner.table)
    const readable = embed(owner.readable, row, from.aliases)
    const column = owner.columns === null ? sql`true` : writeReferencedColumns(owner.columns, row, from)
    return sql`when ${from.row.storage('table_id')} in (${sql.join(owner.classIds.map(idLiteral))}) then exists (
      select from ${storageOf(owner.table)} as ${sql.id(row.alias)} where ${row.isNamed(record)} and ${readable} and ${column})`
  })
  const rest = others ? sql`true` : sql`false`
  return cases.length === 0 ? rest : sql`case ${sql.join(cases, sql` `)} else ${rest} end`
}

function writeReferencedColumns(columns: NonNullable<Owner['columns']>, row: Row, from: FromClause): Expression {
  const name = from.row.storage('column_name')
  const open = columns.filter(({ visible }) => visible.kind === 'constant')
  const others = columns.filter(({ visible }) => visible.kind !== 'constant')
  const alternatives = [
    ...(open.length === 0 ? [] : [sql`${name} in (${sql.join(open.map((column) => sql.lit(column.name)))})`]),
    ...others.map((column) => sql`(${name} = ${sql.lit(column.name)} and ${embed(column.visible, row, from.aliases)})`),
  ]
  return alternatives.length === 0 ? sql`false` : sql`(${sql.join(alternatives, sql` or `)})`
}
