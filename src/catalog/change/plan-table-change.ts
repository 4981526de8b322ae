import { rejectConflict, rejectValue } from '../../kernel/invalid-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { Catalog } from '../catalog.ts'
import { isSystemName } from '../system-tables.ts'
import type { ColumnDefinition, TableDefinition } from './definition.ts'
import { hasForeignKey } from './plan-column-change.ts'
import { NO_CHANGE, type StorageChange, type StorageStep, type TableLock } from './storage-change.ts'

/** Context of a table that is changed: the dictionary before the change, and the table's own columns. */
export interface TableSurroundings {
  readonly catalog: Catalog
  readonly columns: readonly ColumnDefinition[]
}

/** A deeper hierarchy is a mistake: every rule and every choice is looked up at each level. */
const MAX_LEVELS = 10

/** What a new, changed or deleted row of sys_db_table changes in PostgreSQL, or why it cannot. */
export function planTableChange(
  before: TableDefinition | null,
  after: TableDefinition | null,
  surroundings: TableSurroundings,
): Result<StorageChange, Problem> {
  if (before === null) return after === null ? succeed(NO_CHANGE) : planNewTable(after, surroundings)
  if (after === null) return planDroppedTable(before, surroundings)
  if (before.name !== after.name) return rejectValue('name', 'the name of a table stays; make a new table')
  if (before.parentId !== after.parentId)
    return rejectValue('parent_id', 'the parent of a table stays; make a new table')
  if (after.isAdopted && after.isExtendable) {
    return rejectValue('is_extendable', 'an adopted table is not altered, and children would have their columns in it')
  }
  const children = surroundings.catalog.tablesById.get(before.id)?.descendants.length ?? 1
  if (before.isExtendable && !after.isExtendable && children > 1) {
    return rejectValue('is_extendable', 'the table has children')
  }
  return succeed(NO_CHANGE)
}

function planNewTable(table: TableDefinition, { catalog }: TableSurroundings): Result<StorageChange, Problem> {
  if (isSystemName(table.name)) return rejectValue('name', 'names that begin with sys_ are those of Docket itself')
  if (table.parentId === null) return succeed({ ...NO_CHANGE, steps: [{ kind: 'make-table', table }] })
  if (table.parentIsExtendable !== true) return rejectValue('parent_id', 'the parent is not extendable')
  const parent = catalog.tablesById.get(table.parentId)
  if ((parent?.ancestors.length ?? 0) >= MAX_LEVELS) {
    return rejectValue('parent_id', `tables lie at most ${MAX_LEVELS} levels deep`)
  }
  return succeed({
    steps: [{ kind: 'want-class-index', table }],
    losses: [],
    locks: [{ place: table.storage, mode: 'rows-stand' }],
  })
}

function planDroppedTable(table: TableDefinition, around: TableSurroundings): Result<StorageChange, Problem> {
  if (table.isSystem) return rejectConflict(`${table.name} is a table of Docket itself and cannot be deleted`)
  const children = around.catalog.tablesById.get(table.id)?.descendants.filter((name) => name !== table.name) ?? []
  if (children.length > 0)
    return rejectConflict(`${table.name} has children (${children.join(', ')}); delete them first`)
  // Docket no longer serves it; PostgreSQL's table stays unchanged.
  if (table.isAdopted) return succeed(NO_CHANGE)
  const stored = around.columns.filter((column) => column.storageColumn !== null)
  const steps: readonly StorageStep[] =
    table.parentId === null
      ? [{ kind: 'drop-table', table }]
      : [
          { kind: 'delete-rows-of-class', table },
          ...stored.map((column): StorageStep => ({ kind: 'drop-column', column })),
        ]
  const targets = stored.flatMap((column): readonly TableLock[] =>
    hasForeignKey(column) && column.reference !== null ? [{ place: column.reference.storage, mode: 'alone' }] : [],
  )
  return succeed({
    steps,
    losses: [{ kind: 'rows', name: table.name, table }],
    locks: [{ place: table.storage, mode: 'alone' }, ...targets],
  })
}
