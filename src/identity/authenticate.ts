import { LRUCache } from 'lru-cache'
import type { Database, PreparedStatement } from '../database/database.ts'
import { selectRows, selectStatement } from '../database/select-statement.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { isAccessKey, markOfAccessKey } from './access-key.ts'
import type { CheckLogin, VerifiedUser } from './check-login.ts'
import { keyedMarks } from './keyed-marks.ts'
import { type LoadedPrincipal, loadKeyOwner, loadPrincipal } from './load-principal.ts'
import type { Principal } from './principal.ts'
import type { Credentials } from './read-credentials.ts'

/** A caller with valid credentials, as of an epoch. */
export interface Authenticated {
  readonly principal: Principal
  /**
   * `docket_system.epoch.identity` of the snapshot in which the principal was read. If a statement ran under another epoch, the rights of
   * the caller may have changed: authenticate again with `notOlderThan`, and run it again.
   */
  readonly identityEpoch: string
  readonly means: Means
}

/** How the caller authenticated. */
export type Means =
  | { readonly kind: 'password' }
  | {
      readonly kind: 'session' | 'api_key' | 'cookie'
      readonly keyId: string
      /** The absolute end. */
      readonly expiresAtMs: number
      readonly hasRoleSubset: boolean
      /** See narrowed-key.ts. */
      readonly isNarrowed: boolean
      /** It is an access token of an OAuth client. */
      readonly isOfClient: boolean
      /** For a cookie: when it ends if it is not used again. */
      readonly idleEndMs?: number
    }

export interface Authenticator {
  /**
   * From memory if possible, without a statement. The result may be as old as its `identityEpoch`, so it is for callers whose statement
   * reads the epoch under which it ran.
   *
   * @param address of the connection
   * @param notOlderThan an identity epoch; what was remembered before it is read again
   * @returns no promise where nothing is waited for, which is nearly always
   */
  authenticate(credentials: Credentials, address: string, notOlderThan?: string): Authentication
  /** As things stand now, for routes that run no statement which reads its epoch. One cheap statement when remembered. */
  authenticateNow(credentials: Credentials, address: string): Promise<Result<Authenticated, Problem>>
  /** Forgets every principal. Verified passwords stay valid until their user's generation changes. */
  forget(): void
}

export type Authentication = Result<Authenticated, Problem> | Promise<Result<Authenticated, Problem>>

export interface AuthenticatorOptions {
  readonly database: Database
  readonly clock: Clock
  readonly checkLogin: CheckLogin
}

const rememberedKeys = 10_000
const rememberedPairs = 5_000
const pairLifeMs = 60_000
const recordUseEveryMs = 10 * 60_000
/** The time of last use of a browser session is recorded to the minute; more often for a session that ends soon. */
const recordCookieEveryMs = (idleMs: number): number => Math.min(60_000, idleMs / 10)

