import { type Column, isOwnClass, isRecordClass, type Language, type Table } from '../../catalog/catalog.ts'
import { classIdsOf } from '../../catalog/class-ids.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import {
  columnTypeOf,
  hasParts,
  isJson,
  isTranslated,
  isUnlimitedText,
  refersToMany,
  refersToOne,
} from '../../column-types/column-types.ts'
import {
  concatOf,
  isAnyText,
  type JsonPiece,
  json,
  jsonParts,
  jsonText,
  noValue,
  scalar,
} from '../../column-types/json-piece.ts'
import { succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { DisplayedEntries, DisplayTarget, PlannedField, RecordPlan } from '../plan/record-plan.ts'
import { ofCaller, ofRequest, Param } from '../plan/value-source.ts'
import { storageOf } from './adopted-storage.ts'
import { asDeclared } from './as-declared.ts'
import { writeDisplayedTitle } from './displayed-value.ts'
import type { Expression } from './expression.ts'
import { embed, type FromClause, Row } from './from-clause.ts'
import { idLiteral } from './id-literal.ts'
import { linkTo } from './link-to.ts'
import { writeDisplayedEntries } from './write-entries.ts'
import { emptyText, servedIdsOf, writeTextField } from './write-text-field.ts'

/** The fields of a record, and their format in the response. */
export interface DisplayedFields extends Pick<RecordPlan, 'display' | 'links'> {
  readonly fields: readonly PlannedField[]
  /** Maximum characters: longer texts and JSON are cut. Absent: nothing is cut. */
  readonly maxText?: Expression
  /** Absent: null. */
  readonly names?: RecordPlan['names']
}

/**
 * JSON text of a record. It adds joins to `from`, so write these afterwards.
 *
 * A record whose values are all texts is one `concat`: most of them need no escaping, and none is null.
 *
 * `row_to_json` over a row of named values is cheapest for many fields, one long concatenation for few, each by a tenth
 * (docs/decisions/0004). Neither can omit a key, as is needed if a field is visible on some rows only, and PostgreSQL truncates
 * names after 63 bytes, which a long field path exceeds. In these cases the text is made of pairs.
 */
export function writeRecord(displayed: DisplayedFields, from: FromClause): Expression {
  if (displayed.fields.length === 0) return sql`'{}'`
  if (displayed.fields.some(mayBeMissing)) return writePairs(displayed, from)
  if (displayed.names != null) return writeTexts(displayed, from)
  if (displayed.fields.length <= FEW_FIELDS) return writeConcatenation(displayed, from)
  if (!displayed.fields.every(({ key }) => fitsAName(key))) return writePairs(displayed, from)
  const columns = displayed.fields.map((field) => {
    const piece = writePiece(field, displayed, from)
    return sql`${piece.kind === 'json' ? sql`(${piece.sql})::json` : piece.sql} as ${sql.id(field.key)}`
  })
  const record = from.addRow(sql`select ${sql.join(columns)}`)
  return sql`row_to_json(${record})::text`
}

const FEW_FIELDS = 12

function writeTexts(displayed: DisplayedFields, from: FromClause): Expression {
  const pairs = displayed.fields.flatMap((field, index) => [
    `${index === 0 ? '{' : ','}${JSON.stringify(field.key)}:`,
    ...jsonParts(writePiece(field, displayed, from)),
  ])
  return concatOf([...pairs, '}'])
}

/** `{"key":value,…}` by `||` alone: PostgreSQL does not parse the values as JSON again. */
function writeConcatenation(displayed: DisplayedFields, from: FromClause): Expression {
  const parts = displayed.fields.map((field, index) => {
    const key = sql.lit(`${index === 0 ? '{' : ','}${JSON.stringify(field.key)}:`)
    return sql`${key} || ${jsonText(writePiece(field, displayed, from))}`
  })
  return sql`${sql.join(parts, sql` || `)} || '}'`
}

const MAX_NAME_BYTES = 63
const fitsAName = (key: string): boolean => Buffer.byteLength(key) <= MAX_NAME_BYTES

/** Whether the key is omitted on some rows. A hidden field behind a reference is null instead. */
const mayBeMissing = ({ denied, fieldPath }: PlannedField): boolean =>
  !denied && fieldPath.hops.length === 0 && fieldPath.visible.kind !== 'constant'

/** SQL null where the field is not visible. */
export const ifVisible = (field: PlannedField, value: Expression, from: FromClause): Expression =>
  mayBeMissing(field)
    ? sql`case when ${embed(field.fieldPath.visible, from.row, from.aliases)} then ${value} end`
    : value

/** `"key":value` pairs. concat_ws skips nulls; it is nested, because PostgreSQL allows at most 100 arguments. */
function writePairs(displayed: DisplayedFields, from: FromClause): Expression {
  const pairs = displayed.fields.map((field): Expression => {
    const pair = sql`${sql.lit(`${JSON.stringify(field.key)}:`)} || ${jsonText(writePiece(field, displayed, from))}`
    return ifVisible(field, pair, from)
  })
  const groups: Expression[] = []
  for (let at = 0; at < pairs.length; at += 90) {
    groups.push(sql`nullif(concat_ws(',', ${sql.join(pairs.slice(at, at + 90))}), '')`)
  }
  return sql`'{' || concat_ws(',', ${sql.join(groups)}) || '}'`
}

function writePiece(field: PlannedField, displayed: DisplayedFields, from: FromClause): JsonPiece {
  if (displayed.names != null) return writeAsText(field, { ...displayed, names: displayed.names }, from)
  if (field.denied) return noValue()
  const whole = from.valueOf(field.fieldPath)
  if (displayed.maxText !== undefined && displayed.display !== 'value' && cutKindOf(field) === 'json')
    return writeCutJson(field, whole, displayed.maxText, displayed.display)
  const value = cutValue(field, whole, displayed.maxText)
  switch (displayed.display) {
    case 'value':
      return writeStored(field, value, displayed.links)
    case 'display':
      return writeDisplayed(field, value, displayed.links, from)
    case 'all':
      return json(writeBoth(field, value, displayed, from))
    default:
      return unreachable(displayed.display)
  }
}

/** The field in the format of an API whose values are all texts. */
function writeAsText(
  field: PlannedField,
  record: DisplayedFields & { readonly names: Names },
  from: FromClause,
): JsonPiece {
  if (field.denied) return emptyText()
  const { fieldPath } = field
  const { column, visible } = fieldPath
  const whole = from.valueOf(fieldPath)
  const value = cutValue(field, asDeclared(fieldPath, whole), record.maxText)
  const linkedTo = record.links && isLinked(column) ? column.reference : null
  const language = sql`${languageParam}::text`
  const displayed = (): JsonPiece => {
    const title =
      column.displayed === undefined
        ? null
        : from.whereVisible(fieldPath, (row) => writeDisplayedTitle(column, row, language))
    const { asText } = columnTypeOf(column).display
    if (title !== null) return scalar(title)
    if (field.entries !== null) return scalar(writeJournal(field, field.entries, from))
    return asText?.(value, { column, language, ids: servedIdsOf(record.names) }) ?? writeDisplayText(field, value, from)
  }
  const isAlwaysVisible = fieldPath.hops.length === 0 && visible.kind === 'constant' && visible.value
  return writeTextField({ column, value, displayed, linkedTo, isAlwaysVisible }, record.display, record.names)
}

function writeJournal({ fieldPath }: PlannedField, entries: DisplayedEntries, from: FromClause): Expression {
  const journal = { from, language: sql`${languageParam}::text`, timeZone: sql`${zoneParam}::text` }
  return from.whereVisible(fieldPath, (record) => writeDisplayedEntries(entries, record, journal)) ?? sql`null::text`
}

type CutKind = 'text' | 'json' | null

/** Only JSON and unlimited texts are cut. Titles of choices and translations are short. */
function cutKindOf({ fieldPath: { column } }: PlannedField): CutKind {
  if (isJson(column)) return 'json'
  return isUnlimitedText(column) && hasParts(column) && !isTranslated(column) ? 'text' : null
}

/** JSON becomes a JSON string when it is cut. */
function cutValue(field: PlannedField, value: Expression, maxText: Expression | undefined): Expression {
  const kind = maxText === undefined ? null : cutKindOf(field)
  if (kind === null) return value
  if (kind === 'text') return sql`left(${value}, ${maxText})`
  return sql`case when length(${value}::text) > ${maxText} then to_jsonb(left(${value}::text, ${maxText})) else ${value} end`
}

/** The display value of JSON is its text, which is cut. */
function writeCutJson(
  field: PlannedField,
  value: Expression,
  maxText: Expression,
  display: 'display' | 'all',
): JsonPiece {
  const displayed = scalar(sql`left(${value}::text, ${maxText})`)
  if (display === 'display') return displayed
  const stored = jsonText(writeStored(field, cutValue(field, value, maxText), false))
  return json(sql`'{"value":' || ${stored} || ',"display_value":' || ${jsonText(displayed)} || '}'`)
}

/** Comma-separated keys of the fields of a row that are cut; SQL null: none. */
export function writeCutKeys(fields: readonly PlannedField[], from: FromClause, maxText: Expression): Expression {
  const keys = fields
    .filter((field) => !field.denied && cutKindOf(field) !== null)
    .map(
      (field) =>
        sql`case when length(${from.valueOf(field.fieldPath)}::text) > ${maxText} then ${sql.lit(field.key)} end`,
    )
  return keys.length === 0 ? sql`null::text` : sql`nullif(concat_ws(',', ${sql.join(keys.slice(0, MAX_CUT_KEYS))}), '')`
}

/** PostgreSQL allows at most 100 arguments, and one is the separator. */
const MAX_CUT_KEYS = 99

/** The part of a field that decides how its value is written. */
interface StoredField {
  readonly fieldPath: { readonly table: Table; readonly column: Column }
}

/** docs/spec/records.md, section 4, column "display_value 0". */
function writeStored({ fieldPath }: StoredField, stored: Expression, links: boolean): JsonPiece {
  const { column } = fieldPath
  const value = asDeclared(fieldPath, stored)
  if (links && isLinked(column)) return json(writeReference(column, value, null))
  return columnTypeOf(column).read(value, column)
}

/** The column "display_value 1". */
function writeDisplayed(field: PlannedField, value: Expression, links: boolean, from: FromClause): JsonPiece {
  const { column } = field.fieldPath
  if (columnTypeOf(column).display.isStored === true) return writeStored(field, value, links)
  const display = writeDisplayText(field, value, from)
  return links && isLinked(column) ? json(writeReference(column, value, display.sql)) : display
}

/** Whether the value is returned as an object with a link to the record. */
const isLinked = (column: Column): boolean => refersToOne(column) && !isRecordClass(column)

/**
 * docs/spec/records.md, section 4: JSON text `{value, link}`; SQL null for an empty reference.
 *
 * @param display the display value; null: not requested
 */
function writeReference(column: Column, value: Expression, display: Expression | null): Expression {
  const [id, quote] = isAnyText(column) ? [sql`to_json(${value}::text)::text`, ''] : [value, '"']
  const name = sql.lit(`${display === null ? '{' : ','}"value":${quote}`)
  const head = display === null ? name : sql`'{"display_value":' || ${jsonText(scalar(display))} || ${name}`
  if (column.reference === null) return sql`${head} || ${id} || ${sql.lit(`${quote}}`)}`
  return sql`${head} || ${id} || ${sql.lit(`${quote},"link":"`)} || ${linkTo(column.reference, column, value)} || '"}'`
}

