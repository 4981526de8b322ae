/**
 * Reads an encoded query (docs/spec/records.md, section 6; the filters of documents are the same language).
 *
 *   query   = [ orders ] [ expr ]                         either may stand alone; both may be missing
 *           | "()" [ orders ]                             no condition; condition builders write it around an empty one
 *   orders  = [ "^" ] order { "^" order } [ "^" ]         the last ^ only when a condition follows
 *   expr    = group [ end ] { "^NQ" group [ end ] }       OR of whole groups, binds loosest
 *   group   = conj { "^" conj }                           AND
 *   conj    = prim { "^OR" prim }                         OR, binds tightest: a^b^ORc is a AND (b OR c)
 *   prim    = "(" expr ")" | comparison | join | count
 *   join    = "JOIN" column "=" column [ "!" [ group ] ]                rows of another table; ends at the next JOIN, too
 *   count   = "RLQUERY" column "," ( "=" | "!=" | "<" | ">" | "<=" | ">=" ) digits [ ",m2m" ] [ "^" expr ] "^ENDRLQUERY"
 *   column  = name "." name                                             a table and one of its columns
 *   comparison = field operator [ value ]
 *           | "ARE" words | "123TEXTQUERY321" ( "=" | "ARE" ) words      full text over the record
 *   end     = "^EQ" | "^"                                 no effect; condition builders write them. Both may also be the whole query
 *   order   = ( "ORDERBYDESC" | "ORDERBY" | "GROUPBY" ) field           GROUPBY sorts like ORDERBY
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
import { type Result, succeed } from '../kernel/result.ts'
import { allOf, anyOf } from './combine-conditions.ts'
import type { ConditionTree, EncodedQuery } from './condition-tree.ts'
import { misplacedOrder, parseComparison } from './parse-comparison.ts'
import { looksAtRows, parseRows } from './parse-rows.ts'
import {
  type BadQuery,
  badQuery,
  MAX_BRACKET_LEVELS,
  MAX_ORDERS,
  MAX_QUERY_UNITS,
  type Names,
  QueryReader,
  type Read,
} from './query-reader.ts'

type OneOrMore<T> = [T, ...T[]]

/**
 * @param text the decoded text of `sysparm_query`; '' means "every record"
 * @returns the query, its condition in normal form; or a `bad-query` with the offset (UTF-16 units, 0 to the text's length) at which
 * something else was expected, and what
 */
export function parseEncodedQuery(text: string): Result<EncodedQuery, BadQuery> {
  return parseCountingSteps(text).result
}

/** The same for a filter over metadata, whose keys may be in quotes: `"projectId"=p1`. */
export function parseMetadataFilter(text: string): Result<EncodedQuery, BadQuery> {
  return parseCountingSteps(text, 'keys').result
}

/** The same, with the number of examined characters: a test checks with it, without a clock, that the parser is linear. */
export function parseCountingSteps(
  text: string,
  names: Names = 'columns',
): { readonly result: Read<EncodedQuery>; readonly steps: number } {
  const reader = new QueryReader(text, names)
  const result = checkText(text) ?? readQuery(reader)
  return { result, steps: reader.steps }
}

/** Rejects what no stored text can contain; the error of the database would come later and be less clear. */
function checkText(text: string): Read<never> | undefined {
  if (text.length > MAX_QUERY_UNITS) {
    return badQuery(
      MAX_QUERY_UNITS,
      `The query is ${text.length} characters long; at most ${MAX_QUERY_UNITS} are allowed.`,
    )
  }
  const zero = text.indexOf('\0')
  if (zero >= 0) return badQuery(zero, 'The query holds the character U+0000, which no stored text can hold.')
  if (text.isWellFormed()) return undefined
  return badQuery(text.search(/\p{Surrogate}/u), 'The query holds half of a surrogate pair, which is not a character.')
}

function readQuery(reader: QueryReader): Read<EncodedQuery> {
  skipGroupEnd(reader)
  skipEmptyBrackets(reader)
  const leading = readLeadingOrders(reader)
  if (!leading.ok) return leading
  skipGroupEnd(reader)
  if (reader.atEnd()) return succeed({ where: null, orders: reader.orders })
  const where = readExpression(reader)
  if (!where.ok) return where
  if (!reader.atEnd()) return reader.expected('^, ^OR, ^NQ or the end of the query')
  return succeed({ where: where.value, orders: reader.orders })
}

/** Clients write brackets around any conditions, even around none. */
function skipEmptyBrackets(reader: QueryReader): void {
  const rest = reader.at + 2
  const isAlone = rest === reader.text.length || /^\^?(ORDER|GROUP)BY/.test(reader.text.slice(rest, rest + 8))
  if (isAlone) reader.take('()')
}

function readExpression(reader: QueryReader): Read<ConditionTree> {
  const first = readGroup(reader)
  if (!first.ok) return first
  const groups: OneOrMore<ConditionTree> = [first.value]
  while (reader.take('^NQ')) {
    const leading = isOutermost(reader) ? readLeadingOrders(reader) : DONE
    if (!leading.ok) return leading
    const group = readGroup(reader)
    if (!group.ok) return group
    groups.push(group.value)
  }
  return succeed(anyOf(groups))
}

function readGroup(reader: QueryReader): Read<ConditionTree> {
  const first = readAlternatives(reader)
  if (!first.ok) return first
  const members: OneOrMore<ConditionTree> = [first.value]
  while (!endsGroup(reader) && reader.take('^')) {
    const member = readAlternatives(reader)
    if (!member.ok) return member
    members.push(member.value)
  }
  const ended = readGroupEnd(reader)
  return ended.ok ? succeed(allOf(members)) : ended
}