/** Credentials → principal. Read `authenticate` at the end first. */
export function authenticator({ database, clock, checkLogin }: AuthenticatorOptions): Authenticator {
  const keys = new LRUCache<string, RememberedKey>({ max: rememberedKeys })
  const pairs = new LRUCache<string, RememberedPair>({ max: rememberedPairs })
  const checksUnderWay = new Map<string, Promise<Result<VerifiedUser, Problem>>>()
  const markOf = keyedMarks()

  function byKey(key: string, notOlderThan: string): Authentication {
    const entry = entryOf(key, notOlderThan)
    return entry instanceof Promise ? entry.then(ofKey) : ofKey(entry)
  }

  function ofKey(entry: RememberedKey | undefined): Result<Authenticated, Problem> {
    // A key from a cookie counts in a cookie only: elsewhere nothing would check which page sends it.
    if (entry === undefined || entry.idleMs !== null) return wrong
    if (entry.isOver || entry.expiresAtMs <= clock.nowMs()) return expired
    recordUse(entry, recordUseEveryMs)
    return succeed(entry.caller)
  }

  async function byCookie({ key, isUse }: CookieClaim, notOlderThan: string): Promise<Result<Authenticated, Problem>> {
    let entry = await entryOf(key, notOlderThan)
    // Another process may have recorded a later use.
    if (entry !== undefined && isIdle(entry)) entry = await readKey(markOfAccessKey(key))
    if (entry === undefined || entry.idleMs === null) return wrong
    if (entry.isOver || entry.expiresAtMs <= clock.nowMs() || isIdle(entry)) return expired
    if (isUse) recordUse(entry, recordCookieEveryMs(entry.idleMs))
    const { caller, useRecordedMs, idleMs } = entry
    return succeed({ ...caller, means: { ...caller.means, idleEndMs: useRecordedMs + idleMs } as Means })
  }

  const isIdle = ({ idleMs, useRecordedMs }: RememberedKey): boolean =>
    idleMs !== null && useRecordedMs + idleMs <= clock.nowMs()

  function entryOf(key: string, notOlderThan: string): RememberedKey | undefined | Promise<RememberedKey | undefined> {
    if (!isAccessKey(key)) return undefined
    const mark = markOfAccessKey(key)
    const remembered = keys.get(mark)
    return isFresh(remembered?.caller, notOlderThan) ? remembered : readKey(mark)
  }

  /** @returns undefined for an unknown key, or the key of a user who is disabled or removed */
  async function readKey(mark: string): Promise<RememberedKey | undefined> {
    const found = await loadKeyOwner(database, Buffer.from(mark, 'base64'))
    if (!found?.owner.isActive) {
      keys.delete(mark)
      return undefined
    }
    const { owner, key } = found
    const { id: keyId, kind, expiresAtMs, hasRoleSubset, isNarrowed, isOfClient } = key
    const entry: RememberedKey = {
      caller: callerOf(owner, { kind, keyId, expiresAtMs, hasRoleSubset, isNarrowed, isOfClient }),
      keyId,
      expiresAtMs,
      isOver: key.isRevoked || key.generation !== owner.generation,
      useRecordedMs: key.lastUsedMs,
      idleMs: key.idleMs,
    }
    if (entry.isOver) keys.delete(mark)
    else keys.set(mark, entry)
    return entry
  }

  /** Not awaited, and lost if the database does not respond: it only helps people to find unused keys. */
  function recordUse(entry: RememberedKey, everyMs: number): void {
    const nowMs = clock.nowMs()
    if (nowMs - entry.useRecordedMs < everyMs) return
    entry.useRecordedMs = nowMs
    database.run(RECORD_USE, [entry.keyId, nowMs]).catch(() => undefined)
  }

  async function byPassword(claim: PasswordClaim, notOlderThan: string): Promise<Result<Authenticated, Problem>> {
    const mark = markOf(JSON.stringify([claim.userName, claim.password]))
    const remembered = pairs.get(mark)
    if (remembered !== undefined && clock.nowMs() < remembered.untilMs) {
      if (isFresh(remembered.caller, notOlderThan)) return succeed(remembered.caller)
      const caller = await readVerified(remembered.user)
      if (caller !== undefined) {
        remembered.caller = caller
        return succeed(caller)
      }
    }
    pairs.delete(mark)
    const verified = await checkTogether(mark, claim)
    if (!verified.ok) return verified
    const caller = await readVerified(verified.value)
    if (caller === undefined) return wrong
    pairs.set(mark, { user: verified.value, untilMs: clock.nowMs() + pairLifeMs, caller })
    return succeed(caller)
  }

  /** If a client opens sixteen connections at once, its password is checked once and counted once. */
  function checkTogether(mark: string, claim: PasswordClaim): Promise<Result<VerifiedUser, Problem>> {
    const underWay = checksUnderWay.get(mark + claim.address)
    if (underWay !== undefined) return underWay
    const check = checkLogin(claim).finally(() => checksUnderWay.delete(mark + claim.address))
    checksUnderWay.set(mark + claim.address, check)
    return check
  }

  /** @returns undefined if the password was changed, or the user renamed, disabled or removed, since the check */
  async function readVerified(user: VerifiedUser): Promise<Authenticated | undefined> {
    const loaded = await loadPrincipal(database, user.userId)
    const holds =
      loaded?.isActive === true && loaded.generation === user.generation && loaded.principal.userName === user.userName
    return holds ? callerOf(loaded, { kind: 'password' }) : undefined
  }

  function authenticate(credentials: Credentials, address: string, notOlderThan = '0'): Authentication {
    if (credentials.kind === 'key') return byKey(credentials.key, notOlderThan)
    if (credentials.kind === 'cookie') return byCookie(credentials, notOlderThan)
    return byPassword({ ...credentials, address }, notOlderThan)
  }

  return {
    authenticate,
    async authenticateNow(credentials, address) {
      const [epoch] = await selectRows(database, IDENTITY_EPOCH, [])
      return authenticate(credentials, address, String(epoch?.identity))
    },
    forget() {
      keys.clear()
      for (const remembered of pairs.values()) remembered.caller = undefined
    },
  }
}

interface RememberedKey {
  readonly caller: Authenticated
  readonly keyId: string
  readonly expiresAtMs: number
  /** Revoked, or of an earlier generation. */
  readonly isOver: boolean
  useRecordedMs: number
  /** For a cookie. */
  readonly idleMs: number | null
}

interface RememberedPair {
  readonly user: VerifiedUser
  readonly untilMs: number
  caller: Authenticated | undefined
}

type CookieClaim = Extract<Credentials, { kind: 'cookie' }>

interface PasswordClaim {
  readonly userName: string
  readonly password: string
  readonly address: string
}

const wrong = fail<Problem>({ kind: 'unauthenticated', reason: 'wrong' })
const expired = fail<Problem>({ kind: 'unauthenticated', reason: 'expired' })

const IDENTITY_EPOCH = selectStatement<{ readonly identity: string }>({
  name: 'identity-epoch',
  columns: { identity: 'identity' },
  from: 'from docket_system.epoch',
})
const RECORD_USE: PreparedStatement = {
  name: 'note-use-of-key',
  text: `update docket_system.access_key set last_used_at = greatest(last_used_at, timestamp 'epoch' + $2::bigint * interval '1 millisecond') where sys_id = $1`,
}

const callerOf = ({ principal, identityEpoch }: LoadedPrincipal, means: Means): Authenticated => ({
  principal,
  identityEpoch,
  means,
})

function isFresh(caller: Authenticated | undefined, notOlderThan: string): caller is Authenticated {
  if (caller === undefined) return false
  return notOlderThan === '0' || BigInt(caller.identityEpoch) >= BigInt(notOlderThan)
}
