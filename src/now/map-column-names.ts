import {
  type Catalog,
  type Column,
  type DisplayedValue,
  type Table,
  type TableColumn,
  UPDATE_COUNT,
} from '../catalog/catalog.ts'
import { GIVEN_ID } from '../catalog/given-ids.ts'
import { isResolvedPath, resolvePath } from '../catalog/resolve-path.ts'
import type { NamedColumn } from '../catalog/vocabulary.ts'
import { meaningsIn, nameHere, renamedColumns } from './column-meanings.ts'
import { asDisplayed } from './columns-as-displayed.ts'
import { loggedWords, type Words } from './logged-words.ts'
import { servedIdColumn } from './served-id-column.ts'
import { COLUMNS_OF_DESCENDANTS, JOURNALS, type Meaning, TYPES } from './vocabulary.ts'

/** The columns of a table by their names in this API, in the order of the members of a record. */
export type ColumnNames = ReadonlyMap<string, NamedColumn>

/**
 * A column in the vocabulary has only the name of the vocabulary. A column whose own name has another meaning in the vocabulary
 * gets the prefix `u_`.
 */
export function namesOfColumns(table: Table, { catalog, nameOf, idPrefix }: Words): ColumnNames {
  const meanings = meaningsIn(table)
  const renamed = renamedColumns(meanings)
  const names = new Map<string, NamedColumn>()
  for (const column of [...table.columns.values(), ...columnsOfDescendant(table, catalog)]) {
    // Its values are served as sys_ids.
    if (column.name === GIVEN_ID && table.key.given !== undefined) continue
    const name = nameHere(column, renamed, meanings)
    const ofTable = meaningOf(meanings.get(name) ?? column.name, { table, catalog, nameOf, idPrefix })
    const named = ofTable ?? inDescendant(column, table, catalog)
    if (named !== null) names.set(name, asDisplayed(named, table, catalog))
  }
  const served = servedIdColumn(table, idPrefix)
  const key = names.get(table.keyColumn)
  // Compared by the key; put in order, and read, as it is served.
  if (served !== undefined && key !== undefined) names.set(table.keyColumn, { ...key, displayed: served.displayed })
  for (const [name, meaning] of meanings) {
    const named = names.has(name) ? null : meaningOf(meaning, { table, catalog, nameOf, idPrefix })
    if (named !== null) names.set(name, named)
  }
  return names
}

export function classBelow({ name }: Table, catalog: Catalog): Table | undefined {
  const below = catalog.tables.get(COLUMNS_OF_DESCENDANTS[name] ?? '')
  return below?.ancestors.includes(name) === true ? below : undefined
}

function columnsOfDescendant(table: Table, catalog: Catalog): readonly Column[] {
  const below = classBelow(table, catalog)
  return below === undefined ? [] : [...below.columns.values()].filter(({ ownerTable }) => ownerTable === below.name)
}

/** Empty in rows of other classes, which do not have the column. */
function inDescendant(column: Column, table: Table, catalog: Catalog): NamedColumn | null {
  const below = catalog.tables.get(column.ownerTable)
  if (below === undefined || !below.ancestors.includes(table.name)) return null
  const tableColumn = { table: below, column }
  return { via: [], displayed: tableColumn, stored: tableColumn, isWritable: false }
}

interface Ground extends Words {
  readonly table: Table
}

/** Only read: an entry belongs to one of the journals. */
function journals(
  { of, en, ru }: Extract<Meaning, { readonly is: 'journals' }>,
  { table }: Ground,
): NamedColumn | null {
  const columns = of.flatMap((name) => table.columns.get(name) ?? [])
  const [first] = columns
  if (first === undefined || columns.length < of.length) return null
  const displayed = { kind: 'journals', of: columns } as const
  const together = { table, column: { ...first, name: JOURNALS, titles: { en, ru }, displayed } }
  return { via: [], displayed: together, stored: together, isWritable: false }
}

/** The rest is compared as it is displayed: what is stored depends on the class of the record. */
function loggedColumn(
  { is, of }: Extract<Meaning, { readonly is: 'logged-name' | 'logged-value' }>,
  ground: Ground,
): NamedColumn | null {
  const column = ground.table.columns.get(of)
  if (column === undefined) return null
  const displayed = {
    kind: 'logged',
    part: is === 'logged-name' ? 'name' : 'value',
    words: loggedWords(ground),
  } as const
  const indexed = { values: false, computed: false, parts: false, folded: false }
  const logged = { table: ground.table, column: { ...column, displayed, indexed } }
  return { via: [], displayed: logged, stored: logged, isWritable: false }
}

/** null: the dictionary does not have it. */
export function meaningOf(meaning: Meaning, ground: Ground): NamedColumn | null {
  if (typeof meaning === 'string') return path(meaning, ground)
  switch (meaning.is) {
    case 'constant':
      return computed(ground.table.keyColumn, { kind: 'constant', text: meaning.text }, ground)
    case 'updates':
      return updateCount(ground)
    case 'not':
      return computed(meaning.of, { kind: 'negated' }, ground)
    case 'class':
      return computed('sys_db_table_id', classNames(ground), ground)
    case 'table-name': {
      const texts = new Map([...ground.catalog.tables.values()].map(({ id, name }) => [id, ground.nameOf(name)]))
      return meaning.of === null ? ofRecord('name', texts, ground) : ofReference(meaning.of, texts, ground)
    }
    case 'column-name': {
      const texts = namesByColumn(ground)
      return meaning.of === null ? ofRecord('column_name', texts, ground) : ofReference(meaning.of, texts, ground)
    }
    case 'type':
      return ofRecord('column_type_id', typesByColumn(ground), ground)
    case 'referenced-table':
      return ofRecord('reference_id', referencesByColumn(ground), ground)
    case 'journals':
      return journals(meaning, ground)
    case 'logged-name':
    case 'logged-value':
      return loggedColumn(meaning, ground)
    case 'type-name':
      return computed('name', lookup('name', new Map(Object.entries(TYPES)), true), ground)
  }
}

