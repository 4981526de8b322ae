import type { z } from 'zod'
import { ErrorEnvelope } from '../../contract/envelope.ts'
import { INTERNAL, WORDINGS } from '../response/error-messages.ts'
import { inlineSchema, type Json, type JsonObject, namedSchemas, referencedSchemas, schemaRef } from './json-schema.ts'

/** One part of the API: its paths and the schemas that they refer to. */
export interface ApiPart {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, JsonObject>>
  /** Schemas of contract/, by the name that paths use for them. */
  readonly schemas?: Readonly<Record<string, z.ZodType>>
  /** Schemas that are JSON already: those of tables. */
  readonly tableSchemas?: JsonObject
  readonly parameters?: JsonObject
}

export interface DocumentHead {
  readonly version: string
  /** '' if it is unknown: clients then use the address from which they got the document. */
  readonly baseUrl: string
}

/** What differs between the documents of several APIs. */
export interface DocumentKind {
  readonly title: string
  readonly introduction: string
  readonly security: readonly JsonObject[]
  readonly securitySchemes: JsonObject
  /** Headers of responses, beside those of every API. */
  readonly headers: JsonObject
  /** The schema of errors; null: the envelope of the native API. */
  readonly failure: string | null
}

/** The whole OpenAPI 3.1 document. */
export function writeOpenApi(head: DocumentHead, parts: readonly ApiPart[], kind: DocumentKind = NATIVE): JsonObject {
  const paths = merged(parts.map((part) => part.paths))
  const responses = kind.failure === null ? errorResponses(paths) : errorsOfKind(paths, kind.failure)
  return {
    openapi: '3.1.1',
    info: {
      title: kind.title,
      version: head.version,
      description: kind.introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: head.baseUrl === '' ? '/' : head.baseUrl }],
    security: kind.security,
    tags: parts.flatMap(({ tags }) => tags.map((tag) => ({ ...tag }))),
    paths,
    components: {
      securitySchemes: kind.securitySchemes,
      headers: usedHeaders({ ...HEADERS, ...kind.headers }, [paths, responses]),
      responses,
      parameters: merged(parts.map(({ parameters }) => parameters ?? {})),
      schemas: referencedSchemas(
        { paths, responses },
        {
          ...namedSchemas(Object.assign({ Error: ErrorEnvelope }, ...parts.map(({ schemas }) => schemas ?? {}))),
          ...merged(parts.map(({ tableSchemas }) => tableSchemas ?? {})),
        },
      ),
    },
  }
}

const introduction = `Records and documents over HTTP. Every response is JSON: \`{"status":"OK","data":…}\`, or the envelope
of an error (docs/errors.md). Show an access key (\`POST /v1/auth/login\`), or name and password by Basic. The document that
you get with credentials lists the tables that you may read, with their columns. Titles, display values and messages are in the
language of the user, or in the one that the header \`X-Docket-Language\` of a request names: \`en\` or \`ru\`.`

export const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access key: from a login, or an API key.',
  },
  basic: { type: 'http', scheme: 'basic', description: 'User name and password, in UTF-8.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An access key, as with bearer.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'docket_session',
    description:
      'A browser session; over TLS the name begins with `__Host-`. Only for pages of this server (docs/api-for-pages.md).',
  },
} satisfies JsonObject

export const header = (description: string, type = 'string'): JsonObject => ({ description, schema: { type } })

