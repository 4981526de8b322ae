import { sql } from 'kysely'
import { type ColumnTypeName, isOwnKey, refersToAny } from '../column-types/column-types.ts'
import { keyOfColumns, OWN_KEY, type RecordKey } from '../column-types/record-key.ts'
import type { Database, Session } from '../database/database.ts'
import type { AccessRule, Catalog, Choice, Column, OnDelete, StateModel, Table, Titles, View } from './catalog.ts'
import { systemTable } from './system-tables.ts'
import { IS_RECORD_CLASS, VALUE_TYPE } from './value-type.ts'

/** Reads the whole dictionary in one snapshot of the database. */
export async function loadCatalog(database: Database): Promise<Catalog> {
  return (await readDictionary(database)).catalog
}

/** The same inside of a transaction, with what that has changed so far. */
export async function readCatalog(session: Session): Promise<Catalog> {
  return (await readSince(session, undefined)).catalog
}

/** The dictionary, with the rows that it was made of: what the next reading does not have to read again. */
export interface DictionaryReading {
  readonly catalog: Catalog
  /** Catalog epoch of the newest change of each table that the dictionary is read from. */
  readonly parts: ReadonlyMap<string, string>
  readonly tableRows: readonly TableRow[]
  readonly columnRows: readonly ColumnRow[]
  readonly choiceRows: readonly ChoiceRow[]
  /** By the name of the table whose records they name. They are written by migrations alone. */
  readonly aliases: ReadonlyMap<string, RecordKey>
}

/**
 * Reads the dictionary in one snapshot of the database. Of a dictionary that is known, only what changed since is read: the
 * tables that something was changed of, the rules, the choices, each by itself. With 3,000 tables a rule that changes is
 * seen after some milliseconds instead of a second.
 *
 * @param known an earlier reading
 */
export function readDictionary(database: Database, known?: DictionaryReading): Promise<DictionaryReading> {
  return database.inTransaction((session) => readSince(session, known), 'repeatable read')
}

async function readSince(session: Session, earlier: DictionaryReading | undefined): Promise<DictionaryReading> {
  const { epoch, parts, changedTables } = await readChanges(session, earlier)
  const known = changedTables === null ? undefined : earlier
  const isStale = (...names: readonly string[]): boolean =>
    known === undefined || names.some((name) => parts.get(name) !== known.parts.get(name))

  const areTablesStale = isStale('sys_db_table', 'sys_number') || changedTables?.length !== 0
  const tableRows = areTablesStale || known === undefined ? await session.rows<TableRow>(TABLE_ROWS) : known.tableRows
  const columnRows = await readColumnRows(session, known, { tableRows, changedTables: changedTables ?? [] })
  const choiceRows =
    isStale('sys_choice') || known === undefined ? await session.rows<ChoiceRow>(CHOICE_ROWS) : known.choiceRows
  const aliases = known?.aliases ?? keysWithAliases(await session.rows<AliasRow>(ALIAS_ROWS))
  const { properties } =
    isStale('sys_property') || known === undefined
      ? { properties: asMap(await session.rows<NameValue>(PROPERTY_ROWS)) }
      : known.catalog
  const areTablesSame = !areTablesStale && !isStale('sys_choice', 'sys_property')
  const tables =
    areTablesSame && known !== undefined
      ? known.catalog.tables
      : buildTables({ tableRows, columnRows, choiceRows, aliases, asDocuments: documentColumns(properties) })
  const catalog: Catalog = {
    epoch,
    tables,
    tablesById: new Map([...tables.values()].map((table) => [table.id, table])),
    views:
      isStale('sys_db_table', 'sys_ui_form', 'sys_ui_form_section', 'sys_ui_form_element') || known === undefined
        ? buildViews(await session.rows<ViewRow>(VIEW_ROWS))
        : known.catalog.views,
    rules:
      isStale('sys_security_acl', 'sys_role') || known === undefined
        ? await session.rows<AccessRule>(RULE_ROWS)
        : known.catalog.rules,
    stateModels:
      isStale('sys_db_table', 'sys_state_model', 'sys_state_transition') || known === undefined
        ? buildStateModels(await session.rows<TransitionRow>(TRANSITION_ROWS))
        : known.catalog.stateModels,
    properties,
    dynamicOptions:
      isStale('sys_dynamic_option') || known === undefined
        ? asMap(await session.rows<NameValue>(OPTION_ROWS))
        : known.catalog.dynamicOptions,
    roleNames:
      isStale('sys_role') || known === undefined
        ? asMap(await session.rows<NameValue>(ROLE_ROWS))
        : known.catalog.roleNames,
  }
  return { catalog, parts, tableRows, columnRows, choiceRows, aliases }
}

