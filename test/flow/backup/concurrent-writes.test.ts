import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeBackup } from '../../../src/backup/write-backup.ts'
import { openFileStores } from '../../../src/cli/backup/open-file-stores.ts'
import { readSettings } from '../../../src/config/settings.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { admin, type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { runCommand } from '../../harness/run-command.ts'
import { temporaryFolder } from '../../harness/spawn-docket.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'
import { type DatabasePrint, printDatabase, withoutIdentity } from './database-print.ts'

// The server continues while a backup is written: the backup contains everything as of its beginning, and nothing later.

const folder = temporaryFolder()
let source: FreshDatabase
let docket: RunningDocket
const placeOf = (database: FreshDatabase, name: string) => ({
  DOCKET_DATABASE_URL: database.connectionString,
  DOCKET_DATA_DIR: join(folder, name),
})
beforeAll(async () => {
  source = await freshDatabase()
  docket = await startDocket({ fresh: source, environment: placeOf(source, 'source') })
})
afterAll(async () => {
  await docket.close()
  await source.drop()
  rmSync(folder, { recursive: true, force: true })
})

async function write(): Promise<string> {
  const body = { subject: 'written', work_notes: 'noted', state: '0' }
  const made = await docket.request('POST', '/rest/v1/table/itsm_incident?sysparm_fields=sys_id', { as: admin, body })
  expect(made.status, made.text).toBe(200)
  return (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
async function attach(sysId: string, bytes: Buffer): Promise<void> {
  const form = new FormData()
  form.set('files[]', new Blob([new Uint8Array(bytes)]), 'file.bin')
  const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`
  const url = `${docket.baseUrl}/v1/attachments/upload/itsm_incident/${sysId}`
  expect((await fetch(url, { method: 'POST', body: form, headers: { authorization } })).status).toBe(200)
}
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Tables that other parts of the server write at any time, and counters, which are at or beyond the values in rows. */
const isQuiet = (name: string): boolean => !/worker|login|session|key_use|job|seen/.test(name)
const quiet = ({ rows }: DatabasePrint) => Object.fromEntries(Object.entries(rows).filter(([name]) => isQuiet(name)))

test('a backup beside writes is one moment (issue 8, C1)', async () => {
  const [first, second] = [Buffer.from('before the backup'), Buffer.from('during the backup')]
  const records: string[] = []
  for (let n = 0; n < 5; n += 1) records.push(await write())
  await attach(records[0] ?? '', first)
  const before = await printDatabase(source.connectionString)

  const environment = placeOf(source, 'source')
  const settings = readSettings(environment)
  const pieces: Buffer[] = []
  let writes = 0
  // The server writes between the frames of the backup: it adds, changes and deletes rows in tables that are read earlier and later.
  const writeMeanwhile = async (): Promise<void> => {
    writes += 1
    const [oldest = ''] = records
    records.push(await write())
    const patched = { body: { work_notes: `note ${writes}`, subject: `changed ${writes}` }, as: admin }
    expect((await docket.request('PATCH', `/rest/v1/table/itsm_incident/${oldest}`, patched)).status).toBe(200)
    if (writes === 2) await attach(records.at(-1) ?? '', second)
    if (writes === 3) {
      const gone = await docket.request('DELETE', `/rest/v1/table/itsm_incident/${records[1]}`, { as: admin })
      expect(gone.status, gone.text).toBe(200)
    }
    await source.database.rows(sql`update docket.sys_property set value = 'changed' where name = 'rest.count.max'`)
  }
  const written = await writeBackup({
    connectionString: source.connectionString,
    stores: await openFileStores(settings),
    docketVersion: '0.1.0',
    secretKey: undefined,
    now: new Date(0),
    onProgress: () => undefined,
    sink: async (bytes) => {
      pieces.push(bytes)
      // After the first line and the manifest, the snapshot of the backup exists.
      if (pieces.length > 2 && writes < 8 && pieces.length % 8 === 3) await writeMeanwhile()
    },
  })
  expect(writes).toBe(8)
  expect([written.totals.files, written.totals.missingFiles]).toEqual([1, 0])
  const file = join(folder, 'desk.backup')
  writeFileSync(file, Buffer.concat(pieces), { mode: 0o600 })

  const copy = await freshDatabase('blank')
  try {
    const restored = await runCommand(placeOf(copy, 'copy'), ['restore', file])
    expect([restored.code, restored.errors]).toEqual([0, ''])
    const after = await printDatabase(copy.connectionString)
    expect(after.catalog).toEqual(before.catalog)
    expect(Object.keys(quiet(before)).length).toBeGreaterThan(50)
    expect(quiet(withoutIdentity(after))).toEqual(quiet(withoutIdentity(before)))
    const blobs = (after.rows['docket_system.attachment_blob'] ?? []).join('\n')
    expect([blobs.includes(hashOf(first)), blobs.includes(hashOf(second))]).toEqual([true, false])
    // The copy continues: its new numbers do not collide.
    const server = await startDocket({ fresh: copy, environment: placeOf(copy, 'copy') })
    const made = await server.request('POST', '/rest/v1/table/itsm_incident', { as: admin, body: { subject: 'next' } })
    await server.close()
    expect(made.status, made.text).toBe(200)
  } finally {
    await copy.drop()
  }
})
