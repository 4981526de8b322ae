import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { indexServedIds } from '../../../src/catalog/change/index-served-ids.ts'
import { migrate } from '../../../src/database/migrations.ts'
import { ensureAdministrator } from '../../../src/identity/administrator.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { observeNothing } from '../../../src/telemetry/observation.ts'
import { admin, freshDatabase } from '../../harness/fresh-database.ts'
import { migrationsBefore } from '../../harness/migrations-before.ts'
import { startDocket } from '../../harness/start-docket.ts'
import { type Stage, setStage } from '../records/fixture.ts'
import { id, servedIds } from './expected.ts'

const ADMIN = '6816f79cc0a8016401c5a33be04be441'
const ADMIN_ROLE = '2831a114c611228501d4ea6c309d626d'
const ITIL_ROLE = '282bf1fac6112285017366cb5f867469'
const OWN_ADMIN = id(155931135900000001n)

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    servedIds,
    sql`update docket.task set assigned_user = 155931135900000001, followers_list = '{155931135900000001,201}' where sys_id = 1003`,
  ])
})
afterAll(() => stage.close())

interface Body {
  readonly result: readonly Readonly<Record<string, string>>[]
}
const call = async (line: string, body?: unknown) => {
  const response = await stage.send('admin', line, body === undefined ? {} : { body })
  return { status: response.status, body: response.body as Body, headers: response.headers }
}
const list = async (table: string, query: string, fields: string) => {
  const { status, body } = await call(
    `GET /api/now/table/${table}?sysparm_exclude_reference_link=true&sysparm_query=${query}&sysparm_fields=${fields}`,
  )
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.result
}

describe('ids that scripts contain (issue 15, section 4)', () => {
  test('are those of the administrator and of two roles', async () => {
    expect(await list('sys_user', 'user_name=admin', 'sys_id')).toEqual([{ sys_id: ADMIN }])
    expect(await list('sys_user_role', 'nameINadmin,itil^ORDERBYname', 'sys_id,name')).toEqual([
      { sys_id: ADMIN_ROLE, name: 'admin' },
      { sys_id: ITIL_ROLE, name: 'itil' },
    ])
    const { body } = await call('GET /api/now/ui/user/current_user')
    expect(body).toMatchObject({ result: { user_sys_id: ADMIN } })
  })

  test('find the record, as does the id that this database made', async () => {
    for (const sysId of [ADMIN, ADMIN.toUpperCase(), OWN_ADMIN, '155931135900000001'])
      expect([
        sysId,
        (await call(`GET /api/now/table/sys_user/${sysId}?sysparm_fields=user_name,sys_id`)).body,
      ]).toEqual([sysId, { result: { user_name: 'admin', sys_id: ADMIN } }])
    expect(await list('sys_user', `sys_idIN${ADMIN},${id(201)}^ORDERBYDESCuser_name`, 'user_name')).toEqual([
      { user_name: 'worker' },
      { user_name: 'admin' },
    ])
    expect((await call(`GET /api/now/table/sys_user_role/${ADMIN}`)).status).toBe(404)
  })

  test('are the values of references, lists and links', async () => {
    expect(await list('incident', `assigned_to=${ADMIN}`, 'number,assigned_to,watch_list')).toEqual([
      { number: 'INC0000003', assigned_to: ADMIN, watch_list: `${ADMIN},${id(201)}` },
    ])
    const { body } = await call(`GET /api/now/table/incident/${id(1003)}?sysparm_fields=assigned_to`)
    expect(body).toEqual({ result: { assigned_to: { link: `BASE/api/now/table/sys_user/${ADMIN}`, value: ADMIN } } })
    expect(await list('sys_user_has_role', `role=${ADMIN_ROLE}^user=${ADMIN}`, 'user,role')).toEqual([
      { user: ADMIN, role: ADMIN_ROLE },
    ])
  })

  test('are written as references', async () => {
    const path = `PATCH /api/now/table/incident/${id(1004)}?sysparm_exclude_reference_link=true&sysparm_fields=caller_id,watch_list`
    expect((await call(path, { caller_id: ADMIN, watch_list: `${id(202)},${ADMIN}` })).body).toEqual({
      result: { caller_id: ADMIN, watch_list: `${id(202)},${ADMIN}` },
    })
  })

  test('go to no other record', async () => {
    const made = await call('POST /api/now/table/sys_user?sysparm_fields=user_name,sys_id', {
      user_name: 'second',
      name: 'Second',
      sys_id: ADMIN,
    })
    expect([made.status, made.headers['x-ignored-fields']]).toEqual([201, 'sys_id'])
    expect(made.body).toEqual({ result: { user_name: 'second', sys_id: expect.stringMatching(/^c0ffee/) } })
  })

  test.each([1, 2, 100])(
    'pages of %i after the last sys_id have every user once, in the order of the texts',
    async (size) => {
      const all = await list('sys_user', '', 'sys_id')
      const read: string[] = []
      for (let last = ''; ; last = read.at(-1) ?? '') {
        const after = last === '' ? '' : `sys_id>${last}^`
        const page = await list('sys_user', `${after}ORDERBYsys_id`, `sys_id&sysparm_limit=${size}`)
        read.push(...page.map((row) => row['sys_id'] ?? ''))
        if (page.length < size) break
      }
      expect(read).toEqual(all.map((row) => row['sys_id']).toSorted())
      expect(read[0]).toBe(ADMIN)
    },
  )

  test('a large table gets an index on the served ids', async () => {
    const indexes = () =>
      stage.run(sql`select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = 'docket."user"'::regclass and c.relname like 'served%'`)
    await indexServedIds(stage.docket.database)
    expect(await indexes()).toEqual([])
    await stage.run(sql`update pg_class set reltuples = 100000 where oid = 'docket."user"'::regclass`)
    await indexServedIds(stage.docket.database)
    expect(await indexes()).toEqual([{ name: expect.stringMatching(/^served_known_\d+$/) }])
  })

  test('an imported administrator is the one who is there', async () => {
    const file = { records: [{ sys_id: ADMIN, sys_class_name: 'sys_user', user_name: 'admin', name: 'Imported' }] }
    const imported = await stage.send('admin', 'POST /api/now/unload', { body: file })
    expect(imported.body).toMatchObject({ result: { inserted: 0, updated: 1, failed: 0 } })
    expect(await list('sys_user', 'name=Imported', 'sys_id')).toEqual([{ sys_id: ADMIN }])
    // The hierarchy has a column for given ids from now on, and the order is still that of the texts.
    const all = await list('sys_user', 'ORDERBYsys_id', 'sys_id')
    expect(all.map((row) => row['sys_id'])).toEqual(all.map((row) => row['sys_id']).toSorted())
  })
})

