import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import '../harness/property-seed.ts'
import type { AttachmentStore } from '../../src/attachments/keep-files.ts'
import { openAttachmentStore } from '../../src/attachments/open-attachments.ts'
import { catalogSource } from '../../src/catalog/catalog-source.ts'
import { clearChanges } from '../../src/records/changes/clear-changes.ts'
import { createRecordDeps } from '../../src/records/record-deps.ts'
import { readStored } from '../../src/retention/export-changes.ts'
import { listHistoryExports } from '../../src/retention/list-exports.ts'
import { removeOldHistory } from '../../src/retention/remove-history.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
let store: AttachmentStore
let folder = ''
beforeAll(async () => {
  fresh = await freshDatabase()
  folder = mkdtempSync(join(tmpdir(), 'removed-history-'))
  store = await openAttachmentStore({ dataDir: folder, objectStore: null, clock: { nowMs: () => nowMs } })
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await fresh.drop()
})

const nowMs = Date.UTC(2026, 2, 2, 10)
const dayMs = 86_400_000
/** Midnight so many days ago. */
const cutoff = (days: number): number => Date.UTC(2026, 2, 2) - days * dayMs

/** A parent, two of its children, and a table on its own. */
const TABLES = ['task', 'itsm_task', 'itsm_incident', 'company', 'of a table that is gone'] as const
type Table = (typeof TABLES)[number]
const PARENTS: Partial<Record<Table, Table>> = { itsm_task: 'task', itsm_incident: 'itsm_task' }

interface Logged {
  readonly table: Table
  readonly agedMinutes: number
  readonly audited: boolean
  readonly deleted: boolean
}

interface World {
  readonly days: Partial<Record<Table, number>>
  readonly byDefault: number
  readonly eventDays: number
  readonly changes: readonly Logged[]
  readonly maxChanges: number
  /** Turns on later days. */
  readonly turns: readonly number[]
}

const keepDays = fc.constantFrom(0, 1, 10, 40, 90)
const world: fc.Arbitrary<World> = fc.record({
  days: fc.record(
    { task: keepDays, itsm_task: keepDays, itsm_incident: keepDays, company: keepDays },
    { requiredKeys: [] },
  ),
  byDefault: keepDays,
  eventDays: fc.constantFrom(0, 5, 30),
  changes: fc
    .array(
      fc.record({
        table: fc.constantFrom(...TABLES),
        agedMinutes: fc.integer({ min: 0, max: 120 * 1_440 }),
        audited: fc.boolean(),
        deleted: fc.boolean(),
      }),
      { maxLength: 30 },
    )
    // As positions are given: the oldest change first.
    .map((changes) => changes.toSorted((one, other) => other.agedMinutes - one.agedMinutes)),
  maxChanges: fc.integer({ min: 1, max: 8 }),
  turns: fc
    .array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 3 })
    .map((turns) => turns.toSorted((one, other) => one - other)),
})

/** Days for which history of a table is kept; 0: for ever. */
function daysOf({ days, byDefault, eventDays }: World, table: Table): number {
  const parent = PARENTS[table]
  const own =
    days[table] ?? (parent === undefined ? byDefault : daysOf({ days, byDefault, eventDays: 0 } as World, parent))
  return own === 0 || eventDays === 0 ? own : Math.max(own, eventDays)
}

/** Whether a change is left after a turn on this day, by the rules alone. */
function isLeft(here: World, { table, agedMinutes, audited, deleted }: Logged, afterDays: number): boolean {
  if (here.eventDays === 0) return true
  const atMs = nowMs - agedMinutes * 60_000
  if (!audited && !deleted) return atMs >= nowMs + (afterDays - here.eventDays) * dayMs
  const days = daysOf(here, table)
  return days === 0 || atMs >= cutoff(days - afterDays)
}

async function build({ days, byDefault, eventDays, changes }: World): Promise<void> {
  const { database } = fresh
  await database.rows(sql`truncate docket_system.change, docket_system.history_retention, docket_system.history_export`)
  await database.rows(
    sql`update docket_system.change_horizon set cleared_position = 0, swept_position = 499999999999999999`,
  )
  await database.rows(sql`update docket.sys_db_table set history_keep_days = (${JSON.stringify(days)}::jsonb ->> name)::integer
    where history_keep_days is not null or ${JSON.stringify(days)}::jsonb ? name`)
  await database.rows(sql`update docket.sys_property set value = case name when 'history.keep_days' then ${String(byDefault)} else ${String(eventDays)} end
    where name in ('history.keep_days', 'events.keep_days')`)
  await database.rows(sql`
    insert into docket_system.change (operation, table_id, record_id, changed_at, changes, audited, deletion_logged)
    select case when c.deleted then 'd' else 'u' end::"char", coalesce(t.sys_id, 1), c.n::text,
      ${new Date(nowMs).toISOString()}::timestamp - make_interval(mins => c."agedMinutes"), '{}', c.audited, c.deleted
    from rows from (jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as ("table" text, "agedMinutes" integer, audited boolean, deleted boolean))
      with ordinality as c ("table", "agedMinutes", audited, deleted, n)
    left join docket.sys_db_table t on t.name = c."table" order by c.n`)
}

async function turn({ maxChanges }: World, afterDays: number): Promise<void> {
  const { database } = fresh
  const clock = { nowMs: () => nowMs + afterDays * dayMs }
  await removeOldHistory({
    records: { database, catalog: catalogSource(database), clock },
    places: { database, attachments: store, folder: null },
    batch: { maxChanges, maxBytes: 1_000_000 },
    onRemoved: () => undefined,
  })
  await clearChanges(createRecordDeps({ database, clock }))
}

async function exported(): Promise<readonly string[]> {
  const files = await listHistoryExports(fresh.database)
  const texts = await Promise.all(
    files.map(async ({ sha256 }) => gunzipSync(await readStored(store, Buffer.from(sha256, 'hex'))).toString()),
  )
  return texts
    .flatMap((text) => text.trimEnd().split('\n'))
    .map((line) => (JSON.parse(line) as { record_id: string }).record_id)
}

const byNumber = (one: string, other: string): number => Number(one) - Number(other)

test('after any turns, the changes are left that the settings keep, and the exports have every removed change of history once', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (here) => {
      await build(here)
      const all = await fresh.database.rows(
        sql<{
          id: string
          position: string
        }>`select record_id as id, position::text from docket_system.change order by docket_system.change.position`,
      )
      for (const afterDays of here.turns) await turn(here, afterDays)
      const last = here.turns.at(-1) ?? 0
      const numbered = here.changes.map((change, at) => ({ change, id: String(at + 1) }))
      const left = await fresh.database.rows(
        sql<{ id: string }>`select record_id as id from docket_system.change order by position`,
      )
      const expected = numbered.filter(({ change }) => isLeft(here, change, last)).map(({ id }) => id)
      expect(left.map(({ id }) => id)).toEqual(expected)
      const removed = numbered.filter(({ change, id }) => (change.audited || change.deleted) && !expected.includes(id))
      expect((await exported()).toSorted(byNumber)).toEqual(removed.map(({ id }) => id))
      const gone = all.filter(({ id }) => !expected.includes(id)).at(-1)?.position ?? '0'
      const horizon = await fresh.database.rows(
        sql`select cleared_position::text as at from docket_system.change_horizon`,
      )
      expect(horizon).toEqual([{ at: gone }])
    }),
    { numRuns: 25 },
  )
})
