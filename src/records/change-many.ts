import type { Catalog } from '../catalog/catalog.ts'
import type { EncodedQuery } from '../condition/condition-tree.ts'
import { commitOrRollback, type Rollback } from '../database/commit-or-rollback.ts'
import type { Session } from '../database/database.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import type { DependentsOfColumn } from './delete/count-dependents.ts'
import { DeleteOfMany } from './delete/delete-of-many.ts'
import { withFailures } from './delete/delete-record.ts'
import { hasDatabaseActions, hasDependentRules } from './delete/reference-columns.ts'
import { changesDictionary } from './dictionary/change-dictionary.ts'
import { idempotencyStore, type StoredForm } from './idempotency.ts'
import { lockRecords } from './lock-records.ts'
import { bulkLimitOf } from './page-limit.ts'
import { recordRequest } from './parse/record-request.ts'
import type { IdempotencyStore, RecordCall } from './record-call.ts'
import type { RecordDeps } from './record-deps.ts'
import { type CallOutcome, callInSession, prepareCall } from './request-stages.ts'
import { onCurrentCatalog } from './retry-on-stale-epoch.ts'
import type { PreparedRequest } from './run/prepare-request.ts'
import type { IdentityChanged } from './run/run-plan.ts'
import { type OneWrite, writeEach } from './write-each.ts'

/** Records that a caller changes or deletes together. A PATCH or DELETE without a sys_id describes the write of each. */
export interface ManyRecords {
  readonly query: EncodedQuery
  /** Writes are rolled back. */
  readonly isDry: boolean
  /** How many records the caller expects; null: not given. */
  readonly expectedCount: number | null
}

export interface ManyChanged {
  /** Number of records that the query selects. */
  readonly count: number
  /** Dry run only: the errors of the records whose write is rejected. */
  readonly failures: readonly Problem[]
  /** Delete only: dependents that are deleted or emptied with the records. */
  readonly dependents: readonly DependentsOfColumn[]
}

type Rejection = Problem | IdentityChanged
type Turn =
  | { readonly kind: 'done'; readonly outcome: Result<ManyChanged, Rejection> }
  /** Nothing was written: another process changed the records or the dictionary meanwhile. */
  | { readonly kind: 'again' }
  /** The writes themselves increment the identity epoch. It must be locked, so that no other process increments it in between. */
  | { readonly kind: 'hold-epochs' }

/** Attempts: after this many conflicts with other writers the caller should wait. */
const MAX_TURNS = 6

/**
 * Changes or deletes all records that a query finds, or none, in one transaction. Each record is written by the statement of a
 * single write, with its rights, rules, states, journals and history. The records are locked and then queried again, so that each
 * still satisfies the query when it is written.
 */
export async function changeMany(
  deps: RecordDeps,
  call: RecordCall,
  many: ManyRecords,
): Promise<Result<ManyChanged, Rejection>> {
  let holdsEpochs = false
  const outcome = await onCurrentCatalog(
    deps,
    async (catalog) => {
      const turn = await takeTurn({ deps, call, many, catalog, holdsEpochs })
      if (turn.kind === 'done') return turn.outcome
      holdsEpochs ||= turn.kind === 'hold-epochs'
      return null
    },
    { maxTurns: MAX_TURNS },
  )
  const detail = 'other writes of the same records keep coming first; nothing was written, send the request again'
  return outcome ?? fail({ kind: 'unavailable', detail, retryAfterSeconds: 1 })
}

interface Change {
  readonly deps: RecordDeps
  readonly call: RecordCall
  readonly many: ManyRecords
  readonly catalog: Catalog
  readonly holdsEpochs: boolean
}

const done = (outcome: Result<ManyChanged, Rejection>): Turn => ({ kind: 'done', outcome })

