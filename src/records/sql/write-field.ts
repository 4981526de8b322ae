import { sql } from 'kysely'
import type { Column, Language } from '../../catalog/catalog.ts'
import { succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import { type DisplayTarget, type PlannedField, type RecordPlan, Slot } from '../plan/record-plan.ts'
import type { Expression } from './expression.ts'
import { embed, type FromClause, Row, storageOf } from './from-clause.ts'
import { idLiteral } from './id-literal.ts'

/** JSON text of one field, never SQL null; `catalog` and `language` come in through slots, so one text serves all callers. */
export function writeField(field: PlannedField, plan: RecordPlan, from: FromClause): Expression {
  if (field.closed) return sql`'null'`
  const { column } = field.walk
  const value = from.valueOf(field.walk)
  switch (plan.display) {
    case 'value':
      return writeStored(column, value, plan)
    case 'display':
      return column.type === 'reference' && plan.links
        ? writeReference(column, value, { plan, display: writeShown(field, value, from) })
        : jsonString(writeShown(field, value, from))
    case 'all':
      return writeBoth(field, value, plan, from)
    default:
      return unreachable(plan.display)
  }
}

/** `"key":value` pairs joined to a JSON object; a field that the caller may not see on this row has no key. */
export function writeRecord(plan: RecordPlan, from: FromClause): Expression {
  const pairs = plan.fields.map((field): Expression => {
    const pair = sql`${literal(`${JSON.stringify(field.key)}:`)} || ${writeField(field, plan, from)}`
    const { visible } = field.walk
    if (field.closed || field.walk.steps.length > 0) return pair
    if (visible.kind === 'constant') return pair
    return sql`case when ${embed(visible, from.row, from.aliases)} then ${pair} end`
  })
  if (pairs.length === 0) return sql`'{}'`
  const someMayBeMissing = plan.fields.some(
    (field) => !field.closed && field.walk.steps.length === 0 && field.walk.visible.kind !== 'constant',
  )
  if (!someMayBeMissing) return sql`'{' || ${sql.join(pairs, sql` || ',' || `)} || '}'`
  return sql`'{' || ${joinPresent(pairs)} || '}'`
}

/** concat_ws leaves nulls out; PostgreSQL allows a function 100 arguments. */
function joinPresent(pairs: readonly Expression[]): Expression {
  if (pairs.length <= 90) return sql`concat_ws(',', ${sql.join(pairs)})`
  const groups: Expression[] = []
  for (let at = 0; at < pairs.length; at += 90) {
    groups.push(sql`nullif(concat_ws(',', ${sql.join(pairs.slice(at, at + 90))}), '')`)
  }
  return sql`concat_ws(',', ${sql.join(groups)})`
}

/** A text of ours (a key of the dictionary) as an SQL literal. */
function literal(text: string): Expression {
  return sql.lit(text)
}

const jsonString = (text: Expression): Expression => sql`coalesce(to_json(${text})::text, 'null')`
const quoted = (text: Expression): Expression => sql`coalesce('"' || ${text} || '"', 'null')`

// ── as stored ──

/** Record spec, section 4, column "display_value 0". */
function writeStored(column: Column, value: Expression, plan: RecordPlan): Expression {
  switch (column.type) {
    case 'integer':
    case 'smallinteger':
    case 'percent_complete':
    case 'days_of_week':
    case 'boolean':
    case 'json':
      return sql`coalesce(${value}::text, 'null')`
    case 'float':
      return sql`coalesce(to_json(${value})::text, 'null')`
    case 'reference':
      return plan.links ? writeReference(column, value, { plan, display: null }) : quoted(value)
    case 'decimal':
      return quoted(sql`round(${value}, 2)`)
    case 'biginteger':
    case 'sys_id':
    case 'duration':
    case 'image':
    case 'file':
    case 'document_id':
    case 'date':
      return quoted(value)
    case 'datetime':
      return quoted(timestampText(value))
    case 'time':
      return quoted(sql`date_trunc('second', ${value})::time(0)`)
    case 'list':
      return sql`coalesce(to_json(${value})::text, 'null')`
    case 'journal_input':
    case 'password':
    case 'encrypted':
      return sql`'null'`
    default:
      return jsonString(value)
  }
}

/** `YYYY-MM-DD HH:MM:SS`; the connection's DateStyle is ISO. */
const timestampText = (value: Expression): Expression => sql`date_trunc('second', ${value})::timestamp(0)::text`

interface ReferenceForm {
  readonly plan: RecordPlan
  /** Text to show beside; null: none asked for. */
  readonly display: Expression | null
}

/** Record contract, section 2: `{value, link}`; an empty reference is null. */
function writeReference(column: Column, value: Expression, form: ReferenceForm): Expression {
  const shown = form.display === null ? sql`` : sql`'"display_value":' || ${jsonString(form.display)} || ',' || `
  if (column.reference === null) return sql`coalesce('{' || ${shown}'"value":"' || ${value} || '"}', 'null')`
  const tail = sql`${linkSlot(column.reference)}::text`
  return sql`coalesce('{' || ${shown}'"value":"' || ${value} || '","link":"' || ${tail} || ${value} || '"}', 'null')`
}

/** The link's text up to the sys_id, escaped for JSON: once a request, not once a row. */
function linkSlot(table: string): Slot {
  return new Slot((binding) => succeed([JSON.stringify(`${binding.baseUrl}/rest/v1/table/${table}/`).slice(1, -1)]), 0)
}

function writeBoth(field: PlannedField, value: Expression, plan: RecordPlan, from: FromClause): Expression {
  const { column } = field.walk
  const shown = jsonString(writeShown(field, value, from))
  const stored = writeStored(column, value, { ...plan, links: false })
  if (column.type !== 'reference' || !plan.links || column.reference === null) {
    return sql`'{"value":' || ${stored} || ',"display_value":' || ${shown} || '}'`
  }
  const link = sql`coalesce('"' || ${linkSlot(column.reference)}::text || ${value} || '"', 'null')`
  return sql`'{"value":' || ${stored} || ',"display_value":' || ${shown} || ',"link":' || ${link} || '}'`
}

// ── as people read it ──

/** Record spec, section 4, column "display_value 1": a text, SQL null where there is nothing to show. */
function writeShown(field: PlannedField, value: Expression, from: FromClause): Expression {
  const { column } = field.walk
  switch (column.type) {
    case 'integer':
    case 'smallinteger':
    case 'biginteger':
    case 'sys_id':
    case 'date':
    case 'json':
      return sql`${value}::text`
    case 'decimal':
      return sql`docket_system.show_decimal(${value}, ${languageSlot}::text)`
    case 'float':
      return sql`docket_system.show_float(${value}, ${languageSlot}::text)`
    case 'percent_complete':
      return sql`${value}::text || '%'`
    case 'boolean':
      return sql`docket_system.show_boolean(${value}, ${languageSlot}::text)`
    case 'datetime':
      return timestampText(sql`(${value} at time zone 'UTC' at time zone ${zoneSlot}::text)`)
    case 'time':
      return sql`date_trunc('second', ${value})::time(0)::text`
    case 'duration':
      return sql`docket_system.show_duration(${value}, ${languageSlot}::text)`
    case 'days_of_week':
      return sql`docket_system.show_days(${value}, ${languageSlot}::text)`
    case 'choice':
      return column.choices.length === 0 ? value : sql`coalesce(${choiceTitles(column)}::jsonb ->> ${value}, ${value})`
    case 'translated_text':
      return writeTranslation(column, value, from.rowOf(field.walk))
    case 'reference':
      return writeShownReference(field, from)
    case 'list':
      return writeShownList(field, value, from)
    case 'image':
    case 'file':
      return sql`${fileLinkSlot}::text || ${value} || '/file'`
    case 'document_id':
      return writeShownDocument(field, value, from)
    case 'journal_input':
    case 'password':
    case 'encrypted':
      return sql`null::text`
    default:
      return value
  }
}

const languageSlot = new Slot((binding) => succeed([binding.principal.language]), 0)
const zoneSlot = new Slot((binding) => succeed([binding.principal.timeZone]), 0)
const fileLinkSlot = new Slot((binding) => succeed([`${binding.baseUrl}/v1/attachments/`]), 0)

/** Titles of a choice's values in the caller's language, as one JSON object: the statement needs no join for them. */
function choiceTitles(column: Column): Slot {
  const titles = (language: Language): string =>
    JSON.stringify(Object.fromEntries(column.choices.map((choice) => [choice.value, choice.titles[language]])))
  const byLanguage = { en: titles('en'), ru: titles('ru') }
  return new Slot((binding) => succeed([byLanguage[binding.principal.language]]), 0)
}

function writeShownReference(field: PlannedField, from: FromClause): Expression {
  const [target] = field.targets
  if (target === undefined) return sql`null::text`
  const { walk } = field
  const step = { column: walk.column, visible: walk.visible, target: target.table, readable: target.readable }
  const shown = { steps: [...walk.steps, step], table: target.table, column: target.column, visible: target.visible }
  return writeDisplayColumn(target.column, from.valueOf(shown), from.rowOf(shown))
}

/** What stands for a record, in the caller's language where the column is translated. */
function writeDisplayColumn(column: Column, value: Expression, row: Row): Expression {
  return column.type === 'translated_text' ? writeTranslation(column, value, row) : sql`${value}::text`
}

function writeTranslation(column: Column, value: Expression, row: Row): Expression {
  return sql`coalesce((select x.value from docket.sys_translated_text x
    where x.column_id = ${idLiteral(column.id)} and x.record_id = ${row.key()} and x.language = ${languageSlot}::text and ${value} is not null), ${value})`
}

function writeShownList(field: PlannedField, value: Expression, from: FromClause): Expression {
  const { column } = field.walk
  const members = sql`unnest(${value}) with ordinality as m (id, n)`
  if (column.choices.length > 0) {
    return sql`(select string_agg(coalesce(${choiceTitles(column)}::jsonb ->> m.id, m.id), ', ' order by m.n) from ${members})`
  }
  const [target] = field.targets
  if (target === undefined) return sql`array_to_string(${value}, ', ')`
  // Members that the caller may not see are left out, as a reference to one would show nothing.
  const row = new Row(from.aliases.next(), target.table)
  return sql`(select string_agg(${writeTarget(target, row, from)}, ', ' order by m.n) from ${members}
    join ${storageOf(target.table)} as ${sql.id(row.alias)} on ${row.key()}::text = m.id)`
}

/** The record that a document id names may be in any table: the first half is the table's sys_id, the second the record's. */
function writeShownDocument(field: PlannedField, value: Expression, from: FromClause): Expression {
  const digits = sql`replace(${value}::text, '-', '')`
  const half = (start: number): Expression => sql`('x' || substr(${digits}, ${sql.lit(start)}, 16))::bit(64)::bigint`
  const cases = field.targets.map((target) => {
    const row = new Row(from.aliases.next(), target.table)
    const classes = target.table.family.flatMap((name) => target.catalog.tables.get(name)?.id ?? [])
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
