import type { Column, Table } from '../../catalog/catalog.ts'
import { isResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import { comparisonOf, refersToMany, refersToOne } from '../../column-types/column-types.ts'
import { readSysId } from '../../column-types/record-key.ts'
import { shapeOf } from '../../condition/comparison-shape.ts'
import type { ConditionComparison } from '../../condition/condition-tree.ts'
import { equalsText } from '../../condition/literal-checks.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import { readInstruction } from './instructions.ts'
import { planComparison } from './plan-predicate.ts'
import { callersDisplayOf, callersEntries, planCallersPath, type Rights } from './plan-row-access.ts'
import type { Predicate } from './planned-predicate.ts'
import { allOf, isConstant } from './predicates.ts'
import { ofRequest, type RequestValues, readSource } from './value-source.ts'

/** The table in which a record is looked up, with the caller's rights. */
export interface Finding {
  readonly rights: Rights
  /** Undefined: the column refers to no table. */
  readonly target: Table | undefined
  /** The records that the caller may read. */
  readonly readable: Predicate
  /** Names of further columns whose values are names of records. */
  readonly alsoBy?: readonly string[]
}

/** A condition that exactly one record must satisfy. */
export interface FoundWhere {
  readonly target: Table
  readonly where: Predicate
}

/** `{"find":{"user_name":"anna"}}`: the one readable record whose columns have these values. */
export function planFind(
  column: Column,
  by: ReadonlyMap<string, unknown>,
  finding: Finding & { readonly findOf: (request: RequestValues) => unknown },
): Result<FoundWhere, Problem> {
  const { rights, target, readable, findOf } = finding
  if (target === undefined) return invalid(column, 'find needs a reference column')
  const comparisons: Predicate[] = [readable]
  for (const [key, sample] of by) {
    if (scalarText(sample) === '') return invalid(column, `find: ${key} needs a value`)
    const textOf = (request: RequestValues): string =>
      scalarText((findOf(request) as Readonly<Record<string, unknown>>)?.[key])
    const comparison = planEquals(column, key, { rights, target, textOf })
    if (!comparison.ok) return comparison
    comparisons.push(comparison.value)
  }
  return succeed({ target, where: allOf(comparisons) })
}

/** The one readable record with this name: a display value, a value of a unique text column or of `alsoBy`, or a sys_id. */
export function planNamed(
  column: Column,
  nameIn: (request: RequestValues) => unknown,
  { rights, target, readable, alsoBy = [] }: Finding,
): Result<FoundWhere, Problem> {
  if (target === undefined) return invalid(column, 'a name needs a reference column')
  const textOf = (request: RequestValues): string => scalarText(nameIn(request)).trim()
  const names = [...target.columns.values()].filter(isName)
  const comparisons: Predicate[] = []
  for (const name of new Set([...names.map((each) => each.name), ...alsoBy, target.keyColumn])) {
    const comparison = planEquals(column, name, { rights, target, textOf })
    // A column that the caller may not read is left out.
    if (comparison.ok) comparisons.push(orNoValue(comparison.value))
  }
  return succeed({ target, where: allOf([readable, { kind: 'any', of: comparisons }]) })
}

/** Whether values of the column are names of records: it is the display column, or a unique text. */
export function isName(column: Column): boolean {
  if (column.storage === null) return false
  const comparisonType = comparisonOf(column)
  return comparisonType === 'text'
    ? column.unique || column.displayByRef
    : column.displayByRef && comparisonType === 'whole'
}

/** Most names are no valid sys_id or number. A name that cannot be compared with a column equals none of its values. */
function orNoValue(predicate: Predicate): Predicate {
  if (predicate.kind !== 'comparison') return predicate
  const { comparison } = predicate
  return {
    kind: 'comparison',
    comparison: {
      ...comparison,
      read: ofRequest((request, caller) => {
        const values = readSource(comparison.read, caller, request)
        return values.ok ? values : succeed([null])
      }),
    },
  }
}

function planEquals(
  column: Column,
  key: string,
  {
    rights,
    target,
    textOf,
  }: { readonly rights: Rights; readonly target: Table; readonly textOf: (request: RequestValues) => string },
): Result<Predicate, Problem> {
  const fieldPath = resolvePath(rights.catalog, target, key.split('.'))
  if (!isResolvedPath(fieldPath)) return invalid(column, `find: ${fieldPath.detail}`)
  const planned = planCallersPath(fieldPath, rights)
  if ([...planned.hops.map((hop) => hop.visible), planned.visible].some((visible) => isConstant(visible, false))) {
    return fail({ kind: 'column-denied', action: 'read', table: fieldPath.end.table.name, column: key, where: 'body' })
  }
  const comparisonWith = (text: string): ConditionComparison => equalsText(fieldPath.path.split('.'), text)
  const comparison = planComparison(
    // The statement serves every value, so the sample has a letter: the comparison is case-folded.
    { comparison: shapeOf(comparisonWith('a')), fieldPath: planned, other: null, searched: [] },
    {
      catalog: rights.catalog,
      table: target,
      displayOf: (table) => callersDisplayOf(table, rights),
      entries: callersEntries(rights),
      from: { of: 'request', comparison: (request) => comparisonWith(textOf(request)) },
      rejectValue: (detail) => invalid(column, `find: ${key}: ${detail}`),
    },
  )
  return comparison.ok ? comparison : invalid(column, 'find takes columns that can be compared with =')
}

const scalarText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

// ── names and finds in a body ──

type Operation = AuthorizedRequest['request']['operation']
export type ListPart = 'set' | 'add' | 'remove'
type MemberKind = 'given' | 'find' | 'named'

/** The form of the sys_ids that Docket assigns. Such a text is not a name. */
const OWN_SYS_ID = /^\d{18}$/

/** Whether a reference is given by the name of its record (sysparm_input_display_value). */
export function isNamed(value: unknown, column: Column, areNamed: boolean): value is string {
  if (!areNamed || !refersToOne(column) || typeof value !== 'string' || value.trim() === '') return false
  return !isOwnSysId(value, column)
}

const isOwnSysId = (text: string, { key }: Column): boolean =>
  OWN_SYS_ID.test(text) && key !== null && readSysId(text, key) !== null

/** How each member of a list is given; null: all by sys_id. */
export function memberKinds(value: unknown, column: Column, areNamed: boolean): readonly MemberKind[] | null {
  if (!refersToMany(column) || column.reference === null) return null
  const kinds = membersOf(value).map((member): MemberKind => {
    if (isFind(member)) return 'find'
    return areNamed && typeof member === 'string' && !isOwnSysId(member, column) ? 'named' : 'given'
  })
  return kinds.every((kind) => kind === 'given') ? null : kinds
}

export function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string') return []
  return value
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
}