function writeBoth(field: PlannedField, value: Expression, displayed: DisplayedFields, from: FromClause): Expression {
  const { column } = field.fieldPath
  const display = jsonText(writeDisplayText(field, value, from))
  const stored = jsonText(writeStored(field, value, false))
  if (!displayed.links || !isLinked(column) || column.reference === null) {
    return sql`'{"value":' || ${stored} || ',"display_value":' || ${display} || '}'`
  }
  const link = sql`coalesce('"' || ${linkTo(column.reference, column, value)} || '"', 'null')`
  return sql`'{"value":' || ${stored} || ',"display_value":' || ${display} || ',"link":' || ${link} || '}'`
}

/** A value for the log: as a read returns it, but a list of references is an array of its members, from which a row can be rebuilt. */
function writeLogged(table: Table, column: Column, value: Expression): JsonPiece {
  return refersToMany(column) ? scalar(value) : writeStored({ fieldPath: { table, column } }, value, false)
}

/** A column's value for the log, as an SQL value that PostgreSQL converts to the right JSON. */
export function writeLoggedValue(table: Table, column: Column, value: Expression): Expression {
  const piece = writeLogged(table, column, value)
  return piece.kind === 'json' ? sql`(${piece.sql})::json` : piece.sql
}

/** JSON text of a column's value for the log; never SQL null. */
export function writeLoggedJson(table: Table, column: Column, value: Expression): Expression {
  return jsonText(writeLogged(table, column, value))
}

