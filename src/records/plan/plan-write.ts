import { type Column, SYSTEM_COLUMNS, type Table } from '../../catalog/catalog.ts'
import {
  columnTypeOf,
  comparisonOf,
  isJournal,
  refersToAny,
  refersToFile,
  refersToMany,
} from '../../column-types/column-types.ts'
import { parseDisplayValue } from '../../column-types/parse-display-value.ts'
import { readBodyValue } from '../../column-types/read-body-value.ts'
import { typedOperand } from '../../condition/typed-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { isTimeZone } from '../../kernel/time-zone.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { PermittedRequest, PermittedWrite } from '../authorize/permitted-request.ts'
import { type Instruction, readInstruction } from './instructions.ts'
import { mayMigrate, readMigratedEntries } from './migrated-entries.ts'
import { ownRunAs, planBuiltInRules, planHierarchies, takeOver } from './plan-built-in-rules.ts'
import {
  type Finding,
  type FoundWhere,
  isNamed,
  type ListPart,
  listPartIn,
  memberKinds,
  membersOf,
  planFind,
  planNamed,
  valueIn,
} from './plan-find.ts'
import { columnWhere, type Rights, rowsWhere } from './plan-rights.ts'
import { isStateColumn, planDependentChoices, planStamps, planStateGuard, type StateWrite } from './plan-states.ts'
import { allOf, isConstant, TRUE } from './predicates.ts'
import { readConditionValue, sysIdOf } from './read-condition-value.ts'
import {
  type Assignment,
  type BuiltInRule,
  type DependentChoice,
  type JournalWrite,
  ofCaller,
  ofRequest,
  type PlanForm,
  type PlannedMembers,
  type Predicate,
  type RequestValues,
  type StoredValue,
  type ValueSource,
  type WriteCheck,
} from './record-plan.ts'
import { sentJson } from './sent-json.ts'

/** What a create, PUT or PATCH does: assignments, checks before them, journal entries, and the rules it must satisfy. */
export function planWrite(permitted: PermittedRequest, rights: Rights): Result<PlanForm, Problem> {
  const parts: WriteParts = { assignments: [], checks: [], journals: [] }
  for (const write of permitted.writes) {
    const planned = planColumn(write, { permitted, rights, parts })
    if (!planned.ok) return planned
  }
  const action = permitted.request.operation === 'create' ? 'create' : 'write'
  const named = new Set(permitted.writes.map(({ column }) => column.name))
  const dependentChoices = planDependentChoices(permitted.table, named)
  const stateWrite = stateWriteOf({ permitted, rights, parts }, named)
  if (stateWrite !== null) parts.assignments.push(...planStamps(stateWrite))
  const builtIn = { table: permitted.table, roles: permitted.roles, named, isCreate: action === 'create' }
  if (action === 'write') takeOver(parts.assignments, builtIn)
  // A migration brings decisions that were made elsewhere.
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
  if (write === undefined || write.change.kind !== 'value') return null
  const { column } = write
  const tells = isConstant(columnWhere('read', table, column, rights), true)
  const isCreate = request.operation === 'create'
  const { migrating } = request
  return { column, state: write.change.value, named, table, catalog, isCreate, migrating, tells }
}

interface WriteParts {
  readonly assignments: Assignment[]
  readonly checks: WriteCheck[]
  readonly journals: JournalWrite[]
}

interface WriteContext {
  readonly permitted: PermittedRequest
  readonly rights: Rights
  readonly parts: WriteParts
}

interface WriteRules {
  readonly allowed: Predicate
  readonly columnsAllowed: readonly { readonly column: string; readonly when: Predicate }[]
  readonly dependentChoices: readonly DependentChoice[]
  readonly builtInRules: readonly BuiltInRule[]
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
  const isKept = column.isKeyPart && permitted.request.operation !== 'create'
  if (isKept || isReadOnly(column)) return planReadOnly(column, instruction.value, context)
  if (isJournal(column)) {
    parts.journals.push(planJournal(column, permitted))
    return succeed(null)
  }
  const change = planChange(column, instruction.value, context)
  if (!change.ok) return change
  const keeps = mayKeep(column, instruction.value, context) ? { keeps: sentValue(column, permitted.request) } : {}
  parts.assignments.push({ column, family: comparisonOf(column), change: change.value, ...keeps })
  return succeed(null)
}

