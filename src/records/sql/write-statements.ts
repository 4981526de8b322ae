import { type RawBuilder, sql } from 'kysely'
import type { Catalog, Column, Numbering, Table } from '../../catalog/catalog.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import { CASTS } from '../../column-types/comparison-types.ts'
import { succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import {
  type Assignment,
  type Change,
  type JournalWrite,
  ofCaller,
  ofRequest,
  type PlanForm,
  type PlannedMembers,
  type Predicate,
  type RecordPlan,
  Slot,
  type StoredValue,
  type ValueSource,
  type WriteCheck,
} from '../plan/record-plan.ts'
import {
  fromStorage,
  intoStorage,
  isSameRow,
  keyNames,
  lockedRow,
  placeOf,
  returnedOf,
  storageOf,
} from './adopted-storage.ts'
import { typeOfKey } from './compare-key.ts'
import type { Expression } from './expression.ts'
import { Aliases, embed, FromClause, Row } from './from-clause.ts'
import { idLiteral } from './id-literal.ts'
import { writeTag, writeTagged } from './read-statements.ts'
import { wholeSecondsOf } from './whole-seconds.ts'
import { writeBuiltInRules, writeRulesOfDelete } from './write-built-in-rules.ts'
import { noteCreate, noteDelete, noteUpdate } from './write-change.ts'
import { writeRecord, writeStoredJson } from './write-field.ts'
import { lockHierarchies } from './write-hierarchy.ts'
import { writeDependentGuard, writeDependentGuardOfUpdate, writeStamp, writeStateGuard } from './write-state.ts'

/**
 * A write is one statement, and so one round trip and one transaction: it looks, locks, checks, writes and renders the
 * answer. What fails before the write is told by columns of the result; what can only be judged on the written row ends
 * the statement through docket_system.refuse, and nothing of it stays.
 *
 * Columns of a result: catalog epoch, identity epoch, then by position as the functions below say.
 */

type CreateForm = Extract<PlanForm, { readonly kind: 'create' }>
type UpdateForm = Extract<PlanForm, { readonly kind: 'update' }>
type DeleteForm = Extract<PlanForm, { readonly kind: 'delete' }>

const catalogEpoch = new Slot(
  ofCaller(({ catalog }) => succeed([catalog.epoch])),
  0,
)
const identityEpoch = new Slot(
  ofRequest((request) => succeed([request.identityEpoch])),
  0,
)
/** Who writes. */
export const userId = new Slot(
  ofCaller(({ principal }) => succeed([principal.userId])),
  0,
)

/** The epochs in the statement's own snapshot, and whether the plan still stands on them. */
export const EPOCH = sql`e as materialized (select catalog, identity,
  catalog = ${catalogEpoch}::bigint and identity = ${identityEpoch}::bigint as current from docket_system.epoch)`

/** Result: epochs, checks (a boolean array), JSON text of the record, tag, sys_id. */
export function writeCreate(plan: RecordPlan, form: CreateForm): RawBuilder<unknown> {
  const aliases = new Aliases()
  const checks = form.checks.map((check) => writeCheck(check, null, aliases))
  const made = new FromClause(new Row('made', plan.table), aliases)
  const columns = form.assignments.map(({ column }) => sql.id(storageName(column.storage)))
  const values = form.assignments.map((assignment) =>
    intoStorage(assignment.column, writeNewValue(assignment, aliases)),
  )
  const written = writeWritten(plan, made)
  const guard = writeGuard(form, {
    action: 'create',
    from: made,
    checks: form.checks,
    more: writeBuiltInRules(form.builtInRules, { before: null, after: made.row }),
  })
  return sql`with ${EPOCH},
    checks as materialized (select ${boolArray(checks)} as passed),
    made as (insert into ${placeOf(plan.table)} as n (${sql.join(columns)})
      select ${sql.join(values)} from e, checks where e.current and true = all(checks.passed) returning ${returnedOf(plan.table, 'n')})
    ${writeJournals(form.journals, plan, 'made')}
    ${noteCreate(plan, form, userId)}
    select e.catalog::text, e.identity::text, to_json(checks.passed)::text, ${written.outer}, r.id, r.allowed
    from e cross join checks left join
    (select ${written.inner}, ${made.row.name()} as id, ${guard} as allowed from made ${made.joins()} offset 0) as r on true`
}

/**
 * A create that is queued: the row is made in the mind only, judged and rendered, and put into the durable queue.
 * Result: as of a create.
 */
export function writeQueuedCreate(plan: RecordPlan, form: CreateForm): RawBuilder<unknown> {
  const aliases = new Aliases()
  const checks = form.checks.map((check) => writeCheck(check, null, aliases))
  const made = new FromClause(new Row('made', plan.table), aliases)
  const pairs = form.assignments.map(
    (assignment) =>
      sql`${sql.lit(storageName(assignment.column.storage))}::text, ${writeNewValue(assignment, aliases)}`,
  )
  const written = writeWritten(plan, made)
  const guard = writeGuard(form, {
    action: 'create',
    from: made,
    checks: form.checks,
    more: writeBuiltInRules(form.builtInRules, { before: null, after: made.row }),
  })
  const table = storageOf(plan.table)
  return sql`with ${EPOCH},
    checks as materialized (select ${boolArray(checks)} as passed),
    given as materialized (select jsonb_build_object('sys_id', docket_system.new_sys_id(), 'sys_created_at', docket_system.now_utc(),
        'sys_updated_at', docket_system.now_utc()) || jsonb_build_object(${sql.join(pairs)}) as record
      from e, checks where e.current and true = all(checks.passed)),
    made as materialized (select m.* from given, jsonb_populate_record(null::${table}, given.record) as m),
    queued as (insert into docket_system.queued_record (sys_id, storage_table, record)
      select made.sys_id, ${sql.lit(plan.table.storage.table)}, given.record from given, made returning sys_id)
    select e.catalog::text, e.identity::text, to_json(checks.passed)::text, ${written.outer}, r.id, r.allowed
    from e cross join checks left join
    (select ${written.inner}, ${made.row.name()} as id, ${guard} as allowed
     from made ${made.joins()}, queued offset 0) as r on true`
}

/** Result: epochs, checks, whether the row was found, may be written, tag fits, JSON text, tag. */
export function writeUpdate(plan: RecordPlan, form: UpdateForm): RawBuilder<unknown> {
  const aliases = new Aliases()
  const before = new FromClause(new Row('b', plan.table), aliases)
  const checks = form.checks.map((check) => writeCheck(check, before.row, aliases))
  const after = new FromClause(new Row('a', plan.table), aliases)
  const table = placeOf(plan.table)
  const changes = form.assignments.map((assignment) => writeChange(assignment, { before: before.row, aliases }))
  const isAdopted = plan.table.adopted !== null
  const isAssigned = (name: string): boolean => form.assignments.some(({ column }) => column.name === name)
  // A table that is not ours says of no row who changed it, so that an entry in a journal writes nothing into it.
  const changed = changes.length > 0 || (form.journals.length > 0 && !isAdopted)
  const stamps = isAdopted
    ? []
    : [
        ...(isAssigned('sys_updated_at') ? [] : [sql`sys_updated_at = docket_system.now_utc()`]),
        ...(isAssigned('sys_updated_by') ? [] : [sql`sys_updated_by = ${userId}::bigint`]),
      ]
  const written = writeWritten(plan, after)
  const rows = { before: before.row, after: after.row }
  const more = [
    ...writeBuiltInRules(form.builtInRules, rows),
    ...(form.stateGuard === null ? [] : [writeStateGuard(form.stateGuard, rows, aliases)]),
    ...form.dependentChoices.map((dependent) => writeDependentGuardOfUpdate(dependent, rows)),
  ]
  const rules = { ...form, dependentChoices: [] }
  const guard = writeGuard(rules, { action: 'write', from: after, checks: form.checks, more })
  const proceed = sql`${isSameRow(plan.table, 'u', 'b')} and e.current and judged.may and judged.fits and true = all(judged.passed)`
  const write = changed
    ? sql`update ${table} as u set ${sql.join([...changes, ...stamps])} from b, e, judged where ${proceed} returning ${returnedOf(plan.table, 'u')}`
    : sql`select b.* from b, e, judged where e.current and judged.may and judged.fits and true = all(judged.passed)`

  const judged = sql`select ${embedBoolean(form.allowed, before, aliases)} as may, ${writeFits(form.tags, plan, before)} as fits,
      ${boolArray(checks)} as passed from b ${before.joins()}`

  const assigned = form.assignments.flatMap(({ column }) => column.storage ?? [])
  const columns = changed ? [...keyNames(plan.table), ...before.row.used, ...assigned] : null
  const locks = lockHierarchies(plan, form, {
    sysId: sql`${new Slot(form.sysId, 0)}`,
    value: (assignment) => (assignment.change.kind === 'value' ? writeValue(assignment) : null),
  })

  return sql`with ${EPOCH},
    ${writeBefore(plan, form, { aliases, columns, locks })},
    judged as materialized (${judged}),
    a as (${write})
    ${writeJournals(form.journals, plan, 'a')}
    ${noteUpdate(plan, form, userId)}
    select e.catalog::text, e.identity::text, to_json(judged.passed)::text, judged.may is not null, judged.may, judged.fits,
      ${written.outer}, r.allowed
    from e left join judged on true left join
    (select ${written.inner}, ${after.row.name()} as id, ${guard} as allowed from a ${after.joins()} offset 0) as r on true`
}

/** Result: epochs, whether the row was found, may be deleted, tag fits, how many rows are gone. */
export function writeDelete(plan: RecordPlan, form: DeleteForm): RawBuilder<unknown> {
  const aliases = new Aliases()
  const before = new FromClause(new Row('b', plan.table), aliases)
  return sql`with ${EPOCH},
    ${writeBefore(plan, form, { aliases, columns: null, locks: sql`` })},
    judged as materialized (select ${embedBoolean(form.allowed, before, aliases)} as may, ${writeFits(form.tags, plan, before)} as fits from b ${before.joins()}),
    gone as (delete from ${placeOf(plan.table)} as u using b, e, judged
      where ${isSameRow(plan.table, 'u', 'b')} and e.current
        and case when judged.may and judged.fits then ${writeRulesOfDelete(form.builtInRules, before.row)} end returning true)
    ${noteDelete(plan, userId)}${takeBelongings(plan)}
    select e.catalog::text, e.identity::text, judged.may is not null, judged.may, judged.fits, (select count(*)::integer from gone)
    from e left join judged on true`
}

/**
 * A key that is not ours may be given again, and who reads the next record must not find files and notes of this one. Ours
 * are not: what belonged to a record is then seen by nobody but administrators, and tidied up later.
 */
function takeBelongings({ table }: RecordPlan): Expression {
  if (table.adopted === null) return sql``
  const belongs = (alias: string): Expression => sql`${sql.id(alias, 'table_id')} = ${idLiteral(table.id)}
      and ${sql.id(alias, 'record_id')} = ${new Row('b', table).name()} and exists (select from gone)`
  return sql`, entries as (delete from docket.sys_journal_entry as j using b where ${belongs('j')}),
    files as (delete from docket.sys_attachment as f using b where ${belongs('f')} returning f.*),
    noted_files as (insert into docket_system.change (operation, table_id, record_id, changed_by, changes)
      select 'd', files.sys_db_table_id, files.sys_id::text, ${userId}::bigint, docket_system.stored_values(files.sys_db_table_id, to_jsonb(files)) from files)`
}

interface Before {
  readonly aliases: Aliases
  /** Those that are looked at; null: all. A row of some dozens of columns, copied twice, costs a tenth of a small change. */
  readonly columns: readonly string[] | null
  /** Taken before the row is locked: further conditions that are true. */
  readonly locks: Expression
}

/** The row as it stands, locked until the end; a writer that came before is waited for and its row is the one that is read. */
function writeBefore(plan: RecordPlan, form: UpdateForm | DeleteForm, { aliases, columns, locks }: Before): Expression {
  const row = new Row(aliases.next(), plan.table)
  const looked =
    columns === null ? sql`${sql.id(row.alias)}.*` : sql.join([...new Set(columns)].map((name) => row.storage(name)))
  const key = sql`${new Slot(form.sysId, 0)}`
  if (plan.table.adopted !== null) {
    return sql`b as materialized (select ${looked} from ${lockedRow(plan.table, key)} as ${sql.id(row.alias)}
      where ${embed(plan.readable, row, aliases)})`
  }
  return sql`b as materialized (select ${looked} from ${placeOf(plan.table)} as ${sql.id(row.alias)}
    where ${row.isAsked(key)} and ${embed(plan.readable, row, aliases)} ${locks} for update of ${sql.id(row.alias)})`
}

function embedBoolean(predicate: Predicate, from: FromClause, aliases: Aliases): Expression {
  return sql`coalesce(${embed(predicate, from.row, aliases)}, false)`
}

function writeFits(tags: ValueSource | null, plan: RecordPlan, before: FromClause): Expression {
  if (tags === null) return sql`true`
  const text = writeTagged(plan, before) ?? writeRecord(plan, before)
  return sql`${writeTag(text)} = any(${new Slot(tags, 0)}::text[])`
}

export const boolArray = (values: readonly Expression[]): Expression =>
  values.length === 0 ? sql`array[]::boolean[]` : sql`array[${sql.join(values)}]::boolean[]`

/**
 * The written record as far as the caller may read it; who may write but not read learns the id of what they wrote. `inner`
 * stands where the row is, `outer` gives the answer's text and tag, so that the record is put into text once for both.
 */
function writeWritten(plan: RecordPlan, from: FromClause): { readonly inner: Expression; readonly outer: Expression } {
  const record = writeRecord(plan, from)
  const tagged = writeTagged(plan, from)
  const inner = [sql`${record} as record`, sql`${embedBoolean(plan.readable, from, from.aliases)} as readable`]
  if (tagged !== null) inner.push(sql`${tagged} as tagged`)
  const answer = sql`case when r.readable then r.record else '{"sys_id":' || to_json(r.id)::text || '}' end`
  const tag = sql`case when r.readable then ${writeTag(tagged === null ? sql`r.record` : sql`r.tagged`)} end`
  return { inner: sql.join(inner), outer: sql`${answer}, ${tag}` }
}

// ── rules and checks ──

interface Judged {
  readonly action: 'create' | 'write'
  readonly from: FromClause
  readonly checks: readonly WriteCheck[]
  /** Of states and built-in rules. */
  readonly more: readonly Expression[]
}

/** True on the written row, or the statement ends: the rules' conditions, the columns' conditions, the lengths. */
export function writeGuard(
  rules: Pick<UpdateForm, 'allowed' | 'columnsAllowed' | 'dependentChoices'>,
  judged: Judged,
): Expression {
  const { from } = judged
  const guards = [
    ...(rules.allowed.kind === 'constant' && rules.allowed.value
      ? []
      : [guard(embedBoolean(rules.allowed, from, from.aliases), { kind: 'record-denied', action: judged.action })]),
    ...rules.columnsAllowed.map(({ column, when }) =>
      guard(embedBoolean(when, from, from.aliases), { kind: 'column-denied', action: judged.action, column }),
    ),
    ...judged.checks.flatMap((check) =>
      check.kind === 'length' || check.kind === 'range' ? [writeLimit(check, from)] : [],
    ),
    ...rules.dependentChoices.map((dependent) => writeDependentGuard(dependent, from.row)),
    ...judged.more,
  ]
  return guards.length === 0 ? sql`true` : sql`(${sql.join(guards, sql` and `)})`
}

/** What an instruction made of the value must fit its column as a value that is given must. */
function writeLimit(check: WriteCheck & { readonly kind: 'length' | 'range' }, { row }: FromClause): Expression {
  const value = row.storage(storageName(check.column.storage))
  const { name } = check.column
  if (check.kind === 'length') {
    const { maxLength } = check
    const fits = sql`coalesce(length(${value}), 0) <= ${sql.lit(maxLength)}`
    return guard(fits, { kind: 'too-long', column: name, maxLength })
  }
  const { least, most } = check
  const fits = sql`coalesce(${value}, ${sql.lit(least)}) between ${sql.lit(least)} and ${sql.lit(most)}`
  return guard(fits, { kind: 'out-of-range', column: name, least, most })
}

function guard(condition: Expression, refusal: object): Expression {
  return sql`case when ${condition} then true else docket_system.refuse(${sql.lit(JSON.stringify(refusal))}::jsonb) end`
}

/** @param before the row as it stands; null on a create */
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
  // What was read are whole seconds; those of others may hold fractions.
  const shown = columnTypeOf(check.column).storage.wholeSeconds?.of(stands) ?? stands
  const same = sql`${shown} is not distinct from ${new Slot(check.value, 0)}::${CASTS[check.family]}`
  return sql`coalesce(${embed(check.stored.visible, before, aliases)}, false) and ${same}`
}

