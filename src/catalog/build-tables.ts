import { type ColumnTypeName, isOwnKey, refersToAny } from '../column-types/column-types.ts'
import {
  type GivenIdColumn,
  keyOfColumns,
  OWN_KEY,
  type RecordKey,
  type WellKnownIds,
} from '../column-types/record-key.ts'
import type { Choice, Column, Table, TextIndex, Titles } from './catalog.ts'
import type { AliasRow, ChoiceRow, ColumnRow, TableRow, TextIndexRow, WellKnownIdRow } from './dictionary-rows.ts'
import { givenIdColumnOf } from './given-ids.ts'

const titlesOf = (row: { readonly title_en: string; readonly title_ru: string | null }): Titles => ({
  en: row.title_en,
  ru: row.title_ru ?? row.title_en,
})

/** Rows of the dictionary from which tables are built. */
export interface TableRows {
  readonly tableRows: readonly TableRow[]
  readonly columnRows: readonly ColumnRow[]
  readonly choiceRows: readonly ChoiceRow[]
  /** By the name of the table whose records they name. Only migrations write them. */
  readonly aliases: Aliases
  /** By the name of the table whose records have them. Only migrations write them. */
  readonly wellKnown: ReadonlyMap<string, WellKnownIds>
  /** Columns that are read as documents of the editor. */
  readonly asDocuments: ReadonlySet<string>
}

export function buildTables({
  tableRows,
  columnRows,
  choiceRows,
  aliases,
  wellKnown,
  asDocuments,
}: TableRows): ReadonlyMap<string, Table> {
  const rowsById = new Map(tableRows.map((row) => [row.id, row]))
  const columnsByTable = Map.groupBy(columnRows, (row) => row.table_id)
  const choicesByColumn = Map.groupBy(choiceRows, (row) => row.column_id)
  const ancestorsById = new Map(tableRows.map((row) => [row.id, ancestorsOf(row, rowsById)]))
  const descendantsById = descendantsOf(tableRows, ancestorsById)
  const rowsByName = new Map(tableRows.map((row) => [row.name, row]))
  const numbered = new Set(tableRows.filter((row) => row.numbering_id !== null).map(storageNameOf))
  const keys: Keys = {
    aliases,
    given: givenIdColumns(columnRows, rowsById),
    wellKnown: new Map(tableRows.flatMap((row) => ofHierarchy(row, wellKnown))),
  }

  return new Map(
    tableRows.map((row) => {
      const ancestors = ancestorsById.get(row.id) ?? [row]
      const columns = new Map(
        ancestors.toReversed().flatMap((owner) =>
          (columnsByTable.get(owner.id) ?? []).map((column) => [
            column.name,
            buildColumn(column, {
              owner,
              target: column.reference === null ? undefined : rowsByName.get(column.reference),
              choices: nearestChoices(choicesByColumn.get(column.id) ?? [], ancestors),
              isCounted: numbered.has(storageNameOf(owner)),
              keys,
              readAsDocument: asDocuments.has(column.id) || asDocuments.has(`${owner.name}.${column.name}`),
            }),
          ]),
        ),
      )
      return [row.name, buildTable(row, { ancestors, descendants: descendantsById.get(row.id) ?? [], columns, keys })]
    }),
  )
}

interface Keys {
  readonly aliases: Aliases
  /** By the position of the table that has the column. */
  readonly given: ReadonlyMap<string, GivenIdColumn>
  readonly wellKnown: ReadonlyMap<string, WellKnownIds>
}

function ofHierarchy(
  row: TableRow,
  wellKnown: ReadonlyMap<string, WellKnownIds>,
): readonly (readonly [string, WellKnownIds])[] {
  const ids = wellKnown.get(row.name)
  return ids === undefined ? [] : [[storageNameOf(row), ids]]
}

