import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadPrincipal } from '../../../src/identity/load-principal.ts'
import { createUser } from '../../../src/identity/manage-users.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { parseRecordRequest } from '../../../src/records/parse/parse-record-request.ts'
import { createRecordDeps } from '../../../src/records/record-deps.ts'
import { prepareCall } from '../../../src/records/request-stages.ts'
import { type DictionaryDesk, errorIn, openDesk } from '../dictionary/dictionary-desk.ts'

const NOW = '2026-03-02 10:00:00'
const ADMIN = '155931135900000001'

let desk: DictionaryDesk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

const move = (id: string, state: string, table = 'itsm_incident', more: object = {}) =>
  desk.send(`PATCH /rest/v1/table/${table}/${id}?sysparm_fields=state`, { state, ...more })
const rejected = (detail: string) => ({
  status: 422,
  code: 'INVALID_VALUE',
  field: 'state',
  message: `The value of state is rejected: ${detail}.`,
})

test('an incident moves along the shipped flow, and a forbidden move lists where it may go', async () => {
  const id = await desk.record('itsm_incident', { subject: 'Flow' })
  expect(errorIn(await move(id, '7'))).toEqual(
    rejected('from 0 (Registered) the record goes to 1 (Assigned), 2 (In progress), 8 (Canceled)'),
  )
  expect((await move(id, '1')).status).toBe(200)
  expect(errorIn(await move(id, '10'))).toEqual(
    rejected(
      'from 1 (Assigned) the record goes to 2 (In progress), 3 (Information needed), 7 (Completed), 8 (Canceled)',
    ),
  )
  expect((await move(id, '1')).status).toBe(200)
  expect((await move(id, '7')).status).toBe(200)
  expect((await move(id, '10')).status).toBe(200)
  expect(errorIn(await move(id, '1'))).toEqual(rejected('from 10 (Closed) the record goes nowhere'))
})

/** The statement of a PATCH of the state by the administrator. */
async function statementOfMove(table: string): Promise<string> {
  const { database } = desk.docket
  const deps = createRecordDeps({ database, clock: { nowMs: () => 0 } })
  const [loaded, parsed] = [
    await loadPrincipal(database, ADMIN),
    parseRecordRequest({
      ...{ operation: 'patch', table, sysId: ADMIN, body: { state: '1' } },
      ...{ parameters: new Map(), ifMatch: null, idempotencyKey: null },
    }),
  ]
  if (loaded === undefined || !parsed.ok) throw new Error('the request cannot be prepared')
  const call = { ...loaded, request: parsed.value.request, baseUrl: '' }
  const ready = await prepareCall(call, { deps, catalog: await deps.catalog.current() })
  if (!ready.ok) throw new Error(JSON.stringify(ready.error))
  return ready.value.found.prepared.statement.text
}

