import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from '../records/fixture.ts'

const PREFIX = 'c0ffee0123456789'
const id = (sysId: number): string => PREFIX + sysId.toString(16).padStart(16, '0')

/** By ServiceNow's name of the table: for each stored state, the displayed value and its titles (docs/servicenow.md). */
const STATES = {
  incident: {
    0: ['1', 'New', 'Новый'],
    1: ['2', 'In Progress', 'В работе'],
    2: ['2', 'In Progress', 'В работе'],
    3: ['3', 'On Hold', 'Приостановлен'],
    4: ['3', 'On Hold', 'Приостановлен'],
    5: ['3', 'On Hold', 'Приостановлен'],
    6: ['2', 'In Progress', 'В работе'],
    7: ['6', 'Resolved', 'Решён'],
    8: ['8', 'Canceled', 'Отменён'],
    10: ['7', 'Closed', 'Закрыт'],
  },
  problem: {
    0: ['101', 'New', 'Новая'],
    1: ['102', 'Assess', 'Оценка'],
    2: ['103', 'Root Cause Analysis', 'Поиск причины'],
    3: ['103', 'Root Cause Analysis', 'Поиск причины'],
    4: ['103', 'Root Cause Analysis', 'Поиск причины'],
    5: ['104', 'Fix in Progress', 'Исправление'],
    6: ['104', 'Fix in Progress', 'Исправление'],
    7: ['106', 'Resolved', 'Решена'],
    8: ['107', 'Closed', 'Закрыта'],
    10: ['107', 'Closed', 'Закрыта'],
  },
  change_request: {
    0: ['-5', 'New', 'Новый'],
    1: ['-4', 'Assess', 'Оценка'],
    2: ['-1', 'Implement', 'Выполнение'],
    3: ['-3', 'Authorize', 'Согласование'],
    4: ['-2', 'Scheduled', 'Запланирован'],
    5: ['-1', 'Implement', 'Выполнение'],
    6: ['0', 'Review', 'Проверка'],
    7: ['0', 'Review', 'Проверка'],
    8: ['4', 'Canceled', 'Отменён'],
    10: ['3', 'Closed', 'Закрыт'],
  },
  sc_request: {
    0: ['1', 'Open', 'Открыта'],
    1: ['2', 'Work in Progress', 'В работе'],
    2: ['2', 'Work in Progress', 'В работе'],
    3: ['-5', 'Pending', 'Ожидание'],
    4: ['-5', 'Pending', 'Ожидание'],
    5: ['-5', 'Pending', 'Ожидание'],
    6: ['2', 'Work in Progress', 'В работе'],
    7: ['3', 'Closed Complete', 'Закрыта, выполнена'],
    8: ['4', 'Closed Incomplete', 'Закрыта, не выполнена'],
    10: ['3', 'Closed Complete', 'Закрыта, выполнена'],
  },
} as const

type TableHere = keyof typeof STATES
const TABLES: readonly TableHere[] = ['incident', 'problem', 'change_request', 'sc_request']
const OWN = {
  incident: 'itsm_incident',
  problem: 'itsm_problem',
  change_request: 'itsm_change_request',
  sc_request: 'itsm_request',
}
const STORED = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10] as const
const sysIdOf = (table: TableHere, state: number): number => 5_000 + 100 * TABLES.indexOf(table) + state

const rows = TABLES.map(
  (table) => sql`insert into docket.task (sys_id, sys_db_table_id, number, subject, state, active)
    select ${sysIdOf(table, 0)}::bigint + s, (select sys_id from docket.sys_db_table where name = ${OWN[table]}), ${table} || s, ${table}, s::text, true
    from unnest(${`{${STORED.join(',')}}`}::bigint[]) as s`,
)
const stage = [sql`update docket_system.served_id set prefix = ${PREFIX}`, ...rows]

let at: Stage
beforeAll(async () => {
  at = await setStage(stage)
})
afterAll(() => at.close())

const result = async (who: Who, send: string, body?: object): Promise<unknown> => {
  const response = await at.send(who, send, body === undefined ? {} : { body })
  return { status: response.status, body: response.body }
}
const ok = (of: unknown) => ({ status: 200, body: { result: of } })
const failed = (status: number, message: string, detail: string) => ({
  status,
  body: { error: { message, detail }, status: 'failure', request_id: 'ID' },
})
const storedOf = async (sysId: number | bigint): Promise<unknown> =>
  (await at.run(sql`select state, hold_reason from docket.task where sys_id = ${String(sysId)}::bigint`))[0]
