import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { runCommand } from '../../harness/run-command.ts'
import { objectStoreSettings, type S3StandIn, startS3 } from '../../harness/s3-stand-in.ts'
import { temporaryFolder } from '../../harness/spawn-docket.ts'
import { startDocket } from '../../harness/start-docket.ts'

// Files in an object store are backed up from it and restored into another one, or onto a disk, and back.

const folder = temporaryFolder()
const stores: S3StandIn[] = []
let source: FreshDatabase
let attachment: string
const authorization = `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}`
const log = Buffer.alloc(3_000_000, 'log line\n')
const file = join(folder, 'desk.backup')

const onDisk = (database: FreshDatabase, name: string) => ({
  DOCKET_DATABASE_URL: database.connectionString,
  DOCKET_DATA_DIR: join(folder, name),
})
const inStore = (database: FreshDatabase, name: string, store: S3StandIn | undefined) => ({
  ...onDisk(database, name),
  ...(store && objectStoreSettings(store)),
})
const objectsOf = (store: S3StandIn | undefined) =>
  [...(store?.objects ?? [])].map(([key, { bytes }]) => [key, bytes.length]).toSorted()

beforeAll(async () => {
  stores.push(await startS3(), await startS3())
  source = await freshDatabase()
  const docket = await startDocket({ fresh: source, environment: inStore(source, 'source', stores[0]) })
  try {
    const made = await docket.request('POST', '/rest/v1/table/company', { as: admin, body: { name: 'Acme' } })
    const [{ sys_id: id } = { sys_id: '' }] = (made.body as { data: { sys_id: string }[] }).data
    const form = new FormData()
    form.set('files[]', new Blob([log]), 'long.log')
    const headers = { authorization }
    const url = `${docket.baseUrl}/v1/attachments/upload/company/${id}`
    const attached = (await (await fetch(url, { method: 'POST', body: form, headers })).json()) as {
      data: { sys_id: string }[]
    }
    attachment = attached.data[0]?.sys_id ?? ''
    const document = new FormData()
    document.set('metadata', JSON.stringify({ doc_id: 'one' }))
    document.set('file', new Blob(['# one\n\nThe printer prints blue pages.']), 'one.md')
    const load = `${docket.baseUrl}/load_document_to_collection?collection_name=manual`
    expect((await fetch(load, { method: 'POST', body: document, headers })).status).toBeLessThan(300)
  } finally {
    await docket.close()
  }
  const written = await runCommand(inStore(source, 'source', stores[0]), ['backup', file])
  expect([written.code, written.output]).toEqual([0, ''])
  expect(written.errors).toMatch(/2 files of/)
})
afterAll(async () => {
  await source.drop()
  for (const store of stores) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function filesOf(database: FreshDatabase, environment: Readonly<Record<string, string>>) {
  const docket = await startDocket({ fresh: database, environment })
  try {
    const headers = { authorization }
    const get = async (path: string) =>
      Buffer.from(await (await fetch(`${docket.baseUrl}${path}`, { headers })).arrayBuffer())
    return {
      attachment: (await get(`/v1/attachments/${attachment}/file`)).equals(log),
      document: (await get('/get_document_file?collection_name=manual&id_value=one')).toString(),
    }
  } finally {
    await docket.close()
  }
}
const all = { attachment: true, document: '# one\n\nThe printer prints blue pages.' }

test('from one object store into another (issue 8, C1)', async () => {
  const copy = await freshDatabase('blank')
  try {
    const place = inStore(copy, 'copy', stores[1])
    const restored = await runCommand(place, ['restore', file])
    expect([restored.code, restored.errors]).toEqual([0, ''])
    expect(objectsOf(stores[1])).toEqual(objectsOf(stores[0]))
    expect(objectsOf(stores[1])).toHaveLength(2)
    expect(await filesOf(copy, place)).toEqual(all)
  } finally {
    await copy.drop()
  }
})

test('from an object store onto a disk, and back (issue 8, C1)', async () => {
  const [disk, store] = [await freshDatabase('blank'), await freshDatabase('blank')]
  try {
    const restored = await runCommand(onDisk(disk, 'disk'), ['restore', file])
    expect([restored.code, restored.errors]).toEqual([0, ''])
    expect(await filesOf(disk, onDisk(disk, 'disk'))).toEqual(all)
    const again = join(folder, 'again.backup')
    expect((await runCommand(onDisk(disk, 'disk'), ['backup', again])).code).toBe(0)
    stores[1]?.objects.clear()
    const back = await runCommand(inStore(store, 'back', stores[1]), ['restore', again])
    expect([back.code, back.errors]).toEqual([0, ''])
    expect(objectsOf(stores[1])).toEqual(objectsOf(stores[0]))
  } finally {
    await disk.drop()
    await store.drop()
  }
})

test('an object store that fails ends the backup without a file, and the restore without a change (issue 8, C1)', async () => {
  const failed = join(folder, 'failed.backup')
  stores[0]?.failNext.push(...Array.from({ length: 50 }, () => 403))
  const written = await runCommand(inStore(source, 'source', stores[0]), ['backup', failed])
  if (stores[0] !== undefined) stores[0].failNext.length = 0
  expect([written.code, written.output]).toEqual([1, ''])
  expect(written.errors).toMatch(/object store/)
  expect(written.errors).not.toMatch(/ {4}at /)
  expect(readdirSync(folder).filter((name) => name.startsWith('failed'))).toEqual([])

  const target = await freshDatabase('blank')
  try {
    stores[1]?.failNext.push(...Array.from({ length: 50 }, () => 403))
    const restored = await runCommand(inStore(target, 'target', stores[1]), ['restore', file])
    if (stores[1] !== undefined) stores[1].failNext.length = 0
    expect([restored.code, restored.output]).toEqual([1, ''])
    expect(restored.errors).toMatch(/object store/)
    expect(restored.errors).not.toMatch(/ {4}at /)
    const again = await runCommand(inStore(target, 'target', stores[1]), ['restore', file])
    expect([again.code, again.errors]).toEqual([0, ''])
  } finally {
    await target.drop()
  }
})
