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
  /** @returns null: the key belongs to another import */
  readonly outcomes: () => Promise<WrittenBefore | null>
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
 * One row for the whole import holds the lines as ranges, for as long as results are kept. A caller who repeats an import that
 * was interrupted writes only what is missing.
 */
export function writtenRows({ userId, key, request }: ImportIdentity, clock: Clock): WrittenRows {
  const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('base64url')
  const before = (ms: number): string => new Date(clock.nowMs() - ms).toISOString().replace('Z', '')
  /** Locks the row, and creates it if it does not exist. @returns null: the key belongs to another import */
  const rangesIn = async (session: Session): Promise<readonly Range[] | null> => {
    const isOld = sql`a.answered_at <= ${before(KEPT_MS)}::timestamp`
    const [row] = await session.rows<{ request: string; body: string }>(sql`
      insert into docket_system.answered_once as a (user_id, key, request, answered_at, headers, body)
      values (${userId}::bigint, ${key}, ${fingerprint}, ${before(0)}::timestamp, '{}', '[]')
      on conflict (user_id, key) do update set
        request = case when ${isOld} then excluded.request else a.request end,
        body = case when ${isOld} then '[]' else a.body end,
        answered_at = case when ${isOld} then excluded.answered_at else a.answered_at end
      returning request, body`)
    return row === undefined || row.request !== fingerprint ? null : (JSON.parse(row.body) as Range[])
  }
  const add = async (session: Session, lines: readonly number[]): Promise<void> => {
    const ranges = await rangesIn(session)
    const body = JSON.stringify(withLines(ranges ?? [], lines))
    await session.rows(sql`update docket_system.answered_once set body = ${body}
      where user_id = ${userId}::bigint and key = ${key} and request = ${fingerprint}`)
  }
  return {
    async read(session) {
      const ranges = await rangesIn(session)
      return ranges === null ? null : new Set(ranges.flatMap(linesOf))
    },
    add,
    storeFor: (line) => ({
      async claim(session): Promise<Result<RecordResult, Problem> | null> {
        const ranges = await rangesIn(session)
        if (ranges === null) return fail(ANOTHER_IMPORT)
        return ranges.some(([from, to]) => from <= line && line <= to) ? succeed(doneBefore) : null
      },
      keep: (session) => add(session, [line]),
    }),
  }
}

export const ANOTHER_IMPORT: Problem = {
  kind: 'invalid-value',
  field: 'Idempotency-Key',
  detail: 'another request had this key; each needs its own',
}

/** The outcomes of an import without a key. @returns null: the key of the request belongs to another import */
export async function insertedBefore(database: Database, written: WrittenRows): Promise<WrittenBefore | null> {
  const lines = await database.inTransaction((session) => written.read(session))
  return lines && new Map([...lines].map((line) => [line, 'inserted']))
}

export function keyedRows(database: Database, identity: ImportIdentity, clock: Clock): KeyedRows {
  const inserted = writtenRows(identity, clock)
  const updated = writtenRows({ ...identity, key: `${identity.key} updated` }, clock)
  return {
    inserted,
    updated,
    async outcomes() {
      const [made, changed] = await database.inTransaction(
        async (session) => [await inserted.read(session), await updated.read(session)] as const,
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

const linesOf = ([from, to]: Range): readonly number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)

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
