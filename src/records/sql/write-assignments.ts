import type { Column, Numbering } from '../../catalog/catalog.ts'
import { CASTS, hasForms } from '../../column-types/comparison-types.ts'
import { sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { Assignment, Change, PlannedMembers } from '../plan/planned-change.ts'
import type { RecordPlan } from '../plan/record-plan.ts'
import { Param, type ValueSource } from '../plan/value-source.ts'
import { fromStorage, intoStorage } from './adopted-storage.ts'
import type { Expression } from './expression.ts'
import type { Aliases, Row } from './from-clause.ts'
import { idLiteral } from './id-literal.ts'
import { isSent, writeFind } from './statement-parts.ts'
import { storageName } from './storage-name.ts'
import { wholeSecondsOf } from './whole-seconds.ts'
import { writeDisplayed } from './write-displayed.ts'
import { writeStamp } from './write-state.ts'

/** @param ofRow a value of the source row. Without it, PostgreSQL would generate one number for all rows of the statement */
export function writeNewValue(assignment: Assignment, aliases: Aliases, ofRow: Expression | null = null): Expression {
  const { change } = assignment
  if (change.kind === 'number') return writeNextNumber(change.numbering, ofRow)
  if (change.kind === 'state-stamp') return writeStamp(change, sql`null`, { before: null, aliases })
  if (change.kind === 'displayed') return writeDisplayed(change, null)
  const given =
    change.kind === 'find'
      ? sql`(${writeFind(change.target, change.where, aliases)} limit 1)`
      : change.kind === 'members'
        ? writeMembers(change.members, aliases)
        : writeValue(assignment)
  return recordedNumber(assignment.column, given)
}

function writeNextNumber({ sequence, prefix, digits: min }: Numbering, ofRow: Expression | null): Expression {
  const next = sql`nextval(${sql.lit(`docket_system.${sequence}`)}::regclass)::text`
  const digits = sql.lit(min)
  const each = ofRow === null ? sql`` : sql`where ${ofRow} is not null`
  return sql`(select ${sql.lit(prefix)} || case when length(n) >= ${digits} then n else lpad(n, ${digits}, '0') end from (select ${next} as n ${each}) as n)`
}

/** The counters of the hierarchy move past a number that a caller supplies, so that they do not generate it again. */
function recordedNumber({ countedIn }: Column, value: Expression): Expression {
  return countedIn === null ? value : sql`docket_system.reserve_number(${idLiteral(countedIn)}, ${value}::text)`
}

/** `column = expression` on the locked row `u`, so that two concurrent changes both count. */
export function writeChange(assignment: Assignment, at: ChangedAt): Expression {
  const name = storageName(assignment.column.storage)
  const locked = { ...at, stored: (stored: string) => sql.id('u', stored) }
  const stands = fromStorage(assignment.column, locked.stored(name))
  const written = writeKept(assignment, stands, locked)
  const isOwn = at.before.table.adopted === null
  const value = isOwn && hasForms(assignment.comparisonType) ? keepForm(stands, written) : written
  return sql`${sql.id(name)} = ${intoStorage(assignment.column, recordedNumber(assignment.column, value))}`
}

/** An equal value keeps its stored form, so that a write that is no update does not change the entity tag. */
function keepForm(stands: Expression, written: Expression): Expression {
  return sql`case when ${written} is not distinct from ${stands} then ${stands} else ${written} end`
}

/**
 * Whether the write gives the row `b` another value: the condition for its stamps. It is part of the checks before the write, so it computes no
 * sum or joined text and rejects no value. null: the assignment follows another one.
 */
export function writeDiffers(assignment: Assignment, at: ChangedAt): Expression | null {
  const { change, column } = assignment
  const stored = (name: string): Expression => at.before.storage(name)
  const stands = stored(storageName(column.storage))
  switch (change.kind) {
    case 'state-stamp':
      return null
    case 'displayed':
      return sql`${stands} is distinct from ${writeDisplayed(change, at.before, { rejects: false })}`
    // Nothing added to an empty value makes it 0 or an empty text.
    case 'increment':
      return sql`(${stands} is null or ${new Param(change.by, 0)}::numeric <> 0)`
    case 'append':
    case 'prepend':
      return sql`(${stands} is null or ${new Param(change.text, 0)}::text <> '')`
    default:
      return sql`${stands} is distinct from ${writeKept(assignment, stands, { ...at, stored })}`
  }
}

/** The new value; the stored one if the body contains it. */
function writeKept(assignment: Assignment, stands: Expression, at: ChangedRow): Expression {
  const changed = writeChanged(assignment, stands, at)
  if (assignment.keeps === undefined) return changed
  const isStored = isSent(at.before.table, assignment.column, { value: stands, sent: assignment.keeps })
  return sql`case when ${isStored} then ${stands} else ${changed} end`
}

/** A value that is sent back as it was read changes nothing, not even the fraction of a second, which no response contains. */
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

interface ChangedRow extends ChangedAt {
  /** A column of the row whose values are compared or changed. */
  readonly stored: (name: string) => Expression
}

function writeChanged(assignment: Assignment, old: Expression, at: ChangedRow): Expression {
  const { change, comparisonType } = assignment
  const { aliases } = at
  const param = (source: ValueSource): Expression => sql`${new Param(source, 0)}`
  switch (change.kind) {
    case 'value':
      return writeGiven(assignment, old, at.before.table)
    case 'displayed':
      return writeDisplayed(change, at.before)
    case 'increment':
      return sql`coalesce(${old}, 0) + ${param(change.by)}::${CASTS[comparisonType]}`
    case 'append':
      return joinTexts(change, sql`coalesce(${old}, '')`, sql`${param(change.text)}::text`)
    case 'prepend':
      return joinTexts(change, sql`${param(change.text)}::text`, sql`coalesce(${old}, '')`)
    case 'edit-list':
      return sql`nullif(docket_system.edit_list(${old}, ${param(change.add)}::text[], ${param(change.remove)}::text[]), '{}')`
    case 'members':
      return writeMembers(change.members, aliases)
    case 'edit-members':
      return sql`nullif(docket_system.edit_list(${old}, ${writeMembers(change.add, aliases)}, ${writeMembers(change.remove, aliases)}), '{}')`
    case 'merge':
      return sql`docket_system.merge_json(${old}, ${param(change.patch)}::jsonb)`
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
  at: ChangedRow,
): Expression {
  const address = at.stored(storageName(url.column.storage))
  const changed = sql`${writeChanged(url, address, at)} is distinct from ${address}`
  const me = sql`${new Param(by, 0)}::bigint`
  if (given === null) return sql`case when ${changed} then ${me} else ${old} end`
  const wanted = writeChanged(given, old, at)
  return sql`case when ${changed} and (${wanted} is not distinct from ${old} or ${wanted} = ${me}) then ${me} else ${wanted} end`
}

/** Joining HTML needs a function: it distinguishes text from HTML, and two harmless parts must not form a tag where they meet. */
function joinTexts(
  { isHtml }: Change & { readonly kind: 'append' | 'prepend' },
  first: Expression,
  second: Expression,
): Expression {
  return isHtml ? sql`docket_system.join_rich_text(${first}, ${second})` : sql`${first} || ${second}`
}

/** Each member once, in the given order; null if there is none. */
function writeMembers({ given, order }: PlannedMembers, aliases: Aliases): Expression {
  if (order === null) return sql`${new Param(given, 0)}::text[]`
  let at = 0
  const members = order.map((member) => {
    if (member !== 'given') return sql`(${writeFind(member.target, member.where, aliases)} limit 1)::text`
    at += 1
    return sql`(${new Param(given, 0)}::text[])[${sql.lit(at)}]`
  })
  const all = members.length === 0 ? sql`array[]::text[]` : sql`array[${sql.join(members)}]::text[]`
  return sql`nullif(docket_system.edit_list(array[]::text[], ${all}, array[]::text[]), '{}')`
}

export function writeValue({ change, comparisonType }: Assignment): Expression {
  return change.kind === 'value' ? sql`${new Param(change.value, 0)}::${CASTS[comparisonType]}` : sql`null`
}
