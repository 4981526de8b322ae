import type { FastifyRequest } from 'fastify'
import { findUnknownParameter } from '../../catalog/find-unknown-parameter.ts'
import { CollectionBody } from '../../contract/documents.ts'
import { documentLimits } from '../../documents/document-limits.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { nameOfShape } from '../request/name-of-shape.ts'
import { readQueryString } from '../request/query-string.ts'
import type { BodyLimits } from '../request/read-body.ts'
import { readJsonBody } from '../request/read-body.ts'
import { readJson } from '../request/read-json.ts'
import { queryOf } from '../request/request-target.ts'

/** Parameters of a document operation, from the query string and the JSON body: documents spec, section 1. */
export interface Given {
  /** The value of a parameter that is a text; the query string wins; an empty text counts as not given. */
  text(name: string): Result<string | undefined, Problem>
  required(name: string): Result<string, Problem>
  /** `0`, `1`, `true`, `false` in any case; a boolean or a number in the body. */
  flag(name: string): Result<boolean | undefined, Problem>
  /** One of some words, in any case. */
  oneOf<const Words extends readonly string[]>(name: string, words: Words): Result<Words[number] | undefined, Problem>
  whole(name: string, range: WholeRange): Result<number, Problem>
  /** A number from 0 to 1; absent: 0. */
  share(name: string): Result<number, Problem>
  /** In the body an array of texts; in the query string repeated or parted by commas. */
  list(name: string): Result<readonly string[], Problem>
  /** A member of the body as it is, or a parameter of the query string that is JSON. */
  json(name: string): Result<unknown, Problem>
  /** A member of the body as it is. */
  member(name: string): unknown
  /** All of the body. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface WholeRange {
  readonly least: number
  readonly most: number
  readonly otherwise: number
}

const lists: ReadonlySet<string> = new Set(['collection_names'])

const ofDocument = ['collection_name', 'id_value'] as const

/** What each operation takes, in the query string or in the body. */
const takenBy = {
  '/load_document_to_collection': ['collection_name', 'metadata', 'replace_by', 'async', 'charset', 'file'],
  '/load_text_to_collection': ['collection_name', 'metadata', 'text', 'vector'],
  '/get_relevant_documents': [
    'query',
    'k',
    'collection_names',
    'metadata',
    'mode',
    'vector',
    'weights',
    'highlight',
    'explain',
    'min_relevance',
    'group_by',
    'group_size',
    'collapse',
    'diversity',
    'context',
  ],
  '/get_content_by_tag': ['collection_name', 'tag_info', 'limit', 'cursor'],
  '/get_list_of_documents_names': ['collection_name', 'details', 'limit', 'cursor'],
  '/get_list_of_collection': ['details'],
  '/delete_document_from_collection': ofDocument,
  '/delete_collection': ['collection_name'],
  '/get_document_status': [...ofDocument, 'stream'],
  '/get_document_file': ofDocument,
  '/collections/:name': Object.keys(CollectionBody.shape),
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Paths of the document operations, as patterns. */
export type DocumentPath = keyof typeof takenBy

/**
 * The first name that an operation does not take. Unlike the record service: a misspelt `collection_names` would search
 * everything. Names that begin with `_` are ignored; clients put such against caches.
 */
export function unknownAmong(path: DocumentPath, names: Iterable<string>): Problem | null {
  return findUnknownParameter(
    [...names].filter((name) => !isIgnored(name)),
    takenBy[path],
  )
}

const isIgnored = (name: string): boolean => name.startsWith('_')

export async function readGiven(
  request: FastifyRequest,
  path: DocumentPath,
  limits: BodyLimits,
): Promise<Result<Given, Problem>> {
  const query = readQueryString(queryOf(request.raw.url ?? ''), lists)
  if (!query.ok) return query
  const body = await readJsonBody(request.raw, limits)
  if (!body.ok) return body
  if (body.value !== undefined && nameOfShape(body.value) !== 'an object')
    return refuse({ kind: 'bad-body', expected: 'a JSON object', found: nameOfShape(body.value) })
  const members = (body.value ?? {}) as Readonly<Record<string, unknown>>
  const unknown = unknownAmong(path, [...query.value.keys(), ...Object.keys(members)])
  if (unknown !== null) return refuse(unknown)
  return succeed(givenIn(query.value, Object.fromEntries(Object.entries(members).filter(([name]) => !isIgnored(name)))))
}

/** @param body members of the JSON body, or fields of a form */
export function givenIn(query: ReadonlyMap<string, string>, body: Readonly<Record<string, unknown>>): Given {
  const member = (name: string): unknown => (Object.hasOwn(body, name) ? body[name] : undefined)
  const text = (name: string): Result<string | undefined, Problem> => {
    const inQuery = query.get(name) || undefined
    if (inQuery !== undefined) return succeed(inQuery)
    const value = member(name) ?? ''
    if (typeof value === 'number' || typeof value === 'boolean') return succeed(String(value))
    return typeof value === 'string' ? succeed(value || undefined) : bad(name, nameOfShape(value), 'a string')
  }
  return {
    body,
    member,
    text,
    json(name) {
      const inQuery = query.get(name) || undefined
      if (inQuery === undefined) return succeed(member(name) ?? undefined)
      const read = readJson(inQuery)
      if (read.ok) return read
      return read.error.kind === 'bad-json' ? refuse({ ...read.error, field: name }) : read
    },
    required(name) {
      const found = text(name)
      if (!found.ok) return found
      return found.value === undefined ? bad(name, 'nothing', 'given') : succeed(found.value)
    },
    flag(name) {
      const found = text(name)
      if (!found.ok || found.value === undefined) return found as Result<undefined, Problem>
      const flag = { '0': false, '1': true, false: false, true: true }[found.value.toLowerCase()]
      return flag === undefined ? bad(name, found.value, '0, 1, true or false') : succeed(flag)
    },
    oneOf(name, words) {
      const found = text(name)
      if (!found.ok || found.value === undefined) return found as Result<undefined, Problem>
      const word = words.find((each) => each === found.value?.toLowerCase())
      return word === undefined ? bad(name, found.value, words.join(' or ')) : succeed(word)
    },
    whole(name, range) {
      const found = text(name)
      return found.ok ? wholeIn(name, found.value, range) : found
    },
    share(name) {
      const found = text(name)
      return found.ok ? shareIn(name, found.value) : found
    },
    list(name) {
      const inQuery = query.get(name) || undefined
      if (inQuery !== undefined) return succeed(inQuery.split(',').filter((part) => part !== ''))
      const value = member(name) ?? []
      const isList = Array.isArray(value) && value.every((part) => typeof part === 'string')
      return isList ? succeed(value as readonly string[]) : bad(name, nameOfShape(value), 'an array of strings')
    },
  }
}

/** Below the least is no number of its kind (400); above the most is one that we do not serve (422). */
function wholeIn(
  name: string,
  text: string | undefined,
  { least, most, otherwise }: WholeRange,
): Result<number, Problem> {
  if (text === undefined) return succeed(otherwise)
  const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least)) return bad(name, text, `a whole number from ${least} to ${most}`)
  if (value > most)
    return refuse({ kind: 'invalid-value', field: name, detail: `it is ${value}; at most ${most} is allowed` })
  return succeed(value)
}

function shareIn(name: string, text: string | undefined): Result<number, Problem> {
  if (text === undefined) return succeed(0)
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  return value >= 0 && value <= 1 ? succeed(value) : bad(name, text, 'a number from 0 to 1')
}

function bad(parameter: string, found: string, expected: string): Result<never, Problem> {
  return refuse({ kind: 'bad-parameter', parameter, found, expected })
}

/** A JSON text of 10 MB in letters that are all written as escapes is six times as long. */
export const loadBodyBytes = documentLimits.textBytes * 6 + 262_144