function givenIdColumns(
  columnRows: readonly ColumnRow[],
  rowsById: ReadonlyMap<string, TableRow>,
): ReadonlyMap<string, GivenIdColumn> {
  const columns = columnRows.flatMap((column) => {
    const owner = rowsById.get(column.table_id)
    const given = owner === undefined || owner.adopted_key !== null ? null : givenIdColumnOf(column, placeOf(owner))
    return owner === undefined || given === null ? [] : [[storageNameOf(owner), given] as const]
  })
  return new Map(columns)
}

function ancestorsOf(row: TableRow, rowsById: ReadonlyMap<string, TableRow>): readonly TableRow[] {
  const ancestors: TableRow[] = []
  for (let at: TableRow | undefined = row; at !== undefined && !ancestors.includes(at); ) {
    ancestors.push(at)
    at = at.parent_id === null ? undefined : rowsById.get(at.parent_id)
  }
  return ancestors
}

/** Names of each table and its descendants, in the order of the tables: in one pass, because there may be thousands. */
function descendantsOf(
  all: readonly TableRow[],
  ancestorsById: ReadonlyMap<string, readonly TableRow[]>,
): ReadonlyMap<string, readonly string[]> {
  const descendantsById = new Map<string, string[]>(all.map((row) => [row.id, []]))
  for (const row of all)
    for (const ancestor of ancestorsById.get(row.id) ?? []) descendantsById.get(ancestor.id)?.push(row.name)
  return descendantsById
}

/** A child's own list of choices for an inherited column replaces its parent's. */
function nearestChoices(rows: readonly ChoiceRow[], ancestors: readonly TableRow[]): readonly Choice[] {
  const nearest = ancestors.find((table) => rows.some((row) => row.table_id === table.id))
  return rows
    .filter((row) => row.table_id === nearest?.id)
    .map((row) => {
      const en = row.en ?? row.ru ?? row.value
      return { value: row.value, dependentValue: row.dependent_value, titles: { en, ru: row.ru ?? en } }
    })
}

interface ColumnGround extends Pick<Column, 'choices' | 'readAsDocument'> {
  readonly owner: TableRow
  /** The table that the column refers to. */
  readonly target: TableRow | undefined
  /** A table of the hierarchy has a numbering. */
  readonly isCounted: boolean
  readonly keys: Keys
}

function buildColumn(row: ColumnRow, { owner, target, isCounted, keys, ...extra }: ColumnGround): Column {
  const ownKey = keyOfRow(owner, keys)
  return {
    id: row.id,
    name: row.name,
    ownerTable: owner.name,
    type: row.type,
    titles: titlesOf(row),
    storage: row.storage_column,
    storageCast: row.storage_cast,
    foreignKey: foreignKeyOf(row, target),
    reference: row.reference,
    recordClass: row.is_record_class,
    key: keyOfValues(row.type, { ownKey, target, keys }),
    isKeyPart: !isOwnKey(row) && ownKey.parts.some(({ column }) => column === row.storage_column),
    mandatory: row.mandatory,
    readOnly: row.read_only,
    unique: row.unique,
    fullTextSearch: row.full_text_search,
    displayByRef: row.display_by_ref,
    onDelete: row.on_delete,
    maxLength: row.max_length,
    defaultValue: row.default_value,
    neverNull: row.never_null,
    indexed: {
      values: row.values_indexed || isInUpdateOrder(row, owner),
      computed: row.computed_indexed,
      parts: row.parts_indexed,
      folded: row.folded_indexed,
    },
    countedIn: isCounted && row.name === 'number' ? owner.id : null,
    dependsOn: row.dependent_on,
    ...extra,
  }
}

const isInUpdateOrder = ({ name }: ColumnRow, { update_order }: TableRow): boolean =>
  name === 'sys_updated_at' && update_order !== null

export type Aliases = ReadonlyMap<string, RecordKey>

/** Key type of the values of a column; for a document id, of its first half: the sys_id of a table. */
function keyOfValues(
  type: ColumnTypeName,
  { ownKey, target, keys }: Pick<ColumnGround, 'target' | 'keys'> & { readonly ownKey: RecordKey },
): RecordKey | null {
  if (isOwnKey({ type })) return ownKey
  if (refersToAny({ type })) return keys.aliases.get('sys_db_table') ?? OWN_KEY
  return target === undefined ? null : keyOfRow(target, keys)
}