const HEADERS: JsonObject = {
  'X-Request-Id': header('Names the request in the server’s log; the caller’s own when it sent a plain one.'),
  'X-Total-Count': header(
    'Number of matching records that the caller may read; not with sysparm_no_count=1.',
    'integer',
  ),
  'X-Total-Count-Over': header(
    'In place of X-Total-Count: more records match than this number (property rest.count.max), and they were not counted.',
    'integer',
  ),
  'X-History-Removed-Before': header(
    'UTC, `YYYY-MM-DD HH:MM:SS`: earlier changes of records of this class, or in a list, aggregate or export of at least one of its tables, are removed (property `history.keep_days`). Left out if none are.',
  ),
  'X-Next-Cursor': header('What to send as sysparm_cursor for the next page; left out on the last.'),
  'X-Text-Cut': header('Fields with shortened texts (sysparm_max_text), separated by commas.'),
  'X-Limit-Clamped': header('The number of records that was given instead of a larger sysparm_limit.', 'integer'),
  'X-Ignored-Parameters': header('Names of ignored parameters, which the server does not know.'),
  Link: header('RFC 8288: first, prev, next, last, and cursor.'),
  ETag: header(
    'Of one record `"version-representation"`, for If-Match and If-None-Match; of a list `"representation"`, for If-None-Match.',
  ),
  'Retry-After': header('Seconds to wait before the next try.', 'integer'),
  'WWW-Authenticate': header('The ways to send credentials.'),
}

const NATIVE: DocumentKind = {
  title: 'Docket',
  introduction,
  security: [{ bearer: [] }, { basic: [] }, { apiKey: [] }, { cookie: [] }],
  securitySchemes: SECURITY_SCHEMES,
  headers: {},
  failure: null,
}

function usedHeaders(headers: JsonObject, places: readonly JsonObject[]): JsonObject {
  const used = JSON.stringify(places)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => used.includes(`/headers/${name}"`)))
}

export const headerRefs = (...names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const extraHeaders: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** One response for each status of the errors of a path, named after the status. */
function errorResponses(paths: JsonObject): JsonObject {
  const used = JSON.stringify(paths)
  const wordings = [...Object.values(WORDINGS), INTERNAL]
  const statuses = [...new Set(wordings.map(({ status }) => status))]
    .filter((status) => used.includes(`/Error${status}"`))
    .sort((one, other) => one - other)
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = new Set(wordings.filter((wording) => wording.status === status).map(({ code }) => code))
      return [
        `Error${status}`,
        {
          description: `Rejected with the code ${[...codes].join(', ')}.`,
          headers: headerRefs('X-Request-Id', ...(extraHeaders[status] ?? [])),
          content: { 'application/json': { schema: schemaRef('Error') } },
        },
      ]
    }),
  )
}

/** The same for an API with errors of its own; `OauthError401` refers to the schema of OAuth. */
function errorsOfKind(paths: JsonObject, failure: string): JsonObject {
  const names = [...new Set(JSON.stringify(paths).match(/(?:Oauth)?Error\d{3}(?=")/g))].sort()
  return Object.fromEntries(
    names.map((name) => {
      const status = Number(name.slice(-3))
      return [
        name,
        {
          description: `Refused with the status ${status}.`,
          headers: headerRefs('X-Request-Id', ...(extraHeaders[status] ?? [])),
          content: { 'application/json': { schema: schemaRef(name.startsWith('Oauth') ? 'OauthFailure' : failure) } },
        },
      ]
    }),
  )
}

export interface OperationNote {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly JsonObject[]
  readonly body?: JsonObject
  /** Name of a schema, or the schema of the response. */
  readonly output: string | JsonObject
  readonly headers?: readonly string[]
  /** Statuses of its errors. */
  readonly errors: readonly number[]
  readonly isOpen?: boolean
}

/** One method of one path. */
export function operation(note: OperationNote): JsonObject {
  const { id, tag, summary, description, parameters = [], body, output, headers = [], errors, isOpen } = note
  const schema = typeof output === 'string' ? schemaRef(output) : output
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(isOpen === true ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      200: {
        description: 'Done.',
        headers: headerRefs('X-Request-Id', ...headers),
        content: { 'application/json': { schema } },
      },
      ...Object.fromEntries(errors.map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
    },
  }
}

export const inPath = (name: string, description: string, schema: Json = { type: 'string' }): JsonObject => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
})

export const inQuery = (name: string, description: string, schema: z.ZodType): JsonObject => ({
  name,
  in: 'query',
  description,
  schema: inlineSchema(schema),
})

const merged = (objects: readonly Readonly<Record<string, Json | undefined>>[]): JsonObject =>
  Object.assign({}, ...objects)
