import { sql } from 'kysely'
import type { Catalog } from '../catalog/catalog.ts'
import type { EncodedQuery } from '../condition/condition-tree.ts'
import type { Session } from '../database/database.ts'
import { commitOrTakeBack, type TakeBack } from '../database/take-back.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import { answerOnceOf } from './answer-once.ts'
import type { Answer, AnswerOnce, Asked } from './asked.ts'
import type { DependentsOfColumn } from './delete/count-dependents.ts'
import { DeleteOfMany } from './delete/delete-of-many.ts'
import { withFailures } from './delete/delete-record.ts'
import { hasDependentRules } from './delete/reference-columns.ts'
import { changesDictionary } from './dictionary/change-dictionary.ts'
import { NO_PARAMETERS } from './list-records.ts'
import { lockRecords } from './lock-records.ts'
import { bulkLimitOf, limitOf } from './page-limit.ts'
import type { RecordRoom } from './record-room.ts'
import type { PreparedRequest } from './run/prepare-request.ts'
import { type IdentityChanged, type NumberTaken, runPlan } from './run/run-plan.ts'
import { answerInSession, prepareAsked } from './stages.ts'
import { onCurrentCatalog } from './under-current-rights.ts'
import { type OneWrite, writeEach } from './write-each.ts'

/** Which records a caller changes or deletes together; what becomes of each is said by a PATCH or DELETE without a sys_id. */
export interface ManyRecords {
  readonly query: EncodedQuery
  /** Nothing is kept. */
  readonly isDry: boolean
  /** How many records the caller expects; null: not given. */
  readonly expectedCount: number | null
  readonly render: (changed: ManyChanged) => Answer
}

export interface ManyChanged {
  /** Records that the query finds. */
  readonly count: number
  /** Of a dry run: records whose write is rejected. */
  readonly failures: readonly Problem[]
  /** Of a delete: what goes or becomes empty with the records. */
  readonly dependents: readonly DependentsOfColumn[]
}

type Refusal = Problem | IdentityChanged
type Turn =
  | { readonly kind: 'done'; readonly outcome: Result<Answer, Refusal> }
  /** Nothing was written: others changed the records or the dictionary meanwhile. */
  | { readonly kind: 'again' }
  /** The writes themselves raise the identity epoch. It has to be locked, so that nobody else raises it between them. */
  | { readonly kind: 'hold-epochs' }

/** Others that keep coming first are a storm; the caller had better wait. */
const MAX_TURNS = 6

/**
 * Changes or deletes all records that a query finds, or none, in one transaction. Each record is written by the statement of a
 * single write, with its rights, rules, states, journals and history. The records are locked and then found again, so that each
 * still satisfies the query when it is written.
 */
export async function changeMany(room: RecordRoom, asked: Asked, many: ManyRecords): Promise<Result<Answer, Refusal>> {
  let holdsEpochs = false
  const outcome = await onCurrentCatalog(
    room,
    async (catalog) => {
      const turn = await takeTurn({ room, asked, many, catalog, holdsEpochs })
      if (turn.kind === 'done') return turn.outcome
      holdsEpochs ||= turn.kind === 'hold-epochs'
      return null
    },
    { maxTurns: MAX_TURNS },
  )
  const detail = 'other writes of the same records keep coming first; nothing was written, send the request again'
  return outcome ?? refuse({ kind: 'unavailable', detail, retryAfterSeconds: 1 })
}

interface Change {
  readonly room: RecordRoom
  readonly asked: Asked
  readonly many: ManyRecords
  readonly catalog: Catalog
  readonly holdsEpochs: boolean
}

const done = (outcome: Result<Answer, Refusal>): Turn => ({ kind: 'done', outcome })

async function takeTurn(change: Change): Promise<Turn> {
  const { room, asked, many, catalog } = change
  const checked = await checkWrite(change)
  if (!checked.ok) return (await room.catalog.isCurrent(catalog)) ? done(checked) : { kind: 'again' }
  const once = many.isDry ? succeed(null) : answerOnceOf(asked, onceParts(change), room.clock)
  if (!once.ok) return done(once)
  const work = (): Promise<Turn> =>
    commitOrTakeBack<Turn>(room.database, async (session, takeBack) => {
      const earlier = (await once.value?.claim(session)) ?? null
      if (earlier !== null) return takeBack(done(earlier))
      const written = await writeFound({ ...change, session, takeBack, checked: checked.value })
      return keepUnlessDry(written, { session, takeBack, many, once: once.value })
    })
  return withFailures<Turn>(room, catalog, (failed) => (failed === null ? { kind: 'again' } : done(failed)), work)
}

/** What the key of an idempotent request stands for, beside table, values and rights. */
const onceParts = ({ asked, many }: Change): readonly unknown[] => [
  'bulk',
  asked.operation,
  many.query,
  many.expectedCount,
]

interface Keeping {
  readonly session: Session
  readonly takeBack: TakeBack<Turn>
  readonly many: ManyRecords
  readonly once: AnswerOnce | null
}

async function keepUnlessDry(changed: ManyChanged, { session, takeBack, many, once }: Keeping): Promise<Turn> {
  const answer = many.render(changed)
  if (many.isDry) return takeBack(done(succeed(answer)))
  await once?.keep(session, answer)
  return done(succeed(answer))
}

/** What is wrong with the request whatever records it finds: table, columns, values. No record has this sys_id. */
async function checkWrite({ room, asked, catalog }: Change): Promise<Result<PreparedRequest, Problem>> {
  const ready = await prepareAsked({ ...asked, sysId: '0' }, { room, catalog })
  if (!ready.ok || !changesDictionary(ready.value.permitted)) return ready
  const { name } = ready.value.permitted.table
  const detail = `Records of ${name} decide about tables or about other records; they are changed one at a time`
  return refuse({ kind: 'conflict', detail })
}

