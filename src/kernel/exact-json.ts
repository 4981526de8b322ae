/**
 * JSON texts whose numbers keep their digits. `JSON.parse` makes a double of each number: 15 digits survive, longer numbers
 * are rounded, and what is beyond the range of a double becomes Infinity. Here such a number becomes a `LongNumber`, which
 * `JSON.stringify` writes out digit by digit.
 *
 * A `LongNumber` is an object without a prototype: `String(value)` throws. Use `withDigitsAsText` where a text will do.
 */
export interface LongNumber {
  readonly rawJSON: string
}

/** Of ES2026; TypeScript does not have it yet. */
const native = JSON as typeof JSON & {
  rawJSON(text: string): LongNumber
  isRawJSON(value: unknown): value is LongNumber
}

export const isLongNumber = (value: unknown): value is LongNumber =>
  typeof value === 'object' && native.isRawJSON(value)

/** `JSON.parse`, but numbers that a double cannot hold are `LongNumber`. As fast as `JSON.parse` for a text without them. */
export function parseExactJson(text: string): unknown {
  return holdsLongNumber(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
}

/** Each number of the text is written again exactly as it was written there, also `1.10`. */
export function parseWithNumbersAsWritten(text: string): unknown {
  return JSON.parse(text, asWritten)
}

function asWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? native.rawJSON(context.source) : value
}

/** A reviver for `JSON.parse`: a number that a double cannot hold becomes a `LongNumber`. */
export function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined || isExact(context.source)) return value
  return native.rawJSON(context.source)
}

/** A reviver for `JSON.parse`: a number that a double cannot hold becomes a text of its digits. */
export function digitsAsText(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined || isExact(context.source)) return value
  return context.source
}

/** Deeper values are rejected wherever they are written; a limit keeps the recursion off the end of the stack. */
const MAX_DEPTH = 100

/** Each `LongNumber` becomes a text of its digits; what holds none is returned as it is. */
export function withDigitsAsText(value: unknown, levels = MAX_DEPTH): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value
  if (isLongNumber(value)) return value.rawJSON
  if (!hasLongNumber(value, levels)) return value
  const read = (member: unknown): unknown => withDigitsAsText(member, levels - 1)
  return Array.isArray(value)
    ? value.map(read)
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, read(member)]))
}

export function hasLongNumber(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null || levels === 0) return false
  return isLongNumber(value) || Object.values(value).some((member) => hasLongNumber(member, levels - 1))
}

/** Doubles below have fewer digits, and 7e-324 is read as 5e-324. */
const SMALLEST_FULL = 2.225_073_858_507_201_4e-308

/** 15 significant digits always survive the way through a double; more only when they come back as they were. */
export function isExact(source: string): boolean {
  if (source.length <= 15 && !/[eE]/.test(source)) return true
  const value = Number(source)
  if (!Number.isFinite(value)) return false
  if (String(value) === source) return true
  const digits = source
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  return digits.length <= 15 && (digits === '' || Math.abs(value) >= SMALLEST_FULL)
}

/** Finds a number of 16 characters or with an exponent; also one inside a string, so the text is looked at again then. */
const suspect = /(?:^|[:,[\s])-?(?:\d[\d.]{15}|\d[\d.]*[eE])/
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

function holdsLongNumber(text: string): boolean {
  if (!suspect.test(text)) return false
  for (const [token] of text.matchAll(stringOrNumber)) if (token[0] !== '"' && !isExact(token)) return true
  return false
}
