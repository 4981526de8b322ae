import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NOW, rule, type Stage, setStage, type Who } from '../records/fixture.ts'

/** `worker` (201) approves, `moscow` (204) may write every approval, too, `reader` (202) has no right to approvals. */
let stage: Stage
beforeAll(async () => {
  stage = await setStage(
    (['create', 'read', 'write', 'delete'] as const).map((operation) =>
      rule({ operation, table: 'sys_approval', roles: ['itil'] }),
    ),
  )
})
afterAll(() => stage.close())

const WORKER = '201'
const MOSCOW = '204'
const ADMIN = '155931135900000001'
const TASK = '1007'

async function call(approver = WORKER, more: object = {}): Promise<string> {
  const body = { task: TASK, approver, ...more }
  const made = await stage.send('worker', 'POST /rest/v1/table/sys_approval?sysparm_fields=sys_id', { body })
  expect(made.status).toBe(200)
  return (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
}
const FIELDS = 'sysparm_fields=state,comment,approver,decided_at&sysparm_exclude_reference_link=1'
const patch = (as: Who, id: string, body: object) =>
  stage.send(as, `PATCH /rest/v1/table/sys_approval/${id}?${FIELDS}`, { body })
const patchTask = (as: Who, body: object, task = TASK) =>
  stage.send(as, `PATCH /rest/v1/table/task/${task}?sysparm_fields=approval_state`, { body })
const taskState = async (): Promise<unknown> => {
  const response = await stage.send('admin', `GET /rest/v1/table/task/${TASK}?sysparm_fields=approval_state`)
  return (response.body as { data: { approval_state: string }[] }).data[0]?.approval_state
}
const dataOf = ({ status, body }: { readonly status: number; readonly body: unknown }) => ({
  status,
  data: (body as { data?: unknown }).data,
})
const failure = (status: number, field: string, message: string) => ({
  status,
  body: {
    status: 'ERROR',
    error_type: 'SERVER',
    message,
    errors: [{ message, code: status === 403 ? 'ACCESS_DENIED' : 'INVALID_VALUE', field }],
    request_id: 'ID',
  },
})
const ofResponse = ({ status, body }: { readonly status: number; readonly body: unknown }) => ({ status, body })
const FINAL = (field: string) =>
  failure(
    422,
    field,
    `The value of ${field} is rejected: the decision is final; an administrator may reopen it by setting state to requested.`,
  )

beforeEach(async () => {
  const rows = await stage.send('admin', 'GET /rest/v1/table/sys_approval?sysparm_fields=sys_id&sysparm_limit=0')
  for (const { sys_id } of (rows.body as { data: { sys_id: string }[] }).data) {
    await stage.send('admin', `DELETE /rest/v1/table/sys_approval/${sys_id}`)
  }
  await patchTask('admin', { approval_state: 'not_requested' })
})

describe('approval_state of a task (issue 8, B8)', () => {
  test('approved and rejected cannot be written, by nobody, on no path and not on create', async () => {
    for (const value of ['approved', 'rejected']) {
      const rejected = failure(
        422,
        'approval_state',
        'The value of approval_state is rejected: approved and rejected follow the rows of sys_approval; its approvers decide there.',
      )
      for (const as of ['worker', 'admin'] as const) {
        expect(ofResponse(await patchTask(as, { approval_state: value }))).toEqual(rejected)
        const path = `PUT /rest/v1/table/itsm_change_request/${TASK}`
        expect(ofResponse(await stage.send(as, path, { body: { approval_state: value } }))).toEqual(rejected)
        const made = await stage.send(as, 'POST /rest/v1/table/task', { body: { approval_state: value } })
        expect(ofResponse(made)).toEqual(rejected)
      }
      const rows = JSON.stringify({ task: [{ subject: 'Imported', approval_state: value }] })
      const form = `--b\r\ncontent-disposition: form-data; name="file"; filename="t.json"\r\ncontent-type: application/json\r\n\r\n${rows}\r\n--b--\r\n`
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const imported = await stage.send('admin', 'POST /v1/import/json', { body: form, headers })
      expect(imported.body).toMatchObject({ data: { inserted: 0 } })
    }
    expect(await taskState()).toBe('not_requested')
  })

  test('requested, not_requested and canceled can, and so can the value that is stored', async () => {
    for (const value of ['requested', 'canceled', 'not_requested']) {
      const response = await patchTask('worker', { approval_state: value })
      expect(dataOf(response)).toEqual({ status: 200, data: [{ approval_state: value }] })
    }
    const id = await call()
    await patch('worker', id, { state: 'approved' })
    expect(dataOf(await patchTask('worker', { approval_state: 'approved' }))).toEqual({
      status: 200,
      data: [{ approval_state: 'approved' }],
    })
  })
})

describe('a decision (issue 8, B8)', () => {
  test('is made by the approver of the row and by nobody else', async () => {
    const id = await call()
    const rejected = failure(403, 'state', 'Only the approver of this row approves or rejects.')
    expect(ofResponse(await patch('admin', id, { state: 'approved' }))).toEqual(rejected)
    expect(ofResponse(await patch('moscow', id, { state: 'approved' }))).toEqual(
      failure(403, 'state', 'Запись запрещена: согласовать или отклонить может только согласующий из этой записи.'),
    )
    expect(ofResponse(await patch('admin', id, { state: 'approved', approver: ADMIN }))).toEqual(rejected)
    expect(ofResponse(await patch('moscow', id, { state: 'approved', approver: MOSCOW }))).toMatchObject({
      status: 403,
    })
    expect(ofResponse(await patch('moscow', id, { approver: MOSCOW }))).toEqual(
      failure(403, 'approver', 'Запись запрещена: согласующего меняет он сам, передавая решение, или администратор.'),
    )
    expect(await taskState()).toBe('requested')
    expect(dataOf(await patch('worker', id, { state: 'approved' }))).toEqual({
      status: 200,
      data: [{ state: 'approved', comment: null, approver: WORKER, decided_at: NOW }],
    })
    expect(await taskState()).toBe('approved')
    const body = { task: TASK, approver: WORKER, state: 'approved' }
    expect(ofResponse(await stage.send('worker', 'POST /rest/v1/table/sys_approval', { body }))).toEqual(
      failure(
        422,
        'state',
        'The value of state is rejected: an approval begins without a decision; its approver decides afterwards.',
      ),
    )
  })

  test('can be handed over before it is made', async () => {
    const id = await call()
    expect((await patch('worker', id, { approver: MOSCOW })).status).toBe(200)
    expect((await patch('worker', id, { state: 'approved' })).status).toBe(403)
    expect((await patch('moscow', id, { state: 'approved' })).status).toBe(200)
  })

  test('needs a comment if it rejects', async () => {
    const id = await call()
    const rejected = failure(422, 'comment', 'The value of comment is rejected: a rejection needs a comment.')
    for (const body of [{}, { comment: null }, { comment: ' \n\t' }]) {
      expect(ofResponse(await patch('worker', id, { state: 'rejected', ...body }))).toEqual(rejected)
    }
    expect(await taskState()).toBe('requested')
    expect((await patch('worker', id, { state: 'rejected', comment: 'Too risky' })).status).toBe(200)
    expect(await taskState()).toBe('rejected')
    const written = await call()
    await patch('worker', written, { comment: 'Not before Monday' })
    expect((await patch('worker', written, { state: 'rejected' })).status).toBe(200)
  })

  test('is final: its approver changes no part of it, and nobody deletes it', async () => {
    const id = await call()
    await patch('worker', id, { state: 'rejected', comment: 'No' })
    for (const [field, value] of [
      ['state', 'approved'],
      ['state', 'requested'],
      ['comment', 'Yes'],
      ['approver', MOSCOW],
      ['task', '1006'],
    ] as const) {
      expect(ofResponse(await patch('worker', id, { [field]: value }))).toEqual(FINAL(field))
    }
    expect(ofResponse(await stage.send('worker', `DELETE /rest/v1/table/sys_approval/${id}`))).toEqual(FINAL('state'))
    const same = { state: 'rejected', comment: 'No', approver: WORKER, decided_at: NOW }
    expect(dataOf(await patch('worker', id, same))).toEqual({ status: 200, data: [same] })
    expect(ofResponse(await patch('admin', id, { state: 'approved' }))).toEqual(FINAL('state'))
    expect(await taskState()).toBe('rejected')
  })

  test('is reopened by an administrator, and history says so', async () => {
    const id = await call()
    await patch('worker', id, { state: 'rejected', comment: 'No' })
    expect(dataOf(await patch('admin', id, { state: 'requested' }))).toEqual({
      status: 200,
      data: [{ state: 'requested', comment: 'No', approver: WORKER, decided_at: null }],
    })
    expect(await taskState()).toBe('requested')
    expect((await patch('worker', id, { state: 'approved', comment: 'Yes' })).status).toBe(200)
    const query = `sysparm_query=record_id=${id}^column_name=state^ORDERBYsys_id`
    const fields = 'sysparm_fields=sys_created_by,old_value,new_value&sysparm_exclude_reference_link=1'
    const history = await stage.send('admin', `GET /rest/v1/table/sys_history?${query}&${fields}`)
    expect((history.body as { data: unknown }).data).toEqual([
      { sys_created_by: WORKER, old_value: null, new_value: 'requested' },
      { sys_created_by: WORKER, old_value: 'requested', new_value: 'rejected' },
      { sys_created_by: ADMIN, old_value: 'rejected', new_value: 'requested' },
      { sys_created_by: WORKER, old_value: 'requested', new_value: 'approved' },
    ])
  })

  test('is one of two that come at once', async () => {
    const id = await call()
    const responses = await Promise.all([
      patch('worker', id, { state: 'approved' }),
      patch('worker', id, { state: 'rejected', comment: 'No' }),
    ])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422])
  })
})
