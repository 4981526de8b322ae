import { sql } from 'kysely'
import type { Column } from '../../catalog/catalog.ts'
import { wordsOf, wordsOfRecord } from '../../catalog/searched-text.ts'
import { comparisonOf, isOwnKey, refersToOne } from '../../column-types/column-types.ts'
import { CASTS, type ComparisonType, isId } from '../../column-types/comparison-types.ts'
import type { DatePart, PartComparison } from '../../condition/dates/read-date-part.ts'
import type { PlannedComparison, PlannedPath } from '../plan/planned-predicate.ts'
import { Param } from '../plan/value-source.ts'
import { arrayOf, operatorOf } from './compare-key.ts'
import { positionBetween } from './computed-key.ts'
import type { Expression, HopValues } from './expression.ts'
import { wholeSecondsOf } from './whole-seconds.ts'

/** The type in which values at the end of a field path are compared. */
export function castOf(compared: Pick<PlannedComparison, 'comparisonType' | 'fieldPath'>): Expression {
  const type = typeOfKeyOf(compared)
  return type === null ? CASTS[compared.comparisonType] : sql.raw(type)
}

/** The stored type of a key's values if it is not plain text, such as citext; null: it is, or the values are not compared as a key. */
export function typeOfKeyOf({
  comparisonType,
  fieldPath,
}: Pick<PlannedComparison, 'comparisonType' | 'fieldPath'>): string | null {
  return comparisonType === 'key' ? (fieldPath?.column.storageCast ?? null) : null
}

export function fold(value: Expression): Expression {
  return sql`docket_system.fold(${value})`
}

/** The n-th value of a comparison, as a parameter of its comparison type. */
function valueParam(test: PlannedComparison, index = 0): Expression {
  return sql`${new Param(test.read, index)}::${CASTS[test.comparisonType]}`
}

const textParam = (test: PlannedComparison): Expression => sql`${new Param(test.read, 0)}::text`

/**
 * One comparison as SQL. A negation is written `(…) is not true`, so that it also holds for empty fields
 * (docs/spec/records.md, section 6: `!=` includes nulls).
 */
export function writeComparison(test: PlannedComparison, from: HopValues): Expression {
  if (test.fieldPath === null) return writeSearch(test, from)
  const byKey = writeKeyComparison(test, test.fieldPath, from)
  if (byKey !== null) return byKey
  const value =
    test.known === undefined
      ? comparable(test, test.fieldPath.column, from.valueOf(test.fieldPath))
      : sql`${new Param(test.known, 0)}::${CASTS[test.comparisonType]}`
  switch (test.operator) {
    case '=':
      return writeEquals(test, value)
    case '!=':
      return not(writeEquals(test, value))
    case 'IN':
      return writeIn(test, value)
    case 'NOT IN':
      return not(writeIn(test, value))
    case 'LIKE':
    case 'STARTSWITH':
    case 'ENDSWITH':
    case 'MATCH_PAT':
      return writePattern(test, value)
    case 'NOT LIKE':
    case 'NOTSTARTSWITH':
      return not(writePattern(test, value))
    case 'ISEMPTY':
      return writeIsEmpty(test, value)
    case 'ISNOTEMPTY':
      return not(writeIsEmpty(test, value))
    case 'EMPTYSTRING':
      return sql`${value} = ''`
    case 'ANYTHING':
      return sql`true`
    case '<':
    case '>':
    case '<=':
    case '>=':
      return compare(test, value, sql.raw(test.operator), valueParam(test))
    case 'BETWEEN':
      return sql`(${compare(test, value, sql`>=`, valueParam(test, 0))} and ${compare(test, value, sql`<=`, valueParam(test, 1))})`
    case 'SAMEAS':
      return writeSame(test, value, from)
    case 'NSAMEAS':
      return not(writeSame(test, value, from))
    case 'GT_FIELD':
      return compare(test, value, sql`>`, otherOf(test, from))
    case 'LT_FIELD':
      return compare(test, value, sql`<`, otherOf(test, from))
    case 'GT_OR_EQUALS_FIELD':
      return compare(test, value, sql`>=`, otherOf(test, from))
    case 'LT_OR_EQUALS_FIELD':
      return compare(test, value, sql`<=`, otherOf(test, from))
    case 'ON':
    case 'RELATIVEGT':
    case 'RELATIVEGE':
    case 'RELATIVELT':
    case 'RELATIVELE':
    case 'RELATIVEEE':
      return writeRange(test, value)
    case 'NOTON':
      return not(writeRange(test, value))
    case 'DATEPART':
      return writeDatePart(test, value)
    case 'HAS':
      return sql`${value} @> ${valueParamOfMany(test)}`
    case 'HASNOT':
      return not(sql`${value} && ${valueParamOfMany(test)}`)
    case 'DYNAMIC':
      return test.value.kind === 'user-id'
        ? sql`${value} = ${valueParam(test)}`
        : sql`${value} = any(${valueParamOfMany(test)})`
    case 'CONTAINS_DYNAMIC':
      return writeHasDynamic(test, value)
    case 'DOESNOTCONTAIN_DYNAMIC':
      return not(writeHasDynamic(test, value))
    case 'MATCH_RGX':
      return sql`${value}::text collate docket_system.text_fold ~* ${textParam(test)}`
    case 'ARE':
      return matches(wordsOf(value), test)
    case 'INSTANCEOF':
      return sql`${value} = any(${valueParamOfMany(test)})`
  }
}