function isFind(member: unknown): member is { readonly find: object } {
  if (typeof member !== 'object' || member === null || !('find' in member)) return false
  const { find } = member
  const isNamedBy = typeof find === 'object' && find !== null && !Array.isArray(find) && Object.keys(find).length > 0
  return isNamedBy && Object.keys(member).length === 1
}

/** The new value of a column in the body; null: the body has no value, or another instruction. */
export function valueIn(request: RequestValues, column: Column, operation: Operation): unknown {
  const instruction = readInstruction(column, request.writes.get(column.name), operation)
  return instruction.ok && instruction.value.kind === 'set' ? instruction.value.value : null
}

export function listPartIn(
  request: RequestValues,
  column: Column,
  { part, operation }: { readonly part: ListPart; readonly operation: Operation },
): readonly unknown[] {
  if (part === 'set') return membersOf(valueIn(request, column, operation))
  const instruction = readInstruction(column, request.writes.get(column.name), operation)
  return instruction.ok && instruction.value.kind === 'edit-list' ? membersOf(instruction.value[part]) : []
}

// ── their part of the plan's key ──

/** The part of the plan's key for a list. */
export function markOfMembers(value: unknown, column: Column, areNamed: boolean): string {
  const kinds = memberKinds(value, column, areNamed)
  if (kinds === null) return ''
  const members = membersOf(value)
  return JSON.stringify(kinds.map((kind, index) => (kind === 'find' ? markOfFind(findOf(members[index])) : kind)))
}

const findOf = (member: unknown): ReadonlyMap<string, unknown> =>
  new Map(isFind(member) ? Object.entries(member.find) : [])

/** JSON, because the keys come from the caller: a space or a bracket in a key must not make two different finds look the same. */
export function markOfFind(by: ReadonlyMap<string, unknown>): string {
  return `find${JSON.stringify([...by].map(([key, value]) => [key, scalarText(value) === '' ? '' : '=']))}`
}

function invalid(column: Column, detail: string): Result<never, Problem> {
  return fail({ kind: 'invalid-value', field: column.name, detail })
}
