import type { Table } from '../../catalog/catalog.ts'
import { EncodedText } from '../../kernel/encoded-text.ts'
import { invalidValue } from '../../kernel/invalid-value.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import { cursorOrderOf, MAX_CURSOR_BYTES, printCursor } from '../cursor.ts'
import { limitOf } from '../page-limit.ts'
import { takesNames } from '../parse/record-request.ts'
import type { WriteCheck } from '../plan/planned-change.ts'
import type { PlanKind, RecordPlan } from '../plan/record-plan.ts'
import { type OneRecord, RecordJson, type RecordPage, type RecordResult } from '../record-result.ts'
import { documentKeys, renderEditorDocuments } from './render-editor-documents.ts'

export interface ToRender {
  readonly plan: RecordPlan
  readonly authorized: AuthorizedRequest
}

/** Turns the one row of a statement (see `sql/`) into the result or the error. */
export function renderResult(row: readonly unknown[], displayed: ToRender): Result<RecordResult, Problem> {
  const { form } = displayed.plan
  switch (form.kind) {
    case 'list':
      return renderList(row, displayed)
    case 'read':
      return renderRead(row, displayed)
    case 'stats':
      return succeed(renderStats(row, displayed))
    case 'create':
      return renderCreate(row, form, displayed)
    case 'update':
      return renderUpdate(row, form, displayed)
    case 'delete':
      return renderDelete(row, displayed)
    default:
      return unreachable(form)
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const tableOf = ({ plan, authorized }: ToRender) => ({ table: plan.table.name, ignoresView: authorized.ignoresView })

/** @param records comma-separated JSON texts of records, as encoded bytes from the statement (`encodedAt`, prepare-plan.ts) */
function recordsOf(records: unknown, { plan, authorized }: ToRender): RecordJson {
  const json = arrayOf(records)
  const { documents } = authorized.request
  const keys = documentKeys(plan, documents !== null)
  return new RecordJson(keys.length === 0 ? json : renderEditorDocuments(json.toString(), keys, documents ?? 'json'))
}

const arrayOf = (records: unknown): EncodedText =>
  records instanceof EncodedText ? records.within('[', ']') : new EncodedText('[]')

function renderList(
  [body, found, keys, total, cut, removed]: readonly unknown[],
  displayed: ToRender,
): Result<RecordPage, Problem> {
  const { form } = displayed.plan
  const isOver = form.kind === 'list' && form.count && typeof total !== 'string'
  const page = pageOf({ found, total }, displayed)
  const next = page.hasMore && text(keys) !== '' ? printCursor(text(keys), cursorOrderOf(displayed.authorized)) : null
  const { cursor, isInternal } = displayed.authorized.request.paging
  const isTooLong = next !== null && isInternal !== true && next.length > MAX_CURSOR_BYTES
  // Without the next cursor, this page would look like the last.
  if (isTooLong && cursor !== null) return fail(tooLongFor(next))
  return succeed({
    ...page,
    records: recordsOf(body, displayed),
    totalOver: isOver ? form.countUpTo : null,
    next: isTooLong ? null : next,
    cut: [...new Set(text(cut).split(','))].filter((key) => key !== '').sort(),
    removedBefore: textOrNull(removed),
  })
}

const tooLongFor = (next: string): Problem => ({
  kind: 'bad-parameter',
  parameter: { part: 'cursor' },
  found: `${next.slice(0, 60)}…`,
  expected: `an order by shorter values, or sysparm_page: the cursor of the next page has ${next.length} bytes, at most ${MAX_CURSOR_BYTES} fit into a header`,
})

/** Groups have no cursor, because no index has their order. */
function renderStats([body, found, total, removed]: readonly unknown[], displayed: ToRender): RecordPage {
  const page = pageOf({ found, total }, displayed)
  const records = new RecordJson(arrayOf(body))
  return { ...page, records, totalOver: null, next: null, removedBefore: textOrNull(removed) }
}

function pageOf({ found, total }: Readonly<Record<'found' | 'total', unknown>>, displayed: ToRender) {
  const limit = limitOf(displayed.authorized)
  return {
    kind: 'page',
    ...tableOf(displayed),
    total: typeof total === 'string' ? Number(total) : null,
    hasMore: Number(found) > limit.rows,
    limit: limit.rows,
    isClamped: limit.clamped,
  } as const
}

/** A record that the caller may not read has no version, which would reveal its changes. */
function oneRecord(records: unknown, version: unknown, sysId: string, displayed: ToRender): OneRecord {
  return {
    kind: 'record',
    ...tableOf(displayed),
    records: recordsOf(records, displayed),
    version: textOrNull(version),
    sysId,
  }
}

const sysIdOf = ({ authorized }: ToRender): string => authorized.request.sysId ?? ''

function renderRead([record, version, rights]: readonly unknown[], displayed: ToRender): Result<RecordResult, Problem> {
  if (record === null) return noSuchRecord(displayed)
  const read = oneRecord(record, version, sysIdOf(displayed), displayed)
  return succeed(typeof rights === 'string' ? { ...read, rights } : read)
}

function renderCreate(
  [checks, record, version, id]: readonly unknown[],
  form: PlanKind & { readonly kind: 'create' },
  displayed: ToRender,
): Result<RecordResult, Problem> {
  const failed = firstFailed(form.checks, checks)
  return failed === null
    ? succeed(oneRecord(record, version, text(id), displayed))
    : fail(explainCheck(failed, displayed))
}

function renderUpdate(
  [checks, found, may, fits, record, version]: readonly unknown[],
  form: PlanKind & { readonly kind: 'update' },
  displayed: ToRender,
): Result<RecordResult, Problem> {
  if (found !== true) return noSuchRecord(displayed)
  const { table } = displayed.plan
  if (may !== true) return fail({ kind: 'record-denied', action: 'write', table: table.name })
  if (fits !== true) return fail({ kind: 'stale', table: table.name, sysId: sysIdOf(displayed) })
  const failed = firstFailed(form.checks, checks)
  return failed === null
    ? succeed(oneRecord(record, version, sysIdOf(displayed), displayed))
    : fail(explainCheck(failed, displayed))
}

function renderDelete(
  [found, may, fits, gone]: readonly unknown[],
  displayed: ToRender,
): Result<RecordResult, Problem> {
  if (found !== true) return noSuchRecord(displayed)
  const { table } = displayed.plan
  if (may !== true) return fail({ kind: 'record-denied', action: 'delete', table: table.name })
  if (fits !== true) return fail({ kind: 'stale', table: table.name, sysId: sysIdOf(displayed) })
  return succeed({ kind: 'deleted', ...tableOf(displayed), count: Number(gone) })
}

function noSuchRecord(displayed: ToRender): Result<never, Problem> {
  return fail({ kind: 'record-not-found', table: displayed.plan.table.name, sysId: sysIdOf(displayed) })
}

/** @param outcome a JSON array of booleans, one for each check */
function firstFailed(checks: readonly WriteCheck[], outcome: unknown): WriteCheck | null {
  if (checks.length === 0) return null
  const passed = JSON.parse(text(outcome)) as readonly boolean[]
  return checks.find((_check, index) => passed[index] !== true) ?? null
}

function explainCheck(check: WriteCheck, { plan, authorized }: ToRender): Problem {
  switch (check.kind) {
    case 'record-exists':
      // An id of another system that no visible record has is a name that no record has. Both have the same error.
      return plan.names !== null && (check.target.key.given ?? check.target.key.wellKnown) !== undefined
        ? namesNoneOrSeveral(check, plan)
        : invalidValue(check.column, `there is no such record in ${nameOf(check.target, plan)}`)
    case 'document-exists':
      return invalidValue(check.column, 'there is no such table or no such record in it')
    case 'found-one':
      if (takesNames(authorized.request)) return namesNoneOrSeveral(check, plan)
      return invalidValue(
        check.column,
        `find must meet exactly one record of ${check.target.name}; it met none or several`,
      )
    case 'stored': {
      const { name } = check.stored.column
      const write = authorized.writes.find(({ column }) => column.name === name)
      return write?.rejected ?? invalidValue(name, 'only the stored value may be sent back')
    }
    case 'unchanged':
      return invalidValue(
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
      return invalidValue(check.column.name, `at most ${check.maxLength} characters fit`)
    case 'range':
      return invalidValue(check.column.name, `a number from ${check.min} to ${check.max} is expected`)
    default:
      return unreachable(check)
  }
}

function namesNoneOrSeveral(
  { column, target }: { readonly column: string; readonly target: Table },
  plan: RecordPlan,
): Problem {
  const by = 'by its display value, a unique column or its sys_id'
  return invalidValue(
    column,
    `must name exactly one record of ${nameOf(target, plan)}, ${by}; it names none or several`,
  )
}

const nameOf = ({ name }: Table, { names }: RecordPlan): string => names?.nameOf(name) ?? name
