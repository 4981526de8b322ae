/**
 * Reads an encoded query (record spec, section 6; the filters of documents are the same language).
 *
 *   query   = [ orders ] [ expr ]                         either may stand alone; both may be missing
 *           | "()" [ orders ]                             no condition; condition builders write it around an empty one
 *   orders  = [ "^" ] order { "^" order } [ "^" ]         the last ^ only when a condition follows
 *   expr    = group [ end ] { "^NQ" group [ end ] }       OR of whole groups, binds loosest
 *   group   = conj { "^" conj }                           AND
 *   conj    = prim { "^OR" prim }                         OR, binds tightest: a^b^ORc is a AND (b OR c)
 *   prim    = "(" expr ")" | test
 *   test    = field operator [ value ]
 *           | "ARE" words | "123TEXTQUERY321" ( "=" | "ARE" ) words      full text over the record
 *   end     = "^EQ" | "^"                                 no effect; condition builders write them. Both may also be the whole query
 *   order   = ( "ORDERBYDESC" | "ORDERBY" ) field
 *   field   = name { "." name }                           at most MAX_HOPS dots
 *   name    = [a-z_] { [a-z0-9_] }
 *           | '"' { any character but '"', or '""' } '"'               in metadata filters only: the name in quotes, as it is
 *
 * Outside brackets `^order` may follow any prim and takes no part in the condition around it; directly after `)` its `^`
 * may be missing; a group may begin with orders too. An order inside brackets is an error.
 *
 * The operator is the longest spelling that fits at the end of the field; there are no spaces beside it, a space belongs
 * to the value. `=` without a value is ISEMPTY, `!=` without one ISNOTEMPTY. A value runs to the next `^`; in it
 *
 *   `^^`    is one caret;
 *   `^\x`   is the character x, whatever it is (ours: `^\(` and `^\)` are what it is for);
 *   `^'`    at the beginning says that the rest is literal (ours): `^'javascript:x` is a text, not a helper;
 *   `(` `)` are plain characters outside an open bracket. Inside one, the value's own balanced brackets belong to the
 *           value, and the first `)` without a partner closes the group (ours): `(subject=a(b)c)` holds `a(b)c`.
 *
 * One pass and no way back: each character is looked at a bounded number of times, and a test counts them.
 */
import type { ProblemOf } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import { allOf, anyOf } from './combine-conditions.ts'
import type { ConditionTest, ConditionTree, EncodedQuery, OrderTerm } from './condition-tree.ts'
import { OPERATOR_LIST, operandOf, operatorAt } from './operator-spellings.ts'
import type { Operator } from './operators.ts'
import { NO_VALUE, typedValue } from './typed-value.ts'

/** UTF-16 units of the decoded text. A saved filter over hundreds of ids fits; more ids belong into several calls. */
export const MAX_QUERY_UNITS = 65_536
/** Brackets open at one place. People write two or three, generators a dozen; the parser and the compiler recurse on them. */
export const MAX_BRACKET_LEVELS = 32
/** Conditions of one query. Each may be a join, and past some hundreds the database plans longer than it reads. */
export const MAX_CONDITIONS = 500
/** Orders of one query. Each is a sort key; nobody reads a list that is sorted by more columns than a screen shows. */
export const MAX_ORDERS = 20
/** Dots of one field: references walked through (record spec, section 6). Each is a join. */
export const MAX_HOPS = 5

/** No field begins with `'`, so a parser that does not know the mark rejects it. */
export const LITERAL_MARK = "^'"

const RECORD_TEXT_FIELD = '123TEXTQUERY321'

type BadQuery = ProblemOf<'bad-query'>
type Read<T> = Result<T, BadQuery>
type OneOrMore<T> = [T, ...T[]]

/** How far the reading has come: the one thing here that changes. It lives for one call. */
interface Cursor {
  readonly text: string
  at: number
  openBrackets: number
  conditions: number
  readonly orders: OrderTerm[]
  steps: number
  readonly names: Names
}

/** `columns`: names of a table's columns. `keys`: keys of metadata, which may be any text and have no limit of dots. */
type Names = 'columns' | 'keys'

/**
 * @param text the decoded text of `sysparm_query`; '' reads as "every record"
 * @returns the query, its condition in normal form; or a `bad-query` with the offset (UTF-16 units, 0 to the text's
 *   length) at which something else was expected, and what
 */
