import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KeyedRows, keyedRows } from '../../../src/bulk/written-rows.ts'
import type { Session } from '../../../src/database/database.ts'
import { administratorId } from '../../../src/identity/administrator.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { KEPT_MS } from '../../../src/records/idempotency.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'

let fresh: FreshDatabase
let nowMs = Date.UTC(2026, 5, 15)
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const importOf = (key: string, request = 'a file'): KeyedRows =>
  keyedRows(fresh.database, { userId: administratorId, key, request: [request] }, { nowMs: () => nowMs })

const linesOf = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1)

/** A session that counts the characters of the rows that it gives. */
function counting(session: Session): { readonly session: Session; readonly read: () => number } {
  let characters = 0
  const rows: Session['rows'] = async (statement) => {
    const found = await session.rows(statement)
    characters += JSON.stringify(found).length
    return found
  }
  return { session: { ...session, rows }, read: () => characters }
}

/** Created and patched rows by turns, the patched ones in transactions of their own, as imports with `on_hit=patch` write them. */
async function writeMixed(rows: KeyedRows, lines: readonly number[]): Promise<void> {
  await fresh.database.inTransaction((session) =>
    rows.inserted.add(
      session,
      lines.filter((line) => line % 2 === 0),
    ),
  )
  await rows.addUpdated(lines.filter((line) => line % 4 === 1))
}

/** What one more patched row at the end of a file reads. */
async function charactersOfRow(rows: KeyedRows, line: number): Promise<number> {
  return fresh.database.inTransaction(async (session) => {
    const counted = counting(session)
    const store = rows.updated.storeFor(line)
    expect(await store.claim(counted.session)).toBe(null)
    await store.keep(counted.session, { status: 200 } as never)
    return counted.read()
  })
}

test('a row of a large mixed file reads no more of what is written than one of a small file (issue 12)', async () => {
  const read: number[] = []
  for (const count of [2_000, 4_000, 16_000]) {
    const rows = importOf(`growth ${count}`)
    await writeMixed(rows, linesOf(count))
    read.push(await charactersOfRow(rows, count - 1))
    const outcomes = await rows.outcomes(linesOf(count).slice(-250))
    expect(outcomes?.size).toBe(125 + 63)
    expect(outcomes?.get(count - 1)).toBe('updated')
  }
  const [small = 0, medium = 0, large = 0] = read
  // Numbers of lines have up to two digits more.
  expect([medium / small, large / small].map((times) => times < 1.5)).toEqual([true, true])
  const [longest] = await fresh.database.rows<{ characters: number }>(
    sql`select max(length(body)) as characters from docket_system.answered_once`,
  )
  expect(longest?.characters).toBeLessThan(8_000)
})

test('each written line is known in every block, no other is, and a line that is claimed again does nothing', async () => {
  const rows = importOf('blocks')
  const written = [1, 999, 1_000, 1_001, 1_999, 5_000]
  await rows.addUpdated(written)
  const requested = written.flatMap((line) => [line - 1, line, line + 1])
  expect([...((await rows.outcomes(requested)) ?? [])].toSorted(([one], [other]) => one - other)).toEqual(
    written.map((line) => [line, 'updated']),
  )
  const claims = await fresh.database.inTransaction(async (session) => [
    await rows.updated.storeFor(5_000).claim(session),
    await rows.updated.storeFor(5_001).claim(session),
  ])
  expect(claims).toEqual([expect.objectContaining({ ok: true }), null])
})

test('lines that a version before the blocks recorded are known, and those of another file reject the key', async () => {
  await importOf('before').outcomes([])
  await fresh.database.rows(
    sql`update docket_system.answered_once set body = '[[1,2500],[4000,4000]]' where key = 'before updated'`,
  )
  const rows = importOf('before')
  await rows.addUpdated([10, 3_000])
  expect([...((await rows.outcomes([1, 2_500, 2_501, 3_000, 4_000, 4_001]))?.keys() ?? [])]).toEqual([
    1, 2_500, 3_000, 4_000,
  ])
  expect(await importOf('before', 'another file').outcomes([1])).toBe(null)
  expect(await importOf('before', 'another file').outcomes([3_000])).toBe(null)
})

test('all lines are forgotten at the same time, also those that were written later', async () => {
  const rows = importOf('forgotten')
  await rows.addUpdated([1])
  nowMs += KEPT_MS - 1_000
  await rows.addUpdated([7_000])
  expect((await rows.outcomes([1, 7_000]))?.size).toBe(2)
  nowMs += 2_000
  expect((await rows.outcomes([1, 7_000]))?.size).toBe(0)
  await rows.addUpdated([7_001])
  expect([...((await rows.outcomes([1, 7_000, 7_001]))?.keys() ?? [])]).toEqual([7_001])
})
