import type { EncodedQuery } from '../condition/condition-tree.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { changeMany, type ManyChanged, type ManyRecords } from './change-many.ts'
import { createTogether, type DoneAlready } from './create-together.ts'
import { type DependentsFound, readDependents } from './delete/read-dependents.ts'
import { type Display, type RecordRequest, recordRequest } from './parse/record-request.ts'
import type { IdempotencyStore, Sender } from './record-call.ts'
import type { RecordDeps } from './record-deps.ts'
import type { RecordPage, RecordResult, Row } from './record-result.ts'
import { done, outdated, retryOnStaleEpoch, type Turn } from './retry-on-stale-epoch.ts'
import type { IdentityChanged } from './run/run-plan.ts'
import { sendRecordRequest } from './send-record-request.ts'

export interface Rights {
  readonly principal: Principal
  readonly identityEpoch: string
}

/** Who sends requests. Their rights may change meanwhile. */
export interface ServiceCaller {
  /** Addresses in values begin with it; no slash at its end. */
  readonly baseUrl: string
  /** See `Sender`. */
  readonly mayLag?: boolean
  readonly rights: () => Rights
  /** Rights at least as new as an identity epoch. */
  readonly renew: (identityEpoch: string) => Promise<Result<Rights, Problem>>
  /** Runs work, which sends statements, when the user may run statements. */
  readonly run: <T, E>(userId: string, work: () => Promise<Result<T, E>>) => Promise<Result<T, E | Problem>>
}

export interface RecordList {
  readonly table: string
  readonly query: EncodedQuery
  /** Field paths. */
  readonly fields: readonly string[]
  readonly display?: Display
  /** Rows of a page. */
  readonly limit: number
  /** `*`: from the beginning. Without it: one page, which has no cursor. */
  readonly cursor?: string | null
}

/** A record to be written. */
export interface RecordWrite {
  readonly table: string
  /** Values by column, as a JSON body has them. */
  readonly values: Row
  /** Fields of the result. */
  readonly fields: readonly string[]
  readonly inputDisplay: boolean
  readonly migrating: boolean
}

export interface NumberedWrite extends RecordWrite {
  /** Tells it from the others. */
  readonly number: number
}

/** Each change of users and roles during a request costs one more turn; so many in a row mean a storm. */
const MAX_TURNS = 5

/**
 * Records with the rights of one caller. Each request is a statement and a transaction of its own.
 *
 * The rights come from memory. When the statement ran under another identity epoch, the caller may have lost a right since: the
 * rights are read again, and the request is sent again. So no result stands on old rights, and no request pays a round trip for it.
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
      sendRecordRequest(this.#deps, { ...sender, request, idempotency }),
    )
  }

  /** A page of records. */
  async list({ limit, cursor = null, fields, ...list }: RecordList): Promise<Result<RecordPage, Problem>> {
    const paging = { limit, page: 1, offset: null, cursor }
    const named = fields.length === 0 ? null : [...new Set(fields)]
    const page = await this.send(recordRequest({ operation: 'list', ...list, fields: named, paging }))
    if (!page.ok) return page
    if (page.value.kind !== 'page') throw new Error('a list is a page')
    return succeed(page.value)
  }

  /** @param idempotency where the create is part of something larger that may be repeated */
  create(
    write: RecordWrite,
    idempotency: IdempotencyStore<RecordResult> | null = null,
  ): Promise<Result<RecordResult, Problem>> {
    return this.send(createOf(write), idempotency)
  }

  update(sysId: string, write: RecordWrite): Promise<Result<RecordResult, Problem>> {
    return this.send({ ...createOf(write), operation: 'put', sysId })
  }

  /**
   * Creates records together where that is possible (create-together.ts), and says nothing about the others.
   *
   * @param known null: each of them is new
   * @returns the numbers of those that exist now
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

  /** What a delete of the record would touch. */
  dependents(table: string, sysId: string): Promise<Result<DependentsFound, Problem>> {
    return underCallersRights(this.#caller, (sender) => readDependents(this.#deps, { ...sender, table, sysId }))
  }
}

const createOf = ({ values, ...write }: RecordWrite): RecordRequest =>
  recordRequest({ operation: 'create', ...write, body: new Map(Object.entries(values)) })

/** Runs work with the rights of a caller: again, with newer ones, when it ran under others. */
export async function underCallersRights<T>(
  { baseUrl, mayLag = false, rights, renew, run }: ServiceCaller,
  work: (sender: Sender) => Promise<Result<T, Problem | IdentityChanged>>,
): Promise<Result<T, Problem>> {
  const ended = await retryOnStaleEpoch(
    rights(),
    MAX_TURNS,
    async ({ principal, identityEpoch }): Promise<Turn<Rights, Result<T, Problem>>> => {
      const result = await run(principal.userId, () => work({ principal, identityEpoch, baseUrl, mayLag }))
      if (result.ok) return done(result)
      if (result.error.kind !== 'identity-changed') return done(fail(result.error))
      const renewed = await renew(result.error.epoch)
      return renewed.ok ? outdated(renewed.value) : done(renewed)
    },
  )
  const detail = 'Users and roles are being changed faster than the request can be answered; nothing was done'
  return ended ?? fail({ kind: 'unavailable', detail, retryAfterSeconds: 1 })
}
