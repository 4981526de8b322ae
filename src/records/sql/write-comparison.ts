import type { Column } from '../../catalog/catalog.ts'
import { wordsOf, wordsOfRecord } from '../../catalog/searched-text.ts'
import { comparisonOf, isOwnKey, refersToOne } from '../../column-types/column-types.ts'
import { CASTS, type ComparisonType, isId } from '../../column-types/comparison-types.ts'
import type { DatePart, PartComparison } from '../../condition/dates/read-date-part.ts'
import { sql } from '../../kernel/sql.ts'
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
function valueParam(comparison: PlannedComparison, index = 0): Expression {
  return sql`${new Param(comparison.read, index)}::${CASTS[comparison.comparisonType]}`
}

const textParam = (comparison: PlannedComparison): Expression => sql`${new Param(comparison.read, 0)}::text`

/**
 * One comparison as SQL. A negation is written `(…) is not true`, so that it also holds for empty fields
 * (docs/spec/records.md, section 6: `!=` includes nulls).
 */
export function writeComparison(comparison: PlannedComparison, from: HopValues): Expression {
  if (comparison.fieldPath === null) return writeSearch(comparison, from)
  const byKey = writeKeyComparison(comparison, comparison.fieldPath, from)
  if (byKey !== null) return byKey
  const value =
    comparison.known === undefined
      ? comparable(comparison, comparison.fieldPath.column, from.valueOf(comparison.fieldPath))
      : sql`${new Param(comparison.known, 0)}::${CASTS[comparison.comparisonType]}`
  switch (comparison.operator) {
    case '=':
      return writeEquals(comparison, value)
    case '!=':
      return not(writeEquals(comparison, value))
    case 'IN':
      return writeIn(comparison, value)
    case 'NOT IN':
      return not(writeIn(comparison, value))
    case 'LIKE':
    case 'STARTSWITH':
    case 'ENDSWITH':
    case 'MATCH_PAT':
      return writePattern(comparison, value)
    case 'NOT LIKE':
    case 'NOTSTARTSWITH':
      return not(writePattern(comparison, value))
    case 'ISEMPTY':
      return writeIsEmpty(comparison, value)
    case 'ISNOTEMPTY':
      return not(writeIsEmpty(comparison, value))
    case 'EMPTYSTRING':
      return sql`${value} = ''`
    case 'ANYTHING':
      return sql`true`
    case '<':
    case '>':
    case '<=':
    case '>=':
      return compare(comparison, value, sql.raw(comparison.operator), valueParam(comparison))
    case 'BETWEEN':
      return sql`(${compare(comparison, value, sql`>=`, valueParam(comparison, 0))} and ${compare(comparison, value, sql`<=`, valueParam(comparison, 1))})`
    case 'SAMEAS':
      return writeSame(comparison, value, from)
    case 'NSAMEAS':
      return not(writeSame(comparison, value, from))
    case 'GT_FIELD':
      return compare(comparison, value, sql`>`, otherOf(comparison, from))
    case 'LT_FIELD':
      return compare(comparison, value, sql`<`, otherOf(comparison, from))
    case 'GT_OR_EQUALS_FIELD':
      return compare(comparison, value, sql`>=`, otherOf(comparison, from))
    case 'LT_OR_EQUALS_FIELD':
      return compare(comparison, value, sql`<=`, otherOf(comparison, from))
    case 'ON':
    case 'RELATIVEGT':
    case 'RELATIVEGE':
    case 'RELATIVELT':
    case 'RELATIVELE':
    case 'RELATIVEEE':
      return writeRange(comparison, value)
    case 'NOTON':
      return not(writeRange(comparison, value))
    case 'DATEPART':
      return writeDatePart(comparison, value)
    case 'HAS':
      return sql`${value} @> ${valueParamOfMany(comparison)}`
    case 'HASNOT':
      return not(sql`${value} && ${valueParamOfMany(comparison)}`)
    case 'DYNAMIC':
      return comparison.value.kind === 'user-id'
        ? sql`${value} = ${valueParam(comparison)}`
        : sql`${value} = any(${valueParamOfMany(comparison)})`
    case 'CONTAINS_DYNAMIC':
      return writeHasDynamic(comparison, value)
    case 'DOESNOTCONTAIN_DYNAMIC':
      return not(writeHasDynamic(comparison, value))
    case 'MATCH_RGX':
      return sql`${value}::text collate docket_system.text_fold ~* ${textParam(comparison)}`
    case 'ARE':
      return matches(wordsOf(value), comparison)
    case 'INSTANCEOF':
      return sql`${value} = any(${valueParamOfMany(comparison)})`
  }
}

function writeHasDynamic(comparison: PlannedComparison, value: Expression): Expression {
  return comparison.value.kind === 'user-id'
    ? sql`${value} @> array[${textParam(comparison)}]`
    : sql`${value} && ${valueParamOfMany(comparison)}`
}

