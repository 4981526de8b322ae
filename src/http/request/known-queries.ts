import { LRUCache } from 'lru-cache'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { readQueryString } from './query-string.ts'

type ReadQuery = (text: string) => Result<ReadonlyMap<string, string>, Problem>

const MAX_QUERIES = 500
/** In characters. Longer ones seldom come twice. */
const MAX_LENGTH = 2_000

const NOTHING: ReturnType<ReadQuery> = succeed(new Map())

/**
 * Reads query strings of one operation, each text once: programs poll, and pages show the same lists again. The same text gives the same
 * map, so what others derive from its parameters can be kept with the map.
 */
export function knownQueries(lists: ReadonlySet<string>): ReadQuery {
  // Made by the first query: it reserves its whole size, and most operations are never requested.
  let known: LRUCache<string, ReturnType<ReadQuery>> | undefined
  return (text) => {
    if (text === '') return NOTHING
    if (text.length > MAX_LENGTH) return readQueryString(text, lists)
    known ??= new LRUCache({ max: MAX_QUERIES })
    const before = known.get(text)
    if (before !== undefined) return before
    const read = readQueryString(text, lists)
    known.set(text, read)
    return read
  }
}
