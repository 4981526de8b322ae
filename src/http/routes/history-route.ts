import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HistoryOnTheWire } from '../../contract/history.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { type EventIds, readEventIds } from '../../records/changes/event-ids.ts'
import { type ChangeOfRecord, type History, readHistory } from '../../records/changes/read-history.ts'
import type { RecordRoom } from '../../records/record-room.ts'
import { sendAnswer, sendProblem } from '../answer/send-answer.ts'
import { sendFailure } from '../answer/send-failure.ts'
import type { HttpParts } from '../http-parts.ts'
import { baseUrlOf } from '../request/base-url.ts'
import { callerOf } from '../request/caller.ts'
import { readQueryString } from '../request/query-string.ts'
import { queryOf } from '../request/request-target.ts'
import type { StatementGate } from '../request/statement-gate.ts'

export interface HistoryDeps {
  readonly room: RecordRoom
  readonly gate: StatementGate
}

/** `GET /rest/v1/history/{table}/{sys_id}`: who changed what and when, newest first. */
export function addHistoryRoute(app: FastifyInstance, parts: HttpParts, deps: HistoryDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/rest/v1/history/:table/:sys_id',
    handler: (request, reply) => {
      answer(parts, deps, request).then(
        (result) => (result.ok ? send(reply, result.value) : sendProblem(reply, result.error)),
        (error: unknown) => sendFailure(parts.observe, reply, error),
      )
    },
  })
}

interface Page {
  readonly history: History
  readonly ids: EventIds
  readonly baseUrl: string
  /** The address without its place in the pages. */
  readonly address: (changed: Readonly<Record<string, string>>) => string
}

async function answer(
  parts: HttpParts,
  { room, gate }: HistoryDeps,
  request: FastifyRequest,
): Promise<Result<Page, Problem>> {
  const { principal } = callerOf(request)
  const parameters = readQueryString(queryOf(request.raw.url ?? ''))
  if (!parameters.ok) return parameters
  const ids = await readEventIds(room.database)
  const place = readPlace(parameters.value, ids)
  if (!place.ok) return place
  const { table, sys_id: sysId } = request.params as { readonly table: string; readonly sys_id: string }
  const history = await gate.run(principal.userId, () => readHistory(room, { principal, table, sysId, ...place.value }))
  if (!history.ok) return history
  const baseUrl = baseUrlOf(request, parts.settings)
  const address = (changed: Readonly<Record<string, string>>): string =>
    `${baseUrl}/rest/v1/history/${encodeURIComponent(table)}/${encodeURIComponent(sysId)}?${new URLSearchParams({ sysparm_limit: String(place.value.limit), ...changed })}`
  return succeed({ history: history.value, ids, baseUrl, address })
}

/** A page of the Table API may have more; a change holds many values. */
const mostChanges = 1_000

function readPlace(
  parameters: ReadonlyMap<string, string>,
  ids: EventIds,
): Result<{ readonly limit: number; readonly skip: number; readonly before: string | null }, Problem> {
  const limit = readWhole(parameters, 'sysparm_limit', { least: 1, most: mostChanges, otherwise: 20 })
  if (!limit.ok) return limit
  const page = readWhole(parameters, 'sysparm_page', { least: 1, most: 1_000_000, otherwise: 1 })
  if (!page.ok) return page
  const cursor = parameters.get('sysparm_cursor') || null
  const before = cursor === null ? null : ids.positionOf(cursor)
  if (cursor !== null && before === null) {
    return refuse({
      kind: 'bad-parameter',
      parameter: 'sysparm_cursor',
      found: cursor,
      expected: 'the cursor that an earlier answer gave in X-Next-Cursor',
    })
  }
  return succeed({ limit: limit.value, skip: before === null ? (page.value - 1) * limit.value : 0, before })
}

function readWhole(
  parameters: ReadonlyMap<string, string>,
  parameter: string,
  range: { readonly least: number; readonly most: number; readonly otherwise: number },
): Result<number, Problem> {
  const found = parameters.get(parameter)?.trim() || null
  if (found === null) return succeed(range.otherwise)
  const number = /^\d{1,9}$/.test(found) ? Number(found) : Number.NaN
  if (number >= range.least && number <= range.most) return succeed(number)
  return refuse({
    kind: 'bad-parameter',
    parameter,
    found,
    expected: `a whole number from ${range.least} to ${range.most}`,
  })
}

function send(reply: FastifyReply, { history, ids, baseUrl, address }: Page): void {
  const { total, changes } = history
  const next = history.next === null ? null : ids.idOf(history.next)
  const links = [`<${address({})}>; rel="first"`]
  if (next !== null) links.push(`<${address({ sysparm_cursor: next })}>; rel="next"`)
  sendAnswer(reply, {
    status: 200,
    headers: {
      ...(total === null ? {} : { 'x-total-count': String(total) }),
      ...(next === null ? {} : { 'x-next-cursor': next }),
      link: links.join(', '),
    },
    body: JSON.stringify({ status: 'OK', data: changes.map((change) => onTheWire(change, { ids, baseUrl })) }),
  })
}

function onTheWire(
  { change, operation, table, changedAt, changedBy, migrated, columns }: ChangeOfRecord,
  { ids, baseUrl }: Pick<Page, 'ids' | 'baseUrl'>,
) {
  const by =
    changedBy === null
      ? null
      : {
          value: changedBy.id,
          display_value: changedBy.displayValue,
          link: `${baseUrl}/rest/v1/table/user/${changedBy.id}`,
        }
  return {
    change: ids.idOf(change),
    operation,
    table,
    changed_at: changedAt,
    ...(migrated ? { migrated } : {}),
    changed_by: by,
    changes: columns.map((column) => ({
      column: column.name,
      title: column.title,
      old_value: column.oldValue,
      new_value: column.newValue,
      old_display_value: column.oldDisplay,
      new_display_value: column.newDisplay,
    })),
  } satisfies HistoryOnTheWire
}
