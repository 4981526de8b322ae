import type { Table } from '../../catalog/catalog.ts'
import { classIdsOf } from '../../catalog/class-ids.ts'
import { isResolvedPath, type ResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import { comparisonOf, isJournal, refersToAny, refersToOne } from '../../column-types/column-types.ts'
import { quantifierOf, shapeOf } from '../../condition/comparison-shape.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type {
  AuthorizedCondition,
  AuthorizedOrder,
  AuthorizedRequest,
  AuthorizedRows,
  FieldPath,
} from '../authorize/authorized-request.ts'
import { isRead } from '../parse/record-request.ts'
import { countedAlternatives } from './counted-alternatives.ts'
import { foundFirst } from './found-first.ts'
import { enforceJoinLimit } from './join-limit.ts'
import { keysFirst } from './keys-first.ts'
import { withKnownReferences } from './known-references.ts'
import { planRecordRights } from './plan-allowed-writes.ts'
import { planRulesOfDelete } from './plan-built-in-rules.ts'
import { pathToDisplay, planComparison } from './plan-predicate.ts'
import { planRemovedHistory } from './plan-removed-history.ts'
import {
  callersDisplayOf,
  callersEntries,
  columnWhere,
  fieldWhere,
  planCallersPath,
  type Rights,
  rowsWhere,
} from './plan-row-access.ts'
import { planStats } from './plan-stats.ts'
import { planWrite } from './plan-write.ts'
import type { PlannedLink, PlannedPath, Predicate } from './planned-predicate.ts'
import { allOf, anyOf, isConstant, TRUE } from './predicates.ts'
import { sysIdOf } from './read-condition-value.ts'
import type {
  DisplayedEntries,
  DisplayTarget,
  PlanKind,
  PlannedField,
  PlannedOrder,
  PlannedPaging,
  RecordPlan,
} from './record-plan.ts'
import { textIndexOf, withReferencesBeside } from './references-beside-text.ts'
import { ofRequest, type ValueSource } from './value-source.ts'

/** The properties of the requested page that change the statement. */
export interface PageShape {
  readonly paging: PlannedPaging
  /** Rows per page, as a constant in the statement; null: a parameter. */
  readonly limit: number | null
  readonly isFirst: boolean
  /** Maximum number of rows that are counted; null: no limit. */
  readonly countUpTo: number | null
}

/** Decides what the statement does; `sql/` writes it. The plan does not depend on values of the request. */
export function planRecordRequest(authorized: AuthorizedRequest, page: PageShape): Result<RecordPlan, Problem> {
  const withinBudget = enforceJoinLimit(authorized)
  if (!withinBudget.ok) return withinBudget
  const rights: Rights = { catalog: authorized.catalog, access: authorized.access }
  const { table, request } = authorized
  const readable = allOf([ofTable(authorized), rowsWhere('read', table, rights)])
  const form = planKind(authorized, { ...page, readable }, rights)
  if (!form.ok) return form
  return succeed({
    catalog: authorized.catalog,
    table,
    form: form.value,
    fields: fieldsOf(authorized).map((field) => planField(onQueuedCreate(field, authorized), rights, request)),
    display: request.display,
    links: request.links,
    names: request.names,
    readable: form.value.kind === 'list' ? withKnownReferences(readable, form.value.where) : readable,
    tagged: showsEverything(request) ? null : planTagged(versionTableOf(authorized), rights),
    migrating: request.migrating,
    givesStamps: request.givesStamps,
  })
}

/** Fields of an aggregate request belong to groups, not to records. */
const fieldsOf = ({ fields, stats }: AuthorizedRequest): readonly FieldPath[] => (stats === null ? fields : [])

/** The rows of the PostgreSQL table that belong to the requested table or its descendants. */
function ofTable({ table, catalog }: Pick<AuthorizedRequest, 'table' | 'catalog'>): Predicate {
  if (table.parent === null) return TRUE
  return { kind: 'class', ids: classIdsOf(table, catalog) }
}

const LIMIT = ofRequest(({ limit }) => succeed([limit]))
const MAX_TEXT = ofRequest(({ maxText }) => succeed([maxText]))
const OFFSET = ofRequest(({ offset }) => succeed([offset]))

