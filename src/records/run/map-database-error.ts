import type { Column, Table } from '../../catalog/catalog.ts'
import type { DatabaseFailure } from '../../database/database-failure.ts'
import type { Action, Problem } from '../../kernel/problem.ts'
import type { RecordPlan } from '../plan/record-plan.ts'
import { type BrokenRule, explainBrokenRule } from './explain-broken-rule.ts'
import { explainTimeout } from './explain-timeout.ts'

/**
 * Maps an error of PostgreSQL to a problem with names of the dictionary; null: a caller cannot cause this error.
 *
 * @param mayKnow whether the caller may read at least some rows of a table; other tables are not named
 */
export function mapDatabaseError(
  failure: DatabaseFailure,
  plan: RecordPlan,
  mayKnow: (table: Table) => boolean,
): Problem | null {
  const { form, table } = plan
  if (table.adopted !== null && isRejectedWrite(failure, form)) return explainRejectedWrite(failure, table)
  // Only PostgreSQL parses the keys of a cursor. If it rejects them, the cursor is not from a response.
  if (form.kind === 'list' && form.paging.kind === 'cursor' && isBadValue(failure)) {
    return {
      kind: 'bad-parameter',
      parameter: { part: 'cursor' },
      found: 'another',
      expected: 'a cursor that an earlier response to the same query and order gave',
    }
  }
  switch (failure.code) {
    case 'DK001':
      return explainRejection(failure, plan)
    case '23505':
      return { kind: 'not-unique', table: table.name, field: fieldIn(failure.detail, table) }
    case '23503':
      return explainForeignKey(failure, plan, mayKnow)
    case '23502':
      return { kind: 'invalid-value', field: columnStoredAs(failure.column, table), detail: 'it cannot be empty' }
    // Numeric value out of range: an increment beyond what the column holds.
    case '22003':
      if (form.kind === 'list' || form.kind === 'read') return null
      // The sum of a group can be beyond the range of the float column.
      return {
        kind: 'invalid-value',
        field: form.kind === 'stats' ? 'sum' : '',
        detail: 'the number is out of the range of its column',
      }
    // A check constraint of the table. One without a name is that of all partitions together.
    case '23514':
      if (failure.constraint === '')
        return { kind: 'conflict', detail: `No partition of the table ${table.name} takes this record` }
      return { kind: 'invalid-value', field: failure.constraint, detail: 'it is outside of what this column may hold' }
    // Program limit exceeded, statement too complex: the request is too large for PostgreSQL.
    case '54000':
    case '54001':
      return { kind: 'over-budget', detail: 'what it asks for, or what it would make of the record, is too large' }
    // The statement exceeded its time limit.
    case '57014':
      return explainTimeout(plan)
    // Deadlock or serialization failure: another writer won, and the request may be sent again.
    case '40P01':
    case '40001':
      return {
        kind: 'unavailable',
        detail: 'another write of the same records came first; send the request again',
        retryAfterSeconds: 1,
      }
    default:
      return null
  }
}

/** Adopted tables have types, triggers, constraints and privileges of their own that reject writes. */
function isRejectedWrite({ code }: DatabaseFailure, form: RecordPlan['form']): boolean {
  const writes = form.kind === 'create' || form.kind === 'update' || form.kind === 'delete'
  return (
    writes &&
    (['P0001', '23P01', '23001', '42501', '428C9', '44000'].includes(code) ||
      (code.startsWith('22') && code !== '22003'))
  )
}

function explainRejectedWrite({ code, message }: DatabaseFailure, table: Table): Problem {
  if (code.startsWith('22')) {
    return { kind: 'invalid-value', field: '', detail: 'a value has the wrong type for its column' }
  }
  // The message of a trigger is meant for the writer.
  return {
    kind: 'conflict',
    detail: `The database rejected this write of ${table.name}${code === 'P0001' ? `: ${message}` : ''}`,
  }
}

/** Class 22 (data exception), and values that are nested too deeply for PostgreSQL's stack. */
const isBadValue = ({ code }: DatabaseFailure): boolean => code.startsWith('22') || code === '54001'

interface Rejection {
  readonly kind:
    | 'record-denied'
    | 'column-denied'
    | 'too-long'
    | 'out-of-range'
    | 'forbidden-move'
    | 'wrong-choice'
    | 'other-choice'
    | 'number-given'
    | 'built-in-rule'
  readonly action?: Action
  readonly column?: string
  readonly maxLength?: number
  readonly min?: number
  readonly max?: number
  /** The lowest number that may be given (`docket_system.change_numbering`). */
  readonly least?: number
  readonly from?: string | null
  readonly to?: string | null
  /** States that the record may go to. */
  readonly allowed?: readonly string[]
  /** sys_id of the record's class. */
  readonly class?: string | null
  /** Values that are choices, as a text. */
  readonly choices?: string
  /** The column that a choice depends on. */
  readonly on?: string
  /** The built-in rule that the write breaks. */
  readonly rule?: BrokenRule
}

