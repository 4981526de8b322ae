import { z } from 'zod'
import type { Problem } from '../../kernel/problem.ts'
import { readJson } from '../../kernel/read-json.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { nameOfShape } from '../request/name-of-shape.ts'

/** What a request sends: the query string, and members of the JSON body or fields of a form. The query string wins. */
export interface Sent {
  readonly query: ReadonlyMap<string, string>
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * How a parameter is read. `text`, `flag`, `word`, `number` and `list` can be written in a query string; `json` is a JSON text there;
 * `member` is taken from the body only. The operation checks the last two itself. `whole` is a number whose bounds are part of its meaning:
 * outside of them it is 400. `names` are texts separated by commas, as in the parameters of records.
 */
export type ParameterKind = 'text' | 'flag' | 'word' | 'number' | 'whole' | 'list' | 'names' | 'json' | 'member'

/** Kinds that the schema alone does not determine. */
const READINGS = z.registry<{ readonly kind?: ParameterKind; readonly expected?: string }>()

function ofKind<Schema extends z.ZodType>(kind: ParameterKind, schema: Schema): Schema {
  READINGS.add(schema, { kind })
  return schema
}

/** @param expected what the error about a wrong or missing value says is expected */
export function expecting<Schema extends z.ZodType>(expected: string, schema: Schema): Schema {
  READINGS.add(schema, { expected })
  return schema
}

/** A JSON value that the operation checks itself. The schema describes it. */
export const json = (schema: z.ZodType): z.ZodType<unknown> => schema
/** The same, in the body only. */
export const member = (schema: z.ZodType): z.ZodType<unknown> => ofKind('member', schema)
export const whole = <Schema extends z.ZodType<number>>(schema: Schema): Schema => ofKind('whole', schema)
export const names = (description: string) => ofKind('names', z.array(z.string()).default([]).meta({ description }))

export function kindOf(schema: z.ZodType): ParameterKind {
  const given = READINGS.get(schema)?.kind
  if (given !== undefined) return given
  const inner = innermost(schema)
  if (inner instanceof z.ZodString) return 'text'
  if (inner instanceof z.ZodBoolean) return 'flag'
  if (inner instanceof z.ZodEnum) return 'word'
  if (inner instanceof z.ZodNumber) return 'number'
  return inner instanceof z.ZodArray && inner.element instanceof z.ZodString ? 'list' : 'json'
}

function innermost(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapped ? innermost(schema.unwrap() as z.ZodType) : schema
}

/**
 * The parameters of a shape, typed. An empty text and null count as not given. A value of the wrong kind is 400; one above a maximum
 * is 422.
 */
export function readInput<Shape extends z.ZodRawShape>(
  shape: Shape,
  sent: Sent,
): Result<z.output<z.ZodObject<Shape>>, Problem> {
  const input: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(shape) as [string, z.ZodType][]) {
    const read = readParameter(name, schema, sent)
    if (!read.ok) return asExpected(schema, read)
    const value = read.value ?? defaultOf(schema)
    if (value === undefined && !isOptional(schema) && !isChecked(schema))
      return asExpected(schema, bad(name, 'nothing', 'given'))
    if (value !== undefined) input[name] = value
  }
  return succeed(input as z.output<z.ZodObject<Shape>>)
}

function asExpected(schema: z.ZodType, rejected: Result<never, Problem>): Result<never, Problem> {
  const expected = READINGS.get(schema)?.expected
  if (expected === undefined || rejected.ok || rejected.error.kind !== 'bad-parameter') return rejected
  return fail({ ...rejected.error, expected })
}

/** Checked by the operation, also if it is missing. */
const isChecked = (schema: z.ZodType): boolean => ['json', 'member'].includes(kindOf(schema))

export const isOptional = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault

const defaultOf = (schema: z.ZodType): unknown => (schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined)

function readParameter(name: string, schema: z.ZodType, { query, body }: Sent): Result<unknown, Problem> {
  const kind = kindOf(schema)
  const text = query.get(name) || undefined
  const value = Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined
  if (kind === 'member') return succeed(value)
  if (kind === 'json') return text === undefined ? succeed(value) : readJsonText(name, text)
  if (kind === 'list') return readList(name, innermost(schema) as z.ZodArray, text?.split(',').filter(Boolean) ?? value)
  const written = text ?? value
  if (written === undefined || written === '') return succeed(undefined)
  if (!['string', 'number', 'boolean'].includes(typeof written))
    return bad(name, nameOfShape(written), kind === 'number' || kind === 'whole' ? 'a number' : 'a string')
  return READERS[kind](name, String(written), innermost(schema) as never)
}