async function takeTurn(change: Change): Promise<Turn> {
  const { deps, call, many, catalog } = change
  const checked = await checkWrite(change)
  if (!checked.ok) return (await deps.catalog.isCurrent(catalog)) ? done(checked) : { kind: 'again' }
  const once = many.isDry ? succeed(null) : idempotencyStore(call, storedForm(change), deps.clock)
  if (!once.ok) return done(once)
  const work = (): Promise<Turn> =>
    commitOrRollback<Turn>(deps.database, async (session, rollback) => {
      const earlier = (await once.value?.claim(session)) ?? null
      if (earlier !== null) return rollback(done(earlier))
      const written = await writeFound({ ...change, session, rollback, checked: checked.value })
      return keepUnlessDry(written, { session, rollback, many, once: once.value })
    })
  const end = (failed: Result<never, Problem> | null): Turn => (failed === null ? { kind: 'again' } : done(failed))
  // Most of these statements wait for locks of other writers.
  return withFailures<Turn>(deps, catalog, { end, timeout: LOCKED }, work)
}

const LOCKED: Problem = {
  kind: 'over-budget',
  detail:
    'the records were not written within the time that one request may take, as when another request holds one of them; send it again, or for fewer records',
}

const storedForm = ({ call, many }: Change): StoredForm<ManyChanged> => ({
  parts: ['bulk', call.request.operation, many.query, many.expectedCount],
  write: ({ count, dependents }) => ({ headers: {}, body: JSON.stringify({ count, dependents }) }),
  read({ body }) {
    const { count, dependents = [] } = JSON.parse(body) as Pick<ManyChanged, 'count'> & Partial<ManyChanged>
    return { count, dependents, failures: [] }
  },
})

interface Keeping {
  readonly session: Session
  readonly rollback: Rollback<Turn>
  readonly many: ManyRecords
  readonly once: IdempotencyStore<ManyChanged> | null
}

async function keepUnlessDry(changed: ManyChanged, { session, rollback, many, once }: Keeping): Promise<Turn> {
  if (many.isDry) return rollback(done(succeed(changed)))
  await once?.keep(session, changed)
  return done(succeed(changed))
}

/** Finds errors that do not depend on the selected records: table, columns, values. No record has the sys_id 0. */
async function checkWrite({ deps, call, catalog }: Change): Promise<Result<PreparedRequest, Problem>> {
  const ready = await prepareCall(ofRecord(call, '0'), { deps, catalog })
  if (!ready.ok || !changesDictionary(ready.value.authorized)) return ready
  const { name } = ready.value.authorized.table
  const detail = `Records of ${name} decide about tables or about other records; they are changed one at a time`
  return fail({ kind: 'conflict', detail })
}

const ofRecord = (call: RecordCall, sysId: string): RecordCall => ({ ...call, request: { ...call.request, sysId } })

interface Writing extends Change {
  readonly session: Session
  readonly rollback: Rollback<Turn>
  readonly checked: PreparedRequest
}

async function writeFound(writing: Writing): Promise<ManyChanged> {
  const { call, many, session, rollback, checked } = writing
  if (writing.holdsEpochs) await holdEpochs(writing)
  const found = await find(writing)
  await lockRecords(session, found, checked)
  const ids = await find(writing)
  const locked = new Set(found)
  if (!ids.every((id) => locked.has(id))) return rollback({ kind: 'again' })
  const { expectedCount } = many
  if (expectedCount !== null && expectedCount !== ids.length)
    return rollback(done(fail({ kind: 'count-differs', found: ids.length, expected: expectedCount })))
  const isDelete = call.request.operation === 'delete'
  const { table } = checked.authorized
  const deletes = new DeleteOfMany(writing)
  const hasDependents =
    isDelete &&
    (hasDependentRules(writing.catalog, table) || (await hasDatabaseActions(session, writing.catalog, table)))
  const write: OneWrite = async (sysId, undo) => {
    // Earlier writes of this request may have incremented the identity epoch.
    const identityEpoch = writing.holdsEpochs ? (await readEpochs(session)).identity : call.identityEpoch
    const one = { ...ofRecord(call, sysId), identityEpoch }
    const written = await (isDelete
      ? deleteOne(writing, one, { deletes, hasDependents, undo })
      : callInSession(one, writing))
    if (written === null) return rollback(dictionaryChanged(writing))
    if (written.ok) return null
    const { error } = written
    if (error.kind === 'identity-changed') return rollback({ kind: 'hold-epochs' })
    if (error.kind === 'number-taken' || error.kind === 'unavailable') return rollback({ kind: 'again' })
    return { ...error, record: sysId }
  }
  const failures = await writeEach(session, ids, {
    write,
    isDelete,
    isDry: many.isDry,
    table,
  })
  const [first] = failures
  if (first !== undefined && !many.isDry) return rollback(done(fail(first)))
  return { count: ids.length, failures, dependents: deletes.counts() }
}

