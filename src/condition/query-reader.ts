import type { ProblemOf } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import type { OrderTerm } from './condition-tree.ts'

/** UTF-16 units of the decoded text. A saved filter with hundreds of ids fits; more ids need several requests. */
export const MAX_QUERY_UNITS = 65_536
/** Open brackets at one place. People write two or three, generators a dozen; the parser and the compiler recurse on them. */
export const MAX_BRACKET_LEVELS = 32
/** Conditions of one query. Each may be a join, and above some hundreds planning takes longer than reading. */
export const MAX_CONDITIONS = 500
/** Orders of one query. Each is a sort key; nobody reads a list that is sorted by more columns than a screen shows. */
export const MAX_ORDERS = 20
/** Other tables in conditions on another table. Each is a subquery for each row of the one around it. */
export const MAX_ROWS_LEVELS = 2
/** Maximum count of rows of another table in a condition; nobody needs more, and it fits an integer of PostgreSQL. */
export const MAX_COUNTED_ROWS = 1_000_000_000
/** Dots of one field: references of its path (docs/spec/records.md, section 6). Each is a join. */
export const MAX_HOPS = 5

export type BadQuery = ProblemOf<'bad-query'>
export type Read<T> = Result<T, BadQuery>

/** `columns`: names of a table's columns. `keys`: keys of metadata, which may be any text and have no limit of dots. */
export type Names = 'columns' | 'keys'

/**
 * Reads the smallest parts of an encoded query: fixed words, fields and values. Contains the position of the parser, which is its only
 * state; one instance per query.
 */
export class QueryReader {
  readonly text: string
  readonly names: Names
  /** Offset of the next character, in UTF-16 units. */
  at = 0
  /** Number of examined characters. */
  steps = 0
  openBrackets = 0
  /** Conditions on other tables open at once. */
  rowsLevels = 0
  /** The current conditions are those of a JOIN, outside any bracket of theirs: the next JOIN ends them. */
  isInJoin = false
  /** Conditions read so far. */
  conditions = 0
  readonly orders: OrderTerm[] = []

  constructor(text: string, names: Names) {
    this.text = text
    this.names = names
  }

  looksAt(part: string): boolean {
    this.steps += 1
    return this.text.startsWith(part, this.at)
  }

  take(part: string): boolean {
    if (!this.looksAt(part)) return false
    this.at += part.length
    return true
  }

  atEnd(): boolean {
    return this.at === this.text.length
  }

  atEndOfComparison(): boolean {
    return this.atEnd() || this.looksAt('^') || (this.openBrackets > 0 && this.looksAt(')'))
  }

  readPath(what: string): Read<readonly string[]> {
    const path: string[] = []
    do {
      const from = this.at
      const name = this.names === 'keys' && this.looksAt('"') ? this.#readQuotedName() : succeed(this.#readName())
      if (!name.ok) return name
      if (name.value === '') return this.expected(path.length === 0 ? what : `a field name after ${path.join('.')}.`)
      if (path.length > MAX_HOPS && this.names === 'columns') {
        return badQuery(from, `A field may lead through at most ${MAX_HOPS} references.`, path.join('.'))
      }
      path.push(name.value)
    } while (this.take('.'))
    return succeed(path)
  }

  #readName(): string {
    const from = this.at
    while (isNameUnit(this.text.charCodeAt(this.at), this.at > from)) {
      this.at += 1
      this.steps += 1
    }
    return this.text.slice(from, this.at)
  }

  /** A name in double quotes; inside, `""` is one quote, and every other character is literal. */
  #readQuotedName(): Read<string> {
    const from = this.at
    let to = this.text.indexOf('"', from + 1)
    while (to >= 0 && this.text[to + 1] === '"') to = this.text.indexOf('"', to + 2)
    if (to < 0) return badQuery(from, 'The key that begins here has no closing quote.')
    this.steps += to - from
    this.at = to + 1
    const name = this.text.slice(from + 1, to).replaceAll('""', '"')
    return name === '' ? badQuery(from, 'Expected a key between the quotes.') : succeed(name)
  }

  /** Up to the `^` or `)` that ends it, which is not consumed; escapes are resolved. */
  readValue(): Read<string> {
    const { text } = this
    let value = ''
    let ownBrackets = 0
    let copiedTo = this.at
    while (this.at < text.length) {
      this.steps += 1
      const unit = text.charCodeAt(this.at)
      if (unit === CARET) {
        const escaped = text.charCodeAt(this.at + 1)
        if (escaped !== CARET && escaped !== BACKSLASH) break
        const escapeUnits = escaped === CARET ? 1 : 2
        if (this.at + escapeUnits === text.length) return badQuery(text.length, 'Expected a character after ^\\.')
        value += text.slice(copiedTo, this.at)
        copiedTo = this.at + escapeUnits
        this.at = copiedTo
      } else if (this.openBrackets > 0 && unit === OPENING) {
        ownBrackets += 1
      } else if (this.openBrackets > 0 && unit === CLOSING) {
        if (ownBrackets === 0) break
        ownBrackets -= 1
      }
      this.at += 1
    }
    return succeed(value + text.slice(copiedTo, this.at))
  }

  expected(what: string): Read<never> {
    return badQuery(this.at, `Expected ${what}, found ${this.found()}.`)
  }

  /** A few characters for an error message, without long values and lone surrogates. */
  found(): string {
    if (this.atEnd()) return 'the end of the query'
    const maxUnits = 20
    const rest = this.text.slice(this.at, this.at + maxUnits)
    const cut = rest.indexOf('^', 1)
    return `"${(cut < 0 ? rest : rest.slice(0, cut)).toWellFormed()}"`
  }
}

const CARET = 0x5e
const BACKSLASH = 0x5c
const OPENING = 0x28
const CLOSING = 0x29

function isNameUnit(unit: number, mayBeDigit: boolean): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || unit === 0x5f || (mayBeDigit && unit >= 0x30 && unit <= 0x39)
}

export function badQuery(position: number, detail: string, field?: string): Read<never> {
  return fail({ kind: 'bad-query', detail, position, ...(field === undefined ? {} : { field }) })
}