export function parseEncodedQuery(text: string): Result<EncodedQuery, BadQuery> {
  return parseCountingSteps(text).result
}

/** The same for a filter over metadata, whose keys may stand in quotes: `"projectId"=p1`. */
export function parseMetadataFilter(text: string): Result<EncodedQuery, BadQuery> {
  return parseCountingSteps(text, 'keys').result
}

/** The same, and how many characters were looked at: a test holds the parser linear with it, without a clock. */
export function parseCountingSteps(
  text: string,
  names: Names = 'columns',
): { readonly result: Read<EncodedQuery>; readonly steps: number } {
  const cursor: Cursor = { text, at: 0, openBrackets: 0, conditions: 0, orders: [], steps: 0, names }
  const result = checkText(text) ?? readQuery(cursor)
  return { result, steps: cursor.steps }
}

/** Refuses what no stored text can hold; the database would do it later and less clearly. */
function checkText(text: string): Read<never> | undefined {
  if (text.length > MAX_QUERY_UNITS) {
    return bad(MAX_QUERY_UNITS, `The query is ${text.length} characters long; at most ${MAX_QUERY_UNITS} are allowed.`)
  }
  const zero = text.indexOf('\0')
  if (zero >= 0) return bad(zero, 'The query holds the character U+0000, which no stored text can hold.')
  if (text.isWellFormed()) return undefined
  return bad(text.search(/\p{Surrogate}/u), 'The query holds half of a surrogate pair, which is not a character.')
}

function readQuery(cursor: Cursor): Read<EncodedQuery> {
  skipGroupEnd(cursor)
  skipEmptyBrackets(cursor)
  const leading = readLeadingOrders(cursor)
  if (!leading.ok) return leading
  skipGroupEnd(cursor)
  if (atEnd(cursor)) return succeed({ where: null, orders: cursor.orders })
  const where = readExpression(cursor)
  if (!where.ok) return where
  if (!atEnd(cursor)) return expected(cursor, '^, ^OR, ^NQ or the end of the query')
  return succeed({ where: where.value, orders: cursor.orders })
}

/** Clients put brackets around whatever conditions they have, also around none. */
function skipEmptyBrackets(cursor: Cursor): void {
  const rest = cursor.at + 2
  const isAlone = rest === cursor.text.length || /^\^?ORDERBY/.test(cursor.text.slice(rest, rest + 8))
  if (isAlone) take(cursor, '()')
}

function readExpression(cursor: Cursor): Read<ConditionTree> {
  const first = readGroup(cursor)
  if (!first.ok) return first
  const groups: OneOrMore<ConditionTree> = [first.value]
  while (take(cursor, '^NQ')) {
    const leading = cursor.openBrackets === 0 ? readLeadingOrders(cursor) : DONE
    if (!leading.ok) return leading
    const group = readGroup(cursor)
    if (!group.ok) return group
    groups.push(group.value)
  }
  return succeed(anyOf(groups))
}

function readGroup(cursor: Cursor): Read<ConditionTree> {
  const first = readAlternatives(cursor)
  if (!first.ok) return first
  const members: OneOrMore<ConditionTree> = [first.value]
  while (!endsGroup(cursor) && take(cursor, '^')) {
    const member = readAlternatives(cursor)
    if (!member.ok) return member
    members.push(member.value)
  }
  const ended = readGroupEnd(cursor)
  return ended.ok ? succeed(allOf(members)) : ended
}

/** `^EQ`, orders behind it, and a last `^`. */
function readGroupEnd(cursor: Cursor): Read<void> {
  if (!skipGroupEnd(cursor)) return DONE
  const trailing = readTrailingOrders(cursor, false)
  if (trailing.ok) skipGroupEnd(cursor)
  return trailing
}

const endsGroup = (cursor: Cursor): boolean => looksAt(cursor, '^NQ') || groupEndAt(cursor) > 0

function skipGroupEnd(cursor: Cursor): boolean {
  const units = groupEndAt(cursor)
  cursor.at += units
  return units > 0
}

