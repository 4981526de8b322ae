/** The part of an OpenAPI 3.1 document that the page reads. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly 'x-enum'?: unknown
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly format?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

interface Described {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>
  readonly security?: readonly unknown[]
}

export interface Operation extends Described {
  readonly path: string
  readonly method: string
  /** Parameters of the path and of the operation, resolved. */
  readonly all: readonly Parameter[]
}

export interface Api {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described & readonly Parameter[]>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  /** Words of the page in the user's language, if it is not English. */
  readonly words: Readonly<Record<string, string>>
}

export const inWords = ({ words }: Api, text: string): string => words[text] ?? text

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Names of API parts begin with a capital letter, names of tables never do. */
export const isTable = (tag: string): boolean => /^[a-z]/.test(tag)

/** Resolves a `$ref` of the document. */
export function resolve<T extends { readonly $ref?: string }>(api: Api, value: T): T {
  if (value.$ref === undefined) return value
  let at: unknown = api
  for (const key of value.$ref.slice(2).split('/')) at = (at as Readonly<Record<string, unknown>>)[key]
  return at as T
}

export function operationsOf(api: Api, tag: string): readonly Operation[] {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): readonly Operation[] => {
      const operation = item[method]
      if (operation === undefined || !operation.tags.includes(tag)) return []
      const shared = (item['parameters'] ?? []) as readonly Parameter[]
      const all = [...shared, ...(operation.parameters ?? [])].map((each) => resolve(api, each))
      return [{ ...operation, path, method, all }]
    }),
  )
}

/** A schema in words: `text or null`, `list of text`, `reference`. */
export function typeText(api: Api, schema: Schema | undefined): string {
  if (schema === undefined) return ''
  if (/[/.]reference$/i.test(schema.$ref ?? '')) return inWords(api, 'reference')
  const known = resolve(api, schema)
  if (known['x-enum'] !== undefined) return inWords(api, 'choice')
  const or = ` ${inWords(api, 'or')} `
  const variants = known.anyOf ?? known.oneOf
  if (variants !== undefined) {
    const names = variants.map((variant) => typeText(api, variant))
    const reference = inWords(api, 'reference')
    return names.includes(reference) ? reference : [...new Set(names)].join(or)
  }
  if (known.enum !== undefined) return known.enum.map(String).join(' | ')
  const types = [known.type ?? 'any JSON'].flat().filter((type) => type !== 'null')
  return types.map((type) => simpleType(api, type, known)).join(or)
}

function simpleType(api: Api, type: string, schema: Schema): string {
  if (type === 'array')
    return `${inWords(api, 'list of')} ${typeText(api, schema.items ?? {}) || inWords(api, 'values')}`
  if (type !== 'string') return inWords(api, { integer: 'whole number', boolean: 'true or false' }[type] ?? type)
  if (schema.format !== undefined) return schema.format
  if (schema.pattern?.includes(' ') === true) return inWords(api, 'date and time')
  return inWords(api, schema.pattern?.startsWith('^-?\\d+$') === true ? 'digits' : 'text')
}

/** An example value that fits the schema. */
function sample(api: Api, name: string, schema: Schema): unknown {
  const known = resolve(api, schema)
  const [variant] = known.anyOf ?? []
  if (variant !== undefined) return sample(api, known.title ?? name, variant)
  if (known.enum !== undefined) return known.enum[0]
  if (known.examples !== undefined && known.examples.length > 0) return known.examples[0]
  const type = [known.type].flat().find((each) => each !== 'null')
  const plain: Readonly<Record<string, unknown>> = { array: [], integer: 1, number: 1, boolean: true, object: {} }
  return type !== undefined && type in plain ? plain[type] : (known.title ?? name)
}

/** Example body: the first text member and mandatory members, at most 4; without any, the first member. null: the operation takes no body. */
export function sampleBody(api: Api, { operationId, method, requestBody }: Operation): unknown {
  const schema = requestBody?.content['application/json']?.schema
  if (schema === undefined) return null
  if (operationId.endsWith('query')) return { sysparm_query: 'ORDERBYDESCsys_created_at', sysparm_limit: 3 }
  const whole = method === 'patch' ? api.components.schemas[operationId.replace(/\.patch$/, '.put')] : schema
  const { properties = {}, required = [] } = resolve(api, whole ?? schema)
  const names = Object.keys(properties)
  const texts = names.filter((name) => /^(subject|name|title|short_description)$/.test(name))
  const wanted = names.filter(
    (name) => required.includes(name) || properties[name]?.description?.startsWith('Mandatory') === true,
  )
  const chosen = [...new Set([...texts.slice(0, 1), ...wanted])].slice(0, 4)
  const exampleNames = chosen.length > 0 ? chosen : names.slice(0, 1)
  return Object.fromEntries(exampleNames.map((name) => [name, sample(api, name, properties[name] ?? {})]))
}

/** The path with example values for its parameters. */
export function samplePath({ path, method }: Operation): string {
  const filled = path.replace('{table}', 'task')
  const isList = method === 'get' && /^\/rest\/v1\/table\/[^/]+$/.test(filled)
  if (filled.startsWith('/rest/v1/acl')) return `${filled}?table=task&operation=read`
  return isList ? `${filled}?sysparm_limit=3` : filled
}

interface Line {
  readonly base: string
  readonly method: string
  readonly path: string
  /** JSON text; empty: no body. */
  readonly body: string
}

/** A shell command to paste. It reads the key from the variable KEY. */
export function curlText({ base, method, path, body }: Line): string {
  const parts = ['curl']
  if (method !== 'get') parts.push(`-X ${method.toUpperCase()}`)
  parts.push('-H "Authorization: Bearer $KEY"')
  if (body !== '') parts.push(`-H 'Content-Type: application/json' -d ${quoted(body)}`)
  parts.push(quoted(base + path))
  return parts.join(' ')
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