/** The condition, or the body holds what is stored. */
function orStored(
  condition: Expression,
  stored: StoredValue | null,
  { before, aliases }: { readonly before: Row | null; readonly aliases: Aliases },
): Expression {
  if (stored === null || before === null) return condition
  const visible = sql`coalesce(${embed(stored.visible, before, aliases)}, false)`
  const value = stored.column.storage === null ? sql`null::text` : before.storage(stored.column.storage)
  return sql`(${condition} or (${visible} and ${isSent(before.table, stored.column, { value, sent: stored.sent })}))`
}

/** A stored value, as a read displays it, is what the body holds. Never null. */
function isSent(
  table: RecordPlan['table'],
  column: StoredValue['column'],
  { value, sent }: { readonly value: Expression; readonly sent: ValueSource },
): Expression {
  const slot = sql`${new Slot(sent, 0)}::jsonb`
  return sql`coalesce(${writeStoredJson(table, column, value)}::jsonb = ${slot}, false)`
}

function writeRecordExists(check: WriteCheck & { readonly kind: 'record-exists' }, aliases: Aliases): Expression {
  const row = new Row(aliases.next(), check.target)
  const readable = embed(check.readable, row, aliases)
  const target = sql`${storageOf(check.target)} as ${sql.id(row.alias)}`
  if (!check.many) {
    const id = sql`${new Slot(check.ids, 0)}`
    return sql`(${id}::${typeOfKey(check.target.key)} is null or exists (select from ${target} where ${row.isAsked(id)} and ${readable}))`
  }
  const ids = sql`${new Slot(check.ids, 0)}::text[]`
  return sql`(select count(*) = coalesce(cardinality(${ids}), 0) from ${target} where ${row.isAmong(ids)} and ${readable})`
}

