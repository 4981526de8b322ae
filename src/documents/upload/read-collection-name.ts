import type { ProblemOf } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { documentLimits } from '../document-limits.ts'

const pattern = /^[\p{L}\p{M}\p{N}_\-. ]+$/u

/**
 * A collection's name, NFC. It is data: it never becomes part of a path or of query text.
 *
 * @param parameter the name of the request parameter, for the error
 */
export function readCollectionName(
  sent: string | undefined,
  parameter = 'collection_name',
): Result<string, ProblemOf<'bad-parameter'>> {
  if (sent === undefined || sent === '')
    return fail({ kind: 'bad-parameter', parameter, found: 'nothing', expected: 'given' })
  const name = sent.normalize('NFC')
  const expected = `1 to ${documentLimits.collectionNameUnits} letters of any alphabet, digits, _, -, . and spaces`
  const isName = name.length <= documentLimits.collectionNameUnits && pattern.test(name) && name.trim() === name
  return isName ? succeed(name) : fail({ kind: 'bad-parameter', parameter, found: sent, expected })
}
