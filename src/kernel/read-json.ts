import { digitsAsText, isExact, keepDigits } from './exact-json.ts'
import type { Problem } from './problem.ts'
import { fail, type Result, succeed } from './result.ts'

/** Deeper nesting is rejected: later code may visit the value recursively. */
export const maxJsonDepth = 100

/**
 * Reads a JSON text (RFC 8259) and keeps what `JSON.parse` alone would lose silently:
 *
 *  * a number that a double cannot hold, such as an 18-digit sys_id without quotes, becomes its exact digits as a string, or a `LongNumber`
 *  if the body may contain values of json columns;
 *  * a duplicate key in an object is rejected; its last value does not win;
 *  * U+0000 and lone surrogates, which PostgreSQL's text cannot hold, are rejected here, with their offset.
 *
 * An error gives its offset, also where `JSON.parse` gives none. `__proto__` is an ordinary key: `JSON.parse` makes it an own property.
 * Time is linear in the text; 1 KB of a record takes about 5 µs. A long list of numbers, such as a vector, takes half of what its
 * numbers one by one would.
 */
export function readJson(text: string, longNumbers: LongNumbers = 'as-text'): Result<unknown, Problem> {
  const inspection = new Inspection(text)
  const fault = inspection.run()
  if (fault !== null) return fail({ kind: 'bad-json', ...fault })
  return succeed(inspection.holdsInexactNumber ? JSON.parse(text, revivers[longNumbers]) : JSON.parse(text))
}

/** How numbers that a double cannot hold are read. */
export type LongNumbers = 'as-text' | 'as-numbers'
const revivers = { 'as-text': digitsAsText, 'as-numbers': keepDigits } as const

interface Fault {
  readonly detail: string
  /** Offset into the text, in UTF-16 units. */
  readonly position: number
}

/** One pass over the text. A class, because its state is read after it ran. */
class Inspection {
  holdsInexactNumber = false
  private readonly text: string
  /** The text has neither escapes nor control characters, so a string ends at the next quote. */
  private readonly isPlain: boolean
  private at = 0
  private fault: Fault | null = null

  constructor(text: string) {
    this.text = text
    this.isPlain = !escapesOrControls.test(text)
  }

  run(): Fault | null {
    this.skipSpace()
    if (this.at === this.text.length) return { detail: 'it is empty', position: 0 }
    // One entry for each open bracket: the keys seen so far of an object, null for an array.
    const open: (Set<string> | null)[] = []
    for (;;) {
      const closed = this.value(open)
      if (this.fault !== null) return this.fault
      if (!closed) continue
      if (!this.afterValue(open)) return this.fault
      if (open.length === 0) return this.end()
    }
  }

  /** Reads a scalar, or opens a bracket and stops before its first value; true if a value is complete. */
  private value(open: (Set<string> | null)[]): boolean {
    const code = this.text.charCodeAt(this.at)
    switch (code) {
      case 0x22:
        this.string()
        return true
      case 0x7b:
      case 0x5b:
        return this.openBracket(open, code === 0x7b)
      case 0x74:
        return this.word('true')
      case 0x66:
        return this.word('false')
      case 0x6e:
        return this.word('null')
      default:
        return this.number()
    }
  }

  private openBracket(open: (Set<string> | null)[], isObject: boolean): boolean {
    if (open.length === maxJsonDepth) {
      this.failHere(`it is nested deeper than ${maxJsonDepth} levels`)
      return false
    }
    if (!isObject && this.listOfNumbers()) return true
    this.at++
    this.skipSpace()
    if (this.text[this.at] === (isObject ? '}' : ']')) {
      this.at++
      return true
    }
    const keys = isObject ? new Set<string>() : null
    open.push(keys)
    if (keys !== null) this.key(keys)
    return false
  }

  /**
   * Steps over a long list of numbers. V8 writes it again in half of the time in which it would write number by number: those that it writes
   * as they are here are exact. A list with an error is inspected number by number, to say where.
   */
  private listOfNumbers(): boolean {
    const to = this.text.indexOf(']', this.at) + 1
    if (to - this.at < minLengthOfList) return false
    const list = this.text.slice(this.at, to)
    if (!onlyNumbers.test(list)) return false
    const written = writtenByV8(list)
    if (written === null) return false
    this.at = to
    if (!this.holdsInexactNumber && !areExact(list.replace(spaces, ''), written)) this.holdsInexactNumber = true
    return true
  }

