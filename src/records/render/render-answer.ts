import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { Answer, Asked } from '../asked.ts'
import type { PermittedRequest } from '../authorize/permitted-request.ts'
import type { PlanForm, RecordPlan, WriteCheck } from '../plan/record-plan.ts'
import { pageHeaders } from './page-headers.ts'
import { documentKeys, showDocuments } from './show-documents.ts'

export interface ToRender {
  readonly plan: RecordPlan
  readonly permitted: PermittedRequest
  readonly asked: Asked
  /** The page size that was used, and whether it is less than what was asked for. */
  readonly limit: { readonly rows: number; readonly clamped: boolean }
}

/** One row of a statement's result (see `sql/`) becomes the answer or the refusal. */
export function renderAnswer(row: readonly unknown[], shown: ToRender): Result<Answer, Problem> {
  const { form } = shown.plan
  switch (form.kind) {
    case 'list':
      return succeed(renderList(row, shown))
    case 'read':
      return renderRead(row, shown)
    case 'stats':
      return succeed(renderStats(row, shown))
    case 'create':
      return renderCreate(row, form, shown)
    case 'update':
      return renderUpdate(row, form, shown)
    case 'delete':
      return renderDelete(row, shown)
    default:
      return unreachable(form)
  }
}

type Headers = Record<string, string>

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** @param records JSON text of an array of records */
function answerRecords(records: string, headers: Headers, shown: ToRender): Answer {
  const keys = documentKeys(shown.plan)
  return answer(keys.length === 0 ? records : showDocuments(records, keys), headers, shown)
}

function answer(data: string, headers: Headers, { permitted }: ToRender): Answer {
  const ignored = permitted.request.ignoredParameters
  if (ignored.length > 0) headers['x-ignored-parameters'] = listNames(ignored)
  return { status: 200, headers, body: `{"status":"OK","data":${data}}` }
}

/** No tag for a record that the caller may not read: it would tell of it. */
function tagHeader(tag: unknown): Headers {
  return typeof tag === 'string' ? { etag: `"${tag}"` } : {}
}

/** A header as a client takes it, whatever was sent: names are cut, and so is their list. */
function listNames(names: readonly string[]): string {
  return names
    .slice(0, 20)
    .map((name) => encodeURIComponent(name.slice(0, 40).toWellFormed()))
    .join(', ')
}

function renderList([body, found, keys, total]: readonly unknown[], shown: ToRender): Answer {
  const hasMore = Number(found) > shown.limit.rows
  const { form } = shown.plan
  const isOver = form.kind === 'list' && form.count && form.countUpTo !== null && typeof total !== 'string'
  const headers: Headers = pageHeaders(
    {
      total: typeof total === 'string' ? Number(total) : null,
      ...(isOver ? { totalOver: form.countUpTo } : {}),
      hasMore,
      lastKeys: text(keys),
    },
    { permitted: shown.permitted, asked: shown.asked, rows: shown.limit.rows },
  )
  if (shown.limit.clamped) headers['x-limit-clamped'] = String(shown.limit.rows)
  return answerRecords(`[${text(body)}]`, headers, shown)
}

function renderStats([body, found, total]: readonly unknown[], shown: ToRender): Answer {
  const headers: Headers = pageHeaders(
    {
      total: typeof total === 'string' ? Number(total) : null,
      hasMore: Number(found) > shown.limit.rows,
      lastKeys: '',
    },
    { permitted: shown.permitted, asked: shown.asked, rows: shown.limit.rows },
  )
  if (shown.limit.clamped) headers['x-limit-clamped'] = String(shown.limit.rows)
  return answer(`[${text(body)}]`, headers, shown)
}

function renderRead([record, tag]: readonly unknown[], shown: ToRender): Result<Answer, Problem> {
  if (typeof record !== 'string') return noSuchRecord(shown)
  return succeed(answerRecords(`[${record}]`, tagHeader(tag), shown))
}

