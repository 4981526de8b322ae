import type { Catalog, Column, StateModel, Table } from '../../catalog/catalog.ts'
import { comparisonOf } from '../../column-types/column-types.ts'
import { parseEncodedQuery } from '../../condition/parse-encoded-query.ts'
import { planRuleCondition } from './grant-predicates.ts'
import type { Assignment, DependentChoice, PlannedStateModel, StateGuard, StateStamp } from './planned-change.ts'
import type { Predicate } from './planned-predicate.ts'
import { allOf, FALSE, TRUE } from './predicates.ts'
import type { ValueSource } from './value-source.ts'

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
  readonly state: ValueSource
  readonly named: ReadonlySet<string>
  readonly table: Table
  readonly catalog: Catalog
  readonly isCreate: boolean
  /** The record moved elsewhere: only whether it is active follows from its state. */
  readonly migrating: boolean
  /** The caller may see the state that stands there. */
  readonly tells: boolean
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
    : { column: write.column, models, tells: write.tells }
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