interface DictionaryChanges {
  readonly epoch: string
  readonly parts: ReadonlyMap<string, string>
  /** sys_ids; null: what is known, if anything, is of no use. */
  readonly changedTables: readonly string[] | null
}

/** Changes of tables are kept for a thousand epochs; who knows less reads all. */
const epochsKept = 1_000

async function readChanges(session: Session, known: DictionaryReading | undefined): Promise<DictionaryChanges> {
  const [row] = await session.rows<{
    epoch: string
    parts: Readonly<Record<string, string>>
    changed: readonly (string | null)[] | null
  }>(sql`
    select e.catalog::text as epoch,
      (select coalesce(json_object_agg(p.name, p.epoch::text), '{}') from docket_system.catalog_part p) as parts,
      (select json_agg(distinct c.table_id::text) from docket_system.changed_table c
       where c.epoch > ${known?.catalog.epoch ?? '0'}::bigint) as changed
    from docket_system.epoch e`)
  const epoch = row?.epoch ?? '0'
  const parts = new Map(Object.entries(row?.parts ?? {}))
  const changed = row?.changed ?? []
  const isUseless =
    known === undefined ||
    Number(epoch) - Number(known.catalog.epoch) >= epochsKept ||
    changed.includes(null) ||
    [...parts].some(([name, at]) => systemTable(name).isReadByPart !== true && known.parts.get(name) !== at)
  return { epoch, parts, changedTables: isUseless ? null : changed.filter((id) => id !== null) }
}

async function readColumnRows(
  session: Session,
  known: DictionaryReading | undefined,
  now: { readonly tableRows: readonly TableRow[]; readonly changedTables: readonly string[] },
): Promise<readonly ColumnRow[]> {
  // Columns of other tables name a table that they refer to, and stand where it is stored.
  if (known === undefined || isSomeRenamed(known.tableRows, now.tableRows))
    return session.rows<ColumnRow>(columnRowsOf(null))
  if (now.changedTables.length === 0) return known.columnRows
  const changed = new Set(now.changedTables)
  const fresh = await session.rows<ColumnRow>(columnRowsOf(now.changedTables))
  return [...known.columnRows.filter(({ table_id }) => !changed.has(table_id)), ...fresh].sort(
    (one, other) => one.id.length - other.id.length || (one.id < other.id ? -1 : 1),
  )
}

/** Tables that are gone count too: what referred to them refers to nothing now. */
function isSomeRenamed(before: readonly TableRow[], now: readonly TableRow[]): boolean {
  if (before === now) return false
  const known = ({ name, storage_schema, storage_table }: TableRow) => `${name} ${storage_schema} ${storage_table}`
  const places = new Map(now.map((row) => [row.id, known(row)]))
  return before.some((row) => places.get(row.id) !== known(row))
}

interface NameValue {
  readonly name: string
  readonly value: string
}
interface TableRow {
  readonly id: string
  readonly name: string
  readonly title_en: string
  readonly title_ru: string | null
  readonly parent_id: string | null
  readonly storage_schema: string
  readonly storage_table: string
  readonly key_column: string
  readonly adopted_key: readonly string[] | null
  readonly adopted_key_types: readonly string[] | null
  readonly adopted_key_given: boolean
  readonly adopted_read_only: boolean
  readonly queued_create: boolean
  readonly is_extendable: boolean
  readonly is_audit: boolean
  readonly logs_deletions: boolean
  readonly numbering_id: string | null
  readonly prefix: string | null
  readonly digits: number | null
}
interface ColumnRow {
  readonly id: string
  readonly table_id: string
  readonly name: string
  readonly title_en: string
  readonly title_ru: string | null
  readonly type: ColumnTypeName
  readonly is_record_class: boolean
  readonly reference: string | null
  readonly read_only: boolean
  readonly mandatory: boolean
  readonly unique: boolean
  readonly full_text_search: boolean
  readonly display_by_ref: boolean
  readonly on_delete: OnDelete | null
  readonly max_length: number | null
  readonly default_value: string | null
  readonly storage_column: string | null
  readonly storage_cast: string | null
  readonly storage_parts: readonly string[] | null
  readonly storage_target: string | null
  readonly dependent_on: string | null
  readonly never_null: boolean
}
interface ChoiceRow {
  readonly table_id: string
  readonly column_id: string
  readonly value: string
  readonly dependent_value: string | null
  readonly en: string | null
  readonly ru: string | null
}
interface AliasRow {
  readonly of_table: string
  readonly alias: string
  readonly id: string
}
interface TransitionRow {
  readonly id: string
  readonly table: string
  readonly condition: string
  readonly from: string | null
  readonly to: string | null
  readonly is_final: boolean | null
}
interface ViewRow {
  readonly id: string
  readonly title: string
  readonly table: string
  readonly user_id: string | null
  readonly column_name: string
}

