import { z } from 'zod'
import { documentLimits } from '../../documents/document-limits.ts'
import { CALLER } from '../endpoint/access.ts'
import { type Endpoint, type Method, namesIgnored } from '../endpoint/declare.ts'
import { isOptional, kindOf } from '../endpoint/read-input.ts'
import { inlineSchema, type JsonObject, schemaRef } from './json-schema.ts'
import { type ApiPart, inPath, operation } from './write-openapi.ts'

/** Operations that share a section of the document, with the schemas that they refer to. */
export interface EndpointGroup extends Omit<ApiPart, 'paths'> {
  readonly endpoints: readonly Endpoint<never>[]
}

/** The part of the document that comes from declared operations. */
export function describeEndpoints({ endpoints, schemas, ...group }: EndpointGroup): ApiPart {
  const paths: Record<string, JsonObject> = {}
  const described = endpoints.filter(({ isUndescribed }) => isUndescribed === undefined)
  for (const endpoint of described) {
    const operations = endpoint.methods.map((method) => [method.toLowerCase(), describe(endpoint, method)])
    paths[endpoint.path] = { ...pathParameters(endpoint), ...paths[endpoint.path], ...Object.fromEntries(operations) }
  }
  return { ...group, paths, schemas: Object.assign({ ...schemas }, ...described.map(schemasOf)) }
}

function pathParameters({ inPath: described = {} }: Endpoint<never>): JsonObject {
  const parameters = Object.entries(described).map(([name, description]) => inPath(name, description))
  return parameters.length === 0 ? {} : { parameters }
}

const idOf = (schema: z.ZodType): string => String(schema.meta()?.['id'])
const nameOf = (schema: z.ZodType | { readonly name: string }): string =>
  schema instanceof z.ZodType ? idOf(schema) : schema.name
const bodyName = ({ id }: Endpoint<never>): string =>
  `${id.replaceAll(/(?:^|[._])(\w)/g, (_found, letter: string) => letter.toUpperCase())}Body`

function schemasOf(endpoint: Endpoint<never>): NonNullable<ApiPart['schemas']> {
  const { output, body, form } = endpoint
  return {
    ...(output instanceof z.ZodType ? { [idOf(output)]: output } : {}),
    ...(body === undefined ? {} : { [schemaOfBody(endpoint)]: body }),
    ...(form === undefined ? {} : { [idOf(form)]: form }),
    ...(body === undefined && hasMembers(endpoint) ? { [schemaOfBody(endpoint)]: parametersInBody(endpoint) } : {}),
  }
}

const schemaOfBody = (endpoint: Endpoint<never>): string =>
  endpoint.body?.meta()?.['id'] === undefined ? bodyName(endpoint) : idOf(endpoint.body)

const isWrite = (method: Method): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH'
const receivesOf = ({ receives = 'members' }: Endpoint<never>): string => receives
const readsBody = (endpoint: Endpoint<never>): boolean => receivesOf(endpoint) !== 'nothing'

/** Whether parameters can be members of a body. A GET or DELETE may have one too, but no client of OpenAPI sends it. */
const hasMembers = (endpoint: Endpoint<never>): boolean =>
  receivesOf(endpoint) === 'members' && endpoint.methods.some(isWrite)

/** Whether every parameter can be a member of the body. */
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

function describe(endpoint: Endpoint<never>, method: Method): JsonObject {
  const { id, methods, tag, summary, description, input, output, access, responses = {} } = endpoint
  const hasBody = (endpoint.body !== undefined || hasMembers(endpoint)) && isWrite(method)
  const isUpload = receivesOf(endpoint) === 'upload'
  const isInBody = isUpload || (hasMembers(endpoint) && isWrite(method))
  const inQuery = entriesOf(input).filter(([, schema]) => kindOf(schema) !== 'member')
  const written = operation({
    id: methods.length > 1 && method !== methods.at(-1) ? `${id}.${method.toLowerCase()}` : id,
    tag,
    summary,
    description,
    parameters: [
      ...inQuery.map(([name, schema]) => queryParameter(name, schema, !isInBody)),
      ...keyParameters(endpoint),
      ...headersOf(endpoint),
      ...(endpoint.parameters ?? []),
    ],
    ...(hasBody ? { body: schemaRef(schemaOfBody(endpoint)) } : {}),
    output: output === null ? {} : nameOf(output),
    headers: [...(endpoint.outputHeaders ?? []), ...(namesIgnored(endpoint) ? ['X-Ignored-Parameters'] : [])],
    errors: errorsOf(endpoint),
    isOpen: access?.caller === 'none',
  })
  const requestBody = endpoint.requestBody ?? (isUpload ? formOf(input) : jsonOrForm(endpoint))
  return {
    ...written,
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...withoutPlainSuccess(written['responses'] as JsonObject, endpoint), ...responses },
  }
}

