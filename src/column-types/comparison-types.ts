import { readDate, readDateTime, readTime } from '../condition/dates/read-date-text.ts'
import { parseExactJson } from '../kernel/exact-json.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { Expression } from './expression.ts'
import { readSysId } from './record-key.ts'
import { storableJson } from './storable-json.ts'

/** How values compare. Several column types share one comparison type. */
export type ComparisonType =
  | 'text'
  | 'choice'
  | 'whole'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'datetime'
  | 'date'
  | 'time'
  /** sys_ids that are integers. */
  | 'id'
  | 'uuid'
  /** sys_ids that are texts: compared unchanged. */
  | 'key'
  | 'list'
  | 'document'
  | 'json'
  /** Texts in separate entries, with their own rules. */
  | 'journal'
  | 'nothing'

interface Comparison {
  /** PostgreSQL type. */
  readonly type: string
  /** The expected input, for messages. */
  readonly noun: string
  /**
   * Converts the text of a condition's value to the parameter for PostgreSQL; null: it is invalid, and `noun` says what is
   * expected.
   */
  readonly read: (text: string) => Result<unknown, string> | null
  /** The instructions of a body besides `value` and `clear`. */
  readonly instructions?: readonly string[]
}

type ReadText = ReturnType<Comparison['read']>

/** PostgreSQL does not store U+0000, so no stored text contains it. */
const anyText = (text: string): ReadText => (text.includes('\0') ? null : succeed(text))
const matching =
  (pattern: RegExp) =>
  (text: string): ReadText =>
    pattern.test(text.trim()) ? succeed(text.trim()) : null
const found = (value: unknown): ReadText => (value === null ? null : succeed(value))

const FLOAT = /^[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,3})?$/i

export const COMPARISONS: Readonly<Record<ComparisonType, Comparison>> = {
  text: { type: 'text', noun: 'text', read: anyText, instructions: ['append', 'prepend'] },
  choice: { type: 'text', noun: 'a choice', read: anyText },
  whole: { type: 'bigint', noun: 'a whole number', read: readWhole, instructions: ['increment'] },
  decimal: {
    type: 'numeric',
    noun: 'a decimal number',
    read: matching(/^([+-]?\d{1,200}(\.\d{1,200})?|NaN|[+-]?Infinity)$/i),
    instructions: ['increment'],
  },
  float: {
    type: 'double precision',
    noun: 'a number',
    read: (text) => (Number.isFinite(Number(text)) ? matching(FLOAT)(text) : null),
    instructions: ['increment'],
  },
  boolean: { type: 'boolean', noun: 'true or false', read: (text) => found(readBoolean(text)) },
  datetime: { type: 'timestamp', noun: 'a date and time', read: (text) => readDateTime(text.trim(), 'UTC') },
  date: { type: 'date', noun: 'a date', read: readDay },
  time: { type: 'time', noun: 'a time of day', read: (text) => readTime(text.trim()) },
  id: { type: 'bigint', noun: 'the sys_id of a record (digits)', read: readWhole },
  uuid: {
    type: 'uuid',
    noun: 'the sys_id of a record (a UUID)',
    read: (text) => found(readSysId(text.trim(), { kind: 'uuid', parts: [] })),
  },
  key: { type: 'text', noun: 'the sys_id of a record', read: anyText },
  list: { type: 'text[]', noun: 'a list', read: anyText, instructions: ['set', 'add', 'remove'] },
  document: {
    type: 'uuid',
    noun: 'a document id (32 hexadecimal digits)',
    read: (text) => found(documentDigits(text)),
  },
  json: { type: 'jsonb', noun: 'JSON', read: readJson, instructions: ['merge'] },
  journal: { type: 'text', noun: 'the entries of a journal', read: anyText, instructions: ['message'] },
  nothing: { type: 'text', noun: 'nothing that can be compared', read: anyText },
}

/** PostgreSQL types in SQL syntax. */
export const CASTS = Object.fromEntries(
  Object.entries(COMPARISONS).map(([name, { type }]) => [name, sql.raw(type)]),
) as Readonly<Record<ComparisonType, Expression>>

/** Converts a text of a condition to the parameter for PostgreSQL; the error says what would be right. */
export function readComparedText(text: string, type: ComparisonType): Result<unknown, string> {
  return COMPARISONS[type].read(text) ?? unexpectedValue(type, text)
}

function unexpectedValue(type: ComparisonType, found: string): Result<never, string> {
  const quoted = found.length <= 40 ? found : `${found.slice(0, 40)}…`
  return fail(`Expected ${COMPARISONS[type].noun}, found "${quoted.toWellFormed()}".`)
}

const IDS: ReadonlySet<ComparisonType> = new Set(['id', 'uuid', 'key'])
const NARROW: ReadonlySet<ComparisonType> = new Set(['boolean', 'datetime', 'date', 'time'])
const NUMBERS: ReadonlySet<ComparisonType> = new Set(['whole', 'decimal', 'float'])
const WITH_FORMS: ReadonlySet<ComparisonType> = new Set(['decimal', 'float', 'json'])

/** Not every text is such a value. */
export const isNarrow = (type: ComparisonType): boolean => NUMBERS.has(type) || NARROW.has(type)

/** Values that identify records. */
export const isId = (type: ComparisonType): boolean => IDS.has(type)
export const isNumber = (type: ComparisonType): boolean => NUMBERS.has(type)

/** Equal values may be stored in several forms: 0 and -0, 1 and 1.00. */
export const hasForms = (type: ComparisonType): boolean => WITH_FORMS.has(type)

const MAX_INT8 = 9_223_372_036_854_775_807n
const MIN_INT8 = -MAX_INT8 - 1n

function readWhole(text: string): ReadText {
  const digits = text.trim()
  if (!/^[+-]?\d{1,19}$/.test(digits)) return null
  const number = BigInt(digits.replace('+', ''))
  return number > MAX_INT8 || number < MIN_INT8 ? null : succeed(number.toString())
}

/** @returns null if the text is neither true nor false */
export function readBoolean(text: string): boolean | null {
  const word = text.trim().toLowerCase()
  if (word === 'true' || word === '1') return true
  return word === 'false' || word === '0' ? false : null
}

/** For a date column, only the day of a date and time counts. */
function readDay(text: string): Result<string, string> {
  const moment = readDateTime(text.trim(), 'UTC')
  return moment.ok ? succeed(moment.value.slice(0, 10)) : readDate(text.trim())
}

/** The UUID form or 32 hexadecimal digits (docs/spec/records.md, section 4). */
export function documentDigits(text: string): string | null {
  const digits = text.trim().replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) ? digits : null
}

function readJson(text: string): ReadText {
  try {
    return found(storableJson(parseExactJson(text)))
  } catch {
    return null
  }
}