/** An error of docket_system.reject, from a check that is only possible on the written row. */
function explainRejection(failure: DatabaseFailure, { table, names }: RecordPlan): Problem {
  const rejection = JSON.parse(failure.detail) as Rejection
  const action = rejection.action ?? 'write'
  switch (rejection.kind) {
    case 'record-denied':
      return { kind: 'record-denied', action, table: table.name }
    case 'column-denied':
      return { kind: 'column-denied', action, table: table.name, column: rejection.column ?? '', where: 'body' }
    case 'too-long':
      return {
        kind: 'invalid-value',
        field: rejection.column ?? '',
        detail: `at most ${rejection.maxLength} characters fit`,
      }
    case 'forbidden-move':
      return explainMove(rejection, table, names)
    case 'wrong-choice':
      return {
        kind: 'invalid-value',
        field: rejection.column ?? '',
        detail: `${rejection.to} is not a choice where ${rejection.on} is ${rejection.from ?? 'empty'}`,
      }
    case 'other-choice':
      return {
        kind: 'invalid-value',
        field: rejection.column ?? '',
        detail: `"${rejection.to}" is not a choice; the choices are ${rejection.choices}`,
      }
    case 'number-given': {
      const min = Number(rejection.least)
      const detail = `numbers up to ${min - 1} were given already, and none is given twice; at least ${min} is expected`
      return { kind: 'invalid-value', field: rejection.column ?? '', detail }
    }
    case 'built-in-rule':
      return explainBrokenRule(rejection.rule, rejection.column ?? '')
    case 'out-of-range':
      return {
        kind: 'invalid-value',
        field: rejection.column ?? '',
        detail: `it would be outside of ${rejection.min} to ${rejection.max}`,
      }
  }
}

/** docs/spec/records.md, section 8: the error of a forbidden transition lists the allowed states. */
function explainMove(rejection: Rejection, table: Table, names: RecordPlan['names']): Problem {
  const field = rejection.column ?? ''
  const { from, allowed } = rejection
  if (from === undefined || allowed === undefined) {
    const detail = 'the record cannot go to this state from the one that it is in'
    return { kind: 'invalid-value', field, detail, ofRecord: true }
  }
  const named = stateNames(table.columns.get(field), { table, names, class: rejection.class ?? '' })
  const all = [...new Set(allowed.map(named))].filter((move) => move !== named(from))
  const moves =
    names === null ? all : all.toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
  const where = moves.length === 0 ? 'nowhere' : `to ${moves.join(', ')}`
  return { kind: 'invalid-value', field, detail: `from ${named(from)} the record goes ${where}`, ofRecord: true }
}

/** Names of states in the API of the request. */
function stateNames(
  column: Column | undefined,
  of: { readonly table: Table; readonly names: RecordPlan['names']; readonly class: string },
): (state: string | null) => string {
  const displayed = column === undefined ? undefined : of.names?.columnAsDisplayed(of.table, column).displayed
  const choices = displayed?.kind === 'choice' ? displayed.classes.find(({ ids }) => ids.includes(of.class)) : undefined
  return (state) => {
    const own = column?.choices.find(({ value }) => value === state)?.titles.en
    const value = choices?.texts.get(state ?? '') ?? state ?? 'no state'
    const title = choices?.titles.en.get(state ?? '') ?? own
    return title === undefined ? value : `${value} (${title})`
  }
}

function explainForeignKey(
  failure: DatabaseFailure,
  { table, catalog }: RecordPlan,
  mayKnow: (table: Table) => boolean,
): Problem {
  if (failure.detail.includes('is not present')) {
    return { kind: 'invalid-value', field: fieldIn(failure.detail, table), detail: 'there is no such record' }
  }
  const by = [...catalog.tables.values()].find(
    (each) => each.parent === null && each.storage.table === failure.table && each.storage.schema === failure.schema,
  )
  return {
    kind: 'still-referenced',
    table: table.name,
    by: by !== undefined && mayKnow(by) ? by.name : 'another table',
  }
}

function columnStoredAs(storage: string, table: Table): string {
  return [...table.columns.values()].find((column) => column.storage === storage)?.name ?? storage
}

/** PostgreSQL names the key as `Key (docket_system.fold(number))=(…)` or `Key (company)=(…)`. */
function fieldIn(detail: string, table: Table): string {
  const key = /^Key \((.*?)\)=/.exec(detail)?.[1] ?? ''
  const words = new Set(key.split(/[^\p{L}\p{N}_]+/u))
  const hit = (column: Column): boolean => column.storage !== null && words.has(column.storage)
  return [...table.columns.values()]
    .filter(hit)
    .map((column) => column.name)
    .join(', ')
}