/** Units of the `^EQ` or `^` that stands here and ends the group; 0 where there is none. */
function groupEndAt(cursor: Cursor): number {
  if (!looksAt(cursor, '^')) return 0
  const units = looksAt(cursor, '^EQ') ? 3 : 1
  const rest = cursor.at + units
  cursor.steps += 1
  if (rest === cursor.text.length || (cursor.openBrackets > 0 && cursor.text[rest] === ')')) return units
  const goesOn =
    cursor.text.startsWith('^NQ', rest) || cursor.text.startsWith('^ORDERBY', rest) || isLastCaret(cursor, rest)
  return units === 3 && goesOn ? units : 0
}

const isLastCaret = ({ text }: Cursor, at: number): boolean => text[at] === '^' && at + 1 === text.length

function readAlternatives(cursor: Cursor): Read<ConditionTree> {
  const first = readPrimary(cursor)
  if (!first.ok) return first
  const alternatives: OneOrMore<ConditionTree> = [first.value]
  while (take(cursor, '^OR')) {
    const alternative = readPrimary(cursor)
    if (!alternative.ok) return alternative
    alternatives.push(alternative.value)
  }
  return succeed(anyOf(alternatives))
}

/** One bracket or test, and the orders behind it. */
function readPrimary(cursor: Cursor): Read<ConditionTree> {
  const isBracket = looksAt(cursor, '(')
  const primary = isBracket ? readBracket(cursor) : readTest(cursor)
  if (!primary.ok) return primary
  const trailing = readTrailingOrders(cursor, isBracket)
  return trailing.ok ? primary : trailing
}

function readBracket(cursor: Cursor): Read<ConditionTree> {
  const opened = cursor.at
  if (cursor.openBrackets === MAX_BRACKET_LEVELS) {
    return bad(opened, `More than ${MAX_BRACKET_LEVELS} brackets are open at once.`)
  }
  take(cursor, '(')
  cursor.openBrackets += 1
  const inner = readExpression(cursor)
  if (!inner.ok) return inner
  if (!take(cursor, ')')) return expected(cursor, `^, ^OR, ^NQ or the ) of the bracket opened at position ${opened}`)
  cursor.openBrackets -= 1
  return inner
}

// ── orders ──

/** Orders before a condition and the `^` that parts them from it. Stands at the end or at a condition afterwards. */
function readLeadingOrders(cursor: Cursor): Read<void> {
  while (looksAt(cursor, 'ORDERBY') || looksAt(cursor, '^ORDERBY')) {
    take(cursor, '^')
    const order = readOrder(cursor)
    if (!order.ok) return order
    if (atEnd(cursor) || looksAt(cursor, '^ORDERBY')) continue
    if (groupEndAt(cursor) > 0) break
    if (looksAt(cursor, '^OR') || looksAt(cursor, '^NQ')) return expected(cursor, 'a condition before ^OR and ^NQ')
    if (!take(cursor, '^')) return expected(cursor, '^ or the end of the query after an order')
  }
  return DONE
}

function readTrailingOrders(cursor: Cursor, isAfterBracket: boolean): Read<void> {
  let mayLackCaret = isAfterBracket
  while (looksAt(cursor, '^ORDERBY') || (mayLackCaret && looksAt(cursor, 'ORDERBY'))) {
    if (cursor.openBrackets > 0) return bad(cursor.at, 'An order stands outside all brackets.')
    take(cursor, '^')
    const order = readOrder(cursor)
    if (!order.ok) return order
    mayLackCaret = false
  }
  return DONE
}

function readOrder(cursor: Cursor): Read<void> {
  const position = cursor.at
  if (cursor.orders.length === MAX_ORDERS) return bad(position, `A query may have at most ${MAX_ORDERS} orders.`)
  take(cursor, 'ORDERBY')
  const direction = take(cursor, 'DESC') ? 'descending' : 'ascending'
  const path = readPath(cursor, 'the field to order by')
  if (!path.ok) return path
  cursor.orders.push({ path: path.value, direction, position })
  return DONE
}

// ── tests ──

