import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PASSWORD, rule, type Stage, setStage } from './records/fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([rule({ operation: 'create', table: 'company', roles: ['itil'] })])
})
afterAll(() => stage.close())

const call = async (as: Parameters<Stage['send']>[0], line: string, options = {}) => {
  const { status, body } = await stage.send(as, line, options)
  return { status, body }
}

describe('sign-in by form (issue 10, 2)', () => {
  const boundary = 'edge'
  const multipart = (members: Readonly<Record<string, string>>): string =>
    `${Object.entries(members)
      .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join('')}--${boundary}--\r\n`
  const members = { username: 'worker', password: PASSWORD, language: 'en', save: '1' }
  const forms = [
    ['application/x-www-form-urlencoded', new URLSearchParams(members).toString()],
    ['application/x-www-form-urlencoded; charset=UTF-8', `password=${PASSWORD.replaceAll(' ', '%20')}&username=worker`],
    [`multipart/form-data; boundary=${boundary}`, multipart(members)],
  ] as const
  const addresses = ['/v1/auth/login', '/rest/v1/auth/login']

  test.each(addresses.flatMap((address) => forms.map(([type, body]) => ({ address, type, body }))))(
    '$address takes $type and makes no browser session',
    async ({ address, type, body }) => {
      const response = await stage.docket.request('POST', address, { body, headers: { 'content-type': type } })
      expect({ status: response.status, body: response.body, cookie: response.headers['set-cookie'] }).toEqual({
        status: 200,
        body: {
          status: 'OK',
          data: { auth_key: expect.stringMatching(/^[\w-]{64}$/), expires_at: expect.stringMatching(/^\d{4}-/) },
        },
        cookie: undefined,
      })
      const { auth_key: bearer } = (response.body as { data: { auth_key: string } }).data
      expect((await stage.docket.request('GET', '/rest/v1/table/task/1001', { as: { bearer } })).status).toBe(200)
    },
  )

  test.each([
    ['application/x-www-form-urlencoded', 'username=worker&password=wrong', 401],
    ['application/x-www-form-urlencoded', 'username=worker', 422],
    ['application/x-www-form-urlencoded', '', 422],
    ['application/x-www-form-urlencoded', 'username=worker&password=%zz', 400],
    ['application/x-www-form-urlencoded', `username=worker&password=${'x'.repeat(20_000)}`, 413],
    [`multipart/form-data; boundary=${boundary}`, '--edge\r\nbroken', 400],
  ])('%s %s: %i', async (type, body, status) => {
    const response = await stage.docket.request('POST', '/v1/auth/login', { body, headers: { 'content-type': type } })
    expect(response.status).toBe(status)
  })

  test('records still take JSON only', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await call('worker', 'POST /rest/v1/table/task', { body: 'subject=x', headers })).status).toBe(400)
  })
})

describe('who am I (issue 10, 5)', () => {
  test.each(['/v1/auth/session', '/rest/v1/auth/session'])('GET %s', async (address) => {
    expect(await call('moscow', `GET ${address}`)).toEqual({
      status: 200,
      body: {
        status: 'OK',
        data: {
          user: { sys_id: '204', user_name: 'moscow', display_name: 'Миша Московский' },
          roles: expect.arrayContaining(['itil', 'user']),
          groups: [],
          language: 'ru',
          time_zone: 'Europe/Moscow',
          auth_method: 'password',
          expires_at: null,
          ends_at: null,
          landing_page: 'agent',
          may_read_documents: false,
          features: { hybrid: false, converter: false, viewers: false },
          server_version: expect.stringMatching(/^\d+\.\d+/),
          last_event_id: expect.stringMatching(/^[\w-]{22}$/),
        },
      },
    })
    expect((await call(null, `GET ${address}`)).status).toBe(401)
  })
})

describe('tables and caches (issue 10, 5)', () => {
  test('GET /rest/v1/table lists the tables that the caller may read', async () => {
    const names = async (as: 'admin' | 'reader' | 'nobody') => {
      const { body } = await call(as, 'GET /rest/v1/table')
      return (body as { data: { name: string }[] }).data.map(({ name }) => name)
    }
    expect(await names('nobody')).not.toContain('task')
    const seen = await names('reader')
    expect(seen).toEqual(expect.arrayContaining(['task', 'itsm_incident', 'company', 'user']))
    expect(seen).not.toContain('probe')
    for (const name of seen) {
      expect([name, (await call('reader', `GET /rest/v1/table/${name}?sysparm_limit=1`)).status]).toEqual([name, 200])
    }
    expect((await names('admin')).length).toBeGreaterThan(seen.length)
  })

  test('each with its title in the caller’s language, its parent, and what the caller may do', async () => {
    const { body } = await call('moscow', 'GET /rest/v1/table/')
    const { data } = body as { data: { name: string }[] }
    expect(data.filter(({ name }) => name === 'company' || name === 'itsm_task')).toEqual([
      { name: 'company', title: 'Компании', parent: null, may_create: true, may_write: false, may_delete: false },
      { name: 'itsm_task', title: 'Задачи ITSM', parent: 'task', may_create: true, may_write: true, may_delete: true },
    ])
  })

  test.each(['/v1/cache/reset-cache', '/v1/settings/flush-cache'])('%s is OK for administrators', async (address) => {
    for (const method of ['GET', 'POST']) {
      expect(await call('admin', `${method} ${address}`)).toEqual({
        status: 200,
        body: { status: 'OK', data: { result: true, description: 'The dictionary was read again.' } },
      })
      expect((await call('worker', `${method} ${address}`)).status).toBe(403)
      expect((await call(null, `${method} ${address}`)).status).toBe(401)
    }
  })

  test('a client that can send no header gives its key to them in the address, and to nothing else (issue 10)', async () => {
    const login = await stage.docket.request('POST', '/v1/auth/login', {
      body: { username: 'admin', password: PASSWORD },
    })
    const { auth_key: key } = (login.body as { data: { auth_key: string } }).data
    for (const address of ['/v1/settings/flush-cache', '/v1/cache/reset-cache']) {
      expect(await call(null, `GET ${address}?access-token=${key}`)).toEqual({
        status: 200,
        body: { status: 'OK', data: { result: true, description: 'The dictionary was read again.' } },
      })
      expect((await call(null, `GET ${address}?access-token=wrong`)).status).toBe(401)
      expect((await call(null, `GET ${address}?access-token=`)).status).toBe(401)
    }
    expect((await call(null, `GET /rest/v1/table/task?access-token=${key}`)).status).toBe(401)
    expect((await call(null, `GET /v1/auth/session?access-token=${key}`)).status).toBe(401)
  })
})
