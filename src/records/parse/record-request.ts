import type { Face, Names } from '../../catalog/vocabulary.ts'
import type { EncodedQuery, Operand } from '../../condition/condition-tree.ts'
import { DEFAULT_LIMIT } from '../../contract/record-parameters.ts'

/** A record request in types: names are not yet held against the dictionary or the rules. */
export interface RecordRequest {
  readonly operation: Operation
  /** The API in whose words the request is written; null: in those of the dictionary, or it is translated (translate/translate-request.ts). */
  readonly face: Face | null
  /** Of a translated request: the words in which paths are written and records are shown. */
  readonly names: Names | null
  readonly table: string
  /** null on create, list and stats. */
  readonly sysId: string | null
  readonly query: EncodedQuery
  /** Field paths, each once; null: all columns. */
  readonly fields: readonly string[] | null
  readonly view: string | null
  readonly display: Display
  /** Values of the body are those that people read: titles of choices, moments in the caller's time zone. */
  readonly inputDisplay: boolean
  /** WYSIWYG texts are read and written as the JSON document of the editor. */
  readonly documents: boolean
  /** Of a read: what the caller may do with the record is wanted, too. */
  readonly rights: boolean
  /** Of a list: longer texts are cut, in characters; null: none is. */
  readonly maxText: number | null
  /** The record comes from another system: the body gives what the server would fill. */
  readonly migrating: boolean
  /** References come with the address of the record. */
  readonly links: boolean
  readonly paging: Paging
  /** The list's total is needed. */
  readonly count: boolean
  /** Of a list: however many there are (`sysparm_count=exact`). */
  readonly exactCount: boolean
  /** Columns of the body, for create, PUT and PATCH. */
  readonly body: ReadonlyMap<string, unknown>
  /** Entity tags of `If-Match`; null: not sent, or `*`. */
  readonly ifMatch: readonly string[] | null
  /** null: a repetition of the request is another request. */
  readonly idempotency: IdempotencyKey | null
  /** Data that the caller agrees to lose, by the names that a refusal gave them. */
  readonly confirmed: ReadonlySet<string>
  /** What is counted and summed; null: records are asked for. */
  readonly stats: StatsRequest | null
}

export type Operation = 'create' | 'list' | 'read' | 'put' | 'patch' | 'delete' | 'stats'

/** The only place that says which operations read. They never take the path of a write. */
const READS: ReadonlySet<Operation> = new Set(['list', 'read', 'stats'])
export const isRead = (operation: Operation): boolean => READS.has(operation)

export interface IdempotencyKey {
  readonly key: string
  /** What makes the request another one, beside table and rights: parameters and body, as they are received. */
  readonly parts: readonly unknown[]
}

export const NO_QUERY: EncodedQuery = { where: null, orders: [] }

const DEFAULTS: Omit<RecordRequest, 'operation' | 'table'> = {
  face: null,
  names: null,
  sysId: null,
  query: NO_QUERY,
  fields: null,
  view: null,
  display: 'value',
  inputDisplay: false,
  documents: false,
  rights: false,
  maxText: null,
  migrating: false,
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

/** Whether references may be given as people read them. */
export const takesNames = ({ inputDisplay, names }: Pick<RecordRequest, 'inputDisplay' | 'names'>): boolean =>
  inputDisplay || names !== null

/** A request of a program inside Docket. */
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
  /** As the caller wrote it: `opened_at:week`. The member of the response has this name. */
  readonly key: string
  readonly path: string
  /** null: the value itself makes the group. */
  readonly unit: PeriodUnit | null
}

export interface StatsRequest {
  /** Each once. */
  readonly groupBy: readonly GroupField[]
  readonly displayed: readonly { readonly kind: Aggregate; readonly path: string }[]
  readonly having: readonly HavingTest[]
  readonly orders: readonly { readonly term: StatTerm; readonly direction: 'ascending' | 'descending' }[]
}

export type StatTerm =
  | { readonly kind: 'count' }
  /** `path` is the key of a group field. */
  | { readonly kind: 'group'; readonly path: string }
  | { readonly kind: Aggregate; readonly path: string }

export interface HavingTest {
  readonly term: StatTerm
  readonly operator: '=' | '!=' | '<' | '<=' | '>' | '>='
  readonly value: Operand
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
