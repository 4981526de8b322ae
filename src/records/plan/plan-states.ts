import type { Catalog, Column, StateModel, Table } from '../../catalog/catalog.ts'
import { comparisonOf } from '../../column-types/column-types.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import { planRuleCondition } from './grant-predicates.ts'
import type {
  Assignment,
  DependentChoice,
  PlannedStateModel,
  StateChange,
  StateGuard,
  StateStamp,
} from './planned-change.ts'
import type { Predicate } from './planned-predicate.ts'
import { allOf, FALSE, TRUE } from './predicates.ts'

/** The column whose moves a state model rules, and the columns that follow it (docs/spec/records.md, section 8). */
const STATE = 'state'
const STAMPS: Readonly<Record<string, StateStamp>> = {
  state_changed_at: 'changed-at',
  closed_at: 'closed-at',
  closed_by: 'closed-by',
  active: 'active',
}

/** A change of the state column in a body, and what else the body names. */
export interface StateWrite {
  readonly column: Column
  readonly state: StateChange
  readonly named: ReadonlySet<string>
  readonly table: Table
  readonly catalog: Catalog
  readonly isCreate: boolean
  /** The record moved elsewhere: only whether it is active follows from its state. */
  readonly migrating: boolean
  /** The caller may see the state that stands there. */
  readonly tells: boolean
  /** A move may be one that the model reaches in several. */
  readonly inOneStep: boolean
}

export const isStateColumn = (column: Column): boolean => column.name === STATE && column.storage !== null

/** What a write of the state brings with it; what the caller names themselves stays theirs. */
export function planStamps(write: StateWrite): readonly Assignment[] {
  const models = modelsOf(write)
  return Object.entries(STAMPS).flatMap(([name, stamp]): readonly Assignment[] => {
    const column = write.table.columns.get(name)
    if (column === undefined || column.storage === null || write.named.has(name)) return []
    // A new record has changed no state; it may begin in a final one.
    if (write.migrating && stamp !== 'active') return []
    const isIdle = stamp === 'changed-at' ? write.isCreate : models.length === 0
    if (isIdle) return []
    const change = { kind: 'state-stamp', stamp, column: write.column, state: write.state, models } as const
    return [{ column, comparisonType: comparisonOf(column), change }]
  })
}

/** null: no model says which moves are allowed. */
export function planStateGuard(write: StateWrite): StateGuard | null {
  const models = modelsOf(write)
  return write.isCreate || write.migrating || models.length === 0
    ? null
    : {
        column: write.column,
        models: write.inOneStep ? models : models.map(withFurtherMoves),
        tells: write.tells,
      }
}

/** The model with a move to every state that several of its moves lead to. A way back leads to every state that leads here. */
function withFurtherMoves(model: PlannedStateModel): PlannedStateModel {
  const onward = new Map<string, Set<string>>()
  for (const { from, to } of model.transitions) {
    const next = to === null ? model.transitions.filter((move) => move.to === from).map((move) => move.from) : [to]
    onward.set(from, new Set([...(onward.get(from) ?? []), ...next]))
  }
  const transitions = [...onward.keys()].flatMap((from) => {
    const reached = reachedFrom(from, onward)
    return [...reached].filter((to) => to !== from).map((to) => ({ from, to }))
  })
  return { ...model, transitions }
}

function reachedFrom(from: string, onward: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set(onward.get(from))
  // States that are added while the set is read are read too.
  for (const state of reached) for (const next of onward.get(state) ?? []) reached.add(next)
  return reached
}

/**
 * The models by which rows of the table and its children are judged, each with the rows that it is for: of a class, those of
 * the nearest table upwards that has any, in the order in which they were made; the first whose condition holds.
 */
export const plannedModelsOf = (table: Table, catalog: Catalog): readonly PlannedStateModel[] =>
  modelsOf({ table, catalog, isCreate: false })

function modelsOf({
  table,
  catalog,
  isCreate,
}: Pick<StateWrite, 'table' | 'catalog' | 'isCreate'>): readonly PlannedStateModel[] {
  const members = isCreate ? [table] : table.descendants.flatMap((name) => catalog.tables.get(name) ?? [])
  return members.flatMap((member) =>
    nearestModels(member, catalog).map((model) => ({
      when: allOf([
        isCreate || table.descendants.length === 1 ? TRUE : { kind: 'class', ids: [member.id] },
        conditionOf(model, member, { catalog, isCreate }),
      ]),
      transitions: model.transitions,
      finals: model.finals,
    })),
  )
}

function nearestModels(table: Table, catalog: Catalog): readonly StateModel[] {
  const level = table.ancestors.find((name) => catalog.stateModels.has(name))
  return level === undefined ? [] : (catalog.stateModels.get(level) ?? [])
}

function conditionOf(
  { condition }: StateModel,
  table: Table,
  { catalog, isCreate }: { readonly catalog: Catalog; readonly isCreate: boolean },
): Predicate {
  if (condition === '') return TRUE
  // The row that a condition could be asked of is not there yet.
  if (isCreate) return FALSE
  const parsed = parseEncodedQuery(condition)
  if (!parsed.ok || parsed.value.where === null) return FALSE
  return planRuleCondition(parsed.value.where, table, catalog) ?? FALSE
}

/** Choices of columns that the write touches, or whose other column it touches. */
export function planDependentChoices(table: Table, named: ReadonlySet<string>): readonly DependentChoice[] {
  return [...table.columns.values()].flatMap((column): readonly DependentChoice[] => {
    const on = column.dependsOn === null ? undefined : table.columns.get(column.dependsOn)
    if (on === undefined || on.storage === null || column.storage === null) return []
    const isTouched = named.has(column.name) || named.has(on.name)
    const isBound = column.choices.some(({ dependentValue }) => dependentValue !== null)
    return isTouched && isBound ? [{ column, on, choices: column.choices }] : []
  })
}
