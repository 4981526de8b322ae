import { type Column, SYSTEM_COLUMNS, type Table } from '../../catalog/catalog.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { isJournal } from '../../column-types/column-types.ts'
import { columnWhere, type Rights, rowsWhere } from './plan-row-access.ts'
import { isStateColumn, plannedModelsOf } from './plan-states.ts'
import type { Predicate } from './planned-predicate.ts'
import { allOf, FALSE, isConstant } from './predicates.ts'
import type { PlannedRecordRights, PlannedStates } from './record-plan.ts'

export function planRecordRights(table: Table, rights: Rights): PlannedRecordRights {
  const isFixed = systemTable(table.name).isWrittenByServer === true || table.adopted?.isReadOnly === true
  const rowsFor = (action: 'write' | 'delete'): Predicate => (isFixed ? FALSE : rowsWhere(action, table, rights))
  const columns = [...table.columns.values()]
    .filter(isWritable)
    .map((column) => ({ name: column.name, when: columnWhere('write', table, column, rights) }))
    .filter(({ when }) => !isConstant(when, false))
  return { columns, write: rowsFor('write'), delete: rowsFor('delete'), states: planStates(table, rights) }
}

const isWritable = (column: Column): boolean =>
  !column.readOnly &&
  !column.isKeyPart &&
  !SYSTEM_COLUMNS.has(column.name) &&
  (column.storage !== null || isJournal(column))

function planStates(table: Table, rights: Rights): PlannedStates | null {
  const column = [...table.columns.values()].find(isStateColumn)
  const models = plannedModelsOf(table, rights.catalog)
  if (column === undefined || models.length === 0) return null
  const may = (action: 'read' | 'write'): Predicate => columnWhere(action, table, column, rights)
  return { column, when: allOf([rowsWhere('write', table, rights), may('read'), may('write')]), models }
}
