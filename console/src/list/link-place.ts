/**
 * The part of JOIN and RLQUERY before their conditions, as src/condition/parse-rows.ts reads it:
 * `JOINtask.caller=user.sys_id!` and `RLQUERYtask.caller,>=3`.
 */

interface Span {
  /** What a completion replaces, as offsets in the text. */
  readonly from: number
  readonly to: number
  /** What is typed of it, up to the cursor. */
  readonly word: string
}

/** `own`: of the rows that are looked for; `other`: what JOIN compares it with; `counted`: the rows that RLQUERY counts. */
export type LinkRole = 'own' | 'other' | 'counted'

export interface ColumnOfTable {
  readonly table: string
  readonly column: string
}

/** A name of a table. */
export interface TablePlace extends Span {
  readonly kind: 'table'
  readonly role: LinkRole
  /** The column that JOIN compares; for `other` only. */
  readonly own: ColumnOfTable | null
  /** What follows: a dot and the column, `=` or `,`. */
  readonly next: string
}

/** A column of a table that has just been named. */
export interface LinkedColumnPlace extends Span {
  readonly kind: 'link'
  readonly role: LinkRole
  readonly table: string
  readonly own: ColumnOfTable | null
  readonly next: string
}

/** How many rows: a comparison with a number. */
export interface ComparisonPlace extends Span {
  readonly kind: 'comparison'
  readonly hasNumber: boolean
}

/** What has to follow, or may: `=`, `,` or `!`. */
export interface SignPlace extends Span {
  readonly kind: 'sign'
  readonly sign: '=' | ',' | '!'
}

export type LinkPlace = TablePlace | LinkedColumnPlace | ComparisonPlace | SignPlace

export interface Link {
  readonly kind: 'join' | 'count'
  /** Conditions after it are on rows of this table. */
  readonly table: string
  /** Where they begin. */
  readonly end: number
  readonly hasConditions: boolean
}

export interface LinkAt {
  readonly places: readonly LinkPlace[]
  /** null: the cursor is before its end, or it has a fault. */
  readonly link: Link | null
}

const NAMES = /[a-z0-9_.]*/y
const COMPARISON = /<=|>=|!=|[=<>]/y
const DIGITS = /\d*/y
const MANY_TO_MANY = /,m2m/y

export function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 0)
}

const NOTHING: LinkAt = { places: [], link: null }

/** @param at behind the word JOIN or RLQUERY */
export const linkAt = (text: string, at: number, cursor: number, kind: Link['kind']): LinkAt =>
  kind === 'join' ? joinAt(text, at, cursor) : countAt(text, at, cursor)

function joinAt(text: string, at: number, cursor: number): LinkAt {
  const own = columnAt(text, cursor, { at, role: 'own', own: null })
  if (cursor <= own.to) return { places: [...own.places, ...signAfter(own, cursor, text, '=')], link: null }
  if (text[own.to] !== '=') return NOTHING
  const other = columnAt(text, cursor, { at: own.to + 1, role: 'other', own })
  const hasConditions = text[other.to] === '!'
  const link = { kind: 'join', table: other.table, end: other.to + (hasConditions ? 1 : 0), hasConditions } as const
  if (cursor > other.to) return { places: [], link }
  const isAtEnd = cursor === other.to && !hasConditions && other.column !== ''
  return { places: [...other.places, ...signAfter(other, cursor, text, '!')], link: isAtEnd ? link : null }
}

function countAt(text: string, at: number, cursor: number): LinkAt {
  const counted = columnAt(text, cursor, { at, role: 'counted', own: null })
  if (cursor <= counted.to) return { places: [...counted.places, ...signAfter(counted, cursor, text, ',')], link: null }
  if (text[counted.to] !== ',') return NOTHING
  const from = counted.to + 1
  const to = endOf(COMPARISON, text, from)
  const digitsTo = endOf(DIGITS, text, to)
  if (cursor <= to) {
    const word = text.slice(from, cursor)
    return { places: [{ kind: 'comparison', from, to, word, hasNumber: digitsTo > to }], link: null }
  }
  const end = endOf(MANY_TO_MANY, text, digitsTo)
  if (cursor < end) return NOTHING
  return { places: [], link: { kind: 'count', table: counted.table, end, hasConditions: true } }
}

interface Named extends ColumnOfTable {
  readonly to: number
  /** None if the cursor is behind it. */
  readonly places: readonly LinkPlace[]
}

function columnAt(
  text: string,
  cursor: number,
  { at, role, own }: { readonly at: number; readonly role: LinkRole; readonly own: ColumnOfTable | null },
): Named {
  const to = endOf(NAMES, text, at)
  const [table = '', ...rest] = text.slice(at, to).split('.')
  const column = rest.join('.')
  const next = text[to] ?? ''
  const tableTo = at + table.length
  const word = text.slice(cursor <= tableTo ? at : tableTo + 1, cursor)
  const place: LinkPlace =
    cursor <= tableTo
      ? { kind: 'table', role, own, from: at, to: tableTo, word, next: text[tableTo] ?? '' }
      : { kind: 'link', role, table, own, from: tableTo + 1, to, word, next }
  return { table, column, to, places: cursor <= to ? [place] : [] }
}

const signAfter = (
  { column, to }: Named,
  cursor: number,
  text: string,
  sign: SignPlace['sign'],
): readonly SignPlace[] =>
  cursor === to && column !== '' && text[to] !== sign ? [{ kind: 'sign', sign, from: to, to, word: '' }] : []
