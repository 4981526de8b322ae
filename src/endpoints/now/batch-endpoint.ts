import { AsyncLocalStorage } from 'node:async_hooks'
import { z } from 'zod'
import { declare, type Endpoint, type EndpointResponse, type Method } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import type { Dispatch, DispatchedResponse } from '../../http/request/dispatch.ts'
import { STATUS_CODES } from '../../kernel/node-http.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { idempotencyKeyOf } from '../records/record-endpoints.ts'
import { NOW_HEADERS, nowError, nowErrors, ROOT } from './now-errors.ts'
import { NOW_ACCESS } from './table-endpoints.ts'

/** Dependencies of a batch. */
export interface BatchDeps {
  readonly dispatch: Dispatch
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number
}

const maxParts = 1_000
const maxBytes = 10 * 1024 * 1024
const maxTargetUnits = 1024 * 1024
/** Base64 characters of all responses, which are in memory together. Parts that have not begun by then are skipped. */
const maxResponseUnits = 64 * 1024 * 1024
/** Parts that have not begun by then are skipped, too. */
const maxMs = 30_000

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const

const Header = z.looseObject({ name: z.string(), value: z.string() })
const Part = z.looseObject({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  url: z.string(),
  headers: z.array(Header).nullish(),
  body: z.string().nullish(),
  exclude_response_headers: z.union([z.boolean(), z.string()]).nullish(),
})
const Batch = z.looseObject({
  batch_request_id: z.union([z.string(), z.number()]).nullish(),
  rest_requests: z.array(Part).nullish(),
})
type Part = z.output<typeof Part>

interface RespondedPart extends DispatchedResponse {
  readonly body: Buffer
}

/** A part may not be a batch. */
const insideBatch = new AsyncLocalStorage<true>()

export const batchEndpoint: Endpoint<BatchDeps> = declare({
  id: 'now-batch',
  path: `${ROOT}/v1/batch`,
  alsoAt: [`${ROOT}/batch`, `${ROOT}/v2/batch`],
  methods: ['POST'],
  tag: 'ServiceNow',
  summary: 'Send several requests in one',
  description: 'The parts run one after the other as the caller, each in a transaction of its own.',
  access: NOW_ACCESS,
  input: {},
  otherNames: 'ignored',
  maxBodyBytes: maxBytes,
  body: Batch,
  output: null,
  isUndescribed: true,
  isNegotiated: true,
  errors: [400],
  errorFormat: nowErrors,
  isGated: false,
  handle: (deps: BatchDeps, { body }, request) => runBatch(deps, body, request),
})

async function runBatch(
  deps: BatchDeps,
  { batch_request_id: id, rest_requests: given }: z.output<typeof Batch>,
  request: EndpointRequest,
): Promise<Result<EndpointResponse, Problem>> {
  const parts = given ?? []
  if (insideBatch.getStore() === true)
    return wrong('sent by itself (a part of a batch cannot be a batch)', 'a part of a batch')
  // Each part is a request of its own: a key of the batch would name many responses, and a repeated batch would write again.
  if (idempotencyKeyOf(request)) return fail(KEY_OF_BATCH)
  if (parts.length > maxParts) return wrong(`a batch of at most ${maxParts} parts`, `${parts.length}`)
  const beganMs = deps.elapsedMs()
  const serviced: object[] = []
  const unserviced: string[] = []
  let units = 0
  for (const part of parts) {
    if (units >= maxResponseUnits || deps.elapsedMs() - beganMs >= maxMs) unserviced.push(String(part.id))
    else {
      const done = await runPart(deps, part, request)
      units += done.body.length
      serviced.push(done)
    }
  }
  const body = {
    batch_request_id: id == null ? '' : String(id),
    serviced_requests: serviced,
    unserviced_requests: unserviced,
  }
  return succeed({ whole: { status: 200, headers: NOW_HEADERS, body: JSON.stringify(body) } })
}

const KEY_OF_BATCH = {
  kind: 'bad-parameter',
  parameter: 'Idempotency-Key',
  expected: 'a header of each part that creates a record',
  found: 'a header of the batch',
} as const

