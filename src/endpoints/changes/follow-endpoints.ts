import { FollowBody, FollowEnvelope, type FollowResponse } from '../../contract/follow.ts'
import {
  compareAgain,
  type FollowState,
  type FollowSyncDeps,
  follow,
  followState,
  unfollow,
} from '../../follow/follow-settings.ts'
import { declare, type EndpointResponse } from '../../http/endpoint/declare.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'

interface FollowDeps {
  readonly follow: FollowSyncDeps
}

const shared = {
  path: '/collections/{name}/follow',
  tag: 'Changes',
  input: {},
  inPath: { name: 'Name of the collection.' },
  output: FollowEnvelope,
  errors: [403, 404],
  isGated: true,
} as const

/** NFC, as collections are stored. */
const nameIn = (path: Readonly<Record<string, string>>): string => (path['name'] ?? '').normalize()

const stateEndpoint = declare({
  ...shared,
  id: 'follow.read',
  receives: 'nothing',
  methods: ['GET'],
  summary: 'Read which table a collection follows, and its progress',
  description: 'For administrators. 404 if the collection follows no table.',
  async handle(deps: FollowDeps, _input, { principal, path }) {
    return respond(await followState(deps.follow, principal, nameIn(path)))
  },
})

const beginEndpoint = declare({
  ...shared,
  id: 'follow.begin',
  methods: ['PUT'],
  summary: 'Have a collection follow a table',
  description:
    'For administrators. The collection is bound to the table: callers see the documents of records that they may read. The collection is compared with the whole table once, and again on request.',
  body: FollowBody,
  async handle(deps: FollowDeps, { body }, { principal, path }) {
    const { table, query, template, metadata, exposed_columns: exposed } = body
    const settings = { table, query, template, metadata, exposed }
    return respond(await follow(deps.follow, principal, nameIn(path), settings))
  },
})

const endEndpoint = declare({
  ...shared,
  id: 'follow.end',
  receives: 'nothing',
  methods: ['DELETE'],
  summary: 'End following; the documents stay',
  description: 'For administrators. The documents and the binding to the table stay.',
  async handle(deps: FollowDeps, _input, { principal, path }) {
    return respond(await unfollow(deps.follow, principal, nameIn(path)))
  },
})

const compareEndpoint = declare({
  ...shared,
  id: 'follow.compare',
  receives: 'nothing',
  path: '/collections/{name}/follow/compare',
  methods: ['POST'],
  summary: 'Compare a followed collection with its table and repair what differs',
  description: 'For administrators. The whole table is compared with the documents in the background.',
  async handle(deps: FollowDeps, _input, { principal, path }) {
    return respond(await compareAgain(deps.follow, principal, nameIn(path)))
  },
})

/** Collections that follow a table. For administrators. */
export const followEndpoints = [stateEndpoint, beginEndpoint, endEndpoint, compareEndpoint]

function respond(state: Result<FollowState, Problem>): Result<EndpointResponse, Problem> {
  if (!state.ok) return state
  const { exposed, comparedAt, repaired, ...rest } = state.value
  const data: FollowResponse = {
    ...rest,
    exposed_columns: [...exposed],
    metadata: [...rest.metadata],
    compared_at: comparedAt,
    mended: repaired,
  }
  return succeed({ data })
}