function writeDocumentExists(check: WriteCheck & { readonly kind: 'document-exists' }, aliases: Aliases): Expression {
  const digits = sql`replace(${new Slot(check.id, 0)}::text, '-', '')`
  const half = (start: number): Expression => sql`('x' || substr(${digits}, ${sql.lit(start)}, 16))::bit(64)::bigint`
  // The id has room for whole numbers.
  const cases = check.targets
    .filter(({ table }) => table.key.kind === 'whole')
    .map(({ table, readable }) => {
      const row = new Row(aliases.next(), table)
      const classes = table.family.flatMap((name) => check.catalog.tables.get(name)?.id ?? [])
      return sql`when ${half(1)} in (${sql.join(classes.map(idLiteral))}) then exists (select from ${storageOf(table)} as ${sql.id(row.alias)}
      where ${row.key()} = ${half(17)} and ${writeOfClass(table, row, { named: half(1), catalog: check.catalog })} and ${embed(readable, row, aliases)})`
    })
  return sql`(${new Slot(check.id, 0)}::text is null or case ${sql.join(cases, sql` `)} else false end)`
}

/** The row is of the class that was named, or of a child of it: rows of several classes lie in one PostgreSQL table. */
function writeOfClass(
  table: Table,
  row: Row,
  { named, catalog }: { readonly named: Expression; readonly catalog: Catalog },
): Expression {
  if (table.family.length === 1) return sql`true`
  const classes = table.family
    .flatMap((name) => catalog.tables.get(name) ?? [])
    .map((member) => {
      const ids = member.family.flatMap((name) => catalog.tables.get(name)?.id ?? [])
      return sql`when ${idLiteral(member.id)} then ${row.storage('sys_db_table_id')} in (${sql.join(ids.map(idLiteral))})`
    })
  return sql`case ${named} ${sql.join(classes, sql` `)} end`
}