const translation = (table: string, alias: string) => sql`
  (select x.value from docket.sys_translated_text x
     join docket.sys_db_column xc on xc.sys_id = x.column_id and xc.column_name = 'title'
     join docket.sys_db_table xt on xt.sys_id = xc.table_id and xt.name = ${table}
   where x.record_id = ${sql.ref(`${alias}.sys_id`)} and x.language = 'ru')`

const TABLE_ROWS = sql<TableRow>`
  select t.sys_id::text as id, t.name, t.title as title_en, ${translation('sys_db_table', 't')} as title_ru,
         t.parent_id::text as parent_id, t.storage_schema, t.storage_table, t.key_column, t.adopted_key, t.adopted_key_types, t.adopted_key_given, t.adopted_read_only, t.queued_create,
         t.is_extendable, t.is_audit, t.record_deletion_logging as logs_deletions, n.sys_id::text as numbering_id, n.prefix, n.digits
  from docket.sys_db_table t left join docket.sys_number n on n.table_id = t.sys_id
  order by t.sys_id`

/** @param tables whose columns are read; null: all */
const columnRowsOf = (tables: readonly string[] | null) => sql<ColumnRow>`
  select c.sys_id::text as id, c.table_id::text as table_id, c.column_name as name, c.title as title_en,
         ${translation('sys_db_column', 'c')} as title_ru, ${VALUE_TYPE} as type, ${IS_RECORD_CLASS} as is_record_class, r.name as reference,
         c.read_only, c.mandatory, c."unique", c.full_text_search, c.display_by_ref, c.on_delete, c.max_length, c.default_value,
         c.storage_column, c.storage_cast, c.storage_parts, c.storage_target, nullif(c.dependent_on, '') as dependent_on, coalesce(a.attnotnull, false) as never_null
  from docket.sys_db_column c
  join docket.sys_db_column_type y on y.sys_id = c.column_type_id
  join docket.sys_db_table t on t.sys_id = c.table_id
  left join docket.sys_db_table r on r.sys_id = c.reference_id
  left join pg_namespace ns on ns.nspname = t.storage_schema
  left join pg_class k on k.relnamespace = ns.oid and k.relname = t.storage_table
  left join pg_attribute a on a.attrelid = k.oid and a.attname = c.storage_column and not a.attisdropped
  where c.active and (${tables}::bigint[] is null or c.table_id = any (${tables}::bigint[]))
  order by c.sys_id`

const ALIAS_ROWS = sql<AliasRow>`
  select of_table, alias::text as alias, record_id::text as id from docket_system.id_alias`
const PROPERTY_ROWS = sql<NameValue>`select name, coalesce(value, '') as value from docket.sys_property`
const OPTION_ROWS = sql<NameValue>`
  select sys_id::text as name, value from docket.sys_dynamic_option where active`
const ROLE_ROWS = sql<NameValue>`select sys_id::text as name, name as value from docket.sys_role`

const CHOICE_ROWS = sql<ChoiceRow>`
  select table_id::text as table_id, column_id::text as column_id, value, nullif(dependent_value, '') as dependent_value,
         max(title) filter (where language = 'en') as en, max(title) filter (where language = 'ru') as ru
  from docket.sys_choice where active
  group by table_id, column_id, value, nullif(dependent_value, '')
  order by table_id, column_id, min("order"), value`

const VIEW_ROWS = sql<ViewRow>`
  select f.sys_id::text as id, f.title, t.name as table, f.user_id::text as user_id, e.column_name
  from docket.sys_ui_form f
  join docket.sys_db_table t on t.sys_id = f.table_id
  join docket.sys_ui_form_section s on s.form_id = f.sys_id
  join docket.sys_ui_form_element e on e.section_id = s.sys_id
  where f.active
  order by f.sys_id, s."order", s.sys_id, e."order", e.sys_id`

