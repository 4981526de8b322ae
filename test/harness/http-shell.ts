import type { Settings } from '../../src/config/settings.ts'
import { OPEN_ROUTES } from '../../src/endpoints/open-routes.ts'
import { type RecordDeps, recordEndpoints } from '../../src/endpoints/records/record-endpoints.ts'
import { healthEndpoints } from '../../src/endpoints/server/health-endpoints.ts'
import { addEndpoints } from '../../src/http/endpoint/add-endpoints.ts'
import type { HttpParts, Timeouts } from '../../src/http/http-parts.ts'
import { makeHttpServer } from '../../src/http/http-server.ts'
import { statementGate } from '../../src/http/request/statement-gate.ts'
import type { WholeResponse } from '../../src/http/response/send-response.ts'
import type { Authenticated, Authenticator } from '../../src/identity/authenticate.ts'
import type { Problem } from '../../src/kernel/problem.ts'
import { fail, type Result, succeed } from '../../src/kernel/result.ts'
import type { ReceivedRequest } from '../../src/records/parse/parse-record-request.ts'
import type { Sender as RecordSender } from '../../src/records/record-call.ts'
import { underCallersRights } from '../../src/records/record-service.ts'
import type { IdentityChanged } from '../../src/records/run/run-plan.ts'
import type { Observation } from '../../src/telemetry/observation.ts'
import { type Sender, sendTo } from './send-request.ts'
import { stillRunning } from './still-running.ts'

/** A request of the Table API as received by HTTP, with the rights of its caller. */
type RankRequest = ReceivedRequest & RecordSender
type RespondWithRecords = (requested: RankRequest) => Promise<Result<WholeResponse, Problem | IdentityChanged>>

export interface HttpShell extends Sender {
  readonly baseUrl: string
  readonly observations: readonly Observation[]
  /** All requests that reached the records module. */
  readonly requested: readonly RankRequest[]
  /** Checks of credentials, as `remembered` or `from epoch N`. */
  readonly checks: readonly string[]
  end(): Promise<void>
}

export interface HttpShellOptions {
  readonly settings?: Partial<Pick<Settings, 'baseUrl' | 'maxBodyBytes' | 'allowedOrigins' | 'trustedProxies'>>
  readonly timeouts?: Partial<Timeouts>
  /** The key is invalid after this identity epoch. */
  readonly holdsUntilEpoch?: string
  /** By default, the response repeats the request. */
  readonly respondWithRecords?: RespondWithRecords
  readonly isReady?: () => Promise<boolean>
}

/**
 * The HTTP module alone: behind it, record requests are only repeated in the response. For tests of everything between the socket and the
 * record request. Callers use the bearer key `good`.
 */
export async function startHttpShell(options: HttpShellOptions = {}): Promise<HttpShell> {
  const observations: Observation[] = []
  const requested: RankRequest[] = []
  const checks: string[] = []
  const parts: HttpParts = {
    settings: {
      baseUrl: undefined,
      maxBodyBytes: 10_000,
      allowedOrigins: [],
      trustedProxies: [],
      searchMode: 'lexical',
      console: 'on',
      requestsPerSecond: 0,
      ...options.settings,
    },
    observe: (seen) => observations.push(seen),
    authenticator: knowing('good', checks, options.holdsUntilEpoch),
    openRoutes: OPEN_ROUTES,
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
  }
  const app = makeHttpServer(parts)
  const gate = statementGate({ total: 1_000, perUser: 1_000, reserve: 0, maxWaitMs: 1_000 })
  const health = {
    isReady: options.isReady ?? (async () => true),
    readyWarnings: async () => [],
    searchProgress: () => null,
  }
  const records: RecordDeps = {
    respondWithRecords: (received, who) =>
      underCallersRights(who, async (sender) => {
        requested.push({ ...received, ...sender })
        return (options.respondWithRecords ?? repeat)({ ...received, ...sender })
      }),
  }
  addEndpoints(app, parts, { deps: health, gate, uploadFolder: '' }, healthEndpoints)
  addEndpoints(app, parts, { deps: records, gate, uploadFolder: '' }, recordEndpoints)
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  stillRunning.add(baseUrl)
  const sender = sendTo(baseUrl)
  return {
    ...sender,
    baseUrl,
    observations,
    requested,
    checks,
    async end() {
      sender.close()
      await app.close()
      stillRunning.delete(baseUrl)
    },
  }
}

/** Responds with the parts of the request that tests compare. */
const repeat: RespondWithRecords = async ({ operation, table, sysId, parameters, body, baseUrl, ifMatch }) =>
  succeed({
    status: 200,
    headers: {},
    body: JSON.stringify({
      operation,
      table,
      sysId,
      parameters: Object.fromEntries(parameters),
      body: body === undefined ? '(none)' : body,
      baseUrl: baseUrl.replace(/:\d+$/, ':PORT'),
      ifMatch,
    }),
  })

function knowing(key: string, checks: string[], untilEpoch?: string): Authenticator {
  const authenticate: Authenticator['authenticate'] = async (credentials, _address, notOlderThan) => {
    checks.push(notOlderThan === undefined ? 'remembered' : `from epoch ${notOlderThan}`)
    const isOver = untilEpoch !== undefined && Number(notOlderThan ?? 0) > Number(untilEpoch)
    return credentials.kind === 'key' && credentials.key === key && !isOver
      ? succeed({ ...caller, identityEpoch: notOlderThan ?? caller.identityEpoch })
      : fail({ kind: 'unauthenticated', reason: 'wrong' })
  }
  return {
    authenticate,
    authenticateNow: async (credentials, address) => authenticate(credentials, address),
    forget() {},
  }
}

const caller: Authenticated = {
  identityEpoch: '1',
  means: { kind: 'password' },
  principal: {
    userId: '155931135900000001',
    userName: 'admin',
    displayName: 'Administrator',
    roles: new Set(['admin']),
    roleKey: 'admin',
    groupIds: [],
    language: 'en',
    timeZone: 'UTC',
  },
}
