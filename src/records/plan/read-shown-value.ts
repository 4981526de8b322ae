import type { Choice, Column, Language } from '../../catalog/catalog.ts'
import { readDateTime } from '../../condition/dates/read-date-text.ts'
import type { Principal } from '../../identity/principal.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import {
  readDisplayedDays,
  readDisplayedDuration,
  readDisplayedFile,
  readDisplayedJson,
  readDisplayedNumber,
} from './read-display-forms.ts'

type Reader = Pick<Principal, 'language' | 'timeZone'>

/**
 * A display value (sysparm_input_display_value=1) as a stored value: a choice by its title, a date and time in the caller's time zone,
 * Yes and No, numbers with the separators of the caller's language, durations with units, names of weekdays, links to files, JSON as a text.
 * Anything else stays as it is and is judged as a stored value. References are resolved by the statement (plan-find.ts).
 */
export function readShownValue(value: unknown, column: Column, reader: Reader): Result<unknown, string> {
  if (Array.isArray(value)) return readMembers(value, column, reader)
  if (typeof value !== 'string' || value === '') return succeed(value)
  switch (column.type) {
    case 'choice':
      return readTitle(value, column.choices, reader)
    case 'list':
      return column.choices.length === 0 ? succeed(value) : readTitles(value, column.choices, reader)
    case 'datetime':
      return readDateTime(value, reader.timeZone)
    case 'duration':
      return readDisplayedDuration(value)
    case 'days_of_week':
      return readDisplayedDays(value)
    case 'boolean':
      return succeed(BOOLEANS[value.trim().toLowerCase()] ?? value)
    case 'percent_complete':
      return succeed(value.replace(/\s*%$/, ''))
    case 'decimal':
    case 'float':
      return succeed(readDisplayedNumber(value, reader.language))
    case 'image':
    case 'file':
      return succeed(readDisplayedFile(value))
    case 'json':
      return succeed(readDisplayedJson(value))
    default:
      return succeed(value)
  }
}

function readMembers(members: readonly unknown[], column: Column, reader: Reader): Result<unknown, string> {
  if (column.type !== 'list' || column.choices.length === 0) return succeed(members)
  const values: unknown[] = []
  for (const member of members) {
    const read = typeof member === 'string' ? readTitle(member, column.choices, reader) : succeed(member)
    if (!read.ok) return read
    values.push(read.value)
  }
  return succeed(values)
}

const BOOLEANS: Readonly<Record<string, boolean>> = { yes: true, no: false, да: true, нет: false }

/** In the caller's language first, then in any; the exact title first. A text that is no title may be the value itself. */
function readTitle(text: string, choices: readonly Choice[], { language }: Reader): Result<string, string> {
  const found = choicesNamed(text, choices, language)
  const [only, second] = found
  if (only === undefined || choices.some((choice) => choice.value === text && !found.includes(choice)))
    return succeed(text)
  if (second === undefined) return succeed(only.value)
  return refuse(
    `"${text.slice(0, 60)}" is the title of several choices (${found.map(({ value }) => value).join(', ')}); give the value`,
  )
}

function choicesNamed(text: string, choices: readonly Choice[], language: Language): readonly Choice[] {
  const folded = (title: string): string => title.trim().toLowerCase()
  const ways: readonly ((choice: Choice) => boolean)[] = [
    ({ titles }) => titles[language] === text,
    ({ titles }) => folded(titles[language]) === folded(text),
    ({ titles }) => Object.values(titles).some((title) => folded(title) === folded(text)),
  ]
  for (const isNamed of ways) {
    const found = choices.filter(isNamed)
    if (found.length > 0) return found
  }
  return []
}

/** Titles joined by `,`. A title may hold a comma itself: the longest one that fits is meant. */
function readTitles(text: string, choices: readonly Choice[], reader: Reader): Result<readonly string[], string> {
  const parts = text.split(',')
  const values: string[] = []
  for (let from = 0; from < parts.length; ) {
    let to = Math.min(parts.length, from + MAX_COMMAS + 1)
    const title = (): string => parts.slice(from, to).join(',').trim()
    while (to > from + 1 && choicesNamed(title(), choices, reader.language).length === 0) to -= 1
    const value = readTitle(title(), choices, reader)
    if (!value.ok) return value
    values.push(value.value)
    from = to
  }
  return succeed(values)
}

/** Commas in one title that are looked for. */
const MAX_COMMAS = 5
