import { columnTypeOf, hasParts, isOwnKey, isText, refersToMany, refersToOne } from '../../column-types/column-types.ts'
import { rejectConflict, rejectValue } from '../../kernel/invalid-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { type Catalog, SYSTEM_COLUMNS } from '../catalog.ts'
import { isSystemName, systemTable } from '../system-tables.ts'
import { conversionOf } from './convert-type.ts'
import type { ColumnDefinition } from './definition.ts'
import { type Loss, NO_CHANGE, type StorageChange, type StorageStep, type TableLock } from './storage-change.ts'

/** What a new, changed or deleted row of sys_db_column changes in PostgreSQL, or why it cannot. */
export function planColumnChange(
  before: ColumnDefinition | null,
  after: ColumnDefinition | null,
  catalog: Catalog,
): Result<StorageChange, Problem> {
  if ((before ?? after)?.isAdopted) return planAdoptedColumn(before, after, catalog)
  if (before === null) return after === null ? succeed(NO_CHANGE) : planNewColumn(after, catalog)
  if (after === null) return planDroppedColumn(before)
  return planChangedColumn(before, after, catalog)
}

/** The columns of an adopted table follow the database (docs/adoption.md); only their presentation is set in the dictionary. */
function planAdoptedColumn(
  before: ColumnDefinition | null,
  after: ColumnDefinition | null,
  catalog: Catalog,
): Result<StorageChange, Problem> {
  const column = before ?? after
  if (column === null) return succeed(NO_CHANGE)
  const isOurs = column.storageColumn === null
  if (isOurs && before === null) return planNewColumn(column, catalog)
  if (isOurs && after === null) return planDroppedColumn(column)
  if (before === null || after === null) {
    return rejectConflict(
      `${column.table} is an adopted table, whose columns are those of the database; change it there and run docket adopt again`,
    )
  }
  if (before.name !== after.name) return rejectValue('column_name', 'the name of a column stays')
  if (before.tableId !== after.tableId) return rejectValue('table_id', 'the table of a column stays')
  const part = (
    [
      ['column_type_id', before.type === after.type],
      ['reference_id', before.reference?.tableId === after.reference?.tableId],
      ['unique', before.unique === after.unique],
      ['mandatory', before.mandatory === after.mandatory],
      ['read_only', before.readOnly === after.readOnly],
      ['max_length', before.maxLength === after.maxLength],
      ['default_value', before.defaultValue === after.defaultValue],
      ['active', before.active === after.active || !before.isSystem],
      ['on_delete', before.onDelete === after.onDelete],
    ] as const
  ).find(([, isSame]) => !isSame)
  if (part !== undefined) {
    return rejectValue(
      part[0],
      `${column.table} is an adopted table: this follows the database when docket adopt runs again`,
    )
  }
  const problem = shapeProblem(after)
  if (problem !== null) return fail(problem)
  const shows = after.displayByRef && !before.displayByRef
  return succeed({ ...NO_CHANGE, steps: when(shows, { kind: 'show-records-by', column: after }) })
}

function planNewColumn(column: ColumnDefinition, catalog: Catalog): Result<StorageChange, Problem> {
  const problem = nameProblem(column, catalog) ?? ownShapeProblem(column) ?? onDeleteProblem(column)
  if (problem !== null) return fail(problem)
  const owner = catalog.tablesById.get(column.tableId)
  if (owner !== undefined && !owner.isExtendable && isSystemName(owner.name)) {
    return rejectValue('table_id', `${owner.name} is a table of Docket itself that takes no columns of others`)
  }
  const isStored = column.storageColumn !== null
  const steps: readonly StorageStep[] = [
    ...when(isStored, { kind: 'add-column', column }),
    ...when(column.unique, { kind: 'make-unique', column }),
    ...when(refersToOne(column) && !column.unique, { kind: 'want-index', column }),
    ...when(column.displayByRef, { kind: 'show-records-by', column }),
    ...when(column.displayByRef && isLookedInto(column), { kind: 'want-contains-index', column }),
    ...when(column.fullTextSearch, { kind: 'renew-search-indexes', column }),
  ]
  return succeed({ steps, losses: [], locks: isStored ? [alone(column), ...targetOf(column)] : [] })
}

const isLookedInto = (column: ColumnDefinition): boolean =>
  column.storageColumn !== null && !column.isAdopted && hasParts(column)

