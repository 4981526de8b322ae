import { grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import type { Column, Table } from '../../catalog/catalog.ts'
import { classIdsOf } from '../../catalog/class-ids.ts'
import { columnTypeOf, refersToAny, refersToFile, refersToMany } from '../../column-types/column-types.ts'
import { readBodyValue } from '../../column-types/read-body-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import { takesNames } from '../parse/record-request.ts'
import { givenValue, invalid, partOf } from './body-values.ts'
import type { Instruction } from './instructions.ts'
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
import { columnWhere, type Rights, rowsWhere } from './plan-row-access.ts'
import type { Assignment, PlannedMembers, StoredValue } from './planned-change.ts'
import type { Predicate } from './planned-predicate.ts'
import { allOf, anyOf, FALSE, isConstant, TRUE } from './predicates.ts'
import { ofRequest, type RequestValues, type ValueSource } from './value-source.ts'
import { storedValue, type WriteContext } from './write-context.ts'

const COMPUTED: ReadonlySet<Instruction['kind']> = new Set(['increment', 'append', 'prepend', 'edit-list', 'merge'])

/** The change that an instruction makes to a column. Adds the checks that must pass before it to `context.parts`. */
export function planChange(
  column: Column,
  instruction: Instruction,
  context: WriteContext,
): Result<Assignment['change'], Problem> {
  const { authorized, parts, rights } = context
  if (COMPUTED.has(instruction.kind)) {
    // A result that is computed from the stored value reveals something of it (a length, an overflow), so the right to read is needed.
    const when = columnWhere('read', authorized.table, column, rights)
    if (!isConstant(when, true))
      parts.checks.push({ kind: 'column-allowed', action: 'read', column: column.name, when })
  }
  switch (instruction.kind) {
    case 'set': {
      const areNamed = takesNames(authorized.request)
      if (isNamed(instruction.value, column, areNamed)) {
        const textOf = (request: RequestValues): unknown => valueIn(request, column, authorized.request.operation)
        const found = planNamed(column, textOf, findingOf(column, context))
        return found.ok ? succeed(planReference(column, found.value, context)) : found
      }
      if (memberKinds(instruction.value, column, areNamed) !== null) {
        const members = planList(column, 'set', { value: instruction.value, context })
        return members.ok ? succeed({ kind: 'members', members: members.value }) : members
      }
      const value = givenValue(column, authorized)
      const isUpdate = authorized.request.operation !== 'create'
      checkTarget(column, value, context, isUpdate ? storedValue(column, context) : null)
      return succeed({ kind: 'value', value })
    }
    case 'increment': {
      const { increment } = columnTypeOf(column).write
      if (increment !== undefined) parts.checks.push({ kind: 'range', column, min: increment.min, max: increment.max })
      return succeed({ kind: 'increment', by: partOf(column, 'increment', authorized.request) })
    }
    case 'append':
    case 'prepend': {
      parts.checks.push({ kind: 'length', column, maxLength: column.maxLength ?? MAX_TEXT_CHARACTERS })
      const isHtml = columnTypeOf(column).write.isMarkup === true
      return succeed({ kind: instruction.kind, text: partOf(column, 'text', authorized.request), isHtml })
    }
    case 'edit-list': {
      const areNamed = takesNames(authorized.request)
      if ([instruction.add, instruction.remove].some((each) => memberKinds(each, column, areNamed) !== null))
        return planEdit(column, instruction, context)
      const add = partOf(column, 'add', authorized.request)
      checkTarget(column, add, context, null)
      return succeed({ kind: 'edit-list', add, remove: partOf(column, 'remove', authorized.request) })
    }
    case 'merge':
      return succeed({ kind: 'merge', patch: partOf(column, 'merge', authorized.request) })
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

/** Maximum length after appending to a text whose column has no limit: a record that grows forever slows down every reader. */
const MAX_TEXT_CHARACTERS = 1_048_576

/** A reference must name a record that exists and that the caller may read. Both have the same error, so that ids cannot be probed. */
function checkTarget(
  column: Column,
  ids: ValueSource,
  { authorized, parts, rights }: WriteContext,
  unless: StoredValue | null,
): void {
  if (refersToAny(column)) {
    const targets = [...authorized.catalog.tables.values()].filter((table) => table.parent === null)
    parts.checks.push({
      kind: 'document-exists',
      column: column.name,
      targets: targets.map((table) => ({ table, readable: rowsWhere('read', table, rights) })),
      catalog: authorized.catalog,
      id: ids,
      unless,
    })
    return
  }
  // A migration brings files after the records that refer to them.
  const isFile = refersToFile(column)
  if (authorized.request.migrating && isFile) return
  const named = isFile ? 'sys_attachment' : column.reference
  const target = named === null ? undefined : authorized.catalog.tables.get(named)
  if (target === undefined) return
  parts.checks.push({
    kind: 'record-exists',
    column: column.name,
    target,
    readable: readableOf(target, authorized, rights),
    ids,
    many: refersToMany(column),
    unless,
  })
}

function readableOf(target: Table, authorized: AuthorizedRequest, rights: Rights): Predicate {
  const ofClass: Predicate =
    target.parent === null ? TRUE : { kind: 'class', ids: classIdsOf(target, authorized.catalog) }
  return allOf([ofClass, anyOf([rowsWhere('read', target, rights), visibleTablesOf(target, rights)])])
}

/** Callers who may read records of a table may refer to the table itself, for example in their filters. */
function visibleTablesOf(target: Table, { access, catalog }: Rights): Predicate {
  if (target.name !== 'sys_db_table') return FALSE
  const visible = [...catalog.tables.values()].filter((table) => !isNever(grantOnRows(access, catalog, table, 'read')))
  return visible.length === 0 ? FALSE : { kind: 'row', ids: visible.map(({ id }) => id) }
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

/** The change for a reference that is given by a `find` or by the name of its record. */
function planReference(column: Column, where: FoundWhere, { parts }: WriteContext): Assignment['change'] {
  parts.checks.push({ kind: 'found-one', column: column.name, ...where })
  return { kind: 'find', target: where.target, where: where.where }
}

/** A list whose members are given by sys_id, by a `find` or by name. Each `find` and each name must match exactly one record. */
function planList(
  column: Column,
  part: ListPart,
  { value, context }: { readonly value: unknown; readonly context: WriteContext },
): Result<PlannedMembers, Problem> {
  const { authorized, parts } = context
  const { operation } = authorized.request
  const kinds = memberKinds(value, column, takesNames(authorized.request))
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
    return isShort ? invalid(column, 'a member occurs twice, or is empty') : succeed([read.value ?? []])
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

function findingOf(column: Column, { authorized, rights }: WriteContext): Finding {
  const target = column.reference === null ? undefined : authorized.catalog.tables.get(column.reference)
  if (target === undefined) return { rights, target, readable: TRUE }
  const alsoBy = authorized.request.names?.alsoNamedBy(target.name) ?? []
  return { rights, target, readable: readableOf(target, authorized, rights), alsoBy }
}
