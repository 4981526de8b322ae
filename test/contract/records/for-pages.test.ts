import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from './fixture.ts'

/** Parameters of record requests for user interfaces (issue 13, 1; docs/api-for-pages.md). */

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`insert into docket.sys_user_has_role (user_id, role_id) select 203, sys_id from docket.sys_role where name = 'user'`,
    rule({ operation: 'write', table: 'task', roles: ['user'], condition: 'callerDYNAMICme^active=true' }),
    rule({ operation: 'write', table: 'task', column: '*', roles: ['itil'] }),
    rule({ operation: 'write', table: 'task', column: 'subject', roles: ['user'] }),
    rule({ operation: 'write', table: 'task', column: 'comments', roles: ['user'], condition: 'priority<3' }),
    rule({ operation: 'write', table: 'task', column: 'comments', roles: ['itil'] }),
    rule({ operation: 'read', table: 'task', column: 'work_notes', roles: ['itil'] }),
  ])
})
afterAll(() => stage.close())

interface Rights {
  readonly write: readonly string[]
  readonly delete: boolean
  readonly states: readonly string[] | null
}

const rightsOn = async (as: Who, path: string): Promise<Rights> => {
  const { body } = await stage.send(as, `GET /rest/v1/table/${path}?sysparm_rights=1&sysparm_fields=sys_id`)
  return (body as { rights: Rights }).rights
}

describe('sysparm_rights (issue 13, 1)', () => {
  test('stands beside data, and only where it is asked for', async () => {
    const requested = await stage.send('reader', 'GET /rest/v1/table/task/1001?sysparm_rights=1&sysparm_fields=number')
    expect(requested.body).toEqual({
      status: 'OK',
      data: [{ number: 'INC0000001' }],
      rights: { write: ['subject', 'comments'], delete: false, states: [] },
    })
    const plain = await stage.send('reader', 'GET /rest/v1/table/task/1001?sysparm_fields=number')
    expect(plain.body).toEqual({ status: 'OK', data: [{ number: 'INC0000001' }] })
    expect(requested.headers.etag).not.toBe(plain.headers.etag)
    const list = await stage.send(
      'reader',
      'GET /rest/v1/table/task?sysparm_rights=1&sysparm_fields=number&sysparm_limit=1',
    )
    expect(list.body).not.toHaveProperty('rights')
  })

  test('is of the record: its rows, its columns', async () => {
    // 1003 has priority 2, 1004 has 3, 1005 is not active.
    expect((await rightsOn('nobody', 'task/1003')).write).toEqual(['subject', 'comments'])
    expect((await rightsOn('nobody', 'task/1004')).write).toEqual(['subject'])
    expect((await rightsOn('nobody', 'task/1005')).write).toEqual([])
  })

  test('whoever may do all has all that is written, and no column that the server fills', async () => {
    const worker = await rightsOn('worker', 'itsm_incident/1001')
    expect(worker.delete).toBe(true)
    expect(worker.write).toEqual(
      expect.arrayContaining(['subject', 'state', 'work_notes', 'comments', 'severity', 'details']),
    )
    for (const name of ['sys_id', 'sys_created_at', 'number', 'display_name', 'state_changed_at'])
      expect(worker.write).not.toContain(name)
  })

  test('what it promises holds: each column can be written, and no other one; each state can be reached, and no other one', async () => {
    for (const [as, id] of [
      ['reader', '1001'],
      ['nobody', '1003'],
      ['nobody', '1004'],
      ['nobody', '1005'],
      ['worker', '1002'],
    ] as const) {
      const { write } = await rightsOn(as, `task/${id}`)
      for (const column of ['subject', 'comments', 'description', 'urgency', 'work_notes']) {
        const body = { [column]: column === 'urgency' ? '2' : 'Changed' }
        const { status } = await stage.send(as, `PATCH /rest/v1/table/task/${id}`, { body })
        expect([as, id, column, status === 200]).toEqual([as, id, column, write.includes(column)])
      }
    }
    const states = (
      await stage.docket.database.rows<{ value: string }>(
        sql`select distinct value from docket.sys_choice c join docket.sys_db_column o on o.sys_id = c.column_id where o.column_name = 'state'
          and c.table_id = (select sys_id from docket.sys_db_table where name = 'task')`,
      )
    ).map(({ value }) => value)
    for (const id of ['1001', '1003', '1004', '1005']) {
      const { states: allowed } = await rightsOn('worker', `itsm_incident/${id}`)
      const stood = (
        await stage.docket.database.rows<{ state: string }>(
          sql`select state from docket.task where sys_id = ${id}::bigint`,
        )
      )[0]?.state
      for (const state of states) {
        const { status } = await stage.send('worker', `PATCH /rest/v1/table/itsm_incident/${id}`, { body: { state } })
        expect([id, state, status === 200]).toEqual([id, state, state === stood || allowed?.includes(state) === true])
        await stage.run(
          sql`update docket.task set state = ${stood}, active = ${id !== '1005'} where sys_id = ${id}::bigint`,
        )
      }
    }
  })

  test('a table without a state model, and one that the server writes', async () => {
    expect((await rightsOn('worker', 'probe/2001')).states).toBeNull()
    const change = await stage.send(
      'admin',
      'GET /rest/v1/table/sys_db_column_type?sysparm_limit=1&sysparm_fields=sys_id',
    )
    const id = (change.body as { data: { sys_id: string }[] }).data[0]?.sys_id
    expect(await rightsOn('admin', `sys_db_column_type/${id}`)).toMatchObject({ write: [], delete: false })
  })

  test('a record that may not be read is 404, and a wrong value 400', async () => {
    expect((await stage.send('reader', 'GET /rest/v1/table/task/1003?sysparm_rights=1')).status).toBe(404)
    expect((await stage.send('reader', 'GET /rest/v1/table/task/1001?sysparm_rights=maybe')).status).toBe(400)
  })
})