function readTest(cursor: Cursor): Read<ConditionTest> {
  const position = cursor.at
  if (cursor.conditions === MAX_CONDITIONS) {
    return bad(position, `A query may have at most ${MAX_CONDITIONS} conditions.`)
  }
  cursor.conditions += 1
  if (take(cursor, RECORD_TEXT_FIELD)) {
    if (take(cursor, '=') || take(cursor, 'ARE')) return readWords(cursor, [], position)
    return expected(cursor, `= or ARE after ${RECORD_TEXT_FIELD}`)
  }
  if (take(cursor, 'ARE')) return readWords(cursor, [], position)
  if (looksAt(cursor, 'ORDERBY')) return bad(position, misplacedOrder(cursor))
  const bare = operatorAt(cursor.text, position)
  if (bare?.kind === 'refused') return bad(position, `${bare.spelling} cannot be used: ${bare.reason}.`)
  const path = readPath(cursor, FIRST_OF_CONDITION[cursor.names])
  return path.ok ? readComparison(cursor, path.value, position) : path
}

const FIRST_OF_CONDITION: Readonly<Record<Names, string>> = {
  columns: 'a condition (a field name in lower-case letters, or an opening bracket)',
  keys: 'a condition (a key in lower-case letters or in quotes, or an opening bracket)',
}

function misplacedOrder(cursor: Cursor): string {
  if (cursor.openBrackets > 0) return 'An order stands outside all brackets.'
  return 'Expected a condition, found an order; it is joined by ^ and not by ^OR.'
}

/** The operator behind a field, and what is right of it. */
function readComparison(cursor: Cursor, path: readonly string[], position: number): Read<ConditionTest> {
  const field = path.join('.')
  const spelled = operatorAt(cursor.text, cursor.at)
  cursor.steps += 1
  if (spelled === undefined) {
    return bad(
      cursor.at,
      `Expected an operator after ${field}, found ${found(cursor)}. It may be ${OPERATOR_LIST}.${QUOTES_HINT[cursor.names]}`,
      field,
    )
  }
  if (spelled.kind === 'refused') return bad(cursor.at, `${spelled.spelling} cannot be used: ${spelled.reason}.`, field)
  cursor.at += spelled.spelling.length
  if (spelled.operator === 'ARE') return readWords(cursor, path, position)
  switch (operandOf(spelled.operator)) {
    case 'none':
      if (!atEndOfTest(cursor))
        return bad(cursor.at, `${spelled.spelling} takes no value, found ${found(cursor)}.`, field)
      return succeed({ kind: 'test', path, operator: spelled.operator, value: NO_VALUE, position })
    case 'field':
      return readOtherField(cursor, { path, operator: spelled.operator, position })
    case 'value':
      return readPlainValue(cursor, { path, operator: spelled.operator, position })
  }
}

const QUOTES_HINT: Readonly<Record<Names, string>> = {
  columns: '',
  keys: ' A key with other characters than a-z, 0-9 and _ stands in double quotes: "projectId"=p1.',
}

interface HalfTest {
  readonly path: readonly string[]
  readonly operator: Operator
  readonly position: number
}

function readOtherField(cursor: Cursor, half: HalfTest): Read<ConditionTest> {
  const other = readPath(cursor, `the field to compare ${half.path.join('.')} with`)
  if (!other.ok) return other
  return succeed({ kind: 'test', ...half, value: { kind: 'field', path: other.value } })
}

function readPlainValue(cursor: Cursor, half: HalfTest): Read<ConditionTest> {
  const isLiteral = take(cursor, LITERAL_MARK)
  const value = readValue(cursor)
  if (!value.ok) return value
  const isEmpty = value.value === ''
  if (isEmpty && half.operator === '=') return succeed({ kind: 'test', ...half, operator: 'ISEMPTY', value: NO_VALUE })
  if (isEmpty && half.operator === '!=')
    return succeed({ kind: 'test', ...half, operator: 'ISNOTEMPTY', value: NO_VALUE })
  return succeed({ kind: 'test', ...half, value: typedValue(half.operator, value.value, isLiteral) })
}

function readWords(cursor: Cursor, path: readonly string[], position: number): Read<ConditionTest> {
  const wordsAt = cursor.at
  const words = readValue(cursor)
  if (!words.ok) return words
  if (words.value === '') return bad(wordsAt, 'Expected the words to search for.')
  return succeed({ kind: 'test', path, operator: 'ARE', value: { kind: 'words', text: words.value }, position })
}

// ── the smallest parts ──