function path(text: string, { catalog, table }: Ground): NamedColumn | null {
  const fieldPath = resolvePath(catalog, table, text.split('.'))
  if (!isResolvedPath(fieldPath)) return null
  return {
    via: fieldPath.hops,
    displayed: fieldPath.end,
    stored: fieldPath.end,
    isWritable: fieldPath.hops.length === 0,
  }
}

function computed(name: string, displayed: DisplayedValue, { table }: Ground): NamedColumn | null {
  const column = table.columns.get(name)
  if (column === undefined) return null
  const stored = { table, column }
  if (displayed.kind !== 'negated') return asText(stored, displayed)
  return { via: [], displayed: { table, column: { ...column, displayed } }, stored, isWritable: false }
}

/** Computed texts are not references, so they have no link. */
function asText(stored: TableColumn, displayed: DisplayedValue): NamedColumn {
  const column: Column = { ...stored.column, displayed, ...AS_TEXT }
  return { via: [], displayed: { table: stored.table, column }, stored, isWritable: false }
}

/** For who may read when the record was updated. An adopted table does not count. */
function updateCount({ table }: Ground): NamedColumn | null {
  const updatedAt = table.columns.get('sys_updated_at')
  if (updatedAt === undefined || table.adopted !== null) return null
  const column: Column = {
    ...updatedAt,
    type: 'integer',
    titles: { en: 'Updates', ru: 'Изменений' },
    displayed: { kind: 'count', storage: UPDATE_COUNT },
    indexed: { values: false, computed: false, parts: false, folded: false },
  }
  const counted = { table, column }
  return { via: [], displayed: counted, stored: counted, isWritable: false }
}

const AS_TEXT = {
  type: 'string',
  reference: null,
  recordClass: false,
  choices: [],
  key: null,
  neverNull: false,
} as const

const lookup = (storage: string, texts: ReadonlyMap<string, string>, orKey = false): DisplayedValue => ({
  kind: 'lookup',
  storage,
  orKey,
  texts,
  titles: null,
})

function classNames({ table, catalog, nameOf }: Ground): DisplayedValue {
  const classes = table.descendants.flatMap((name) => catalog.tables.get(name) ?? [])
  const titles = (language: 'en' | 'ru') => new Map(classes.map((each) => [each.id, each.titles[language]]))
  const texts = new Map(classes.map(({ id, name }) => [id, nameOf(name)]))
  return {
    kind: 'lookup',
    storage: 'sys_db_table_id',
    orKey: false,
    texts,
    titles: { en: titles('en'), ru: titles('ru') },
  }
}

function ofReference(name: string, texts: ReadonlyMap<string, string>, ground: Ground): NamedColumn | null {
  return computed(name, lookup(ground.table.columns.get(name)?.storage ?? name, texts), ground)
}

/**
 * The name of the record itself: identified by its sys_id, and visible to everyone who may see the column with its own name.
 */
function ofRecord(name: string, texts: ReadonlyMap<string, string>, { table }: Ground): NamedColumn | null {
  const key = table.columns.get(table.keyColumn)
  if (key === undefined || !table.columns.has(name)) return null
  return asText({ table, column: { ...key, name } }, lookup(table.keyColumn, texts))
}

/** Each column of the dictionary by its sys_id, with its name in its own table. */
const namesByColumn = ({ catalog }: Ground): ReadonlyMap<string, string> =>
  new Map(ownColumns(catalog).map(({ column, name }) => [column.id, name]))

/** Types as values of this API have them, and that of the rows that describe tables. */
function typesByColumn({ catalog }: Ground): ReadonlyMap<string, string> {
  const ofColumns = ownColumns(catalog).map(
    ({ column, meaning }) => [column.id, isText(meaning) ? 'string' : (TYPES[column.type] ?? column.type)] as const,
  )
  return new Map([...ofColumns, ...[...catalog.tables.values()].map(({ id }) => [id, 'collection'] as const)])
}

const referencesByColumn = ({ catalog, nameOf }: Ground): ReadonlyMap<string, string> =>
  new Map(
    ownColumns(catalog).flatMap(({ column: { id, reference }, meaning }) =>
      reference === null || isText(meaning) ? [] : [[id, nameOf(reference)]],
    ),
  )

/** The name of something, or a column of the referenced record. */
const isText = (meaning: Meaning | undefined): boolean =>
  typeof meaning === 'string' ? meaning.includes('.') : meaning !== undefined && meaning.is !== 'not'

interface OwnColumn {
  readonly column: Column
  readonly name: string
  readonly meaning: Meaning | undefined
}

function ownColumns(catalog: Catalog): readonly OwnColumn[] {
  return [...catalog.tables.values()].flatMap((table) => {
    const meanings = meaningsIn(table)
    const renamed = renamedColumns(meanings)
    return [...table.columns.values()]
      .filter(({ ownerTable }) => ownerTable === table.name)
      .map((column) => {
        const name = nameHere(column, renamed, meanings)
        return { column, name, meaning: meanings.get(name) }
      })
  })
}
