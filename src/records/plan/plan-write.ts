import { type Column, isReadOnly, STAMP_COLUMNS } from '../../catalog/catalog.ts'
import { GIVEN_ID } from '../../catalog/given-ids.ts'
import { columnTypeOf, comparisonOf, isJournal } from '../../column-types/column-types.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { AuthorizedRequest, AuthorizedWrite } from '../authorize/authorized-request.ts'
import { givenValue, invalid, sentValue } from './body-values.ts'
import { type Instruction, readInstruction } from './instructions.ts'
import { mayMigrate, readMigratedEntries } from './migrated-entries.ts'
import { planBuiltInRules, planHierarchies, takeOver } from './plan-built-in-rules.ts'
import { planChange } from './plan-change.ts'
import { planCreate } from './plan-create.ts'
import { isDisplayedAsOther, planDisplayed, withSplitValues } from './plan-displayed.ts'
import { columnWhere, type Rights, rowsWhere } from './plan-row-access.ts'
import { isStateColumn, planDependentChoices, planStamps, planStateGuard, type StateWrite } from './plan-states.ts'
import type { JournalWrite, WriteCheck } from './planned-change.ts'
import type { Predicate } from './planned-predicate.ts'
import { allOf, isConstant } from './predicates.ts'
import { sysIdOf } from './read-condition-value.ts'
import type { PlanKind } from './record-plan.ts'
import { ofRequest } from './value-source.ts'
import { storedValue, type WriteContext, type WriteParts } from './write-context.ts'

/** Plans a create, PUT or PATCH: assignments, checks before them, journal entries, and the rules that it must satisfy. */
export function planWrite(authorized: AuthorizedRequest, rights: Rights): Result<PlanKind, Problem> {
  const parts: WriteParts = { assignments: [], checks: [], journals: [] }
  for (const write of authorized.writes) {
    const planned = planColumn(write, { authorized, rights, parts })
    if (!planned.ok) return planned
  }
  parts.assignments.splice(0, Infinity, ...withSplitValues(parts.assignments))
  const action = authorized.request.operation === 'create' ? 'create' : 'write'
  const named = new Set(authorized.writes.map(({ column }) => column.name))
  const dependentChoices = planDependentChoices(authorized.table, named)
  const stateWrite = stateWriteOf({ authorized, rights, parts }, named)
  if (stateWrite !== null) parts.assignments.push(...planStamps(stateWrite))
  const builtIn = { table: authorized.table, roles: authorized.roles, named, isCreate: action === 'create' }
  if (action === 'write') takeOver(parts.assignments, builtIn)
  // A migration brings decisions that were made in another system.
  const rulesOfDocket = authorized.request.migrating ? [] : planBuiltInRules(builtIn)
  const builtInRules = [...rulesOfDocket, ...planHierarchies(builtIn, authorized.catalog)]
  const columnsAllowed = authorized.writes
    .map(({ column }) => ({ column: column.name, when: columnWhere(action, authorized.table, column, rights) }))
    .filter(({ when }) => !isConstant(when, true))
  const allowed = rowsWhere(action, authorized.table, rights)
  if (action === 'create')
    return planCreate({ authorized, rights, parts }, { allowed, columnsAllowed, dependentChoices, builtInRules })
  parts.checks.push(
    ...columnsAllowed.map((column): WriteCheck => ({ kind: 'column-allowed', action: 'write', ...column })),
  )
  return succeed({
    kind: 'update',
    sysId: sysIdOf(authorized.table),
    tags: authorized.request.ifMatch === null ? null : ofRequest(({ tags }) => succeed([tags])),
    ...parts,
    stampsCompared: allWrittenReadable({ authorized, rights, parts }),
    allowed,
    columnsAllowed,
    dependentChoices,
    stateGuard: stateWrite === null ? null : planStateGuard(stateWrite),
    builtInRules,
  })
}

/**
 * A caller who may write a column but not read it must not learn from the stamps whether its value was already the same. Stamps of a state
 * follow the state.
 */
const allWrittenReadable = ({ authorized, rights, parts }: WriteContext): Predicate =>
  allOf(
    parts.assignments
      .filter(({ change }) => change.kind !== 'state-stamp')
      .map(({ column }) => columnWhere('read', authorized.table, column, rights)),
  )

function stateWriteOf({ authorized, rights, parts }: WriteContext, named: ReadonlySet<string>): StateWrite | null {
  const { table, catalog, request } = authorized
  const write = parts.assignments.find(({ column }) => isStateColumn(column))
  if (write === undefined || (write.change.kind !== 'value' && write.change.kind !== 'displayed')) return null
  const { column } = write
  const listsAllowed = isConstant(columnWhere('read', table, column, rights), true)
  const isCreate = request.operation === 'create'
  const { migrating } = request
  const inOneStep = request.names === null
  return { column, state: write.change, named, table, catalog, isCreate, migrating, listsAllowed, inOneStep }
}