const wrong = (expected: string, found: string): Result<never, Problem> => fail({ kind: 'bad-body', expected, found })

interface ServicedPart extends Readonly<Record<string, unknown>> {
  /** In base64. */
  readonly body: string
}

async function runPart(deps: BatchDeps, part: Part, request: EndpointRequest): Promise<ServicedPart> {
  const beganMs = deps.elapsedMs()
  const response = await respondToPart(deps, part, request)
  const isWithoutHeaders = String(part.exclude_response_headers) === 'true'
  const headers = Object.entries(response.headers).map(([name, value]) => ({ name, value }))
  return {
    id: String(part.id),
    status_code: response.status,
    status_text: STATUS_CODES[response.status] ?? '',
    headers: isWithoutHeaders ? [] : headers,
    body: response.body.toString('base64'),
    execution_time: Math.round(deps.elapsedMs() - beganMs),
    redirect_url: null,
    error_message: null,
  }
}

async function respondToPart({ dispatch }: BatchDeps, part: Part, request: EndpointRequest): Promise<RespondedPart> {
  const method = METHODS.find((each) => each === part.method.toUpperCase()) as Method | undefined
  if (method === undefined)
    return rejected(405, 'Method not allowed', `Expected one of ${METHODS.join(', ')}.`, request)
  const target = targetOf(part.url)
  if (target === null)
    return rejected(
      400,
      'Requested URI does not represent any resource',
      'A part names a path of this server under /api/, with %20 for a space.',
      request,
    )
  const body = bodyOf(part.body ?? '')
  if (body === null) return rejected(400, 'Exception while reading request', 'The body of a part is base64.', request)
  const headers = headersOfPart(part.headers ?? [], request)
  // The peer, not the caller: the headers of a trusted proxy count for a part, too.
  const address = request.stream.socket.remoteAddress ?? ''
  const response = await insideBatch.run(true, () => dispatch({ method, target, headers, body, address, maxBytes }))
  if (response.body !== null) return { ...response, body: response.body }
  return rejected(
    413,
    'Response too large',
    `The response of a part has at most ${maxBytes} bytes; ask for fewer records.`,
    request,
  )
}

/**
 * The path is resolved before it is looked at: `..` leads out of the API. `#` is text, as in a request that is sent alone.
 *
 * @returns null: a path that parts may not use
 */
function targetOf(url: string): string | null {
  const target = url.startsWith('/') ? url : `/${url}`
  if (target.length > maxTargetUnits || !isPrintable(target)) return null
  const { pathname, search } = new URL(`http://docket${target.replaceAll('#', '%23')}`)
  return /^\/+api\//.test(pathname) ? pathname + search : null
}

const isPrintable = (text: string): boolean => !/[\0-\x20]/.test(text)

const BASE64 = /^[A-Za-z0-9+/\r\n]*={0,2}\s*$/
const bodyOf = (text: string): Buffer | null => (BASE64.test(text) ? Buffer.from(text, 'base64') : null)

/** Parts have the caller and the address of the batch. */
const OF_BATCH = [
  'authorization',
  'x-api-key',
  'x-sn-apikey',
  'host',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'forwarded',
]
const NOT_OF_PARTS: ReadonlySet<string> = new Set([
  ...OF_BATCH,
  'cookie',
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'transfer-encoding',
  'upgrade',
])

function headersOfPart(given: readonly z.output<typeof Header>[], request: EndpointRequest): Record<string, string> {
  const own = given
    .map(({ name, value }) => [name.trim().toLowerCase(), value] as const)
    .filter(
      ([name, value]) =>
        /^[a-z0-9-]+$/.test(name) && !NOT_OF_PARTS.has(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
    )
  const ofBatch = OF_BATCH.flatMap((name) => {
    const value = request.headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return Object.fromEntries([...own, ...ofBatch])
}

function rejected(status: number, message: string, detail: string, { id }: EndpointRequest): RespondedPart {
  const { headers, body } = nowError({ status, message, detail }, id)
  return { status, headers, body: Buffer.from(body) }
}
