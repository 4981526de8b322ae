import type { Choice, Column } from '../../catalog/catalog.ts'
import { readDateTime } from '../../condition/dates/read-date-text.ts'
import type { Principal } from '../../identity/principal.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'

type Reader = Pick<Principal, 'language' | 'timeZone'>

/**
 * A value as people read it (sysparm_input_display_value=1) as a value that is stored: a choice by its title, a moment in the
 * caller's time zone, Yes and No, numbers with the separators of the caller's language. What is none of these stays as it is
 * and is judged as a stored value.
 */
export function readShownValue(value: unknown, column: Column, reader: Reader): Result<unknown, string> {
  if (Array.isArray(value)) {
    const members = value.map((member: unknown) => readShownValue(member, column, reader))
    const wrong = members.find((member) => !member.ok)
    return wrong ?? succeed(members.map((member) => (member.ok ? member.value : null)))
  }
  if (typeof value !== 'string' || value === '') return succeed(value)
  switch (column.type) {
    case 'choice':
    case 'list':
      return readTitle(value, column.choices, reader)
    case 'datetime':
      return readDateTime(value, reader.timeZone)
    case 'boolean':
      return succeed(BOOLEANS[value.trim().toLowerCase()] ?? value)
    case 'percent_complete':
      return succeed(value.replace(/\s*%$/, ''))
    case 'decimal':
    case 'float':
      return succeed(
        reader.language === 'ru' ? value.replaceAll(/[\s\u00a0]/g, '').replace(',', '.') : value.replaceAll(',', ''),
      )
    default:
      return succeed(value)
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = { yes: true, no: false, да: true, нет: false }

/** In the caller's language first, in any then; what is the title of none may be the value itself. */
function readTitle(text: string, choices: readonly Choice[], { language }: Reader): Result<unknown, string> {
  const wanted = text.trim().toLowerCase()
  const named = (titles: readonly string[]): boolean => titles.some((title) => title.toLowerCase() === wanted)
  const own = choices.filter(({ titles }) => named([titles[language]]))
  const found = own.length > 0 ? own : choices.filter(({ titles }) => named(Object.values(titles)))
  const [only, second] = found
  if (only === undefined || choices.some((choice) => choice.value === text && !found.includes(choice)))
    return succeed(text)
  if (second === undefined) return succeed(only.value)
  return refuse(
    `"${text.slice(0, 60)}" is the title of several choices (${found.map(({ value }) => value).join(', ')}); give the value`,
  )
}
