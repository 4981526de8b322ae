import type { Cell, CellRow } from 'docket-client'
import { docket } from '../docket.ts'
import { currentLanguage } from '../messages/i18n.ts'

/** One table as the caller may use it. */
export interface TableEntry {
  readonly name: string
  readonly title: string
  readonly parent: string | null
  readonly may_create: boolean
  readonly may_write: boolean
  readonly may_delete: boolean
}

export interface Choice {
  readonly value: string
  readonly title: string
  /** Offered only while the parent column has this value. */
  readonly dependentValue: string | null
}

export interface Column {
  readonly name: string
  readonly title: string
  readonly type: string
  /** Table that a reference leads to. */
  readonly target: string | null
  readonly isMandatory: boolean
  readonly isReadOnly: boolean
  readonly choices: readonly Choice[]
  readonly dependentOn: string | null
  readonly maxLength: number | null
}

export interface Section {
  readonly title: string
  readonly columns: readonly string[]
}

export interface View {
  readonly title: string
  readonly sections: readonly Section[]
}

export interface TableInfo {
  readonly entry: TableEntry
  /** The table and its ancestors, itself first. */
  readonly chain: readonly string[]
  readonly columns: ReadonlyMap<string, Column>
  /** Column whose value stands for a record of this table. */
  readonly displayColumn: string
  /** Views by title, those of the nearest table. */
  readonly views: ReadonlyMap<string, View>
}

export const readTables = (signal?: AbortSignal): Promise<readonly TableEntry[]> =>
  docket.request<readonly TableEntry[]>({ method: 'GET', path: '/rest/v1/table', signal })

/** What the console has to know of a table, from the dictionary, with the caller's rights. */
export async function readTableInfo(
  tables: readonly TableEntry[],
  name: string,
  signal?: AbortSignal,
): Promise<TableInfo> {
  const chain = chainOf(tables, name)
  const entry = tables.find((table) => table.name === name)
  if (entry === undefined || chain[0] === undefined) throw new TypeError(`no table ${name}`)
  const list = chain.join(',')
  const read = (table: string, query: string, fields: readonly string[]): Promise<readonly CellRow[]> =>
    docket.table(table).toArray(query, { fields, display: 'all', max: 5_000, limit: 1_000, signal })
  const [columns, choices, elements] = await Promise.all([
    read('sys_db_column', `table_id.nameIN${list}^active=true`, [
      'column_name',
      'title',
      'column_type_id.name',
      'reference_id.name',
      'mandatory',
      'read_only',
      'dependent_on',
      'max_length',
      'display_by_ref',
    ]),
    read('sys_choice', `column_id.table_id.nameIN${list}^active=true^ORDERBYorder`, [
      'column_id.column_name',
      'column_id.table_id.name',
      'value',
      'title',
      'language',
      'dependent_value',
    ]),
    read(
      'sys_ui_form_element',
      `section_id.form_id.table_id.nameIN${list}^section_id.form_id.active=true^ORDERBYsection_id.order^ORDERBYorder`,
      [
        'column_name',
        'section_id',
        'section_id.form_id.title',
        'section_id.form_id.table_id.name',
        'section_id.form_id.user_id',
      ],
    ),
  ])
  const choicesOf = groupChoices(choices, chain)
  return {
    entry,
    chain,
    columns: new Map(columns.map((row) => [text(row['column_name']), columnOf(row, choicesOf)])),
    displayColumn: text(columns.find((row) => row['display_by_ref']?.value === true)?.['column_name']) || 'sys_id',
    views: groupViews(elements, chain),
  }
}

function chainOf(tables: readonly TableEntry[], name: string): readonly string[] {
  const parents = new Map(tables.map((table) => [table.name, table.parent]))
  const chain: string[] = []
  for (let at: string | null | undefined = name; at != null && parents.has(at); at = parents.get(at)) chain.push(at)
  return chain
}

const text = (cell: Cell | undefined): string => (cell?.value == null ? '' : String(cell.value))
const shown = (cell: Cell | undefined): string => cell?.display_value ?? text(cell)
const orNull = (value: string): string | null => (value === '' ? null : value)

function columnOf(row: CellRow, choicesOf: ReadonlyMap<string, readonly Choice[]>): Column {
  const name = text(row['column_name'])
  const maxLength = text(row['max_length'])
  return {
    name,
    title: shown(row['title']) || name,
    type: text(row['column_type_id.name']),
    target: orNull(text(row['reference_id.name'])),
    isMandatory: row['mandatory']?.value === true,
    isReadOnly: row['read_only']?.value === true,
    choices: choicesOf.get(name) ?? [],
    dependentOn: orNull(text(row['dependent_on'])),
    maxLength: maxLength === '' ? null : Number(maxLength),
  }
}

/** Those of the nearest table, in the caller's language; without one, in English. */
function groupChoices(rows: readonly CellRow[], chain: readonly string[]): ReadonlyMap<string, readonly Choice[]> {
  const byColumn = Map.groupBy(rows, (row) => text(row['column_id.column_name']))
  const groups = [...byColumn].map(([name, all]): [string, readonly Choice[]] => {
    const nearest = chain.find((table) => all.some((row) => text(row['column_id.table_id.name']) === table))
    const own = all.filter((row) => text(row['column_id.table_id.name']) === nearest)
    const spoken = own.filter((row) => text(row['language']) === currentLanguage())
    return [name, (spoken.length > 0 ? spoken : own.filter((row) => text(row['language']) === 'en')).map(choiceOf)]
  })
  return new Map(groups)
}

const choiceOf = (row: CellRow): Choice => ({
  value: text(row['value']),
  title: text(row['title']),
  dependentValue: orNull(text(row['dependent_value'])),
})

function groupViews(rows: readonly CellRow[], chain: readonly string[]): ReadonlyMap<string, View> {
  const nearestFirst = chain.flatMap((table) =>
    rows.filter((row) => text(row['section_id.form_id.table_id.name']) === table),
  )
  const byTitle = Map.groupBy(nearestFirst, (row) => text(row['section_id.form_id.title']))
  return new Map(
    [...byTitle].map(([title, all]) => {
      const table = text(all[0]?.['section_id.form_id.table_id.name'])
      const own = all.filter((row) => text(row['section_id.form_id.table_id.name']) === table)
      const sections = [...Map.groupBy(own, (row) => text(row['section_id']))].map(([, elements]) => ({
        title: shown(elements[0]?.['section_id']),
        columns: elements.map((row) => text(row['column_name'])),
      }))
      return [title, { title, sections }]
    }),
  )
}

/** Columns of the list: those of its view, else the most telling of the table. */
export function listColumns({ columns, views }: TableInfo): readonly string[] {
  const view = views.get('list') ?? views.get('Default view')
  const named = view?.sections.flatMap((section) => section.columns) ?? []
  const readable = named.filter((name) => columns.has(name))
  if (readable.length > 0) return readable.slice(0, 12)
  return [...columns.values()]
    .filter(({ name, type }) => !name.startsWith('sys_') && type !== 'text' && type !== 'journal')
    .slice(0, 8)
    .map(({ name }) => name)
}