/** `^EQ`, the orders after it, and a last `^`. */
function readGroupEnd(reader: QueryReader): Read<void> {
  if (!skipGroupEnd(reader)) return DONE
  const trailing = readTrailingOrders(reader, false)
  if (trailing.ok) skipGroupEnd(reader)
  return trailing
}

const endsGroup = (reader: QueryReader): boolean => reader.looksAt('^NQ') || endsRows(reader) || groupEndAt(reader) > 0

/** The conditions on another table end here, so what follows belongs to the conditions around them. */
const endsRows = (reader: QueryReader): boolean =>
  reader.rowsLevels > 0 && (reader.looksAt('^ENDRLQUERY') || (reader.isInJoin && endsJoin(reader)))

const endsJoin = (reader: QueryReader): boolean =>
  reader.looksAt('^JOIN') || reader.looksAt('^ORJOIN') || looksAtOrder(reader, '^')

function skipGroupEnd(reader: QueryReader): boolean {
  const units = groupEndAt(reader)
  reader.at += units
  return units > 0
}

/** Units of the `^EQ` or `^` that is here and ends the group; 0: none. */
function groupEndAt(reader: QueryReader): number {
  if (!reader.looksAt('^')) return 0
  const units = reader.looksAt('^EQ') ? 3 : 1
  const rest = reader.at + units
  reader.steps += 1
  if (rest === reader.text.length || (reader.openBrackets > 0 && reader.text[rest] === ')')) return units
  const goesOn =
    (reader.rowsLevels > 0 && (reader.text.startsWith('^ENDRLQUERY', rest) || reader.text.startsWith('^JOIN', rest))) ||
    reader.text.startsWith('^NQ', rest) ||
    /^\^(ORDER|GROUP)BY/.test(reader.text.slice(rest, rest + 8)) ||
    isLastCaret(reader, rest)
  return units === 3 && goesOn ? units : 0
}

const isLastCaret = ({ text }: QueryReader, at: number): boolean => text[at] === '^' && at + 1 === text.length

function readAlternatives(reader: QueryReader): Read<ConditionTree> {
  const first = readPrimary(reader)
  if (!first.ok) return first
  const alternatives: OneOrMore<ConditionTree> = [first.value]
  while (!endsRows(reader) && reader.take('^OR')) {
    const alternative = readPrimary(reader)
    if (!alternative.ok) return alternative
    alternatives.push(alternative.value)
  }
  return succeed(anyOf(alternatives))
}

/** One bracket or comparison, and the orders after it. */
function readPrimary(reader: QueryReader): Read<ConditionTree> {
  const isBracket = reader.looksAt('(')
  const primary = isBracket
    ? readBracket(reader)
    : looksAtRows(reader)
      ? parseRows(reader, { readGroup, readExpression })
      : parseComparison(reader)
  if (!primary.ok || reader.isInJoin) return primary
  const trailing = readTrailingOrders(reader, isBracket)
  return trailing.ok ? primary : trailing
}

function readBracket(reader: QueryReader): Read<ConditionTree> {
  const opened = reader.at
  if (reader.openBrackets === MAX_BRACKET_LEVELS) {
    return badQuery(opened, `More than ${MAX_BRACKET_LEVELS} brackets are open at once.`)
  }
  reader.take('(')
  reader.openBrackets += 1
  const { isInJoin } = reader
  reader.isInJoin = false
  const inner = readExpression(reader)
  reader.isInJoin = isInJoin
  if (!inner.ok) return inner
  if (!reader.take(')')) return reader.expected(`^, ^OR, ^NQ or the ) of the bracket opened at position ${opened}`)
  reader.openBrackets -= 1
  return inner
}

// ── orders ──

const isOutermost = ({ openBrackets, rowsLevels }: QueryReader): boolean => openBrackets === 0 && rowsLevels === 0

const looksAtOrder = (reader: QueryReader, caret: '' | '^' = ''): boolean =>
  reader.looksAt(`${caret}ORDERBY`) || reader.looksAt(`${caret}GROUPBY`)

/** Orders before a condition and the `^` between them. Stops at the end or at a condition. */
function readLeadingOrders(reader: QueryReader): Read<void> {
  while (looksAtOrder(reader) || looksAtOrder(reader, '^')) {
    reader.take('^')
    const order = readOrder(reader)
    if (!order.ok) return order
    if (reader.atEnd() || looksAtOrder(reader, '^')) continue
    if (groupEndAt(reader) > 0) break
    if (reader.looksAt('^OR') || reader.looksAt('^NQ')) return reader.expected('a condition before ^OR and ^NQ')
    if (!reader.take('^')) return reader.expected('^ or the end of the query after an order')
  }
  return DONE
}

function readTrailingOrders(reader: QueryReader, isAfterBracket: boolean): Read<void> {
  let mayLackCaret = isAfterBracket
  while (looksAtOrder(reader, '^') || (mayLackCaret && looksAtOrder(reader))) {
    if (!isOutermost(reader)) return badQuery(reader.at, misplacedOrder(reader))
    reader.take('^')
    const order = readOrder(reader)
    if (!order.ok) return order
    mayLackCaret = false
  }
  return DONE
}

function readOrder(reader: QueryReader): Read<void> {
  const position = reader.at
  if (reader.orders.length === MAX_ORDERS) return badQuery(position, `A query may have at most ${MAX_ORDERS} orders.`)
  const direction =
    !reader.take('GROUPBY') && reader.take('ORDERBY') && reader.take('DESC') ? 'descending' : 'ascending'
  const path = reader.readPath('the field to order by')
  if (!path.ok) return path
  reader.orders.push({ path: path.value, direction, position })
  return DONE
}

const DONE: Read<void> = succeed(undefined)
