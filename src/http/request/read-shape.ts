import type { z } from 'zod'
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
  if (issue?.code === 'unrecognized_keys') {
    return rejectValue(issue.keys[0] ?? '', 'nothing of this name is expected here')
  }
  const path = issue?.path ?? []
  const found = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], body)
  return rejectValue(path.join('.'), found === undefined ? 'it is missing' : detailOf(issue, found))
}

/** In the words of all other errors; those of the library are for developers, and in English alone. */
function detailOf(issue: z.core.$ZodIssue | undefined, found: unknown): string {
  if (issue?.code === 'invalid_type') return `it must be ${nameOfType(issue.expected)}; found ${nameOfShape(found)}`
  if (issue?.code === 'invalid_value') {
    const displayed = typeof found === 'string' ? found : nameOfShape(found)
    return `it must be one of ${issue.values.join(', ')}; found ${displayed}`
  }
  return issue?.message ?? 'it does not fit'
}

const nameOfType = (type: string): string =>
  ({ array: 'a list', object: 'an object', int: 'a whole number' })[type] ?? `a ${type}`
