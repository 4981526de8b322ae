import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from './fixture.ts'
import { errorBody, ok } from './scenarios.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([], { environment: { DOCKET_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') } })
})
afterAll(() => stage.close())

const storedPassword = sql`select password as stored from docket."user" where user_name = 'newcomer'`
const storedSecret = sql`select c_encrypted as stored from docket.probe where sys_id = 2001`
const password = 'correct horse battery'

describe('columns of the types password and encrypted', () => {
  test('a password that is written works for login, and is in no response', async () => {
    const made = await stage.send('admin', 'POST /rest/v1/table/user', {
      body: { user_name: 'newcomer', display_name: 'New Comer', password },
    })
    expect(made.status).toBe(200)
    expect(made.text).not.toContain('password')
    expect(made.text).not.toContain(password)
    const login = await stage.docket.request('POST', '/v1/auth/login', { body: { username: 'newcomer', password } })
    expect(login.status).toBe(200)
  })

  test('it is stored as an argon2id hash', async () => {
    const rows = await stage.run(storedPassword)
    expect(rows).toEqual([{ stored: expect.stringMatching(/^\$argon2id\$/) }])
  })

  test('a new one ends the old one', async () => {
    const [{ sys_id: id } = { sys_id: '' }] = (
      (await stage.send('admin', 'GET /rest/v1/table/user?sysparm_query=user_name=newcomer&sysparm_fields=sys_id'))
        .body as { data: { sys_id: string }[] }
    ).data
    const changed = await stage.send('admin', `PATCH /rest/v1/table/user/${id}?sysparm_fields=user_name`, {
      body: { password: 'another good password' },
    })
    expect(changed.body).toEqual(ok({ user_name: 'newcomer' }))
    const logins = await Promise.all(
      [password, 'another good password'].map((each) =>
        stage.docket.request('POST', '/v1/auth/login', { body: { username: 'newcomer', password: each } }),
      ),
    )
    expect(logins.map(({ status }) => status)).toEqual([401, 200])
  })

  test.each(['0', '1', 'all'])('they have no key in any response (display %s)', async (display) => {
    for (const who of ['worker', 'admin'] as const) {
      const response = await stage.send(who, `GET /rest/v1/table/probe/2001?sysparm_display_value=${display}`)
      expect(Object.keys((response.body as { data: object[] }).data[0] ?? {})).not.toContain('c_password')
      expect(response.text).not.toMatch(/c_password|c_encrypted|"hash"/)
    }
  })

  test('not when they are asked for', async () => {
    const response = await stage.send(
      'admin',
      'GET /rest/v1/table/probe/2001?sysparm_fields=c_password,c_encrypted,title',
    )
    expect(response.body).toEqual(ok({ title: 'first' }))
  })

  test('not through a reference', async () => {
    const response = await stage.send('admin', 'GET /rest/v1/table/task/1001?sysparm_fields=number,caller.password')
    expect(response.body).toEqual(ok({ number: 'INC0000001' }))
  })

  test('what is written to an encrypted column is sealed in the database', async () => {
    const written = await stage.send('worker', 'PATCH /rest/v1/table/probe/2001?sysparm_fields=title', {
      body: { c_encrypted: 'top secret text' },
    })
    expect(written.body).toEqual(ok({ title: 'first' }))
    const [row] = (await stage.run(storedSecret)) as readonly { readonly stored: string }[]
    expect(row?.stored.length).toBeGreaterThan(20)
    expect(row?.stored).not.toContain('secret')
  })

  test.each([
    ['a query', 'sysparm_query=c_passwordISNOTEMPTY', 'query'],
    ['a guess at the hash', 'sysparm_query=c_passwordSTARTSWITHh', 'query'],
    ['an order', 'sysparm_query=ORDERBYc_password', 'order'],
  ])('nobody can find out about them by %s', async (_name, query, where) => {
    for (const who of ['worker', 'admin'] as const) {
      const response = await stage.send(who, `GET /rest/v1/table/probe?${query}`)
      expect({ status: response.status, body: response.body }).toEqual({
        status: 403,
        body: errorBody(
          'ACCESS_DENIED',
          `You have no access to read the column c_password of the table probe, which the ${where} names.`,
          {
            field: 'c_password',
            position: 0,
            ...(who === 'admin' && {
              explain: 'BASE/rest/v1/acl/explain?table=probe&operation=read&user=admin&column=c_password',
            }),
          },
        ),
      })
    }
  })
})
