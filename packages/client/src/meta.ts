import type { CallOptions, Send } from './http.ts'
import { pathSegment } from './path-segment.ts'

/** `on_rows`: a rule with a condition decides record by record. */
export type Right = 'always' | 'never' | 'on_rows'

/** A table that the caller may read (docs/api-for-pages.md). */
export interface TableSummary {
  readonly name: string
  readonly title: string
  readonly parent: string | null
  readonly display_column: string | null
  readonly number: { readonly prefix: string; readonly digits: number } | null
  readonly rights: { readonly create: Right; readonly read: Right; readonly write: Right; readonly delete: Right }
}

export interface ColumnMeta {
  readonly name: string
  readonly title: string
  readonly type: string
  readonly comparison: string
  readonly json_type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'any'
  readonly nullable: boolean
  readonly operators: readonly string[]
  readonly mandatory: boolean
  readonly required_on_create: boolean
  readonly read_only: boolean
  readonly unique: boolean
  readonly max_length: number | null
  readonly default_value: string | null
  readonly is_document: boolean
  readonly reference: {
    readonly table: string
    readonly title: string
    readonly display_column: string | null
    readonly search_columns: readonly string[]
  } | null
  readonly depends_on: string | null
  readonly choices: readonly {
    readonly value: string
    readonly title: string
    readonly dependent_value: string | null
  }[]
  readonly rights: { readonly read: Right; readonly create: Right; readonly write: Right }
}

interface RelatedListMeta {
  readonly table: string
  readonly column: string
  readonly title: string
}

export interface TableMeta extends TableSummary {
  /** This table, its parent, and so on. */
  readonly lineage: readonly string[]
  readonly children: readonly { readonly name: string; readonly title: string }[]
  readonly has_history: boolean
  readonly columns: readonly ColumnMeta[]
  readonly views: readonly {
    readonly title: string
    readonly is_personal: boolean
    readonly sections: readonly {
      readonly title: string
      readonly columns: readonly { readonly path: string; readonly title: string; readonly type: string }[]
    }[]
    readonly related_lists: readonly RelatedListMeta[]
  }[]
  readonly referenced_by: readonly RelatedListMeta[]
  readonly state_model: {
    readonly column: string
    readonly models: readonly {
      readonly has_condition: boolean
      readonly transitions: readonly { readonly from: string; readonly to: string | null }[]
      readonly finals: readonly string[]
    }[]
  } | null
}

async function read<Data>(send: Send, path: string, options: CallOptions): Promise<Data> {
  const response = await send({ ...options, method: 'GET', path })
  return ((await response.json()) as { readonly data: Data }).data
}

/** The tables that the caller may read, by name. */
export const readTables = (send: Send, options: CallOptions): Promise<readonly TableSummary[]> =>
  read(send, '/rest/v1/meta', options)

/** A table with the caller’s rights. */
export const readTable = async (send: Send, table: string, options: CallOptions): Promise<TableMeta> =>
  read(send, `/rest/v1/meta/${pathSegment(table)}`, options)
