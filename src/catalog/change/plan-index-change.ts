import { columnTypeOf, comparisonOf, hasParts, isUnlimitedText, refersToOne } from '../../column-types/column-types.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { Catalog, Table } from '../catalog.ts'
import type { IndexDefinition } from './definition.ts'
import { NO_CHANGE, type StorageChange, type StorageStep } from './storage-change.ts'

/** An index with more columns than this serves no condition that one with fewer would not. */
const MAX_COLUMNS = 5

/** What a new, changed or deleted row of sys_db_index changes in PostgreSQL. */
export function planIndexChange(
  before: IndexDefinition | null,
  after: IndexDefinition | null,
  catalog: Catalog,
): Result<StorageChange, Problem> {
  const drop = (index: IndexDefinition): StorageStep => ({ kind: 'drop-index', index })
  if (after === null) {
    return succeed(
      before === null
        ? NO_CHANGE
        : { ...NO_CHANGE, steps: [drop(before)], locks: [{ place: before.storage, mode: 'alone' }] },
    )
  }
  const problem = problemOf(after, catalog)
  if (problem !== null) return fail(problem)
  if (before === null) {
    const lock = { place: after.storage, mode: 'rows-stand', isForIndex: true } as const
    return succeed({ ...NO_CHANGE, steps: [{ kind: 'build-index', index: after }], locks: [lock] })
  }
  const isSame =
    before.tableId === after.tableId &&
    before.purpose === after.purpose &&
    before.columnNames.join() === after.columnNames.join() &&
    before.includedColumns.join() === after.includedColumns.join()
  if (isSame) return succeed(NO_CHANGE)
  return fail({ kind: 'invalid-value', field: 'column_names', detail: 'an index stays as it is; make another' })
}

function problemOf(wanted: IndexDefinition, catalog: Catalog): Problem | null {
  const wrong = (detail: string): Problem => ({ kind: 'invalid-value', field: 'column_names', detail })
  if (wanted.purpose === 'search') {
    return {
      kind: 'invalid-value',
      field: 'purpose',
      detail: 'indexes for searching come and go with full_text_search of columns',
    }
  }
  const table = catalog.tablesById.get(wanted.tableId)
  const names = wanted.columnNames
  if (table?.adopted != null)
    return wrong(`${wanted.table} is an adopted table, which Docket does not alter; make the index in the database`)
  if (names.length < 1 || names.length > MAX_COLUMNS) return wrong(`from 1 to ${MAX_COLUMNS} columns are expected`)
  for (const name of names) {
    const column = table?.columns.get(name)
    if (column === undefined) return wrong(`there is no column ${name} in ${wanted.table}`)
    const { index } = columnTypeOf(column).storage
    if (index === null || column.storage === null) {
      return wrong(`${name} is a column of type ${column.type}, which no index serves`)
    }
    if (wanted.purpose === 'contains' && !hasParts(column)) {
      return wrong(`${name} is a column of type ${column.type}; an index for contains serves texts`)
    }
    if (index === 'gin' && names.length > 1) return wrong(`${name} is a list, which has an index to itself`)
  }
  return problemOfIncluded(wanted, table)
}

function problemOfIncluded(
  { purpose, columnNames, includedColumns, ...wanted }: IndexDefinition,
  table?: Table,
): Problem | null {
  const wrong = (detail: string): Problem => ({ kind: 'invalid-value', field: 'included_columns', detail })
  if (includedColumns.length === 0) return null
  if (columnNames.some((name) => columnNamed(table, name)?.index === 'gin'))
    return wrong('indexes on lists include no columns')
  if (includedColumns.length > MAX_COLUMNS) return wrong(`at most ${MAX_COLUMNS} columns are expected`)
  for (const name of includedColumns) {
    const storage = columnNamed(table, name)
    if (storage === undefined) return wrong(`there is no column ${name} in ${wanted.table}`)
    if (purpose === 'contains' && !storage.isOwnReference) {
      return wrong(
        `${name} is a column of type ${storage.type}; an index for contains includes references to records of Docket`,
      )
    }
    if (storage.index !== 'btree' || !storage.isShort) {
      return wrong(`${name} is a column of type ${storage.type}; values of at most a few bytes are included`)
    }
    if (columnNames.includes(name)) return wrong(`${name} is a key of the index already`)
  }
  return null
}

/** The facts that decide whether an index may contain a column; undefined: the table has no such column, or it is not stored. */
function columnNamed(table: Table | undefined, name: string) {
  const column = table?.columns.get(name)
  if (column === undefined || column.storage === null) return undefined
  const { storage, compare } = columnTypeOf(column)
  return {
    type: column.type,
    index: storage.index,
    isShort: !isUnlimitedText(column) || compare === 'choice',
    isOwnReference: refersToOne(column) && comparisonOf(column) === 'id' && column.foreignKey === null,
  }
}
