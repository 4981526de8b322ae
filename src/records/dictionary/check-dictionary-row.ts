import { PREVIOUS_STATE } from '../../catalog/build-state-models.ts'
import type { Catalog, Column } from '../../catalog/catalog.ts'
import { isResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { readTableNames, TABLE_NAMES } from '../../catalog/table-named.ts'
import { VALUE_TYPE } from '../../catalog/value-type.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import { readBodyValue } from '../../column-types/read-body-value.ts'
import { readDynamicOption, typedOperand } from '../../condition/typed-value.ts'
import type { Session } from '../../database/database.ts'
import { invalidValue } from '../../kernel/invalid-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import { isTableDenied, type Reader } from '../authorize/readable-path.ts'
import { MAX_BULK, MAX_COUNTED, MAX_ROWS } from '../page-limit.ts'
import { VIEWERS_PROPERTY } from '../viewers.ts'
import { callersConditionProblem, conditionProblem } from './condition-problem.ts'

/**
 * Rows that affect the records of others are checked as a whole, after the write. So the writer of an invalid row gets the error. Without
 * the check, requests of others would fail, or the row would silently have no effect.
 */
export async function checkDictionaryRow(
  session: Session,
  id: string | null,
  { table: { name: table }, catalog, access, request }: AuthorizedRequest,
): Promise<Result<null, Problem>> {
  const check = CHECKS[table]
  if (check === undefined || id === null || !/^\d{1,18}$/.test(id)) return succeed(null)
  const [found] = await session.rows<{ row: Row }>(
    sql`select (select json_object_agg(key, value) from json_each_text(to_json(r))) as row
        from ${sql.id('docket', table)} as r where sys_id = ${id}::bigint`,
  )
  if (found === undefined) return succeed(null)
  const problem = await check(found.row, { catalog, session, access, given: request.body })
  return problem === null ? succeed(null) : fail(problem)
}

export const isChecked = (table: string): boolean => CHECKS[table] !== undefined

/** Names are checked before the row is written; otherwise the caller would get an error of PostgreSQL. */
export function checkGivenNames({ request }: AuthorizedRequest): Result<null, Problem> {
  const field = systemTable(request.table).nameColumn
  const name = field === undefined ? undefined : request.body.get(field)
  if (field === undefined || typeof name !== 'string' || NAME.test(name)) return succeed(null)
  return fail(
    invalidValue(field, 'a letter, then Latin lower-case letters, digits and _ are expected, at most 60 in all'),
  )
}

/** docs/spec/records.md, section 5. PostgreSQL truncates longer names at 63 bytes without an error. */
const NAME = /^[a-z][a-z0-9_]{0,59}$/

/** Every value as text: a JavaScript number cannot hold 18 digits. */
type Row = Readonly<Record<string, string | null>>

interface Around extends Reader {
  readonly session: Session
  /** The body of the request. */
  readonly given: ReadonlyMap<string, unknown>
}

type Check = (row: Row, around: Around) => Problem | null | Promise<Problem | null>

const CHECKS: Readonly<Record<string, Check>> = {
  sys_db_column: checkColumn,
  sys_security_acl: checkRule,
  sys_filter: checkFilter,
  sys_state_model: checkStateModel,
  sys_state_transition: checkTransition,
  sys_choice: checkChoice,
  sys_number: checkNumbering,
  sys_ui_form_element: checkFormElement,
  sys_ui_related_list: checkRelatedList,
  sys_property: checkProperty,
  sys_dynamic_option: checkDynamicOption,
}

const text = (row: Row, column: string): string => row[column] ?? ''

// ── rules and conditions ──

function checkRule(row: Row, { catalog }: Around): Problem | null {
  const tableName = text(row, 'table_name')
  const columnName = text(row, 'column_name')
  const table = catalog.tables.get(tableName)
  if (table === undefined && tableName !== '*') return invalidValue('table_name', `there is no table ${tableName}`)
  if (table !== undefined && columnName !== '' && columnName !== '*' && !table.columns.has(columnName)) {
    return invalidValue('column_name', `there is no column ${columnName} in ${tableName}`)
  }
  return conditionProblem(text(row, 'condition'), table ?? null, catalog)
}

function checkCondition(row: Row, { catalog }: Around): Problem | null {
  return conditionProblem(text(row, 'condition'), catalog.tablesById.get(text(row, 'table_id')) ?? null, catalog)
}

/**
 * A filter is checked as a query of its writer: errors reveal nothing that they may not read. If the body has neither condition nor table,
 * the stored condition is not checked again.
 */
function checkFilter(row: Row, around: Around): Problem | null {
  if (!around.given.has('condition') && !around.given.has('table_id')) return null
  const table = around.catalog.tablesById.get(text(row, 'table_id'))
  if (table === undefined || isTableDenied(table, around)) return invalidValue('table_id', 'there is no such record')
  return callersConditionProblem(text(row, 'condition'), table, around)
}

// ── states ──

function checkStateModel(row: Row, around: Around): Problem | null {
  const table = around.catalog.tablesById.get(text(row, 'table_id'))
  const state = table?.columns.get('state')
  if (table !== undefined && (state === undefined || state.storage === null)) {
    return invalidValue('table_id', `${table.name} has no column named state`)
  }
  return checkCondition(row, around)
}

async function checkTransition(row: Row, { catalog, session }: Around): Promise<Problem | null> {
  const [model] = await session.rows<{ table: string }>(
    sql`select table_id::text as table from docket.sys_state_model where sys_id = ${text(row, 'state_model_id')}::bigint`,
  )
  const states =
    catalog.tablesById
      .get(model?.table ?? '')
      ?.columns.get('state')
      ?.choices.map(({ value }) => value) ?? []
  if (states.length === 0) return null
  const from = text(row, 'from_state')
  if (!states.includes(from))
    return invalidValue('from_state', `${from} is not a state; the states are ${states.join(', ')}`)
  const to = text(row, 'to_state')
  if (to === PREVIOUS_STATE || states.includes(to)) return null
  return invalidValue(
    'to_state',
    `${to} is not a state; the states are ${states.join(', ')}, and ${PREVIOUS_STATE} for the one before`,
  )
}

// ── values that mean something to the server ──

async function checkColumn(row: Row, around: Around): Promise<Problem | null> {
  const on = text(row, 'dependent_on')
  if (on !== '') {
    const other = around.catalog.tablesById.get(text(row, 'table_id'))?.columns.get(on)
    const fits = other !== undefined && columnTypeOf(other).choices === 'one' && on !== text(row, 'column_name')
    if (!fits)
      return invalidValue('dependent_on', `another column of type choice is expected; ${on} is none of this table`)
  }
  return checkDefault(row, around)
}

/** With an invalid default, every create without a value of the column would be rejected. */
async function checkDefault(row: Row, { catalog, session }: Around): Promise<Problem | null> {
  const value = text(row, 'default_value')
  if (value === '') return null
  const operand = typedOperand(value)
  if (operand.kind === 'helper') return operand.call.ok ? null : invalidValue('default_value', operand.call.error)
  const [type] = await session.rows<{ name: Column['type'] }>(
    sql`select ${VALUE_TYPE} as name from docket.sys_db_column_type y where y.sys_id = ${text(row, 'column_type_id')}::bigint`,
  )
  if (type === undefined) return null
  const known = catalog.tablesById.get(text(row, 'table_id'))?.columns.get(text(row, 'column_name'))
  const maxLength = row['max_length'] == null ? null : Number(row['max_length'])
  const choices = known?.choices ?? []
  const stored = { reference: null, key: null, storageCast: null, readAsDocument: false }
  const read = readBodyValue(value, { type: type.name, maxLength, choices, ...stored })
  return read.ok ? null : invalidValue('default_value', read.error)
}

const LANGUAGES: ReadonlySet<string> = new Set(['en', 'ru'])

function checkChoice(row: Row, { catalog }: Around): Problem | null {
  if (!LANGUAGES.has(text(row, 'language'))) return invalidValue('language', 'en or ru is expected')
  const table = catalog.tablesById.get(text(row, 'table_id'))
  const column = [...(table?.columns.values() ?? [])].find((each) => each.id === row['column_id'])
  if (column === undefined) return invalidValue('column_id', 'it is not a column of the table')
  if (columnTypeOf(column).choices === undefined)
    return invalidValue('column_id', `a column of type ${column.type} has no choices`)
  const dependent = text(row, 'dependent_value')
  if (dependent === '') return null
  const other = column.dependsOn === null ? undefined : table?.columns.get(column.dependsOn)
  if (other === undefined) return invalidValue('dependent_value', `${column.name} depends on no other column`)
  return other.choices.some(({ value }) => value === dependent)
    ? null
    : invalidValue('dependent_value', `${dependent} is not a choice of ${other.name}`)
}

function checkNumbering(row: Row, { catalog }: Around): Problem | null {
  const table = catalog.tablesById.get(text(row, 'table_id'))
  return table !== undefined && table.columns.get('number')?.storage == null
    ? invalidValue('table_id', `${table.name} has no column named number`)
    : null
}

/** `column_name` is a field path from the form's table. */
async function checkFormElement(row: Row, { catalog, session }: Around): Promise<Problem | null> {
  const [form] = await session.rows<{ table: string }>(sql`
    select f.table_id::text as table from docket.sys_ui_form_section s join docket.sys_ui_form f on f.sys_id = s.form_id
    where s.sys_id = ${text(row, 'section_id')}::bigint`)
  const table = form === undefined ? undefined : catalog.tablesById.get(form.table)
  if (table === undefined) return null
  const fieldPath = resolvePath(catalog, table, text(row, 'column_name').split('.'))
  return isResolvedPath(fieldPath) ? null : invalidValue('column_name', fieldPath.detail)
}

/** `column_name` is a reference to the form's table. */
async function checkRelatedList(row: Row, { catalog, session }: Around): Promise<Problem | null> {
  const [form] = await session.rows<{ table: string }>(
    sql`select table_id::text as table from docket.sys_ui_form where sys_id = ${text(row, 'form_id')}::bigint`,
  )
  const target = catalog.tablesById.get(form?.table ?? '')
  const table = catalog.tablesById.get(text(row, 'table_id'))
  if (target === undefined || table === undefined) return null
  const name = text(row, 'column_name')
  const column = table.columns.get(name)
  if (column === undefined) return invalidValue('column_name', `there is no column ${name} in ${table.name}`)
  return column.reference !== null && target.ancestors.includes(column.reference)
    ? null
    : invalidValue('column_name', `a column of ${table.name} that refers to ${target.name} is expected`)
}

/** A hundred years. */
const MAX_KEEP_DAYS = 36_500

const WHOLE_PROPERTIES: Readonly<Record<string, readonly [min: number, max: number]>> = {
  'auth.token.life_minutes': [1, 5_256_000],
  'auth.cookie.idle_minutes': [1, 525_600],
  'auth.cookie.max_minutes': [1, 525_600],
  'rest.limit.max': [1, MAX_ROWS],
  'rest.bulk.max': [1, MAX_BULK],
  'rest.count.max': [1, MAX_COUNTED],
  'history.keep_days': [0, MAX_KEEP_DAYS],
  'events.keep_days': [0, MAX_KEEP_DAYS],
  'follow.compare_hours': [0, 876_000],
  'search.wait_ms': [0, 3_600_000],
  'read.max_lag_ms': [0, 60_000],
}

/** If the body has neither name nor value, the stored value is not checked again: an earlier version may have taken it. */
function checkProperty(row: Row, { catalog, given }: Around): Problem | null {
  if (!given.has('name') && !given.has('value')) return null
  if (text(row, 'name') === TABLE_NAMES) return checkTableNames(text(row, 'value'), catalog)
  if (text(row, 'name') === VIEWERS_PROPERTY && !/^\s*(true|false)\s*$/.test(text(row, 'value')))
    return invalidValue('value', `${VIEWERS_PROPERTY} is true or false`)
  const range = WHOLE_PROPERTIES[text(row, 'name')]
  if (range === undefined) return null
  const value = text(row, 'value').trim()
  const [min, max] = range
  const fits = /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max
  return fits ? null : invalidValue('value', `${text(row, 'name')} is a whole number from ${min} to ${max}`)
}

/** The name of a real table would never be looked up as another name, and a missing table would cause errors only later. */
function checkTableNames(value: string, { tables }: Catalog): Problem | null {
  for (const { name, table } of readTableNames(value)) {
    if (!NAME.test(name)) return invalidValue('value', `entries such as sys_widget=widget are expected, found ${name}`)
    if (!tables.has(table)) return invalidValue('value', `there is no table ${table}`)
    if (tables.has(name)) return invalidValue('value', `${name} is a table of its own`)
  }
  return null
}

function checkDynamicOption(row: Row): Problem | null {
  const value = text(row, 'value')
  const helper = readDynamicOption(value)
  return helper.ok ? null : invalidValue('value', helper.error)
}