function readJsonText(name: string, text: string): Result<unknown, Problem> {
  if (text.trim() === '') return succeed(undefined)
  const read = readJson(text)
  return read.ok || read.error.kind !== 'bad-json' ? read : fail({ ...read.error, field: name })
}

const READERS = {
  text: readText,
  flag: readFlag,
  word: readWord,
  number: readNumber,
  whole: readWhole,
  names: readNames,
}

function readText(name: string, text: string, schema: z.ZodString): Result<string, Problem> {
  const { maxLength } = schema
  if (maxLength === null || text.length <= maxLength) return succeed(rewrittenBy(schema, text))
  return tooMuch(name, `it is ${text.length} characters long; at most ${maxLength} are allowed`)
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['0', false],
  ['1', true],
  ['false', false],
  ['true', true],
])

function readFlag(name: string, text: string): Result<boolean, Problem> {
  const flag = FLAGS.get(text.toLowerCase())
  return flag === undefined ? bad(name, text, '0, 1, true or false') : succeed(flag)
}

function readWord(name: string, text: string, { options }: z.ZodEnum): Result<string | number, Problem> {
  const word = options.find((each) => each === text.toLowerCase())
  return word === undefined ? bad(name, text, options.join(' or ')) : succeed(word)
}

function readNumber(name: string, text: string, { minValue, maxValue, isInt }: z.ZodNumber): Result<number, Problem> {
  const [min, max] = [minValue ?? 0, maxValue ?? Number.MAX_SAFE_INTEGER]
  const form = isInt ? /^[+-]?\d{1,16}$/ : /^\d*\.?\d+$/
  const value = form.test(text) ? Number(text) : Number.NaN
  if (!(value >= min) || (!isInt && value > max))
    return bad(name, text, isInt ? `a whole number from ${min} to ${max}` : `a number from ${min} to ${max}`)
  return value > max ? tooMuch(name, `it is ${value}; at most ${max} is allowed`) : succeed(value)
}

/** In the body an array of texts; in the query string repeated or separated by commas. */
function readList(name: string, schema: z.ZodArray, written: unknown): Result<readonly string[], Problem> {
  const list = written ?? []
  if (!Array.isArray(list) || !list.every((part) => typeof part === 'string'))
    return bad(name, nameOfShape(written), 'an array of strings')
  const max = maxItemsOf(schema)
  return list.length > max ? tooMuch(name, `it names ${list.length}; at most ${max} are allowed`) : succeed(list)
}

function readWhole(
  name: string,
  text: string,
  { minValue, maxValue }: z.ZodNumber,
): Result<number | undefined, Problem> {
  if (text.trim() === '') return succeed(undefined)
  const [min, max] = [minValue ?? 0, maxValue ?? Number.MAX_SAFE_INTEGER]
  const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN
  return value >= min && value <= max ? succeed(value) : bad(name, text.trim(), `a whole number from ${min} to ${max}`)
}

function readNames(_name: string, text: string): Result<readonly string[], Problem> {
  return succeed(namesIn(text))
}

export const namesIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

function maxItemsOf({ def }: z.ZodArray): number {
  const checks = (def.checks ?? []).map(
    (check) => check._zod.def as { readonly check: string; readonly maximum?: number },
  )
  return checks.find(({ check }) => check === 'max_length')?.maximum ?? Number.POSITIVE_INFINITY
}

/** The text as zod rewrites it in a body: `normalize()` makes NFC of it. */
function rewrittenBy({ def }: z.ZodString, text: string): string {
  const checks = (def.checks ?? []).map((check) => check._zod.def as { readonly tx?: (text: string) => string })
  return checks.reduce((rewritten, { tx }) => tx?.(rewritten) ?? rewritten, text)
}

function tooMuch(field: string, detail: string): Result<never, Problem> {
  return fail({ kind: 'invalid-value', field, detail })
}

function bad(parameter: string, found: string, expected: string): Result<never, Problem> {
  return fail({ kind: 'bad-parameter', parameter, found, expected })
}
