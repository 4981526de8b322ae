import type { Access } from '../../acl/decide.ts'
import { grantOnColumn, grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import type { Column, Table } from '../../catalog/catalog.ts'
import { withReadableNumbers } from '../../catalog/long-numbers.ts'
import { nearestNames } from '../../catalog/nearest-names.ts'
import { isResolvedPath, type ResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { tableNamed } from '../../catalog/table-named.ts'
import { columnTypeOf } from '../../column-types/column-types.ts'
import type {
  ConditionComparison,
  ConditionTree,
  EncodedQuery,
  OrderTerm,
  RowsCondition,
} from '../../condition/condition-tree.ts'
import { LastResults } from '../../kernel/last-results.ts'
import type { Action, Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { isRead, type RecordRequest } from '../parse/record-request.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { authorizeFields, withoutUnknownView } from './authorize-fields.ts'
import { authorizeStats, fieldsOf } from './authorize-stats.ts'
import type { AuthorizedCondition, AuthorizedOrder, AuthorizedRequest, AuthorizedWrite } from './authorized-request.ts'
import { compareLink, resolveLink } from './linked-rows.ts'
import { narrowedKeyWrite } from './narrowed-key-write.ts'
import { absence, explainPath, firstDenied, isTableDenied } from './readable-path.ts'
import { unreadableProperty } from './readable-properties.ts'

export function authorizeRequest(
  received: RecordRequest,
  ground: Omit<AuthorizationContext, 'names'>,
): Result<AuthorizedRequest, Problem> {
  const { catalog, access, principal } = ground
  const context: AuthorizationContext = { catalog, access, principal, names: received.names }
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
  const query = authorizeQuery(request.query, table, context)
  if (!query.ok) return query
  const stats =
    request.stats === null
      ? succeed(null)
      : authorizeStats(request, request.stats, {
          table,
          authorize: (path) => authorizePath(path, { table, context, where: 'fields', position: 0 }),
          unreadable: (value) => unreadableProperty(value, context),
        })
  if (!stats.ok) return stats
  const fields = stats.value === null ? authorizeFields(request, table, context) : succeed(fieldsOf(stats.value))
  if (!fields.ok) return fields
  const writes = authorizeWrites(request, table, context)
  if (!writes.ok) return writes
  return succeed({
    request,
    fields: fields.value,
    where: query.value.where,
    orders: query.value.orders,
    catalog,
    access,
    table,
    roles: principal.roles,
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
  const readable = [...context.catalog.tables.values()].filter((table) => !isTableDenied(table, context))
  return nearestNames(
    name,
    readable.map((table) => table.name),
  )
}

// ── conditions and orders ──

type AuthorizedQuery = Pick<AuthorizedRequest, 'where' | 'orders'>

/** What a query means depends on the rules and the names only: requests with the same query string have the same tree. */
const queriesKnown = new WeakMap<Access, LastResults<EncodedQuery, Result<AuthorizedQuery, Problem>>>()

function authorizeQuery(
  query: EncodedQuery,
  table: Table,
  context: AuthorizationContext,
): Result<AuthorizedQuery, Problem> {
  const known = queriesKnown.get(context.access) ?? new LastResults()
  queriesKnown.set(context.access, known)
  return known.get(query, [table, context.names], () => {
    const where = query.where === null ? succeed(null) : authorizeCondition(query.where, table, context)
    if (!where.ok) return where
    const orders = authorizeOrders(query.orders, table, context)
    return orders.ok ? succeed({ where: where.value, orders: orders.value }) : orders
  })
}

function authorizeCondition(
  tree: ConditionTree,
  table: Table,
  context: AuthorizationContext,
): Result<AuthorizedCondition, Problem> {
  if (tree.kind === 'comparison') return authorizeComparison(tree, table, context)
  if (tree.kind === 'rows') return authorizeRows(tree, table, context)
  const members: AuthorizedCondition[] = []
  for (const member of tree.of) {
    const authorized = authorizeCondition(member, table, context)
    if (!authorized.ok) return authorized
    members.push(authorized.value)
  }
  return succeed({ kind: tree.kind, of: members })
}

/** Another table, its columns and the conditions on it must satisfy the same rules as those of the request. */
function authorizeRows(
  rows: RowsCondition,
  table: Table,
  context: AuthorizationContext,
): Result<AuthorizedCondition, Problem> {
  const linked = resolveLink(rows, table, context)
  if (!linked.ok) return linked
  const { other, own } = linked.value
  const authorize = (at: Table, path: readonly string[]): Result<ResolvedPath, Problem> =>
    authorizePath(path, { table: at, context, where: 'query', position: rows.position })
  const ownPath = own === null ? succeed(null) : authorize(table, own)
  if (!ownPath.ok) return ownPath
  const otherPath = authorize(other, [rows.link.other.column])
  if (!otherPath.ok) return otherPath
  const linkedBy = compareLink({ table, own: ownPath.value, other: otherPath.value }, context.catalog)
  if (!linkedBy.ok) return fail({ kind: 'bad-query', detail: linkedBy.error, position: rows.position })
  const where = rows.where === null ? succeed(null) : authorizeCondition(rows.where, other, context)
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

function authorizeComparison(
  comparison: ConditionComparison,
  table: Table,
  context: AuthorizationContext,
): Result<AuthorizedCondition, Problem> {
  if (comparison.path.length === 0) return succeed({ kind: 'comparison', comparison, fieldPath: null, other: null })
  const hidden = unreadableProperty(comparison.value, context)
  if (hidden !== null)
    return fail({ kind: 'bad-query', detail: hidden, position: comparison.position, field: comparison.path.join('.') })
  const fieldPath = authorizePath(comparison.path, {
    table,
    context,
    where: 'query',
    position: comparison.position,
    isOfCondition: true,
  })
  if (!fieldPath.ok) return fieldPath
  if (comparison.value.kind !== 'field')
    return succeed({ kind: 'comparison', comparison, fieldPath: fieldPath.value, other: null })
  const other = authorizePath(comparison.value.path, { table, context, where: 'query', position: comparison.position })
  return other.ok ? succeed({ kind: 'comparison', comparison, fieldPath: fieldPath.value, other: other.value }) : other
}

function authorizeOrders(
  orders: readonly OrderTerm[],
  table: Table,
  context: AuthorizationContext,
): Result<readonly AuthorizedOrder[], Problem> {
  const authorized: AuthorizedOrder[] = []
  for (const order of orders) {
    const fieldPath = authorizePath(order.path, { table, context, where: 'order', position: order.position })
    if (!fieldPath.ok) return fieldPath
    authorized.push({ fieldPath: fieldPath.value, direction: order.direction })
  }
  return succeed(authorized)
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
function authorizePath(path: readonly string[], use: PathUse): Result<ResolvedPath, Problem> {
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
  const denied = firstDenied([...fieldPath.hops, fieldPath.end], use.context)
  if (denied === null) return succeed(fieldPath)
  return fail({
    kind: 'column-denied',
    action: 'read',
    table: denied.table.name,
    column: denied.column.name,
    where: use.where,
    ...(use.where === 'fields' ? {} : { position: use.position }),
  })
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

function authorizeWrites(
  request: RecordRequest,
  table: Table,
  context: AuthorizationContext,
): Result<readonly AuthorizedWrite[], Problem> {
  const action = request.operation === 'create' ? 'create' : 'write'
  const writes: AuthorizedWrite[] = []
  for (const [name, value] of request.body) {
    const column = table.columns.get(name)
    if (column === undefined) {
      return fail({ kind: 'invalid-value', field: name, detail: explainPath(absence(table, name), context) })
    }
    if (isNever(grantOnColumn(context.access, context.catalog, table, name, action))) {
      return fail({ kind: 'column-denied', action, table: table.name, column: name, where: 'body' })
    }
    const written = context.names?.columnAsDisplayed(table, column) ?? column
    writes.push({ column: request.documents !== null ? asDocument(written) : written, value })
  }
  return succeed(writes)
}