const TRANSITION_ROWS = sql<TransitionRow>`
  select m.sys_id::text as id, t.name as table, coalesce(m.condition, '') as condition, x.from_state as from, x.to_state as to, x.is_final
  from docket.sys_state_model m
  join docket.sys_db_table t on t.sys_id = m.table_id
  left join docket.sys_state_transition x on x.state_model_id = m.sys_id
  where m.active
  order by m.sys_id, x.sys_id`

// A role that a rule names but that is gone counts as a role that nobody has: the rule must not open to everyone.
const RULE_ROWS = sql<AccessRule>`
  select a.sys_id::text as id, a.operation, a.table_name as table, nullif(a.column_name, '') as column,
         coalesce(array(select coalesce(r.name, 'no such role ' || held) from unnest(a.roles) with ordinality as u (held, n)
                        left join docket.sys_role r on r.sys_id::text = held order by n)::text[], '{}') as roles,
         coalesce(a.condition, '') as condition, coalesce(a.admin_overrides, false) as "adminOverrides",
         coalesce(a.description, '') as description
  from docket.sys_security_acl a where a.active
  order by a.sys_id`

const asMap = (rows: readonly NameValue[]): ReadonlyMap<string, string> =>
  new Map(rows.map((row) => [row.name, row.value]))

function documentColumns(properties: ReadonlyMap<string, string>): ReadonlySet<string> {
  const listed = properties.get('wysiwyg.columns.rest_api_json_mode') ?? ''
  return new Set(listed.split(/[\s,;]+/).filter((id) => id !== ''))
}

const titlesOf = (row: { readonly title_en: string; readonly title_ru: string | null }): Titles => ({
  en: row.title_en,
  ru: row.title_ru ?? row.title_en,
})

interface TableRows extends Pick<DictionaryReading, 'tableRows' | 'columnRows' | 'choiceRows' | 'aliases'> {
  /** Columns that are read as documents of the editor. */
  readonly asDocuments: ReadonlySet<string>
}

function buildTables({
  tableRows,
  columnRows,
  choiceRows,
  aliases,
  asDocuments,
}: TableRows): ReadonlyMap<string, Table> {
  const rowsById = new Map(tableRows.map((row) => [row.id, row]))
  const columnsByTable = Map.groupBy(columnRows, (row) => row.table_id)
  const choicesByColumn = Map.groupBy(choiceRows, (row) => row.column_id)
  const lineages = new Map(tableRows.map((row) => [row.id, lineageOf(row, rowsById)]))
  const families = familiesOf(tableRows, lineages)
  const rowsByName = new Map(tableRows.map((row) => [row.name, row]))
  const numbered = new Set(tableRows.filter((row) => row.numbering_id !== null).map(storageNameOf))

  return new Map(
    tableRows.map((row) => {
      const lineage = lineages.get(row.id) ?? [row]
      const columns = new Map(
        lineage.toReversed().flatMap((owner) =>
          (columnsByTable.get(owner.id) ?? []).map((column) => [
            column.name,
            buildColumn(column, {
              owner,
              target: column.reference === null ? undefined : rowsByName.get(column.reference),
              choices: nearestChoices(choicesByColumn.get(column.id) ?? [], lineage),
              isCounted: numbered.has(storageNameOf(owner)),
              aliases,
              readAsDocument: asDocuments.has(column.id) || asDocuments.has(`${owner.name}.${column.name}`),
            }),
          ]),
        ),
      )
      return [row.name, buildTable(row, { lineage, family: families.get(row.id) ?? [], columns, aliases })]
    }),
  )
}

function lineageOf(row: TableRow, rowsById: ReadonlyMap<string, TableRow>): readonly TableRow[] {
  const lineage: TableRow[] = []
  for (let at: TableRow | undefined = row; at !== undefined && !lineage.includes(at); ) {
    lineage.push(at)
    at = at.parent_id === null ? undefined : rowsById.get(at.parent_id)
  }
  return lineage
}

/** Names of each table and all below it, in the order of the tables: in one walk, because there may be thousands. */
function familiesOf(
  all: readonly TableRow[],
  lineages: ReadonlyMap<string, readonly TableRow[]>,
): ReadonlyMap<string, readonly string[]> {
  const families = new Map<string, string[]>(all.map((row) => [row.id, []]))
  for (const row of all) for (const ancestor of lineages.get(row.id) ?? []) families.get(ancestor.id)?.push(row.name)
  return families
}

