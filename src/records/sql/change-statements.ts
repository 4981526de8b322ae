import { UPDATE_COUNT } from '../../catalog/catalog.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { succeed } from '../../kernel/result.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { RecordPlan } from '../plan/record-plan.ts'
import { ofCaller, ofRequest, Param } from '../plan/value-source.ts'
import { intoStorage, isSameRow, keyNames, lockedRow, placeOf, returnedOf, storageOf } from './adopted-storage.ts'
import type { Expression } from './expression.ts'
import { Aliases, embed, FromClause, Row } from './from-clause.ts'
import { idLiteral } from './id-literal.ts'
import { logCreate, logDelete, logUpdate } from './log-change.ts'
import { startCreate } from './start-create.ts'
import {
  boolArray,
  type CreatePlan,
  type DeletePlan,
  embedBoolean,
  type UpdatePlan,
  userId,
} from './statement-parts.ts'
import { storageName } from './storage-name.ts'
import { writeChange, writeDiffers, writeNewValue, writeValue } from './write-assignments.ts'
import { writeBuiltInRules, writeRulesOfDelete } from './write-built-in-rules.ts'
import { writeCheck, writeGuard } from './write-checks.ts'
import { writeRecord } from './write-field.ts'
import { lockHierarchies } from './write-hierarchy.ts'
import { writeJournals } from './write-journals.ts'
import { writeDependentGuardOfUpdate, writeStateGuard } from './write-state.ts'
import { writeFits, writeTag } from './write-tag.ts'
import { servedIdsOf } from './write-text-field.ts'

/**
 * A write is one statement, and so one round trip and one transaction: it reads, locks, checks, writes and renders the
 * response. Columns of the result report what fails before the write. What can only be decided on the written row ends
 * the statement through docket_system.reject, which rolls everything back.
 *
 * Columns of a result: catalog epoch, identity epoch, then those that the functions below name.
 */

const catalogEpoch = new Param(
  ofCaller(({ catalog }) => succeed([catalog.epoch])),
  0,
)

const identityEpoch = new Param(
  ofRequest((request) => succeed([request.identityEpoch])),
  0,
)

/** The epochs in the statement's own snapshot, and whether they are those of the plan and the caller. */
export const EPOCH = sql`e as materialized (select catalog, identity,
  catalog = ${catalogEpoch}::bigint and identity = ${identityEpoch}::bigint as current from docket_system.epoch)`

/** Result: epochs, checks (a boolean array), JSON text of the record, tag, sys_id. */
export function writeCreate(plan: RecordPlan, form: CreatePlan): Sql<unknown> {
  const { aliases, checks, made, guard } = startCreate(plan, form)
  const columns = form.assignments.map(({ column }) => sql.id(storageName(column.storage)))
  const values = form.assignments.map((assignment) =>
    intoStorage(assignment.column, writeNewValue(assignment, aliases)),
  )
  const written = writeWritten(plan, made)
  return sql`with ${EPOCH},
    checks as materialized (select ${checks} as passed),
    made as (insert into ${placeOf(plan.table)} as n (${sql.join(columns)})
      select ${sql.join(values)} from e, checks where e.current and true = all(checks.passed) returning ${returnedOf(plan.table, 'n')})
    ${writeJournals(form.journals, plan, 'made')}
    ${logCreate(plan, form, userId)}
    select e.catalog::text, e.identity::text, to_json(checks.passed)::text, ${written.outer}, r.id, r.allowed
    from e cross join checks left join
    (select ${written.inner}, ${made.row.name()} as id, ${guard} as allowed from made ${made.joins()} offset 0) as r on true`
}

/**
 * A queued create: the row is computed, checked and rendered, but added to a durable queue instead of the table.
 * Result: as for a create.
 */