/** The condition on the sequence number that follows from a comparison of a computed key; null: none that an index could serve. */
export function writeNearKey(comparison: PlannedComparison, position: Expression): Expression | null {
  const { fieldPath, comparisonType, operator } = comparison
  if (
    fieldPath === null ||
    fieldPath.hops.length > 0 ||
    fieldPath.column.name !== fieldPath.table.keyColumn ||
    comparisonType !== 'id'
  )
    return null
  if (operator === '=') return positionBetween(position, valueParam(comparison), valueParam(comparison))
  if (operator === '>' || operator === '>=') return positionBetween(position, valueParam(comparison), null)
  if (operator === '<' || operator === '<=') return positionBetween(position, null, valueParam(comparison))
  if (operator !== 'IN') return null
  const end = (name: 'min' | 'max'): Expression =>
    sql`(select ${sql.raw(name)}(v) from unnest(${valueParamOfMany(comparison)}) as v)`
  return positionBetween(position, end('min'), end('max'))
}

const not = (condition: Expression): Expression => sql`(${condition}) is not true`

/** If a sys_id is not stored as one value, compares the columns of which it is made. @returns null: the value is compared */
function writeKeyComparison(comparison: PlannedComparison, fieldPath: PlannedPath, from: HopValues): Expression | null {
  const { column, table } = fieldPath
  const isMade = isOwnKey(column) ? table.key.kind === 'parts' : column.foreignKey !== null
  if (!isMade || !isIdComparison(comparison)) return null
  const param = sql`${new Param(comparison.read, 0)}`
  const isOne = comparison.operator === '=' || comparison.operator === '!='
  const found = from.whereVisible(fieldPath, (record) => {
    if (refersToOne(column)) return record.refersTo(column, isOne ? { one: param } : { among: param })
    return isOne ? record.isRequested(param) : record.isAmong(param)
  })
  if (found === null) return null
  return comparison.operator === '=' || comparison.operator === 'IN' ? found : not(found)
}

const ID_OPERATORS: ReadonlySet<string> = new Set(['=', '!=', 'IN', 'NOT IN'])

/** The groups of the caller are excluded: they are several values for an operator that takes one. */
const isIdComparison = ({ operator, comparisonType, value }: PlannedComparison): boolean =>
  ID_OPERATORS.has(operator) && value.kind !== 'group-ids' && isId(comparisonType)

const textParams = (comparison: PlannedComparison): Expression => sql`${new Param(comparison.read, 0)}::text[]`

/** A text operator on an id without a display value compares its digits. */
function comparable(comparison: PlannedComparison, column: Column, value: Expression): Expression {
  return isText(comparison.comparisonType) && isId(comparisonOf(column)) ? sql`${value}::text` : value
}

/** The values of IN and similar operators, as one array parameter: the statement is the same for two values and for two hundred. */
function valueParamOfMany(comparison: PlannedComparison): Expression {
  const element = comparison.comparisonType === 'list' ? sql`text` : CASTS[comparison.comparisonType]
  return sql`${new Param(comparison.read, 0)}::${element}[]`
}

/** What a comparison of a reference by `=`, `IN` or `DYNAMIC` compares it with, as one array. */
export function namedKeys(comparison: PlannedComparison): Expression {
  const { operator, value } = comparison
  const isOne = value.kind !== 'group-ids' && (operator === '=' || (operator === 'DYNAMIC' && value.kind === 'user-id'))
  return isOne ? sql`array[${valueParam(comparison)}]` : valueParamOfMany(comparison)
}

export const isText = (comparisonType: ComparisonType): boolean =>
  comparisonType === 'text' || comparisonType === 'choice' || comparisonType === 'nothing'

/** Values of choices are mostly numbers. They need no case-folding, so an index on the column serves. */
const isPlainChoice = ({ comparisonType, value }: PlannedComparison): boolean =>
  comparisonType === 'choice' && value.kind === 'caseless'

function writeEquals(comparison: PlannedComparison, value: Expression): Expression {
  if (isPlainChoice(comparison)) return sql`${value} = ${textParam(comparison)}`
  if (isText(comparison.comparisonType)) return sql`${fold(value)} = ${fold(textParam(comparison))}`
  // A list equals a set of members, in any order.
  if (comparison.comparisonType === 'list') return writeSameMembers(comparison, value)
  if (comparison.comparisonType === 'key')
    return sql`${value} ${operatorOf(typeOfKeyOf(comparison), '=')} ${new Param(comparison.read, 0)}::${castOf(comparison)}`
  const wholeSeconds = comparison.fieldPath === null ? undefined : wholeSecondsOf(comparison.fieldPath)
  // Fractions of seconds are not displayed, so a value with whole seconds must match them.
  if (wholeSeconds !== undefined) return wholeSeconds.equals(value, valueParam(comparison))
  // A reference equals "my groups" if it is one of them.
  if (comparison.value.kind === 'group-ids' && comparison.comparisonType === 'id')
    return sql`${value} = any(${valueParamOfMany(comparison)})`
  return sql`${value} = ${valueParam(comparison)}`
}

