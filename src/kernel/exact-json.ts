/**
 * JSON texts whose numbers keep their digits. `JSON.parse` converts each number to a double: 15 digits are exact, longer numbers are
 * rounded, and numbers beyond the range of a double become Infinity. Here such a number becomes a `LongNumber`, which `JSON.stringify`
 * writes digit by digit.
 *
 * A `LongNumber` is an object without a prototype: `String(value)` throws. Use `withDigitsAsText` if a text is sufficient.
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

/** The value of a JSON text, with long numbers as texts of their digits. @returns undefined: the text is not JSON */
export function exactJsonOf(text: string): unknown {
  try {
    return withDigitsAsText(parseExactJson(text))
  } catch {
    return undefined
  }
}

/** The same for an object. @returns undefined: the text is not a JSON object */
export function exactObjectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = exactJsonOf(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

/** Like `JSON.parse`, but each number is later written exactly as in the text, such as `1.10`. */
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

/** Deeper values are rejected when they are written; the limit prevents a stack overflow by recursion. */
const MAX_DEPTH = 100

/** Replaces each `LongNumber` by a text of its digits; a value without one is returned unchanged. */
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

/** Smaller doubles have fewer digits, and 7e-324 is parsed as 5e-324. */
const SMALLEST_FULL = 2.225_073_858_507_201_4e-308

/** 15 significant digits always survive the conversion to a double and back; more digits only if the result is equal. */
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

/** Matches a number of 16 characters or with an exponent; also one inside a string, so the text is then examined again. */
const suspect = /(?:^|[:,[\s])-?(?:\d[\d.]{15}|\d[\d.]*[eE])/
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

function holdsLongNumber(text: string): boolean {
  if (!suspect.test(text)) return false
  for (const [token] of text.matchAll(stringOrNumber)) if (token[0] !== '"' && !isExact(token)) return true
  return false
}