const numbersOf = async (table: string, query: string): Promise<readonly string[]> => {
  const path = `/api/now/table/${table}?sysparm_query=short_descriptionIN${TABLES.join(',')}^${query}&sysparm_fields=number`
  const { body } = await at.send('worker', `GET ${encodeURI(path)}`)
  return (body as { readonly result: readonly { readonly number: string }[] }).result.map(({ number }) => number)
}

test('a state of another class tells nobody who may not write the record, and no stale version, what its choices are', async () => {
  const problem = id(sysIdOf('problem', 2))
  const body = { state: '-5' }
  const rejected = await at.send('worker', `PATCH /api/now/table/task/${problem}`, { body })
  expect(rejected).toMatchObject({
    status: 400,
    body: { error: { detail: expect.stringContaining('is not a choice') } },
  })
  const stale = { body, headers: { 'if-match': '"stale"' } }
  expect(await at.send('worker', `PATCH /api/now/table/task/${problem}`, stale)).toMatchObject({ status: 409 })
  await at.run(rule({ operation: 'write', table: 'itsm_problem', roles: ['itil'], condition: 'active=false' }))
  try {
    expect(await at.send('worker', `PATCH /api/now/table/task/${problem}`, { body })).toMatchObject({ status: 403 })
  } finally {
    await at.run(
      sql`delete from docket.sys_security_acl where table_name = 'itsm_problem' and condition = 'active=false'`,
    )
  }
})

describe.each(TABLES)('states of %s (issue 15)', (table) => {
  const displayed = (state: (typeof STORED)[number]) => STATES[table][state]

  test.each(STORED)(
    '%s is shown as it is there, in two languages, by its own path and by that of task',
    async (state) => {
      const [value, en, ru] = displayed(state)
      for (const path of [table, 'task']) {
        const one = `GET /api/now/table/${path}/${id(sysIdOf(table, state))}?sysparm_fields=state`
        expect(await result('worker', one)).toEqual(ok({ state: value }))
        expect(await result('worker', `${one}&sysparm_display_value=all`)).toEqual(
          ok({ state: { display_value: en, value } }),
        )
        expect(await result('moscow', `${one}&sysparm_display_value=true`)).toEqual(ok({ state: ru }))
      }
    },
  )

  test('conditions compare with what is shown', async () => {
    const values = [...new Set(STORED.map((state) => displayed(state)[0]))]
    const where = (holds: (value: string) => boolean): readonly string[] =>
      STORED.filter((state) => holds(displayed(state)[0])).map((state) => `${table}${state}`)
    for (const path of [table, 'task']) {
      const of = (query: string) => numbersOf(path, `sys_class_name=${table}^${query}^ORDERBYsys_id`)
      for (const value of values) {
        expect([path, value, await of(`state=${value}`)]).toEqual([path, value, where((each) => each === value)])
        expect(await of(`state!=${value}`)).toEqual(where((each) => each !== value))
      }
      const [first = '', , third = ''] = values
      expect(await of(`stateIN${first},${third}`)).toEqual(where((each) => each === first || each === third))
      expect(await of(`stateNOT IN${first},${third}`)).toEqual(where((each) => each !== first && each !== third))
      expect(await of(`state<${third}`)).toEqual(where((each) => Number(each) < Number(third)))
      expect(await of(`state>=${third}`)).toEqual(where((each) => Number(each) >= Number(third)))
      expect(await of(`stateBETWEEN${first}@${third}`)).toEqual(
        where((each) => Number(each) >= Number(first) && Number(each) <= Number(third)),
      )
      expect(await of('state=77')).toEqual([])
      expect(await of('state!=77')).toEqual(where(() => true))
      expect(await of('stateISEMPTY')).toEqual([])
    }
  })

  test('orders use what is shown', async () => {
    const sorted = STORED.toSorted((a, b) => Number(displayed(a)[0]) - Number(displayed(b)[0]) || a - b)
    for (const path of [table, 'task'])
      expect(await numbersOf(path, `sys_class_name=${table}^ORDERBYstate^ORDERBYsys_id`)).toEqual(
        sorted.map((state) => `${table}${state}`),
      )
  })

  test('a record that is read and written back stays what it is', async () => {
    for (const path of [table, 'task'])
      for (const state of STORED) {
        const address = `/api/now/table/${path}/${id(sysIdOf(table, state))}`
        const before = await storedOf(sysIdOf(table, state))
        const read = await at.send('worker', `GET ${address}?sysparm_exclude_reference_link=true`)
        const { result: record } = read.body as { readonly result: Record<string, string> }
        const { state: sent, approval = '', hold_reason: reason = '' } = record
        const response = await at.send('worker', `PUT ${address}?sysparm_fields=state`, {
          body: { state: sent, approval, ...(path === 'incident' ? { hold_reason: reason } : {}) },
        })
        expect([state, response.status, await storedOf(sysIdOf(table, state))]).toEqual([state, 200, before])
      }
  })

  test('what is written is stored as the map says', async () => {
    const written = new Map<string, string>()
    for (const state of STORED) written.set(displayed(state)[0], WRITTEN[table][displayed(state)[0]] ?? '')
    for (const [value, stored] of written) {
      const response = await at.send('worker', `POST /api/now/table/${table}?sysparm_fields=state,number`, {
        body: { state: value },
      })
      const { result: made } = response.body as { readonly result: { readonly number: string } }
      expect(response).toMatchObject({ status: 201, body: { result: { state: value } } })
      expect(await at.run(sql`select state from docket.task where number = ${made.number}`)).toEqual([
        { state: stored },
      ])
    }
  })
})

