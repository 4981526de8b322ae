import { isLongNumber, parseExactJson } from '../../kernel/exact-json.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType, ReadGiven } from '../column-type.ts'
import { scalar } from '../json-piece.ts'
import { holdsHugeNumber, MAX_DIGITS, storableJson } from '../storable-json.ts'

const readJson: ReadGiven = (value) => {
  if (holdsHugeNumber(value)) return fail(`JSON with a number of more than ${MAX_DIGITS} digits cannot be stored`)
  const text = storableJson(value)
  return text === null
    ? fail('JSON with U+0000 or half of a surrogate pair in a text, or nested too deep, cannot be stored')
    : succeed(text)
}

/** Wrapped as `value`: an object of a body may be an instruction. */
function jsonOfText(text: string): unknown {
  const parsed = parseText(text)
  return { value: parsed.ok ? parsed.value : text, display_value: null }
}

/** Parses JSON text. A text that is not JSON is returned unchanged. */
function parseText(text: string): Result<unknown, never> {
  try {
    return succeed(parseExactJson(text))
  } catch {
    return succeed(text)
  }
}

export const json: ColumnType = {
  title: 'JSON',
  storage: { type: 'jsonb', index: null, adopts: { same: ['jsonb'], cast: ['json'] } },
  compare: 'json',
  read: scalar,
  asText: (value) => scalar(sql`${value}::text`),
  write: { value: readJson, isRewritten: true, cell: 'json', fromText: jsonOfText },
  display: {
    write: (value) => scalar(sql`${value}::text`),
    parse: parseText,
    isNotMigrated: true,
    logged: displayJson,
  },
  convert: { group: 'other' },
  aggregate: {},
  schema: { stored: () => ({}) },
}

/** Same format as PostgreSQL's jsonb: a space after each comma and colon. Stored values are at most 100 levels deep. */
function displayJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isLongNumber(value)) return value.rawJSON
  if (Array.isArray(value)) return `[${value.map(displayJson).join(', ')}]`
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${displayJson(member)}`)
  return `{${members.join(', ')}}`
}
