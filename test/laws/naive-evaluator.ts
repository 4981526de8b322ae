import { isDeepStrictEqual } from 'node:util'
import type { ConditionComparison, ConditionTree } from '../../src/condition/condition-tree.ts'
import type { DateRange, Moment } from '../../src/condition/dates/date-types.ts'
import { rangeOfSpan, readDateSpan } from '../../src/condition/dates/range-of-on.ts'
import {
  type RelativeOperator,
  rangeOfRelative,
  readRelativeDate,
} from '../../src/condition/dates/range-of-relative.ts'
import { type DatePart, readDatePart } from '../../src/condition/dates/read-date-part.ts'
import { readDate, readDateTime, readTime } from '../../src/condition/dates/read-date-text.ts'
import { computeInstant, isHelper, readHelper } from '../../src/condition/dates/read-helper.ts'
import { textOfValue } from '../../src/condition/print-encoded-query.ts'
import type { Result } from '../../src/kernel/result.ts'
import { unreachable } from '../../src/kernel/unreachable.ts'

/**
 * The meaning of a condition, as simple as possible: one row at a time, in JavaScript, without SQL and without regard to speed.
 * Property tests compare its results with those of the database.
 *
 * The rules that are easy to get wrong:
 *   - =, !=, IN, LIKE, STARTSWITH, ENDSWITH, SAMEAS and their negations compare text without case;
 *   - a negation (!=, NOT IN, NOT LIKE, NOTSTARTSWITH, NOTON, HASNOT, NSAMEAS) is true exactly if its opposite is false, so it
 *     includes rows without a value. HASNOT of several members is "none of them", HAS "all of them";
 *   - members of lists are compared as stored;
 *   - a path through a list tests its members: any of them, or all of them if the operator is a negation (here, ISEMPTY is one);
 *   - every other comparison with a missing value is false;
 *   - a path through an empty reference, or through a reference to a missing row, ends at a missing value.
 *
 * A value that does not fit the type of the column throws: the server rejects such a query, so a test must not send it.
 */

/** How a value is stored and compared. Several column types of the dictionary may have the same. */
export type NaiveType =
  | 'text'
  | 'choice'
  | 'number'
  /** Whole numbers as digits: sys_id, biginteger, duration. */
  | 'bigint'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'time'
  | 'reference'
  | 'list'
  /** A document id: 32 hexadecimal digits, with or without dashes. */
  | 'document'
  /** JSON text; equal if the values are equal. */
  | 'json'
  /** The name of the record's own table, for INSTANCEOF. */
  | 'class'

/** Dates are `YYYY-MM-DD`, datetimes `YYYY-MM-DD HH:MM:SS` in UTC, times `HH:MM:SS`; references are ids, lists are of ids or texts. */
export type NaiveValue = string | number | boolean | readonly string[] | null

export interface NaiveColumn {
  readonly type: NaiveType
  /** The table to which a reference, or each member of a list, refers. */
  readonly table?: string
}

export interface NaiveTable {
  readonly columns: Readonly<Record<string, NaiveColumn>>
  /** The display column of references to this table; LIKE on a reference compares it. */
  readonly displayColumn: string
  /** The columns of a full-text search over the record. */
  readonly searchedColumns?: readonly string[]
  /** Every row has its id in `sys_id`. */
  readonly rows: readonly NaiveRow[]
}

export type NaiveRow = Readonly<Record<string, NaiveValue>>

export interface NaiveWorld {
  readonly tables: Readonly<Record<string, NaiveTable>>
  readonly moment: Moment
  readonly user: { readonly id: string; readonly userName: string; readonly groupIds: readonly string[] }
  /** The parent of a table, for INSTANCEOF. */
  readonly parentOf?: Readonly<Record<string, string>>
  /** Ids of dynamic options, besides `me` and `mygroups`. */
  readonly dynamicOptions?: Readonly<Record<string, readonly string[]>>
  /** How the database under test orders text and choices; by default by code points, like the collation "C". */
  readonly compareText?: (a: string, b: string, type: NaiveType) => number
  /** Full-text search has no simple meaning; a test that uses it defines it. */
  readonly matchesWords?: (texts: readonly string[], words: string) => boolean
}

/** The ids of the rows of a table for which a condition is true, in the order of the rows. */
export function idsWhere(tree: ConditionTree | null, tableName: string, world: NaiveWorld): readonly string[] {
  const { rows } = tableNamed(tableName, world)
  return rows.filter((row) => tree === null || holds(tree, row, tableName, world)).map((row) => String(row['sys_id']))
}

