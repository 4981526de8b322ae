import { type Column, isReadOnly } from '../../catalog/catalog.ts'
import { GIVEN_ID } from '../../catalog/given-ids.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import { parseDisplayValue } from '../../column-types/parse-display-value.ts'
import { readBodyValue } from '../../column-types/read-body-value.ts'
import { isGivenId, isWellKnown } from '../../column-types/served-id.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { isTimeZone } from '../../kernel/time-zone.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import { type Instruction, readInstruction } from './instructions.ts'
import { sentJson } from './sent-json.ts'
import { ofRequest, type ValueSource } from './value-source.ts'

/** The body's value of a column as JSON text, in the form in which a read displays stored values. */
export function sentValue(column: Column, { inputDisplay }: AuthorizedRequest['request']): ValueSource {
  return ofRequest(({ writes }, { principal }) => {
    const sent = writes.get(column.name)
    const stored = inputDisplay ? parseDisplayValue(sent, column, principal) : succeed(sent)
    return succeed([sentJson(stored.ok ? stored.value : sent, column)])
  })
}

/** The value to store, from a plain value or from the form of a read (`{"value":…}`). Mandatory columns reject an empty value. */
export function givenValue(column: Column, authorized: AuthorizedRequest): ValueSource {
  return ofRequest(({ writes }, { principal }) => {
    const instruction = readInstruction(column, writes.get(column.name), authorized.request.operation)
    if (!instruction.ok) return instruction
    const given = instruction.value.kind === 'set' ? instruction.value.value : null
    const stored = authorized.request.inputDisplay ? parseDisplayValue(given, column, principal) : succeed(given)
    const value = stored.ok ? readBodyValue(stored.value, column) : stored
    if (!value.ok) return invalid(column, value.error)
    if (isUnknownTimeZone(column, value.value)) {
      return invalid(column, `the name of a time zone is expected, such as Europe/Moscow or UTC; found ${value.value}`)
    }
    if (isWrongGivenId(column, value.value, authorized))
      return invalid(column, 'an id of 32 letters and digits is expected')
    if (column.mandatory && !isReadOnly(column) && isEmpty(value.value, authorized))
      return notTaken(column, 'it is mandatory and cannot be empty')
    return succeed([value.value])
  })
}

/** With an unknown time zone, the server would silently display all times to this user in UTC. */
function isUnknownTimeZone({ name, ownerTable }: Column, value: unknown): boolean {
  return (
    name === 'time_zone' && ownerTable === 'user' && typeof value === 'string' && value !== '' && !isTimeZone(value)
  )
}

/** The ids that records had in another system are served in place of ours. */
const isWrongGivenId = ({ name }: Column, value: unknown, { table }: AuthorizedRequest): boolean =>
  name === GIVEN_ID &&
  table.key.given !== undefined &&
  typeof value === 'string' &&
  (!isGivenId(value) || isWellKnown(value, table.key))

/** White space alone displays nothing. In an adopted table it may be a key that other programs use. */
function isEmpty(value: unknown, { table }: AuthorizedRequest): boolean {
  if (typeof value === 'string') return (table.adopted === null ? value.trim() : value) === ''
  return value === null || (Array.isArray(value) && value.length === 0)
}

type Part = 'increment' | 'text' | 'add' | 'remove' | 'merge'

export function partOf(column: Column, part: Part, { inputDisplay }: AuthorizedRequest['request']): ValueSource {
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
      // JSON null is a valid patch: it replaces the whole value (RFC 7396).
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

/** Rejects a value that is valid for its column, but not for this record. */
export function notTaken({ name }: Pick<Column, 'name'>, detail: string): Result<never, Problem> {
  return fail({ kind: 'invalid-value', field: name, detail, ofRecord: true })
}

export function invalid(column: Column, detail: string): Result<never, Problem> {
  return fail({ kind: 'invalid-value', field: column.name, detail })
}
