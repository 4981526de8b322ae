import { fail, type Result, succeed } from '../../kernel/result.ts'

/**
 * Reads the regular expression of MATCH_RGX, a subset that PostgreSQL matches in one pass over the text, and writes it as
 * PostgreSQL's own (the law of docs/operators.md). What needs more than one pass is left out: references back, lookaround, lazy and
 * possessive quantifiers, word boundaries.
 *
 *   regex  = [ "^" ] choice [ "$" ]                      the whole value has to match, with or without the two
 *   choice = part { "|" part }
 *   part   = { atom [ "*" | "+" | "?" | "{" n [ "," [ m ] ] "}" ] }
 *   atom   = character | "." | class | escape | "(" [ "?:" ] choice ")"
 *   class  = "[" [ "^" ] { character [ "-" character ] | escape } "]"
 *   escape = "\" ( "d" | "w" | "s" | "D" | "W" | "S" | "t" | "n" | "r" | a character that is neither a letter nor a digit )
 */
export function readRegex(text: string): Result<string, string> {
  if (text === '') return fail('Expected a regular expression, such as INC[0-9]+.')
  if (text.length > MAX_REGEX_UNITS) {
    return fail(`A regular expression has at most ${MAX_REGEX_UNITS} characters, found ${text.length}.`)
  }
  const cursor: Cursor = { text, at: text.startsWith('^') ? 1 : 0, open: 0 }
  const choice = readChoice(cursor)
  if (!choice.ok) return choice
  if (cursor.text[cursor.at] === '$' && cursor.at === text.length - 1) cursor.at += 1
  if (cursor.at < text.length) return unexpected(cursor, 'the end of the expression')
  if (choice.value.size > MAX_STATES) {
    return fail(
      `The regular expression is too large: its repetitions make ${choice.value.size} steps of it, and ${MAX_STATES} are allowed.`,
    )
  }
  return succeed(`^(?:${choice.value.sql})$`)
}

/** UTF-16 units. */
export const MAX_REGEX_UNITS = 200
/** Of one quantifier. */
export const MAX_REPEATS = 100
/** Characters and classes, each counted as often as it is repeated: the maximum cost of one step over a character of the text. */
export const MAX_STATES = 200
const MAX_GROUPS_OPEN = 10
/** Characters of a range in a class, such as a-z. */
const MAX_RANGE = 2_000

interface Cursor {
  readonly text: string
  at: number
  open: number
}

interface Part {
  readonly sql: string
  readonly size: number
}

type Read<T> = Result<T, string>

function readChoice(cursor: Cursor): Read<Part> {
  let sql = ''
  let size = 0
  for (;;) {
    const part = readSequence(cursor)
    if (!part.ok) return part
    sql += part.value.sql
    size += part.value.size
    if (cursor.text[cursor.at] !== '|') return succeed({ sql, size })
    cursor.at += 1
    sql += '|'
  }
}

function readSequence(cursor: Cursor): Read<Part> {
  let sql = ''
  let size = 0
  while (cursor.at < cursor.text.length && !endsSequence(cursor)) {
    const atom = readAtom(cursor)
    if (!atom.ok) return atom
    const repeated = readQuantifier(cursor, atom.value)
    if (!repeated.ok) return repeated
    sql += repeated.value.sql
    size += repeated.value.size
  }
  // PostgreSQL accepts an empty branch only as a group.
  return succeed({ sql: sql === '' ? '(?:)' : sql, size })
}

function endsSequence({ text, at }: Cursor): boolean {
  const character = text[at]
  return character === '|' || character === ')' || (character === '$' && at === text.length - 1)
}

const META = /[.*+?^${}()|[\]\\]/

function readAtom(cursor: Cursor): Read<Part> {
  const character = characterAt(cursor)
  switch (character) {
    case '(':
      return readGroup(cursor)
    case '[':
      return readClass(cursor)
    case '\\': {
      const escaped = readEscape(cursor)
      return escaped.ok ? succeed({ sql: escaped.value.sql, size: 1 }) : escaped
    }
    case '.':
      cursor.at += 1
      return succeed({ sql: '.', size: 1 })
    default:
      if (META.test(character)) {
        return unexpected(cursor, `a character; ${character} for itself is written \\${character}`)
      }
      cursor.at += character.length
      return succeed({ sql: literal(character), size: 1 })
  }
}

function readGroup(cursor: Cursor): Read<Part> {
  const from = cursor.at
  if (cursor.open === MAX_GROUPS_OPEN)
    return fail(`More than ${MAX_GROUPS_OPEN} groups are open at once in the regular expression.`)
  cursor.at += 1
  if (cursor.text.startsWith('?:', cursor.at)) cursor.at += 2
  else if (cursor.text[cursor.at] === '?') {
    return unexpected(
      cursor,
      '?: or the content of the group; lookaround, names and flags are not part of this language',
    )
  }
  cursor.open += 1
  const choice = readChoice(cursor)
  if (!choice.ok) return choice
  if (cursor.text[cursor.at] !== ')') return unexpected(cursor, `the ) of the group opened at position ${from}`)
  cursor.at += 1
  cursor.open -= 1
  return succeed({ sql: `(?:${choice.value.sql})`, size: choice.value.size + 1 })
}