/** JSON text of a column's stored value as a response contains it, a reference as its sys_id; never SQL null. */
export function writeStoredJson(table: Table, column: Column, value: Expression): Expression {
  return jsonText(writeStored({ fieldPath: { table, column } }, value, false))
}

// ── display values ──

/** The display value as text; SQL null if there is none. */
function writeDisplayText(field: PlannedField, value: Expression, from: FromClause): JsonPiece {
  const { column } = field.fieldPath
  const whole = asDeclared(field.fieldPath, value)
  return columnTypeOf(column).display.write(whole, {
    column,
    language: sql`${languageParam}::text`,
    timeZone: sql`${zoneParam}::text`,
    attachments: sql`${fileLinkParam}::text`,
    choiceTitles: () => sql`${choiceTitles(column)}`,
    translation: () => writeTranslation(column, value, from.rowOf(field.fieldPath)),
    record: () =>
      isOwnClass(column)
        ? sql`${classTitles(field.fieldPath.table)}::jsonb ->> ${value}::text`
        : writeDisplayedReference(field, from),
    members: () => writeDisplayedMembers(field, value, from),
    document: () => writeDisplayedDocument(field, value, from),
  })
}

const languageParam = new Param(
  ofCaller(({ principal }) => succeed([principal.language])),
  0,
)
/** The caller's time zone. */
export const zoneParam = new Param(
  ofCaller(({ principal }) => succeed([principal.timeZone])),
  0,
)
const fileLinkParam = new Param(
  ofRequest(({ baseUrl }) => succeed([`${baseUrl}/v1/attachments/`])),
  0,
)

