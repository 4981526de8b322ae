import { createHash } from 'node:crypto'
import type { Database, Session } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { DoneAlready } from '../records/create-together.ts'
import { KEPT_MS } from '../records/idempotency.ts'
import type { IdempotencyStore } from '../records/record-call.ts'
import { RecordJson, type RecordResult } from '../records/record-result.ts'

/** Which rows of an import with an Idempotency-Key are written. The transactions that write the rows record them. */
export interface WrittenRows extends DoneAlready {
  /** For a row that is created by a statement of its own. */
  storeFor(line: number): IdempotencyStore<RecordResult>
}

/** What became of rows that are written, by line. */
export type WrittenBefore = ReadonlyMap<number, 'inserted' | 'updated'>

/** The same for an import with a key, whose rows create records or change them. */
export interface KeyedRows {
  readonly inserted: WrittenRows
  readonly updated: WrittenRows
  /** Of these lines. @returns null: the key belongs to another import */
  readonly outcomes: (lines: readonly number[]) => Promise<WrittenBefore | null>
  /** Records changes that would do nothing new if they were repeated at once: they are recorded together, after they were written. */
  addUpdated(lines: readonly number[]): Promise<void>
}

export interface ImportIdentity {
  readonly userId: string
  /** The key of the caller, as the table stores it. */
  readonly key: string
  /** What was sent, and with which rights. */
  readonly request: readonly unknown[]
}

type Range = readonly [from: number, to: number]

/**
 * Lines of a row in the database. A row that is written is read and recorded with the ranges of its block only: with those of the whole file, a
 * file in which created and changed records alternate would take quadratic time.
 */
const LINES_OF_BLOCK = 1_000

const blockOf = (line: number): number => Math.floor(line / LINES_OF_BLOCK)

/**
 * Rows for an import hold its lines as ranges, for as long as results are kept. A caller who repeats an import that was interrupted writes only
 * what is missing. The row of the first block is also that of the whole import: it decides whether the key is free, and a version before the
 * blocks recorded all lines in it.
 */
export function writtenRows({ userId, key, request }: ImportIdentity, clock: Clock): WrittenRows {
  const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('base64url')
  const before = (ms: number): string => new Date(clock.nowMs() - ms).toISOString().replace('Z', '')
  // A header has no line feed, so this is the key of no other import.
  const keyOf = (block: number): string => (block === 0 ? key : `${key}\n${block}`)
  /** Locks the rows of the lines, and creates those that do not exist. @returns by block; null: the key belongs to another import */
  const rangesIn = async (session: Session, lines: readonly number[]): Promise<BlocksOfLines | null> => {
    const blocks = [...new Set([0, ...lines.map(blockOf)])].sort((one, other) => one - other)
    const isOld = sql`a.answered_at <= ${before(KEPT_MS)}::timestamp`
    // All rows are as old as the first one, so that they are forgotten together.
    const rows = await session.rows<{ key: string; request: string; body: string }>(sql`
      insert into docket_system.answered_once as a (user_id, key, request, answered_at, headers, body)
      select ${userId}::bigint, b.key, ${fingerprint}, coalesce(f.answered_at, ${before(0)}::timestamp), '{}', '[]'
      from unnest(${blocks.map(keyOf)}::text[]) with ordinality as b (key, n)
      left join docket_system.answered_once f on f.user_id = ${userId}::bigint and f.key = ${key} and f.answered_at > ${before(KEPT_MS)}::timestamp
      order by b.n
      on conflict (user_id, key) do update set
        request = case when ${isOld} then excluded.request else a.request end,
        body = case when ${isOld} then '[]' else a.body end,
        answered_at = case when ${isOld} then excluded.answered_at else a.answered_at end
      returning key, request, body`)
    if (rows.length < blocks.length || rows.some((row) => row.request !== fingerprint)) return null
    const bodies = new Map(rows.map((row) => [row.key, JSON.parse(row.body) as Range[]]))
    return new Map(blocks.map((block) => [block, bodies.get(keyOf(block)) ?? []]))
  }
  const add = async (session: Session, lines: readonly number[]): Promise<void> => {
    const ranges = await rangesIn(session, lines)
    const blocks = [...new Set(lines.map(blockOf))]
    const bodies = blocks.map((block) =>
      JSON.stringify(
        withLines(
          ranges?.get(block) ?? [],
          lines.filter((line) => blockOf(line) === block),
        ),
      ),
    )
    await session.rows(sql`update docket_system.answered_once a set body = b.body
      from unnest(${blocks.map(keyOf)}::text[], ${bodies}::text[]) as b (key, body)
      where a.user_id = ${userId}::bigint and a.key = b.key and a.request = ${fingerprint}`)
  }
  return {
    async read(session, lines) {
      const ranges = await rangesIn(session, lines)
      return ranges && new Set(lines.filter((line) => holds(ranges, line)))
    },
    add,
    storeFor: (line) => ({
      async claim(session): Promise<Result<RecordResult, Problem> | null> {
        const ranges = await rangesIn(session, [line])
        if (ranges === null) return fail(ANOTHER_IMPORT)
        return holds(ranges, line) ? succeed(doneBefore) : null
      },
      keep: (session) => add(session, [line]),
    }),
  }
}

type BlocksOfLines = ReadonlyMap<number, readonly Range[]>

const holds = (ranges: BlocksOfLines, line: number): boolean =>
  [0, blockOf(line)].some((block) => ranges.get(block)?.some(([from, to]) => from <= line && line <= to))

export const ANOTHER_IMPORT: Problem = {
  kind: 'invalid-value',
  field: 'Idempotency-Key',
  detail: 'another request had this key; each needs its own',
}

/** The outcomes of these lines of an import without a key. @returns null: the key of the request belongs to another import */
export async function insertedBefore(
  database: Database,
  written: WrittenRows,
  lines: readonly number[],
): Promise<WrittenBefore | null> {
  const done = await database.inTransaction((session) => written.read(session, lines))
  return done && new Map([...done].map((line) => [line, 'inserted']))
}

export function keyedRows(database: Database, identity: ImportIdentity, clock: Clock): KeyedRows {
  const inserted = writtenRows(identity, clock)
  const updated = writtenRows({ ...identity, key: `${identity.key} updated` }, clock)
  return {
    inserted,
    updated,
    async outcomes(lines) {
      const [made, changed] = await database.inTransaction(
        async (session) => [await inserted.read(session, lines), await updated.read(session, lines)] as const,
      )
      if (made === null || changed === null) return null
      const outcomes = new Map<number, 'inserted' | 'updated'>()
      for (const line of made) outcomes.set(line, 'inserted')
      for (const line of changed) outcomes.set(line, 'updated')
      return outcomes
    },
    addUpdated: (lines) => database.inTransaction((session) => updated.add(session, lines)),
  }
}

/** Nobody reads this result: the import only counts the row. */
const doneBefore: RecordResult = {
  kind: 'record',
  table: '',
  ignoresView: false,
  records: new RecordJson('[]'),
  version: null,
  sysId: '',
}

/** @returns ranges in order, with gaps between them */
export function withLines(ranges: readonly Range[], lines: readonly number[]): readonly Range[] {
  const all = [...ranges, ...lines.map((line): Range => [line, line])].toSorted(([one], [other]) => one - other)
  const joined: Range[] = []
  for (const [from, to] of all) {
    const last = joined.at(-1)
    if (last === undefined || from > last[1] + 1) joined.push([from, to])
    else joined[joined.length - 1] = [last[0], Math.max(last[1], to)]
  }
  return joined
}