function planDroppedColumn(column: ColumnDefinition): Result<StorageChange, Problem> {
  if (column.isSystem) return rejectConflict(`${nameOf(column)} is a column of Docket itself and cannot be deleted`)
  if (column.storageColumn === null) return succeed(NO_CHANGE)
  return succeed({
    steps: [
      { kind: 'drop-column', column },
      { kind: 'forget-indexes-of', column },
      ...when(column.fullTextSearch, { kind: 'renew-search-indexes', column }),
    ],
    losses: [{ kind: 'values', name: nameOf(column), column }],
    locks: [alone(column), ...targetOf(column).map((lock) => ({ ...lock, mode: 'alone' as const }))],
  })
}

function planChangedColumn(
  before: ColumnDefinition,
  after: ColumnDefinition,
  catalog: Catalog,
): Result<StorageChange, Problem> {
  if (before.name !== after.name) return rejectValue('column_name', 'the name of a column stays; make a new column')
  if (before.tableId !== after.tableId) return rejectValue('table_id', 'the table of a column stays; make a new column')
  if (before.isSystem) {
    const part = protectedPart(before, after)
    if (part !== null) return rejectValue(part, `${nameOf(before)} is a column of Docket itself, where this stays`)
  }
  const comesBack = !before.active && after.active
  const problem =
    (comesBack ? nameProblem(after, catalog) : null) ??
    (before.isSystem ? null : ownShapeProblem(after)) ??
    onDeleteProblem(after)
  if (problem !== null) return fail(problem)
  const becomes = before.type !== after.type || before.reference?.tableId !== after.reference?.tableId
  const leadsOut = [before, after].some((column) => refersToOne(column) && column.reference?.isAdopted === true)
  if (becomes && leadsOut)
    return rejectValue('reference_id', 'a reference to an adopted table keeps its table and type; make a new column')
  const conversion = becomes ? conversionOf(before, after) : null
  if (becomes && conversion === null) {
    return rejectValue('column_type_id', `values of type ${before.type} cannot become ${after.type}; make a new column`)
  }
  const shorter = after.maxLength !== null && isText(after) && (becomes || isLess(after.maxLength, before.maxLength))
  const isSearched = (column: ColumnDefinition): boolean => column.fullTextSearch && column.active
  const searchChanges = isSearched(before) !== isSearched(after) || (becomes && isSearched(after))
  const uniqueStays = !becomes && before.unique === after.unique
  const steps: readonly StorageStep[] = [
    ...when(before.unique && !after.unique && !becomes, { kind: 'drop-unique', column: before }),
    ...when(becomes, { kind: 'convert-column', before, after }),
    ...when(shorter, { kind: 'cut-texts', column: after, maxLength: after.maxLength ?? 0 }),
    ...when(after.unique && !uniqueStays, { kind: 'make-unique', column: after }),
    ...when(becomes && refersToOne(after) && !after.unique, { kind: 'want-index', column: after }),
    ...when(after.displayByRef && !before.displayByRef, { kind: 'show-records-by', column: after }),
    ...when(after.displayByRef && !before.displayByRef && isLookedInto(after), {
      kind: 'want-contains-index',
      column: after,
    }),
    ...when(searchChanges, { kind: 'renew-search-indexes', column: after }),
  ]
  const losses: readonly Loss[] = [
    ...(conversion?.keeps == null ? [] : [{ kind: 'misfits', name: nameOf(before), before, after } as const]),
    ...(shorter
      ? [{ kind: 'long-texts', name: nameOf(before), column: before, maxLength: after.maxLength ?? 0 } as const]
      : []),
  ]
  const touches = steps.some((step) => step.kind !== 'show-records-by')
  return succeed({
    steps,
    losses,
    locks: touches ? [becomes ? alone(after) : standing(after), ...targetOf(before), ...targetOf(after)] : [],
  })
}

const when = (condition: boolean, step: StorageStep): readonly StorageStep[] => (condition ? [step] : [])

const isLess = (length: number, than: number | null): boolean => than === null || length < than

const nameOf = (column: ColumnDefinition): string => `${column.table}.${column.name}`

const alone = (column: ColumnDefinition): TableLock => ({ place: column.storage, mode: 'alone' })
const standing = (column: ColumnDefinition): TableLock => ({ place: column.storage, mode: 'rows-stand' })

const targetOf = (column: ColumnDefinition): readonly TableLock[] =>
  hasForeignKey(column) && column.reference !== null ? [{ place: column.reference.storage, mode: 'rows-stand' }] : []

/** The author of a record stays readable after that user is deleted: system columns have no foreign key. */
export function hasForeignKey(column: ColumnDefinition): boolean {
  if (!refersToOne(column) || column.storageColumn === null || SYSTEM_COLUMNS.has(column.name)) return false
  // A foreign key would put triggers on the adopted table, and its owner could not drop it.
  return column.reference?.isAdopted !== true
}

