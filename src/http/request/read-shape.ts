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
  return rejectValue(path.join('.'), found === undefined ? 'it is missing' : (issue?.message ?? 'it does not fit'))
}