function renderCreate(
  [checks, record, tag, id]: readonly unknown[],
  form: PlanForm & { readonly kind: 'create' },
  shown: ToRender,
): Result<Answer, Problem> {
  const failed = firstFailed(form.checks, checks)
  if (failed !== null) return refuse(explainCheck(failed, shown))
  const { asked, plan } = shown
  const location = `${asked.baseUrl}/rest/v1/table/${plan.table.name}/${encodeURIComponent(text(id))}`
  return succeed(answerRecords(`[${text(record)}]`, { ...tagHeader(tag), location }, shown))
}

function renderUpdate(
  [checks, found, may, fits, record, tag]: readonly unknown[],
  form: PlanForm & { readonly kind: 'update' },
  shown: ToRender,
): Result<Answer, Problem> {
  if (found !== true) return noSuchRecord(shown)
  const { table } = shown.plan
  if (may !== true) return refuse({ kind: 'record-denied', action: 'write', table: table.name })
  if (fits !== true) return refuse({ kind: 'stale', table: table.name, sysId: shown.asked.sysId ?? '' })
  const failed = firstFailed(form.checks, checks)
  if (failed !== null) return refuse(explainCheck(failed, shown))
  return succeed(answerRecords(`[${text(record)}]`, tagHeader(tag), shown))
}

const DELETED = { en: 'Records successfully deleted.', ru: 'Записи успешно удалены.' } as const

function renderDelete([found, may, fits, gone]: readonly unknown[], shown: ToRender): Result<Answer, Problem> {
  if (found !== true) return noSuchRecord(shown)
  const { table } = shown.plan
  if (may !== true) return refuse({ kind: 'record-denied', action: 'delete', table: table.name })
  if (fits !== true) return refuse({ kind: 'stale', table: table.name, sysId: shown.asked.sysId ?? '' })
  const description = DELETED[shown.asked.principal.language]
  return succeed(answer(JSON.stringify({ description, count: Number(gone) }), {}, shown))
}

function noSuchRecord({ plan, asked }: ToRender): Result<never, Problem> {
  return refuse({ kind: 'record-not-found', table: plan.table.name, sysId: asked.sysId ?? '' })
}

/** @param outcome a JSON array of booleans, one for each check */
function firstFailed(checks: readonly WriteCheck[], outcome: unknown): WriteCheck | null {
  if (checks.length === 0) return null
  const passed = JSON.parse(text(outcome)) as readonly boolean[]
  return checks.find((_check, index) => passed[index] !== true) ?? null
}

function explainCheck(check: WriteCheck, { plan, permitted }: ToRender): Problem {
  switch (check.kind) {
    case 'record-exists':
      return invalid(check.column, `there is no such record in ${check.target.name}`)
    case 'document-exists':
      return invalid(check.column, 'there is no such table or no such record in it')
    case 'found-one':
      if (permitted.request.inputDisplay) {
        const by = 'by its display value, a unique column or its sys_id'
        return invalid(
          check.column,
          `must name exactly one record of ${check.target.name}, ${by}; it names none or several`,
        )
      }
      return invalid(check.column, `find must meet exactly one record of ${check.target.name}; it met none or several`)
    case 'stored': {
      const { name } = check.stored.column
      const write = permitted.writes.find(({ column }) => column.name === name)
      return write?.rejected ?? invalid(name, 'only the stored value may be sent back')
    }
    case 'unchanged':
      return invalid(
        check.column.name,
        check.column.isKeyPart
          ? 'is part of the key, which a record keeps: only the value that stands there may be sent back'
          : 'is read-only: only the value that stands there may be sent back',
      )
    case 'column-allowed':
      return {
        kind: 'column-denied',
        action: check.action,
        table: plan.table.name,
        column: check.column,
        where: 'body',
      }
    case 'length':
      return invalid(check.column.name, `at most ${check.maxLength} characters fit`)
    case 'range':
      return invalid(check.column.name, `a number from ${check.least} to ${check.most} is expected`)
    default:
      return unreachable(check)
  }
}

function invalid(field: string, detail: string): Problem {
  return { kind: 'invalid-value', field, detail }
}
