import type { EncodedQuery, Operand } from '../../condition/condition-tree.ts'

/** What was asked, read but not yet held against the dictionary or the rules. */
export interface RecordRequest {
  readonly operation: 'create' | 'list' | 'read' | 'put' | 'patch' | 'delete' | 'stats'
  readonly table: string
  readonly sysId: string | null
  readonly query: EncodedQuery
  /** Dot-walked paths as written, each once; null: all columns. */
  readonly fields: readonly string[] | null
  readonly view: string | null
  readonly display: Display
  /** Values of the body are those that people read: titles of choices, moments in the caller's time zone. */
  readonly inputDisplay: boolean
  /** The record comes from another system: the body gives what the server would fill. */
  readonly migrating: boolean
  /** References come with the address of the record. */
  readonly links: boolean
  readonly paging: Paging
  /** The list's total is asked for. */
  readonly count: boolean
  /** Columns of the body, for create, PUT and PATCH. */
  readonly body: ReadonlyMap<string, unknown>
  /** Entity tags of `If-Match`; null: not sent, or `*`. */
  readonly ifMatch: readonly string[] | null
  /** Data that the caller agrees to lose, by the names that a refusal gave them. */
  readonly confirmed: ReadonlySet<string>
  readonly ignoredParameters: readonly string[]
  /** What is counted and summed; null: records are asked for. */
  readonly stats: AskedStats | null
}

export const AGGREGATES = ['sum', 'avg', 'min', 'max'] as const
export type Aggregate = (typeof AGGREGATES)[number]

export interface AskedStats {
  /** Paths, each once. */
  readonly groupBy: readonly string[]
  readonly shown: readonly { readonly kind: Aggregate; readonly path: string }[]
  readonly having: readonly HavingTest[]
  readonly orders: readonly { readonly term: StatTerm; readonly direction: 'ascending' | 'descending' }[]
}

export type StatTerm =
  | { readonly kind: 'count' }
  | { readonly kind: 'group'; readonly path: string }
  | { readonly kind: Aggregate; readonly path: string }

export interface HavingTest {
  readonly term: StatTerm
  readonly operator: '=' | '!=' | '<' | '<=' | '>' | '>='
  readonly value: Operand
}

/** What parameters of a query string say, typed. What is left out has its default; links and the count are never given. */
export interface RequestOptions {
  readonly query?: EncodedQuery
  /** Paths. */
  readonly fields?: readonly string[]
  readonly display?: Display
  readonly inputDisplay?: boolean
  /** Rows a page. */
  readonly limit?: number
  /** `*`: from the beginning; null: one page, without a cursor. */
  readonly cursor?: string | null
}

/** `value`: what the database holds; `display`: what people read; `all`: both, side by side. */
export type Display = 'value' | 'display' | 'all'

export interface Paging {
  /** As asked; 0: up to the cap. */
  readonly limit: number
  readonly page: number
  /** Rows to skip, instead of pages; null: not given. */
  readonly offset: number | null
  /** Opaque text of an earlier answer; '' starts at the beginning; null: by page number. */
  readonly cursor: string | null
}
