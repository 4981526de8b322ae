import { fail, type Result, succeed } from '../kernel/result.ts'
import type { ReadGiven, TypedColumn } from './column-type.ts'
import { describeKey, OWN_KEY, readSysId } from './record-key.ts'

/** Parsers of values of a JSON body that several column types share. */

export const readText: ReadGiven = (value, column) => {
  const text = scalarText(value)
  if (text === undefined) return fail(`a text is expected, found ${show(value)}`)
  return withinLength(text, column)
}

export const readMatching =
  (pattern: RegExp, expected: string): ReadGiven =>
  (value, column) => {
    const text = readText(value, column)
    if (!text.ok || text.value === '' || pattern.test(String(text.value))) return text
    return fail(`${expected} is expected, found ${show(value)}`)
  }

export const readDated =
  (read: (text: string) => Result<string, string>): ReadGiven =>
  (value) => {
    if (value === '') return succeed(null)
    if (typeof value !== 'string') return fail(`a text with a date or time is expected, found ${show(value)}`)
    return read(value.trim())
  }

export const readWhole =
  (min: bigint, max: bigint): ReadGiven =>
  (value) => {
    const text = scalarText(value)?.trim()
    if (text === '') return succeed(null)
    const expected = `a whole number from ${min} to ${max} is expected`
    if (text === undefined || !/^[+-]?\d{1,20}$/.test(text)) return fail(`${expected}, found ${show(value)}`)
    const number = BigInt(text.replace('+', ''))
    return number < min || number > max ? fail(`${expected}, found ${text}`) : succeed(number.toString())
  }

export const readId: ReadGiven = (value, column) => {
  const key = column.key ?? OWN_KEY
  const text = idText(value)
  // Spaces are part of a text.
  const id = key.kind === 'text' || key.kind === 'parts' ? text : text?.trim()
  if (id === '') return succeed(null)
  const read = id === undefined ? null : readSysId(id, key)
  return read === null ? fail(`${describeKey(key)} is expected, found ${show(value)}`) : succeed(read)
}

export function withinLength(text: string, column: Pick<TypedColumn, 'maxLength'>): Result<string, string> {
  if (text.includes('\0')) return fail('PostgreSQL stores no U+0000 in a text')
  if (!text.isWellFormed()) return fail('half of a surrogate pair is not a character')
  // Characters as PostgreSQL counts them, not UTF-16 units; counted only if it can matter.
  const { maxLength } = column
  if (maxLength === null || text.length <= maxLength) return succeed(text)
  const length = [...text].length
  return length <= maxLength ? succeed(text) : fail(`at most ${maxLength} characters fit, found ${length}`)
}

export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined
}

/** An id as a text or as an integer, or as the object in which a read returns a reference. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'value' in value) return idText(value.value)
  return scalarText(value)
}

export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return (text.length <= 60 ? text : `${text.slice(0, 60)}…`).toWellFormed()
}

export const quoted = (text: string): string =>
  JSON.stringify((text.length <= 60 ? text : `${text.slice(0, 60)}…`).toWellFormed())
