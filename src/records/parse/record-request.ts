import type { Face, Names } from '../../catalog/vocabulary.ts'
import type { DocumentDetail } from '../../column-types/editor/editor-node.ts'
import type { EncodedQuery, Operand } from '../../condition/condition-tree.ts'
import { DEFAULT_LIMIT } from '../../contract/record-parameters.ts'

/** A parsed record request. Its names are not yet checked against the dictionary and the rules. */
export interface RecordRequest {
  readonly operation: Operation
  /** The API whose names the request uses; null: it uses those of the dictionary, or is translated (translate/translate-request.ts). */
  readonly face: Face | null
  /** For a translated request: the names that its paths use and under which records are displayed. */
  readonly names: Names | null
  readonly table: string
  /** The table that the client named, if the request goes to a class of it (translate/narrow-to-class.ts): versions of records are those of this table. */
  readonly narrowedFrom: string | null
  /** null on create, list and stats. */
  readonly sysId: string | null
  readonly query: EncodedQuery
  /** Field paths, each once; null: all columns. */
  readonly fields: readonly string[] | null
  readonly view: string | null
  readonly display: Display
  /** The body has display values: titles of choices, times in the caller's time zone. */
  readonly inputDisplay: boolean
  /** WYSIWYG texts are read and written as the JSON document of the editor; null: those that the property lists. */
  readonly documents: DocumentDetail | null
  /** For a read: the response also says what the caller may do with the record. */
  readonly rights: boolean
  /** For a list: maximum length of texts, in characters; null: no limit. */
  readonly maxText: number | null
  /** The record comes from another system: the body may set columns that the server normally fills. */
  readonly migrating: boolean
  /** The body may set who created and changed the record, and when, if the caller is an administrator. */
  readonly givesStamps: boolean
  /** The response has the URL of the record with each reference. */
  readonly links: boolean
  readonly paging: Paging
  /** The response has the total of the list. */
  readonly count: boolean
  /** For a list: all rows are counted, without a limit (`sysparm_count=exact`). */
  readonly exactCount: boolean
  /** Columns of the body, for create, PUT and PATCH. */
  readonly body: ReadonlyMap<string, unknown>
  /** Entity tags of `If-Match`; null: not sent, or `*`. */
  readonly ifMatch: readonly string[] | null
  /** null: the request is executed again if it is repeated. */
  readonly idempotency: IdempotencyKey | null
  /** Losses of data to which the caller agrees, by the names that the error gave them. */
  readonly confirmed: ReadonlySet<string>
  /** Groups and aggregates; null: the request is for records. */
  readonly stats: StatsRequest | null
}

export type Operation = 'create' | 'list' | 'read' | 'put' | 'patch' | 'delete' | 'stats'

/** The only list of the operations that read. Their requests are never handled as writes. */
const READS: ReadonlySet<Operation> = new Set(['list', 'read', 'stats'])
export const isRead = (operation: Operation): boolean => READS.has(operation)

export interface IdempotencyKey {
  readonly key: string
  /** What identifies the request besides table and rights: parameters and body, as received. */
  readonly parts: readonly unknown[]
}

export const NO_QUERY: EncodedQuery = { where: null, orders: [] }

const DEFAULTS: Omit<RecordRequest, 'operation' | 'table'> = {
  face: null,
  names: null,
  narrowedFrom: null,
  sysId: null,
  query: NO_QUERY,
  fields: null,
  view: null,
  display: 'value',
  inputDisplay: false,
  documents: null,
  rights: false,
  maxText: null,
  migrating: false,
  givesStamps: false,
  links: false,
  paging: { limit: DEFAULT_LIMIT, page: 1, offset: null, cursor: null },
  count: false,
  exactCount: false,
  body: new Map(),
  ifMatch: null,
  idempotency: null,
  confirmed: new Set(),
  stats: null,
}

/** Whether references may be given by the names of their records. */
export const takesNames = ({ inputDisplay, names }: Pick<RecordRequest, 'inputDisplay' | 'names'>): boolean =>
  inputDisplay || names !== null

/** A request from inside Docket. */
export function recordRequest(
  parts: Pick<RecordRequest, 'operation' | 'table'> & Partial<RecordRequest>,
): RecordRequest {
  return { ...DEFAULTS, ...parts }
}

export const AGGREGATES = ['sum', 'avg', 'min', 'max'] as const
export type Aggregate = (typeof AGGREGATES)[number]

/** Periods by which dates are grouped, the shortest first. */
export const PERIOD_UNITS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type PeriodUnit = (typeof PERIOD_UNITS)[number]

/** A member of `sysparm_group_by`. */
export interface GroupField {
  /** The text in the request, `opened_at:week`, and the name of the member in the response. */
  readonly key: string
  readonly path: string
  /** null: groups by the value itself. */
  readonly unit: PeriodUnit | null
}

export interface StatsRequest {
  /** Without duplicates. */
  readonly groupBy: readonly GroupField[]
  readonly displayed: readonly { readonly kind: Aggregate; readonly path: string }[]
  readonly having: readonly HavingComparison[]
  readonly orders: readonly { readonly term: StatTerm; readonly direction: 'ascending' | 'descending' }[]
}

export type StatTerm =
  | { readonly kind: 'count' }
  /** `path` is the key of a group field. */
  | { readonly kind: 'group'; readonly path: string }
  | { readonly kind: Aggregate; readonly path: string }

export interface HavingComparison {
  readonly term: StatTerm
  readonly operator: '=' | '!=' | '<' | '<=' | '>' | '>='
  readonly value: Operand
}

/** `value`: stored values; `display`: display values; `all`: both. */
export type Display = 'value' | 'display' | 'all'

export interface Paging {
  /** As in the request; 0: the server's maximum. */
  readonly limit: number
  readonly page: number
  /** Rows to skip, instead of pages; null: not given. */
  readonly offset: number | null
  /** Opaque text from an earlier response; '' starts at the beginning; null: by page number or offset. */
  readonly cursor: string | null
  /** A list of the server for itself: the property `rest.limit.max` is for callers. */
  readonly isInternal?: true
}
