import type { Catalog, Table } from '../../catalog/catalog.ts'
import { classIdsOf } from '../../catalog/class-ids.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import { CASTS } from '../../column-types/comparison-types.ts'
import { sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { StoredValue, WriteCheck } from '../plan/planned-change.ts'
import { Param } from '../plan/value-source.ts'
import { storageOf } from './adopted-storage.ts'
import { typeOfKey } from './compare-key.ts'
import { writeDisplayedValue } from './displayed-value.ts'
import type { Expression } from './expression.ts'
import { type Aliases, embed, type FromClause, Row } from './from-clause.ts'
import { idLiteral } from './id-literal.ts'
import { embedBoolean, isSent, type UpdatePlan, writeFind } from './statement-parts.ts'
import { storageName } from './storage-name.ts'
import { writeDependentGuard } from './write-state.ts'

interface Checked {
  readonly action: 'create' | 'write'
  readonly from: FromClause
  readonly checks: readonly WriteCheck[]
  /** Conditions of states and built-in rules. */
  readonly more: readonly Expression[]
}

/** True for the written row, or the statement ends with an error: conditions of rules and columns, lengths, ranges, choices. */
export function writeGuard(
  rules: Pick<UpdatePlan, 'allowed' | 'columnsAllowed' | 'dependentChoices'>,
  checked: Checked,
): Expression {
  const { from } = checked
  const guards = [
    ...(rules.allowed.kind === 'constant' && rules.allowed.value
      ? []
      : [guard(embedBoolean(rules.allowed, from, from.aliases), { kind: 'record-denied', action: checked.action })]),
    ...rules.columnsAllowed.map(({ column, when }) =>
      guard(embedBoolean(when, from, from.aliases), { kind: 'column-denied', action: checked.action, column }),
    ),
    ...checked.checks.flatMap((check) =>
      check.kind === 'length' || check.kind === 'range' ? [writeLimit(check, from)] : [],
    ),
    ...rules.dependentChoices.map((dependent) => writeDependentGuard(dependent, from.row)),
    ...checked.more,
  ]
  return guards.length === 0 ? sql`true` : sql`(${sql.join(guards, sql` and `)})`
}

/** The result of an instruction must fit its column, like a value in the body. */
function writeLimit(check: WriteCheck & { readonly kind: 'length' | 'range' }, { row }: FromClause): Expression {
  const value = row.storage(storageName(check.column.storage))
  const { name } = check.column
  if (check.kind === 'length') {
    const { maxLength } = check
    const fits = sql`coalesce(length(${value}), 0) <= ${sql.lit(maxLength)}`
    return guard(fits, { kind: 'too-long', column: name, maxLength })
  }
  const { min, max } = check
  const fits = sql`coalesce(${value}, ${sql.lit(min)}) between ${sql.lit(min)} and ${sql.lit(max)}`
  return guard(fits, { kind: 'out-of-range', column: name, min, max })
}

export function guard(condition: Expression, rejection: object): Expression {
  return sql`case when ${condition} then true else docket_system.reject(${sql.lit(JSON.stringify(rejection))}::jsonb) end`
}

/** @param before the current row; null on a create */
export function writeCheck(check: WriteCheck, before: Row | null, aliases: Aliases): Expression {
  switch (check.kind) {
    case 'record-exists':
      return orStored(writeRecordExists(check, aliases), check.unless, { before, aliases })
    case 'document-exists':
      return orStored(writeDocumentExists(check, aliases), check.unless, { before, aliases })
    case 'found-one':
      return sql`(select count(*) = 1 from (${writeFind(check.target, check.where, aliases)} limit 2) as f)`
    case 'unchanged':
      return before === null
        ? sql`false`
        : orStored(writeUnchanged(check, before, aliases), check.stored, { before, aliases })
    case 'stored':
      return orStored(sql`false`, check.stored, { before, aliases })
    case 'column-allowed':
      return before === null ? sql`true` : sql`coalesce(${embed(check.when, before, aliases)}, false)`
    case 'length':
    case 'range':
      return sql`true`
    default:
      return unreachable(check)
  }
}

function writeUnchanged(check: WriteCheck & { readonly kind: 'unchanged' }, before: Row, aliases: Aliases): Expression {
  const stands = before.storage(storageName(check.column.storage))
  // A read returns whole seconds, but a column of an adopted table may contain fractions.
  const displayed = columnTypeOf(check.column).storage.wholeSeconds?.of(stands) ?? stands
  const same = sql`${displayed} is not distinct from ${new Param(check.value, 0)}::${CASTS[check.comparisonType]}`
  return sql`coalesce(${embed(check.stored.visible, before, aliases)}, false) and ${same}`
}

/** The condition; also true if the caller may see the stored value and the body contains it. */
function orStored(
  condition: Expression,
  stored: StoredValue | null,
  { before, aliases }: { readonly before: Row | null; readonly aliases: Aliases },
): Expression {
  if (stored === null || before === null) return condition
  const visible = sql`coalesce(${embed(stored.visible, before, aliases)}, false)`
  const value =
    stored.column.storage === null
      ? sql`null::text`
      : (writeDisplayedValue(stored.column, before) ?? before.storage(stored.column.storage))
  return sql`(${condition} or (${visible} and ${isSent(before.table, stored.column, { value, sent: stored.sent })}))`
}

function writeRecordExists(check: WriteCheck & { readonly kind: 'record-exists' }, aliases: Aliases): Expression {
  const row = new Row(aliases.next(), check.target)
  const readable = embed(check.readable, row, aliases)
  const target = sql`${storageOf(check.target)} as ${sql.id(row.alias)}`
  if (!check.many) {
    const id = sql`${new Param(check.ids, 0)}`
    return sql`(${id}::${typeOfKey(check.target.key)} is null or exists (select from ${target} where ${row.isRequested(id)} and ${readable}))`
  }
  const ids = sql`${new Param(check.ids, 0)}::text[]`
  return sql`(select count(*) = coalesce(cardinality(${ids}), 0) from ${target} where ${row.isAmong(ids)} and ${readable})`
}

function writeDocumentExists(check: WriteCheck & { readonly kind: 'document-exists' }, aliases: Aliases): Expression {
  const digits = sql`replace(${new Param(check.id, 0)}::text, '-', '')`
  const half = (start: number): Expression => sql`('x' || substr(${digits}, ${sql.lit(start)}, 16))::bit(64)::bigint`
  // A document id can only contain keys that are whole numbers.
  const cases = check.targets
    .filter(({ table }) => table.key.kind === 'whole')
    .map(({ table, readable }) => {
      const row = new Row(aliases.next(), table)
      const classes = classIdsOf(table, check.catalog)
      return sql`when ${half(1)} in (${sql.join(classes.map(idLiteral))}) then exists (select from ${storageOf(table)} as ${sql.id(row.alias)}
      where ${row.key()} = ${half(17)} and ${writeOfClass(table, row, { named: half(1), catalog: check.catalog })} and ${embed(readable, row, aliases)})`
    })
  return sql`(${new Param(check.id, 0)}::text is null or case ${sql.join(cases, sql` `)} else false end)`
}

/** Condition: the row has the named class or a descendant of it. A PostgreSQL table contains rows of several classes. */
function writeOfClass(
  table: Table,
  row: Row,
  { named, catalog }: { readonly named: Expression; readonly catalog: Catalog },
): Expression {
  if (table.descendants.length === 1) return sql`true`
  const classes = table.descendants
    .flatMap((name) => catalog.tables.get(name) ?? [])
    .map((member) => {
      const ids = classIdsOf(member, catalog)
      return sql`when ${idLiteral(member.id)} then ${row.storage('sys_db_table_id')} in (${sql.join(ids.map(idLiteral))})`
    })
  return sql`case ${named} ${sql.join(classes, sql` `)} end`
}