/** A list without members and an empty column are the same. */
function writeSameMembers(comparison: PlannedComparison, value: Expression): Expression {
  const members = valueParam(comparison)
  return sql`((${value} @> ${members} and ${value} <@ ${members}) or (${value} is null and ${members} = '{}'))`
}

function writeIn(comparison: PlannedComparison, value: Expression): Expression {
  if (comparison.comparisonType === 'key')
    return sql`${value} ${operatorOf(typeOfKeyOf(comparison), '=')} any(${textParams(comparison)}${arrayOf(typeOfKeyOf(comparison))})`
  if (!isText(comparison.comparisonType) || isPlainChoice(comparison))
    return sql`${value} = any(${valueParamOfMany(comparison)})`
  return sql`${fold(value)} = any(array(select ${fold(sql`v`)} from unnest(${valueParamOfMany(comparison)}) as v))`
}

/**
 * The parameter is a pattern of LIKE: trigram indexes serve it, and the planner knows how many rows to expect. If it has fewer parts to look up
 * than the pattern that was given, that one is compared with each row that is found, in words that no index serves and which PostgreSQL
 * expects to be true.
 */
function writePattern(comparison: PlannedComparison, value: Expression): Expression {
  const given = textParam(comparison)
  const matches = (pattern: Expression): Expression => sql`${foldText(value)} like ${fold(pattern)}`
  if (comparison.coarse === undefined) return matches(given)
  const coarse = sql`${new Param(comparison.coarse, 0)}::text`
  return sql`(${matches(coarse)} and case when ${coarse} = ${given} then true else nullif(${matches(given)}, false) is not null end)`
}

/** A display column need not be a text, and a sys_id that is not a reference is compared by its digits. */
const foldText = (value: Expression): Expression => fold(sql`${value}::text`)

function writeIsEmpty(comparison: PlannedComparison, value: Expression): Expression {
  if (isText(comparison.comparisonType)) return sql`(${value} is null or ${value} = '')`
  if (comparison.comparisonType === 'list') return sql`(${value} is null or cardinality(${value}) = 0)`
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

function otherOf(comparison: PlannedComparison, from: HopValues): Expression {
  if (comparison.other === null) throw new Error(`${comparison.operator} was planned without its second field`)
  return from.valueOf(comparison.other)
}

function writeSame(comparison: PlannedComparison, value: Expression, from: HopValues): Expression {
  const other = otherOf(comparison, from)
  if (comparison.comparisonType === 'list') return sql`(${value} @> ${other} and ${value} <@ ${other})`
  return isText(comparison.comparisonType) ? sql`${fold(value)} = ${fold(other)}` : sql`${value} = ${other}`
}

/** Condition: two columns of the same comparison type, which is not a list, have equal values. */
export function writeSameValues(column: Column, one: Expression, other: Expression): Expression {
  return isText(comparisonOf(column)) ? sql`${fold(one)} = ${fold(other)}` : sql`${one} = ${other}`
}

/** A range with its start and without its end. Operators with one bound compare only that one, so that they find `infinity` of adopted tables. */
function writeRange(comparison: PlannedComparison, value: Expression): Expression {
  const from = sql`${value} >= ${valueParam(comparison, 0)}`
  const to = sql`${value} < ${valueParam(comparison, 1)}`
  if (comparison.operator === 'RELATIVEGT' || comparison.operator === 'RELATIVEGE') return sql`(${from})`
  if (comparison.operator === 'RELATIVELT' || comparison.operator === 'RELATIVELE') return sql`(${to})`
  return sql`(${from} and ${to})`
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
function writeDatePart(comparison: PlannedComparison, value: Expression): Expression {
  // The value is invalid; binding reports this before the statement runs.
  if (comparison.value.kind !== 'date-part') return sql`false and ${new Param(comparison.read, 0)}::text is null`
  const field = DATE_PART_FIELDS[comparison.value.part]
  const operator = DATE_PART_OPERATORS[comparison.value.operator]
  const zone = sql`${new Param(comparison.read, 1)}::text`
  const local =
    comparison.comparisonType === 'date'
      ? sql`${value}::timestamp`
      : sql`(${value} at time zone 'UTC' at time zone ${zone})`
  const used = comparison.comparisonType === 'date' ? sql`${zone} is not null and ` : sql``
  return sql`(${used}extract(${field} from ${local}) ${operator} ${new Param(comparison.read, 0)}::integer)`
}

function matches(words: Expression, comparison: PlannedComparison): Expression {
  return sql`${words} @@ websearch_to_tsquery('russian', ${textParam(comparison)})`
}

/** Full-text search over the searchable columns of the record that the caller may see on this row. */
function writeSearch(comparison: PlannedComparison, from: HopValues): Expression {
  if (comparison.searched.length === 0) return sql`(${textParam(comparison)} is null)`
  return matches(wordsOfRecord(comparison.searched.map((fieldPath) => from.valueOf(fieldPath))), comparison)
}
