import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { nameOfShape } from './name-of-shape.ts'

/**
 * The members of the body of `POST …/query` as texts, as if they were in the URL: numbers and booleans become text, a list is joined by
 * commas (`"sysparm_fields": ["number", "subject"]`), null means "not given". The URL may contain parameters too, but not the same ones.
 */
export function parametersOfBody(
  body: unknown,
  inUrl: ReadonlyMap<string, string>,
): Result<ReadonlyMap<string, string>, Problem> {
  if (body === undefined) return succeed(inUrl)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return fail({ kind: 'bad-body', expected: 'a JSON object of parameters', found: nameOfShape(body) })
  }
  const parameters = new Map(inUrl)
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue
    if (inUrl.has(name)) return badParameter(name, 'it in both', 'given in the URL or in the body')
    const text = textOf(value)
    if (text === null) return badParameter(name, nameOfShape(value), 'a string, a number, a boolean or a list of these')
    parameters.set(name, text)
  }
  return succeed(parameters)
}

const badParameter = (parameter: string, found: string, expected: string) =>
  fail<Problem>({ kind: 'bad-parameter', parameter, found, expected })

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return null
  const texts = value.map((member) => (Array.isArray(member) ? null : textOf(member)))
  return texts.includes(null) ? null : texts.join(',')
}
