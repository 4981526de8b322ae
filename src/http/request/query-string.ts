import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'

/** No parameter may occur twice, except those in this set, for operations that take lists. */
export const NO_LISTS: ReadonlySet<string> = new Set()

/**
 * Reads the query string of a request in one pass.
 *
 *     query := pair { "&" pair }      pair := name [ "=" value ]
 *
 * `+` is a space, as forms and most clients write it (a plus is `%2B`). Every other character that HTTP allows is itself: `^`, `=` (after
 * the first), `@`, `<`, `>`, brackets, and raw characters of any alphabet, which accept-raw-characters.ts has percent-encoded. A name without
 * a value has the value ''.
 *
 * A name with two different values is rejected, because either choice would be wrong for some callers; names in `lists` may occur any
 * number of times and are joined by commas.
 *
 * @param text the text after the `?`
 */
export function readQueryString(
  text: string,
  lists: ReadonlySet<string> = NO_LISTS,
): Result<ReadonlyMap<string, string>, Problem> {
  const parameters = new Map<string, string>()
  let from = 0
  while (from < text.length) {
    const ampersand = text.indexOf('&', from)
    const to = ampersand === -1 ? text.length : ampersand
    if (to > from) {
      const problem = addPair(parameters, text.slice(from, to), lists)
      if (problem !== null) return fail(problem)
    }
    from = to + 1
  }
  return succeed(parameters)
}

function addPair(parameters: Map<string, string>, pair: string, lists: ReadonlySet<string>): Problem | null {
  const equals = pair.indexOf('=')
  const rawName = equals === -1 ? pair : pair.slice(0, equals)
  const name = decode(rawName)
  if (name === null) return undecodable(rawName, rawName)
  const rawValue = equals === -1 ? '' : pair.slice(equals + 1)
  const value = decode(rawValue)
  if (value === null) return undecodable(name, rawValue)
  if (value.includes('\0')) {
    return { kind: 'bad-parameter', parameter: name, found: 'the character U+0000', expected: 'text' }
  }

  const earlier = parameters.get(name)
  if (earlier === undefined) {
    parameters.set(name, value)
  } else if (lists.has(name)) {
    parameters.set(name, `${earlier},${value}`)
  } else if (earlier !== value) {
    return { kind: 'bad-parameter', parameter: name, found: 'two different values', expected: 'one value' }
  }
  return null
}

const undecodable = (parameter: string, found: string): Problem => ({
  kind: 'bad-parameter',
  parameter,
  found,
  expected: 'UTF-8, %-encoded where needed (a percent sign itself is %25)',
})

function decode(text: string): string | null {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return null
  }
}
