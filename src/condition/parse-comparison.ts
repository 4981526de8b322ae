import { succeed } from '../kernel/result.ts'
import type { ConditionComparison } from './condition-tree.ts'
import { LITERAL_MARK, operandOf, operatorAt } from './operator-spellings.ts'
import { OPERATORS, type Operator } from './operators.ts'
import { badQuery, MAX_CONDITIONS, type Names, type QueryReader, type Read } from './query-reader.ts'
import { NO_VALUE, typedValue } from './typed-value.ts'

const RECORD_TEXT_FIELD = '123TEXTQUERY321'

/** One condition: a field, an operator and its value; or words to search for in the whole record. */
export function parseComparison(reader: QueryReader): Read<ConditionComparison> {
  const position = reader.at
  if (reader.conditions === MAX_CONDITIONS) {
    return badQuery(position, `A query may have at most ${MAX_CONDITIONS} conditions.`)
  }
  reader.conditions += 1
  if (reader.take(RECORD_TEXT_FIELD)) {
    if (reader.take('=') || reader.take('ARE')) return readWords(reader, [], position)
    return reader.expected(`= or ARE after ${RECORD_TEXT_FIELD}`)
  }
  if (reader.take('ARE')) return readWords(reader, [], position)
  if (reader.looksAt('ORDERBY') || reader.looksAt('GROUPBY')) return badQuery(position, misplacedOrder(reader))
  const bare = operatorAt(reader.text, position)
  if (bare?.kind === 'rejected') return badQuery(position, `${bare.spelling} cannot be used: ${bare.reason}.`)
  const path = reader.readPath(FIRST_OF_CONDITION[reader.names])
  return path.ok ? readComparison(reader, path.value, position) : path
}

const FIRST_OF_CONDITION: Readonly<Record<Names, string>> = {
  columns: 'a condition (a field name in lower-case letters, or an opening bracket)',
  keys: 'a condition (a key in lower-case letters or in quotes, or an opening bracket)',
}

export function misplacedOrder(reader: QueryReader): string {
  if (reader.rowsLevels > 0) return 'An order stands outside RLQUERY and ENDRLQUERY, and outside all brackets.'
  if (reader.openBrackets > 0) return 'An order stands outside all brackets.'
  return 'Expected a condition, found an order; it is joined by ^ and not by ^OR.'
}

/** The operator after a field, and its value. */
function readComparison(reader: QueryReader, path: readonly string[], position: number): Read<ConditionComparison> {
  const field = path.join('.')
  const spelled = operatorAt(reader.text, reader.at)
  reader.steps += 1
  if (spelled === undefined) {
    return badQuery(
      reader.at,
      `Expected an operator after ${field}, found ${reader.found()}. It may be ${OPERATORS.join(', ')}.${QUOTES_HINT[reader.names]}`,
      field,
    )
  }
  if (spelled.kind === 'rejected')
    return badQuery(reader.at, `${spelled.spelling} cannot be used: ${spelled.reason}.`, field)
  reader.at += spelled.spelling.length
  if (spelled.operator === 'ARE') return readWords(reader, path, position)
  switch (operandOf(spelled.operator)) {
    case 'none':
      if (!reader.atEndOfComparison())
        return badQuery(reader.at, `${spelled.spelling} takes no value, found ${reader.found()}.`, field)
      return succeed({ kind: 'comparison', path, operator: spelled.operator, value: NO_VALUE, position })
    case 'field':
      return readOtherField(reader, { path, operator: spelled.operator, position })
    case 'value':
      return readPlainValue(reader, { path, operator: spelled.operator, position })
  }
}

const QUOTES_HINT: Readonly<Record<Names, string>> = {
  columns: '',
  keys: ' A key with other characters than a-z, 0-9 and _ stands in double quotes: "projectId"=p1.',
}

interface HalfComparison {
  readonly path: readonly string[]
  readonly operator: Operator
  readonly position: number
}

function readOtherField(reader: QueryReader, half: HalfComparison): Read<ConditionComparison> {
  const other = reader.readPath(`the field to compare ${half.path.join('.')} with`)
  if (!other.ok) return other
  return succeed({ kind: 'comparison', ...half, value: { kind: 'field', path: other.value } })
}

function readPlainValue(reader: QueryReader, half: HalfComparison): Read<ConditionComparison> {
  const isLiteral = reader.take(LITERAL_MARK)
  const value = reader.readValue()
  if (!value.ok) return value
  const isEmpty = value.value === ''
  if (isEmpty && half.operator === '=')
    return succeed({ kind: 'comparison', ...half, operator: 'ISEMPTY', value: NO_VALUE })
  if (isEmpty && half.operator === '!=')
    return succeed({ kind: 'comparison', ...half, operator: 'ISNOTEMPTY', value: NO_VALUE })
  return succeed({ kind: 'comparison', ...half, value: typedValue(half.operator, value.value, isLiteral) })
}

function readWords(reader: QueryReader, path: readonly string[], position: number): Read<ConditionComparison> {
  const wordsAt = reader.at
  const words = reader.readValue()
  if (!words.ok) return words
  if (words.value === '') return badQuery(wordsAt, 'Expected the words to search for.')
  return succeed({ kind: 'comparison', path, operator: 'ARE', value: { kind: 'words', text: words.value }, position })
}
