import { describeEndpoints } from '../../http/openapi/describe-endpoints.ts'
import type { Json, JsonObject } from '../../http/openapi/json-schema.ts'
import { type DocumentKind, header, SECURITY_SCHEMES, writeOpenApi } from '../../http/openapi/write-openapi.ts'
import { DESCRIBED } from './described-operations.ts'
import { NOW_SCHEMAS } from './described-schemas.ts'
import { nowEndpoints } from './now-endpoints.ts'

const introduction = `The API for clients of ServiceNow, over the records and the access rules of Docket (docs/servicenow.md). Every value is a
text. Which tables and columns there are depends on the dictionary: \`/api/now/doc/table/schema\` lists the tables that you may read,
\`/api/now/ui/meta/{table}\` the columns. Each path also exists with a version: \`/api/now/v1/…\`, \`/api/now/v2/…\`.`

const { bearer, basic, apiKey } = SECURITY_SCHEMES

const KIND: DocumentKind = {
  title: 'Docket for clients of ServiceNow',
  introduction,
  security: [{ bearer: [] }, { basic: [] }, { apiKey: [] }],
  securitySchemes: { bearer, basic, apiKey },
  headers: {
    'X-Is-Logged-In': header('`true`.'),
    'X-Ignored-Fields': header('Names of fields and columns that the table does not have, or that cannot be written.'),
    'X-Ignored-Conditions': header('Names in the query that are no columns, each with its position.'),
    'X-Attachment-Metadata': header('The row of the file, as JSON.'),
    Location: header('The address of what was made.'),
  },
  failure: 'NowFailure',
}

/** The OpenAPI document of this API alone: `GET /openapi.json?face=now`. */
export function nowDocument(version: string, baseUrl = ''): string {
  const endpoints = nowEndpoints.map(({ isUndescribed: _isUndescribed, form: _form, ...endpoint }) => ({
    ...endpoint,
    ...DESCRIBED[endpoint.id],
  }))
  const part = describeEndpoints({
    tags: [{ name: 'ServiceNow', description: 'Records, files, aggregates, batches and tokens.' }],
    endpoints: endpoints as Parameters<typeof describeEndpoints>[0]['endpoints'],
  })
  const paths = Object.fromEntries(Object.entries(part.paths).map(([path, item]) => [path, ofPath(path, item)]))
  const document = writeOpenApi({ version, baseUrl }, [{ ...part, paths, tableSchemas: NOW_SCHEMAS }], KIND)
  return `${JSON.stringify(document, null, 1)}\n`
}

/** The errors of OAuth have a form of their own. */
function ofPath(path: string, item: JsonObject): JsonObject {
  return path.startsWith('/oauth_') ? (renamed(item) as JsonObject) : item
}

function renamed(value: Json | undefined): Json | undefined {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: Json) => renamed(each) ?? null)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const isError = key === '$ref' && typeof member === 'string' && member.includes('/Error')
      return [key, isError ? member.replace('/Error', '/OauthError') : renamed(member)]
    }),
  )
}
