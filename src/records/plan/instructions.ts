import type { Column } from '../../catalog/catalog.ts'
import { comparisonOf, isJson, refersToMany } from '../../column-types/column-types.ts'
import { COMPARISONS, isId } from '../../column-types/comparison-types.ts'
import { isEditorDocument } from '../../column-types/editor/editor-node.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'

/**
 * The content of a body for one column: a value, or an instruction (docs/spec/records.md, section 8). `kind` and the keys of a `find`
 * determine the statement and are part of the key of the cached plan; the values are read again for each request.
 */
export type Instruction =
  | { readonly kind: 'set'; readonly value: unknown }
  | { readonly kind: 'increment'; readonly by: unknown }
  | { readonly kind: 'append' | 'prepend'; readonly text: unknown }
  | { readonly kind: 'edit-list'; readonly add: unknown; readonly remove: unknown }
  | { readonly kind: 'merge'; readonly patch: unknown }
  | { readonly kind: 'find'; readonly by: ReadonlyMap<string, unknown> }

/**
 * PATCH takes every instruction. A create and a PUT take only `find`, because they set whole values. All take values, plain or in the
 * form of a read (`{"value":…}`).
 */
export function readInstruction(
  column: Column,
  value: unknown,
  operation: AuthorizedRequest['request']['operation'],
): Result<Instruction, Problem> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return succeed({ kind: 'set', value })
  if (column.readAsDocument && isEditorDocument(value)) return succeed({ kind: 'set', value })
  const members = new Map(Object.entries(value))
  if (isJson(column)) return readJsonInstruction(column, value, members, operation)
  if (operation !== 'patch' && !members.has('value')) {
    if (column.reference !== null && !refersToMany(column) && members.size === 1 && members.has('find'))
      return readFind(column, members.get('find'))
    const names = [...members.keys()].slice(0, 3).join(', ')
    if (names === '') return wrong(column, 'an object is not a value of this column')
    return wrong(column, `an object is not a value of this column; instructions such as ${names} belong to PATCH`)
  }
  const unknown = [...members.keys()].filter((key) => !allowedKeys(column).includes(key))
  if (unknown.length > 0) {
    return wrong(
      column,
      `unknown instruction ${unknown.join(', ')}; this column takes ${allowedKeys(column).join(', ')}`,
    )
  }
  return readMembers(column, members)
}

/**
 * For a JSON column, an object may be a value. It is an instruction if it has only keys of instructions. The statement decides whether
 * it equals the stored JSON and so changes nothing (docs/spec/records.md, section 8).
 */
function readJsonInstruction(
  column: Column,
  value: object,
  members: ReadonlyMap<string, unknown>,
  operation: AuthorizedRequest['request']['operation'],
): Result<Instruction, Problem> {
  const isPatch = operation === 'patch'
  const isInstruction = isPatch ? isJsonInstruction(members) : isReadForm(members)
  return isInstruction ? readMembers(column, members) : succeed({ kind: 'set', value })
}

/** `link` and `display_value` alone are no instruction: they are members of a value. */
const isJsonInstruction = (members: ReadonlyMap<string, unknown>): boolean =>
  [...members.keys()].every((key) => JSON_KEYS.includes(key)) &&
  ['value', 'clear', 'merge'].some((key) => members.has(key))

/** The form of a read with sysparm_display_value=all. Without this check, a JSON column would store the whole object. */
const isReadForm = (members: ReadonlyMap<string, unknown>): boolean =>
  members.size === 2 && members.has('value') && members.has('display_value')

/** A read returns `link` and `display_value` beside the value; they are no instructions. */
const ANY_COLUMN = ['value', 'link', 'display_value', 'clear']
const JSON_KEYS: readonly string[] = [...ANY_COLUMN, ...(COMPARISONS.json.instructions ?? [])]

function allowedKeys(column: Column): readonly string[] {
  const type = comparisonOf(column)
  const find = isId(type) && column.reference !== null ? ['find'] : []
  return [...ANY_COLUMN, ...(COMPARISONS[type].instructions ?? []), ...find]
}

function readMembers(column: Column, members: ReadonlyMap<string, unknown>): Result<Instruction, Problem> {
  const stated = [...members.keys()].filter((key) => key !== 'link' && key !== 'display_value')
  const [first, second] = stated
  const isListEdit = stated.length > 0 && stated.every((key) => key === 'add' || key === 'remove')
  if (isListEdit)
    return succeed({ kind: 'edit-list', add: members.get('add') ?? [], remove: members.get('remove') ?? [] })
  if (first === undefined)
    return wrong(column, `an instruction is expected; this column takes ${allowedKeys(column).join(', ')}`)
  if (second !== undefined) return wrong(column, `one instruction at a time; ${first} and ${second} do not combine`)
  const value = members.get(first)
  switch (first) {
    case 'clear':
      return value === true ? succeed({ kind: 'set', value: null }) : wrong(column, 'clear takes true')
    case 'increment':
      return succeed({ kind: 'increment', by: value })
    case 'append':
    case 'prepend':
      return succeed({ kind: first, text: value })
    case 'merge':
      return succeed({ kind: 'merge', patch: value })
    case 'find':
      return readFind(column, value)
    default:
      // `value`, `set` and `message` all give the new value.
      return succeed({ kind: 'set', value })
  }
}

function readFind(column: Column, by: unknown): Result<Instruction, Problem> {
  if (typeof by !== 'object' || by === null || Array.isArray(by) || Object.keys(by).length === 0) {
    return wrong(column, 'find takes an object of columns and values of the record that is meant, {"user_name":"anna"}')
  }
  return succeed({ kind: 'find', by: new Map(Object.entries(by)) })
}

function wrong(column: Column, detail: string): Result<never, Problem> {
  return fail({ kind: 'invalid-value', field: column.name, detail })
}
