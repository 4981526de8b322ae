import type { Catalog } from '../catalog/catalog.ts'
import { GIVEN_ID } from '../catalog/given-ids.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { authorizeReplay } from './authorize-replay.ts'
import { deleteRecord } from './delete/delete-record.ts'
import { hasDependentRules } from './delete/reference-columns.ts'
import { changeDictionary, changesDictionary } from './dictionary/change-dictionary.ts'
import { idempotencyOfCreate, writeOnce } from './idempotency.ts'
import type { RecordCall } from './record-call.ts'
import type { RecordDeps } from './record-deps.ts'
import type { RecordResult } from './record-result.ts'
import { type CallOutcome, prepareCall, recordOf, runPrepared } from './request-stages.ts'
import { DICTIONARY_KEEPS_CHANGING, onCurrentCatalog } from './retry-on-stale-epoch.ts'
import { onCurrentTables } from './rights/on-current-tables.ts'
import type { PreparedRequest } from './run/prepare-request.ts'
import type { IdentityChanged, NumberTaken } from './run/run-plan.ts'
import { findGivenIds } from './translate/find-given-ids.ts'
import { narrowToClass } from './translate/narrow-to-class.ts'
import { translateProblem } from './translate/translate-problem.ts'
import { type TranslatedRequest, translateRequest } from './translate/translate-request.ts'

/**
 * The record request from end to end. Read this file first: the request is authorized, planned (plans are cached) and sent as
 * one statement, whose row becomes the result.
 *
 * The statement returns the epochs of its own snapshot. If the dictionary or the rules changed since the plan was made, the
 * statement has written nothing, and the request is sent again with a new snapshot of the dictionary.
 */
export async function runRecordRequest(
  deps: RecordDeps,
  call: RecordCall,
): Promise<Result<RecordResult, Problem | IdentityChanged>> {
  let collisions = 0
  let translated: TranslatedRequest = { request: call.request, ignored: NOTHING_IGNORED }
  const result = await onCurrentCatalog(deps, async (catalog): Promise<Sent | null> => {
    const narrowing = narrowToClass(call.request, catalog, (read) => mayRead(deps, { ...call, request: read }))
    const request = narrowing instanceof Promise ? await narrowing : narrowing
    const finding = findGivenIds(request, catalog, deps.database)
    const given = finding instanceof Promise ? await finding : finding
    const read = translateRequest(request, catalog, { given, isAdmin: call.principal.roles.has('admin') })
    if (!read.ok) return ifCurrent(read, catalog, deps)
    translated = read.value
    const isAsSent = translated.request === call.request
    const turn = await sendOn(catalog, deps, isAsSent ? call : { ...call, request: translated.request })
    if (turn === null || turn.ok) return turn
    if (turn.error.kind !== 'number-taken') return fail(turn.error)
    if (collisions > 0) await passStoredNumbers(deps, turn.error)
    collisions += 1
    return null
  })
  if (result === null) return fail(DICTIONARY_KEEPS_CHANGING)
  if (!result.ok) return fail(translateProblem(result.error, translated.request, call.request.sysId))
  const isReplay = result.value.kind === 'record' && result.value.isReplay === true
  const checked = isReplay ? await checkReplay(deps, { ...call, request: translated.request }, result.value) : result
  return checked.ok && call.request.face !== null ? succeed(inWords(checked.value, translated)) : checked
}

const mayRead = async (deps: RecordDeps, call: RecordCall): Promise<boolean> =>
  recordOf(await runRecordRequest(deps, { ...call, mayLag: false, idempotency: null })) !== null

function inWords(result: RecordResult, { request: { names, body }, ignored }: TranslatedRequest): RecordResult {
  if (result.kind !== 'record' || names === null) return { ...result, ignored }
  // Only the response to a create contains the id by itself.
  const given = body.get(GIVEN_ID)
  const sysId = typeof given === 'string' ? given : names.writeSysId(result.sysId, result.table)
  return { ...result, ignored, sysId }
}

const NOTHING_IGNORED = { fields: [], conditions: [] }

function checkReplay(deps: RecordDeps, call: RecordCall, kept: RecordResult): Promise<Sent> {
  if (kept.kind !== 'record') throw new Error('only created records are kept')
  return authorizeReplay(kept, call, (read) => runRecordRequest(deps, read))
}

type Sent = Result<RecordResult, Problem | IdentityChanged>

/** @returns null: the snapshot is outdated */
function sendOn(catalog: Catalog, deps: RecordDeps, call: RecordCall): Promise<CallOutcome> {
  const read = async (one: RecordCall) => recordOf(await runRecordRequest(deps, one))
  const preparing = prepareCall(call, { deps, catalog, read })
  return preparing instanceof Promise
    ? preparing.then((ready) => sendPrepared(ready, { catalog, deps, call }))
    : sendPrepared(preparing, { catalog, deps, call })
}

interface Sending {
  readonly catalog: Catalog
  readonly deps: RecordDeps
  readonly call: RecordCall
}

/** Not async: nothing is left to do after most statements. */
function sendPrepared(ready: Result<PreparedRequest, Problem>, sending: Sending): Promise<CallOutcome> {
  const { catalog, deps, call } = sending
  if (!ready.ok) return ifCurrent(ready, catalog, deps)
  const { authorized } = ready.value
  const store = idempotencyOfCreate(call, deps.clock)
  if (!store.ok) return Promise.resolve(store)
  if (changesDictionary(authorized)) return changeDictionary({ ready: ready.value, deps, call, store: store.value })
  const once = store.value
  if (once !== null)
    return onCurrentTables(() => writeOnce(deps, once, (session) => runPrepared(ready.value, call, { deps, session })))
  return call.request.operation === 'delete'
    ? sendDelete(ready.value, sending)
    : runPrepared(ready.value, call, { deps })
}

async function sendDelete(ready: PreparedRequest, { catalog, deps, call }: Sending): Promise<CallOutcome> {
  if (hasDependentRules(catalog, ready.authorized.table)) return deleteRecord(deps, catalog, call)
  const outcome = await runPrepared(ready, call, { deps })
  // deleteRecord names the referring records that the caller may read.
  const isReferenced = outcome?.ok === false && outcome.error.kind === 'still-referenced'
  return isReferenced ? deleteRecord(deps, catalog, call) : outcome
}

/**
 * The first collision may be with a number that another request stored at the same moment; then the next number is free. After
 * the second one, the counter moves past all numbers in the table. This reads the whole table.
 */
function passStoredNumbers({ database }: RecordDeps, { numbering }: NumberTaken): Promise<unknown> {
  return database.rows(sql`select docket_system.pass_stored_numbers(${numbering}::bigint)`)
}

/** An error is returned only if its snapshot is current: the unknown column may have been added just now. null: it is not. */
async function ifCurrent<T>(rejection: T, catalog: Catalog, deps: RecordDeps): Promise<T | null> {
  return (await deps.catalog.isCurrent(catalog)) ? rejection : null
}
