import { LeftEnvelope, ViewersEnvelope, type ViewersResponse } from '../../contract/viewers.ts'
import { declare, type EndpointResponse } from '../../http/endpoint/declare.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import {
  EXPIRE_SECONDS,
  leaveRecord,
  MAX_PAGES,
  REFRESH_SECONDS,
  readViewers,
  type Viewers,
} from '../../records/viewers.ts'
import { RECORD_PATH } from '../record-path.ts'

interface ViewerDeps {
  readonly records: RecordDeps
}

const PATH = '/v1/viewers/{table}/{sys_id}'
const PAGE = { page: 'An id of the page, chosen by the client: 1 to 64 letters, digits, `-` and `_`.' } as const

const shared = {
  tag: 'Viewers',
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  errors: [400, 403, 404],
  isGated: true,
} as const

const listEndpoint = declare({
  ...shared,
  id: 'viewers.list',
  path: PATH,
  methods: ['GET'],
  summary: 'Read who else has a record open',
  description:
    'For whoever may read the record: the users whom they may read, the first 100. Nothing is reported by it.',
  errors: [403, 404],
  inPath: RECORD_PATH,
  output: ViewersEnvelope,
  async handle({ records }: ViewerDeps, _input, { principal, path, baseUrl }) {
    const { table = '', sys_id: sysId = '' } = path
    return respond(await readViewers(records, { principal, table, sysId }, null), baseUrl)
  },
})

const keepEndpoint = declare({
  ...shared,
  id: 'viewers.keep',
  path: `${PATH}/{page}`,
  methods: ['PUT'],
  summary: 'Report that a page displays a record, and read who else has it open',
  description: `A page sends it when it opens the record, and every \`refresh_seconds\`. Nothing is kept in the log of changes. A user has at most ${MAX_PAGES} pages; those that were seen the longest ago make room.`,
  inPath: { ...RECORD_PATH, ...PAGE },
  output: ViewersEnvelope,
  async handle({ records }: ViewerDeps, _input, { principal, path, baseUrl }) {
    const { table = '', sys_id: sysId = '' } = path
    const page = pageOf(path)
    if (!page.ok) return page
    return respond(await readViewers(records, { principal, table, sysId }, page.value), baseUrl)
  },
})

const leaveEndpoint = declare({
  ...shared,
  id: 'viewers.leave',
  path: '/v1/viewers/{page}',
  methods: ['DELETE'],
  summary: 'Report that a page of yours displays no record any more',
  description: 'Without it, the page no longer counts after `expire_seconds`.',
  errors: [400],
  inPath: PAGE,
  output: LeftEnvelope,
  async handle({ records }: ViewerDeps, _input, { principal, path }) {
    const page = pageOf(path)
    if (!page.ok) return page
    await leaveRecord(records, principal.userId, page.value)
    return succeed({ data: { page: page.value } })
  },
})

function pageOf({ page = '' }: Readonly<Record<string, string>>): Result<string, Problem> {
  if (/^[\w-]{1,64}$/.test(page)) return succeed(page)
  const expected = '1 to 64 letters, digits, - and _'
  return fail({ kind: 'bad-parameter', parameter: 'page', found: page.slice(0, 80), expected })
}

function respond(found: Result<Viewers, Problem>, baseUrl: string): Result<EndpointResponse, Problem> {
  if (!found.ok) return found
  const data: ViewersResponse = {
    enabled: found.value.isEnabled,
    viewers: found.value.viewers.map(({ userId, displayName, since }) => ({
      user: { value: userId, display_value: displayName, link: `${baseUrl}/rest/v1/table/user/${userId}` },
      since,
    })),
    refresh_seconds: REFRESH_SECONDS,
    expire_seconds: EXPIRE_SECONDS,
  }
  return succeed({ data })
}

/** Who has a record open: displayed by user interfaces, and not kept. */
export const viewerEndpoints = [listEndpoint, keepEndpoint, leaveEndpoint]

export const viewerTag = {
  name: 'Viewers',
  description: 'Who has a record open now. Off, unless the property `viewers.enabled` is `true`.',
}