function planColumn({ column, value, rejected }: AuthorizedWrite, context: WriteContext): Result<null, Problem> {
  const { authorized, parts } = context
  if (rejected !== undefined) {
    parts.checks.push({ kind: 'stored', stored: storedValue(column, context) })
    return succeed(null)
  }
  if (isJournal(column) && authorized.request.migrating) {
    parts.journals.push(planJournal(column, authorized))
    return succeed(null)
  }
  const instruction = readInstruction(column, value, authorized.request.operation)
  if (!instruction.ok) return instruction
  if (mayStamp(column, context)) return planStamp(column, instruction.value, context)
  const isKept = column.isKeyPart && authorized.request.operation !== 'create'
  if (isKept || isReadOnly(column)) return planReadOnly(column, instruction.value, context)
  if (isJournal(column)) {
    parts.journals.push(planJournal(column, authorized))
    return succeed(null)
  }
  if (isDisplayedAsOther(column)) {
    parts.assignments.push(planDisplayed(column, authorized))
    return succeed(null)
  }
  const change = planChange(column, instruction.value, context)
  if (!change.ok) return change
  const keeps = mayKeep(column, instruction.value, context) ? { keeps: sentValue(column, authorized.request) } : {}
  parts.assignments.push({ column, comparisonType: comparisonOf(column), change: change.value, ...keeps })
  return succeed(null)
}

/**
 * Whether the body's value may be the stored one in another form. This includes `merge`: an object for a JSON column may be a value
 * although it looks like an instruction.
 */
function mayKeep(column: Column, { kind }: Instruction, { authorized }: WriteContext): boolean {
  const isUpdate = authorized.request.operation !== 'create'
  return isUpdate && (kind === 'set' || kind === 'merge') && columnTypeOf(column).write.isRewritten === true
}

function planJournal(column: Column, authorized: AuthorizedRequest): JournalWrite {
  if (!authorized.request.migrating) return { column, text: givenValue(column, authorized), migrating: false }
  const text = ofRequest(({ writes }, { principal }) => {
    const entries = readMigratedEntries(writes.get(column.name), principal.userId)
    return entries.ok ? succeed([entries.value]) : invalid(column, entries.error)
  })
  return { column, text, migrating: true }
}

/** A client must be able to send back what it read: a read-only column takes its stored value, and no other. */
function planReadOnly(column: Column, instruction: Instruction, context: WriteContext): Result<null, Problem> {
  const { authorized, parts } = context
  const rejection = fail({
    kind: 'invalid-value',
    field: column.name,
    detail: 'it is read-only, the server fills it',
  } as const)
  if (instruction.kind !== 'set') return rejection
  if (authorized.request.migrating && mayMigrate(column, authorized.table))
    return planMigrated(column, instruction, context)
  if (authorized.request.operation === 'create') {
    if (instruction.value === null || instruction.value === '') return succeed(null)
    if (!mayGive(column, context)) return rejection
    parts.assignments.push({
      column,
      comparisonType: comparisonOf(column),
      change: { kind: 'value', value: givenValue(column, authorized) },
    })
    return succeed(null)
  }
  if (column.storage === null) return rejection
  const value = givenValue(column, authorized)
  const stored = storedValue(column, context)
  parts.checks.push({ kind: 'unchanged', column, comparisonType: comparisonOf(column), value, stored })
  return succeed(null)
}

/** What the server fills in a new record may be given by an administrator: ids; the number and the id of another system in an API whose clients give them. */
function mayGive(column: Column, context: WriteContext): boolean {
  if (isKey(column, context)) return mayGiveKey(context)
  const isGiven = column.countedIn !== null || column.name === GIVEN_ID
  return isAdmin(context) && isGiven && context.authorized.request.names !== null
}

const isKey = ({ name }: Column, { authorized }: WriteContext): boolean => name === authorized.table.keyColumn

/** Who created and changed a record, and when: administrators may give them, if the request says so. */
function mayStamp({ name, storage }: Column, context: WriteContext): boolean {
  const { request, table } = context.authorized
  return (
    request.givesStamps && isAdmin(context) && table.adopted === null && storage !== null && STAMP_COLUMNS.has(name)
  )
}

/** An empty time is filled by the server. */
function planStamp(column: Column, instruction: Instruction, context: WriteContext): Result<null, Problem> {
  if (instruction.kind === 'set' && (instruction.value === null || instruction.value === '') && column.neverNull)
    return succeed(null)
  const change = planChange(column, instruction, context)
  if (!change.ok) return change
  context.parts.assignments.push({ column, comparisonType: comparisonOf(column), change: change.value })
  return succeed(null)
}

/** If the body has no value, the server fills the columns that must not be empty. */
function planMigrated(
  column: Column,
  { value }: Instruction & { readonly kind: 'set' },
  { authorized, parts }: WriteContext,
): Result<null, Problem> {
  const isEmpty = value === null || value === ''
  if (isEmpty && (column.neverNull || column.name === 'number')) return succeed(null)
  const change = { kind: 'value', value: givenValue(column, authorized) } as const
  parts.assignments.push({ column, comparisonType: comparisonOf(column), change })
  return succeed(null)
}

/**
 * Only an admin may give a sys_id (docs/spec/records.md, section 5). In an adopted table, a number that the database generates cannot be
 * given, because the sequence would reach it one day; UUIDs and texts can.
 */
function mayGiveKey(context: WriteContext): boolean {
  const { adopted, key } = context.authorized.table
  if (adopted === null) return isAdmin(context)
  return adopted.isKeyGiven || key.kind === 'uuid' || key.kind === 'text'
}

const isAdmin = ({ authorized }: WriteContext): boolean => authorized.roles.has('admin')