/** What is sent may be the stored value in other words. An object for a JSON column may be an instruction. */
function mayKeep(column: Column, { kind }: Instruction, { permitted }: WriteContext): boolean {
  const isUpdate = permitted.request.operation !== 'create'
  return isUpdate && (kind === 'set' || kind === 'merge') && columnTypeOf(column).write.isRewritten === true
}

function storedValue(column: Column, { permitted, rights }: WriteContext): StoredValue {
  return {
    column,
    sent: sentValue(column, permitted.request),
    visible: columnWhere('read', permitted.table, column, rights),
  }
}

/** What the body holds, as a read displays stored values. */
function sentValue(column: Column, { inputDisplay }: PermittedRequest['request']): ValueSource {
  return ofRequest(({ writes }, { principal }) => {
    const sent = writes.get(column.name)
    const stored = inputDisplay ? parseDisplayValue(sent, column, principal) : succeed(sent)
    return succeed([sentJson(stored.ok ? stored.value : sent, column)])
  })
}

function planJournal(column: Column, permitted: PermittedRequest): JournalWrite {
  if (!permitted.request.migrating) return { column, text: givenValue(column, permitted), migrating: false }
  const text = ofRequest(({ writes }, { principal }) => {
    const entries = readMigratedEntries(writes.get(column.name), principal.userId)
    return entries.ok ? succeed([entries.value]) : invalid(column, entries.error)
  })
  return { column, text, migrating: true }
}

export function isReadOnly(column: Column): boolean {
  return column.readOnly || SYSTEM_COLUMNS.has(column.name)
}

/** A client that sends back what it read must not fail: the value that stands there may be repeated, and no other. */
function planReadOnly(column: Column, instruction: Instruction, context: WriteContext): Result<null, Problem> {
  const { permitted, parts } = context
  const refusal = refuse({
    kind: 'invalid-value',
    field: column.name,
    detail: 'it is read-only, the server fills it',
  } as const)
  if (instruction.kind !== 'set') return refusal
  if (permitted.request.migrating && mayMigrate(column, permitted.table))
    return planMigrated(column, instruction, context)
  if (permitted.request.operation === 'create') {
    if (instruction.value === null || instruction.value === '') return succeed(null)
    if (column.name !== permitted.table.keyColumn || !mayGiveKey(context)) return refusal
    parts.assignments.push({
      column,
      family: comparisonOf(column),
      change: { kind: 'value', value: givenValue(column, permitted) },
    })
    return succeed(null)
  }
  if (column.storage === null) return refusal
  const value = givenValue(column, permitted)
  const stored = storedValue(column, context)
  parts.checks.push({ kind: 'unchanged', column, family: comparisonOf(column), value, stored })
  return succeed(null)
}

/** Without a value, the server fills what no record is without. */
function planMigrated(
  column: Column,
  { value }: Instruction & { readonly kind: 'set' },
  { permitted, parts }: WriteContext,
): Result<null, Problem> {
  const isEmpty = value === null || value === ''
  if (isEmpty && (column.neverNull || column.name === 'number')) return succeed(null)
  const change = { kind: 'value', value: givenValue(column, permitted) } as const
  parts.assignments.push({ column, family: comparisonOf(column), change })
  return succeed(null)
}

/**
 * Only an admin may give a sys_id (record spec, section 5). A number that the database counts is not given, because it would
 * count into it some day; a UUID or a text meets no other.
 */
function mayGiveKey(context: WriteContext): boolean {
  const { adopted, key } = context.permitted.table
  if (adopted === null) return isAdmin(context)
  return adopted.isKeyGiven || key.kind === 'uuid' || key.kind === 'text'
}

const isAdmin = ({ permitted }: WriteContext): boolean => permitted.roles.has('admin')

const COMPUTED: ReadonlySet<Instruction['kind']> = new Set(['increment', 'append', 'prepend', 'edit-list', 'merge'])