/** By ServiceNow's name of the table and the written value: the stored value. */
const WRITTEN: { readonly [T in TableHere]: Readonly<Record<string, string>> } = {
  incident: { 1: '0', 2: '2', 3: '4', 6: '7', 7: '10', 8: '8' },
  problem: { 101: '0', 102: '1', 103: '2', 104: '5', 106: '7', 107: '10' },
  change_request: { '-5': '0', '-4': '1', '-3': '3', '-2': '4', '-1': '2', 0: '7', 3: '10', 4: '8' },
  sc_request: { '-5': '4', 1: '0', 2: '2', 3: '10', 4: '8' },
}

describe('moves of states (issue 15)', () => {
  const fresh = async (state: string): Promise<string> => {
    const [made] = (await at.run(sql`insert into docket.task (sys_db_table_id, number, subject, state)
      select sys_id, 'M' || docket_system.new_sys_id(), 'moved', ${state} from docket.sys_db_table where name = 'itsm_incident'
      returning sys_id::text as id`)) as readonly { readonly id: string }[]
    return (
      id(0).slice(0, 16) +
      BigInt(made?.id ?? 0)
        .toString(16)
        .padStart(16, '0')
    )
  }
  const patch = (path: string, sysId: string, body: object): Promise<unknown> =>
    result(
      'worker',
      `PATCH /api/now/table/${path}/${sysId}?sysparm_fields=state,active,closed_at,state_changed_at`,
      body,
    )
  const NOW = '2026-03-02 10:00:00'

  test.each(['incident', 'task'])(
    'a move that the model reaches in several steps is one request at %s',
    async (path) => {
      const sysId = await fresh('0')
      expect(await patch(path, sysId, { state: '6' })).toEqual(
        ok({ state: '6', active: 'true', closed_at: '', state_changed_at: NOW }),
      )
    },
  )

  test('it has the stamps of its last step, and a final state ends all moves', async () => {
    const sysId = await fresh('0')
    expect(await patch('incident', sysId, { state: 7 })).toEqual(
      ok({ state: '7', active: 'false', closed_at: NOW, state_changed_at: NOW }),
    )
    expect(await patch('incident', sysId, { state: '2' })).toEqual(
      failed(403, 'Operation Failed', 'The value of state is rejected: from 7 (Closed) the record goes nowhere.'),
    )
  })

  test.each(['1', '2', '3', '4', '5', '6', '7'])('every open state is canceled: %s', async (state) => {
    const sysId = await fresh(state)
    expect(await patch('incident', sysId, { state: '8' })).toEqual(
      ok({ state: '8', active: 'false', closed_at: NOW, state_changed_at: NOW }),
    )
  })

  test('a state that no move leads to is 403 and lists the others', async () => {
    const sysId = await fresh('2')
    expect(await patch('incident', sysId, { state: '1' })).toEqual(
      failed(
        403,
        'Operation Failed',
        'The value of state is rejected: from 2 (In Progress) the record goes to 3 (On Hold), 6 (Resolved), 7 (Closed), 8 (Canceled).',
      ),
    )
  })

  test.each([
    ['incident', '5', '1, 2, 3, 6, 7, 8'],
    ['task', '5', '1, 2, 3, 6, 7, 8'],
    ['task', '106', '1, 2, 3, 6, 7, 8'],
  ])('a value that is not a choice of the record is 400 at %s: %s', async (path, state, choices) => {
    const detail = /^The value of state is rejected: "5|^The value of state is rejected: "106/
    const response = await patch(path, id(sysIdOf('incident', 0)), { state })
    expect(response).toEqual(failed(400, 'Invalid value', expect.stringMatching(detail) as unknown as string))
    expect(JSON.stringify(response)).toContain(`the choices are ${choices}`)
  })

  test('a title is taken for its value with sysparm_input_display_value', async () => {
    const sysId = await fresh('0')
    const path = `PATCH /api/now/table/incident/${sysId}?sysparm_fields=state&sysparm_input_display_value=true`
    expect(await result('worker', path, { state: 'On Hold' })).toEqual(ok({ state: '3' }))
    expect(await result('moscow', path, { state: 'Решён' })).toEqual(ok({ state: '6' }))
  })
})

