/** What a `$ref` of the document means. */
export function resolve(api, value) {
  if (value?.$ref === undefined) return value
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key], api)
}

/** A schema as people say it: `text or null`, `list of text`, `reference`. */
export function typeText(api, schema) {
  if (schema === undefined) return ''
  if (/[/.]reference$/i.test(schema.$ref)) return 'reference'
  const known = resolve(api, schema)
  if (known['x-enum'] !== undefined) return 'choice'
  const variants = known.anyOf ?? known.oneOf
  if (variants !== undefined) {
    const names = variants.map((variant) => typeText(api, variant))
    return names.includes('reference') ? 'reference' : [...new Set(names)].join(' or ')
  }
  if (known.enum !== undefined) return known.enum.map((each) => `${each}`).join(' | ')
  const types = [known.type ?? 'any JSON'].flat().filter((type) => type !== 'null')
  return types.map((type) => simpleType(api, type, known)).join(' or ')
}

function simpleType(api, type, schema) {
  if (type === 'array') return `list of ${typeText(api, schema.items ?? {}) || 'values'}`
  if (type !== 'string') return { integer: 'whole number', boolean: 'true or false' }[type] ?? type
  if (schema.format !== undefined) return schema.format
  if (schema.pattern?.includes(' ')) return 'date and time'
  if (schema.pattern?.startsWith('^-?\\d+$')) return 'digits'
  return 'text'
}

/** A value that fits, for an example. */
export function sample(api, name, schema) {
  const known = resolve(api, schema)
  if (known.anyOf !== undefined) return sample(api, known.title ?? name, known.anyOf[0])
  if (known.enum !== undefined) return known.enum[0]
  if (known.examples?.length > 0) return known.examples[0]
  const type = [known.type].flat().find((each) => each !== 'null')
  if (type === 'array') return []
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  if (type === 'object') return {}
  return known.title ?? name
}

/** The body of an example: what must be there, else the first text. */
export function sampleBody(api, schema) {
  const { properties = {}, required = [] } = resolve(api, schema)
  const names = Object.keys(properties)
  const texts = names.filter((name) => /^(subject|name|title|short_description)$/.test(name))
  const wanted = names.filter(
    (name) => required.includes(name) || properties[name].description?.startsWith('Mandatory'),
  )
  const chosen = [...new Set([...texts.slice(0, 1), ...wanted])].slice(0, 4)
  const shown = chosen.length > 0 ? chosen : names.slice(0, 1)
  return Object.fromEntries(shown.map((name) => [name, sample(api, name, properties[name])]))
}

/** The path with something to try in the place of its parameters. */
export function samplePath(path, method) {
  const filled = path.replace('{table}', 'task')
  const isList = method === 'get' && /^\/rest\/v1\/table\/[^/]+$/.test(filled)
  if (filled.startsWith('/rest/v1/acl')) return `${filled}?table=task&operation=read`
  return isList ? `${filled}?sysparm_limit=3` : filled
}

/** A line to paste into a shell. */
export function curlText({ base, method, path, body, isOpen }) {
  const parts = ['curl']
  if (method !== 'get') parts.push(`-X ${method.toUpperCase()}`)
  if (!isOpen) parts.push('-H "Authorization: Bearer $KEY"')
  if (body !== null) parts.push(`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`)
  parts.push(quoted(base + path))
  return parts.join(' ')
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`
