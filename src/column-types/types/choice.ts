import { fail, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import { choiceError, parseTitle } from '../choice-titles.ts'
import type { ColumnType, ReadGiven } from '../column-type.ts'
import { readText } from '../given-value.ts'
import { scalar } from '../json-piece.ts'
import { textType } from '../text-type.ts'

const readChoice: ReadGiven = (value, column) => {
  const text = readText(value, column)
  if (!text.ok) return text
  if (text.value === '') return succeed(null)
  const error = choiceError(String(text.value), column.choices)
  return error === null ? text : fail(error)
}

const type = textType('Choice', readChoice)

export const choice: ColumnType = {
  ...type,
  compare: 'choice',
  choices: 'one',
  write: { ...type.write, isRewritten: true, readsAsText: true },
  display: {
    write: (value, { column, choiceTitles }) =>
      scalar(column.choices.length === 0 ? value : sql`coalesce(${choiceTitles()}::jsonb ->> ${value}, ${value})`),
    parse: (text, { choices }, reader) => parseTitle(text, choices, reader),
  },
}