describe('reasons of incidents on hold (issue 15)', () => {
  const fields = 'sysparm_fields=state,hold_reason'
  test.each([
    [3, '1', 'Awaiting caller'],
    [4, '', ''],
    [5, '4', 'Awaiting vendor'],
    [2, '', ''],
  ])('state %s tells the reason where none is stored', async (state, reason, title) => {
    const one = `GET /api/now/table/incident/${id(sysIdOf('incident', state))}`
    const value = STATES.incident[state as 2][0]
    expect(await result('worker', `${one}?${fields}`)).toEqual(ok({ state: value, hold_reason: reason }))
    expect(await result('worker', `${one}?sysparm_fields=hold_reason&sysparm_display_value=true`)).toEqual(
      ok({ hold_reason: title }),
    )
    expect(await numbersOf('incident', `hold_reason=${reason === '' ? '77' : reason}`)).toEqual(
      reason === '' ? [] : [`incident${state}`],
    )
  })

  test.each([
    ['1', '3'],
    ['3', '4'],
    ['4', '5'],
    ['5', '4'],
    ['', '4'],
  ])('on hold with reason "%s" is stored as %s', async (reason, stored) => {
    const created = await at.send('worker', `POST /api/now/table/incident?${fields},sys_id`, { body: { state: 2 } })
    const { sys_id: sysId } = (created.body as { readonly result: { readonly sys_id: string } }).result
    const response = await result('worker', `PATCH /api/now/table/incident/${sysId}?${fields}`, {
      state: '3',
      hold_reason: reason,
    })
    expect(response).toEqual(ok({ state: '3', hold_reason: reason }))
    expect(await storedOf(BigInt(`0x${sysId.slice(16)}`))).toEqual({
      state: stored,
      hold_reason: reason === '' ? null : reason,
    })
  })
})

test('an incident that is no longer on hold has no reason to be, through both APIs (issue 15)', async () => {
  const fields = 'sysparm_fields=state,hold_reason,sys_id'
  const made = async (): Promise<string> => {
    const created = await at.send('worker', `POST /api/now/table/incident?${fields}`, {
      body: { state: 3, hold_reason: 5 },
    })
    return (created.body as { readonly result: { readonly sys_id: string } }).result.sys_id
  }
  const here = await made()
  const one = `/api/now/table/incident/${here}?sysparm_fields=state,hold_reason`
  expect(await result('worker', `PATCH ${one}`, { state: '3', short_description: 'x' })).toEqual(
    ok({ state: '3', hold_reason: '5' }),
  )
  expect(await result('worker', `PATCH ${one}`, { state: '2' })).toEqual(ok({ state: '2', hold_reason: '' }))
  const native = BigInt(`0x${(await made()).slice(16)}`)
  const path = `PATCH /rest/v1/table/itsm_incident/${native}?sysparm_fields=state,hold_reason`
  const moved = async (state: string) => (await at.send('worker', path, { body: { state } })).body
  expect(await moved('2')).toEqual({ status: 'OK', data: [{ state: '2', hold_reason: null }] })
})

