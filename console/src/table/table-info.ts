import type { Operator } from 'docket-client'
import { docket } from '../docket.ts'

/** `on_rows`: decided for each record. */
export type Right = 'always' | 'never' | 'on_rows'

/** One table with the caller's rights. */
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
  /** Offered only if the parent column has this value. */
  readonly dependentValue: string | null
}

export interface Column {
  readonly name: string
  readonly title: string
  readonly type: string
  /** Table that a reference refers to. */
  readonly target: string | null
  /** Columns of that table that are searched for words. */
  readonly searched: readonly string[]
  readonly isMandatory: boolean
  /** A create without it is rejected. */
  readonly isRequiredOnCreate: boolean
  /** Default value of a new record; can be `javascript:gs.…`. */
  readonly defaultValue: string | null
  readonly isReadOnly: boolean
  /** Those that a condition on the column may have; none if the caller may not read it. */
  readonly operators: readonly Operator[]
  readonly choices: readonly Choice[]
  readonly dependentOn: string | null
  readonly maxLength: number | null
  readonly rights: { readonly read: Right; readonly create: Right; readonly write: Right }
}

export interface Section {
  readonly title: string
  /** Columns, and paths through references. */
  readonly columns: readonly string[]
}

/** Records of another table that refer to a record of this one. */
export interface RelatedList {
  readonly table: string
  /** The column of the other table that refers to the record. */
  readonly column: string
  readonly title: string
}

export interface View {
  readonly title: string
  readonly sections: readonly Section[]
  /** Configured lists; if empty, the form shows `referencedBy`. */
  readonly relatedLists: readonly RelatedList[]
}

export interface TableInfo {
  readonly entry: TableEntry
  /** The table and its ancestors; the table itself is first. */
  readonly chain: readonly string[]
  readonly columns: ReadonlyMap<string, Column>
  /** Column with the display value of a record. */
  readonly displayColumn: string
  /** Views by title; a user's own view replaces a shared one of the same title. */
  readonly views: ReadonlyMap<string, View>
  /** Lists that a form shows without configuration. */
  readonly referencedBy: readonly RelatedList[]
}

/** What the console uses of `GET /rest/v1/meta` and `GET /rest/v1/meta/{table}` (docs/api-for-pages.md). */
interface TableSummary {
  readonly name: string
  readonly title: string
  readonly parent: string | null
  readonly display_column: string | null
  readonly rights: { readonly create: Right; readonly write: Right; readonly delete: Right }
}

interface TableMeta extends TableSummary {
  readonly lineage: readonly string[]
  readonly columns: readonly {
    readonly name: string
    readonly title: string
    readonly type: string
    readonly reference: { readonly table: string; readonly search_columns: readonly string[] } | null
    readonly mandatory: boolean
    readonly required_on_create: boolean
    readonly default_value: string | null
    readonly read_only: boolean
    readonly max_length: number | null
    readonly depends_on: string | null
    readonly operators: readonly Operator[]
    readonly choices: readonly {
      readonly value: string
      readonly title: string
      readonly dependent_value: string | null
    }[]
    readonly rights: Column['rights']
  }[]
  readonly views: readonly {
    readonly title: string
    readonly sections: readonly {
      readonly title: string
      readonly columns: readonly { readonly path: string }[]
    }[]
    readonly related_lists: readonly RelatedList[]
  }[]
  readonly referenced_by: readonly RelatedList[]
}

export async function readTables(signal?: AbortSignal): Promise<readonly TableEntry[]> {
  const tables = await docket.request<readonly TableSummary[]>({ method: 'GET', path: '/rest/v1/meta', signal })
  return tables.map(entryOf)
}

/** What the console needs to know about a table, with the caller's rights. A table that the caller may not read does not exist. */
export async function readTableInfo(name: string, signal?: AbortSignal): Promise<TableInfo> {
  const path = `/rest/v1/meta/${encodeURIComponent(name)}`
  const meta = await docket.request<TableMeta>({ method: 'GET', path, signal })
  return {
    entry: entryOf(meta),
    chain: meta.lineage,
    columns: new Map(meta.columns.map((column) => [column.name, columnOf(column)])),
    displayColumn: meta.display_column ?? 'sys_id',
    views: new Map(meta.views.toReversed().map((view) => [view.title, viewOf(view)])),
    referencedBy: meta.referenced_by,
  }
}

const entryOf = ({ name, title, parent, rights }: TableSummary): TableEntry => ({
  name,
  title,
  parent,
  may_create: rights.create !== 'never',
  may_write: rights.write !== 'never',
  may_delete: rights.delete !== 'never',
})

const columnOf = (column: TableMeta['columns'][number]): Column => ({
  name: column.name,
  title: column.title,
  type: column.type,
  target: column.reference?.table ?? null,
  searched: column.reference?.search_columns ?? [],
  isMandatory: column.mandatory,
  isRequiredOnCreate: column.required_on_create,
  defaultValue: column.default_value,
  isReadOnly: column.read_only || (column.rights.write === 'never' && column.rights.create === 'never'),
  operators: column.operators,
  choices: column.choices.map(({ value, title, dependent_value }) => ({
    value,
    title,
    dependentValue: dependent_value,
  })),
  dependentOn: column.depends_on,
  maxLength: column.max_length,
  rights: column.rights,
})

const viewOf = ({ title, sections, related_lists }: TableMeta['views'][number]): View => ({
  title,
  relatedLists: related_lists,
  sections: sections.map((section) => ({
    title: section.title,
    columns: section.columns.map(({ path }) => path),
  })),
})

/** Columns of a view that the user may read; undefined: the table has no such view. */
export const columnsOfView = (
  { columns, views }: TableInfo,
  title: string | undefined,
): readonly string[] | undefined =>
  views
    .get(title ?? '')
    ?.sections.flatMap((section) => section.columns)
    .filter((name) => name.includes('.') || mayRead(columns.get(name)))

/** Columns of the list: those of its view, else the most useful ones of the table. */
export function listColumns(info: TableInfo): readonly string[] {
  const { columns } = info
  const list = columnsOfView(info, 'list') ?? []
  if (list.length > 0) return list
  // A form has more fields than a list has space for.
  const form = columnsOfView(info, 'Default view') ?? []
  if (form.length > 0) return form.slice(0, 12)
  const own = [...columns.values()].filter(
    (column) => mayRead(column) && !column.name.startsWith('sys_') && !column.type.startsWith('journal'),
  )
  const short = own.filter(({ type }) => type !== 'text')
  return (short.length < 3 ? own : short).slice(0, 8).map(({ name }) => name)
}

export const mayRead = (column: Column | undefined): boolean => column !== undefined && column.rights.read !== 'never'
