import type { Catalog } from '../catalog/catalog.ts'
import type { Session } from '../database/database.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Result } from '../kernel/result.ts'
import type { Answer, Asked } from './asked.ts'
import { authorizeRequest } from './authorize/authorize-request.ts'
import { keepStoredDocuments, type ReadRecord } from './keep-stored-documents.ts'
import { limitOf } from './page-limit.ts'
import { parseRecordRequest } from './parse/parse-record-request.ts'
import type { RecordRequest } from './parse/record-request.ts'
import type { RecordRoom } from './record-room.ts'
import { renderAnswer } from './render/render-answer.ts'
import { type PreparedRequest, prepareRequest } from './run/prepare-request.ts'
import { type IdentityChanged, type NumberTaken, runPlan } from './run/run-plan.ts'

/** What the stages of a record request stand on. */
interface Ground {
  readonly room: RecordRoom
  readonly catalog: Catalog
  /** Reads the record that is written; without it, documents of the editor are taken as they are sent. */
  readonly read?: ReadRecord
}

/** The stages in front of the statement. There is no other chain of them. */
export async function prepareAsked(asked: Asked, ground: Ground): Promise<Result<PreparedRequest, Problem>> {
  const request = parseRecordRequest(asked)
  return request.ok ? prepareParsed(request.value, asked, ground) : request
}

/** The same behind parsing: what is rejected from here on stands on the dictionary. */
export async function prepareParsed(
  request: RecordRequest,
  asked: Asked,
  { room, catalog, read = async () => null }: Ground,
): Promise<Result<PreparedRequest, Problem>> {
  const { principal } = asked
  const permitted = authorizeRequest(request, { catalog, access: room.accessFor(catalog, principal), principal })
  if (!permitted.ok) return permitted
  return prepareRequest(await keepStoredDocuments(permitted.value, asked, read), { asked, room })
}

/** The stage behind the statement. */
export function renderRow(
  row: readonly unknown[],
  { permitted, found }: PreparedRequest,
  asked: Asked,
): Result<Answer, Problem> {
  return renderAnswer(row, { plan: found.prepared.plan, permitted, asked, limit: limitOf(permitted) })
}

/**
 * A whole request, as part of a transaction.
 *
 * @returns null when the dictionary changed, as of runPlan
 */
export async function answerInSession(
  asked: Asked,
  within: Pick<Ground, 'room' | 'catalog'> & { readonly session: Session },
): Promise<Result<Answer, Problem | IdentityChanged | NumberTaken> | null> {
  const read: ReadRecord = async (one) => recordOf(await answerInSession(one, within))
  const ready = await prepareAsked(asked, { ...within, read })
  if (!ready.ok) return ready
  const { found, bound } = ready.value
  const row = await runPlan(found.prepared, bound, { room: within.room, session: within.session, asked })
  if (!row.ok) return row
  return row.value === null ? null : renderRow(row.value, ready.value, asked)
}

/** The record that a read gives; null: none. */
export function recordOf(answer: Result<Answer, unknown> | null): Readonly<Record<string, unknown>> | null {
  if (answer === null || !answer.ok) return null
  return (JSON.parse(answer.value.body) as { data: Readonly<Record<string, unknown>>[] }).data[0] ?? null
}
