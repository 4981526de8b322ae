import type { Catalog } from '../../catalog/catalog.ts'
import {
  MAX_BRACKET_LEVELS,
  MAX_CONDITIONS,
  MAX_HOPS,
  MAX_ORDERS,
  MAX_QUERY_UNITS,
} from '../../condition/query-reader.ts'
import { type LimitResponse, LimitsEnvelope } from '../../contract/limits.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { maxHeadBytes, maxTargetBytes } from '../../http/request/limits.ts'
import type { GateLimits } from '../../http/request/statement-gate.ts'
import { maxUnsentBytes } from '../../http/response/unsent-responses.ts'
import { succeed } from '../../kernel/result.ts'
import { bulkLimitOf } from '../../records/page-limit.ts'

export interface LimitsDeps {
  readonly currentCatalog: () => Promise<Catalog>
  /** Limits of operations (all-endpoints.ts). */
  readonly declaredLimits: readonly LimitResponse[]
  readonly gateLimits: GateLimits
  readonly settings: {
    readonly maxBodyBytes: number
    readonly attachmentMaxBytes: number
    readonly requestsPerSecond: number
  }
}

export const limitsEndpoint = declare({
  id: 'limits',
  path: '/limits',
  methods: ['GET'],
  tag: 'Server',
  summary: 'Limits of requests',
  description: 'Every limit with its unit, and the status of a request that exceeds it.',
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  output: LimitsEnvelope,
  errors: [],
  isGated: false,
  handle: async (deps: LimitsDeps) =>
    succeed({ data: publishedLimits(deps, bulkLimitOf(await deps.currentCatalog())) }),
})

type Line = readonly [name: string, value: number, unit: string, status: number]

/** Limits of operations are in their declarations. The others depend on settings or properties, or belong to no operation. */
function publishedLimits(
  { declaredLimits, settings, gateLimits }: LimitsDeps,
  bulkRecords: number,
): readonly LimitResponse[] {
  return [
    ...declaredLimits,
    ...recordLines(settings, bulkRecords).map(lineOf('records')),
    ...requestLines.map(lineOf('all')),
    ...loadLines(settings.requestsPerSecond, gateLimits).map(lineOf('all')),
  ]
}

const lineOf =
  (service: LimitResponse['service']) =>
  ([name, value, unit, status]: Line): LimitResponse => ({ service, name, value, unit, status })

const recordLines = (settings: LimitsDeps['settings'], bulkRecords: number): readonly Line[] => [
  ['body', settings.maxBodyBytes, 'bytes', 413],
  ['attachment', settings.attachmentMaxBytes, 'bytes', 413],
  ['records of a bulk request', bulkRecords, 'records', 422],
]

/** Limits per process. The rate is listed if it is limited. */
const loadLines = (requestsPerSecond: number, gate: GateLimits): readonly Line[] => [
  ['requests of a user that run statements at once', gate.perUser, 'requests', 429],
  ['wait for other requests of the user', gate.maxWaitMs, 'ms', 429],
  ['unsent responses of a user', maxUnsentBytes / 2, 'bytes', 429],
  ['unsent responses of all users', maxUnsentBytes, 'bytes', 429],
  ...(requestsPerSecond === 0 ? [] : [['requests of a user in a second', requestsPerSecond, 'requests', 429] as const]),
]

/** `sysparm_query` and the filters of documents use the same condition language. */
const requestLines: readonly Line[] = [
  ['encoded query', MAX_QUERY_UNITS, 'UTF-16 units', 400],
  ['conditions of an encoded query', MAX_CONDITIONS, 'conditions', 400],
  ['brackets of an encoded query', MAX_BRACKET_LEVELS, 'levels', 400],
  ['orders of an encoded query', MAX_ORDERS, 'orders', 400],
  ['dots of a field', MAX_HOPS, 'dots', 400],
  ['URL', maxTargetBytes, 'bytes', 414],
  ['URL and headers', maxHeadBytes, 'bytes', 431],
]
