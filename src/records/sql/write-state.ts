import { succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { Change, DependentChoice, PlannedStateModel, StateGuard, StateStamp } from '../plan/planned-change.ts'
import { ofCaller, Param } from '../plan/value-source.ts'
import type { Expression } from './expression.ts'
import { type Aliases, embed, type Row } from './from-clause.ts'
import { writeNewState } from './write-displayed.ts'

type StampChange = Extract<Change, { readonly kind: 'state-stamp' }>

const userId = new Param(
  ofCaller(({ principal }) => succeed([principal.userId])),
  0,
)
const texts = (values: readonly string[]): Expression =>
  values.length === 0 ? sql`array[]::text[]` : sql`array[${sql.join(values.map((value) => sql.lit(value)))}]::text[]`

const NO_STATES = texts([])

/** The value of a column that depends on the state, such as `active` or the time of closing. @param before null on a create */
export function writeStamp(
  change: StampChange,
  old: Expression,
  { before, aliases }: { readonly before: Row | null; readonly aliases: Aliases },
): Expression {
  const state = writeNewState(change.state, before)
  if (before === null) {
    const isFinal = finalOf(change.models, state, null, aliases)
    return change.stamp === 'active'
      ? sql`not coalesce(${isFinal}, false)`
      : sql`case when ${isFinal} then ${reached(change.stamp)} end`
  }
  const stood = before.storage(storageOf(change.column.storage))
  const moves = sql`${stood} is distinct from ${state}`
  if (change.stamp === 'hold-reason')
    return sql`case when ${moves} and not coalesce(${state} = any(${texts(HELD)}), false) then null else ${old} end`
  if (change.stamp === 'changed-at') return sql`case when ${moves} then docket_system.now_utc() else ${old} end`
  return sql`case when not (${moves}) then ${old} when ${finalOf(change.models, state, before, aliases)} then ${reached(change.stamp)}
    when ${finalOf(change.models, stood, before, aliases)} then ${change.stamp === 'active' ? sql`true` : sql`null`} else ${old} end`
}

/** States of an incident that is on hold. In every other one it has no reason to be. */
const HELD = ['3', '4', '5']

function reached(stamp: StateStamp): Expression {
  switch (stamp) {
    case 'hold-reason':
      return sql`null`
    case 'changed-at':
    case 'closed-at':
      return sql`docket_system.now_utc()`
    case 'closed-by':
      return sql`${userId}::bigint`
    case 'active':
      return sql`false`
    default:
      return unreachable(stamp)
  }
}

/** Whether a state is final in the model that applies to the row; null: none applies. */
function finalOf(
  models: readonly PlannedStateModel[],
  state: Expression,
  before: Row | null,
  aliases: Aliases,
): Expression {
  const cases = models.map(
    ({ when, finals }) => sql`when ${whenOf(when, before, aliases)} then ${state} = any(${texts(finals)})`,
  )
  return cases.length === 0 ? sql`null::boolean` : sql`case ${sql.join(cases, sql` `)} end`
}

function whenOf(when: PlannedStateModel['when'], before: Row | null, aliases: Aliases): Expression {
  if (before !== null) return embed(when, before, aliases)
  return when.kind === 'constant' && when.value ? sql`true` : sql`false`
}

/** True, or the statement ends with an error; with `listsAllowed`, it lists the allowed states. */
export function writeStateGuard(
  { column, models, listsAllowed }: StateGuard,
  rows: { readonly before: Row; readonly after: Row },
  aliases: Aliases,
): Expression {
  const stood = rows.before.storage(storageOf(column.storage))
  const state = rows.after.storage(storageOf(column.storage))
  const allowed = writeAllowedStates({ column, models }, rows.before, aliases)
  const rejection = listsAllowed
    ? sql`jsonb_build_object('kind', 'forbidden-move', 'column', ${sql.lit(column.name)}, 'from', ${stood}, 'to', ${state}, 'allowed', moves.allowed, 'class', ${classOf(rows.before)})`
    : sql`jsonb_build_object('kind', 'forbidden-move', 'column', ${sql.lit(column.name)})`
  return sql`(select case when moves.allowed is null or ${state} = any(moves.allowed) then true else docket_system.reject(${rejection}) end
    from ${sql.id(rows.before.alias)} cross join lateral (select case when ${stood} is distinct from ${state} then ${allowed} end as allowed offset 0) as moves)`
}

/** SQL null for adopted tables, whose rows do not contain their class. */
const classOf = (row: Row): Expression =>
  row.table.adopted === null ? sql`${row.storage('sys_db_table_id')}::text` : sql`null::text`

/** The states that the row may go to now, as an array; null: no model applies. */
export function writeAllowedStates(
  { column, models }: Pick<StateGuard, 'column' | 'models'>,
  row: Row,
  aliases: Aliases,
): Expression {
  const stood = row.storage(storageOf(column.storage))
  const cases = models.map(
    (model) => sql`when ${embed(model.when, row, aliases)} then ${allowedFrom(model, stood, row)}`,
  )
  return sql`case ${sql.join(cases, sql` `)} end`
}

/**
 * The states that each state of the model leads to. A transition back to the previous state reads it from the change log; without it,
 * every state that leads here counts.
 */
function allowedFrom({ transitions }: PlannedStateModel, stood: Expression, before: Row): Expression {
  const named = casesOf(stood, transitions, ({ from, to }) => (to === null ? [] : [[from, to]]))
  const returning = new Set(transitions.flatMap(({ from, to }) => (to === null ? [from] : [])))
  if (returning.size === 0) return named
  const leading = casesOf(stood, transitions, ({ from, to }) => (to !== null && returning.has(to) ? [[to, from]] : []))
  const previous = sql`docket_system.state_before(${before.name()}, ${before.storage('sys_db_table_id')}, ${stood})`
  const states = sql.join([...returning].map((state) => sql.lit(state)))
  return sql`case when ${stood} in (${states}) then coalesce(${previous}, ${leading}) else ${NO_STATES} end || ${named}`
}

/** States by state, from pairs of the transitions. */
function casesOf(
  stood: Expression,
  transitions: PlannedStateModel['transitions'],
  pairsOf: (transition: PlannedStateModel['transitions'][number]) => readonly (readonly [string, string])[],
): Expression {
  const byState = Map.groupBy(transitions.flatMap(pairsOf), ([state]) => state)
  const cases = [...byState].map(
    ([state, pairs]) => sql`when ${sql.lit(state)} then ${texts([...new Set(pairs.map(([, other]) => other))])}`,
  )
  return cases.length === 0 ? NO_STATES : sql`case ${stood} ${sql.join(cases, sql` `)} else ${NO_STATES} end`
}

/** True if the choice belongs to the new value of the other column; otherwise the statement ends with an error. */
export function writeDependentGuard({ column, on, choices }: DependentChoice, after: Row): Expression {
  const value = after.storage(storageOf(column.storage))
  const other = after.storage(storageOf(on.storage))
  const free = choices.filter(({ dependentValue }) => dependentValue === null).map((choice) => choice.value)
  const bound = choices.flatMap(({ dependentValue, value: of }) =>
    dependentValue === null ? [] : [[dependentValue, of] as const],
  )
  const pairs = bound.map(([parent, of]) => sql`(${sql.lit(parent)}, ${sql.lit(of)})`)
  const isBound = pairs.length === 0 ? sql`false` : sql`(${other}, ${value}) in (${sql.join(pairs)})`
  return sql`case when ${value} is null or ${value} = any(${texts(free)}) or ${isBound} then true
    else docket_system.reject(jsonb_build_object('kind', 'wrong-choice', 'column', ${sql.lit(column.name)}, 'on', ${sql.lit(on.name)}, 'to', ${value}, 'from', ${other})) end`
}

/** The same for an update, which is also allowed if both columns stay unchanged. */
export function writeDependentGuardOfUpdate(
  dependent: DependentChoice,
  { before, after }: { readonly before: Row; readonly after: Row },
): Expression {
  const names = [dependent.column, dependent.on].map((column) => storageOf(column.storage))
  const same = names.map((name) => sql`${before.storage(name)} is not distinct from ${after.storage(name)}`)
  return sql`(select case when ${sql.join(same, sql` and `)} then true else ${writeDependentGuard(dependent, after)} end
    from ${sql.id(before.alias)})`
}

function storageOf(storage: string | null): string {
  if (storage === null) throw new Error('a column without storage was planned as a state')
  return storage
}