test('an upgrade leaves out records that had ids elsewhere, and ids that are taken (issue 15, section 4)', async () => {
  const used = await freshDatabase('blank')
  const folder = migrationsBefore('well_known_record_ids')
  try {
    const options = { connectionString: used.connectionString, observe: observeNothing }
    await migrate({ ...options, folder })
    await ensureAdministrator(used.database, { password: admin.password })
    await used.database.rows(sql`select docket_system.define_column('sys_role', 'given_sys_id', 'string', 'Given sys_id', 'Given sys_id',
      '{"max_length":32,"unique":true,"read_only":true}'::jsonb)`)
    await used.database.rows(sql`update docket.sys_role set given_sys_id = upper(${ADMIN_ROLE}) where name = 'user'`)
    await used.database.rows(
      sql`update docket.sys_role set given_sys_id = '0123456789abcdef0123456789abcdef' where name = 'itil'`,
    )
    await migrate(options)
    const known = await used.database.rows(
      sql`select of_table, sys_id::text as sys_id, id from docket_system.well_known_id`,
    )
    expect(known).toEqual([{ of_table: 'user', sys_id: '155931135900000001', id: ADMIN }])
    const docket = await startDocket({ fresh: used })
    try {
      const read = async (path: string): Promise<unknown> => (await docket.request('GET', path, { as: admin })).body
      const roles = '/api/now/table/sys_user_role?sysparm_query=nameINitil,user^ORDERBYname&sysparm_fields=name,sys_id'
      expect(await read(roles)).toEqual({
        result: [
          { name: 'itil', sys_id: '0123456789abcdef0123456789abcdef' },
          { name: 'user', sys_id: ADMIN_ROLE.toUpperCase() },
        ],
      })
      expect(await read(`/api/now/table/sys_user/${ADMIN}?sysparm_fields=user_name`)).toEqual({
        result: { user_name: 'admin' },
      })
    } finally {
      await docket.close()
    }
  } finally {
    rmSync(folder, { recursive: true })
    await used.drop()
  }
})
