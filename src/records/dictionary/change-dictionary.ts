import { setTimeout as pause } from 'node:timers/promises'
import { alterTables } from '../../catalog/change/alter-tables.ts'
import { countLosses } from '../../catalog/change/count-losses.ts'
import { columnsOfTable, type Definition, readDefinition } from '../../catalog/change/definition.ts'
import { isBuiltAtOnce } from '../../catalog/change/make-index.ts'
import { planColumnChange } from '../../catalog/change/plan-column-change.ts'
import { planIndexChange } from '../../catalog/change/plan-index-change.ts'
import { planTableChange } from '../../catalog/change/plan-table-change.ts'
import { NO_CHANGE, type StorageChange, type TableLock } from '../../catalog/change/storage-change.ts'
import { readCatalog } from '../../catalog/load-catalog.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { LOCKS } from '../../database/advisory-locks.ts'
import { commitOrRollback, type Rollback } from '../../database/commit-or-rollback.ts'
import type { Session } from '../../database/database.ts'
import { type DatabaseFailure, databaseFailureOf } from '../../database/database-failure.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import { isRead } from '../parse/record-request.ts'
import type { IdempotencyStore, RecordCall } from '../record-call.ts'
import type { RecordDeps } from '../record-deps.ts'
import type { RecordResult } from '../record-result.ts'
import { type CallOutcome, resultOf } from '../request-stages.ts'
import type { PreparedRequest } from '../run/prepare-request.ts'
import { runPlan } from '../run/run-plan.ts'
import { brokenCondition } from './broken-conditions.ts'
import { checkDictionaryRow, checkGivenNames, isChecked } from './check-dictionary-row.ts'

/** Whether the request writes rows that define storage in PostgreSQL, or that affect the records of others. */
export function changesDictionary({ request, table }: AuthorizedRequest): boolean {
  return !isRead(request.operation) && isOfDictionary(table.name)
}

/** Writes of the table are changes of the dictionary. */
export const isOfDictionary = (table: string): boolean => systemTable(table).definesStorage === true || isChecked(table)

export interface DictionaryChange {
  readonly ready: PreparedRequest
  readonly deps: RecordDeps
  readonly call: RecordCall
  /** For a create with an Idempotency-Key. */
  readonly store: IdempotencyStore<RecordResult> | null
}

/**
 * Writes a row of the dictionary with the same statement as any other record, and changes PostgreSQL's tables in the same transaction.
 * One change at a time in all processes.
 *
 * Tables are locked before the row is written, because other writes lock in the same order (a write of a user locks the table of
 * users, then the epoch). Which tables these are is known only from the written row. So the first turn writes the row, determines the
 * locks and rolls back; the second turn writes it again under the locks. The first turn also counts, without blocking anybody, what
 * would be lost.
 *
 * @returns null if the dictionary changed in another process, like runPlan
 */
export async function changeDictionary(change: DictionaryChange): Promise<CallOutcome> {
  const names = checkGivenNames(change.ready.authorized)
  if (!names.ok) return names
  const outcome = await change.deps.dictionaryMutex(() => changeAlone(change))
  // undefined: the mutex did not run the work. null is a result of the work: the dictionary changed in another process.
  if (outcome !== undefined) return outcome
  return fail({ kind: 'unavailable', detail: 'too many changes of the dictionary wait', retryAfterSeconds: 5 })
}

async function changeAlone(change: DictionaryChange): Promise<CallOutcome> {
  let locks: readonly TableLock[] = []
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const turn = await takeTurn(change, locks)
    if (turn.kind === 'done') return turn.outcome
    if (turn.kind === 'lock') locks = turn.locks
    else await pause(attempt * PAUSE_MS)
  }
  return fail({
    kind: 'unavailable',
    detail: 'the table is in use by statements that take long; nothing was changed, send the request again',
    retryAfterSeconds: 5,
  })
}

