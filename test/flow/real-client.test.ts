import axios, { type AxiosError, type AxiosInstance, type InternalAxiosRequestConfig, isAxiosError } from 'axios'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOW, nowMs, PASSWORD, type Stage, setStage } from '../contract/records/fixture.ts'

// The requests of an integration as people write it for this API: axios with its defaults, a token that is fetched when needed and again
// after a 401, queries put into the URL by hand. Nothing in it is specific to Docket.

let clockMs = nowMs
let stage: Stage
let client: Client
beforeAll(async () => {
  stage = await setStage([], { clock: { nowMs: () => clockMs } })
  client = connect(stage.docket.baseUrl, 'worker', PASSWORD)
})
afterAll(() => stage.close())

interface Client {
  readonly api: AxiosInstance
  /** The number of logins. */
  logins(): number
}

function connect(baseURL: string, username: string, password: string): Client {
  const api = axios.create({ baseURL, headers: { 'Content-Type': 'application/json' } })
  let token: string | null = null
  let logins = 0

  const logIn = async (): Promise<string> => {
    const response = await axios.post(`${baseURL}/v1/auth/login`, { username, password })
    logins += 1
    return response.data.data.auth_key
  }

  api.interceptors.request.use(async (config) => {
    token ??= await logIn()
    config.headers.set('Authorization', `Bearer ${token}`)
    return config
  })
  api.interceptors.response.use(undefined, async (error: AxiosError) => {
    const config = error.config as (InternalAxiosRequestConfig & { isRepeated?: boolean }) | undefined
    const isLogin = config?.url?.endsWith('/auth/login')
    if (error.response?.status !== 401 || config === undefined || isLogin || config.isRepeated) throw error
    config.isRepeated = true
    token = null
    return api.request(config)
  })
  return { api, logins: () => logins }
}

const numbersOf = (data: { data: readonly { number: string }[] }): readonly string[] =>
  data.data.map((record) => record.number)