describe('approvals (issue 15)', () => {
  test.each([
    ['not_requested', 'not requested', 'Not Yet Requested'],
    ['requested', 'requested', 'Requested'],
    ['approved', 'approved', 'Approved'],
    ['rejected', 'rejected', 'Rejected'],
    ['canceled', 'cancelled', 'Cancelled'],
  ])('%s is %s', async (stored, value, title) => {
    const sysId = sysIdOf('problem', 0)
    await at.run(sql`update docket.task set approval_state = ${stored} where sys_id = ${sysId}::bigint`)
    for (const path of ['problem', 'task']) {
      const one = `GET /api/now/table/${path}/${id(sysId)}?sysparm_fields=approval&sysparm_display_value=all`
      expect(await result('worker', one)).toEqual(ok({ approval: { display_value: title, value } }))
      expect(await numbersOf(path, `number=problem0^approval=${value}`)).toEqual(['problem0'])
      expect(await numbersOf(path, `number=problem0^approval!=${value}`)).toEqual([])
    }
  })

  test('they are written as they are read', async () => {
    const one = `/api/now/table/problem/${id(sysIdOf('problem', 1))}?sysparm_fields=approval`
    expect(await result('worker', `PATCH ${one}`, { approval: 'cancelled' })).toEqual(ok({ approval: 'cancelled' }))
    expect(await at.run(sql`select approval_state from docket.task where number = 'problem1'`)).toEqual([
      { approval_state: 'canceled' },
    ])
  })
})

test('choices that an administrator adds are shown as they are (issue 15)', async () => {
  const choices = sql`insert into docket.sys_choice (table_id, column_id, value, title, language)
    select t.sys_id, c.sys_id, '42', 'Parked', 'en' from docket.sys_db_table t join docket.sys_db_column c on c.table_id = t.sys_id
    where t.name = 'task' and c.column_name = 'state'`
  await at.run(choices)
  const one = `/api/now/table/problem/${id(sysIdOf('problem', 2))}?sysparm_fields=state`
  expect(await result('worker', `PATCH ${one}`, { state: '42' })).toEqual(ok({ state: '42' }))
  expect(await result('worker', `GET ${one}&sysparm_display_value=true`)).toEqual(ok({ state: 'Parked' }))
  expect(await numbersOf('problem', 'state=42')).toEqual(['problem2'])
  expect(await numbersOf('task', 'state=42')).toEqual(['problem2'])
  expect(await numbersOf('problem', 'state>41^state<43')).toEqual(['problem2'])
})

test.each(['integer', 'string'])(
  'a column hold_reason beside a state of type %s in another table is any column (issue 15)',
  async (type) => {
    const table = `held_${type}`
    const made = async (line: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
      const { status, body: received } = await at.send('admin', line, { body })
      expect([line, status, received]).toMatchObject([line, 200, { status: 'OK' }])
      return ((received as { readonly data: unknown }).data as readonly Readonly<Record<string, unknown>>[])[0] ?? {}
    }
    await made('POST /rest/v1/table/sys_db_table', { name: table, title: table })
    for (const [name, of] of [
      ['state', type],
      ['hold_reason', 'string'],
    ])
      await made('POST /rest/v1/table/sys_db_column', {
        table_id: { find: { name: table } },
        column_name: name,
        title: name,
        column_type_id: { find: { name: of } },
      })
    const fields = 'sysparm_fields=sys_id,state,hold_reason'
    const { sys_id: record } = await made(`POST /rest/v1/table/${table}?${fields}`, { state: '3', hold_reason: 'kept' })
    expect(await made(`PATCH /rest/v1/table/${table}/${String(record)}?${fields}`, { state: '1' })).toMatchObject({
      state: type === 'integer' ? 1 : '1',
      hold_reason: 'kept',
    })
  },
)