interface ReadablePage extends PageShape {
  /** The rows that the caller may read. */
  readonly readable: Predicate
}

function planKind(authorized: AuthorizedRequest, page: ReadablePage, rights: Rights): Result<PlanKind, Problem> {
  const { request, table } = authorized
  if (table.adopted?.isReadOnly === true && !isRead(request.operation)) {
    return fail({ kind: 'conflict', detail: `The database lets records of ${table.name} be read, not written` })
  }
  switch (request.operation) {
    case 'list': {
      const where = planCallersCondition(authorized, rights)
      if (!where.ok) return where
      const { count } = request
      const { countUpTo, readable } = page
      const orders = planOrders(authorized, rights)
      return succeed({
        kind: 'list',
        where: where.value,
        orders,
        paging: page.paging,
        count,
        foundFirst: foundFirst({
          table,
          readable: withKnownReferences(readable, where.value),
          where: where.value,
          count,
          countUpTo,
        }),
        keysFirst: keysFirst({ table, readable, where: where.value, orders }),
        counted: countedAlternatives(table, allOf([withKnownReferences(page.readable, where.value), where.value])),
        countUpTo,
        limit: page.limit ?? LIMIT,
        offset: page.isFirst ? 0 : OFFSET,
        maxText: request.maxText === null ? null : MAX_TEXT,
        removedHistory: planRemovedHistory({ table, readable: page.readable, where: where.value }, rights),
      })
    }
    case 'read': {
      const where = planCallersCondition(authorized, rights)
      if (!where.ok) return where
      const wanted = request.rights ? planRecordRights(table, rights) : null
      return succeed({ kind: 'read', where: where.value, sysId: sysIdOf(table), rights: wanted })
    }
    case 'stats': {
      const where = planCallersCondition(authorized, rights)
      if (!where.ok) return where
      if (authorized.stats === null) throw new Error('aggregates were requested and none were authorized')
      const field = (fieldPath: ResolvedPath): PlannedField => planField({ fieldPath, denied: false }, rights, request)
      return succeed({
        kind: 'stats',
        where: where.value,
        counted: withReferencesBeside(allOf([page.readable, where.value]), textIndexOf(table, where.value)),
        stats: planStats(authorized.stats, rights, field),
        limit: page.limit ?? LIMIT,
        offset: page.isFirst ? 0 : OFFSET,
        removedHistory: planRemovedHistory({ table, readable: page.readable, where: where.value }, rights),
      })
    }
    case 'create':
    case 'put':
    case 'patch':
      return planWrite(authorized, rights)
    case 'delete':
      return succeed({
        kind: 'delete',
        sysId: sysIdOf(table),
        tags: planTags(authorized),
        allowed: rowsWhere('delete', authorized.table, rights),
        builtInRules: planRulesOfDelete(authorized),
      })
  }
}

export function planTags(authorized: AuthorizedRequest): ValueSource | null {
  return authorized.request.ifMatch === null ? null : ofRequest(({ tags }) => succeed([tags]))
}

// ── conditions and orders ──

function planCallersCondition(authorized: AuthorizedRequest, rights: Rights): Result<Predicate, Problem> {
  const { where, table } = authorized
  return where === null ? succeed(TRUE) : planCondition(where, table, rights, { comparisons: 0, rows: 0 })
}

/** The number of conditions so far, in reading order: the indexes at which the next one has its values. */
interface ReadSoFar {
  comparisons: number
  rows: number
}

function planCondition(
  condition: AuthorizedCondition,
  table: Table,
  rights: Rights,
  count: ReadSoFar,
): Result<Predicate, Problem> {
  if (condition.kind === 'rows') return planRows(condition, rights, count)
  if (condition.kind !== 'comparison') {
    const members: Predicate[] = []
    for (const member of condition.of) {
      const planned = planCondition(member, table, rights, count)
      if (!planned.ok) return planned
      members.push(planned.value)
    }
    return succeed(condition.kind === 'all' ? allOf(members) : anyOf(members))
  }
  const index = count.comparisons
  count.comparisons += 1
  return planComparison(
    {
      comparison: shapeOf(condition.comparison),
      fieldPath: condition.fieldPath === null ? null : planCallersPath(condition.fieldPath, rights),
      other: condition.other === null ? null : planCallersPath(condition.other, rights),
      searched: condition.fieldPath === null ? searchedBy(table, rights) : [],
    },
    {
      catalog: rights.catalog,
      table,
      displayOf: (target) => callersDisplayOf(target, rights),
      entries: callersEntries(rights),
      from: { of: 'request', comparison: ({ comparisons }) => comparisons[index] },
    },
  )
}

