import type { ProblemOf } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { documentLimits } from '../document-limits.ts'
import type { Metadata, MetadataValue, Scalar } from '../filter/filter-values.ts'
import { timeOf } from '../filter/filter-values.ts'

type Refusal = ProblemOf<'invalid-value'>

/**
 * Checks a metadata object (documents contract, section 2; spec, section 2): scalars and lists of scalars, the contract's
 * own keys of their types. None is required, others are free.
 */
export function readMetadata(sent: unknown): Result<Metadata, Refusal> {
  if (sent === undefined || sent === null) return succeed({})
  if (typeof sent !== 'object' || Array.isArray(sent)) return wrong('metadata', 'it must be a JSON object')
  const entries = Object.entries(sent)
  if (entries.length > documentLimits.metadataKeys)
    return wrong('metadata', `it has ${entries.length} keys; at most ${documentLimits.metadataKeys} are allowed`)
  const bytes = Buffer.byteLength(JSON.stringify(sent))
  if (bytes > documentLimits.metadataBytes)
    return wrong('metadata', `it is ${bytes} bytes long as JSON; at most ${documentLimits.metadataBytes} are allowed`)
  for (const [key, value] of entries) {
    const trouble = troubleWith(key, value)
    if (trouble !== undefined) return wrong(`metadata.${key}`, trouble)
  }
  return succeed(sent as Metadata)
}

function wrong(field: string, detail: string): Result<never, Refusal> {
  return refuse({ kind: 'invalid-value', field, detail })
}

function troubleWith(key: string, value: unknown): string | undefined {
  if (key === '') return 'a key must have a name'
  if (!isStorable(key)) return 'its name holds U+0000 or half of a surrogate pair, which no stored text can hold'
  if (!isMetadataValue(value)) return 'it must be a string, a number, a boolean, null, or a list of these'
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

type Check = (value: MetadataValue) => string | undefined

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

function isDocId(value: MetadataValue): string | undefined {
  if (typeof value !== 'string') return 'it must be a string'
  if (value === '') return 'it must not be empty'
  const bytes = Buffer.byteLength(value)
  return bytes > documentLimits.docIdBytes
    ? `it is ${bytes} bytes long; at most ${documentLimits.docIdBytes} are allowed`
    : undefined
}

function isUtcTime(value: MetadataValue): string | undefined {
  const isTime = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/.test(value)
  return isTime && timeOf(value) !== undefined ? undefined : 'it must be a time such as 2024-01-31T10:00:00Z'
}
