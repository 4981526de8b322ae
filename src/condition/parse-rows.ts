import { succeed } from '../kernel/result.ts'
import {
  COUNT_COMPARISONS,
  type ColumnOfTable,
  type ConditionTree,
  type RowsCondition,
  type RowsLink,
} from './condition-tree.ts'
import {
  badQuery,
  MAX_CONDITIONS,
  MAX_COUNTED_ROWS,
  MAX_ROWS_LEVELS,
  type QueryReader,
  type Read,
} from './query-reader.ts'

/** Functions of the surrounding grammar: they parse the conditions of a group, and of a whole bracket. */
interface Conditions {
  readonly readGroup: (reader: QueryReader) => Read<ConditionTree>
  readonly readExpression: (reader: QueryReader) => Read<ConditionTree>
}

export const looksAtRows = (reader: QueryReader): boolean => reader.looksAt('JOIN') || reader.looksAt('RLQUERY')

/** Conditions on rows of another table (the grammar is in parse-encoded-query.ts). */
export function parseRows(reader: QueryReader, conditions: Conditions): Read<RowsCondition> {
  const position = reader.at
  const wrong = rejectRows(reader)
  if (wrong !== null) return badQuery(position, wrong)
  reader.conditions += 1
  reader.rowsLevels += 1
  const { isInJoin } = reader
  const read = reader.take('JOIN') ? readJoin(reader, conditions) : readCount(reader, conditions)
  reader.isInJoin = isInJoin
  reader.rowsLevels -= 1
  return read.ok ? succeed({ kind: 'rows', ...read.value, position }) : read
}

function rejectRows(reader: QueryReader): string | null {
  if (reader.names === 'keys') return 'JOIN and RLQUERY ask for rows of tables; a filter of documents has none.'
  if (reader.rowsLevels === MAX_ROWS_LEVELS)
    return `Conditions on other tables may stand in one another ${MAX_ROWS_LEVELS} times.`
  return reader.conditions === MAX_CONDITIONS ? `A query may have at most ${MAX_CONDITIONS} conditions.` : null
}

type Rows = Pick<RowsCondition, 'link' | 'where'>

function readJoin(reader: QueryReader, { readGroup }: Conditions): Read<Rows> {
  const own = readColumn(reader, 'JOIN')
  if (!own.ok) return own
  if (!reader.take('=')) return reader.expected('= and a column of the other table')
  const other = readColumn(reader, '=')
  if (!other.ok) return other
  const link: RowsLink = { kind: 'join', own: own.value, other: other.value }
  if (!reader.take('!') || reader.atEndOfComparison()) return succeed({ link, where: null })
  reader.isInJoin = true
  const where = readGroup(reader)
  return where.ok ? succeed({ link, where: where.value }) : where
}

function readCount(reader: QueryReader, { readExpression }: Conditions): Read<Rows> {
  const opened = reader.at
  reader.take('RLQUERY')
  reader.isInJoin = false
  const other = readColumn(reader, 'RLQUERY')
  if (!other.ok) return other
  if (!reader.take(',')) return reader.expected(', and a comparison with a number, such as ,>=1')
  const comparison = COUNT_COMPARISONS.find((each) => reader.take(each))
  if (comparison === undefined) return reader.expected(`one of ${COUNT_COMPARISONS.join(' ')} and a number`)
  const number = readNumber(reader)
  if (!number.ok) return number
  reader.take(',m2m')
  const link: RowsLink = { kind: 'count', other: other.value, comparison, number: number.value }
  if (reader.take(END)) return succeed({ link, where: null })
  if (!reader.take('^')) return reader.expected(`^ and conditions, or ${END}`)
  const where = readExpression(reader)
  if (!where.ok) return where
  if (reader.take(END)) return succeed({ link, where: where.value })
  return reader.expected(`^, ^OR, ^NQ or the ${END} of the RLQUERY at position ${opened}`)
}

const END = '^ENDRLQUERY'

function readColumn(reader: QueryReader, after: string): Read<ColumnOfTable> {
  const from = reader.at
  const path = reader.readPath(`a table and its column after ${after}, such as task.caller`)
  if (!path.ok) return path
  const [table, column, more] = path.value
  if (table === undefined || column === undefined || more !== undefined)
    return badQuery(from, `Expected a table and its column, such as task.caller, found "${path.value.join('.')}".`)
  return succeed({ table, column })
}

function readNumber(reader: QueryReader): Read<number> {
  const [digits = ''] = /^\d{0,11}/.exec(reader.text.slice(reader.at, reader.at + 11)) ?? []
  reader.steps += digits.length
  const number = Number(digits)
  if (digits === '' || number > MAX_COUNTED_ROWS)
    return reader.expected(`a whole number of rows up to ${MAX_COUNTED_ROWS}`)
  reader.at += digits.length
  return succeed(number)
}
