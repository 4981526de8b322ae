import { type Column, isExactNumber } from '../../catalog/catalog.ts'
import { describeKey, OWN_KEY, readSysId, resolveDocumentId } from '../../catalog/record-key.ts'
import { readDate, readDateTime, readTime } from '../../condition/dates/read-date-text.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { isEditorDocument } from '../editor/editor-node.ts'
import { fromEditorDocument, linesOfDocument } from '../editor/from-editor-document.ts'
import { isMarkup, sanitizeMarkup } from '../editor/rich-text.ts'
import { isNestedTooDeeply, MAX_HTML_NESTING } from '../html-nesting.ts'
import { readDocumentId } from './read-condition-value.ts'
import { holdsHugeNumber, MAX_DIGITS, storableJson } from './storable-json.ts'

/**
 * A value of a JSON body as PostgreSQL takes it for the column (record spec, section 4); null empties the column.
 * The error says what is wrong and what would be right, for a message that names the field.
 */
export function readBodyValue(value: unknown, column: ValueColumn): Result<unknown, string> {
  if (value === null || value === undefined) return succeed(null)
  const read = READERS[column.type]
  if (column.readAsDocument === true && isEditorDocument(value)) {
    return readDocument(value, column)
  }
  return read(value, column)
}

/** What of a column decides about its values. */
export type ValueColumn = Pick<Column, 'type' | 'maxLength' | 'reference' | 'choices' | 'key'> & {
  readonly readAsDocument?: boolean
  readonly storageCast?: string | null
}

/** A text column takes a document of plain paragraphs as lines, as it is read as one. */
function readDocument(value: object, column: ValueColumn): Result<string, string> {
  const lines = column.type === 'text' ? linesOfDocument(value) : null
  if (lines !== null && !isMarkup(lines)) return withinLength(lines, column)
  const html = fromEditorDocument(value)
  return html.ok ? withinLength(sanitizeMarkup(html.value), column) : html
}

type BodyReader = (value: unknown, column: ValueColumn) => Result<unknown, string>

const readWhole =
  (least: bigint, most: bigint): BodyReader =>
  (value) => {
    const text = scalarText(value)?.trim()
    if (text === '') return succeed(null)
    const expected = `a whole number from ${least} to ${most} is expected`
    if (text === undefined || !/^[+-]?\d{1,20}$/.test(text)) return refuse(`${expected}, found ${show(value)}`)
    const number = BigInt(text.replace('+', ''))
    return number < least || number > most ? refuse(`${expected}, found ${text}`) : succeed(number.toString())
  }

const readText: BodyReader = (value, column) => {
  const text = scalarText(value)
  if (text === undefined) return refuse(`a text is expected, found ${show(value)}`)
  return withinLength(text, column)
}

const readMatching =
  (pattern: RegExp, expected: string): BodyReader =>
  (value, column) => {
    const text = readText(value, column)
    if (!text.ok || text.value === '' || pattern.test(String(text.value))) return text
    return refuse(`${expected} is expected, found ${show(value)}`)
  }

const readDated =
  (read: (text: string) => Result<string, string>): BodyReader =>
  (value) => {
    if (value === '') return succeed(null)
    if (typeof value !== 'string') return refuse(`a text with a date or time is expected, found ${show(value)}`)
    return read(value.trim())
  }

const readId: BodyReader = (value, column) => {
  const key = column.key ?? OWN_KEY
  const text = idText(value)
  // Spaces are part of a text.
  const id = key.kind === 'text' || key.kind === 'parts' ? text : text?.trim()
  if (id === '') return succeed(null)
  const read = id === undefined ? null : readSysId(id, key)
  return read === null ? refuse(`${describeKey(key)} is expected, found ${show(value)}`) : succeed(read)
}

const readHtml: BodyReader = (value, column) => {
  const text = readText(value, column)
  if (!text.ok) return text
  const html = String(text.value)
  if (!isMarkup(html)) return text
  if (isNestedTooDeeply(html)) return refuse(`tags nested more than ${MAX_HTML_NESTING} deep are no text of an editor`)
  return withinLength(sanitizeMarkup(html), column)
}

const readChoice: BodyReader = (value, column) => {
  const text = readText(value, column)
  if (!text.ok || text.value === '' || column.choices.length === 0) {
    return text.ok && text.value === '' ? succeed(null) : text
  }
  if (column.choices.some((choice) => choice.value === text.value)) return text
  return refuse(`${show(value)} is no choice; the choices are ${column.choices.map((each) => each.value).join(', ')}`)
}

const readList: BodyReader = (value, column) => {
  const members = typeof value === 'string' ? value.split(',').map((member) => member.trim()) : value
  if (!Array.isArray(members)) return refuse(`an array is expected, found ${show(value)}`)
  const texts: string[] = []
  for (const member of members.filter((each) => each !== '')) {
    const text = column.reference === null ? scalarText(member) : idText(member)?.trim()
    if (text === undefined || text.includes('\0'))
      return refuse(`a text or a sys_id is expected in the array, found ${show(member)}`)
    const id = column.reference === null ? text : readSysId(text, column.key ?? OWN_KEY)
    if (id === null) return refuse(`the sys_id of a record is expected in the array, found ${show(member)}`)
    if (column.choices.length > 0 && !column.choices.some((choice) => choice.value === text)) {
      return refuse(
        `${show(member)} is no choice; the choices are ${column.choices.map((each) => each.value).join(', ')}`,
      )
    }
    if (!texts.includes(id)) texts.push(id)
  }
  // A list without members is an empty column.
  return succeed(texts.length === 0 ? null : texts)
}