/** A condition on rows of another table. Only rows that the caller may read count, and of them only columns that they may read. */
function planRows(condition: AuthorizedRows, rights: Rights, count: ReadSoFar): Result<Predicate, Problem> {
  const index = count.rows
  count.rows += 1
  const { catalog } = rights
  const target = condition.table
  const where = condition.where === null ? succeed(TRUE) : planCondition(condition.where, target, rights, count)
  if (!where.ok) return where
  return succeed({
    kind: 'rows',
    quantifier: quantifierOf(condition.link),
    number: ofRequest(({ counts }) => succeed([counts[index]])),
    target,
    link: planLink(condition, rights),
    readable: allOf([ofTable({ table: target, catalog }), rowsWhere('read', target, rights)]),
    where: where.value,
  })
}

function planLink({ own, other, linkedBy }: AuthorizedRows, rights: Rights): PlannedLink {
  const planned = planCallersPath(other, rights)
  if (own === null || linkedBy === 'own-key') return { kind: 'own-key', other: planned }
  return { kind: linkedBy, own: planCallersPath(own, rights), other: planned }
}

/** A search over the whole record uses only columns that the caller may read, so that it reveals nothing of hidden ones. */
function searchedBy(table: Table, rights: Rights): readonly PlannedPath[] {
  return [...table.columns.values()]
    .filter((column) => column.fullTextSearch)
    .map((column) => planCallersPath({ path: column.name, hops: [], end: { table, column } }, rights))
    .filter((fieldPath) => !isConstant(fieldPath.visible, false))
}

/** The caller's orders, then the key: no two rows are equal in it, so pages neither repeat nor skip rows. */
function planOrders(authorized: AuthorizedRequest, rights: Rights): readonly PlannedOrder[] {
  const { table } = authorized
  const orders = authorized.orders.map((order) => planOrder(order, rights))
  const key = table.columns.get(table.keyColumn)
  if (key === undefined || orders.some((order) => isOwnKeyPath(order.fieldPath, key))) return orders
  // In the direction of the last order, so that one index serves both, forwards or backwards.
  const last: PlannedOrder = {
    fieldPath: { hops: [], table, column: key, visible: TRUE },
    comparisonType: comparisonOf(key),
    direction: orders.at(-1)?.direction ?? 'ascending',
    neverNull: true,
    isByReference: false,
  }
  return [...orders, last]
}

/** The key, also in the form in which another API displays it. */
const isOwnKeyPath = ({ hops, column }: PlannedPath, key: PlannedPath['column']): boolean =>
  hops.length === 0 && column.name === key.name

function planOrder(order: AuthorizedOrder, rights: Rights): PlannedOrder {
  const own = planCallersPath(order.fieldPath, rights)
  const fieldPath = sortedPath(own, rights)
  // The key of a view is never null either, but PostgreSQL does not declare it.
  const isFull = fieldPath.column.neverNull || fieldPath.column.name === fieldPath.table.keyColumn
  const neverNull = fieldPath.hops.length === 0 && isFull && isConstant(fieldPath.visible, true)
  return {
    fieldPath,
    comparisonType: comparisonOf(fieldPath.column),
    direction: order.direction,
    neverNull,
    isByReference: isByReference(fieldPath),
  }
}

/** Columns with `onDelete` have a foreign key. */
function isByReference({ hops, visible }: PlannedPath): boolean {
  const [hop, second] = hops
  if (hop === undefined || second !== undefined || hop.column.onDelete === null) return false
  return [hop.visible, hop.readable, visible].every((each) => isConstant(each, true))
}