/** Titles of a column's choices in the caller's language, as one JSON object, so that the statement needs no join. */
function choiceTitles(column: Column): Param {
  const titles = (language: Language): string =>
    JSON.stringify(Object.fromEntries(column.choices.map((choice) => [choice.value, choice.titles[language]])))
  const byLanguage = { en: titles('en'), ru: titles('ru') }
  return new Param(
    ofCaller(({ principal }) => succeed([byLanguage[principal.language]])),
    0,
  )
}

/** A caller who may read a record may know the title of its table, regardless of the rules of sys_db_table. */
function classTitles({ descendants }: Table): Param {
  const titles = ofCaller(({ catalog, principal }) => {
    const classes = descendants.flatMap((name) => catalog.tables.get(name) ?? [])
    return succeed([
      JSON.stringify(Object.fromEntries(classes.map((each) => [each.id, each.titles[principal.language]]))),
    ])
  })
  return new Param(titles, 0)
}

function writeDisplayedReference(field: PlannedField, from: FromClause): Expression {
  const [target] = field.targets
  if (target === undefined) return sql`null::text`
  const { fieldPath } = field
  const hop = { column: fieldPath.column, visible: fieldPath.visible, target: target.table, readable: target.readable }
  const displayed = {
    hops: [...fieldPath.hops, hop],
    table: target.table,
    column: target.column,
    visible: target.visible,
  }
  return writeDisplayColumn(target.column, from.valueOf(displayed), from.rowOf(displayed))
}

/** The display column of a record, in the caller's language if it is translated. */
function writeDisplayColumn(column: Column, value: Expression, row: Row): Expression {
  return isTranslated(column) ? writeTranslation(column, value, row) : sql`${value}::text`
}

function writeTranslation(column: Column, value: Expression, row: Row): Expression {
  return sql`coalesce((select x.value from docket.sys_translated_text x
    where x.column_id = ${idLiteral(column.id)} and x.record_id = ${row.key()} and x.language = ${languageParam}::text and ${value} is not null), ${value})`
}

function writeDisplayedMembers(field: PlannedField, value: Expression, from: FromClause): Expression | null {
  const [target] = field.targets
  if (target === undefined) return null
  // Members that the caller may not see are left out, because a reference to such a record has no display value.
  const row = new Row(from.aliases.next(), target.table)
  return sql`(select string_agg(${writeTarget(target, row, from)}, ', ' order by m.n) from unnest(${value}) with ordinality as m (id, n)
    join ${storageOf(target.table)} as ${sql.id(row.alias)} on ${row.name()} = m.id)`
}

/** A document id refers to a record of any table: its first half is the sys_id of the table, its second half that of the record. */
function writeDisplayedDocument(field: PlannedField, value: Expression, from: FromClause): Expression {
  const digits = sql`replace(${value}::text, '-', '')`
  const half = (start: number): Expression => sql`('x' || substr(${digits}, ${sql.lit(start)}, 16))::bit(64)::bigint`
  const cases = field.targets
    .filter(({ table }) => table.key.kind === 'whole')
    .map((target) => {
      const row = new Row(from.aliases.next(), target.table)
      const classes = classIdsOf(target.table, target.catalog)
      return sql`when ${half(1)} in (${sql.join(classes.map(idLiteral))}) then (select ${writeTarget(target, row, from)}
      from ${storageOf(target.table)} as ${sql.id(row.alias)} where ${row.key()} = ${half(17)})`
    })
  return cases.length === 0 ? sql`null::text` : sql`case ${sql.join(cases, sql` `)} end`
}

function writeTarget(target: DisplayTarget, row: Row, from: FromClause): Expression {
  if (target.column.storage === null) return sql`null::text`
  const allowed = sql`${embed(target.readable, row, from.aliases)} and ${embed(target.visible, row, from.aliases)}`
  return sql`case when ${allowed} then ${writeDisplayColumn(target.column, row.storage(target.column.storage), row)} end`
}