function writeFind(target: RecordPlan['table'], where: Predicate, aliases: Aliases): Expression {
  const row = new Row(aliases.next(), target)
  return sql`select ${row.key()} from ${storageOf(target)} as ${sql.id(row.alias)} where ${embed(where, row, aliases)}`
}

// ── values ──

/** @param ofRow a value of the row that the new one is made from, or PostgreSQL would take one number for all rows */
export function writeNewValue(assignment: Assignment, aliases: Aliases, ofRow: Expression | null = null): Expression {
  const { change } = assignment
  if (change.kind === 'number') return writeNextNumber(change.numbering, ofRow)
  if (change.kind === 'state-stamp') return writeStamp(change, sql`null`, { before: null, aliases })
  const given =
    change.kind === 'find'
      ? sql`(${writeFind(change.target, change.where, aliases)} limit 1)`
      : change.kind === 'members'
        ? writeMembers(change.members, aliases)
        : writeValue(assignment)
  return notedNumber(assignment.column, given)
}

function writeNextNumber({ sequence, prefix, digits: least }: Numbering, ofRow: Expression | null): Expression {
  const next = sql`nextval(${sql.lit(`docket_system.${sequence}`)}::regclass)::text`
  const digits = sql.lit(least)
  const each = ofRow === null ? sql`` : sql`where ${ofRow} is not null`
  return sql`(select ${sql.lit(prefix)} || case when length(n) >= ${digits} then n else lpad(n, ${digits}, '0') end from (select ${next} as n ${each}) as n)`
}

