import type { Table } from '../../catalog/catalog.ts'
import { readSysId } from '../../catalog/record-key.ts'
import type { Operand } from '../../condition/condition-tree.ts'
import type { Moment } from '../../condition/dates/date-values.ts'
import { readDate, readDateTime, readTime } from '../../condition/dates/read-date-text.ts'
import { computeInstant, type Helper } from '../../condition/dates/read-helper.ts'
import { parseExactJson } from '../../kernel/exact-json.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import { type Caller, ofRequest, type ValueFamily, type ValueSource } from './record-plan.ts'
import { storableJson } from './storable-json.ts'

/** An operand as PostgreSQL takes it for the family; the error says what would be right. */
export function readConditionValue(operand: Operand, family: ValueFamily, caller: Caller): Result<unknown, string> {
  // A key may be any text.
  if (operand.kind === 'literal' || family === 'key') return readPlainValue(operand.text, family)
  return operand.call.ok ? computeHelper(operand.call.value, family, caller) : operand.call
}

export function momentOf(caller: Caller): Moment {
  return { nowMs: caller.nowMs, timeZone: caller.principal.timeZone }
}

function computeHelper(helper: Helper, family: ValueFamily, caller: Caller): Result<unknown, string> {
  switch (helper.kind) {
    case 'user-id':
      return family === 'id' || family === 'list'
        ? succeed(caller.principal.userId)
        : misplaced('the id of a user', family)
    case 'user-name':
      return family === 'text' ? succeed(caller.principal.userName) : misplaced('the name of a user', family)
    case 'group-ids':
      return misplaced('several groups (use IN)', family)
    case 'instant': {
      const instant = computeInstant(helper, momentOf(caller))
      if (family === 'datetime') return succeed(instant.utc)
      if (family === 'date') return succeed(instant.localDate)
      return family === 'time' ? succeed(instant.localTime) : misplaced('a point in time', family)
    }
    default:
      return unreachable(helper)
  }
}

const misplaced = (what: string, family: ValueFamily): Result<never, string> =>
  refuse(`This helper gives ${what}, and the column holds ${NOUNS[family]}.`)

export const NOUNS = {
  text: 'text',
  choice: 'a choice',
  whole: 'a whole number',
  decimal: 'a decimal number',
  float: 'a number',
  boolean: 'true or false',
  datetime: 'a date and time',
  date: 'a date',
  time: 'a time of day',
  id: 'the sys_id of a record (digits)',
  uuid: 'the sys_id of a record (a UUID)',
  key: 'the sys_id of a record',
  list: 'a list',
  document: 'a document id (32 hexadecimal digits)',
  json: 'JSON',
  journal: 'the entries of a journal',
  nothing: 'nothing that can be compared',
} as const satisfies Record<ValueFamily, string>

const MAX_INT8 = 9_223_372_036_854_775_807n

function readPlainValue(text: string, family: ValueFamily): Result<unknown, string> {
  switch (family) {
    case 'text':
    case 'choice':
    case 'list':
    case 'key':
    case 'journal':
    case 'nothing':
      // PostgreSQL stores no U+0000, so no stored text holds one.
      return text.includes('\0') ? expected(family, text) : succeed(text)
    case 'whole':
    case 'id':
      return readWholeNumber(text.trim(), family)
    case 'uuid': {
      const id = readSysId(text.trim(), { kind: 'uuid', parts: [] })
      return id === null ? expected(family, text) : succeed(id)
    }
    case 'decimal':
      return /^([+-]?\d{1,200}(\.\d{1,200})?|NaN|[+-]?Infinity)$/i.test(text.trim())
        ? succeed(text.trim())
        : expected(family, text)
    case 'float':
      return /^[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,3})?$/i.test(text.trim()) &&
        Number.isFinite(Number(text))
        ? succeed(text.trim())
        : expected(family, text)
    case 'boolean':
      return readBoolean(text)
    case 'datetime':
      return readDateTime(text.trim(), 'UTC')
    case 'date': {
      // A date and time asks a date column for its day.
      const moment = readDateTime(text.trim(), 'UTC')
      return moment.ok ? succeed(moment.value.slice(0, 10)) : readDate(text.trim())
    }
    case 'time':
      return readTime(text.trim())
    case 'document':
      return readDocumentId(text)
    case 'json':
      return readJson(text)
    default:
      return unreachable(family)
  }
}

function readWholeNumber(text: string, family: 'whole' | 'id'): Result<string, string> {
  if (!/^[+-]?\d{1,19}$/.test(text)) return expected(family, text)
  const number = BigInt(text.replace('+', ''))
  return number > MAX_INT8 || number < -MAX_INT8 ? expected(family, text) : succeed(number.toString())
}

function readBoolean(text: string): Result<boolean, string> {
  const word = text.trim().toLowerCase()
  if (word === 'true' || word === '1') return succeed(true)
  return word === 'false' || word === '0' ? succeed(false) : expected('boolean', text)
}

/** The UUID form or 32 hexadecimal digits (record spec, section 4). */
export function readDocumentId(text: string): Result<string, string> {
  const digits = text.trim().replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) ? succeed(digits) : expected('document', text)
}

function readJson(text: string): Result<string, string> {
  try {
    const stored = storableJson(parseExactJson(text))
    return stored === null ? expected('json', text) : succeed(stored)
  } catch {
    return expected('json', text)
  }
}

function expected(family: ValueFamily, found: string): Result<never, string> {
  const shown = found.length <= 40 ? found : `${found.slice(0, 40)}…`
  return refuse(`Expected ${NOUNS[family]}, found "${shown.toWellFormed()}".`)
}

/** The sys_id of the path. One that is none of the table's kind is the id of no record, which is what the caller is told. */
export function sysIdOf({ key }: Table): ValueSource {
  return ofRequest(({ sysId }) => succeed([readSysId(sysId ?? '', key)]))
}
