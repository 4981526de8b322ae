import { z } from 'zod'
import type { Endpoint, Method } from '../endpoint/declare.ts'
import { isOptional, kindOf } from '../endpoint/read-input.ts'
import { inlineSchema, type JsonObject, schemaRef } from './json-schema.ts'
import { type ApiPart, inPath, operation } from './write-openapi.ts'

/** The part of the document that declared operations make. */
export function describeEndpoints(
  tags: ApiPart['tags'],
  endpoints: readonly Endpoint<never>[],
  schemas: NonNullable<ApiPart['schemas']> = {},
): ApiPart {
  const paths: Record<string, JsonObject> = {}
  for (const endpoint of endpoints) {
    const described = endpoint.methods.map((method) => [method.toLowerCase(), describe(endpoint, method)])
    paths[endpoint.path] = { ...pathParameters(endpoint), ...paths[endpoint.path], ...Object.fromEntries(described) }
  }
  return { tags, paths, schemas: Object.assign({ ...schemas }, ...endpoints.map(schemasOf)) }
}

function pathParameters({ inPath: described = {} }: Endpoint<never>): JsonObject {
  const parameters = Object.entries(described).map(([name, description]) => inPath(name, description))
  return parameters.length === 0 ? {} : { parameters }
}

const nameOf = (schema: z.ZodType): string => String(schema.meta()?.['id'])
const bodyName = ({ id }: Endpoint<never>): string =>
  `${id.replaceAll(/(?:^|[._])(\w)/g, (_found, letter: string) => letter.toUpperCase())}Body`

function schemasOf(endpoint: Endpoint<never>): NonNullable<ApiPart['schemas']> {
  const { output } = endpoint
  return {
    ...(output === 'bytes' ? {} : { [nameOf(output)]: output }),
    ...(takesBody(endpoint) ? { [bodyName(endpoint)]: endpoint.body ?? parametersInBody(endpoint) } : {}),
  }
}

const takesBody = ({ methods, receives }: Endpoint<never>): boolean =>
  receives === undefined && methods.some((method) => method === 'POST' || method === 'PUT')

/** Every parameter can be a member of the body. */
function parametersInBody({ input, summary }: Endpoint<never>): z.ZodType {
  const members = entriesOf(input).map(([name, schema]) => [
    name,
    kindOf(schema) === 'member' || isOptional(schema) ? schema : describedAs(schema.optional(), schema),
  ])
  return z.object(Object.fromEntries(members)).meta({ description: `Parameters: ${summary}.` })
}

const describedAs = (schema: z.ZodType, known: z.ZodType): z.ZodType =>
  schema.meta({ description: descriptionOf(known) })
const descriptionOf = (schema: z.ZodType): string => String(schema.meta()?.description ?? '')
const entriesOf = (input: z.ZodRawShape): readonly (readonly [string, z.ZodType])[] =>
  Object.entries(input) as [string, z.ZodType][]

/** A GET or DELETE may have a body too, but no client of OpenAPI sends one. */
function describe(endpoint: Endpoint<never>, method: Method): JsonObject {
  const { id, methods, tag, summary, description, input, output, errors, receives, responses = {} } = endpoint
  const hasBody = takesBody(endpoint) && (method === 'POST' || method === 'PUT')
  const inQuery = entriesOf(input).filter(([, schema]) => kindOf(schema) !== 'member')
  const written = operation({
    id: methods.length > 1 && method === 'GET' ? `${id}.get` : id,
    tag,
    summary,
    description,
    parameters: inQuery.map(([name, schema]) => queryParameter(name, schema, !hasBody && receives === undefined)),
    ...(hasBody ? { body: schemaRef(bodyName(endpoint)) } : {}),
    answer: output === 'bytes' ? {} : nameOf(output),
    errors: [...new Set([400, 401, 408, 413, 415, 422, 500, 503, ...errors])].sort((one, other) => one - other),
  })
  return {
    ...written,
    ...(receives === 'form' ? { requestBody: formOf(input) } : {}),
    responses: { ...(written['responses'] as JsonObject), ...responses },
  }
}

function queryParameter(name: string, schema: z.ZodType, isOnlyPlace: boolean): JsonObject {
  const kind = kindOf(schema)
  const description = descriptionOf(schema)
  const forms: Readonly<Record<string, readonly [schema: JsonObject, note: string]>> = {
    flag: [{ type: 'string', enum: ['0', '1', 'true', 'false'] }, ''],
    list: [{ type: 'string' }, ' Separated by commas.'],
    json: [{ type: 'string' }, ' As JSON.'],
  }
  const [inText, note] = forms[kind] ?? [withoutDescription(inlineSchema(schema)), '']
  const required = isOnlyPlace && !isOptional(schema) ? { required: true } : {}
  return { name, in: 'query', ...required, description: `${description}${note}`, schema: inText }
}

const withoutDescription = ({ description: _, ...schema }: JsonObject): JsonObject => schema

/** The same parameters as fields, and the file. */
function formOf(input: z.ZodRawShape): JsonObject {
  const fields = entriesOf(input).map(([name, schema]) => {
    const { description, schema: inText } = queryParameter(name, schema, false)
    return [name, { ...(inText as JsonObject), description }]
  })
  const file = { type: 'string', format: 'binary', description: 'The file, at most 100 MB.' }
  const schema = { type: 'object', required: ['file'], properties: { ...Object.fromEntries(fields), file } }
  return { required: true, content: { 'multipart/form-data': { schema } } }
}
