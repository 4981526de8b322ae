import { z } from 'zod'
import { HistoryEnvelope, type HistoryResponse } from '../../contract/history.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { whole } from '../../http/endpoint/read-input.ts'
import type { WholeResponse } from '../../http/response/send-response.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { type EventIds, readEventIds } from '../../records/changes/event-ids.ts'
import { type ChangeOfRecord, type History, readHistory } from '../../records/changes/read-history.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { RECORD_PATH } from '../record-path.ts'

const maxChanges = 1_000

export const historyEndpoint = declare({
  id: 'history',
  path: '/rest/v1/history/{table}/{sys_id}',
  methods: ['GET'],
  tag: 'Changes',
  summary: 'Read the history of a record, newest change first',
  description:
    'For callers who may read sys_history: the changes of columns that they may read. Tables without is_audit have no history.',
  input: {
    // Lower than in the Table API, because a change has many values.
    sysparm_limit: whole(
      z.int().min(1).max(maxChanges).default(20).meta({ description: 'Maximum number of changes to return.' }),
    ),
    sysparm_page: whole(
      z.int().min(1).max(1_000_000).default(1).meta({
        description: 'Page of `sysparm_limit` changes to return, from 1.',
      }),
    ),
    sysparm_cursor: z.string().optional().meta({ description: 'The cursor in X-Next-Cursor of the page before.' }),
  },
  otherNames: 'ignored',
  receives: 'nothing',
  inPath: RECORD_PATH,
  output: HistoryEnvelope,
  outputHeaders: ['X-Total-Count', 'Link', 'X-Next-Cursor', 'X-History-Removed-Before'],
  errors: [403, 404],
  limits: [{ name: 'sysparm_limit of a history', value: maxChanges, unit: 'changes', status: 400 }],
  isGated: false,
  async handle({ records }: { readonly records: RecordDeps }, input, request) {
    const { principal, path, baseUrl } = request
    const ids = await readEventIds(records.database)
    const { sysparm_cursor: cursor, sysparm_page: page } = input
    // As in lists: a caller who counts pages would get the page of the cursor again and again.
    if (page > 1 && cursor !== undefined) return bad('sysparm_page', 'both', 'given without sysparm_cursor')
    const before = cursor === undefined ? null : ids.positionOf(cursor)
    if (cursor !== undefined && before === null) return bad('sysparm_cursor', cursor, FROM_RESPONSE)
    const { table = '', sys_id: sysId = '' } = path
    const place = placeOf(input, before)
    const history = await request.gated(() => readHistory(records, { principal, table, sysId, baseUrl, ...place }))
    if (!history.ok) return history
    const address = (changed: Readonly<Record<string, string>>): string =>
      `${baseUrl}/rest/v1/history/${encodeURIComponent(table)}/${encodeURIComponent(sysId)}?${new URLSearchParams({ sysparm_limit: String(place.limit), ...changed })}`
    return succeed({ whole: pageOf({ history: history.value, ids, baseUrl, address }) })
  },
})

function placeOf(
  { sysparm_limit: limit, sysparm_page: page }: { readonly sysparm_limit: number; readonly sysparm_page: number },
  before: string | null,
): { readonly limit: number; readonly skip: number; readonly before: string | null } {
  return { limit, skip: before === null ? (page - 1) * limit : 0, before }
}

const FROM_RESPONSE = 'the cursor that an earlier response gave in X-Next-Cursor'

const bad = (parameter: string, found: string, expected: string): Result<never, Problem> =>
  fail({ kind: 'bad-parameter', parameter, found, expected })

interface Page {
  readonly history: History
  readonly ids: EventIds
  readonly baseUrl: string
  /** Builds the address of this list with changed parameters. */
  readonly address: (changed: Readonly<Record<string, string>>) => string
}

function pageOf({ history, ids, baseUrl, address }: Page): WholeResponse {
  const { total, changes, removedBefore } = history
  const next = history.next === null ? null : ids.idOf(history.next)
  const links = [`<${address({})}>; rel="first"`]
  if (next !== null) links.push(`<${address({ sysparm_cursor: next })}>; rel="next"`)
  return {
    status: 200,
    headers: {
      ...(total === null ? {} : { 'x-total-count': String(total) }),
      ...(next === null ? {} : { 'x-next-cursor': next }),
      ...(removedBefore === null ? {} : { 'x-history-removed-before': removedBefore }),
      link: links.join(', '),
    },
    body: JSON.stringify({ status: 'OK', data: changes.map((change) => toResponse(change, { ids, baseUrl })) }),
  }
}

function toResponse(
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
  } satisfies HistoryResponse
}