/** A number that is given is passed by the counters of its hierarchy: they must not give it again. */
function notedNumber({ countedIn }: Column, value: Expression): Expression {
  return countedIn === null ? value : sql`docket_system.note_number(${idLiteral(countedIn)}, ${value}::text)`
}

/** `column = expression` over the locked row `u`, so that of two changes at once both count. */
function writeChange(assignment: Assignment, at: ChangedAt): Expression {
  const name = storageName(assignment.column.storage)
  const stands = fromStorage(assignment.column, sql.id('u', name))
  return sql`${sql.id(name)} = ${intoStorage(assignment.column, notedNumber(assignment.column, writeKept(assignment, stands, at)))}`
}

/** The new value, unless the body holds the stored one. */
function writeKept(assignment: Assignment, stands: Expression, at: ChangedAt): Expression {
  const changed = writeChanged(assignment, stands, at)
  if (assignment.keeps === undefined) return changed
  const isStored = isSent(at.before.table, assignment.column, { value: stands, sent: assignment.keeps })
  return sql`case when ${isStored} then ${stands} else ${changed} end`
}

/** What was read and is sent back changes nothing: not even the fraction of a second, which no answer shows. */
function writeGiven(assignment: Assignment, old: Expression, table: RecordPlan['table']): Expression {
  const { column } = assignment
  const given = writeValue(assignment)
  const wholeSeconds = wholeSecondsOf({ table, column })
  if (wholeSeconds === undefined) return given
  return sql`case when ${wholeSeconds.of(old)} = ${given} then ${old} else ${given} end`
}