function writeHasDynamic(test: PlannedComparison, value: Expression): Expression {
  return test.value.kind === 'user-id'
    ? sql`${value} @> array[${textParam(test)}]`
    : sql`${value} && ${valueParamOfMany(test)}`
}

/** The condition on the sequence number that follows from a comparison of a computed key; null: none that an index could serve. */
export function writeNearKey(test: PlannedComparison, position: Expression): Expression | null {
  const { fieldPath, comparisonType, operator } = test
  if (
    fieldPath === null ||
    fieldPath.steps.length > 0 ||
    fieldPath.column.name !== fieldPath.table.keyColumn ||
    comparisonType !== 'id'
  )
    return null
  if (operator === '=') return positionBetween(position, valueParam(test), valueParam(test))
  if (operator === '>' || operator === '>=') return positionBetween(position, valueParam(test), null)
  if (operator === '<' || operator === '<=') return positionBetween(position, null, valueParam(test))
  if (operator !== 'IN') return null
  const end = (name: 'min' | 'max'): Expression =>
    sql`(select ${sql.raw(name)}(v) from unnest(${valueParamOfMany(test)}) as v)`
  return positionBetween(position, end('min'), end('max'))
}

const not = (condition: Expression): Expression => sql`(${condition}) is not true`

/** If a sys_id is not stored as one value, compares the columns of which it is made. @returns null: the value is compared */
function writeKeyComparison(test: PlannedComparison, fieldPath: PlannedPath, from: HopValues): Expression | null {
  const { column, table } = fieldPath
  const isMade = isOwnKey(column) ? table.key.kind === 'parts' : column.foreignKey !== null
  if (!isMade || !isIdComparison(test)) return null
  const param = sql`${new Param(test.read, 0)}`
  const isOne = test.operator === '=' || test.operator === '!='
  const found = from.whereVisible(fieldPath, (record) => {
    if (refersToOne(column)) return record.refersTo(column, isOne ? { one: param } : { among: param })
    return isOne ? record.isRequested(param) : record.isAmong(param)
  })
  if (found === null) return null
  return test.operator === '=' || test.operator === 'IN' ? found : not(found)
}

const ID_OPERATORS: ReadonlySet<string> = new Set(['=', '!=', 'IN', 'NOT IN'])

/** The groups of the caller are excluded: they are several values for an operator that takes one. */
const isIdComparison = ({ operator, comparisonType, value }: PlannedComparison): boolean =>
  ID_OPERATORS.has(operator) && value.kind !== 'group-ids' && isId(comparisonType)