  /** Closes what ends here and steps over a comma; false on an error. True with nothing open: the text's value is complete. */
  private afterValue(open: (Set<string> | null)[]): boolean {
    for (;;) {
      this.skipSpace()
      const keys = open.at(-1)
      if (keys === undefined) return true
      const character = this.text[this.at]
      if (character === ',') {
        this.at++
        this.skipSpace()
        if (keys !== null) this.key(keys)
        return this.fault === null
      }
      const bracket = keys === null ? ']' : '}'
      if (character !== bracket) {
        this.failHere(`a comma or ${bracket} was expected`)
        return false
      }
      this.at++
      open.pop()
    }
  }

  private key(keys: Set<string>): void {
    const from = this.at
    if (this.text[from] !== '"') {
      this.failHere('a key in double quotes was expected')
      return
    }
    this.string()
    if (this.fault !== null) return
    const raw = this.text.slice(from + 1, this.at - 1)
    const key = !this.isPlain && raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw
    if (keys.has(key)) {
      this.fault = { detail: `the key ${JSON.stringify(key.slice(0, 100))} occurs twice`, position: from }
      return
    }
    keys.add(key)
    this.skipSpace()
    if (this.text[this.at] !== ':') {
      this.failHere('a colon was expected')
      return
    }
    this.at++
    this.skipSpace()
  }

  private string(): void {
    const from = this.at
    this.at++
    if (this.isPlain) {
      const end = this.text.indexOf('"', this.at)
      if (end === -1) this.fault = { detail: 'the string that begins here has no end', position: from }
      else this.at = end + 1
      return
    }
    for (;;) {
      plain.lastIndex = this.at
      plain.test(this.text)
      this.at = plain.lastIndex
      const code = this.text.charCodeAt(this.at)
      if (code === 0x22) {
        this.at++
        break
      }
      if (Number.isNaN(code)) {
        this.fault = { detail: 'the string that begins here has no end', position: from }
        return
      }
      if (code !== 0x5c) {
        this.failHere('a control character inside a string must be written as an escape')
        return
      }
      if (!this.escape()) return
    }
  }

  /** Steps over one escape; a pair of surrogates is one. */
  private escape(): boolean {
    escapes.lastIndex = this.at
    const found = escapes.exec(this.text)
    if (found === null) {
      this.failHere('this escape does not exist')
      return false
    }
    const [written] = found
    if (written === '\\u0000') {
      this.failHere('text cannot hold the character U+0000')
      return false
    }
    if (/^\\u[dD][89a-fA-F]/.test(written) && written.length === 6) {
      this.failHere('half of a surrogate pair is not a character')
      return false
    }
    this.at += written.length
    return true
  }

  private word(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) {
      this.failHere('a value was expected')
      return false
    }
    this.at += word.length
    return true
  }

  private number(): boolean {
    number.lastIndex = this.at
    const found = number.exec(this.text)
    if (found === null) {
      this.failHere(this.at === this.text.length ? 'it ends where a value was expected' : 'a value was expected')
      return false
    }
    this.at += found[0].length
    if (!isExact(found[0])) this.holdsInexactNumber = true
    return true
  }

  private end(): Fault | null {
    this.skipSpace()
    return this.at === this.text.length ? null : { detail: 'something follows its end', position: this.at }
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }

  private failHere(detail: string): void {
    this.fault ??= { detail, position: this.at }
  }
}

/** UTF-16 units. Shorter lists are inspected as quickly number by number. */
const minLengthOfList = 256
const onlyNumbers = /^\[[\d.,eE+\- \n\r\t]*\]$/
const spaces = /[ \n\r\t]+/g

/** @returns null: it is no JSON */
function writtenByV8(list: string): string | null {
  try {
    return JSON.stringify(JSON.parse(list))
  } catch {
    return null
  }
}

/** Python writes 1e-05 for what V8 writes as 0.00001: such numbers differ, and may be exact all the same. */
function areExact(list: string, written: string): boolean {
  if (list === written) return true
  const others = written.slice(1, -1).split(',')
  return list
    .slice(1, -1)
    .split(',')
    .every((number, at) => number === others[at] || isExact(number))
}

const escapesOrControls = /[\\\u0000-\u001f]/
const plain = /[^"\\\u0000-\u001f]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const escapes = /\\(?:["\\/bfnrt]|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})/y