interface ChangedAt {
  readonly before: Row
  readonly aliases: Aliases
}

function writeChanged(assignment: Assignment, old: Expression, at: ChangedAt): Expression {
  const { change, family } = assignment
  const { aliases } = at
  const slot = (source: ValueSource): Expression => sql`${new Slot(source, 0)}`
  switch (change.kind) {
    case 'value':
      return writeGiven(assignment, old, at.before.table)
    case 'increment':
      return sql`coalesce(${old}, 0) + ${slot(change.by)}::${CASTS[family]}`
    case 'append':
      return joinTexts(change, sql`coalesce(${old}, '')`, sql`${slot(change.text)}::text`)
    case 'prepend':
      return joinTexts(change, sql`${slot(change.text)}::text`, sql`coalesce(${old}, '')`)
    case 'edit-list':
      return sql`nullif(docket_system.edit_list(${old}, ${slot(change.add)}::text[], ${slot(change.remove)}::text[]), '{}')`
    case 'members':
      return writeMembers(change.members, aliases)
    case 'edit-members':
      return sql`nullif(docket_system.edit_list(${old}, ${writeMembers(change.add, aliases)}, ${writeMembers(change.remove, aliases)}), '{}')`
    case 'merge':
      return sql`docket_system.merge_json(${old}, ${slot(change.patch)}::jsonb)`
    case 'find':
      return sql`(${writeFind(change.target, change.where, aliases)} limit 1)`
    case 'state-stamp':
      return writeStamp(change, old, at)
    case 'run-as':
      return writeRunAs(change, old, at)
    case 'number':
      throw new Error('a number is given once, on create')
    default:
      return unreachable(change)
  }
}

