import { fail, type Result, succeed } from '../kernel/result.ts'
import type { ColumnChoice, Reader } from './column-type.ts'
import { show } from './given-value.ts'

/** The error for a value that is not one of the choices; null: it is one, or the column has none. */
export function choiceError(value: string, choices: readonly ColumnChoice[]): string | null {
  if (choices.length === 0 || choices.some((choice) => choice.value === value)) return null
  return noChoice(
    value,
    choices.map((each) => each.value),
  )
}

const noChoice = (given: string, choices: readonly string[]): string =>
  `${show(given)} is not a choice; the choices are ${choices.join(', ')}`

/**
 * Searches titles in the caller's language first, then in any; exact matches first. A text that is not a title may be the value
 * itself.
 */
export function parseTitle(
  text: string,
  choices: readonly ColumnChoice[],
  { language }: Reader,
): Result<string, string> {
  const found = choicesNamed(text, choices, language)
  const [only, second] = found
  if (choices.some((choice) => choice.value === text && !found.includes(choice))) return succeed(text)
  if (only === undefined) {
    const isFree = choices.length === 0 || text === ''
    return isFree ? succeed(text) : fail(noChoice(text, choices.map(titleAndValue(language))))
  }
  if (second === undefined) return succeed(only.value)
  return fail(
    `"${text.slice(0, 60)}" is the title of several choices (${found.map(({ value }) => value).join(', ')}); give the value`,
  )
}

/** Titles joined by `,`. A title may contain a comma itself: the longest matching title counts. */
export function parseTitles(
  text: string,
  choices: readonly ColumnChoice[],
  reader: Reader,
): Result<readonly string[], string> {
  const parts = text.split(',')
  const values: string[] = []
  for (let from = 0; from < parts.length; ) {
    let to = Math.min(parts.length, from + MAX_COMMAS + 1)
    const title = (): string => parts.slice(from, to).join(',').trim()
    while (to > from + 1 && choicesNamed(title(), choices, reader.language).length === 0) to -= 1
    const value = parseTitle(title(), choices, reader)
    if (!value.ok) return value
    values.push(value.value)
    from = to
  }
  return succeed(values)
}

const titleAndValue =
  (language: Reader['language']) =>
  ({ titles, value }: ColumnChoice): string =>
    titles[language] === value ? value : `${titles[language]} (${value})`

/** Maximum number of commas in one title. */
const MAX_COMMAS = 5

function choicesNamed(
  text: string,
  choices: readonly ColumnChoice[],
  language: Reader['language'],
): readonly ColumnChoice[] {
  const folded = (title: string): string => title.trim().toLowerCase()
  const ways: readonly ((choice: ColumnChoice) => boolean)[] = [
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