function planChange(
  column: Column,
  instruction: Instruction,
  context: WriteContext,
): Result<Assignment['change'], Problem> {
  const { permitted, parts, rights } = context
  if (COMPUTED.has(instruction.kind)) {
    // What is computed from the stored value tells of it (a length, an overflow): it takes the right to read.
    const when = columnWhere('read', permitted.table, column, rights)
    if (!isConstant(when, true))
      parts.checks.push({ kind: 'column-allowed', action: 'read', column: column.name, when })
  }
  switch (instruction.kind) {
    case 'set': {
      const { inputDisplay } = permitted.request
      if (isNamed(instruction.value, column, inputDisplay)) {
        const textOf = (request: RequestValues): unknown => valueIn(request, column, permitted.request.operation)
        const found = planNamed(column, textOf, findingOf(column, context))
        return found.ok ? succeed(planReference(column, found.value, context)) : found
      }
      if (memberKinds(instruction.value, column, inputDisplay) !== null) {
        const members = planList(column, 'set', { value: instruction.value, context })
        return members.ok ? succeed({ kind: 'members', members: members.value }) : members
      }
      const value = givenValue(column, permitted)
      const isUpdate = permitted.request.operation !== 'create'
      checkTarget(column, value, context, isUpdate ? storedValue(column, context) : null)
      return succeed({ kind: 'value', value })
    }
    case 'increment': {
      const { increment } = columnTypeOf(column).write
      if (increment !== undefined)
        parts.checks.push({ kind: 'range', column, least: increment.min, most: increment.max })
      return succeed({ kind: 'increment', by: partOf(column, 'increment', permitted.request) })
    }
    case 'append':
    case 'prepend': {
      parts.checks.push({ kind: 'length', column, maxLength: column.maxLength ?? MAX_TEXT_CHARACTERS })
      const isHtml = columnTypeOf(column).write.isMarkup === true
      return succeed({ kind: instruction.kind, text: partOf(column, 'text', permitted.request), isHtml })
    }
    case 'edit-list': {
      const { inputDisplay } = permitted.request
      if ([instruction.add, instruction.remove].some((each) => memberKinds(each, column, inputDisplay) !== null))
        return planEdit(column, instruction, context)
      const add = partOf(column, 'add', permitted.request)
      checkTarget(column, add, context, null)
      return succeed({ kind: 'edit-list', add, remove: partOf(column, 'remove', permitted.request) })
    }
    case 'merge':
      return succeed({ kind: 'merge', patch: partOf(column, 'merge', permitted.request) })
    case 'find': {
      const findOf = ({ writes }: RequestValues): unknown =>
        (writes.get(column.name) as { readonly find?: unknown } | undefined)?.find
      const found = planFind(column, instruction.by, { ...findingOf(column, context), findOf })
      return found.ok ? succeed(planReference(column, found.value, context)) : found
    }
    default:
      return unreachable(instruction)
  }
}

/** What appending may make of a text without a length of its own: a record that grows for ever slows down every reader. */
const MAX_TEXT_CHARACTERS = 1_048_576

/** A reference must lead to a record that exists and that the caller may read: one answer for both, so that ids cannot be probed. */
function checkTarget(
  column: Column,
  ids: ValueSource,
  { permitted, parts, rights }: WriteContext,
  unless: StoredValue | null,
): void {
  if (refersToAny(column)) {
    const targets = [...permitted.catalog.tables.values()].filter((table) => table.parent === null)
    parts.checks.push({
      kind: 'document-exists',
      column: column.name,
      targets: targets.map((table) => ({ table, readable: rowsWhere('read', table, rights) })),
      catalog: permitted.catalog,
      id: ids,
      unless,
    })
    return
  }
  // Files move in behind the records that show them.
  const isFile = refersToFile(column)
  if (permitted.request.migrating && isFile) return
  const named = isFile ? 'sys_attachment' : column.reference
  const target = named === null ? undefined : permitted.catalog.tables.get(named)
  if (target === undefined) return
  parts.checks.push({
    kind: 'record-exists',
    column: column.name,
    target,
    readable: readableOf(target, permitted, rights),
    ids,
    many: refersToMany(column),
    unless,
  })
}

function readableOf(target: Table, permitted: PermittedRequest, rights: Rights): Predicate {
  const ofClass: Predicate =
    target.parent === null
      ? TRUE
      : { kind: 'class', ids: target.family.flatMap((name) => permitted.catalog.tables.get(name)?.id ?? []) }
  return allOf([ofClass, rowsWhere('read', target, rights)])
}

function planEdit(
  column: Column,
  instruction: Instruction & { readonly kind: 'edit-list' },
  context: WriteContext,
): Result<Assignment['change'], Problem> {
  const add = planList(column, 'add', { value: instruction.add, context })
  if (!add.ok) return add
  const remove = planList(column, 'remove', { value: instruction.remove, context })
  return remove.ok ? succeed({ kind: 'edit-members', add: add.value, remove: remove.value }) : remove
}

