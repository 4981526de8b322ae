import { declare, type Endpoint, type EndpointResponse } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { describeTable, describeTables, type MetaReader } from '../../records/rights/describe-table.ts'
import { writeServedSysId } from '../../records/translate/find-given-ids.ts'
import { TABLE_PATH } from '../record-path.ts'
import { describeColumns } from './describe-columns.ts'
import { nowErrors } from './now-errors.ts'
import { NOW_ACCESS, type NowDeps, versions } from './table-endpoints.ts'
import { resultResponse } from './table-response.ts'

type About = Pick<Endpoint<NowDeps>, 'id' | 'summary' | 'description' | 'errors' | 'inPath'>
type Read = (deps: NowDeps, request: EndpointRequest) => Promise<Result<object, Problem>>

/** Requests of clients before their first record. */
function startEndpoint(path: string, about: About, read: Read): Endpoint<NowDeps> {
  return declare({
    ...about,
    ...versions(path),
    methods: ['GET'],
    tag: 'ServiceNow',
    access: { ...NOW_ACCESS, rights: 'now' },
    input: {},
    otherNames: 'ignored',
    receives: 'nothing',
    isNegotiated: true,
    output: null,
    errorFormat: nowErrors,
    isUndescribed: true,
    isGated: false,
    handle: async (deps: NowDeps, _input, request) => resultOf(await read(deps, request)),
  })
}

function resultOf(read: Result<object, Problem>): Result<EndpointResponse, Problem> {
  return read.ok ? succeed({ whole: resultResponse(read.value) }) : read
}

async function readerOf({ records }: NowDeps, { principal }: EndpointRequest): Promise<MetaReader> {
  const catalog = await records.catalog.upToDate()
  return {
    catalog,
    access: records.accessFor(catalog, principal),
    userId: principal.userId,
    language: principal.language,
  }
}

async function currentUser(
  { records, face }: NowDeps,
  { principal }: EndpointRequest,
): Promise<Result<object, Problem>> {
  const catalog = await records.catalog.upToDate()
  const served = { names: face.namesIn(catalog), database: records.database, catalog }
  const { userId, userName, displayName } = principal
  return succeed({
    user_sys_id: await writeServedSysId(userId, 'user', served),
    user_name: userName,
    user_display_name: displayName,
    user_initials: initialsOf(displayName),
    user_avatar: '',
  })
}

/** Initials of the first two words. */
const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('')

async function tables(deps: NowDeps, request: EndpointRequest): Promise<Result<object, Problem>> {
  const reader = await readerOf(deps, request)
  const names = deps.face.namesIn(reader.catalog)
  const rows = describeTables(reader).map(({ name, title }) => ({ label: title, value: names.nameOf(name) }))
  return succeed(rows.toSorted((one, other) => (one.value < other.value ? -1 : 1)))
}

async function columns(deps: NowDeps, request: EndpointRequest): Promise<Result<object, Problem>> {
  const reader = await readerOf(deps, request)
  const names = deps.face.namesIn(reader.catalog)
  const name = request.path['table'] ?? ''
  const table = names.tableNamed(name)
  if (table === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
  const description = describeTable(table, reader)
  if (description === null) return fail({ kind: 'table-denied', action: 'read', table: name })
  return succeed({ columns: describeColumns(table, description, { names, language: reader.language }) })
}

export const nowStartEndpoints: readonly Endpoint<NowDeps>[] = [
  startEndpoint(
    '/ui/user/current_user',
    { id: 'now-current-user', summary: 'Read the caller', description: 'Who the credentials are of.', errors: [] },
    currentUser,
  ),
  startEndpoint(
    '/doc/table/schema',
    { id: 'now-tables', summary: 'List tables', description: 'Every table that the caller may read.', errors: [] },
    tables,
  ),
  startEndpoint(
    '/ui/meta/{table}',
    {
      id: 'now-columns',
      summary: 'Describe a table',
      description: 'Its columns as the caller may know them.',
      errors: [400, 403],
      inPath: TABLE_PATH,
    },
    columns,
  ),
]