/** A child's own list of choices for an inherited column wins over its parent's. */
function nearestChoices(rows: readonly ChoiceRow[], lineage: readonly TableRow[]): readonly Choice[] {
  const nearest = lineage.find((table) => rows.some((row) => row.table_id === table.id))
  return rows
    .filter((row) => row.table_id === nearest?.id)
    .map((row) => {
      const en = row.en ?? row.ru ?? row.value
      return { value: row.value, dependentValue: row.dependent_value, titles: { en, ru: row.ru ?? en } }
    })
}

interface ColumnGround extends Pick<Column, 'choices' | 'readAsDocument'> {
  readonly owner: TableRow
  /** The table that the column leads to. */
  readonly target: TableRow | undefined
  /** A table of the hierarchy has a numbering. */
  readonly isCounted: boolean
  readonly aliases: Aliases
}

function buildColumn(row: ColumnRow, { owner, target, isCounted, aliases, ...extra }: ColumnGround): Column {
  const ownKey = keyOfRow(owner, aliases)
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
    key: keyOfValues(row.type, { ownKey, target, aliases }),
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
    countedIn: isCounted && row.name === 'number' ? owner.id : null,
    dependsOn: row.dependent_on,
    ...extra,
  }
}

type Aliases = DictionaryReading['aliases']

/** What the values of a column are; of a document id, what its first half is: the sys_id of a table. */
function keyOfValues(
  type: ColumnTypeName,
  { ownKey, target, aliases }: Pick<ColumnGround, 'target' | 'aliases'> & { readonly ownKey: RecordKey },
): RecordKey | null {
  if (isOwnKey({ type })) return ownKey
  if (refersToAny({ type })) return aliases.get('sys_db_table') ?? OWN_KEY
  return target === undefined ? null : keyOfRow(target, aliases)
}

function keysWithAliases(rows: readonly AliasRow[]): Aliases {
  return new Map(
    [...Map.groupBy(rows, (row) => row.of_table)].map(([table, of]) => [
      table,
      { ...OWN_KEY, aliases: new Map(of.map(({ alias, id }) => [alias, id])) },
    ]),
  )
}

function keyOfRow({ name, adopted_key: columns, adopted_key_types: types }: TableRow, aliases: Aliases): RecordKey {
  if (columns === null) return aliases.get(name) ?? OWN_KEY
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

interface TableGround extends Pick<Table, 'family' | 'columns'> {
  readonly lineage: readonly TableRow[]
  readonly aliases: Aliases
}

function buildTable(row: TableRow, { lineage, family, columns, aliases }: TableGround): Table {
  const numbered = lineage.find((table) => table.numbering_id !== null)
  return {
    id: row.id,
    name: row.name,
    titles: titlesOf(row),
    parent: lineage[1]?.name ?? null,
    lineage: lineage.map((table) => table.name),
    family,
    columns,
    storage: placeOf(row),
    keyColumn: row.key_column,
    key: keyOfRow(row, aliases),
    adopted:
      row.adopted_key === null
        ? null
        : { isKeyGiven: row.adopted_key_given, isReadOnly: row.adopted_read_only, isAstray: false },
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

/** In a transition's place for a state: back to the one that the record was in before. */
export const PREVIOUS_STATE = '<previous>'

function buildStateModels(rows: readonly TransitionRow[]): ReadonlyMap<string, readonly StateModel[]> {
  const models = [...Map.groupBy(rows, (row) => row.id).values()].flatMap((moves): readonly StateModel[] => {
    const [first] = moves
    if (first === undefined) return []
    const made = moves.flatMap(({ from, to, is_final }) =>
      from === null || to === null ? [] : [{ from, to, isFinal: is_final === true }],
    )
    return [
      {
        table: first.table,
        condition: first.condition,
        transitions: made.map(({ from, to }) => ({ from, to: to === PREVIOUS_STATE ? null : to })),
        finals: [...new Set(made.filter(({ isFinal }) => isFinal).map(({ to }) => to))],
      },
    ]
  })
  return Map.groupBy(models, (model) => model.table)
}

function buildViews(rows: readonly ViewRow[]): ReadonlyMap<string, readonly View[]> {
  const views = [...Map.groupBy(rows, (row) => row.id).values()].flatMap((elements): View[] => {
    const [first] = elements
    if (first === undefined) return []
    return [
      {
        title: first.title,
        table: first.table,
        userId: first.user_id,
        columns: elements.map((element) => element.column_name),
      },
    ]
  })
  return Map.groupBy(views, (view) => view.table)
}