export function writeQueuedCreate(plan: RecordPlan, form: CreatePlan): Sql<unknown> {
  const { aliases, checks, made, guard } = startCreate(plan, form)
  const pairs = form.assignments.map(
    (assignment) =>
      sql`${sql.lit(storageName(assignment.column.storage))}::text, ${writeNewValue(assignment, aliases)}`,
  )
  const written = writeWritten(plan, made)
  const table = storageOf(plan.table)
  return sql`with ${EPOCH},
    checks as materialized (select ${checks} as passed),
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
export function writeUpdate(plan: RecordPlan, form: UpdatePlan): Sql<unknown> {
  const aliases = new Aliases()
  const before = new FromClause(new Row('b', plan.table), aliases)
  const checks = form.checks.map((check) => writeCheck(check, before.row, aliases))
  const after = new FromClause(new Row('a', plan.table), aliases)
  const table = placeOf(plan.table)
  const changes = form.assignments.map((assignment) => writeChange(assignment, { before: before.row, aliases }))
  const isAdopted = plan.table.adopted !== null
  const isAssigned = (name: string): boolean => form.assignments.some(({ column }) => column.name === name)
  const differs = isAdopted ? null : writeDiffersOrHidden(form, before, aliases)
  const stamp = (name: string, value: Expression): Expression =>
    differs === null
      ? sql`${sql.id(name)} = ${value}`
      : sql`${sql.id(name)} = case when verdict.differs then ${value} else u.${sql.id(name)} end`
  // A row of an adopted table does not contain who changed it, so a journal entry writes nothing into it. Migrated entries have
  // stamps of their own and are no new change of the record.
  const changed = changes.length > 0 || (form.journals.some(({ migrating }) => !migrating) && !isAdopted)
  const stamps = isAdopted
    ? []
    : [
        ...(isAssigned('sys_updated_at') ? [] : [stamp('sys_updated_at', sql`docket_system.now_utc()`)]),
        ...(isAssigned('sys_updated_by') ? [] : [stamp('sys_updated_by', sql`${userId}::bigint`)]),
        stamp(UPDATE_COUNT, sql`coalesce(u.${sql.id(UPDATE_COUNT)}, 0) + 1`),
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
  const proceed = sql`${isSameRow(plan.table, 'u', 'b')} and e.current and verdict.may and verdict.fits and true = all(verdict.passed)`
  const write = changed
    ? sql`update ${table} as u set ${sql.join([...changes, ...stamps])} from b, e, verdict where ${proceed} returning ${returnedOf(plan.table, 'u')}`
    : sql`select b.* from b, e, verdict where e.current and verdict.may and verdict.fits and true = all(verdict.passed)`

  const checked = sql`select ${embedBoolean(form.allowed, before, aliases)} as may, ${writeFits(form.tags, plan, before)} as fits,
      ${boolArray(checks)} as passed${differs === null ? sql`` : sql`, ${differs} as differs`} from b ${before.joins()}`

  const assigned = form.assignments.flatMap(({ column }) => column.storage ?? [])
  const columns = changed ? [...keyNames(plan.table), ...before.row.used, ...assigned] : null
  const locks = lockHierarchies(plan, form, {
    sysId: sql`${new Param(form.sysId, 0)}`,
    value: (assignment) => (assignment.change.kind === 'value' ? writeValue(assignment) : null),
  })

  return sql`with ${EPOCH},
    ${writeBefore(plan, form, { aliases, columns, locks })},
    verdict as materialized (${checked}),
    a as (${write})
    ${writeJournals(form.journals, plan, 'a')}
    ${logUpdate(plan, form, userId)}
    select e.catalog::text, e.identity::text, to_json(verdict.passed)::text, verdict.may is not null, verdict.may, verdict.fits,
      ${written.outer}, r.allowed
    from e left join verdict on true left join
    (select ${written.inner}, ${after.row.name()} as id, ${guard} as allowed from a ${after.joins()} offset 0) as r on true`
}

/** Whether the stamps change. null: always. */
function writeDiffersOrHidden(form: UpdatePlan, before: FromClause, aliases: Aliases): Expression | null {
  const { stampsCompared } = form
  if (stampsCompared.kind === 'constant' && !stampsCompared.value) return null
  const differs = writeAnyDiffers(form, { before: before.row, aliases })
  if (stampsCompared.kind === 'constant') return differs
  return sql`(not ${embedBoolean(stampsCompared, before, aliases)} or ${differs})`
}

/** Whether the write changes a value or adds an entry. */
function writeAnyDiffers(
  { assignments, journals }: UpdatePlan,
  at: { readonly before: Row; readonly aliases: Aliases },
): Expression {
  const values = assignments.flatMap((assignment) => writeDiffers(assignment, at) ?? [])
  const texts = journals.filter(({ migrating }) => !migrating).map(({ text }) => sql`${new Param(text, 0)}::text <> ''`)
  const all = [...values, ...texts]
  return all.length === 0 ? sql`false` : sql`coalesce(${sql.join(all, sql` or `)}, false)`
}

/** Result: epochs, whether the row was found, may be deleted, tag fits, how many rows are gone. */
export function writeDelete(plan: RecordPlan, form: DeletePlan): Sql<unknown> {
  const aliases = new Aliases()
  const before = new FromClause(new Row('b', plan.table), aliases)
  return sql`with ${EPOCH},
    ${writeBefore(plan, form, { aliases, columns: null, locks: sql`` })},
    verdict as materialized (select ${embedBoolean(form.allowed, before, aliases)} as may, ${writeFits(form.tags, plan, before)} as fits from b ${before.joins()}),
    gone as (delete from ${placeOf(plan.table)} as u using b, e, verdict
      where ${isSameRow(plan.table, 'u', 'b')} and e.current
        and case when verdict.may and verdict.fits then ${writeRulesOfDelete(form.builtInRules, before.row)} end returning true)
    ${logDelete(plan, userId)}${deleteDependentRows(plan)}
    select e.catalog::text, e.identity::text, verdict.may is not null, verdict.may, verdict.fits, (select count(*)::integer from gone)
    from e left join verdict on true`
}

/**
 * Files and journal entries are deleted with their record, in the same statement: without it nobody could reach them, and a key of an
 * adopted table may be used again for another record. The log keeps that they existed.
 */
function deleteDependentRows({ table }: RecordPlan): Expression {
  if (systemTable(table.name).belongsTo !== undefined) return sql``
  const owner = new Row('b', table)
  const classId = table.adopted === null ? owner.storage('sys_db_table_id') : idLiteral(table.id)
  const belongs = (alias: string): Expression => sql`${sql.id(alias, 'table_id')} = ${classId}
      and ${sql.id(alias, 'record_id')} = ${owner.name()} and exists (select from gone)`
  return sql`, entries as (delete from docket.sys_journal_entry as j using b where ${belongs('j')}),
    files as (delete from docket.sys_attachment as f using b where ${belongs('f')} returning f.*),
    noted_files as (insert into docket_system.change (operation, table_id, record_id, changed_by, changes)
      select 'd', files.sys_db_table_id, files.sys_id::text, ${userId}::bigint, docket_system.stored_values(files.sys_db_table_id, to_jsonb(files)) from files)`
}

interface Before {
  readonly aliases: Aliases
  /** Columns that the statement uses; null: all. To copy a row of several dozen columns twice costs a tenth of a small change. */
  readonly columns: readonly string[] | null
  /** Further conditions, which are always true and take locks before the row is locked. */
  readonly locks: Expression
}

/** The current row, locked until the transaction ends. If another writer holds the lock, the statement waits and reads the row it left. */
function writeBefore(plan: RecordPlan, form: UpdatePlan | DeletePlan, { aliases, columns, locks }: Before): Expression {
  const row = new Row(aliases.next(), plan.table)
  const looked =
    columns === null ? sql`${sql.id(row.alias)}.*` : sql.join([...new Set(columns)].map((name) => row.storage(name)))
  const key = sql`${new Param(form.sysId, 0)}`
  if (plan.table.adopted !== null) {
    return sql`b as materialized (select ${looked} from ${lockedRow(plan.table, key)} as ${sql.id(row.alias)}
      where ${embed(plan.readable, row, aliases)})`
  }
  return sql`b as materialized (select ${looked} from ${placeOf(plan.table)} as ${sql.id(row.alias)}
    where ${row.isRequested(key)} and ${embed(plan.readable, row, aliases)} ${locks} for update of ${sql.id(row.alias)})`
}

/**
 * The written record as far as the caller may read it. A caller who may write but not read gets the sys_id only. `inner` is selected
 * from the row, and `outer` makes the text and the tag of the response from it, so that the record becomes text only once.
 */
function writeWritten(plan: RecordPlan, from: FromClause): { readonly inner: Expression; readonly outer: Expression } {
  const record = writeRecord(plan, from)
  const { tagged, tag } = writeTag(plan, from)
  const inner = [sql`${record} as record`, sql`${embedBoolean(plan.readable, from, from.aliases)} as readable`]
  if (tagged !== null) inner.push(sql`${tagged} as tagged`)
  const id = plan.names === null ? sql`r.id` : servedIdsOf(plan.names).ofName(sql`r.id`)
  const visibleRecord = sql`case when r.readable then r.record else '{"sys_id":' || to_json(${id})::text || '}' end`
  return { inner: sql.join(inner), outer: sql`${visibleRecord}, case when r.readable then ${tag} end` }
}
