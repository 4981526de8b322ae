import type { EncodedQuery } from '../condition/condition-tree.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { changeMany, type ManyChanged, type ManyRecords } from './change-many.ts'
import { createTogether, type DoneAlready } from './create-together.ts'
import { type DependentsFound, readDependents } from './delete/read-dependents.ts'
import { type Display, type RecordRequest, recordRequest } from './parse/record-request.ts'
import { type IdempotencyStore, recordCall, type Sender } from './record-call.ts'
import type { RecordDeps } from './record-deps.ts'
import type { RecordPage, RecordResult, Row } from './record-result.ts'
import { done, outdated, retryOnStaleEpoch, type Turn } from './retry-on-stale-epoch.ts'
import type { IdentityChanged } from './run/run-plan.ts'
import { runRecordRequest } from './run-record-request.ts'

export interface Rights {
  readonly principal: Principal
  readonly identityEpoch: string
}

/** The caller of a record service. Their rights may change between requests. */
export interface ServiceCaller {
  /** Prefix of URLs in values; without a slash at its end. */
  readonly baseUrl: string
  /** See `Sender`. */
  readonly mayLag?: boolean
  readonly rights: () => Rights
  /** Rights at least as new as an identity epoch. */
  readonly renew: (identityEpoch: string) => Promise<Result<Rights, Problem>>
  /** Runs work that sends statements, as soon as the limits of the user allow it. */
  readonly run: <T, E>(userId: string, work: () => Promise<Result<T, E>>) => Promise<Result<T, E | Problem>>
}

export interface RecordList {
  readonly table: string
  readonly query: EncodedQuery
  /** Field paths. */
  readonly fields: readonly string[]
  readonly display?: Display
  /** Maximum rows of a page. */
  readonly limit: number
  /** `*`: from the beginning. Absent: one page, without a cursor for the next. */
  readonly cursor?: string | null
}

/** A record to write. */
export interface RecordWrite {
  readonly table: string
  /** Values by column, as in a JSON body. */
  readonly values: Row
  /** Fields of the result. */
  readonly fields: readonly string[]
  readonly inputDisplay: boolean
  readonly migrating: boolean
}

export interface NumberedWrite extends RecordWrite {
  /** Identifies the write among the others. */
  readonly number: number
}

/** Attempts. A change of users or roles during a request costs one more; this many in a row mean a constant stream of changes. */
const MAX_TURNS = 5

/**
 * Reads and writes records with the rights of one caller. Each request is a transaction of its own, usually one statement.
 *
 * The rights come from a cache. If a statement reports another identity epoch, the caller may have lost a right: the rights are
 * read again, and the request is sent again. So no result is based on old rights, and to check this needs no extra round trip.
 */
export class RecordService {
  readonly #deps: RecordDeps
  readonly #caller: ServiceCaller

  constructor(deps: RecordDeps, caller: ServiceCaller) {
    this.#deps = deps
    this.#caller = caller
  }

  send(
    request: RecordRequest,
    idempotency: IdempotencyStore<RecordResult> | null = null,
  ): Promise<Result<RecordResult, Problem>> {
    return underCallersRights(this.#caller, (sender) =>
      runRecordRequest(this.#deps, recordCall(sender, request, idempotency)),
    )
  }

  /** A page of records, for the server itself: it has as many as requested, whatever the property `rest.limit.max` says. */
  async list({ limit, cursor = null, fields, ...list }: RecordList): Promise<Result<RecordPage, Problem>> {
    const paging = { limit, page: 1, offset: null, cursor, isInternal: true } as const
    const named = fields.length === 0 ? null : [...new Set(fields)]
    const page = await this.send(recordRequest({ operation: 'list', ...list, fields: named, paging }))
    if (!page.ok) return page
    if (page.value.kind !== 'page') throw new Error('a list is a page')
    return succeed(page.value)
  }

  /** @param idempotency the store of a larger request that may be repeated */
  create(
    write: RecordWrite,
    idempotency: IdempotencyStore<RecordResult> | null = null,
  ): Promise<Result<RecordResult, Problem>> {
    return this.send(createOf(write), idempotency)
  }

  /** @param idempotency as of a create */
  update(
    sysId: string,
    write: RecordWrite,
    idempotency: IdempotencyStore<RecordResult> | null = null,
  ): Promise<Result<RecordResult, Problem>> {
    return this.send({ ...createOf(write), operation: 'put', sysId }, idempotency)
  }

  /** An update whose values may be instructions. */
  patch(
    sysId: string,
    write: RecordWrite,
    idempotency: IdempotencyStore<RecordResult> | null = null,
  ): Promise<Result<RecordResult, Problem>> {
    return this.send({ ...createOf(write), operation: 'patch', sysId }, idempotency)
  }

  /**
   * Creates records together where possible (create-together.ts). Does not report why others were not created.
   *
   * @param known null: each record is new
   * @returns the numbers of the records that exist now
   */
  async createMany(writes: readonly NumberedWrite[], known: DoneAlready | null): Promise<ReadonlySet<number>> {
    const { principal, identityEpoch } = this.#caller.rights()
    const sender = { principal, identityEpoch, baseUrl: this.#caller.baseUrl }
    const calls = writes.map(({ number, ...write }) => ({ number, call: { ...sender, request: createOf(write) } }))
    const created = await this.#caller.run(principal.userId, async () =>
      succeed(await createTogether(this.#deps, calls, known)),
    )
    return created.ok ? created.value : new Set()
  }

  /** Changes or deletes all records that a query finds, or none. @param request PATCH or DELETE without a sys_id */
  changeMany(request: RecordRequest, many: ManyRecords): Promise<Result<ManyChanged, Problem>> {
    return underCallersRights(this.#caller, (sender) => changeMany(this.#deps, { ...sender, request }, many))
  }

  /** The records that a delete of the record would change or delete. */
  dependents(table: string, sysId: string): Promise<Result<DependentsFound, Problem>> {
    return underCallersRights(this.#caller, (sender) => readDependents(this.#deps, { ...sender, table, sysId }))
  }
}

const createOf = ({ values, ...write }: RecordWrite): RecordRequest =>
  recordRequest({ operation: 'create', ...write, body: new Map(Object.entries(values)) })

/** Runs work with the rights of a caller. Repeats it with newer rights if they changed meanwhile. */
export async function underCallersRights<T>(
  { baseUrl, mayLag = false, rights, renew, run }: ServiceCaller,
  work: (sender: Sender) => Promise<Result<T, Problem | IdentityChanged>>,
): Promise<Result<T, Problem>> {
  type Ended = Turn<Rights, Result<T, Problem>>
  const turnOf = (result: Result<T, Problem | IdentityChanged>): Ended | Promise<Ended> => {
    if (result.ok) return done(result)
    if (result.error.kind !== 'identity-changed') return done(fail(result.error))
    return renew(result.error.epoch).then((renewed) => (renewed.ok ? outdated(renewed.value) : done(renewed)))
  }
  const ended = await retryOnStaleEpoch(rights(), { max: MAX_TURNS, turnOf }, ({ principal, identityEpoch }) =>
    run(principal.userId, () => work({ principal, identityEpoch, baseUrl, mayLag })),
  )
  const detail = 'Users and roles are changing faster than the server can process the request; nothing was done'
  return ended ?? fail({ kind: 'unavailable', detail, retryAfterSeconds: 1 })
}