function readQuantifier(cursor: Cursor, atom: Part): Read<Part> {
  const found = /^(?:[*+?]|\{(\d{1,4})(,(\d{0,4}))?\})/.exec(cursor.text.slice(cursor.at, cursor.at + 12))
  if (found === null) return cursor.text[cursor.at] === '{' ? unexpected(cursor, '{n}, {n,} or {n,m}') : succeed(atom)
  const [quantifier, min = '0', range, max = ''] = found
  const from = Number(min)
  const to = range === undefined ? from : max === '' ? from : Number(max)
  if (to < from || to > MAX_REPEATS)
    return unexpected(cursor, `a repetition from the less to the more, at most ${MAX_REPEATS} times`)
  cursor.at += quantifier.length
  if (/[*+?{]/.test(cursor.text[cursor.at] ?? '')) {
    return unexpected(cursor, 'one quantifier; lazy and possessive ones are not part of this language')
  }
  const isOpen = range !== undefined && max === ''
  const times = quantifier.startsWith('{') ? Math.max(1, to) + (isOpen ? 1 : 0) : 1
  return succeed({ sql: `${atom.sql}${quantifier}`, size: atom.size * times })
}

// ── classes and escapes ──

function readClass(cursor: Cursor): Read<Part> {
  const from = cursor.at
  cursor.at += 1
  let sql = '['
  if (cursor.text[cursor.at] === '^') {
    sql += '^'
    cursor.at += 1
  }
  let members = 0
  while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== ']') {
    const member = readMember(cursor)
    if (!member.ok) return member
    sql += member.value
    members += 1
  }
  if (cursor.at >= cursor.text.length) return unexpected(cursor, `the ] of the class opened at position ${from}`)
  if (members === 0) return unexpected(cursor, 'a character of the class; ] for itself is written \\]')
  cursor.at += 1
  return succeed({ sql: `${sql}]`, size: 1 })
}

function readMember(cursor: Cursor): Read<string> {
  const from = readCharacter(cursor)
  if (!from.ok) return from
  if (from.value.single === null) return succeed(from.value.sql)
  if (cursor.text[cursor.at] !== '-' || cursor.text[cursor.at + 1] === ']') return succeed(from.value.sql)
  cursor.at += 1
  const to = readCharacter(cursor)
  if (!to.ok) return to
  const [low, high] = [from.value.single, to.value.single?.codePointAt(0)]
  const span = high === undefined ? -1 : high - (low.codePointAt(0) ?? 0)
  if (span < 0 || span > MAX_RANGE) {
    return unexpected(cursor, `a range from the lower to the higher character, of at most ${MAX_RANGE}`)
  }
  return succeed(`${from.value.sql}-${to.value.sql}`)
}

interface Character {
  readonly sql: string
  /** The character; null for a class such as \d. */
  readonly single: string | null
}

/** One member of a class. A `-` at either end, or escaped, is a character. */
function readCharacter(cursor: Cursor): Read<Character> {
  const character = characterAt(cursor)
  if (character === '\\') {
    const escaped = readEscape(cursor)
    if (!escaped.ok || escaped.value.single !== null || /[dws]/.test(escaped.value.sql)) return escaped
    return unexpected(cursor, '\\d, \\w or \\s: the others have no place in a class')
  }
  if (character === '[') return unexpected(cursor, 'a character of the class; [ for itself is written \\[')
  cursor.at += character.length
  return succeed({ sql: literal(character), single: character })
}

const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' }

function readEscape(cursor: Cursor): Read<Character> {
  const escaped = characterAt({ ...cursor, at: cursor.at + 1 })
  const control = CONTROLS[escaped]
  if (/^[dwsDWS]$/.test(escaped)) {
    cursor.at += 2
    return succeed({ sql: `\\${escaped}`, single: null })
  }
  if (escaped === '' || (control === undefined && /^[\p{L}\p{N}_]$/u.test(escaped))) {
    return unexpected(
      cursor,
      '\\d, \\w, \\s, \\D, \\W, \\S, \\t, \\n, \\r or \\ and a character that is neither a letter nor a digit',
    )
  }
  cursor.at += 1 + escaped.length
  return succeed({ sql: literal(control ?? escaped), single: control ?? escaped })
}

/** A literal character in PostgreSQL's syntax, in a class and outside. */
function literal(character: string): string {
  return /^[\p{L}\p{N}]$/u.test(character)
    ? character
    : `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`
}

function characterAt({ text, at }: Cursor): string {
  const code = text.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

function unexpected(cursor: Cursor, expected: string): Result<never, string> {
  const rest = cursor.text.slice(cursor.at, cursor.at + 10)
  const found = rest === '' ? 'the end' : `"${rest.toWellFormed()}"`
  return fail(
    `The regular expression cannot be read at its position ${cursor.at}: expected ${expected}, found ${found}.`,
  )
}
