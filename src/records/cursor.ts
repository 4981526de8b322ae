import { createHash } from 'node:crypto'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import type { AuthorizedRequest } from './authorize/authorized-request.ts'

/** Position of a keyset cursor: the order keys of the last row of a page, as PostgreSQL writes them. */
export type CursorKeys = readonly (string | null)[]

/** Clients reject responses with long headers (Node at 16 KiB), and servers requests. */
export const MAX_CURSOR_BYTES = 6_000

/** What a cursor belongs to: with another table or order, it would skip or repeat rows. */
export interface CursorOrder {
  /** Number of keys. */
  readonly count: number
  /** The last member of a cursor. */
  readonly mark: string
}

/** The key column is the last key, unless the caller already orders by it. */
export function cursorOrderOf({ orders, table }: Pick<AuthorizedRequest, 'orders' | 'table'>): CursorOrder {
  const names = orders.map(({ fieldPath: { hops, end }, direction }) => [
    ...hops.map(({ column }) => column.name),
    end.column.name,
    end.column.type,
    direction,
  ])
  const byKey = names.some(([name], at) => name === table.keyColumn && orders[at]?.fieldPath.hops.length === 0)
  const mark = createHash('sha256')
    .update(JSON.stringify([table.name, names]))
    .digest('base64url')
    .slice(0, 6)
  return { count: orders.length + (byKey ? 0 : 1), mark }
}

/** @param keys as the JSON array that the statement returns */
export function printCursor(keys: string, { mark }: CursorOrder): string {
  return Buffer.from(`${keys.slice(0, -1)},"${mark}"]`).toString('base64url')
}

/**
 * Cursors of earlier versions have no mark.
 *
 * @returns no keys for the empty cursor, which precedes the first row
 */
export function readCursor(text: string, { count, mark }: CursorOrder): Result<CursorKeys, Problem> {
  if (text === '' || text === '*') return succeed([])
  const keys = parseKeys(text)
  if (keys?.length === count) return succeed(keys)
  if (keys?.length === count + 1 && keys.at(-1) === mark) return succeed(keys.slice(0, -1))
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
