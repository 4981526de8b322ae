import type { ProblemOf } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { documentLimits } from '../document-limits.ts'
import type { Metadata, MetadataValue, Scalar } from '../filter/filter-values.ts'
import { timeOf } from '../filter/filter-values.ts'

type Rejection = ProblemOf<'invalid-value'>

/**
 * Parses a metadata object (docs/spec/documents.md, section 2): scalars and lists of scalars; known keys have their
 * types. Nested objects are flattened with dots. No key is required, and other keys are allowed.
 */
export function readMetadata(sent: unknown): Result<Metadata, Rejection> {
  if (sent === undefined || sent === null) return succeed({})
  if (!isObject(sent)) return wrong('metadata', 'it must be a JSON object')
  const flat = flatten(sent)
  if (!flat.ok) return flat
  const entries = [...flat.value]
  if (entries.length > documentLimits.metadataKeys)
    return wrong('metadata', `it has ${entries.length} keys; at most ${documentLimits.metadataKeys} are allowed`)
  const metadata = Object.fromEntries(entries)
  const bytes = Buffer.byteLength(JSON.stringify(metadata))
  if (bytes > documentLimits.metadataBytes)
    return wrong('metadata', `it is ${bytes} bytes long as JSON; at most ${documentLimits.metadataBytes} are allowed`)
  for (const [key, value] of entries) {
    const error = problemWith(key, value)
    if (error !== undefined) return wrong(`metadata.${key}`, error)
  }
  return succeed(metadata as Metadata)
}

/** `{"loc":{"from":1}}` becomes `loc.from`. A body is at most a hundred levels deep, which bounds the recursion. */
function flatten(sent: object, above = '', flat = new Map<string, unknown>()): Result<Map<string, unknown>, Rejection> {
  for (const [name, value] of Object.entries(sent)) {
    const key = above + name
    if (name === '') return wrong(`metadata.${key}`, 'a key must have a name')
    if (isObject(value) && !known.has(key)) {
      const nested = flatten(value, `${key}.`, flat)
      if (!nested.ok) return nested
    } else if (flat.has(key))
      return wrong(`metadata.${key}`, 'it occurs twice: once with a dot, once in a nested object')
    else flat.set(key, value)
  }
  return succeed(flat)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrong(field: string, detail: string): Result<never, Rejection> {
  return fail({ kind: 'invalid-value', field, detail })
}

const expectedValue = 'it must be a string, a number, a boolean, null, a list of these, or an object of such values'

function problemWith(key: string, value: unknown): string | undefined {
  if (!isStorable(key)) return 'its name holds U+0000 or half of a surrogate pair, which no stored text can hold'
  if (!isMetadataValue(value)) return (isObject(value) && known.get(key)?.(value)) || expectedValue
  const texts = (Array.isArray(value) ? (value as readonly Scalar[]) : [value as Scalar]).filter(
    (scalar) => typeof scalar === 'string',
  )
  if (!texts.every(isStorable)) return 'it holds U+0000 or half of a surrogate pair, which no stored text can hold'
  return value === null ? undefined : known.get(key)?.(value)
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function isMetadataValue(value: unknown): value is MetadataValue {
  return Array.isArray(value) ? value.every(isScalar) : isScalar(value)
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

type Check = (value: MetadataValue | object) => string | undefined

const isText: Check = (value) => (typeof value === 'string' ? undefined : 'it must be a string')
const known: ReadonlyMap<string, Check> = new Map([
  ['sys_id', isText],
  ['status', isText],
  ['type', isText],
  ['doc_id', isDocId],
  ['title', isText],
  ['priority', (value) => (Number.isSafeInteger(value) ? undefined : 'it must be an integer')],
  ['flag', (value) => (typeof value === 'boolean' ? undefined : 'it must be true or false')],
  ['created', isUtcTime],
])

function isDocId(value: MetadataValue | object): string | undefined {
  if (typeof value !== 'string') return 'it must be a string'
  if (value === '') return 'it must not be empty'
  const bytes = Buffer.byteLength(value)
  return bytes > documentLimits.docIdBytes
    ? `it is ${bytes} bytes long; at most ${documentLimits.docIdBytes} are allowed`
    : undefined
}

function isUtcTime(value: MetadataValue | object): string | undefined {
  const isTime = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/.test(value)
  return isTime && timeOf(value) !== undefined ? undefined : 'it must be a time such as 2024-01-31T10:00:00Z'
}
