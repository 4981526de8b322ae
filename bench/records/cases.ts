import type { RequestToSend } from '../measure/load.ts'
import type { Seeded } from './seed.ts'

/** One kind of request, in the form of each of the two servers. */
export interface Case {
  readonly name: string
  readonly docket: readonly RequestToSend[]
  readonly bare: readonly RequestToSend[]
  /** Minimum throughput as a share of the bare server's. */
  readonly aim: number
  /** Members of a response that differ between two equal requests, because each creates a record or a timestamp. */
  readonly volatile: readonly string[]
}

/** Of reads at least 0.85 of the bare server's throughput, of writes 0.8. */
const readAim = 0.85
const writeAim = 0.8
/** Maximum total CPU of a request, as a multiple of the bare server's. */
export const cpuAim = 1.3

const tablePath = '/rest/v1/table/task'
/** The states of open tasks. */
const states = ['1', '2', '3', '4']

const listPath = (state: string, more = ''): string => {
  const parameters = new URLSearchParams({
    sysparm_query: `active=true^state=${state}^ORDERBYDESCsys_created_at`,
    sysparm_fields: 'number,subject,state,sys_created_at,assigned_user,assignment_group',
    sysparm_display_value: '1',
    sysparm_limit: '20',
  })
  return `${tablePath}?${parameters}${more}`
}

/** Generated for each record. */
const CHANGING_ON_CREATE = [
  'sys_id',
  'number',
  'display_name',
  'opened_at',
  'sys_created_at',
  'sys_updated_at',
] as const

export function recordCases(seeded: Seeded): readonly Case[] {
  const asAdmin = { authorization: `Bearer ${seeded.adminKey}` }
  const asAgent = { authorization: `Bearer ${seeded.agentKey}` }
  const get = (headers: Readonly<Record<string, string>>, path: string): RequestToSend => ({
    method: 'GET',
    path,
    headers,
  })
  const bareGet = (kind: string, value: string): RequestToSend => ({ method: 'GET', path: `/${kind}/${value}` })
  const created = seeded.taskIds.slice(0, 1_000).map((_id, n) => newTask(seeded, n, seeded.groupIds))
  const patched = seeded.taskIds.map((id, n) => ({ id, body: change(n, 'Called back') }))
  const noCount = '&sysparm_no_count=1'
  const ownCreated = seeded.taskIds.slice(0, 1_000).map((_id, n) => newTask(seeded, n, seeded.agentGroupIds))
  const ownPatched = seeded.agentTaskIds.map((id, n) => ({ id, body: change(n, 'Wrote back') }))
  const patching = (headers: Readonly<Record<string, string>>, each: Change): RequestToSend => ({
    method: 'PATCH',
    path: `${tablePath}/${each.id}`,
    headers,
    body: each.body,
  })

  return [
    {
      name: 'point read',
      docket: seeded.taskIds.map((id) => get(asAdmin, `${tablePath}/${id}`)),
      bare: seeded.taskIds.map((id) => bareGet('read', id)),
      aim: readAim,
      volatile: [],
    },
    {
      name: 'list of 20',
      docket: states.map((state) => get(asAdmin, listPath(state, noCount))),
      bare: states.map((state) => bareGet('list', state)),
      aim: readAim,
      volatile: [],
    },
    {
      name: 'list of 20 with count',
      docket: states.map((state) => get(asAdmin, listPath(state))),
      bare: states.map((state) => bareGet('count', state)),
      aim: readAim,
      volatile: [],
    },
    {
      name: 'point read under a rule',
      docket: seeded.agentTaskIds.map((id) => get(asAgent, `${tablePath}/${id}`)),
      bare: seeded.agentTaskIds.map((id) => bareGet('ownRead', id)),
      aim: readAim,
      volatile: [],
    },
    {
      name: 'list of 20 under a rule',
      docket: states.map((state) => get(asAgent, listPath(state, noCount))),
      bare: states.map((state) => bareGet('ownList', state)),
      aim: readAim,
      volatile: [],
    },
    {
      name: 'create',
      docket: created.map((body) => ({ method: 'POST', path: tablePath, headers: asAdmin, body })),
      bare: created.map((body) => ({ method: 'POST', path: '/create', body })),
      aim: writeAim,
      volatile: CHANGING_ON_CREATE,
    },
    {
      name: 'PATCH',
      docket: patched.map((each) => patching(asAdmin, each)),
      bare: patched.map(({ id, body }) => ({ method: 'PATCH', path: `/patch/${id}`, body })),
      aim: writeAim,
      volatile: ['sys_updated_at'],
    },
    {
      name: 'create under a rule',
      docket: ownCreated.map((body) => ({ method: 'POST', path: tablePath, headers: asAgent, body })),
      bare: ownCreated.map((body) => ({ method: 'POST', path: '/ownCreate', body })),
      aim: writeAim,
      volatile: CHANGING_ON_CREATE,
    },
    {
      name: 'PATCH under a rule',
      docket: ownPatched.map((each) => patching(asAgent, each)),
      bare: ownPatched.map(({ id, body }) => ({ method: 'PATCH', path: `/ownPatch/${id}`, body })),
      aim: writeAim,
      volatile: ['sys_updated_at'],
    },
  ]
}

interface Change {
  readonly id: string
  readonly body: string
}

/** @param groupIds the task gets one of them */
function newTask({ userIds }: Seeded, n: number, groupIds: readonly string[]): string {
  const drawn = (ids: readonly string[], times: number): string | undefined => ids[(n * times) % ids.length]
  return JSON.stringify({
    subject: `Не открывается отчёт ${n}`,
    short_description: 'The monthly report shows an empty page since this morning',
    priority: String(1 + (n % 4)),
    assigned_user: drawn(userIds, 7),
    assignment_group: drawn(groupIds, 3),
    caller: drawn(userIds, 11),
  })
}

/**
 * @param done differs between cases: a record that has the values already is not changed by Docket, and the bare server would name another
 *   user who changed it
 */
function change(n: number, done: string): string {
  return JSON.stringify({
    state: String(n % 6),
    short_description: `${done}, asked for the log; attempt ${n % 10}`,
  })
}
