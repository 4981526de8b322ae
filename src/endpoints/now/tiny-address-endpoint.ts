import { z } from 'zod'
import { declare, type Endpoint, type EndpointResponse } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import { readQueryString } from '../../http/request/query-string.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { printParameters } from '../records/print-parameters.ts'
import { nowErrors } from './now-errors.ts'
import { NOW_ACCESS, type NowDeps, versions } from './table-endpoints.ts'
import { resultResponse } from './table-response.ts'
import { keepTinyAddress, withTinyAddress } from './tiny-addresses.ts'

const Address = z.looseObject({
  url: z.string().min(1).meta({ description: 'The address of a list, such as `incident_list.do?sysparm_query=…`.' }),
})

/** Characters. */
const longestUrl = 65_536
/** The address of a list, of a page or of this API. */
const LIST = /(?:^|\/)(?:([a-z0-9_]+)_list\.do|table\/([a-z0-9_]+))\/?$/i

/** Stores the parameters of a list under a short name, for clients whose addresses become too long. */
export const tinyAddressEndpoint: Endpoint<NowDeps> = declare({
  id: 'now-tiny-address',
  ...versions('/tinyurl'),
  methods: ['POST'],
  tag: 'ServiceNow',
  summary: 'Shorten the address of a list',
  description: '`sysparm_tiny` of a list then stands for its parameters, for a day and for this caller.',
  access: NOW_ACCESS,
  input: {},
  otherNames: 'ignored',
  body: Address,
  output: null,
  errors: [400],
  errorFormat: nowErrors,
  isUndescribed: true,
  isNegotiated: true,
  isGated: true,
  handle: (deps: NowDeps, { body }, request) => shorten(deps, body.url, request),
})

async function shorten(
  { records: { database } }: NowDeps,
  url: string,
  { principal }: EndpointRequest,
): Promise<Result<EndpointResponse, Problem>> {
  const [path = '', ...rest] = url.split('?')
  const named = LIST.exec(path)
  const table = named?.[1] ?? named?.[2]
  const query = rest.join('?').replace(/#.*$/s, '')
  if (table === undefined || url.length > longestUrl)
    return fail({
      kind: 'bad-parameter',
      parameter: 'url',
      found: url.length > longestUrl ? `${url.length} characters` : url.slice(0, 200),
      expected: `the address of a list, such as incident_list.do?sysparm_query=…, of at most ${longestUrl} characters`,
    })
  const parameters = readQueryString(query)
  if (!parameters.ok) return parameters
  // An address that was shortened already stands for the same list.
  const expanded = await withTinyAddress(parameters.value, principal.userId, database)
  if (!expanded.ok) return expanded
  const id = await keepTinyAddress(printParameters(expanded.value), principal.userId, database)
  return succeed({ whole: resultResponse(`${table}_list.do?sysparm_tiny=${id}`, { status: 201 }) })
}
