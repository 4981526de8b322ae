import { exactObjectOf } from '../../kernel/exact-json.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { SentMetadata } from './read-metadata-option.ts'

/** A text to load and its metadata. */
export interface LineDocument {
  readonly text: string
  readonly metadata: SentMetadata
}

/** What `docket documents export` writes beside text and metadata: facts about the document when it was exported. */
const facts: ReadonlySet<string> = new Set([
  'text',
  'metadata',
  'id',
  'collection_name',
  'file_name',
  'media_type',
  'version',
])

/**
 * A line of an NDJSON: an object with `text`; `id` or `doc_id` names the document; `metadata` is its metadata, and so is every other
 * member, such as `title`.
 *
 * @returns the document, or a sentence about what is wrong
 */
export function readLineDocument(line: string): Result<LineDocument, string> {
  const parsed = exactObjectOf(line)
  if (parsed === undefined) return fail('it is not a JSON object')
  const { text, metadata = {}, id } = parsed
  if (typeof text !== 'string') return fail('it has no member text that is a string')
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return fail('its metadata is not a JSON object')
  const others = Object.entries(parsed).filter(([name, value]) => !facts.has(name) && value !== null && value !== '')
  const named = id === undefined || id === null ? {} : { doc_id: String(id) }
  return succeed({ text, metadata: { ...named, ...metadata, ...Object.fromEntries(others) } })
}
