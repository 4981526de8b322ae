import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from './records/fixture.ts'
import { errorBody } from './records/scenarios.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

describe('operations beside the Table API name the parameters that they ignore (issue 14)', () => {
  test.each([
    ['worker', 'GET /rest/v1/export/task?sysparm_qeury=number=1&sysparm_fields=number', 'sysparm_qeury'],
    ['worker', 'GET /rest/v1/export/task?sysparm_limit=1&sysparm_fields=number', 'sysparm_limit'],
    ['worker', 'GET /v1/auth/session?_=1&next=x&next=y', '_, next'],
    ['worker', 'GET /v1/auth/keys?user_name=admin', 'user_name'],
    ['admin', 'GET /v1/attachments/removed/task/1001?sysparm_limt=1', 'sysparm_limt'],
    ['worker', 'GET /rest/v1/table?name=task', 'name'],
    ['worker', `GET /rest/v1/table?${encodeURIComponent('имя')}=1`, '%D0%B8%D0%BC%D1%8F'],
    ['admin', 'GET /rest/v1/acl/explain?table=task&usr=reader', 'usr'],
    ['admin', 'GET /v1/cache/reset-cache?access-token=x&a=1', 'a'],
    [null, 'GET /health?a=1', 'a'],
    ['worker', 'GET /rest/v1/export/task?sysparm_fields=number&raw=1&format=csv', undefined],
    ['worker', 'GET /v1/auth/session', undefined],
  ] as const)('%s %s: %s', async (as, line, ignored) => {
    const { status, headers } = await stage.send(as, line)
    expect({ status, ignored: headers['x-ignored-parameters'] }).toEqual({ status: 200, ignored })
  })

  test('so they do for members of a body', async () => {
    const body = { sysparm_fields: 'number', sysparm_qeury: 'number=1' }
    const { status, headers } = await stage.send('worker', 'POST /rest/v1/export/task/query', { body })
    expect({ status, ignored: headers['x-ignored-parameters'] }).toEqual({ status: 200, ignored: 'sysparm_qeury' })
  })

  test('a stream of events, too', async () => {
    const { status, headers } = await stage.send('worker', 'GET /rest/v1/events?tabels=task&last_event_id=x')
    expect({ status, ignored: headers['x-ignored-parameters'] }).toEqual({ status: 400, ignored: 'tabels' })
  })
})

test('an empty one is not given', async () => {
  const body = { text: 'this one' }
  const line = 'POST /load_text_to_collection?collection_name=kb&text=&metadata='
  expect((await stage.send('admin', line, { body })).status).toBe(200)
})

describe('a member of the body in the URL is rejected: it would have no effect (issue 14)', () => {
  test.each([
    ['worker', 'POST /v1/auth/password?new=else', { old: 'x', new: 'y' }, 'new'],
    ['admin', 'PUT /collections/kb?chunk_units=500', {}, 'chunk_units'],
    ['admin', 'POST /load_text_to_collection?collection_name=kb&text=else', { text: 'this one' }, 'text'],
  ] as const)('%s %s', async (as, line, body, parameter) => {
    const { status, body: failure } = await stage.send(as, line, { body })
    const message = `The parameter ${parameter} must be a member of the body; found it in the URL.`
    expect({ status, body: failure }).toEqual({
      status: 400,
      body: errorBody('BAD_PARAMETER', message, { field: parameter }),
    })
  })
})
