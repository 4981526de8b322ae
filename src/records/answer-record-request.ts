import { sql } from 'kysely'
import type { Catalog } from '../catalog/catalog.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse } from '../kernel/result.ts'
import { answerOnceFor, writeOnce } from './answer-once.ts'
import type { Answer, Asked } from './asked.ts'
import { authorizeReplay } from './authorize-replay.ts'
import { deleteRecord } from './delete/delete-record.ts'
import { hasDependentRules } from './delete/reference-columns.ts'
import { changeDictionary, changesDictionary } from './dictionary/change-dictionary.ts'
import { parseRecordRequest } from './parse/parse-record-request.ts'
import type { RecordRoom } from './record-room.ts'
import { type IdentityChanged, type NumberTaken, runPlan } from './run/run-plan.ts'
import { prepareParsed, recordOf, renderRow } from './stages.ts'
import { DICTIONARY_KEEPS_CHANGING, onCurrentCatalog } from './under-current-rights.ts'

/**
 * The record request from end to end. Read this file first: path, query and body become a request; the rules make it a
 * permitted one; the dictionary makes that a plan, which is kept; the plan's statement is run; its row becomes the answer.
 *
 * The statement tells under which epochs it ran. When the dictionary or the rules changed since the snapshot that the plan
 * stands on, nothing was written, and the request is answered again on a new snapshot.
 */
export async function answerRecordRequest(
  room: RecordRoom,
  asked: Asked,
): Promise<Result<Answer, Problem | IdentityChanged>> {
  let collisions = 0
  const answer = await onCurrentCatalog(room, async (catalog): Promise<Answered | null> => {
    const turn = await answerOn(catalog, room, asked)
    if (turn === null || turn.ok) return turn
    if (turn.error.kind !== 'number-taken') return refuse(turn.error)
    if (collisions > 0) await passStoredNumbers(room, turn.error)
    collisions += 1
    return null
  })
  if (answer === null) return refuse(DICTIONARY_KEEPS_CHANGING)
  return answer.ok && answer.value.isReplay ? replay(room, asked, answer.value) : answer
}

type Answered = Result<Answer, Problem | IdentityChanged>

/** @returns null when the snapshot turned out to be old */
async function answerOn(
  catalog: Catalog,
  room: RecordRoom,
  asked: Asked,
): Promise<Result<Answer, Problem | IdentityChanged | NumberTaken> | null> {
  const request = parseRecordRequest(asked)
  if (!request.ok) return request
  const ready = await prepareParsed(request.value, asked, { room, catalog, read: (read) => readRecord(room, read) })
  if (!ready.ok) return ifCurrent(ready, catalog, room)
  const { permitted, bound } = ready.value
  const { prepared } = ready.value.found
  const render = (row: readonly unknown[]): Result<Answer, Problem> => renderRow(row, ready.value, asked)
  const once = answerOnceFor(asked, room.clock)
  if (!once.ok) return once
  const write = { prepared, bound, room, asked, render }
  if (changesDictionary(permitted)) return changeDictionary({ ...write, permitted, once: once.value })
  if (once.value !== null) return writeOnce({ ...write, once: once.value })
  const isDelete = asked.operation === 'delete'
  if (isDelete && hasDependentRules(catalog, permitted.table)) return deleteRecord(room, catalog, asked)
  const row = await runPlan(prepared, bound, { room, asked })
  // What refers to it is named as far as the caller may read it.
  if (isDelete && !row.ok && row.error.kind === 'still-referenced') return deleteRecord(room, catalog, asked)
  if (!row.ok) return row
  return row.value === null ? null : render(row.value)
}

function replay(
  room: RecordRoom,
  asked: Asked,
  { isReplay: _, ...kept }: Answer,
): Promise<Result<Answer, Problem | IdentityChanged>> {
  return authorizeReplay(kept, asked, (read) => answerRecordRequest(room, read))
}

/**
 * The first collision may be with a number that somebody gave at the same moment; the next number is free then. After the second
 * one, the counter passes all numbers that stand in the table, which reads all of it.
 */
function passStoredNumbers({ database }: RecordRoom, { numbering }: NumberTaken): Promise<unknown> {
  return database.rows(sql`select docket_system.pass_stored_numbers(${numbering}::bigint)`)
}

async function readRecord(room: RecordRoom, asked: Asked): Promise<Readonly<Record<string, unknown>> | null> {
  return recordOf(await answerRecordRequest(room, asked))
}

/** A refusal that stands on the dictionary is sent only when that still holds: the column may have been added just now. */
async function ifCurrent<T>(refusal: T, catalog: Catalog, room: RecordRoom): Promise<T | null> {
  return (await room.catalog.isCurrent(catalog)) ? refusal : null
}