export function keysWithAliases(rows: readonly AliasRow[]): Aliases {
  return new Map(
    [...Map.groupBy(rows, (row) => row.of_table)].map(([table, of]) => [
      table,
      { ...OWN_KEY, aliases: new Map(of.map(({ alias, id }) => [alias, id])) },
    ]),
  )
}

export function wellKnownIds(rows: readonly WellKnownIdRow[]): ReadonlyMap<string, WellKnownIds> {
  return new Map(
    [...Map.groupBy(rows, (row) => row.of_table)].map(([table, of]) => [
      table,
      new Map(of.map(({ sys_id: sysId, id }) => [sysId, id])),
    ]),
  )
}

function keyOfRow(row: TableRow, { aliases, given, wellKnown }: Keys): RecordKey {
  const { name, adopted_key: columns, adopted_key_types: types } = row
  if (columns === null) {
    const key = aliases.get(name) ?? OWN_KEY
    const storage = storageNameOf(row)
    const [ofOthers, known] = [given.get(storage), wellKnown.get(storage)]
    if (ofOthers === undefined && known === undefined) return key
    return {
      ...key,
      ...(ofOthers === undefined ? {} : { given: ofOthers }),
      ...(known === undefined ? {} : { wellKnown: known }),
    }
  }
  return keyOfColumns(columns.map((column, index) => ({ column, type: types?.[index] ?? 'bigint' })))
}

function foreignKeyOf({ storage_parts: columns, storage_target: column }: ColumnRow, target: TableRow | undefined) {
  if (target === undefined) return null
  if (columns !== null) return { kind: 'parts', columns } as const
  if (column === null) return null
  return { kind: 'unique', column, target: placeOf(target) } as const
}

/** A hierarchy is one PostgreSQL table. */
const storageNameOf = (row: TableRow): string => `${row.storage_schema}.${row.storage_table}`

const placeOf = (row: TableRow): Table['storage'] => ({ schema: row.storage_schema, table: row.storage_table })

interface TableGround extends Pick<Table, 'descendants' | 'columns'> {
  readonly ancestors: readonly TableRow[]
  readonly keys: Keys
}

function buildTable(row: TableRow, { ancestors, descendants, columns, keys }: TableGround): Table {
  const numbered = ancestors.find((table) => table.numbering_id !== null)
  return {
    id: row.id,
    name: row.name,
    titles: titlesOf(row),
    parent: ancestors[1]?.name ?? null,
    ancestors: ancestors.map((table) => table.name),
    descendants,
    columns,
    storage: placeOf(row),
    indexKeys: row.update_order === null ? row.index_keys : [...row.index_keys, ['sys_updated_at', 'sys_id']],
    textIndexes: ancestors.flatMap(({ text_indexes }) => text_indexes.map((index) => textIndexOf(index, columns))),
    updateOrder: row.update_order,
    keyColumn: row.key_column,
    key: keyOfRow(row, keys),
    adopted:
      row.adopted_key === null
        ? null
        : { isKeyGiven: row.adopted_key_given, isReadOnly: row.adopted_read_only, isDrifted: false },
    displayColumn: [...columns.values()].find((column) => column.displayByRef) ?? null,
    numbering:
      numbered?.numbering_id == null
        ? null
        : {
            id: numbered.numbering_id,
            sequence: `number_${numbered.numbering_id}`,
            prefix: numbered.prefix ?? '',
            digits: numbered.digits ?? 1,
          },
    queuedCreate: row.queued_create,
    isExtendable: row.is_extendable,
    isAudit: row.is_audit,
    logsDeletions: row.logs_deletions,
  }
}

function textIndexOf({ of, texts, references }: TextIndexRow, columns: Table['columns']): TextIndex {
  const named = (names: readonly string[]): readonly Column[] => names.flatMap((name) => columns.get(name) ?? [])
  return { of, texts: named(texts), references: named(references) }
}
