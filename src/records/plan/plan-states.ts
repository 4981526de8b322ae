import type { Catalog, Column, StateModel, Table } from '../../catalog/catalog.ts'
import { comparisonOf } from '../../column-types/column-types.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import { planRuleCondition } from './plan-row-access.ts'
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

/** The column that a state model restricts, and the columns that a change of it sets (docs/spec/records.md, section 8). */
const STATE = 'state'
const STAMPS: Readonly<Record<string, StateStamp>> = {
  state_changed_at: 'changed-at',
  closed_at: 'closed-at',
  closed_by: 'closed-by',
  active: 'active',
  hold_reason: 'hold-reason',
}

/** The table of the stamp `hold-reason`; a column of this name in another table is any column. */
const HELD_TABLE = 'itsm_incident'

/** A change of the state column in a body, and the other columns of the body. */
export interface StateWrite {
  readonly column: Column
  readonly state: StateChange
  readonly named: ReadonlySet<string>
  readonly table: Table
  readonly catalog: Catalog
  readonly isCreate: boolean
  /** The state changed in another system: only `active` is set from it. */
  readonly migrating: boolean
  /** The caller may read the state of every row, so an error may contain the stored one. */
  readonly listsAllowed: boolean
  /** A change must be one transition of the model. Otherwise it may be one that the model reaches in several. */
  readonly inOneStep: boolean
}

export const isStateColumn = (column: Column): boolean => column.name === STATE && column.storage !== null

/** The columns that the server sets with the state. Columns in the body keep the values of the body. */
export function planStamps(write: StateWrite): readonly Assignment[] {
  const models = modelsOf(write)
  return Object.entries(STAMPS).flatMap(([name, stamp]): readonly Assignment[] => {
    const column = write.table.columns.get(name)
    if (column === undefined || column.storage === null || write.named.has(name)) return []
    if (stamp === 'hold-reason' && column.ownerTable !== HELD_TABLE) return []
    // A new record has not changed its state, but it may begin in a final one.
    if (write.migrating && stamp !== 'active') return []
    const isOfModel = stamp !== 'changed-at' && stamp !== 'hold-reason'
    const isIdle = isOfModel ? models.length === 0 : write.isCreate
    if (isIdle) return []
    const change = { kind: 'state-stamp', stamp, column: write.column, state: write.state, models } as const
    return [{ column, comparisonType: comparisonOf(column), change }]
  })
}

/** null: no model restricts the write. */
export function planStateGuard(write: StateWrite): StateGuard | null {
  const models = modelsOf(write)
  return write.isCreate || write.migrating || models.length === 0
    ? null
    : {
        column: write.column,
        models: write.inOneStep ? models : models.map(withFurtherMoves),
        listsAllowed: write.listsAllowed,
      }
}

/**
 * The model with a direct transition to every state that several of its transitions reach. A transition to the previous state may lead to
 * every state from which this one is reached.
 */
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
  // The loop also visits members that are added to the set while it runs.
  for (const state of reached) for (const next of onward.get(state) ?? []) reached.add(next)
  return reached
}

/**
 * The models for rows of the table and its descendants, each with the rows to which it applies. A class has the models of the nearest
 * table that has any, from the class itself upwards, in order of creation. The first model whose condition holds applies.
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
  // There is no stored row yet on which the condition could be checked.
  if (isCreate) return FALSE
  const parsed = parseEncodedQuery(condition)
  if (!parsed.ok || parsed.value.where === null) return FALSE
  return planRuleCondition(parsed.value.where, table, catalog) ?? FALSE
}

/** Columns with dependent choices, if the write sets the column or the one on which its choices depend. */
export function planDependentChoices(table: Table, named: ReadonlySet<string>): readonly DependentChoice[] {
  return [...table.columns.values()].flatMap((column): readonly DependentChoice[] => {
    const on = column.dependsOn === null ? undefined : table.columns.get(column.dependsOn)
    if (on === undefined || on.storage === null || column.storage === null) return []
    const isTouched = named.has(column.name) || named.has(on.name)
    const isBound = column.choices.some(({ dependentValue }) => dependentValue !== null)
    return isTouched && isBound ? [{ column, on, choices: column.choices }] : []
  })
}