/** An operation whose own responses include a success has no other. */
function withoutPlainSuccess(responses: JsonObject, { output, responses: own = {} }: Endpoint<never>): JsonObject {
  const hasSuccess = Object.keys(own).some((status) => status.startsWith('2'))
  const { 200: _, ...others } = responses
  return output === null && hasSuccess ? others : responses
}

/** Errors of every request, errors that access, parameters and the body can cause, and those that the operation declares. */
function errorsOf(endpoint: Endpoint<never>): readonly number[] {
  const { access = CALLER, input, path, texts, errors, isNegotiated } = endpoint
  const hasParameters = path.includes('{') || texts !== undefined || Object.keys(input).length > 0
  const found = [
    ...[414, 500],
    ...(access.caller === 'none' ? [] : [401, 429, 503]),
    ...(access.roles === undefined ? [] : [403]),
    ...(hasParameters ? [400] : []),
    ...(readsBody(endpoint) ? [400, 408, 413, 415] : []),
    // Other APIs have no such status.
    ...(readsBody(endpoint) && endpoint.errorFormat === undefined ? [422] : []),
    ...(isNegotiated === true ? [406] : []),
    ...errors,
  ]
  return [...new Set(found)].sort((one, other) => one - other)
}

const keyParameters = ({ access = CALLER }: Endpoint<never>): readonly JsonObject[] =>
  (access.keyIn ?? []).map((place) => ({
    name: place.name,
    in: place.in,
    description: 'The access key, for clients that cannot send a header.',
    schema: { type: 'string' },
  }))

const headersOf = ({ headers = {} }: Endpoint<never>): readonly JsonObject[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }))

function queryParameter(name: string, schema: z.ZodType, isOnlyPlace: boolean): JsonObject {
  const kind = kindOf(schema)
  const description = descriptionOf(schema)
  const forms: Readonly<Record<string, readonly [schema: JsonObject, note: string]>> = {
    flag: [{ type: 'string', enum: ['0', '1', 'true', 'false'] }, ''],
    list: [{ type: 'string' }, ' Separated by commas.'],
    names: [{ type: 'string' }, ''],
    json: [{ type: 'string' }, ' As JSON.'],
  }
  const [inText, note] = forms[kind] ?? [withoutDescription(inlineSchema(schema)), '']
  const required = isOnlyPlace && !isOptional(schema) ? { required: true } : {}
  return { name, in: 'query', ...required, description: `${description}${note}`, schema: inText }
}

const withoutDescription = ({ description: _, ...schema }: JsonObject): JsonObject => schema

/** A body that may also be a form. */
function jsonOrForm(endpoint: Endpoint<never>): JsonObject | undefined {
  if (endpoint.form === undefined) return undefined
  const form = { schema: schemaRef(idOf(endpoint.form)) }
  return {
    required: true,
    content: {
      'application/json': { schema: schemaRef(schemaOfBody(endpoint)) },
      'application/x-www-form-urlencoded': form,
      'multipart/form-data': form,
    },
  }
}

/** The same parameters as fields, and the file. */
function formOf(input: z.ZodRawShape): JsonObject {
  const fields = entriesOf(input).map(([name, schema]) => {
    const { description, schema: inText } = queryParameter(name, schema, false)
    return [name, { ...(inText as JsonObject), description }]
  })
  const file = {
    type: 'string',
    format: 'binary',
    description: `The file, at most ${documentLimits.fileBytes / 1_048_576} MB.`,
  }
  const schema = { type: 'object', required: ['file'], properties: { ...Object.fromEntries(fields), file } }
  return { required: true, content: { 'multipart/form-data': { schema } } }
}