function readPath(cursor: Cursor, what: string): Read<readonly string[]> {
  const path: string[] = []
  do {
    const from = cursor.at
    const name = cursor.names === 'keys' && looksAt(cursor, '"') ? readQuotedName(cursor) : succeed(readName(cursor))
    if (!name.ok) return name
    if (name.value === '') return expected(cursor, path.length === 0 ? what : `a field name after ${path.join('.')}.`)
    if (path.length > MAX_HOPS && cursor.names === 'columns') {
      return bad(from, `A field may walk through at most ${MAX_HOPS} references.`, path.join('.'))
    }
    path.push(name.value)
  } while (take(cursor, '.'))
  return succeed(path)
}

function readName(cursor: Cursor): string {
  const from = cursor.at
  while (isNameUnit(cursor.text.charCodeAt(cursor.at), cursor.at > from)) {
    cursor.at += 1
    cursor.steps += 1
  }
  return cursor.text.slice(from, cursor.at)
}

/** A name in double quotes; inside of them `""` is one quote, and everything else stands for itself. */
function readQuotedName(cursor: Cursor): Read<string> {
  const from = cursor.at
  let to = cursor.text.indexOf('"', from + 1)
  while (to >= 0 && cursor.text[to + 1] === '"') to = cursor.text.indexOf('"', to + 2)
  if (to < 0) return bad(from, 'The key that begins here has no closing quote.')
  cursor.steps += to - from
  cursor.at = to + 1
  const name = cursor.text.slice(from + 1, to).replaceAll('""', '"')
  return name === '' ? bad(from, 'Expected a key between the quotes.') : succeed(name)
}

const CARET = 0x5e
const BACKSLASH = 0x5c
const OPENING = 0x28
const CLOSING = 0x29

function isNameUnit(unit: number, mayBeDigit: boolean): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || unit === 0x5f || (mayBeDigit && unit >= 0x30 && unit <= 0x39)
}

/** Up to the `^` or `)` that ends it, which is left standing; escapes undone. */
function readValue(cursor: Cursor): Read<string> {
  const { text } = cursor
  let value = ''
  let ownBrackets = 0
  let copiedTo = cursor.at
  while (cursor.at < text.length) {
    cursor.steps += 1
    const unit = text.charCodeAt(cursor.at)
    if (unit === CARET) {
      const escaped = text.charCodeAt(cursor.at + 1)
      if (escaped !== CARET && escaped !== BACKSLASH) break
      const escapeUnits = escaped === CARET ? 1 : 2
      if (cursor.at + escapeUnits === text.length) return bad(text.length, 'Expected a character after ^\\.')
      value += text.slice(copiedTo, cursor.at)
      copiedTo = cursor.at + escapeUnits
      cursor.at = copiedTo
    } else if (cursor.openBrackets > 0 && unit === OPENING) {
      ownBrackets += 1
    } else if (cursor.openBrackets > 0 && unit === CLOSING) {
      if (ownBrackets === 0) break
      ownBrackets -= 1
    }
    cursor.at += 1
  }
  return succeed(value + text.slice(copiedTo, cursor.at))
}

const DONE: Read<void> = succeed(undefined)

function looksAt(cursor: Cursor, part: string): boolean {
  cursor.steps += 1
  return cursor.text.startsWith(part, cursor.at)
}

function take(cursor: Cursor, part: string): boolean {
  if (!looksAt(cursor, part)) return false
  cursor.at += part.length
  return true
}

function atEnd(cursor: Cursor): boolean {
  return cursor.at === cursor.text.length
}

function atEndOfTest(cursor: Cursor): boolean {
  return atEnd(cursor) || looksAt(cursor, '^') || (cursor.openBrackets > 0 && looksAt(cursor, ')'))
}

function expected(cursor: Cursor, what: string): Read<never> {
  return bad(cursor.at, `Expected ${what}, found ${found(cursor)}.`)
}

/** A few characters for an error message; long values and broken pairs do not belong into one. */
function found(cursor: Cursor): string {
  if (atEnd(cursor)) return 'the end of the query'
  const maxUnits = 20
  const rest = cursor.text.slice(cursor.at, cursor.at + maxUnits)
  const cut = rest.indexOf('^', 1)
  return `"${(cut < 0 ? rest : rest.slice(0, cut)).toWellFormed()}"`
}

function bad(position: number, detail: string, field?: string): Read<never> {
  return refuse({ kind: 'bad-query', detail, position, ...(field === undefined ? {} : { field }) })
}