export function holds(tree: ConditionTree, row: NaiveRow, tableName: string, world: NaiveWorld): boolean {
  switch (tree.kind) {
    case 'all':
      return tree.of.every((member) => holds(member, row, tableName, world))
    case 'any':
      return tree.of.some((member) => holds(member, row, tableName, world))
    case 'comparison':
      return testHolds(tree, row, tableName, world)
    case 'rows':
      throw new Error('the laws that need this evaluator ask for one table')
    default:
      return unreachable(tree)
  }
}

/** A value, and what is needed to compare it. */
interface Found {
  readonly column: NaiveColumn
  readonly value: NaiveValue
}

function testHolds(test: ConditionComparison, row: NaiveRow, tableName: string, world: NaiveWorld): boolean {
  const { operator } = test
  const value = textOfValue(test.value)
  if (operator === 'ANYTHING') return true
  const ofMembers = throughList(test, row, tableName, world)
  if (ofMembers !== null) return ofMembers
  if (operator === 'ARE') {
    if (world.matchesWords === undefined) throw new Error('this world says nothing of full text')
    const searched = tableNamed(tableName, world).searchedColumns ?? []
    const paths = test.path.length > 0 ? [test.path] : searched.map((name) => [name])
    const texts = paths.map((path) => fieldPath(path, row, tableName, world).value)
    return world.matchesWords(
      texts.filter((found) => found !== null).map((found) => String(found)),
      value,
    )
  }
  const found = fieldPath(test.path, row, tableName, world)
  const other = () => fieldPath(value.split('.'), row, tableName, world)
  switch (operator) {
    case '=':
      return isEqual(found, value, world)
    case '!=':
      return !isEqual(found, value, world)
    case 'IN':
      return isAmong(found, value, world)
    case 'NOT IN':
      return !isAmong(found, value, world)
    case '<':
      return compare(found, value, world, (sign) => sign < 0)
    case '>':
      return compare(found, value, world, (sign) => sign > 0)
    case '<=':
      return compare(found, value, world, (sign) => sign <= 0)
    case '>=':
      return compare(found, value, world, (sign) => sign >= 0)
    case 'BETWEEN': {
      const [from = '', to = ''] = value.split('@')
      return compare(found, from, world, (sign) => sign >= 0) && compare(found, to, world, (sign) => sign <= 0)
    }
    case 'LIKE':
      return text(found, world)?.includes(foldCase(operandText(value, world))) ?? false
    case 'NOT LIKE':
      return !(text(found, world)?.includes(foldCase(operandText(value, world))) ?? false)
    case 'STARTSWITH':
      return text(found, world)?.startsWith(foldCase(operandText(value, world))) ?? false
    case 'NOTSTARTSWITH':
      return !(text(found, world)?.startsWith(foldCase(operandText(value, world))) ?? false)
    case 'ENDSWITH':
      return text(found, world)?.endsWith(foldCase(operandText(value, world))) ?? false
    case 'ISEMPTY':
      return isEmpty(found.value)
    case 'ISNOTEMPTY':
      return !isEmpty(found.value)
    case 'EMPTYSTRING':
      return found.value === ''
    case 'SAMEAS':
      return compareFields(found, other(), world, (sign) => sign === 0)
    case 'NSAMEAS':
      return !compareFields(found, other(), world, (sign) => sign === 0)
    case 'GT_FIELD':
      return compareFields(found, other(), world, (sign) => sign > 0)
    case 'LT_FIELD':
      return compareFields(found, other(), world, (sign) => sign < 0)
    case 'GT_OR_EQUALS_FIELD':
      return compareFields(found, other(), world, (sign) => sign >= 0)
    case 'LT_OR_EQUALS_FIELD':
      return compareFields(found, other(), world, (sign) => sign <= 0)
    case 'ON':
      return isWithin(found, must(rangeOfSpan(must(readDateSpan(value, false)), world.moment)))
    case 'NOTON':
      return !isWithin(found, must(rangeOfSpan(must(readDateSpan(value, false)), world.moment)))
    case 'RELATIVEGT':
    case 'RELATIVEGE':
    case 'RELATIVELT':
    case 'RELATIVELE':
    case 'RELATIVEEE':
      return isWithin(
        found,
        rangeOfRelative(operator satisfies RelativeOperator, must(readRelativeDate(value)), world.moment),
      )
    case 'DATEPART':
      return datePartHolds(found, value, world)
    case 'HAS':
      return found.value !== null && membersOfValue(value, world).every((member) => members(found).includes(member))
    case 'HASNOT':
      return !membersOfValue(value, world).some((member) => members(found).includes(member))
    case 'DYNAMIC':
      return found.value !== null && dynamicIds(value, world).includes(String(found.value))
    case 'CONTAINS_DYNAMIC':
      return dynamicIds(value, world).some((id) => members(found).includes(id))
    case 'DOESNOTCONTAIN_DYNAMIC':
      return !dynamicIds(value, world).some((id) => members(found).includes(id))
    case 'MATCH_PAT':
      return found.value !== null && wildcards(operandText(value, world)).test(foldCase(String(found.value)))
    case 'MATCH_RGX':
      return (
        found.value !== null && new RegExp(`^(?:${value.replace(/^\^|\$$/g, '')})$`, 'isu').test(String(found.value))
      )
    case 'INSTANCEOF':
      return found.value !== null && lineOf(String(found.value), world).includes(value)
    default:
      return unreachable(operator)
  }
}