// ── allowed columns ──

/** A column name is unique among the ancestors and descendants of a table. */
function nameProblem(column: ColumnDefinition, catalog: Catalog): Problem | null {
  const field = 'column_name'
  if (isSystemName(column.name) && !column.isSystem) {
    return { kind: 'invalid-value', field, detail: 'names that begin with sys_ are those of Docket itself' }
  }
  const owner = catalog.tablesById.get(column.tableId)
  const relatives = owner?.descendants.flatMap((name) => catalog.tables.get(name) ?? []) ?? []
  const existing = relatives.map((table) => table.columns.get(column.name)).find((other) => other !== undefined)
  if (existing === undefined || existing.id === column.id) return null
  return { kind: 'invalid-value', field, detail: `there is a column ${column.name} in ${existing.ownerTable} already` }
}

/** A length beyond PostgreSQL's maximum for one value is rejected. */
const MAX_LENGTH = 10_485_760

/** Further rules for columns of Docket's own tables. */
function ownShapeProblem(column: ColumnDefinition): Problem | null {
  if (!isOwnKey(column)) return shapeProblem(column)
  return {
    kind: 'invalid-value',
    field: 'column_type_id',
    detail: 'every table already has a column sys_id',
  }
}

function shapeProblem(column: ColumnDefinition): Problem | null {
  const wrong = (field: string, detail: string): Problem => ({ kind: 'invalid-value', field, detail })
  const isOrdered = columnTypeOf(column).storage.index === 'btree'
  if (refersToOne(column) && column.reference === null) {
    return wrong('reference_id', 'a reference needs the table that it leads to')
  }
  if (column.isRecordClass && column.reference?.table !== 'sys_db_table') {
    return wrong('reference_id', 'a record class leads to sys_db_table')
  }
  if (column.reference !== null && !refersToOne(column) && !refersToMany(column)) {
    return wrong('reference_id', `a column of type ${column.type} leads to no table`)
  }
  if (column.maxLength !== null && (column.maxLength < 1 || column.maxLength > MAX_LENGTH)) {
    return wrong('max_length', `a length from 1 to ${MAX_LENGTH} is expected`)
  }
  if (column.maxLength !== null && !isText(column)) return wrong('max_length', 'only texts have a length')
  if (column.unique && !isOrdered) {
    return wrong('unique', `values of type ${column.type} cannot be held unique`)
  }
  if (column.displayByRef && !isOrdered) {
    return wrong('display_by_ref', `a value of type ${column.type} cannot stand for a record`)
  }
  if (column.fullTextSearch && !isText(column)) return wrong('full_text_search', 'only texts are searched')
  return null
}

/** Allowed values of `on_delete` (docs/dictionary.md). A rule that a delete could never apply is rejected when it is configured. */
function onDeleteProblem(column: ColumnDefinition): Problem | null {
  const wrong = (detail: string): Problem => ({ kind: 'invalid-value', field: 'on_delete', detail })
  const { onDelete, reference, table } = column
  if (onDelete === null || isSystemName(table)) return null
  if (reference === null) return wrong('only references and lists of references have it')
  if (onDelete === 'restrict') return null
  if (refersToMany(column) && onDelete === 'cascade') return wrong('a list restricts, or loses the member (clear)')
  if (isDictionary(reference.table)) {
    return wrong(`records of ${reference.table} are part of the dictionary; only restrict is possible`)
  }
  if (onDelete === 'clear' && column.mandatory) return wrong('a mandatory column cannot be cleared')
  return onDelete === 'clear' && column.readOnly ? wrong('a read-only column cannot be cleared') : null
}

/** Docket's own tables whose rows configure other tables. Users, groups and roles are ordinary records. */
const isDictionary = (table: string): boolean => isSystemName(table) && systemTable(table).isOrdinary !== true

/** Settings of its own columns that the server relies on. */
function protectedPart(before: ColumnDefinition, after: ColumnDefinition): string | null {
  if (before.type !== after.type) return 'column_type_id'
  if (before.reference?.tableId !== after.reference?.tableId) return 'reference_id'
  if (before.unique !== after.unique) return 'unique'
  if (before.active !== after.active) return 'active'
  if (before.onDelete !== after.onDelete && isSystemName(before.table)) return 'on_delete'
  return before.fullTextSearch !== after.fullTextSearch && !isText(after) ? 'full_text_search' : null
}