describe('an integration over axios', () => {
  test('logs in by itself and reads a list by a query in the URL, its carets raw', async () => {
    const { data, headers } = await client.api.get(
      '/rest/v1/table/task?sysparm_query=active=true^state=2^ORDERBYDESCopened_at&sysparm_fields=number,subject,assigned_user&sysparm_limit=10',
    )
    expect(data).toEqual({
      status: 'OK',
      data: [
        {
          number: 'INC0000002',
          subject: 'Принтер не печатает',
          assigned_user: { value: '201', link: `${stage.docket.baseUrl}/rest/v1/table/user/201` },
        },
        {
          number: 'INC0000001',
          subject: 'Printer jams',
          assigned_user: { value: '201', link: `${stage.docket.baseUrl}/rest/v1/table/user/201` },
        },
      ],
    })
    expect(headers['x-total-count']).toBe('2')
    expect(client.logins()).toBe(1)
  })

  test('gives parameters as an object, which axios writes with %5E and pluses', async () => {
    const { data } = await client.api.get('/rest/v1/table/task', {
      params: {
        sysparm_query: 'subject=Old ticket^ORsubject=Mail is slow^ORDERBYnumber',
        sysparm_fields: 'number',
        sysparm_exclude_reference_link: 1,
        sysparm_display_value: 0,
      },
    })
    expect(numbersOf(data)).toEqual(['INC0000004', 'INC0000005'])
  })

  test('lists values of IN with @', async () => {
    const { data } = await client.api.get(
      '/rest/v1/table/task?sysparm_query=stateIN0@1@10^ORDERBYnumber&sysparm_fields=number',
    )
    expect(numbersOf(data)).toEqual([
      'CHG0000007',
      'INC0000003',
      'INC0000004',
      'INC0000005',
      'PRB0000008',
      'TSK0000006',
    ])
  })

  test('groups conditions in brackets', async () => {
    const { data } = await client.api.get(
      '/rest/v1/table/task?sysparm_query=(state=2^priority=1)^OR(state=1^priority=2)^ORDERBYnumber&sysparm_fields=number',
    )
    expect(numbersOf(data)).toEqual(['INC0000001', 'INC0000003'])
  })

  test('searches in Cyrillic, raw in the URL', async () => {
    const { data } = await client.api.get(
      '/rest/v1/table/task?sysparm_query=subjectLIKEпринтер^ORcompany.name=ромашка&sysparm_fields=number,company.name',
    )
    expect(data).toEqual({ status: 'OK', data: [{ number: 'INC0000002', 'company.name': 'Ромашка' }] })
  })

  test('takes data[0] of one record, and null of what is empty', async () => {
    const { data } = await client.api.get('/rest/v1/table/task/1003?sysparm_fields=number,assigned_user,description')
    expect(data.data[0]).toEqual({ number: 'INC0000003', assigned_user: null, description: null })
  })

  let created: string
  test('creates a record', async () => {
    const { status, data, headers } = await client.api.post(
      '/rest/v1/table/itsm_incident?sysparm_fields=sys_id,number,subject,state,caller,sys_created_at&sysparm_exclude_reference_link=1',
      { subject: 'VPN: нет соединения', description: 'С утра', caller: '202', priority: '2' },
    )
    created = data.data[0].sys_id
    expect(status).toBe(200)
    expect(data).toEqual({
      status: 'OK',
      data: [
        {
          sys_id: expect.stringMatching(/^\d{18}$/),
          number: 'INC0001001',
          subject: 'VPN: нет соединения',
          state: '0',
          caller: '202',
          sys_created_at: NOW,
        },
      ],
    })
    expect(headers['location']).toBe(`${stage.docket.baseUrl}/rest/v1/table/itsm_incident/${created}`)
  })

  test('changes one column by PATCH', async () => {
    const { data } = await client.api.patch(
      `/rest/v1/table/itsm_incident/${created}?sysparm_fields=state,assigned_user&sysparm_exclude_reference_link=1`,
      { state: '1', assigned_user: '201' },
    )
    expect(data).toEqual({ status: 'OK', data: [{ state: '1', assigned_user: '201' }] })
  })

  test('logs in again when its key has expired in between, and the caller of the call notices nothing', async () => {
    clockMs += 3 * 60 * 60 * 1000
    const { data } = await client.api.get(`/rest/v1/table/task/${created}?sysparm_fields=number`)
    expect(numbersOf(data)).toEqual(['INC0001001'])
    expect(client.logins()).toBe(2)
  })

  test('writes four columns by PUT, and the others stay', async () => {
    const { data } = await client.api.put(
      `/rest/v1/table/itsm_incident/${created}?sysparm_fields=subject,description,priority,state,work_notes,assigned_user&sysparm_exclude_reference_link=1`,
      { subject: 'VPN works again', priority: '3', state: '2', work_notes: 'Gateway restarted' },
    )
    expect(data).toEqual({
      status: 'OK',
      data: [
        {
          subject: 'VPN works again',
          description: 'С утра',
          priority: '3',
          state: '2',
          work_notes: null,
          assigned_user: '201',
        },
      ],
    })
  })

  test('reads the message of an error where it always read it', async () => {
    const failure = await client.api.put(`/rest/v1/table/itsm_incident/${created}`, { sate: '2' }).then(
      () => null,
      (error: unknown) => error,
    )
    const response = isAxiosError(failure) ? failure.response : undefined
    expect({ status: response?.status, data: response?.data }).toEqual({
      status: 422,
      data: {
        status: 'ERROR',
        error_type: 'SERVER',
        message: 'The value of sate is rejected: there is no column sate in itsm_incident; did you mean state?',
        errors: [
          {
            message: 'The value of sate is rejected: there is no column sate in itsm_incident; did you mean state?',
            code: 'INVALID_VALUE',
            field: 'sate',
          },
        ],
        request_id: expect.any(String),
      },
    })
  })

  test('deletes the record, and it is gone', async () => {
    const { data } = await client.api.delete(`/rest/v1/table/itsm_incident/${created}`)
    expect(data).toEqual({ status: 'OK', data: { description: 'Records successfully deleted.', count: 1 } })
    const gone = await client.api.get(`/rest/v1/table/task/${created}`, { validateStatus: () => true })
    expect(gone.status).toBe(404)
  })

  test('with a wrong password it is told so once, and does not try for ever', async () => {
    const stranger = connect(stage.docket.baseUrl, 'worker', 'not the password')
    const failure = await stranger.api.get('/rest/v1/table/task').then(
      () => null,
      (error: unknown) => error,
    )
    expect(isAxiosError(failure) ? failure.response?.data.message : failure).toBe('The credentials are wrong.')
    expect(stranger.logins()).toBe(0)
  })
})
