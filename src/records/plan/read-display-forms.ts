import { parseExactJson } from '../../kernel/exact-json.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'

/**
 * Display values of single types, read as stored values. English and Russian forms are accepted, whatever the caller's language is.
 * A stored value is accepted as it is: the column judges it.
 */

const WHOLE_NUMBER = /^[+-]?\d+$/
/** Longer texts are no display value of these types. */
const MAX_UNITS = 100

const DURATION =
  /^(-)?(?:(\d{1,15})\s?(?:d|д))?\s?(?:(\d{1,15})\s?(?:h|ч))?\s?(?:(\d{1,15})\s?(?:m|мин))?\s?(?:(\d{1,18})\s?(?:s|с))?$/i
const UNITS_MS = [86_400_000n, 3_600_000n, 60_000n, 1_000n]

/** `2 d 3 h 5 m` as milliseconds. */
export function readDisplayedDuration(text: string): Result<string, string> {
  const trimmed = text.trim()
  if (WHOLE_NUMBER.test(trimmed)) return succeed(trimmed)
  const [, sign, ...counts] = (trimmed.length <= MAX_UNITS && DURATION.exec(trimmed)) || []
  if (counts.every((count) => count === undefined))
    return refuse(`a duration such as 2 d 3 h 5 m, or whole milliseconds are expected, found ${quoted(text)}`)
  const size = UNITS_MS.reduce((sum, unit, at) => sum + unit * BigInt(counts[at] ?? 0), 0n)
  return succeed(String(sign === undefined ? size : -size))
}

const WEEKDAYS = [
  ['monday', 'понедельник'],
  ['tuesday', 'вторник'],
  ['wednesday', 'среда'],
  ['thursday', 'четверг'],
  ['friday', 'пятница'],
  ['saturday', 'суббота'],
  ['sunday', 'воскресенье'],
]

/** `Monday, Friday` as the sum of bits: Monday 1, Tuesday 2, … Sunday 64. */
export function readDisplayedDays(text: string): Result<string, string> {
  const trimmed = text.trim()
  if (WHOLE_NUMBER.test(trimmed)) return succeed(trimmed)
  const days = trimmed
    .split(',')
    .map((name) => WEEKDAYS.findIndex((names) => names.includes(name.trim().toLowerCase())))
  if (days.includes(-1))
    return refuse(
      `names of weekdays such as Monday, Friday, or a number from 0 to 127 are expected, found ${quoted(text)}`,
    )
  return succeed(String(days.reduce((bits, day) => bits | (1 << day), 0)))
}

/** A link to a file as the sys_id of the attachment. */
export function readDisplayedFile(text: string): string {
  const [, sysId] = /^\S{0,2000}\/v1\/attachments\/(\d{1,18})\/file$/.exec(text.trim()) ?? []
  return sysId ?? text
}

/** `12,345.60`, in Russian `12 345,60`. A comma that does not part groups of thousands is left for the column to reject. */
export function readDisplayedNumber(text: string, language: 'en' | 'ru'): string {
  const trimmed = text.trim()
  if (language === 'ru') return trimmed.replaceAll(/\s/g, '').replace(',', '.')
  return /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(trimmed) ? trimmed.replaceAll(',', '') : trimmed
}

/** JSON text as the JSON value. What is no JSON is a text. */
export function readDisplayedJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

const quoted = (text: string): string =>
  JSON.stringify((text.length <= 60 ? text : `${text.slice(0, 60)}…`).toWellFormed())
