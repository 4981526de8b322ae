import { fail, type Result, succeed } from '../../kernel/result.ts'

/** UTF-16 units. PostgreSQL compares each character of a text with up to this many of the pattern. */
export const MAX_WILDCARD_UNITS = 200

/**
 * The pattern of MATCH_PAT as a pattern of PostgreSQL's LIKE: `*` is any text, `?` any one character, `\x` the character x.
 * It has to match the whole value.
 */
export function readWildcards(text: string): Result<string, string> {
  if (text === '') return fail('Expected a pattern, such as INC*.')
  if (text.length > MAX_WILDCARD_UNITS) {
    return fail(`A pattern has at most ${MAX_WILDCARD_UNITS} characters, found ${text.length}.`)
  }
  if (/(^|[^\\])(\\\\)*\\$/.test(text)) return fail('Expected a character after the \\ at the end of the pattern.')
  // Escaped characters first, so that no star after a backslash counts as a wildcard.
  return succeed(text.replaceAll(/\\(.)|\*+|\?|[%_]/gsu, printPart))
}

function printPart(part: string, escaped: string | undefined): string {
  if (escaped !== undefined) return `\\${escaped}`
  if (part.startsWith('*')) return '%'
  return part === '?' ? '_' : `\\${part}`
}
