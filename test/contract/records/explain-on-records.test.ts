import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rule, type Stage, setStage } from './fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    rule({ operation: 'write', table: 'task', column: 'priority', roles: ['itil'], condition: 'state=2' }),
  ])
})
afterAll(() => stage.close())

interface Explained {
  readonly verdict: string
  readonly class: string
  readonly table_decision: { readonly level: string | null; readonly rules: readonly Record<string, unknown>[] }
  readonly column_decision: null | {
    readonly level: string | null
    readonly rules: readonly Record<string, unknown>[]
  }
}

async function explain(query: string): Promise<Explained> {
  const response = await stage.send('admin', `GET /rest/v1/acl/explain?${query}`)
  expect(response.status).toBe(200)
  return (response.body as { data: Explained }).data
}

describe('explain with a record and a user (docs/spec/records.md, section 7)', () => {
  test.each([
    // The verdict of explain must agree with the response.
    { user: 'reader', operation: 'read', id: '1001', verdict: 'allowed', send: 'GET', status: 200 },
    { user: 'reader', operation: 'read', id: '1003', verdict: 'refused', send: 'GET', status: 404 },
    { user: 'nobody', operation: 'read', id: '1001', verdict: 'refused', send: 'GET', status: 403 },
    { user: 'worker', operation: 'read', id: '1003', verdict: 'allowed', send: 'GET', status: 200 },
    { user: 'reader', operation: 'delete', id: '1001', verdict: 'refused', send: 'DELETE', status: 403 },
  ] as const)(
    '$user may $operation $id: $verdict, and so it happens',
    async ({ user, operation, id, verdict, send, status }) => {
      const explained = await explain(`table=task&operation=${operation}&sys_id=${id}&user=${user}`)
      expect(explained.verdict).toBe(verdict)
      expect(explained.class).toBe('itsm_incident')
      expect((await stage.send(user, `${send} /rest/v1/table/task/${id}`)).status).toBe(status)
    },
  )

  test('the rules of the level that decides are listed, each with what it came to on this record', async () => {
    const explained = await explain('table=task&operation=read&sys_id=1003&user=reader')
    expect(explained.table_decision.level).toBe('task')
    expect(
      explained.table_decision.rules.map(({ roles, condition, verdict, holds }) => ({
        roles,
        condition,
        verdict,
        holds,
      })),
    ).toEqual([
      { roles: ['itil'], condition: '', verdict: 'role-missing', holds: undefined },
      { roles: ['user'], condition: 'callerDYNAMICme', verdict: 'passes-on-condition', holds: false },
    ])
  })

  test.each([
    { id: '1001', verdict: 'allowed', status: 200 },
    { id: '1003', verdict: 'refused', status: 403 },
  ])('a rule of a column on $id: $verdict', async ({ id, verdict, status }) => {
    const explained = await explain(`table=task&operation=write&sys_id=${id}&user=worker&column=priority`)
    expect(explained.verdict).toBe(verdict)
    expect(explained.column_decision?.rules.map(({ condition, holds }) => [condition, holds])).toEqual([
      ['state=2', status === 200],
    ])
    const written = await stage.send('worker', `PATCH /rest/v1/table/task/${id}`, { body: { priority: '4' } })
    expect(written.status).toBe(status)
  })
})
