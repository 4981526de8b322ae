import { fail, type Result, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType, Reader } from '../column-type.ts'
import type { Expression } from '../expression.ts'
import { quoted } from '../given-value.ts'
import { plain, scalar } from '../json-piece.ts'
import { wholeNumberType } from '../whole-number-type.ts'

const type = wholeNumberType({ title: 'Duration', storage: 'bigint' })

export const duration: ColumnType = {
  ...type,
  asText: (value) => plain(durationText(value)),
  write: { ...type.write, fromText: (text) => durationOfText(text) },
  display: {
    asText: (value, { language }) => scalar(sql`docket_system.show_duration_in_words((${value})::bigint, ${language})`),
    write: (value, { language }) => scalar(sql`docket_system.show_duration(${value}, ${language})`),
    parse: parseDuration,
    logged: (value, reader) =>
      typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? displayDuration(BigInt(value), reader) : null,
  },
  schema: { ...type.schema, note: 'Milliseconds.' },
}

/** As a date and time after the start of 1970. Durations longer than PostgreSQL's range of years stay milliseconds. */
export const durationText = (value: Expression): Expression =>
  sql`case when ${value} between -9000000000000 and 9000000000000000
    then (timestamp '1970-01-01' + ${value} * interval '1 millisecond')::timestamp(0)::text else ${value}::text end`

/** Converts a date and time after the start of 1970 to the milliseconds since then. */
function durationOfText(text: string): unknown {
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/.exec(text.trim()) ?? []
  const milliseconds = Date.parse(`${day}T${time}Z`)
  return Number.isNaN(milliseconds) ? text : String(milliseconds)
}

/** Longer texts are not durations. */
const MAX_CHARACTERS = 100
const WITH_UNITS =
  /^(-)?(?:(\d{1,15})\s?(?:d|days?|д))?\s?(?:(\d{1,15})\s?(?:h|hours?|ч))?\s?(?:(\d{1,15})\s?(?:m|minutes?|мин))?\s?(?:(\d{1,18})\s?(?:s|seconds?|с))?$/i
const UNITS_MS = [86_400_000n, 3_600_000n, 60_000n, 1_000n]

/** Converts `2 d 3 h 5 m`, or `2 Days 3 Hours 5 Minutes`, to milliseconds, with English or Russian units. */
function parseDuration(text: string): Result<string, string> {
  const trimmed = text.trim()
  if (/^[+-]?\d+$/.test(trimmed)) return succeed(trimmed)
  const [, sign, ...counts] = (trimmed.length <= MAX_CHARACTERS && WITH_UNITS.exec(trimmed)) || []
  if (counts.every((count) => count === undefined))
    return fail(`a duration such as 2 d 3 h 5 m, or whole milliseconds are expected, found ${quoted(text)}`)
  const size = UNITS_MS.reduce((sum, unit, at) => sum + unit * BigInt(counts[at] ?? 0), 0n)
  return succeed(String(sign === undefined ? size : -size))
}

const UNITS = { en: [' d', ' h', ' m', ' s'], ru: [' д', ' ч', ' мин', ' с'] } as const

/** Like docket_system.show_duration: days, hours and minutes; below a minute, seconds. */
function displayDuration(milliseconds: bigint, { language }: Reader): string {
  const size = milliseconds < 0n ? -milliseconds : milliseconds
  const [day, hour, minute, second] = UNITS[language]
  const parts = [
    [size / 86_400_000n, day],
    [(size % 86_400_000n) / 3_600_000n, hour],
    [(size % 3_600_000n) / 60_000n, minute],
  ] as const
  const displayed = parts.flatMap(([count, unit]) => (count === 0n ? [] : [`${count}${unit}`]))
  const sign = milliseconds <= -1_000n ? '-' : ''
  return `${sign}${displayed.length > 0 ? displayed.join(' ') : `${size / 1_000n}${second}`}`
}
