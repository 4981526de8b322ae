import { type Column, isReadOnly, STAMP_COLUMNS } from '../../catalog/catalog.ts'
import { GIVEN_ID } from '../../catalog/given-ids.ts'
import { columnTypeOf, comparisonOf, isJournal } from '../../column-types/column-types.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { PermittedRequest, PermittedWrite } from '../authorize/permitted-request.ts'
import { givenValue, invalid, sentValue } from './body-values.ts'
import { columnWhere, type Rights, rowsWhere } from './grant-predicates.ts'
import { type Instruction, readInstruction } from './instructions.ts'
import { mayMigrate, readMigratedEntries } from './migrated-entries.ts'
import { planBuiltInRules, planHierarchies, takeOver } from './plan-built-in-rules.ts'
import { planChange } from './plan-change.ts'
import { planCreate } from './plan-create.ts'
import { isDisplayedAsOther, planDisplayed, withSplitValues } from './plan-displayed.ts'
import { isStateColumn, planDependentChoices, planStamps, planStateGuard, type StateWrite } from './plan-states.ts'
import type { JournalWrite, WriteCheck } from './planned-change.ts'
import { isConstant } from './predicates.ts'
import { sysIdOf } from './read-condition-value.ts'
import type { PlanForm } from './record-plan.ts'
import { ofRequest } from './value-source.ts'
import { storedValue, type WriteContext, type WriteParts } from './write-context.ts'

/** Plans a create, PUT or PATCH: assignments, checks before them, journal entries, and the rules that it must satisfy. */
export function planWrite(permitted: PermittedRequest, rights: Rights): Result<PlanForm, Problem> {
  const parts: WriteParts = { assignments: [], checks: [], journals: [] }
  for (const write of permitted.writes) {
    const planned = planColumn(write, { permitted, rights, parts })
    if (!planned.ok) return planned
  }
  parts.assignments.splice(0, Infinity, ...withSplitValues(parts.assignments))
  const action = permitted.request.operation === 'create' ? 'create' : 'write'
  const named = new Set(permitted.writes.map(({ column }) => column.name))
  const dependentChoices = planDependentChoices(permitted.table, named)
  const stateWrite = stateWriteOf({ permitted, rights, parts }, named)
  if (stateWrite !== null) parts.assignments.push(...planStamps(stateWrite))
  const builtIn = { table: permitted.table, roles: permitted.roles, named, isCreate: action === 'create' }
  if (action === 'write') takeOver(parts.assignments, builtIn)
  // A migration brings decisions that were made in another system.
  const rulesOfDocket = permitted.request.migrating ? [] : planBuiltInRules(builtIn)
  const builtInRules = [...rulesOfDocket, ...planHierarchies(builtIn, permitted.catalog)]
  const columnsAllowed = permitted.writes
    .map(({ column }) => ({ column: column.name, when: columnWhere(action, permitted.table, column, rights) }))
    .filter(({ when }) => !isConstant(when, true))
  const allowed = rowsWhere(action, permitted.table, rights)
  if (action === 'create')
    return planCreate({ permitted, rights, parts }, { allowed, columnsAllowed, dependentChoices, builtInRules })
  parts.checks.push(
    ...columnsAllowed.map((column): WriteCheck => ({ kind: 'column-allowed', action: 'write', ...column })),
  )
  return succeed({
    kind: 'update',
    sysId: sysIdOf(permitted.table),
    tags: permitted.request.ifMatch === null ? null : ofRequest(({ tags }) => succeed([tags])),
    ...parts,
    allowed,
    columnsAllowed,
    dependentChoices,
    stateGuard: stateWrite === null ? null : planStateGuard(stateWrite),
    builtInRules,
  })
}

function stateWriteOf({ permitted, rights, parts }: WriteContext, named: ReadonlySet<string>): StateWrite | null {
  const { table, catalog, request } = permitted
  const write = parts.assignments.find(({ column }) => isStateColumn(column))
  if (write === undefined || (write.change.kind !== 'value' && write.change.kind !== 'displayed')) return null
  const { column } = write
  const listsAllowed = isConstant(columnWhere('read', table, column, rights), true)
  const isCreate = request.operation === 'create'
  const { migrating } = request
  const inOneStep = request.names === null
  return { column, state: write.change, named, table, catalog, isCreate, migrating, listsAllowed, inOneStep }
}