const textParams = (test: PlannedComparison): Expression => sql`${new Param(test.read, 0)}::text[]`

/** A text operator on an id without a display value compares its digits. */
function comparable(test: PlannedComparison, column: Column, value: Expression): Expression {
  return isText(test.comparisonType) && isId(comparisonOf(column)) ? sql`${value}::text` : value
}

/** The values of IN and similar operators, as one array parameter: the statement is the same for two values and for two hundred. */
function valueParamOfMany(test: PlannedComparison): Expression {
  const element = test.comparisonType === 'list' ? sql`text` : CASTS[test.comparisonType]
  return sql`${new Param(test.read, 0)}::${element}[]`
}

const isText = (comparisonType: ComparisonType): boolean =>
  comparisonType === 'text' || comparisonType === 'choice' || comparisonType === 'nothing'

/** Values of choices are mostly numbers. They need no case-folding, so an index on the column serves. */
const isPlainChoice = ({ comparisonType, value }: PlannedComparison): boolean =>
  comparisonType === 'choice' && value.kind === 'caseless'

function writeEquals(test: PlannedComparison, value: Expression): Expression {
  if (isPlainChoice(test)) return sql`${value} = ${textParam(test)}`
  if (isText(test.comparisonType)) return sql`${fold(value)} = ${fold(textParam(test))}`
  // A list equals a set of members, in any order.
  if (test.comparisonType === 'list') return writeSameMembers(test, value)
  if (test.comparisonType === 'key')
    return sql`${value} ${operatorOf(typeOfKeyOf(test), '=')} ${new Param(test.read, 0)}::${castOf(test)}`
  const wholeSeconds = test.fieldPath === null ? undefined : wholeSecondsOf(test.fieldPath)
  // Fractions of seconds are not displayed, so a value with whole seconds must match them.
  if (wholeSeconds !== undefined) return wholeSeconds.equals(value, valueParam(test))
  // A reference equals "my groups" if it is one of them.
  if (test.value.kind === 'group-ids' && test.comparisonType === 'id')
    return sql`${value} = any(${valueParamOfMany(test)})`
  return sql`${value} = ${valueParam(test)}`
}

/** A list without members and an empty column are the same. */
function writeSameMembers(test: PlannedComparison, value: Expression): Expression {
  const members = valueParam(test)
  return sql`((${value} @> ${members} and ${value} <@ ${members}) or (${value} is null and ${members} = '{}'))`
}

function writeIn(test: PlannedComparison, value: Expression): Expression {
  if (test.comparisonType === 'key')
    return sql`${value} ${operatorOf(typeOfKeyOf(test), '=')} any(${textParams(test)}${arrayOf(typeOfKeyOf(test))})`
  if (!isText(test.comparisonType) || isPlainChoice(test)) return sql`${value} = any(${valueParamOfMany(test)})`
  return sql`${fold(value)} = any(array(select ${fold(sql`v`)} from unnest(${valueParamOfMany(test)}) as v))`
}

/** The parameter is a pattern of LIKE: trigram indexes serve it, and the planner knows how many rows to expect. */
const writePattern = (test: PlannedComparison, value: Expression): Expression =>
  sql`${foldText(value)} like ${fold(textParam(test))}`

/** A display column need not be a text, and a sys_id that is not a reference is compared by its digits. */
const foldText = (value: Expression): Expression => fold(sql`${value}::text`)

function writeIsEmpty(test: PlannedComparison, value: Expression): Expression {
  if (isText(test.comparisonType)) return sql`(${value} is null or ${value} = '')`
  if (test.comparisonType === 'list') return sql`(${value} is null or cardinality(${value}) = 0)`
  return sql`${value} is null`
}

/** The sort key of a comparison type's values. Choices whose values are numbers are sorted as numbers. */
export function orderKey(comparisonType: ComparisonType, value: Expression): Expression {
  if (comparisonType === 'choice') return sql`${value} collate docket_system.number_order`
  return isText(comparisonType) ? sql`${value} collate docket_system.text_order` : value
}

