import { LRUCache } from 'lru-cache'
import type { Access } from '../../acl/decide.ts'
import { grantOnColumn, grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import type { Catalog, Column, Table, View } from '../../catalog/catalog.ts'
import { withReadableNumbers } from '../../catalog/long-numbers.ts'
import { nearestNames } from '../../catalog/nearest-names.ts'
import { isResolvedPath, type ResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { tableNamed } from '../../catalog/table-named.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import type {
  ConditionTest,
  ConditionTree,
  EncodedQuery,
  OrderTerm,
  RowsCondition,
} from '../../condition/condition-tree.ts'
import type { Principal } from '../../identity/principal.ts'
import { LastResults } from '../../kernel/last-results.ts'
import type { Action, Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
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
import { absence, explainPath, firstDenied, isTableClosed } from './readable-path.ts'
import { unreadableProperty } from './readable-properties.ts'

/** What the authorization of a request depends on. */
export interface AuthorizationContext {
  readonly catalog: Catalog
  readonly access: Access
  readonly principal: Principal
  /** Names used in the paths of the request; null: those of the dictionary. */
  readonly names: Names | null
}

export function authorizeRequest(
  received: RecordRequest,
  ground: Omit<AuthorizationContext, 'names'>,
): Result<PermittedRequest, Problem> {
  const context: AuthorizationContext = { ...ground, names: received.names }
  const table = tableOf(received, context)
  if (table === undefined) {
    return fail({ kind: 'table-not-found', table: received.table, similar: similarNames(received.table, context) })
  }
  const named = received.table === table.name ? received : { ...received, table: table.name }
  const request = withNumbersOf(table, withoutUnknownView(named, table, context))
  if (!isRead(request.operation) && systemTable(table.name).isWrittenByServer === true) {
    return fail({
      kind: 'conflict',
      detail: `Records of ${table.name} are written by the server alone; they can be read, not created, changed or deleted`,
    })
  }
  const narrowed = isRead(request.operation) ? undefined : narrowedKeyWrite(request, table, context.principal)
  if (narrowed !== undefined) return fail(narrowed)
  for (const action of ACTIONS[request.operation]) {
    // A new record has exactly this class; a record that is read or changed may be of a descendant.
    const denied =
      action === 'create'
        ? context.access.decideTable(table, action).grant.kind === 'never'
        : isNever(grantOnRows(context.access, context.catalog, table, action))
    if (denied) return fail({ kind: 'table-denied', action, table: table.name })
  }
  const query = permitQuery(request.query, table, context)
  if (!query.ok) return query
  const stats =
    request.stats === null
      ? succeed(null)
      : permitStats(request, request.stats, {
          table,
          permit: (path) => permitPath(path, { table, context, where: 'fields', position: 0 }),
          unreadable: (value) => unreadableProperty(value, context),
        })
  if (!stats.ok) return stats
  const fields = stats.value === null ? permitFields(request, table, context) : succeed(fieldsOf(stats.value))
  if (!fields.ok) return fields
  const writes = permitWrites(request, table, context)
  if (!writes.ok) return writes
  return succeed({
    request,
    fields: fields.value,
    ...query.value,
    catalog: context.catalog,
    access: context.access,
    table,
    roles: context.principal.roles,
    writes: writes.value,
    stats: stats.value,
    ignoresView: request.view !== received.view,
  })
}

/** For a read by another API: the table as that displays it. */
function tableOf(
  { table: name, operation, names }: RecordRequest,
  { catalog }: AuthorizationContext,
): Table | undefined {
  const table = tableNamed(name, catalog)
  return table === undefined || names === null || !isRead(operation) ? table : names.asDisplayed(table)
}

/** A caller without the read right may create records (a form that only collects); an update must find its record. */
const ACTIONS = {
  create: ['create'],
  list: ['read'],
  stats: ['read'],
  read: ['read'],
  put: ['read', 'write'],
  patch: ['read', 'write'],
  delete: ['read', 'delete'],
} as const satisfies Record<RecordRequest['operation'], readonly Action[]>

/** Similar names of tables, of those that the caller may read. */
function similarNames(name: string, context: AuthorizationContext): readonly string[] {
  const readable = [...context.catalog.tables.values()].filter((table) => !isTableClosed(table, context))
  return nearestNames(
    name,
    readable.map((table) => table.name),
  )
}

// ── conditions and orders ──

type PermittedQuery = Pick<PermittedRequest, 'where' | 'orders'>

/** What a query means depends on the rules and the names only: requests with the same query string have the same tree. */
const queriesKnown = new WeakMap<Access, LastResults<EncodedQuery, Result<PermittedQuery, Problem>>>()

function permitQuery(
  query: EncodedQuery,
  table: Table,
  context: AuthorizationContext,
): Result<PermittedQuery, Problem> {
  const known = queriesKnown.get(context.access) ?? new LastResults()
  queriesKnown.set(context.access, known)
  return known.get(query, [table, context.names], () => {
    const where = query.where === null ? succeed(null) : permitCondition(query.where, table, context)
    if (!where.ok) return where
    const orders = permitOrders(query.orders, table, context)
    return orders.ok ? succeed({ where: where.value, orders: orders.value }) : orders
  })
}

function permitCondition(
  tree: ConditionTree,
  table: Table,
  context: AuthorizationContext,
): Result<PermittedCondition, Problem> {
  if (tree.kind === 'test') return permitTest(tree, table, context)
  if (tree.kind === 'rows') return permitRows(tree, table, context)
  const members: PermittedCondition[] = []
  for (const member of tree.of) {
    const permitted = permitCondition(member, table, context)
    if (!permitted.ok) return permitted
    members.push(permitted.value)
  }
  return succeed({ kind: tree.kind, of: members })
}

/** Another table, its columns and the conditions on it must satisfy the same rules as those of the request. */
function permitRows(
  rows: RowsCondition,
  table: Table,
  context: AuthorizationContext,
): Result<PermittedCondition, Problem> {
  const linked = resolveLink(rows, table, context)
  if (!linked.ok) return linked
  const { other, own } = linked.value
  const permit = (at: Table, path: readonly string[]): Result<ResolvedPath, Problem> =>
    permitPath(path, { table: at, context, where: 'query', position: rows.position })
  const ownPath = own === null ? succeed(null) : permit(table, own)
  if (!ownPath.ok) return ownPath
  const otherPath = permit(other, [rows.link.other.column])
  if (!otherPath.ok) return otherPath
  const linkedBy = compareLink({ table, own: ownPath.value, other: otherPath.value }, context.catalog)
  if (!linkedBy.ok) return fail({ kind: 'bad-query', detail: linkedBy.error, position: rows.position })
  const where = rows.where === null ? succeed(null) : permitCondition(rows.where, other, context)
  if (!where.ok) return where
  return succeed({
    kind: 'rows',
    link: rows.link,
    table: other,
    own: ownPath.value,
    other: otherPath.value,
    linkedBy: linkedBy.value,
    where: where.value,
  })
}

function permitTest(
  test: ConditionTest,
  table: Table,
  context: AuthorizationContext,
): Result<PermittedCondition, Problem> {
  if (test.path.length === 0) return succeed({ kind: 'test', test, fieldPath: null, other: null })
  const hidden = unreadableProperty(test.value, context)
  if (hidden !== null)
    return fail({ kind: 'bad-query', detail: hidden, position: test.position, field: test.path.join('.') })
  const fieldPath = permitPath(test.path, {
    table,
    context,
    where: 'query',
    position: test.position,
    isOfCondition: true,
  })
  if (!fieldPath.ok) return fieldPath
  if (test.value.kind !== 'field') return succeed({ kind: 'test', test, fieldPath: fieldPath.value, other: null })
  const other = permitPath(test.value.path, { table, context, where: 'query', position: test.position })
  return other.ok ? succeed({ kind: 'test', test, fieldPath: fieldPath.value, other: other.value }) : other
}

function permitOrders(
  orders: readonly OrderTerm[],
  table: Table,
  context: AuthorizationContext,
): Result<readonly PermittedOrder[], Problem> {
  const permitted: PermittedOrder[] = []
  for (const order of orders) {
    const fieldPath = permitPath(order.path, { table, context, where: 'order', position: order.position })
    if (!fieldPath.ok) return fieldPath
    permitted.push({ fieldPath: fieldPath.value, direction: order.direction })
  }
  return succeed(permitted)
}

interface PathUse {
  readonly table: Table
  readonly context: AuthorizationContext
  readonly where: 'query' | 'order' | 'fields'
  readonly position: number
  /** The path may lead through lists, and must end in a stored column. */
  readonly isOfCondition?: boolean
}

/** Every segment of a path must be readable, and every table on it: otherwise a protected field could be read through a dot. */
function permitPath(path: readonly string[], use: PathUse): Result<ResolvedPath, Problem> {
  const { isOfCondition = false } = use
  const { names, catalog } = use.context
  const fieldPath = resolvePath(catalog, use.table, path, {
    names,
    throughLists: isOfCondition,
    asStored: isOfCondition,
  })
  if (!isResolvedPath(fieldPath)) {
    return fail({
      kind: 'bad-query',
      detail: explainPath(fieldPath, use.context),
      position: use.position,
      field: path.join('.'),
    })
  }
  const closed = firstDenied([...fieldPath.steps, fieldPath.end], use.context)
  if (closed === null) return succeed(fieldPath)
  return fail({
    kind: 'column-denied',
    action: 'read',
    table: closed.table.name,
    column: closed.column.name,
    where: use.where,
    ...(use.where === 'fields' ? {} : { position: use.position }),
  })
}

// ── fields of the response ──

/** Most requests of a client name the same fields, and resolving them again costs more than everything else here. */
const fieldsKnown = new WeakMap<Access, LRUCache<string, Result<readonly FieldPath[], Problem>>>()
const MAX_FIELD_LISTS = 200
/** More fields than any table has columns; each is at least one expression of the statement. */
export const MAX_FIELDS = 500

const badFields = (found: string, expected: string): Result<never, Problem> =>
  fail({ kind: 'bad-parameter', parameter: { part: 'fields' }, found, expected })

function permitFields(
  request: RecordRequest,
  table: Table,
  context: AuthorizationContext,
): Result<readonly FieldPath[], Problem> {
  const count = request.fields?.length ?? 0
  if (count > MAX_FIELDS) return badFields(`${count} fields`, `at most ${MAX_FIELDS} fields`)
  // The selected view depends on the caller.
  if (request.view !== null) return permitEachField(request, table, context)
  const known = fieldsKnown.get(context.access) ?? new LRUCache({ max: MAX_FIELD_LISTS })
  fieldsKnown.set(context.access, known)
  const key = `${context.names?.face ?? ''} ${table.name} ${request.fields?.join(',') ?? '*'}`
  const before = known.get(key)
  if (before !== undefined) return before
  const permitted = permitEachField(request, table, context)
  known.set(key, permitted)
  return permitted
}

/** Clients send `sysparm_view=1`: an unknown view is ignored, and the response says so. */
function withoutUnknownView(request: RecordRequest, table: Table, context: AuthorizationContext): RecordRequest {
  return request.view === null || findView(request.view, table, context) !== undefined
    ? request
    : { ...request, view: null }
}

function permitEachField(
  request: RecordRequest,
  table: Table,
  context: AuthorizationContext,
): Result<readonly FieldPath[], Problem> {
  const fields: FieldPath[] = []
  for (const name of request.fields ?? []) {
    const fieldPath = resolvePath(context.catalog, table, name.split('.'), context)
    if (!isResolvedPath(fieldPath)) {
      const expected = `a list of columns of ${table.name} (${explainPath(fieldPath, context)})`
      return badFields(name, expected)
    }
    fields.push(...visible(fieldPath, context))
  }
  const view = request.view === null ? undefined : findView(request.view, table, context)
  if (view === undefined && request.fields !== null) return succeed(fields)
  const ofView = view?.columns.map((column) => inWordsOf(column, table, context))
  const columns = ofView ?? context.names?.columnsOf(table) ?? [...table.columns.keys()]
  return succeed(fieldsOfView(columns, request.fields, { table, context }))
}

/** A path of the dictionary in the names of the request. */
function inWordsOf(path: string, table: Table, { catalog, names }: AuthorizationContext): string {
  const fieldPath = names === null ? null : resolvePath(catalog, table, path.split('.'))
  if (names === null || fieldPath === null || !isResolvedPath(fieldPath)) return path
  return [...fieldPath.steps, fieldPath.end].map((at) => names.nameOfColumn(at.table.name, at.column.name)).join('.')
}

/**
 * A view may outlive a column, which is not an error of the caller.
 *
 * @param named the columns that the caller names; null: all
 */
function fieldsOfView(
  columns: readonly string[],
  named: readonly string[] | null,
  { table, context }: { readonly table: Table; readonly context: AuthorizationContext },
): readonly FieldPath[] {
  return columns
    .filter((column) => named === null || named.includes(column))
    .map((column) => resolvePath(context.catalog, table, column.split('.'), context))
    .flatMap((fieldPath) => (isResolvedPath(fieldPath) ? visible(fieldPath, context) : []))
}

/**
 * Finds a view by title. A personal view precedes a shared one, that of a child precedes its parent's. An unknown title is
 * treated as if no view was requested.
 */
function findView(title: string, table: Table, { catalog, principal }: AuthorizationContext): View | undefined {
  const named = table.ancestors
    .flatMap((name) => catalog.views.get(name) ?? [])
    .filter((view) => view.title.toLowerCase() === title.toLowerCase())
  return named.find((view) => view.userId === principal.userId) ?? named.find((view) => view.userId === null)
}

/** A field that cannot be read has no key; a field behind a denied reference is null. */
function visible(fieldPath: ResolvedPath, context: AuthorizationContext): readonly FieldPath[] {
  const { access, catalog } = context
  if (isNever(grantOnColumn(access, catalog, fieldPath.end.table, fieldPath.end.column.name, 'read'))) return []
  const closedStep = fieldPath.steps.length > 0 && firstDenied([...fieldPath.steps, fieldPath.end], context) !== null
  return [{ fieldPath, closed: closedStep }]
}

// ── columns of the body ──

function withNumbersOf(table: Table, request: RecordRequest): RecordRequest {
  // Only an object can be, or contain, a number that a double cannot hold.
  if (!request.body.values().some((value) => typeof value === 'object' && value !== null)) return request
  const values = [...request.body]
  const readable = withReadableNumbers(values, table)
  return readable === values ? request : { ...request, body: new Map(readable) }
}

/** A column whose texts are read and written as editor documents, because the request says so. */
const asDocument = (column: Column): Column =>
  columnTypeOf(column).write.editor === 'html' ? { ...column, readAsDocument: true } : column

function permitWrites(
  request: RecordRequest,
  table: Table,
  context: AuthorizationContext,
): Result<readonly PermittedWrite[], Problem> {
  const action = request.operation === 'create' ? 'create' : 'write'
  const writes: PermittedWrite[] = []
  for (const [name, value] of request.body) {
    const column = table.columns.get(name)
    if (column === undefined) {
      return fail({ kind: 'invalid-value', field: name, detail: explainPath(absence(table, name), context) })
    }
    if (isNever(grantOnColumn(context.access, context.catalog, table, name, action))) {
      return fail({ kind: 'column-denied', action, table: table.name, column: name, where: 'body' })
    }
    const written = context.names?.columnAsDisplayed(table, column) ?? column
    writes.push({ column: request.documents ? asDocument(written) : written, value })
  }
  return succeed(writes)
}
