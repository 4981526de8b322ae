import { fail, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { ColumnType, ReadGiven } from '../column-type.ts'
import { readBoolean } from '../comparison-types.ts'
import { scalarText, show } from '../given-value.ts'
import { bare, plainText, scalar } from '../json-piece.ts'

const readGiven: ReadGiven = (value) => {
  const text = scalarText(value)
  if (text?.trim() === '') return succeed(null)
  const read = text === undefined ? null : readBoolean(text)
  return read === null ? fail(`true or false is expected, found ${show(value)}`) : succeed(read)
}

export const boolean: ColumnType = {
  title: 'True/False',
  storage: { type: 'boolean', index: 'btree', adopts: { same: ['bool'] } },
  compare: 'boolean',
  read: bare,
  asText: plainText,
  write: { value: readGiven },
  display: {
    isStored: true,
    asText: plainText,
    write: (value, { language }) => scalar(sql`docket_system.show_boolean(${value}, ${language})`),
    parse: (text) => succeed(WORDS[text.trim().toLowerCase()] ?? text),
    logged: (value, { language }) => (typeof value === 'boolean' ? LOGGED[language][value ? 'yes' : 'no'] : null),
  },
  convert: { group: 'boolean', pattern: '^(true|false|0|1)$' },
  aggregate: {},
  schema: { stored: () => ({ type: 'boolean' }) },
}

const WORDS: Readonly<Record<string, boolean>> = { yes: true, no: false, да: true, нет: false }
const LOGGED = { en: { yes: 'Yes', no: 'No' }, ru: { yes: 'Да', no: 'Нет' } } as const