function writeRunAs(
  { url, given, by }: Change & { readonly kind: 'run-as' },
  old: Expression,
  at: ChangedAt,
): Expression {
  const address = sql.id('u', storageName(url.column.storage))
  const changed = sql`${writeChanged(url, address, at)} is distinct from ${address}`
  const me = sql`${new Slot(by, 0)}::bigint`
  if (given === null) return sql`case when ${changed} then ${me} else ${old} end`
  const wanted = writeChanged(given, old, at)
  return sql`case when ${changed} and (${wanted} is not distinct from ${old} or ${wanted} = ${me}) then ${me} else ${wanted} end`
}

/** Text and HTML are told apart before they are joined, and two harmless halves must not make a tag where they meet. */
function joinTexts(
  { isHtml }: Change & { readonly kind: 'append' | 'prepend' },
  first: Expression,
  second: Expression,
): Expression {
  return isHtml ? sql`docket_system.join_rich_text(${first}, ${second})` : sql`${first} || ${second}`
}

/** Each member once, in the order in which they were given; null where there is none. */
function writeMembers({ given, order }: PlannedMembers, aliases: Aliases): Expression {
  if (order === null) return sql`${new Slot(given, 0)}::text[]`
  let at = 0
  const members = order.map((member) => {
    if (member !== 'given') return sql`(${writeFind(member.target, member.where, aliases)} limit 1)::text`
    at += 1
    return sql`(${new Slot(given, 0)}::text[])[${sql.lit(at)}]`
  })
  const all = members.length === 0 ? sql`array[]::text[]` : sql`array[${sql.join(members)}]::text[]`
  return sql`nullif(docket_system.edit_list(array[]::text[], ${all}, array[]::text[]), '{}')`
}

function writeValue({ change, family }: Assignment): Expression {
  return change.kind === 'value' ? sql`${new Slot(change.value, 0)}::${CASTS[family]}` : sql`null`
}

/** Each text becomes an entry with its author and time; entries are never rewritten. */
function writeJournals(journals: readonly JournalWrite[], plan: RecordPlan, from: string): Expression {
  const inserts = journals.map((journal, index) => {
    if (journal.migrating) return writeMigratedEntries(journal, { plan, from, name: `journal_${index}` })
    const text = sql`${new Slot(journal.text, 0)}::text`
    const row = new Row(from, plan.table)
    return sql`, ${sql.id(`journal_${index}`)} as (insert into docket.sys_journal_entry
      (table_id, record_id, column_name, value, sys_created_by, sys_updated_by)
      select ${row.storage('sys_db_table_id')}, ${row.name()}, ${sql.lit(journal.column.name)}, ${text}, ${userId}::bigint, ${userId}::bigint
      from ${sql.id(from)} where ${text} <> '')`
  })
  return inserts.length === 0 ? sql`` : sql.join(inserts, sql` `)
}

/** Entries that the record has already are not written again, so that a migration may be repeated. */
function writeMigratedEntries(
  { column, text }: JournalWrite,
  { plan, from, name }: { readonly plan: RecordPlan; readonly from: string; readonly name: string },
): Expression {
  const row = new Row(from, plan.table)
  const named = sql`x.record_id = ${row.name()} and x.column_name = ${sql.lit(column.name)}`
  const same = sql`case when e.sys_id is not null then x.sys_id = e.sys_id
    else x.value = e.value and x.sys_created_at = e.at and x.sys_created_by is not distinct from e.by end`
  return sql`, ${sql.id(name)} as (insert into docket.sys_journal_entry
      (sys_id, table_id, record_id, column_name, value, sys_created_at, sys_created_by, sys_updated_at, sys_updated_by)
      select coalesce(e.sys_id, docket_system.new_sys_id()), ${row.storage('sys_db_table_id')}, ${row.name()}, ${sql.lit(column.name)}, e.value,
        coalesce(e.at, docket_system.now_utc()), e.by, coalesce(e.at, docket_system.now_utc()), e.by
      from ${sql.id(from)}, jsonb_to_recordset(${new Slot(text, 0)}::jsonb) as e (sys_id bigint, value text, at timestamp, by bigint)
      where e.value <> '' and not exists (select from docket.sys_journal_entry as x where ${named} and ${same}))`
}

export function storageName(storage: string | null): string {
  if (storage === null) throw new Error('a column without storage was planned as a value')
  return storage
}