/**
 * While a change waits for the lock of a table, all later statements on the table wait behind it. So it gives up soon and tries again. Ten
 * attempts of a second are longer than any statement of Docket, except an aggregate request on a large table.
 */
const LOCK_TIMEOUT_MS = 1_000
const MAX_ATTEMPTS = 10
const PAUSE_MS = 50

type Turn =
  | { readonly kind: 'done'; readonly outcome: CallOutcome }
  | { readonly kind: 'lock'; readonly locks: readonly TableLock[] }
  | { readonly kind: 'busy' }

async function takeTurn(change: DictionaryChange, locks: readonly TableLock[]): Promise<Turn> {
  try {
    return await commitOrRollback<Turn>(change.deps.database, async (session, rollback) => {
      await session.rows(sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`)
      await session.rows(sql`select pg_advisory_xact_lock(${LOCKS.dictionary})`)
      for (const lock of locks) await lockTable(session, lock)
      return { kind: 'done', outcome: await writeAndFollow(session, change, { held: locks, rollback }) }
    })
  } catch (error) {
    const failure = databaseFailureOf(error)
    if (failure === null) throw error
    if (BUSY.has(failure.code)) return { kind: 'busy' }
    const problem = explainStorageFailure(failure)
    if (problem === null) throw error
    return { kind: 'done', outcome: fail(problem) }
  }
}

/** lock_not_available, deadlock_detected. */
const BUSY: ReadonlySet<string> = new Set(['55P03', '40P01'])

function lockTable(session: Session, { place, mode }: TableLock): Promise<unknown> {
  const how = mode === 'alone' ? sql`access exclusive` : sql`share row exclusive`
  return session.rows(sql`lock table ${sql.id(place.schema, place.table)} in ${how} mode`)
}

interface Around {
  readonly held: readonly TableLock[]
  readonly rollback: Rollback<Turn>
}

async function writeAndFollow(
  session: Session,
  change: DictionaryChange,
  { held, rollback }: Around,
): Promise<CallOutcome> {
  const { ready, deps, call, store } = change
  const { authorized, found, bound } = ready
  const end = (outcome: CallOutcome): never => rollback({ kind: 'done', outcome })
  const earlier = (await store?.claim(session)) ?? null
  if (earlier !== null) return end(earlier)
  const { name } = authorized.table
  const before = await readDefinition(session, name, call.request.sysId)
  const columns = before?.kind === 'table' ? await columnsOfTable(session, before.id) : []
  const around = { catalog: authorized.catalog, columns }
  const written = await runPlan(found.prepared, bound, { deps, call, session })
  if (!written.ok) return end(inWordsOfTheDictionary(written, before, around))
  if (written.value === null) return end(null)
  const result = resultOf(written.value, ready)
  if (!result.ok) return end(result)
  const id = result.value.kind === 'record' ? result.value.sysId : call.request.sysId
  const after = await readDefinition(session, name, id)
  const planned = planFor(before, after, around)
  if (!planned.ok) return end(planned)
  const checked = await checkDictionaryRow(session, id, authorized)
  if (!checked.ok) return end(checked)
  // Only in the first turn, without locks: the second turn has the same epoch, so nothing else has changed in between.
  const broken =
    held.length === 0 && mayBreak(before, after)
      ? await brokenCondition(session, authorized.catalog, await readCatalog(session))
      : null
  if (broken !== null) return end(fail(broken))
  const missing = await missingFor(session, planned.value, { confirmed: authorized.request.confirmed, held })
  if (missing !== null) return rollback(missing)
  await alterTables(session, planned.value.steps, call.principal.userId)
  await store?.keep(session, result.value)
  return result
}

/** Whether a name that conditions may use is removed or changes its meaning. */
function mayBreak(before: Definition | null, after: Definition | null): boolean {
  if (before === null || before.kind === 'index') return false
  if (after === null || before.kind === 'table' || after.kind !== 'column') return after === null
  const becomes = before.type !== after.type || before.reference?.tableId !== after.reference?.tableId
  return becomes || (before.active && !after.active)
}

/** If a row cannot be deleted, the error names what the row defines instead of a foreign key of PostgreSQL. */
function inWordsOfTheDictionary(
  rejection: NonNullable<CallOutcome>,
  before: Definition | null,
  around: Surroundings,
): CallOutcome {
  if (rejection.ok || rejection.error.kind !== 'still-referenced') return rejection
  const planned = planFor(before, null, around)
  return planned.ok ? rejection : planned
}

type Surroundings = Parameters<typeof planTableChange>[2]

function planFor(
  before: Definition | null,
  after: Definition | null,
  around: Surroundings,
): Result<StorageChange, Problem> {
  const one = before ?? after
  switch (one?.kind) {
    case 'table':
      return planTableChange(asKind(before, 'table'), asKind(after, 'table'), around)
    case 'column':
      return planColumnChange(asKind(before, 'column'), asKind(after, 'column'), around.catalog)
    case 'index':
      return planIndexChange(asKind(before, 'index'), asKind(after, 'index'), around.catalog)
    default:
      return succeed(NO_CHANGE)
  }
}

function asKind<K extends Definition['kind']>(
  definition: Definition | null,
  kind: K,
): Extract<Definition, { readonly kind: K }> | null {
  return definition?.kind === kind ? (definition as Extract<Definition, { readonly kind: K }>) : null
}

interface Terms {
  /** Names of losses that the caller agrees to. */
  readonly confirmed: ReadonlySet<string>
  readonly held: readonly TableLock[]
}

/** The losses that the caller must confirm, or the locks that are missing, before the steps can run; null: nothing is missing. */
async function missingFor(session: Session, change: StorageChange, { confirmed, held }: Terms): Promise<Turn | null> {
  const losses = await countLosses(
    session,
    change.losses.filter((loss) => !confirmed.has(loss.name)),
  )
  if (losses.length > 0) return { kind: 'done', outcome: fail({ kind: 'would-lose', losses }) }
  const locks = strongest(await neededLocks(session, change.locks))
  const isHeld = (lock: TableLock): boolean =>
    held.some((other) => isSamePlace(lock, other) && lock.mode === other.mode)
  return locks.every(isHeld) ? null : { kind: 'lock', locks }
}

/** An index that a job builds later needs no lock now; a long write would delay the change for nothing. */
async function neededLocks(session: Session, locks: readonly TableLock[]): Promise<readonly TableLock[]> {
  const needed: TableLock[] = []
  for (const lock of locks)
    if (lock.isForIndex === undefined || (await isBuiltAtOnce(session, lock.place))) needed.push(lock)
  return needed
}

/** Each table once, with the stronger of its locks. The order is the same for all changes, so that they cannot deadlock. */
function strongest(locks: readonly TableLock[]): readonly TableLock[] {
  const byName = new Map<string, TableLock>()
  for (const lock of locks) if (byName.get(nameOf(lock))?.mode !== 'alone') byName.set(nameOf(lock), lock)
  return [...byName.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, lock]) => lock)
}

const nameOf = ({ place }: TableLock): string => `${place.schema}.${place.table}`
const isSamePlace = (one: TableLock, other: TableLock): boolean => nameOf(one) === nameOf(other)

/** Why PostgreSQL could not make a change, if the caller can remove the cause; null: they cannot. */
function explainStorageFailure(failure: DatabaseFailure): Problem | null {
  switch (failure.code) {
    case '23505':
      return { kind: 'conflict', detail: 'The column cannot be unique: it contains duplicates' }
    case '23503':
      return { kind: 'still-referenced', table: '', by: failure.table || 'another table' }
    case '54011':
      return { kind: 'conflict', detail: 'PostgreSQL takes no more columns in this hierarchy of tables' }
    case '54000':
      return { kind: 'conflict', detail: 'Some values of the column are too long for an index' }
    case '57014':
      return {
        kind: 'over-budget',
        detail: 'the table is too large to be changed within the time that one request may take',
      }
    default:
      return null
  }
}