describe('sysparm_max_text (issue 13, 1)', () => {
  const list = (as: Who, more: string) =>
    stage.send(as, `GET /rest/v1/table/probe?sysparm_query=ORDERBYsys_id&sysparm_limit=2&${more}`)

  test.each(['0', '1', 'all'])(
    'cuts texts and JSON, with sysparm_display_value=%s, and names their fields',
    async (display) => {
      const fields = 'title,c_text,c_json,c_html,c_integer,c_choice,c_datetime'
      const cut = await list('worker', `sysparm_max_text=5&sysparm_fields=${fields}&sysparm_display_value=${display}`)
      const whole = await list('worker', `sysparm_fields=${fields}&sysparm_display_value=${display}`)
      const [first, second] = (cut.body as { data: Record<string, unknown>[] }).data
      const [wholeFirst, wholeSecond] = (whole.body as { data: Record<string, unknown>[] }).data
      const both = (text: string) => (display === 'all' ? { value: text, display_value: text } : text)
      expect(first).toEqual({ ...wholeFirst, c_text: both('Ёлка '), c_json: both('{"a":'), c_html: first?.['c_html'] })
      expect(second).toEqual({ ...wholeSecond, title: both('secon'), c_text: both('print') })
      expect(cut.headers['x-text-cut']).toBe('c_html, c_json, c_text, title')
      expect(whole.headers['x-text-cut']).toBeUndefined()
    },
  )

  test('what is short enough is the same, and nothing is named', async () => {
    const cut = await list('worker', 'sysparm_max_text=1000')
    expect(cut.body).toEqual((await list('worker', '')).body)
    expect(cut.headers['x-text-cut']).toBeUndefined()
  })

  test('says nothing of the length of a text that the caller may not see', async () => {
    await stage.run(rule({ operation: 'read', table: 'probe', roles: ['user'] }))
    await stage.run(
      rule({ operation: 'read', table: 'probe', column: 'c_text', roles: ['user'], condition: 'title=second' }),
    )
    await stage.run(rule({ operation: 'read', table: 'probe', column: 'c_json', roles: ['itil'] }))
    const seen = await stage.send(
      'reader',
      'GET /rest/v1/table/probe?sysparm_query=ORDERBYsys_id&sysparm_limit=1&sysparm_max_text=6&sysparm_fields=title,c_text,c_json',
    )
    expect([seen.status, seen.headers['x-text-cut'], seen.body]).toEqual([
      200,
      undefined,
      { status: 'OK', data: [{ title: 'first' }] },
    ])
  })

  test.each(['0', '-1', 'x', '1.5'])('%s is rejected', async (value) => {
    expect((await list('worker', `sysparm_max_text=${value}`)).status).toBe(400)
  })
})

describe('sysparm_wysiwyg (issue 13, 1)', () => {
  test('json: texts are read and written as the document of the editor, for this request alone', async () => {
    const read = async (more: string) =>
      (
        (await stage.send('worker', `GET /rest/v1/table/probe/2001?sysparm_fields=c_wysiwyg,c_html${more}`)).body as {
          data: { c_wysiwyg: unknown; c_html: unknown }[]
        }
      ).data[0]
    expect(await read('')).toEqual({ c_wysiwyg: '<p>Hi</p>', c_html: '<b>x</b>' })
    const document = await read('&sysparm_wysiwyg=json')
    expect(document?.c_wysiwyg).toMatchObject({ type: 'doc' })
    expect(document?.c_html).toBe('<b>x</b>')
    const list = await stage.send(
      'worker',
      'GET /rest/v1/table/probe?sysparm_query=sys_id=2001&sysparm_fields=c_wysiwyg&sysparm_wysiwyg=json',
    )
    expect((list.body as { data: unknown[] }).data).toEqual([{ c_wysiwyg: document?.c_wysiwyg }])
    const written = await stage.send(
      'worker',
      'PATCH /rest/v1/table/probe/2002?sysparm_wysiwyg=json&sysparm_fields=c_wysiwyg',
      {
        body: { c_wysiwyg: document?.c_wysiwyg },
      },
    )
    expect(written.body).toEqual({ status: 'OK', data: [{ c_wysiwyg: document?.c_wysiwyg }] })
    const stored = await stage.send('worker', 'GET /rest/v1/table/probe/2002?sysparm_fields=c_wysiwyg')
    expect((stored.body as { data: { c_wysiwyg: string }[] }).data[0]?.c_wysiwyg).toContain('Hi')
  })

  test('another mode is 400', async () => {
    const response = await stage.send('worker', 'GET /rest/v1/table/probe?sysparm_wysiwyg=html')
    expect(response.status).toBe(400)
    expect(JSON.stringify(response.body)).toContain('json, elements, or left out')
  })
})