test('no subquery of the statement looks up the previous state, whatever number of states return to it', async () => {
  // PostgreSQL prepares each subquery at each execution, also those that it does not run: a PATCH cost an eighth more.
  for (const table of ['task', 'itsm_incident']) {
    const text = await statementOfMove(table)
    expect(text).not.toMatch(/from docket_system\.(change|previous_state)\b/)
    expect(text.match(/docket_system\.state_before\(/g)).toHaveLength(1)
  }
})

test('an incident is canceled from every open state, and stays so (issue 15)', async () => {
  const states = ['0', '1', '2', '3', '4', '5', '6', '7']
  for (const state of states) {
    const id = await desk.record('itsm_incident', { subject: 'Canceled', state })
    const response = await desk.send(`PATCH /rest/v1/table/itsm_incident/${id}?sysparm_fields=state,active`, {
      state: '8',
    })
    expect([state, response.status, (response.body as { data: unknown }).data]).toEqual([
      state,
      200,
      [{ state: '8', active: false }],
    ])
    expect(errorIn(await move(id, '2'))).toEqual(rejected('from 8 (Canceled) the record goes nowhere'))
  }
})

test('the flow holds by the path of the parent too, and binds no other class', async () => {
  const incident = await desk.record('itsm_incident', { subject: 'By the parent' })
  const task = await desk.record('task', { subject: 'Free' })
  expect((await move(incident, '7', 'task')).status).toBe(422)
  expect((await move(task, '7', 'task')).status).toBe(200)
  expect((await move(task, '3', 'task')).status).toBe(200)
})

test('from waiting a record goes back to where it came from', async () => {
  const ids = { assigned: '1', started: '2' } as const
  for (const before of Object.values(ids)) {
    const id = await desk.record('itsm_incident', { subject: 'Back' })
    expect((await move(id, before)).status).toBe(200)
    expect((await move(id, '3')).status).toBe(200)
    const [other] = Object.values(ids).filter((state) => state !== before)
    expect(errorIn(await move(id, other ?? ''))).toEqual(
      rejected(
        `from 3 (Information needed) the record goes to ${before === '1' ? '1 (Assigned)' : '2 (In progress)'}, 8 (Canceled)`,
      ),
    )
    expect((await move(id, before)).status).toBe(200)
  }
  const begun = await desk.record('itsm_incident', { subject: 'Brought along', state: '3' })
  expect((await move(begun, '7')).status).toBe(422)
  expect((await move(begun, '2')).status).toBe(200)
})

test('a change of the state is stamped; a final state closes the record, another opens it again', async () => {
  const pinned = async () => {
    const name = new URL(desk.docket.connectionString).pathname.slice(1)
    await desk.docket.database.rows(sql`alter database ${sql.id(name)} set docket.now = ${sql.lit(NOW)}`)
  }
  await pinned()
  const own = await openDesk({
    fresh: {
      ...desk.docket,
      connectionString: desk.docket.connectionString,
      database: desk.docket.database,
      drop: async () => undefined,
    },
  })
  const stamps = 'state,state_changed_at,closed_at,closed_by,active'
  const read = (id: string) => own.records('itsm_incident', `${stamps}&sysparm_query=sys_id=${id}`)
  const id = await own.record('itsm_incident', { subject: 'Stamps' })
  const open = { closed_at: null, closed_by: null, active: true }
  expect(await read(id)).toEqual([{ state: '0', state_changed_at: null, ...open }])
  const to = (state: string, more: object = {}) =>
    own.send(`PATCH /rest/v1/table/itsm_incident/${id}`, { state, ...more })
  expect((await to('1')).status).toBe(200)
  expect(await read(id)).toEqual([{ state: '1', state_changed_at: NOW, ...open }])
  await to('7')
  expect((await to('10')).status).toBe(200)
  expect(await read(id)).toEqual([
    { state: '10', state_changed_at: NOW, closed_at: NOW, closed_by: ADMIN, active: false },
  ])

  const closed = await own.record('itsm_incident', { subject: 'Brought along closed', state: '10' })
  expect(await read(closed)).toEqual([
    { state: '10', state_changed_at: null, closed_at: NOW, closed_by: ADMIN, active: false },
  ])
  const dated = await own.record('itsm_incident', {
    subject: 'With its own date',
    state: '10',
    closed_at: '2020-01-01 00:00:00',
  })
  expect(await read(dated)).toEqual([
    { state: '10', state_changed_at: null, closed_at: '2020-01-01 00:00:00', closed_by: ADMIN, active: false },
  ])

  const [model] = (await own.records('sys_state_model', 'sys_id&sysparm_query=name=Incidents')) as readonly {
    sys_id: string
  }[]
  await own.record('sys_state_transition', { state_model_id: model?.sys_id, from_state: '10', to_state: '2' })
  expect((await to('2')).status).toBe(200)
  expect(await read(id)).toEqual([{ state: '2', state_changed_at: NOW, ...open }])
  await own.close()
})

test('a model of one’s own, for some records only, is asked from the next request on', async () => {
  await desk.table('parcel_run', { is_extendable: true })
  const state = await desk.column('parcel_run', 'state', 'choice', { default_value: 'new' })
  await desk.column('parcel_run', 'express', 'boolean')
  const table = await desk.tableId('parcel_run')
  for (const value of ['new', 'sent', 'lost', 'done']) {
    await desk.record('sys_choice', { table_id: table, column_id: state, value, title: value, language: 'en' })
  }
  const free = await desk.record('parcel_run', {})
  expect((await move(free, 'done', 'parcel_run')).status).toBe(200)
  const model = await desk.record('sys_state_model', { name: 'Express', table_id: table, condition: 'express=true' })
  await desk.record('sys_state_transition', { state_model_id: model, from_state: 'new', to_state: 'sent' })
  const express = await desk.record('parcel_run', { express: true })
  const slow = await desk.record('parcel_run', { express: false })
  expect(errorIn(await move(express, 'done', 'parcel_run'))).toEqual(
    rejected('from new (new) the record goes to sent (sent)'),
  )
  expect((await move(slow, 'done', 'parcel_run')).status).toBe(200)
  expect((await move(express, 'sent', 'parcel_run')).status).toBe(200)
  expect(
    errorIn(
      await desk.send('POST /rest/v1/table/sys_state_transition', {
        state_model_id: model,
        from_state: 'new',
        to_state: 'gone',
      }),
    ),
  ).toMatchObject({ status: 422, field: 'to_state' })
  expect(
    errorIn(
      await desk.send('POST /rest/v1/table/sys_state_model', { name: 'x', table_id: await desk.tableId('company') }),
    ),
  ).toMatchObject({ status: 422, field: 'table_id' })
})

test('of two moves at once from one state both are judged on the row that they meet', async () => {
  const id = await desk.record('itsm_incident', { subject: 'Race' })
  await move(id, '2')
  const responses = await Promise.all(['4', '3', '5', '4', '3', '5'].map((state) => move(id, state)))
  const [row] = (await desk.records('itsm_incident', `state&sysparm_query=sys_id=${id}`)) as readonly {
    state: string
  }[]
  const passed = responses
    .filter(({ status }) => status === 200)
    .map(({ body }) => (body as { data: readonly { state: string }[] }).data[0]?.state)
  // One request moves the record from state 2. Others succeed only if they set the state that it already has.
  expect(new Set(passed)).toEqual(new Set([row?.state]))
})

test('approvals are summed up on their task', async () => {
  const task = await desk.record('itsm_change_request', { subject: 'Needs approval' })
  const state = async () =>
    (
      (await desk.records('task', `approval_state&sysparm_query=sys_id=${task}`)) as readonly {
        approval_state: string
      }[]
    )[0]?.approval_state
  expect(await state()).toBe('not_requested')
  const approver = ADMIN
  const first = await desk.record('sys_approval', { task, approver })
  const second = await desk.record('sys_approval', { task, approver })
  expect(await state()).toBe('requested')
  const decide = (id: string, outcome: string) =>
    desk.send(`PATCH /rest/v1/table/sys_approval/${id}?sysparm_fields=state,decided_at`, { state: outcome })
  const decided = await decide(first, 'approved')
  expect((decided.body as { data: readonly { decided_at: string | null }[] }).data[0]?.decided_at).toMatch(/^\d{4}-/)
  expect(await state()).toBe('requested')
  await decide(second, 'approved')
  expect(await state()).toBe('approved')
  await decide(second, 'requested')
  await desk.send(`PATCH /rest/v1/table/sys_approval/${second}`, { state: 'rejected', comment: 'Too risky' })
  expect(await state()).toBe('rejected')
  await decide(second, 'canceled')
  expect(await state()).toBe('approved')
  const [entry] = (await desk.records(
    'sys_history',
    `column_name,new_value&sysparm_query=record_id=${task}^column_name=approval_state^ORDERBYDESCsys_id`,
  )) as readonly object[]
  expect(entry).toEqual({ column_name: 'approval_state', new_value: 'approved' })
  expect((await desk.send(`DELETE /rest/v1/table/sys_approval/${first}`)).status).toBe(200)
  expect(await state()).toBe('canceled')
})

test('a choice depends on the value of another column', async () => {
  const id = await desk.record('itsm_incident', { category: 'network', subcategory: 'vpn' })
  const change = (body: object) =>
    desk.send(`PATCH /rest/v1/table/itsm_incident/${id}?sysparm_fields=category,subcategory`, body)
  const wrong = (value: string, on: string) => ({
    status: 422,
    code: 'INVALID_VALUE',
    field: 'subcategory',
    message: `The value of subcategory is rejected: ${value} is not a choice where category is ${on}.`,
  })
  expect(errorIn(await change({ subcategory: 'spam' }))).toEqual(wrong('spam', 'network'))
  expect(errorIn(await change({ category: 'mail' }))).toEqual(wrong('vpn', 'mail'))
  expect((await change({ category: 'mail', subcategory: 'spam' })).status).toBe(200)
  expect((await change({ category: 'network', subcategory: null })).status).toBe(200)
  expect((await change({ category: 'other' })).status).toBe(200)
  expect(errorIn(await desk.send('POST /rest/v1/table/itsm_incident', { subcategory: 'vpn' }))).toEqual(
    wrong('vpn', 'empty'),
  )
})

describe('stamps are the server’s:', () => {
  const mover = { user: 'mover', password: 'a long password of mover' }
  let id = ''
  const rule = (more: object) =>
    desk.record('sys_security_acl', { table_name: 'itsm_incident', active: true, roles: [role], ...more })
  let role = ''
  beforeAll(async () => {
    role = await desk.record('sys_role', { name: 'mover' })
    const about = { displayName: null, email: null, language: 'en', timeZone: 'UTC' } as const
    await createUser(desk.docket.database, {
      ...about,
      userName: mover.user,
      password: mover.password,
      roles: ['mover'],
    })
    await rule({ operation: 'read' })
    await rule({ operation: 'write' })
    await rule({ operation: 'write', column_name: 'state' })
    await desk.record('sys_security_acl', {
      operation: 'write',
      table_name: 'itsm_incident',
      column_name: '*',
      active: true,
      roles: [await desk.record('sys_role', { name: 'keeper' })],
      admin_overrides: true,
    })
    id = await desk.record('itsm_incident', { subject: 'To be closed' })
    for (const state of ['1', '7']) expect((await move(id, state)).status).toBe(200)
  })
  const patchAs = (body: object) =>
    desk.docket.request('PATCH', `/rest/v1/table/itsm_incident/${id}`, { as: mover, body })

  test('who may write the state and nothing else names no stamp', async () => {
    for (const body of [{ closed_by: ADMIN }, { state: '10', closed_at: NOW }, { active: false }]) {
      expect([(await patchAs(body)).status, body]).toEqual([403, body])
    }
  })

  test('and closes the record all the same: the state brings its stamps, in their name', async () => {
    expect((await patchAs({ state: '10' })).status).toBe(200)
    const [row] = (await desk.records(
      'itsm_incident',
      `state,active,closed_by.user_name,closed_at&sysparm_query=sys_id=${id}`,
    )) as readonly object[]
    expect(row).toEqual({
      state: '10',
      active: false,
      'closed_by.user_name': 'mover',
      closed_at: expect.stringMatching(/^\d{4}-/),
    })
  })

  test('a rule that a record has to satisfy before and after a write holds for what the stamps make of it', async () => {
    const open = await desk.record('itsm_incident', { subject: 'Stays open' })
    for (const state of ['1', '7']) expect((await move(open, state)).status).toBe(200)
    id = open
    const [table] = await desk.docket.database.rows<{ id: string }>(
      sql`update docket.sys_security_acl set condition = 'active=true'
        where table_name = 'itsm_incident' and operation = 'write' and column_name is null and roles = ${[role]}::text[] returning sys_id::text as id`,
    )
    expect(table?.id).toBeDefined()
    expect((await patchAs({ state: '10' })).status).toBe(403)
    expect((await patchAs({ state: '2' })).status).toBe(200)
  })
})