/** What a reference names: by a `find`, or as people call it. */
function planReference(column: Column, where: FoundWhere, { parts }: WriteContext): Assignment['change'] {
  parts.checks.push({ kind: 'found-one', column: column.name, ...where })
  return { kind: 'find', target: where.target, where: where.where }
}

/** A list of which some members are found; each find must meet one record. */
function planList(
  column: Column,
  part: ListPart,
  { value, context }: { readonly value: unknown; readonly context: WriteContext },
): Result<PlannedMembers, Problem> {
  const { permitted, parts } = context
  const { operation, inputDisplay } = permitted.request
  const kinds = memberKinds(value, column, inputDisplay)
  const order: NonNullable<PlannedMembers['order']>[number][] = []
  for (const [index, kind] of (kinds ?? []).entries()) {
    const memberIn = (request: RequestValues): unknown => listPartIn(request, column, { part, operation })[index]
    const found =
      kind === 'given' ? null : planMember(column, memberIn, { kind, sample: membersOf(value)[index], context })
    if (found !== null && !found.ok) return found
    if (found !== null) parts.checks.push({ kind: 'found-one', column: column.name, ...found.value })
    order.push(found === null ? 'given' : found.value)
  }
  const given = ofRequest((request) => {
    const members = listPartIn(request, column, { part, operation }).filter(
      (_member, index) => kinds === null || kinds[index] === 'given',
    )
    const read = readBodyValue(members, column)
    if (!read.ok) return invalid(column, read.error)
    const isShort = kinds !== null && ((read.value ?? []) as readonly unknown[]).length < members.length
    return isShort ? invalid(column, 'a member stands twice, or is empty') : succeed([read.value ?? []])
  })
  checkTarget(column, given, context, null)
  return succeed({ given, order: kinds === null ? null : order })
}

function planMember(
  column: Column,
  memberIn: (request: RequestValues) => unknown,
  {
    kind,
    sample,
    context,
  }: { readonly kind: 'find' | 'named'; readonly sample: unknown; readonly context: WriteContext },
): Result<FoundWhere, Problem> {
  const finding = findingOf(column, context)
  if (kind === 'named') return planNamed(column, memberIn, finding)
  const findOf = (request: RequestValues): unknown =>
    (memberIn(request) as { readonly find?: unknown } | undefined)?.find
  return planFind(column, new Map(Object.entries((sample as { readonly find: object }).find)), { ...finding, findOf })
}

function findingOf(column: Column, { permitted, rights }: WriteContext): Finding {
  const target = column.reference === null ? undefined : permitted.catalog.tables.get(column.reference)
  return { rights, target, readable: target === undefined ? TRUE : readableOf(target, permitted, rights) }
}

// ── values of the body ──

/** The value of a column, plain or as it was read; empty where the column must not be is refused. */
function givenValue(column: Column, permitted: PermittedRequest): ValueSource {
  return ofRequest(({ writes }, { principal }) => {
    const instruction = readInstruction(column, writes.get(column.name), permitted.request.operation)
    if (!instruction.ok) return instruction
    const given = instruction.value.kind === 'set' ? instruction.value.value : null
    const stored = permitted.request.inputDisplay ? parseDisplayValue(given, column, principal) : succeed(given)
    const value = stored.ok ? readBodyValue(stored.value, column) : stored
    if (!value.ok) return invalid(column, value.error)
    if (isUnknownTimeZone(column, value.value)) {
      return invalid(column, `the name of a time zone is expected, such as Europe/Moscow or UTC; found ${value.value}`)
    }
    if (column.mandatory && !isReadOnly(column) && isEmpty(value.value))
      return invalid(column, 'it is mandatory and cannot be empty')
    return succeed([value.value])
  })
}