/** A reference is sorted by the display value of its record. */
function sortedPath(fieldPath: PlannedPath, rights: Rights): PlannedPath {
  if (!refersToOne(fieldPath.column)) return fieldPath
  const { catalog } = rights
  return pathToDisplay(fieldPath, { catalog, displayOf: (target) => callersDisplayOf(target, rights) }) ?? fieldPath
}

// ── fields ──

/** Dot-walked fields are null in the response of a queued create: there is no record yet (docs/spec/records.md, section 8). */
function onQueuedCreate(field: FieldPath, { request, table }: AuthorizedRequest): FieldPath {
  const isQueued = request.operation === 'create' && table.queuedCreate
  return isQueued && field.fieldPath.hops.length > 0 ? { ...field, denied: true } : field
}

function planField(field: FieldPath, rights: Rights, { display, names }: RecordPlanned): PlannedField {
  const fieldPath = withAnyJournal(planCallersPath(field.fieldPath, rights), rights)
  return {
    key: field.fieldPath.path,
    fieldPath,
    denied: field.denied,
    targets: display === 'value' || field.denied ? [] : targetsOf(field.fieldPath, rights),
    // In the native API, journals are read as records of their own.
    entries:
      display === 'value' || names === null || !isJournal(fieldPath.column) ? null : entriesFor(fieldPath, rights),
  }
}

/** Of several journals, a field has the entries of those that the caller may read. */
const withAnyJournal = (fieldPath: PlannedPath, rights: Rights): PlannedPath =>
  fieldPath.column.displayed?.kind === 'journals'
    ? { ...fieldPath, visible: fieldWhere(fieldPath.table, fieldPath.column, rights) }
    : fieldPath

type RecordPlanned = Pick<RecordPlan, 'display' | 'names'>

function entriesFor({ table, column, visible }: PlannedPath, rights: Rights): DisplayedEntries | null {
  const entries = callersEntries(rights)
  const users = rights.catalog.tables.get('user')
  if (entries === null) return null
  const name = users?.displayColumn?.name
  const author = name === undefined ? null : resolvePath(rights.catalog, entries.table, ['sys_created_by', name])
  const several = column.displayed?.kind === 'journals' ? column.displayed.of : null
  return {
    table: entries.table,
    columns: several?.map((each) => ({ column: each, visible: columnWhere('read', table, each, rights) })) ?? [
      { column, visible },
    ],
    visible: allOf([entries.readable, entries.visible]),
    author: author !== null && isResolvedPath(author) ? planCallersPath(author, rights) : null,
  }
}

/** The tables to whose records the column may refer, without those whose display column the caller may never see. */
function targetsOf(fieldPath: ResolvedPath, rights: Rights): readonly DisplayTarget[] {
  const { catalog } = rights
  const { column } = fieldPath.end
  const tables = refersToAny(column)
    ? [...catalog.tables.values()].filter((table) => table.parent === null)
    : [...catalog.tables.values()].filter((table) => table.name === column.reference)
  return tables.flatMap((table): readonly DisplayTarget[] => {
    const displayed = callersDisplayOf(table, rights)
    if (displayed === null || isConstant(displayed.readable, false) || isConstant(displayed.visible, false)) return []
    return [{ catalog, table, ...displayed }]
  })
}

/** Whether the response has every column as stored: the default of a request without parameters. */
const showsEverything = (request: AuthorizedRequest['request']): boolean =>
  request.names === null &&
  request.fields === null &&
  request.view === null &&
  request.display === 'value' &&
  request.links

const versionTableOf = ({ request: { narrowedFrom }, table, catalog }: AuthorizedRequest): Table =>
  narrowedFrom === null ? table : (catalog.tables.get(narrowedFrom) ?? table)

function planTagged(table: Table, rights: Rights): readonly PlannedField[] {
  return [...table.columns.values()].flatMap((column): readonly PlannedField[] => {
    const fieldPath = planCallersPath({ path: column.name, hops: [], end: { table, column } }, rights)
    return isConstant(fieldPath.visible, false)
      ? []
      : [{ key: column.name, fieldPath, denied: false, targets: [], entries: null }]
  })
}
