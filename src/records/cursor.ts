import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'

/** Position of a keyset cursor: the order keys of the last row of a page, as PostgreSQL writes them. */
export type CursorKeys = readonly (string | null)[]

/** @param keys as the JSON array that the statement returns */
export function printCursor(keys: string): string {
  return Buffer.from(keys).toString('base64url')
}

/**
 * @param count number of keys in the order of the request: a cursor of another order would skip or repeat rows
 * @returns no keys for the empty cursor, which precedes the first row
 */
export function readCursor(text: string, count: number): Result<CursorKeys, Problem> {
  if (text === '' || text === '*') return succeed([])
  const keys = parseKeys(text)
  if (keys !== null && keys.length === count) return succeed(keys)
  return fail({
    kind: 'bad-parameter',
    parameter: { part: 'cursor' },
    found: text.slice(0, 60),
    expected:
      'the cursor that an earlier response to the same query and order gave in its Link header, or * for the beginning',
  })
}

function parseKeys(text: string): CursorKeys | null {
  try {
    const keys: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    const isKey = (key: unknown): key is string | null =>
      key === null || (typeof key === 'string' && !key.includes('\0') && key.isWellFormed())
    return Array.isArray(keys) && keys.every(isKey) ? keys : null
  } catch {
    return null
  }
}