const readBoolean: BodyReader = (value) => {
  switch (scalarText(value)?.trim().toLowerCase()) {
    case 'true':
    case '1':
      return succeed(true)
    case 'false':
    case '0':
      return succeed(false)
    case '':
      return succeed(null)
    default:
      return refuse(`true or false is expected, found ${show(value)}`)
  }
}

const readDecimal: BodyReader = (value, column) => {
  if (isExactNumber({ type: column.type, storageCast: column.storageCast ?? null }))
    return readExactNumber(value, column)
  const text = scalarText(value)?.trim()
  if (text === '') return succeed(null)
  return text !== undefined && /^[+-]?\d{1,30}(\.\d{1,2})?$/.test(text)
    ? succeed(text)
    : refuse(`a number with at most two digits after the point is expected, found ${show(value)}`)
}

/** A number of an adopted column: not one digit of it is rounded away. */
const readExactNumber: BodyReader = (value, { storageCast }) => {
  const text = scalarText(value)?.trim()
  if (text === '') return succeed(null)
  const limits = /^numeric\((\d+),(-?\d+)\)$/.exec(storageCast ?? '')
  if (limits === null && text !== undefined && /^(NaN|[+-]?Infinity)$/i.test(text)) return succeed(text)
  const digits = /^[+-]?0*(\d{0,200})(?:\.(\d{0,200}?)0*)?$/.exec(text ?? '')
  if (text === undefined || digits === null || !/\d/.test(text))
    return refuse(`a number is expected, found ${show(value)}`)
  if (typeof value === 'number' && !isExactlyWritten(value))
    return refuse(`a number of more digits than JSON keeps is written as a text, found ${show(value)}`)
  const [, whole = '', fraction = ''] = digits
  const scale = Math.max(0, Number(limits?.[2] ?? 200))
  const most = Number(limits?.[1] ?? 400) - Number(limits?.[2] ?? 200)
  return whole.length <= most && fraction.length <= scale
    ? succeed(text)
    : refuse(
        `a number with at most ${most} digits before and ${scale} behind the point is expected, found ${show(value)}`,
      )
}

/** Beyond 15 digits, two numbers of a JSON text may be read as one. */
const isExactlyWritten = (value: number): boolean => String(value).replaceAll(/[^0-9]/g, '').length <= 15

const readFloat: BodyReader = (value) => {
  const text = scalarText(value)?.trim()
  if (text === '') return succeed(null)
  return text !== undefined &&
    /^[+-]?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,3})?$/i.test(text) &&
    Number.isFinite(Number(text))
    ? succeed(text)
    : refuse(`a number is expected, found ${show(value)}`)
}

const readJson: BodyReader = (value) => {
  if (holdsHugeNumber(value)) return refuse(`JSON with a number of more than ${MAX_DIGITS} digits cannot be stored`)
  const text = storableJson(value)
  return text === null
    ? refuse('JSON with U+0000 or half a surrogate pair in a text, or nested too deep, cannot be stored')
    : succeed(text)
}

const INT4 = [-2_147_483_648n, 2_147_483_647n] as const
const INT8 = [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n] as const

const READERS: Record<Column['type'], BodyReader> = {
  integer: readWhole(...INT4),
  smallinteger: readWhole(-32_768n, 32_767n),
  biginteger: readWhole(...INT8),
  duration: readWhole(...INT8),
  percent_complete: readWhole(0n, 100n),
  days_of_week: readWhole(0n, 127n),
  decimal: readDecimal,
  float: readFloat,
  boolean: readBoolean,
  string: readText,
  text: readText,
  script: readText,
  translated_text: readText,
  phone: readText,
  field_name: readText,
  url: readMatching(/^(https?|ftp|mailto|tel):[^\s<>"]+$|^\/[^\s<>"]*$/i, 'an address (https://…)'),
  email: readMatching(/^[^\s@<>,;"]+@[^\s@<>,;"]+$/, 'an e-mail address'),
  color: readMatching(/^(#[0-9a-f]{3,8}|[a-z]{3,30})$/i, 'a colour (#rrggbb)'),
  html: readHtml,
  wysiwyg: readHtml,
  datetime: readDated((text) => readDateTime(text, 'UTC')),
  date: readDated(readDate),
  time: readDated(readTime),
  choice: readChoice,
  reference: readId,
  sys_id: readId,
  record_id: readText,
  image: readId,
  file: readId,
  list: readList,
  document_id: (value, column) => {
    if (value === '') return succeed(null)
    const read =
      typeof value === 'string' ? readDocumentId(value) : refuse(`a document id is expected, found ${show(value)}`)
    return read.ok ? succeed(resolveDocumentId(read.value, column.key ?? OWN_KEY)) : read
  },
  json: readJson,
  journal_input: readText,
  // Made into a hash or a sealed text before the statement runs; here it must only be a text.
  password: readText,
  encrypted: readText,
}

function withinLength(text: string, column: ValueColumn): Result<string, string> {
  if (text.includes('\0')) return refuse('PostgreSQL stores no U+0000 in a text')
  if (!text.isWellFormed()) return refuse('half of a surrogate pair is no character')
  // Characters as people and PostgreSQL count them, not UTF-16 units; counted only when it can matter.
  const { maxLength } = column
  if (maxLength === null || text.length <= maxLength) return succeed(text)
  const length = [...text].length
  return length <= maxLength ? succeed(text) : refuse(`at most ${maxLength} characters fit, found ${length}`)
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined
}

/** An id as a text or as a whole number; as the object that a reference is read as. */
function idText(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'value' in value) return idText(value.value)
  return scalarText(value)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return (text.length <= 60 ? text : `${text.slice(0, 60)}…`).toWellFormed()
}