/** The regular expression of a pattern with `*` and `?`, case-folded. */
function wildcards(pattern: string): RegExp {
  const parts = [...foldCase(pattern).matchAll(/\\(.)|(.)/gsu)].map(([, escaped, plain = '']) => {
    if (escaped === undefined && plain === '*') return '.*'
    if (escaped === undefined && plain === '?') return '.'
    return (escaped ?? plain).replace(/[.*+?^${}()|[\]\\/-]/, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`, 'su')
}

// ── paths ──

const NEGATIVE: ReadonlySet<string> = new Set([
  '!=',
  'NOT IN',
  'NOT LIKE',
  'NOTSTARTSWITH',
  'ISEMPTY',
  'NOTON',
  'HASNOT',
  'DOESNOTCONTAIN_DYNAMIC',
])
const OF_TEXT: ReadonlySet<string> = new Set(['LIKE', 'NOT LIKE', 'STARTSWITH', 'NOTSTARTSWITH', 'ENDSWITH'])

/** null: the path has no list. */
function throughList(test: ConditionComparison, row: NaiveRow, tableName: string, world: NaiveWorld): boolean | null {
  const [name = '', ...rest] = test.path
  const column = tableNamed(tableName, world).columns[name]
  if (column?.table === undefined) return null
  const { table } = column
  if (column.type === 'reference') {
    const next = rest.length === 0 ? undefined : (rowOf(column, row[name] ?? null, world) ?? {})
    return next === undefined ? null : throughList({ ...test, path: rest }, next, table, world)
  }
  const requested = rest.length === 0 && OF_TEXT.has(test.operator) ? [tableNamed(table, world).displayColumn] : rest
  if (requested.length === 0) return null
  const ids = members({ column, value: row[name] ?? null })
  const found = tableNamed(table, world).rows.filter((each) => ids.includes(String(each['sys_id'])))
  const isTrue = (member: NaiveRow): boolean => testHolds({ ...test, path: requested }, member, table, world)
  return NEGATIVE.has(test.operator) ? found.every(isTrue) : found.some(isTrue)
}

function tableNamed(name: string, world: NaiveWorld): NaiveTable {
  const table = world.tables[name]
  if (table === undefined) throw new Error(`this world has no table ${name}`)
  return table
}

function fieldPath(path: readonly string[], row: NaiveRow | undefined, tableName: string, world: NaiveWorld): Found {
  const [name = '', ...rest] = path
  const column = tableNamed(tableName, world).columns[name]
  if (column === undefined) throw new Error(`table ${tableName} has no column ${name}`)
  const value = row?.[name] ?? null
  if (rest.length === 0) return { column, value }
  return fieldPath(rest, rowOf(column, value, world), targetOf(column), world)
}

function targetOf(column: NaiveColumn): string {
  if (column.type !== 'reference' || column.table === undefined)
    throw new Error('only a reference leads to another record')
  return column.table
}

function rowOf(column: NaiveColumn, id: NaiveValue, world: NaiveWorld): NaiveRow | undefined {
  return id === null ? undefined : tableNamed(targetOf(column), world).rows.find((row) => row['sys_id'] === id)
}

// ── values of conditions ──

function must<T>(result: Result<T, string>): T {
  if (!result.ok) throw new Error(result.error)
  return result.value
}

/** The texts of a value: several if a helper returns the caller's groups. */
function operandTexts(value: string, world: NaiveWorld): readonly string[] {
  if (!isHelper(value)) return [value]
  const helper = must(readHelper(value))
  switch (helper.kind) {
    case 'user-id':
      return [world.user.id]
    case 'user-name':
      return [world.user.userName]
    case 'group-ids':
      return world.user.groupIds
    case 'company-id':
    case 'property':
      throw new Error('no law uses this helper')
    case 'instant':
      throw new Error('a point in time belongs beside a date')
    default:
      return unreachable(helper)
  }
}

function operandText(value: string, world: NaiveWorld): string {
  const [one, ...more] = operandTexts(value, world)
  if (one === undefined || more.length > 0) throw new Error('one value is needed here')
  return one
}

function operandFor(column: NaiveColumn, value: string, world: NaiveWorld): string {
  const { type } = column
  if (type === 'date' || type === 'datetime' || type === 'time') return dateOperand(type, value, world.moment)
  return operandText(value, world)
}

/** A literal has the stored form of the column, a datetime in UTC; a helper is computed from the caller's time. */
function dateOperand(type: 'date' | 'datetime' | 'time', value: string, moment: Moment): string {
  if (isHelper(value)) {
    const helper = must(readHelper(value))
    if (helper.kind !== 'instant') throw new Error('only a point in time belongs beside a date')
    const { utc, localDate, localTime } = computeInstant(helper, moment)
    return { date: localDate, datetime: utc, time: localTime }[type]
  }
  if (type === 'date') return must(readDate(value))
  return must(type === 'time' ? readTime(value) : readDateTime(value, 'UTC'))
}

function dynamicIds(option: string, world: NaiveWorld): readonly string[] {
  if (option === 'me') return [world.user.id]
  if (option === 'mygroups') return world.user.groupIds
  const ids = world.dynamicOptions?.[option]
  if (ids === undefined) throw new Error(`this world has no dynamic option ${option}`)
  return ids
}

/** A table and all its ancestors. */
function lineOf(tableName: string, world: NaiveWorld): readonly string[] {
  const parent = world.parentOf?.[tableName]
  return parent === undefined ? [tableName] : [tableName, ...lineOf(parent, world)]
}

// ── comparing ──

function isEqual(found: Found, value: string, world: NaiveWorld): boolean {
  if (found.column.type === 'list')
    return found.value !== null && isSameSet(members(found), membersOfValue(value, world))
  if (isHelper(value) && (found.column.type === 'reference' || found.column.type === 'bigint')) {
    return found.value !== null && operandTexts(value, world).includes(String(found.value))
  }
  return compare(found, value, world, (sign) => sign === 0, foldCase)
}

/** A helper is one member, even if it contains commas. */
function membersIn(value: string): readonly string[] {
  if (value === '') return []
  if (value.includes('@')) return value.split('@')
  return isHelper(value) ? [value] : value.split(',')
}

function isAmong(found: Found, value: string, world: NaiveWorld): boolean {
  return membersIn(value).some((member) => isEqual(found, member, world))
}

/**
 * @param fold is applied to text first: comparisons for equality ignore case, comparisons by order do not
 */
function compare(
  found: Found,
  value: string,
  world: NaiveWorld,
  accepts: (sign: number) => boolean,
  fold: (text: string) => string = (text) => text,
): boolean {
  if (found.value === null) return false
  return accepts(signOf(found.column.type, { a: found.value, b: operandFor(found.column, value, world) }, world, fold))
}

function compareFields(one: Found, other: Found, world: NaiveWorld, accepts: (sign: number) => boolean): boolean {
  if (one.value === null || other.value === null) return false
  const isOrder = accepts(-1) !== accepts(1)
  if (one.column.type === 'list') return accepts(isSameSet(members(one), members(other)) ? 0 : 1)
  const fold = isOrder ? (text: string) => text : foldCase
  return accepts(signOf(one.column.type, { a: one.value, b: other.value }, world, fold))
}

interface Pair {
  readonly a: NaiveValue
  readonly b: NaiveValue
}

function signOf(type: NaiveType, { a, b }: Pair, world: NaiveWorld, fold: (text: string) => string): number {
  switch (type) {
    case 'number':
      return numberOf(a) - numberOf(b)
    case 'bigint':
    case 'reference':
      return signOfBigInts(BigInt(String(a)), BigInt(String(b)))
    case 'boolean':
      return Number(booleanOf(a)) - Number(booleanOf(b))
    case 'text':
    case 'choice':
    case 'class':
      return (world.compareText ?? byCodePoint)(fold(String(a)), fold(String(b)), type)
    case 'date':
    case 'datetime':
    case 'time':
      return byCodePoint(String(a), String(b))
    case 'document':
      return byCodePoint(hexDigits(String(a)), hexDigits(String(b)))
    case 'json':
      return isDeepStrictEqual(JSON.parse(String(a)), JSON.parse(String(b))) ? 0 : 1
    case 'list':
      throw new Error('lists have no order')
    default:
      return unreachable(type)
  }
}

const hexDigits = (id: string): string => id.replaceAll('-', '').toLowerCase()

function numberOf(value: NaiveValue): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || Number.isNaN(number)) throw new Error(`${value} is no number`)
  return number
}

function signOfBigInts(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function booleanOf(value: NaiveValue): boolean {
  if (value === true || value === 'true' || value === '1') return true
  if (value === false || value === 'false' || value === '0') return false
  throw new Error(`${value} is neither true nor false`)
}

/** The order of UTF-8 bytes. JavaScript's `<` compares UTF-16 units, which puts U+10000 and above before U+E000. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The case-folded text that LIKE compares; null: there is none. */
function text(found: Found, world: NaiveWorld): string | null {
  const { column, value } = found
  if (value === null) return null
  if (column.type === 'text' || column.type === 'choice' || column.type === 'bigint') return foldCase(String(value))
  if (column.type !== 'reference') throw new Error(`${column.type} is no text`)
  const displayed = rowOf(column, value, world)?.[tableNamed(targetOf(column), world).displayColumn] ?? null
  return displayed === null ? null : foldCase(String(displayed))
}

/** The members in a value; a helper may return several. */
function membersOfValue(value: string, world: NaiveWorld): readonly string[] {
  return membersIn(value).flatMap((member) => operandTexts(member, world))
}

function members(found: Found): readonly string[] {
  if (found.value === null) return []
  if (!Array.isArray(found.value)) throw new Error(`${found.column.type} is no list`)
  return found.value
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.every((member) => other.includes(member)) && other.every((member) => one.includes(member))
}

function isEmpty(value: NaiveValue): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/**
 * Lower case, letter by letter, like databases: no letter becomes two, and no letter depends on its neighbours (the Greek sigma at the end
 * of a word). Databases differ only for U+0130, which becomes "i" here.
 */
export function foldCase(text: string): string {
  const foldLetter = (letter: string) => {
    if (letter === '\u0130') return 'i'
    const lower = letter.toLowerCase()
    return [...lower].length === 1 ? lower : letter
  }
  return Array.from(text, foldLetter).join('')
}

// ── dates ──

function isWithin({ column, value }: Found, range: DateRange): boolean {
  if (value === null) return false
  const [from, to] = column.type === 'date' ? [range.fromDate, range.toDate] : [range.from, range.to]
  if (column.type !== 'date' && column.type !== 'datetime') throw new Error(`${column.type} is no date`)
  return (from === null || String(value) >= from) && (to === null || String(value) < to)
}

function datePartHolds({ column, value }: Found, requested: string, world: NaiveWorld): boolean {
  if (value === null) return false
  const { part, operator, number } = must(readDatePart(requested))
  const difference = partOf(part, wallClock(column, String(value), world.moment.timeZone)) - number
  switch (operator) {
    case 'EE':
      return difference === 0
    case 'NE':
      return difference !== 0
    case 'GT':
      return difference > 0
    case 'GE':
      return difference >= 0
    case 'LT':
      return difference < 0
    case 'LE':
      return difference <= 0
    default:
      return unreachable(operator)
  }
}

/** Local date and time in the zone, in the UTC fields of a Date. A date column has no zone. */
function wallClock(column: NaiveColumn, value: string, timeZone: string): Date {
  if (column.type === 'date') return new Date(`${value}T00:00:00Z`)
  if (column.type !== 'datetime') throw new Error(`${column.type} is no date`)
  const displayed = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  })
  return new Date(`${displayed.format(new Date(`${value.replace(' ', 'T')}Z`)).replace(' ', 'T')}Z`)
}

function partOf(part: DatePart, wall: Date): number {
  switch (part) {
    case 'year':
      return wall.getUTCFullYear()
    case 'quarter':
      return Math.floor(wall.getUTCMonth() / 3) + 1
    case 'month':
      return wall.getUTCMonth() + 1
    case 'week':
      return isoWeek(wall)
    case 'day':
      return wall.getUTCDate()
    case 'weekday':
      return wall.getUTCDay() || 7
    case 'hour':
      return wall.getUTCHours()
    default:
      return unreachable(part)
  }
}

/** ISO 8601: a week belongs to the year of its Thursday. */
function isoWeek(wall: Date): number {
  const dayMs = 86_400_000
  const midnight = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate())
  const thursday = new Date(midnight + (4 - (wall.getUTCDay() || 7)) * dayMs)
  return Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / dayMs / 7) + 1
}