function planColumn({ column, value, rejected }: PermittedWrite, context: WriteContext): Result<null, Problem> {
  const { permitted, parts } = context
  if (rejected !== undefined) {
    parts.checks.push({ kind: 'stored', stored: storedValue(column, context) })
    return succeed(null)
  }
  if (isJournal(column) && permitted.request.migrating) {
    parts.journals.push(planJournal(column, permitted))
    return succeed(null)
  }
  const instruction = readInstruction(column, value, permitted.request.operation)
  if (!instruction.ok) return instruction
  if (mayStamp(column, context)) return planStamp(column, instruction.value, context)
  const isKept = column.isKeyPart && permitted.request.operation !== 'create'
  if (isKept || isReadOnly(column)) return planReadOnly(column, instruction.value, context)
  if (isJournal(column)) {
    parts.journals.push(planJournal(column, permitted))
    return succeed(null)
  }
  if (isDisplayedAsOther(column)) {
    parts.assignments.push(planDisplayed(column, permitted))
    return succeed(null)
  }
  const change = planChange(column, instruction.value, context)
  if (!change.ok) return change
  const keeps = mayKeep(column, instruction.value, context) ? { keeps: sentValue(column, permitted.request) } : {}
  parts.assignments.push({ column, comparisonType: comparisonOf(column), change: change.value, ...keeps })
  return succeed(null)
}

/**
 * Whether the body's value may be the stored one in another form. This includes `merge`: an object for a JSON column may be a value
 * although it looks like an instruction.
 */
function mayKeep(column: Column, { kind }: Instruction, { permitted }: WriteContext): boolean {
  const isUpdate = permitted.request.operation !== 'create'
  return isUpdate && (kind === 'set' || kind === 'merge') && columnTypeOf(column).write.isRewritten === true
}

function planJournal(column: Column, permitted: PermittedRequest): JournalWrite {
  if (!permitted.request.migrating) return { column, text: givenValue(column, permitted), migrating: false }
  const text = ofRequest(({ writes }, { principal }) => {
    const entries = readMigratedEntries(writes.get(column.name), principal.userId)
    return entries.ok ? succeed([entries.value]) : invalid(column, entries.error)
  })
  return { column, text, migrating: true }
}

/** A client must be able to send back what it read: a read-only column takes its stored value, and no other. */
function planReadOnly(column: Column, instruction: Instruction, context: WriteContext): Result<null, Problem> {
  const { permitted, parts } = context
  const rejection = fail({
    kind: 'invalid-value',
    field: column.name,
    detail: 'it is read-only, the server fills it',
  } as const)
  if (instruction.kind !== 'set') return rejection
  if (permitted.request.migrating && mayMigrate(column, permitted.table))
    return planMigrated(column, instruction, context)
  if (permitted.request.operation === 'create') {
    if (instruction.value === null || instruction.value === '') return succeed(null)
    if (!mayGive(column, context)) return rejection
    parts.assignments.push({
      column,
      comparisonType: comparisonOf(column),
      change: { kind: 'value', value: givenValue(column, permitted) },
    })
    return succeed(null)
  }
  if (column.storage === null) return rejection
  const value = givenValue(column, permitted)
  const stored = storedValue(column, context)
  parts.checks.push({ kind: 'unchanged', column, comparisonType: comparisonOf(column), value, stored })
  return succeed(null)
}

/** What the server fills in a new record may be given by an administrator: ids; the number and the id of another system in an API whose clients give them. */
function mayGive(column: Column, context: WriteContext): boolean {
  if (isKey(column, context)) return mayGiveKey(context)
  const isGiven = column.countedIn !== null || column.name === GIVEN_ID
  return isAdmin(context) && isGiven && context.permitted.request.names !== null
}

const isKey = ({ name }: Column, { permitted }: WriteContext): boolean => name === permitted.table.keyColumn

/** Who created and changed a record, and when: administrators may give them, if the request says so. */
function mayStamp({ name, storage }: Column, context: WriteContext): boolean {
  const { request, table } = context.permitted
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
  { permitted, parts }: WriteContext,
): Result<null, Problem> {
  const isEmpty = value === null || value === ''
  if (isEmpty && (column.neverNull || column.name === 'number')) return succeed(null)
  const change = { kind: 'value', value: givenValue(column, permitted) } as const
  parts.assignments.push({ column, comparisonType: comparisonOf(column), change })
  return succeed(null)
}

/**
 * Only an admin may give a sys_id (docs/spec/records.md, section 5). In an adopted table, a number that the database generates cannot be
 * given, because the sequence would reach it one day; UUIDs and texts can.
 */
function mayGiveKey(context: WriteContext): boolean {
  const { adopted, key } = context.permitted.table
  if (adopted === null) return isAdmin(context)
  return adopted.isKeyGiven || key.kind === 'uuid' || key.kind === 'text'
}

const isAdmin = ({ permitted }: WriteContext): boolean => permitted.roles.has('admin')