/** Deletes by one statement if every reference restricts: then there are no dependents to count. */
async function deleteOne(
  writing: Writing,
  call: RecordCall,
  { deletes, hasDependents, undo }: OneDelete,
): Promise<CallOutcome> {
  if (hasDependents) return deletes.delete(call)
  const plain = await callInSession(call, writing)
  if (plain === null || plain.ok || plain.error.kind !== 'still-referenced') return plain
  // The error of this delete names only dependents that the caller may read.
  await undo()
  return deletes.delete(call)
}

interface OneDelete {
  readonly deletes: DeleteOfMany
  /** A delete may change other records. */
  readonly hasDependents: boolean
  readonly undo: () => Promise<unknown>
}

/** @returns the sys_ids of the records that the query selects and the caller may read */
async function find(writing: Writing): Promise<readonly string[]> {
  const { call, many, catalog, rollback, checked } = writing
  const { name, keyColumn } = checked.authorized.table
  const paging = { limit: bulkLimitOf(catalog), page: 1, offset: null, cursor: null, isInternal: true } as const
  const list = recordRequest({ operation: 'list', table: name, query: many.query, fields: [keyColumn], paging })
  const found = await callInSession({ ...call, request: list }, writing)
  if (found === null) return rollback({ kind: 'again' })
  if (!found.ok) return rollback(found.error.kind === 'number-taken' ? { kind: 'again' } : done(fail(found.error)))
  if (found.value.kind !== 'page') throw new Error('a list is a page')
  const { hasMore, limit, records } = found.value
  if (hasMore) return rollback(done(fail({ kind: 'too-many-records', max: limit })))
  return records.rows().map((record) => {
    const key = record[keyColumn]
    if (key !== undefined && key !== null) return String(key)
    const detail = `The query matches records of ${name} whose ${keyColumn} you may not read; they cannot be changed by a query`
    return rollback(done(fail({ kind: 'conflict', detail })))
  })
}

// ── writes that increment an epoch ──

/** A write of a user increments the identity epoch. This lock prevents all other increments, so the caller's rights stay the same. */
async function holdEpochs({ session, call, catalog, rollback }: Writing): Promise<void> {
  await session.rows(sql`select from docket_system.epoch for update`)
  const epochs = await readEpochs(session)
  if (epochs.catalog !== catalog.epoch) rollback({ kind: 'again' })
  if (epochs.identity !== call.identityEpoch) rollback(done(fail({ kind: 'identity-changed', epoch: epochs.identity })))
}

async function readEpochs(session: Session): Promise<{ readonly catalog: string; readonly identity: string }> {
  const [row] = await session.rows<{ catalog: string; identity: string }>(
    sql`select catalog::text, identity::text from docket_system.epoch`,
  )
  if (row === undefined) throw new Error('docket_system.epoch is empty: the migrations did not run to their end')
  return row
}

/** The dictionary changed between two writes. If the epochs are locked, a write of this request changed it. */
function dictionaryChanged({ holdsEpochs, checked }: Writing): Turn {
  if (!holdsEpochs) return { kind: 'hold-epochs' }
  const detail = `A write of ${checked.authorized.table.name} changes the dictionary; such records are changed one at a time`
  return done(fail({ kind: 'conflict', detail }))
}
