import { z } from 'zod'
import { nearestNames } from '../../catalog/nearest-names.ts'
import { rejectValue } from '../../kernel/invalid-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { nameOfShape } from './name-of-shape.ts'

/** The body in the type of its schema, or a problem that names the first invalid member. */
export function readShape<Shape extends z.ZodType>(schema: Shape, body: unknown): Result<z.output<Shape>, Problem> {
  if (nameOfShape(body) !== 'an object') {
    return fail({ kind: 'bad-body', expected: 'a JSON object', found: nameOfShape(body) })
  }
  const parsed = schema.safeParse(body)
  if (parsed.success) return succeed(parsed.data)
  const [issue] = parsed.error.issues
  const path = issue?.path ?? []
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys
    return rejectValue([...path, name].join('.'), unknownMember(name, schemaAt(schema, path)))
  }
  const found = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], body)
  return rejectValue(path.join('.'), found === undefined ? 'it is missing' : detailOf(issue, found))
}

function unknownMember(name: string, schema: z.ZodType | undefined): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const similar = nearestNames(name, known)
  const none = 'nothing of this name is expected here'
  if (similar.length > 0) return `${none}; did you mean ${similar.join(', ')}?`
  return known.length === 0 ? none : `${none}; known: ${known.join(', ')}`
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  const [key, ...rest] = path
  if (key === undefined) return schema
  const inner =
    schema instanceof z.ZodObject ? schema.shape[String(key)] : schema instanceof z.ZodArray ? schema.element : null
  return inner === null || inner === undefined ? undefined : schemaAt(inner as z.ZodType, rest)
}

/** In the words of all other errors; those of the library are for developers, and in English alone. */
function detailOf(issue: z.core.$ZodIssue | undefined, found: unknown): string {
  if (issue?.code === 'invalid_type') return `it must be ${nameOfType(issue.expected)}; found ${nameOfShape(found)}`
  if (issue?.code === 'invalid_value') {
    const displayed = typeof found === 'string' ? found : nameOfShape(found)
    return `it must be one of ${issue.values.join(', ')}; found ${displayed}`
  }
  if (issue?.code === 'too_small') return `${sizeOf(found)}; needed: at least ${issue.minimum}`
  if (issue?.code === 'too_big') return `${sizeOf(found)}; allowed: at most ${issue.maximum}`
  return 'it does not fit'
}

function sizeOf(found: unknown): string {
  if (typeof found === 'string') return `it is ${found.length} characters long`
  return Array.isArray(found) ? `it has ${found.length} members` : `it is ${String(found)}`
}

const nameOfType = (type: string): string =>
  ({ array: 'a list', object: 'an object', int: 'a whole number' })[type] ?? `a ${type}`
