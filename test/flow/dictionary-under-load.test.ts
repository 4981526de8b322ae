import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'
import { admin, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import type { ReceivedResponse } from '../harness/send-request.ts'

let fresh: FreshDatabase
let desks: readonly DictionaryDesk[]
/** Twelve requests of a user at once: none of them waits for others of the same user, which would be rejected after two seconds. */
const environment = { DOCKET_DATABASE_POOL: '16' }
beforeAll(async () => {
  fresh = await freshDatabase()
  desks = [await openDesk({ fresh, environment }), await openDesk({ fresh, environment })]
})
afterAll(async () => {
  for (const desk of desks) await desk.close()
  await fresh.drop()
})

const CLIENTS = 16
const ROUNDS = 3

test('sixteen clients in two processes read and write while columns, indexes, rules and tables come, change and go and files are imported: nothing fails, nothing is lost, nothing is stale', async () => {
  const [desk, twin] = desks
  if (desk === undefined || twin === undefined) throw new Error('no servers')
  const load = await desk.table('load', { is_extendable: true })
  await desk.column('load', 'label', 'string')

  /** Columns whose creation was acknowledged and whose deletion was not requested. */
  const present = new Set(['label'])
  const written = new Map<string, string>()
  const failures: string[] = []
  let isOver = false
  const failUnless = (isFine: boolean, response: ReceivedResponse): void => {
    if (!isFine) failures.push(`${response.status} ${response.text}`)
  }

  const client = async (number: number): Promise<void> => {
    const own = desks[number % desks.length]
    if (own === undefined) return
    for (let turn = 0; !isOver; turn += 1) {
      const before = new Set(present)
      const label = `client ${number} turn ${turn}`
      const extra = [...before].filter((name) => name !== 'label' && name.startsWith('text'))
      const values = { label, ...Object.fromEntries(extra.map((name) => [name, '1'])) }
      const made = await own.send('POST /rest/v1/table/load', values)
      const record = recordsIn(made)[0]
      const isGone = extra.some((name) => !present.has(name))
      if (made.status === 200 && record !== undefined) written.set(record['sys_id'] ?? '', label)
      else failUnless(made.status === 422 && isGone, made)
      const read = await own.send('GET /rest/v1/table/load?sysparm_limit=3&sysparm_query=ORDERBYDESCsys_id')
      failUnless(read.status === 200, read)
      for (const response of [made, read]) {
        for (const name of before) {
          const isMissing = recordsIn(response).some((row) => !(name in row))
          if (isMissing && present.has(name)) failures.push(`${response.status} without ${name}`)
        }
      }
      if (record === undefined || turn % 3 > 0) continue
      const renamed = `${label}, renamed`
      const patched = await own.send(`PATCH /rest/v1/table/load/${record['sys_id']}`, { label: renamed })
      failUnless(patched.status === 200, patched)
      written.set(record['sys_id'] ?? '', renamed)
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_each, number) => client(number))

  /** A file with and a file without a key, repeatedly. */
  const imported: string[] = []
  const importer = async (number: number): Promise<void> => {
    const own = desks[number % desks.length] ?? desk
    for (let turn = 0; !isOver; turn += 1) {
      const labels = Array.from({ length: 120 }, (_each, row) => `import ${number} turn ${turn} row ${row}`)
      const response = await own.docket.request('POST', `/rest/v1/import/load${number === 0 ? '?key=label' : ''}`, {
        as: admin,
        body: `label\n${labels.join('\n')}\n`,
        headers: { 'content-type': 'text/csv' },
      })
      const { data } = response.body as { data?: { inserted: number; failed: number } }
      failUnless(response.status === 200 && data?.inserted === labels.length && data.failed === 0, response)
      imported.push(...labels)
    }
  }
  const importers = [importer(0), importer(1)]

  /** A change in one process takes effect in the other at once. */
  const seenBoth = async (line: string, has: (response: ReceivedResponse) => boolean): Promise<void> => {
    for (const each of [desk, twin]) {
      const response = await each.send(line)
      expect([line, response.status, has(response)]).toEqual([line, 200, true])
    }
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const changer = desks[round % desks.length] ?? desk
    const [text, owner, pick, count] = ['text', 'owner', 'pick', 'count'].map((name) => `${name}_${round}`) as [
      ...[string, string, string, string],
    ]
    const textId = await changer.column('load', text, 'string')
    present.add(text)
    await changer.column('load', owner, 'reference', { reference_id: await desk.tableId('user') })
    present.add(owner)
    await changer.column('load', pick, 'choice', { default_value: 'a' })
    present.add(pick)
    const countId = await changer.column('load', count, 'integer', { default_value: '7' })
    present.add(count)
    await seenBoth(
      `GET /rest/v1/table/load?sysparm_limit=1&sysparm_fields=${present.values().toArray().join(',')}`,
      (response) => recordsIn(response).every((row) => Object.keys(row).length === present.size),
    )
    // Wider, and of another type altogether.
    for (const [id, type] of [
      [countId, 'biginteger'],
      [textId, 'integer'],
      [textId, 'text'],
    ] as const) {
      const converted = await changer.send(`PATCH /rest/v1/table/sys_db_column/${id}`, {
        column_type_id: await desk.typeId(type),
      })
      expect([type, converted.status, converted.text]).toMatchObject([type, 200, expect.anything()])
    }
    await seenBoth(`GET /rest/v1/table/load?sysparm_limit=1&sysparm_query=${count}=9000000000`, () => true)
    // A new title is returned at once, too.
    const titled = await changer.send(`PATCH /rest/v1/table/sys_db_column/${countId}`, { title: `Count ${round}` })
    expect(titled.status).toBe(200)
    await seenBoth(`GET /rest/v1/table/sys_db_column/${countId}?sysparm_fields=title`, (response) =>
      response.text.includes(`Count ${round}`),
    )
    const index = await changer.record('sys_db_index', { table_id: load, column_names: [count], purpose: 'order' })
    const rule = await changer.record('sys_security_acl', {
      operation: 'read',
      table_name: 'load',
      condition: 'label!=x',
    })
    const child = `load_child_${round}`
    const childId = await changer.table(child, { parent_id: load })
    await changer.column(child, 'own', 'string')
    const kin = await changer.record(child, { label: `child ${round}`, own: 'x' })
    await seenBoth(`GET /rest/v1/table/load/${kin}?sysparm_fields=label`, (response) =>
      response.text.includes(`child ${round}`),
    )
    await seenBoth(`GET /rest/v1/table/${child}?sysparm_fields=own,${count}`, (response) =>
      response.text.includes(`{"own":"x","${count}":"7"}`),
    )
    for (const line of [
      `DELETE /rest/v1/table/sys_db_index/${index}`,
      `DELETE /rest/v1/table/sys_security_acl/${rule}`,
      `DELETE /rest/v1/table/sys_db_table/${childId}?sysparm_confirm=${child}`,
    ]) {
      const gone = await changer.send(line)
      expect([line, gone.status, gone.text]).toMatchObject([line, 200, expect.anything()])
    }
    for (const each of desks) expect((await each.send(`GET /rest/v1/table/${child}`)).status).toBe(404)
    if (round % 2 === 0) {
      present.delete(text)
      const dropped = await changer.send(`DELETE /rest/v1/table/sys_db_column/${textId}?sysparm_confirm=load.${text}`)
      expect(dropped.status).toBe(200)
      for (const each of desks) {
        const named = await each.send(`POST /rest/v1/table/load`, { label: 'never', [text]: '1' })
        expect(named.status).toBe(422)
      }
    }
  }
  isOver = true
  await Promise.all([...clients, ...importers])

  expect(failures).toEqual([])
  const kept = await fresh.database.rows<{ id: string; label: string }>(
    sql`select sys_id::text as id, label from docket.load`,
  )
  const isImported = ({ label }: { readonly label: string }): boolean => label.startsWith('import ')
  expect(new Map(kept.filter((row) => !isImported(row)).map((row) => [row.id, row.label]))).toEqual(written)
  expect(
    kept
      .filter(isImported)
      .map(({ label }) => label)
      .sort(),
  ).toEqual(imported.sort())
})

function recordsIn(response: ReceivedResponse): readonly Readonly<Record<string, string>>[] {
  const { data } = response.body as { data?: readonly Readonly<Record<string, string>>[] }
  return data ?? []
}

test('a change waits for a statement that takes long, and lets readers pass meanwhile', async () => {
  const [desk] = desks
  if (desk === undefined) throw new Error('no server')
  await desk.table('busy')
  await desk.record('busy', {})
  const released = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const report = fresh.database.inTransaction(async (session) => {
    await session.rows(sql`select count(*) from docket.busy`)
    held.resolve()
    await released.promise
  })
  await held.promise
  const change = desk.column('busy', 'late', 'string')
  let isMade = false
  void change.then(() => {
    isMade = true
  })
  // Each gets a response: the change gives up its place in the queue repeatedly.
  for (let turn = 0; turn < 2; turn += 1) expect(await desk.records('busy', 'sys_db_table_id.name')).toHaveLength(1)
  expect(isMade).toBe(false)
  released.resolve()
  await report
  await change
  expect(await desk.storage('busy')).toEqual({ late: 'text' })
})

test('a change that never gets its table is put off, and leaves nothing behind; when the table is free it is made', async () => {
  const [desk] = desks
  if (desk === undefined) throw new Error('no server')
  await desk.table('held')
  await desk.record('held', {})
  const column = {
    table_id: await desk.tableId('held'),
    column_name: 'late',
    title: 'Late',
    column_type_id: await desk.typeId('string'),
  }
  const add = () => desk.send('POST /rest/v1/table/sys_db_column', column)
  const before = await fresh.database.rows(sql`select catalog from docket_system.epoch`)
  const putOff = await fresh.database.inTransaction(async (session) => {
    await session.rows(sql`select count(*) from docket.held`)
    // Longer than all attempts of the change.
    return add()
  })
  expect([putOff.status, putOff.headers['retry-after'], putOff.body]).toMatchObject([
    503,
    '5',
    {
      errors: [
        { code: 'UNAVAILABLE', message: expect.stringContaining('nothing was changed, send the request again') },
      ],
    },
  ])
  expect(await fresh.database.rows(sql`select catalog from docket_system.epoch`)).toEqual(before)
  expect(await desk.storage('held')).toEqual({})
  expect((await desk.send('GET /rest/v1/table/held?sysparm_fields=late')).status).toBe(400)
  expect((await add()).status).toBe(200)
  expect(await desk.storage('held')).toEqual({ late: 'text' })
})

test('an index on a large table is built beside the writers, again when its builder dies, and what cannot be built says why', async () => {
  const [desk, twin] = desks
  if (desk === undefined || twin === undefined) throw new Error('no servers')
  const large = await desk.table('large')
  await desk.table('beside_large')
  await desk.column('large', 'label', 'string')
  await desk.column('large', 'long', 'text')
  // More than is indexed at once, in texts that are not compressed.
  await fresh.database.rows(sql`
    insert into docket.large (label, long) select 'row ' || n, repeat(md5(n::text), 50) from generate_series(1, 24000) n`)
  const [size] = await fresh.database.rows<{ bytes: number }>(
    sql`select pg_relation_size('docket.large')::integer as bytes`,
  )
  expect(size?.bytes).toBeGreaterThan(32 * 1024 * 1024)
  const stateOf = async (id: string) => {
    const [row] = await fresh.database.rows<{ state: string; error: string | null; valid: boolean | null }>(sql`
      select s.state, s.error, i.indisvalid as valid from docket.sys_db_index s
      left join pg_index i on i.indexrelid = to_regclass('docket.' || quote_ident('index_' || s.sys_id)) where s.sys_id = ${id}::bigint`)
    return row
  }
  const builders = () =>
    fresh.database.rows<{ pid: number }>(sql`
      select pid from pg_stat_activity where datname = current_database() and query like 'create index concurrently%' and state = 'active'`)
  const id = await fresh.database.inTransaction(async (session) => {
    // An index build waits for every open write transaction: as long as this transaction takes.
    await session.rows(sql`insert into docket.large (label) values ('held')`)
    const made = await desk.record('sys_db_index', { table_id: large, column_names: ['label'], purpose: 'conditions' })
    expect(await stateOf(made)).toMatchObject({ state: 'waiting' })
    await expect.poll(builders, { timeout: 60_000 }).toHaveLength(1)
    // Nothing waits for it: neither readers and writers, nor changes of another table.
    for (const each of [desk, twin]) {
      await each.record('large', { label: 'meanwhile' })
      expect(await each.records('large', 'label&sysparm_query=label=meanwhile')).not.toEqual([])
    }
    await desk.column('beside_large', 'meanwhile', 'string')
    const [builder] = await builders()
    await session.rows(sql`select pg_terminate_backend(${builder?.pid ?? 0}::integer)`)
    await expect.poll(builders, { timeout: 60_000 }).not.toEqual([builder])
    expect(await stateOf(made)).toMatchObject({ state: 'waiting' })
    return made
  })
  await expect.poll(() => stateOf(id), { timeout: 100_000 }).toEqual({ state: 'ready', error: null, valid: true })
  expect(await desk.records('large', 'label&sysparm_query=label=row%2017')).toEqual([{ label: 'row 17' }])

  // A text that no index accepts.
  await fresh.database.rows(sql`
    insert into docket.large (long) select string_agg(md5(n::text || 'x'), '') from generate_series(1, 3000) n`)
  const rejected = await desk.record('sys_db_index', { table_id: large, column_names: ['long'], purpose: 'conditions' })
  await expect
    .poll(() => stateOf(rejected), { timeout: 100_000 })
    .toEqual({
      state: 'failed',
      error: expect.stringContaining('maximum'),
      valid: null,
    })
})

test('of changes at once that want the same name one is made, in all processes', async () => {
  const [first] = desks
  if (first === undefined) throw new Error('no server')
  await first.table('contested')
  const body = {
    table_id: await first.tableId('contested'),
    column_name: 'name',
    title: 'Name',
    column_type_id: await first.typeId('string'),
  }
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_each, number) =>
      desks[number % desks.length]?.send('POST /rest/v1/table/sys_db_column', body),
    ),
  )
  expect(responses.map((response) => response?.status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
  expect(await first.storage('contested')).toEqual({ name: 'text' })
})
