import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { clearAttachments } from '../../src/attachments/clear-attachments.ts'
import { openAttachmentStore } from '../../src/attachments/open-attachments.ts'
import type { Database } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrations.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'
import { clearChanges } from '../../src/records/changes/clear-changes.ts'
import { createRecordDeps } from '../../src/records/record-deps.ts'
import { readStored } from '../../src/retention/export-changes.ts'
import { listHistoryExports } from '../../src/retention/list-exports.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { freshDatabase } from '../harness/fresh-database.ts'
import { migrationsBefore } from '../harness/migrations-before.ts'
import { runCommand } from '../harness/run-command.ts'

const program = fileURLToPath(new URL('../harness/remove-history.ts', import.meta.url))

/** Hundreds of files: the process is killed long before the last. */
const CHANGES = 1_000

const fillLog = (database: Database, changes: number): Promise<unknown> =>
  database.rows(sql`
    insert into docket_system.change (operation, table_id, record_id, changed_at, changes, audited)
    select 'u', t.sys_id, (1000 + n % 7)::text, now()::timestamp - make_interval(days => 400) + make_interval(mins => n), jsonb_build_object('subject', jsonb_build_array(n, n + 1)), true
    from generate_series(1, ${changes}::integer) n, docket.sys_db_table t where t.name = 'task' order by n`)

const countOf = async (database: Database, from: ReturnType<typeof sql>): Promise<number> => {
  const [row] = await database.rows(sql<{ n: number }>`select count(*)::integer as n from ${from}`)
  return row?.n ?? 0
}

const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('exit', resolve))

test('each removed change is in exactly one file that is known, though the process is killed again and again', async () => {
  const fresh = await freshDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'removed-history-'))
  try {
    const { database } = fresh
    await fillLog(database, CHANGES)
    await database.rows(sql`update docket.sys_property set value = '100' where name = 'history.keep_days'`)
    const all = await database.rows(
      sql<{ position: string }>`select position::text from docket_system.change where audited order by position`,
    )
    const run = (changesAtOnce: number): ChildProcess =>
      spawn(process.execPath, [program, fresh.connectionString, folder, String(changesAtOnce)], { stdio: 'ignore' })
    for (const wanted of [2, 7]) {
      const child = run(2)
      await expect
        .poll(() => countOf(database, sql`docket_system.history_export`), { timeout: 60_000, interval: 5 })
        .toBeGreaterThanOrEqual(wanted)
      child.kill('SIGKILL')
      await ended(child)
    }
    const store = await openAttachmentStore({ dataDir: folder, objectStore: null, clock: systemClock })
    const exported = async (): Promise<readonly string[]> => {
      const files = await listHistoryExports(database)
      const texts = await Promise.all(
        files.map(async ({ sha256 }) => gunzipSync(await readStored(store, Buffer.from(sha256, 'hex'))).toString()),
      )
      return texts.flatMap((text) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { position: string }).position),
      )
    }
    const left = await database.rows(
      sql<{ position: string }>`select position::text from docket_system.change where audited order by position`,
    )
    const killed = await exported()
    expect(left.length).toBeGreaterThan(0)
    expect([...killed, ...left.map(({ position }) => position)]).toEqual(all.map(({ position }) => position))
    expect(await ended(run(500))).toBe(0)
    expect(await exported()).toEqual(all.map(({ position }) => position))

    // Housekeeping keeps these files, and the command writes them to a folder.
    await database.rows(sql`update docket_system.attachment_blob set touched_at = '2000-01-01'`)
    const records = createRecordDeps({ database, clock: systemClock })
    await clearAttachments({ ...store, records, maxBytes: 1, onError: () => undefined })
    expect(await exported()).toHaveLength(CHANGES)
    const out = join(folder, 'out')
    const environment = { DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: folder }
    const listed = await runCommand(environment, ['records', 'removed-history', '--write-to', out, '--json'])
    expect((JSON.parse(listed.output) as readonly unknown[]).length).toBe((await listHistoryExports(database)).length)
    expect(
      readdirSync(out).flatMap((file) =>
        gunzipSync(readFileSync(join(out, file)))
          .toString()
          .trimEnd()
          .split('\n'),
      ),
    ).toHaveLength(CHANGES)
  } finally {
    rmSync(folder, { recursive: true })
    await fresh.drop()
  }
})

test('an older database keeps its history and forgets what only events needed, without an index on the time of each change', async () => {
  const fresh = await freshDatabase('blank')
  const folder = migrationsBefore('history_retention')
  try {
    const options = { connectionString: fresh.connectionString, observe: observeNothing }
    const { database } = fresh
    await migrate({ ...options, folder })
    await fillLog(database, 50)
    await database.rows(sql`update docket_system.change set audited = false where position % 200000000 = 0`)
    const [kept] = [await countOf(database, sql`docket_system.change where audited`)]
    expect(kept).toBe(25)
    await migrate(options)
    const indexes = await database.rows(
      sql`select indexname as name from pg_indexes where schemaname = 'docket_system' and tablename = 'change' order by 1`,
    )
    expect(indexes).toEqual(
      [
        'change_changed_at_idx1',
        'change_changed_at_idx2',
        'change_pkey',
        'change_position_idx',
        'change_record_id_position_idx',
        // Deletions of files only.
        'change_removed_file',
      ].map((name) => ({ name })),
    )
    await clearChanges(createRecordDeps({ database, clock: systemClock }))
    expect(await countOf(database, sql`docket_system.change where not audited`)).toBe(0)
    expect(await countOf(database, sql`docket_system.change`)).toBe(kept)
    const [horizon] = await database.rows(sql<{ is_last: boolean }>`
      select h.swept_position = (select max(c.position) from docket_system.change c) or h.swept_position = h.cleared_position as is_last from docket_system.change_horizon h`)
    expect(horizon?.is_last).toBe(true)
    expect(await database.rows(sql`select value from docket.sys_property where name = 'history.keep_days'`)).toEqual([
      { value: '0' },
    ])
  } finally {
    rmSync(folder, { recursive: true })
    await fresh.drop()
  }
})