/** The server would show such a user every time in UTC, without a word. */
function isUnknownTimeZone({ name, ownerTable }: Column, value: unknown): boolean {
  return (
    name === 'time_zone' && ownerTable === 'user' && typeof value === 'string' && value !== '' && !isTimeZone(value)
  )
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

type Part = 'increment' | 'text' | 'add' | 'remove' | 'merge'

function partOf(column: Column, part: Part, { inputDisplay }: PermittedRequest['request']): ValueSource {
  return ofRequest(({ writes }, { principal }) => {
    const instruction = readInstruction(column, writes.get(column.name), 'patch')
    if (!instruction.ok) return instruction
    const given = partValue(instruction.value, part)
    const stored = inputDisplay && part !== 'merge' ? parseDisplayValue(given, column, principal) : succeed(given)
    const value = stored.ok ? readPart(stored.value, column, part) : stored
    if (!value.ok) return invalid(column, value.error)
    if (part === 'increment' && value.value === null) return invalid(column, 'increment takes a number')
    if (part === 'add' || part === 'remove') return succeed([value.value ?? []])
    return part === 'text' && value.value === null
      ? invalid(column, 'append and prepend take a text')
      : succeed([value.value])
  })
}

function partValue(instruction: Instruction, part: Part): unknown {
  switch (instruction.kind) {
    case 'increment':
      return part === 'increment' ? instruction.by : null
    case 'append':
    case 'prepend':
      return part === 'text' ? instruction.text : null
    case 'edit-list':
      return part === 'add' ? instruction.add : instruction.remove
    case 'merge':
      // JSON null as a patch is a value of its own: it replaces the whole (RFC 7396).
      return instruction.patch
    default:
      return null
  }
}

function readPart(value: unknown, column: Column, part: Part): Result<unknown, string> {
  const { increment } = columnTypeOf(column).write
  const isOther = part === 'increment' && increment !== undefined && value !== null && value !== undefined
  return isOther ? increment.value(value, column) : readBodyValue(value, column)
}

// ── what a create fills in ──

function planCreate(context: WriteContext, rules: WriteRules): Result<PlanForm, Problem> {
  const { permitted, parts } = context
  // Not what the body names: a read-only column named with nothing in it is filled in all the same.
  const given = new Set(parts.assignments.map((assignment) => assignment.column.name))
  for (const column of permitted.table.columns.values()) {
    if (column.storage === null || given.has(column.name)) continue
    const filled = fillIn(column, permitted.table)
    if (filled !== null) parts.assignments.push(filled)
    else if (isRequiredOnCreate(column, permitted.table)) return invalid(column, 'it is mandatory; give it a value')
  }
  if (parts.assignments.length === 0) {
    return refuse({ kind: 'invalid-value', field: '', detail: 'a new record needs a value of one column at least' })
  }
  return succeed({ kind: 'create', ...parts, ...rules })
}

/** A create without a value of the column is rejected. */
export function isRequiredOnCreate(column: Column, table: Table): boolean {
  return column.mandatory && !isReadOnly(column) && column.storage !== null && fillIn(column, table) === null
}

function fillIn(column: Column, table: Table): Assignment | null {
  const family = comparisonOf(column)
  const assign = (value: ValueSource): Assignment => ({ column, family, change: { kind: 'value', value } })
  switch (column.name) {
    case 'sys_created_by':
    case 'sys_updated_by':
      return assign(ofCaller(({ principal }) => succeed([principal.userId])))
    case 'sys_db_table_id':
      return assign(ofCaller(() => succeed([table.id])))
    case 'number': {
      const { numbering } = table
      return numbering === null ? null : { column, family, change: { kind: 'number', numbering } }
    }
    case 'run_as':
      return table.name === 'sys_webhook' ? assign(ownRunAs) : assignDefault(column, assign)
    default:
      return assignDefault(column, assign)
  }
}

function assignDefault(column: Column, assign: (value: ValueSource) => Assignment): Assignment | null {
  return column.defaultValue === null || column.defaultValue === '' ? null : assign(defaultOf(column))
}

/** The dictionary's default: a value, or a helper that is computed for the caller and the moment. */
function defaultOf(column: Column): ValueSource {
  const text = column.defaultValue ?? ''
  const operand = typedOperand(text)
  return ofCaller((caller) => {
    const value =
      operand.kind === 'helper'
        ? readConditionValue(operand, comparisonOf(column), caller)
        : readBodyValue(text, column)
    return value.ok
      ? succeed([value.value])
      : invalid(column, `its default in the dictionary does not fit: ${value.error}`)
  })
}

function invalid(column: Column, detail: string): Result<never, Problem> {
  return refuse({ kind: 'invalid-value', field: column.name, detail })
}
