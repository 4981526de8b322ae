import { LRUCache } from 'lru-cache'
import type { Access } from '../../acl/decide.ts'
import { grantOnColumn, grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import type { Catalog, Column, Table, View } from '../../catalog/catalog.ts'
import { withReadableNumbers } from '../../catalog/long-numbers.ts'
import { nearestNames } from '../../catalog/nearest-names.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { tableNamed } from '../../catalog/table-named.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import { isWalk, type Walk, walkPath } from '../../catalog/walk-path.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import type { ConditionTest, ConditionTree, OrderTerm, RowsCondition } from '../../condition/condition-tree.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Action, Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { isRead, type RecordRequest } from '../parse/record-request.ts'
import { compareLink, resolveLink } from './linked-rows.ts'
import { narrowedKeyWrite } from './narrowed-key-write.ts'
import { fieldsOf, permitStats } from './permit-stats.ts'
import type {
  FieldPath,
  PermittedCondition,
  PermittedOrder,
  PermittedRequest,
  PermittedWrite,
} from './permitted-request.ts'
import { unreadableProperty } from './readable-properties.ts'
import { absence, explainWalk, firstClosed, isTableClosed } from './readable-walk.ts'

/** What a request is judged by. */
export interface Judge {
  readonly catalog: Catalog
  readonly access: Access
  readonly principal: Principal
  /** The words of the request's paths; null: those of the dictionary. */
  readonly names: Names | null
}

export function authorizeRequest(
  received: RecordRequest,
  ground: Omit<Judge, 'names'>,
): Result<PermittedRequest, Problem> {
  const judge: Judge = { ...ground, names: received.names }
  const table = tableNamed(received.table, judge.catalog)
  if (table === undefined) {
    return refuse({ kind: 'table-not-found', table: received.table, similar: similarNames(received.table, judge) })
  }
  const request = withNumbersOf(table, withoutUnknownView({ ...received, table: table.name }, table, judge))
  if (!isRead(request.operation) && systemTable(table.name).isWrittenByServer === true) {
    return refuse({
      kind: 'conflict',
      detail: `Records of ${table.name} are written by the server alone; they can be read, not created, changed or deleted`,
    })
  }
  const narrowed = isRead(request.operation) ? undefined : narrowedKeyWrite(request, table, judge.principal)
  if (narrowed !== undefined) return refuse(narrowed)
  for (const action of ACTIONS[request.operation]) {
    // A new record is of exactly this class; what is read or changed may be of a child.
    const denied =
      action === 'create'
        ? judge.access.decideTable(table, action).grant.kind === 'never'
        : isNever(grantOnRows(judge.access, judge.catalog, table, action))
    if (denied) return refuse({ kind: 'table-denied', action, table: table.name })
  }
  const where = request.query.where === null ? succeed(null) : permitCondition(request.query.where, table, judge)
  if (!where.ok) return where
  const orders = permitOrders(request.query.orders, table, judge)
  if (!orders.ok) return orders
  const stats =
    request.stats === null
      ? succeed(null)
      : permitStats(request, request.stats, {
          table,
          permit: (path) => permitPath(path, { table, judge, where: 'fields', position: 0 }),
          unreadable: (value) => unreadableProperty(value, judge),
        })
  if (!stats.ok) return stats
  const fields = stats.value === null ? permitFields(request, table, judge) : succeed(fieldsOf(stats.value))
  if (!fields.ok) return fields
  const walked = { request, fields: fields.value, where: where.value, orders: orders.value }
  const writes = permitWrites(request, table, judge)
  if (!writes.ok) return writes
  return succeed({
    ...walked,
    catalog: judge.catalog,
    access: judge.access,
    table,
    roles: judge.principal.roles,
    writes: writes.value,
    stats: stats.value,
    ignoresView: request.view !== received.view,
  })
}

/** A write by somebody who reads nothing is possible (a form that only collects); a change needs to find its record. */
const ACTIONS = {
  create: ['create'],
  list: ['read'],
  stats: ['read'],
  read: ['read'],
  put: ['read', 'write'],
  patch: ['read', 'write'],
  delete: ['read', 'delete'],
} as const satisfies Record<RecordRequest['operation'], readonly Action[]>

/** Tables that may have been meant, of those that the caller may read. */
function similarNames(name: string, judge: Judge): readonly string[] {
  const readable = [...judge.catalog.tables.values()].filter((table) => !isTableClosed(table, judge))
  return nearestNames(
    name,
    readable.map((table) => table.name),
  )
}

// ── conditions and orders ──

function permitCondition(tree: ConditionTree, table: Table, judge: Judge): Result<PermittedCondition, Problem> {
  if (tree.kind === 'test') return permitTest(tree, table, judge)
  if (tree.kind === 'rows') return permitRows(tree, table, judge)
  const members: PermittedCondition[] = []
  for (const member of tree.of) {
    const permitted = permitCondition(member, table, judge)
    if (!permitted.ok) return permitted
    members.push(permitted.value)
  }
  return succeed({ kind: tree.kind, of: members })
}

/** Another table, its columns and the conditions on it are held to the same rules as those of the request. */
function permitRows(rows: RowsCondition, table: Table, judge: Judge): Result<PermittedCondition, Problem> {
  const linked = resolveLink(rows, table, judge)
  if (!linked.ok) return linked
  const { other, own } = linked.value
  const permit = (at: Table, path: readonly string[]): Result<Walk, Problem> =>
    permitPath(path, { table: at, judge, where: 'query', position: rows.position })
  const ownWalk = own === null ? succeed(null) : permit(table, own)
  if (!ownWalk.ok) return ownWalk
  const otherWalk = permit(other, [rows.link.other.column])
  if (!otherWalk.ok) return otherWalk
  const linkedBy = compareLink({ table, own: ownWalk.value, other: otherWalk.value }, judge.catalog)
  if (!linkedBy.ok) return refuse({ kind: 'bad-query', detail: linkedBy.error, position: rows.position })
  const where = rows.where === null ? succeed(null) : permitCondition(rows.where, other, judge)
  if (!where.ok) return where
  return succeed({
    kind: 'rows',
    link: rows.link,
    table: other,
    own: ownWalk.value,
    other: otherWalk.value,
    linkedBy: linkedBy.value,
    where: where.value,
  })
}

function permitTest(test: ConditionTest, table: Table, judge: Judge): Result<PermittedCondition, Problem> {
  if (test.path.length === 0) return succeed({ kind: 'test', test, walk: null, other: null })
  const hidden = unreadableProperty(test.value, judge)
  if (hidden !== null)
    return refuse({ kind: 'bad-query', detail: hidden, position: test.position, field: test.path.join('.') })
  const walk = permitPath(test.path, { table, judge, where: 'query', position: test.position, isOfCondition: true })
  if (!walk.ok) return walk
  if (test.value.kind !== 'field') return succeed({ kind: 'test', test, walk: walk.value, other: null })
  const other = permitPath(test.value.path, { table, judge, where: 'query', position: test.position })
  return other.ok ? succeed({ kind: 'test', test, walk: walk.value, other: other.value }) : other
}

function permitOrders(
  orders: readonly OrderTerm[],
  table: Table,
  judge: Judge,
): Result<readonly PermittedOrder[], Problem> {
  const permitted: PermittedOrder[] = []
  for (const order of orders) {
    const walk = permitPath(order.path, { table, judge, where: 'order', position: order.position })
    if (!walk.ok) return walk
    permitted.push({ walk: walk.value, direction: order.direction })
  }
  return succeed(permitted)
}

interface PathUse {
  readonly table: Table
  readonly judge: Judge
  readonly where: 'query' | 'order' | 'fields'
  readonly position: number
  /** It may lead through lists, and ends in what is stored. */
  readonly isOfCondition?: boolean
}

/** Every segment of a path must be readable, and every table on the way (lessons: a protected field read through a dot). */
function permitPath(path: readonly string[], use: PathUse): Result<Walk, Problem> {
  const { isOfCondition = false } = use
  const { names, catalog } = use.judge
  const walk = walkPath(catalog, use.table, path, { names, throughLists: isOfCondition, asStored: isOfCondition })
  if (!isWalk(walk)) {
    return refuse({
      kind: 'bad-query',
      detail: explainWalk(walk, use.judge),
      position: use.position,
      field: path.join('.'),
    })
  }
  const closed = firstClosed([...walk.steps, walk.end], use.judge)
  if (closed === null) return succeed(walk)
  return refuse({
    kind: 'column-denied',
    action: 'read',
    table: closed.table.name,
    column: closed.column.name,
    where: use.where,
    ...(use.where === 'fields' ? {} : { position: use.position }),
  })
}

// ── fields of the answer ──

/** Most requests of a client ask for the same fields; walking to each again costs more than all else that is done here. */
const fieldsKnown = new WeakMap<Access, LRUCache<string, Result<readonly FieldPath[], Problem>>>()
const MAX_FIELD_LISTS = 200
/** More fields than any table has columns; each is at least one expression of the statement. */
const MAX_FIELDS = 500

const badFields = (found: string, expected: string): Result<never, Problem> =>
  refuse({ kind: 'bad-parameter', parameter: { part: 'fields' }, found, expected })

function permitFields(request: RecordRequest, table: Table, judge: Judge): Result<readonly FieldPath[], Problem> {
  const count = request.fields?.length ?? 0
  if (count > MAX_FIELDS) return badFields(`${count} fields`, `at most ${MAX_FIELDS} fields`)
  // Which view is meant depends on who asks.
  if (request.view !== null) return permitEachField(request, table, judge)
  const known = fieldsKnown.get(judge.access) ?? new LRUCache({ max: MAX_FIELD_LISTS })
  fieldsKnown.set(judge.access, known)
  const key = `${judge.names?.face ?? ''} ${table.name} ${request.fields?.join(',') ?? '*'}`
  const before = known.get(key)
  if (before !== undefined) return before
  const permitted = permitEachField(request, table, judge)
  known.set(key, permitted)
  return permitted
}

/** Clients send `sysparm_view=1`: an unknown view is ignored, and the response says so. */
function withoutUnknownView(request: RecordRequest, table: Table, judge: Judge): RecordRequest {
  return request.view === null || findView(request.view, table, judge) !== undefined
    ? request
    : { ...request, view: null }
}

function permitEachField(request: RecordRequest, table: Table, judge: Judge): Result<readonly FieldPath[], Problem> {
  const fields: FieldPath[] = []
  for (const name of request.fields ?? []) {
    const walk = walkPath(judge.catalog, table, name.split('.'), judge)
    if (!isWalk(walk)) {
      const expected = `a list of columns of ${table.name} (${explainWalk(walk, judge)})`
      return badFields(name, expected)
    }
    fields.push(...visible(walk, judge))
  }
  const view = request.view === null ? undefined : findView(request.view, table, judge)
  if (view === undefined && request.fields !== null) return succeed(fields)
  const ofView = view?.columns.map((column) => inWordsOf(column, table, judge))
  const columns = ofView ?? judge.names?.columnsOf(table) ?? [...table.columns.keys()]
  return succeed(fieldsOfView(columns, request.fields, { table, judge }))
}

/** A path of the dictionary as the request would write it. */
function inWordsOf(path: string, table: Table, { catalog, names }: Judge): string {
  const walk = names === null ? null : walkPath(catalog, table, path.split('.'))
  if (names === null || walk === null || !isWalk(walk)) return path
  return [...walk.steps, walk.end].map((at) => names.nameOfColumn(at.table.name, at.column.name)).join('.')
}

/**
 * A view may outlive a column, which is no error of the caller's.
 *
 * @param named the columns that the caller names; null: all
 */
function fieldsOfView(
  columns: readonly string[],
  named: readonly string[] | null,
  { table, judge }: { readonly table: Table; readonly judge: Judge },
): readonly FieldPath[] {
  return columns
    .filter((column) => named === null || named.includes(column))
    .map((column) => walkPath(judge.catalog, table, column.split('.'), judge))
    .flatMap((walk) => (isWalk(walk) ? visible(walk, judge) : []))
}

/** By title; a personal view wins over a shared one, a child's over its parent's; unknown: as if none was asked for. */
function findView(title: string, table: Table, { catalog, principal }: Judge): View | undefined {
  const named = table.lineage
    .flatMap((name) => catalog.views.get(name) ?? [])
    .filter((view) => view.title.toLowerCase() === title.toLowerCase())
  return named.find((view) => view.userId === principal.userId) ?? named.find((view) => view.userId === null)
}

/** An unreadable field has no key; one behind a closed reference is null. */
function visible(walk: Walk, judge: Judge): readonly FieldPath[] {
  const { access, catalog } = judge
  if (isNever(grantOnColumn(access, catalog, walk.end.table, walk.end.column.name, 'read'))) return []
  const closedStep = walk.steps.length > 0 && firstClosed([...walk.steps, walk.end], judge) !== null
  return [{ walk, closed: closedStep }]
}

// ── columns of the body ──

function withNumbersOf(table: Table, request: RecordRequest): RecordRequest {
  const values = [...request.body]
  const readable = withReadableNumbers(values, table)
  return readable === values ? request : { ...request, body: new Map(readable) }
}

/** A column whose texts are read and written as documents, because the request says so. */
const asDocument = (column: Column): Column =>
  columnTypeOf(column).write.editor === 'html' ? { ...column, readAsDocument: true } : column

function permitWrites(request: RecordRequest, table: Table, judge: Judge): Result<readonly PermittedWrite[], Problem> {
  const action = request.operation === 'create' ? 'create' : 'write'
  const writes: PermittedWrite[] = []
  for (const [name, value] of request.body) {
    const column = table.columns.get(name)
    if (column === undefined) {
      return refuse({ kind: 'invalid-value', field: name, detail: explainWalk(absence(table, name), judge) })
    }
    if (isNever(grantOnColumn(judge.access, judge.catalog, table, name, action))) {
      return refuse({ kind: 'column-denied', action, table: table.name, column: name, where: 'body' })
    }
    writes.push({ column: request.documents ? asDocument(column) : column, value })
  }
  return succeed(writes)
}