interface Writing extends Change {
  readonly session: Session
  readonly takeBack: TakeBack<Turn>
  readonly checked: PreparedRequest
}

async function writeFound(writing: Writing): Promise<ManyChanged> {
  const { asked, many, session, takeBack, checked } = writing
  if (writing.holdsEpochs) await holdEpochs(writing)
  const found = await find(writing)
  await lockRecords(session, found, checked)
  const ids = await find(writing)
  const locked = new Set(found)
  if (!ids.every((id) => locked.has(id))) return takeBack({ kind: 'again' })
  const { expectedCount } = many
  if (expectedCount !== null && expectedCount !== ids.length)
    return takeBack(done(refuse({ kind: 'count-differs', found: ids.length, expected: expectedCount })))
  const isDelete = asked.operation === 'delete'
  const deletes = new DeleteOfMany(writing)
  const write: OneWrite = async (sysId, undo) => {
    // The writes before this one may have raised it.
    const identityEpoch = writing.holdsEpochs ? (await readEpochs(session)).identity : asked.identityEpoch
    const one = { ...asked, sysId, identityEpoch }
    const written = await (isDelete ? deleteOne(writing, one, { deletes, undo }) : answerInSession(one, writing))
    if (written === null) return takeBack(dictionaryChanged(writing))
    if (written.ok) return null
    const { error } = written
    if (error.kind === 'identity-changed') return takeBack({ kind: 'hold-epochs' })
    if (error.kind === 'number-taken' || error.kind === 'unavailable') return takeBack({ kind: 'again' })
    return { ...error, record: sysId }
  }
  const failures = await writeEach(session, ids, { write, isDelete, isDry: many.isDry, table: checked.permitted.table })
  const [first] = failures
  if (first !== undefined && !many.isDry) return takeBack(done(refuse(first)))
  return { count: ids.length, failures, dependents: deletes.counts() }
}

/** A single statement where every reference restricts, as a single DELETE is (records/delete/delete-record.ts). */
async function deleteOne(writing: Writing, asked: Asked, { deletes, undo }: OneDelete): Promise<Ran<Answer>> {
  if (hasDependentRules(writing.catalog, writing.checked.permitted.table)) return deletes.delete(asked)
  const plain = await answerInSession(asked, writing)
  if (plain === null || plain.ok || plain.error.kind !== 'still-referenced') return plain
  // What refers to the record is named as far as the caller may read it.
  await undo()
  return deletes.delete(asked)
}

interface OneDelete {
  readonly deletes: DeleteOfMany
  readonly undo: () => Promise<unknown>
}

/** @returns the sys_ids of the records that the caller means and may read */
async function find(writing: Writing): Promise<readonly string[]> {
  const { asked, many, catalog, takeBack, checked } = writing
  const { keyColumn } = checked.permitted.table
  const most = bulkLimitOf(catalog)
  const options = { query: many.query, fields: [keyColumn], limit: most }
  const list: Asked = { ...asked, operation: 'list', parameters: NO_PARAMETERS, options, body: undefined }
  const ready = await prepareAsked(list, writing)
  if (!ready.ok) return takeBack(done(ready))
  const row = await run(writing, list, ready.value)
  if (row === null) return takeBack({ kind: 'again' })
  if (!row.ok) return takeBack(row.error.kind === 'number-taken' ? { kind: 'again' } : done(refuse(row.error)))
  const [records, count] = row.value
  const { rows } = limitOf(ready.value.permitted)
  if (Number(count) > rows) return takeBack(done(refuse({ kind: 'too-many-records', most: rows })))
  const read = JSON.parse(`[${String(records ?? '')}]`) as Readonly<Record<string, unknown>>[]
  return read.map((record) => String(record[keyColumn]))
}

type Ran<T> = Result<T, Refusal | NumberTaken> | null

async function run({ room, session }: Writing, asked: Asked, ready: PreparedRequest): Promise<Ran<readonly unknown[]>> {
  const outcome = await runPlan(ready.found.prepared, ready.bound, { room, asked, session })
  if (!outcome.ok) return outcome
  return outcome.value === null ? null : succeed(outcome.value)
}

// ── epochs that the writes raise themselves ──

/** A write of a user raises the identity epoch. Behind this lock nobody else does, and the rights are those at the start. */
async function holdEpochs({ session, asked, catalog, takeBack }: Writing): Promise<void> {
  await session.rows(sql`select from docket_system.epoch for update`)
  const epochs = await readEpochs(session)
  if (epochs.catalog !== catalog.epoch) takeBack({ kind: 'again' })
  if (epochs.identity !== asked.identityEpoch)
    takeBack(done(refuse({ kind: 'identity-changed', epoch: epochs.identity })))
}

async function readEpochs(session: Session): Promise<{ readonly catalog: string; readonly identity: string }> {
  const [row] = await session.rows<{ catalog: string; identity: string }>(
    sql`select catalog::text, identity::text from docket_system.epoch`,
  )
  if (row === undefined) throw new Error('docket_system.epoch is empty: the migrations did not run to their end')
  return row
}

/** The dictionary changed between two writes: by others, unless the epochs are held. */
function dictionaryChanged({ holdsEpochs, checked }: Writing): Turn {
  if (!holdsEpochs) return { kind: 'hold-epochs' }
  const detail = `A write of ${checked.permitted.table.name} changes the dictionary; such records are changed one at a time`
  return done(refuse({ kind: 'conflict', detail }))
}