/** The same for a column that another API displays with other values: some of these are negative. */
export function orderKeyOf(
  { comparisonType, column }: { readonly comparisonType: ComparisonType; readonly column: Column | undefined },
  value: Expression,
): Expression {
  if (column?.displayed?.kind !== 'choice') return orderKey(comparisonType, value)
  // In this order, ! is before all digits.
  const signed = sql`case when ${value} ~ '^-[0-9]{1,9}$' then '!' || (1000000000 + ${value}::bigint) else ${value} end`
  return orderKey(comparisonType, sql`(${signed})`)
}

function compare(
  { comparisonType, fieldPath }: PlannedComparison,
  left: Expression,
  operator: Expression,
  right: Expression,
): Expression {
  const [a, b] = isText(comparisonType) ? [fold(left), fold(right)] : [left, right]
  const key = (value: Expression): Expression => orderKeyOf({ comparisonType, column: fieldPath?.column }, value)
  return sql`${key(a)} ${operator} ${key(b)}`
}

function otherOf(test: PlannedComparison, from: HopValues): Expression {
  if (test.other === null) throw new Error(`${test.operator} was planned without its second field`)
  return from.valueOf(test.other)
}

function writeSame(test: PlannedComparison, value: Expression, from: HopValues): Expression {
  const other = otherOf(test, from)
  if (test.comparisonType === 'list') return sql`(${value} @> ${other} and ${value} <@ ${other})`
  return isText(test.comparisonType) ? sql`${fold(value)} = ${fold(other)}` : sql`${value} = ${other}`
}

/** Condition: two columns of the same comparison type, which is not a list, have equal values. */
export function writeSameValues(column: Column, one: Expression, other: Expression): Expression {
  return isText(comparisonOf(column)) ? sql`${fold(one)} = ${fold(other)}` : sql`${one} = ${other}`
}

/** A half-open range; an end that is null is no bound. */
function writeRange(test: PlannedComparison, value: Expression): Expression {
  const from = valueParam(test, 0)
  const to = valueParam(test, 1)
  return sql`(${value} >= coalesce(${from}, '-infinity') and ${value} < coalesce(${to}, 'infinity'))`
}

const DATE_PART_FIELDS: Readonly<Record<DatePart, Expression>> = {
  year: sql`year`,
  quarter: sql`quarter`,
  month: sql`month`,
  week: sql`week`,
  day: sql`day`,
  weekday: sql`isodow`,
  hour: sql`hour`,
}
const DATE_PART_OPERATORS: Readonly<Record<PartComparison, Expression>> = {
  EE: sql`=`,
  NE: sql`<>`,
  GT: sql`>`,
  GE: sql`>=`,
  LT: sql`<`,
  LE: sql`<=`,
}

/** A comparison with a part of the date in the caller's time zone. */
function writeDatePart(test: PlannedComparison, value: Expression): Expression {
  // The value is invalid; binding reports this before the statement runs.
  if (test.value.kind !== 'date-part') return sql`false and ${new Param(test.read, 0)}::text is null`
  const field = DATE_PART_FIELDS[test.value.part]
  const operator = DATE_PART_OPERATORS[test.value.comparison]
  const zone = sql`${new Param(test.read, 1)}::text`
  const local =
    test.comparisonType === 'date' ? sql`${value}::timestamp` : sql`(${value} at time zone 'UTC' at time zone ${zone})`
  const used = test.comparisonType === 'date' ? sql`${zone} is not null and ` : sql``
  return sql`(${used}extract(${field} from ${local}) ${operator} ${new Param(test.read, 0)}::integer)`
}

function matches(words: Expression, test: PlannedComparison): Expression {
  return sql`${words} @@ websearch_to_tsquery('russian', ${textParam(test)})`
}

/** Full-text search over the searchable columns of the record that the caller may see on this row. */
function writeSearch(test: PlannedComparison, from: HopValues): Expression {
  if (test.searched.length === 0) return sql`(${textParam(test)} is null)`
  return matches(wordsOfRecord(test.searched.map((fieldPath) => from.valueOf(fieldPath))), test)
}
