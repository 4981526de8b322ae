import { LRUCache } from 'lru-cache'
import type { Access } from '../../acl/decide.ts'
import { grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import type { Catalog, Table } from '../../catalog/catalog.ts'
import type { Database } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import type { Principal } from '../../identity/principal.ts'
import { succeed } from '../../kernel/result.ts'
import type { RunGated } from '../../kernel/run-gated.ts'
import { planOwner } from '../plan/plan-row-access.ts'
import { type Caller, ofRequest, Param } from '../plan/value-source.ts'
import type { RecordDeps } from '../record-deps.ts'
import { onCurrentCatalog } from '../retry-on-stale-epoch.ts'
import { withoutDrifted } from '../run/adopted-table-drift.ts'
import { valuesOfRule } from '../run/bind-params.ts'
import { bindSql, type PreparedSql, prepareSql } from '../run/prepare-plan.ts'
import type { IdentityChanged } from '../run/run-plan.ts'
import { writeVisibleChanges } from '../sql/write-visible-changes.ts'
import { loggedValue } from './logged-value.ts'
import { type Reader, type SharedReads, sharedReads } from './shared-reads.ts'

export interface ChangesRequest {
  readonly principal: Principal
  /** `docket_system.epoch.identity` under which the principal was read. */
  readonly identityEpoch: string
  /** Sequence number of the last change that was sent; '0': from the start of the kept log. */
  readonly after: string
  /** The committed watermark of the log (watch-changes.ts). */
  readonly upTo: string
  /** Names of tables, without their children; null: all. */
  readonly tables: ReadonlySet<string> | null
  readonly operations: ReadonlySet<ChangeOperation> | null
  /** Changes to read, visible or not. */
  readonly max: number
  /** The gate of the principal's statements. */
  readonly run: RunGated
}

export type ChangeOperation = 'create' | 'update' | 'delete'

/** A change as far as the caller may see it. */
export interface VisibleChange {
  readonly position: string
  readonly operation: ChangeOperation
  /** Name of the record's own class. */
  readonly table: string
  readonly recordId: string
  /** UTC, `YYYY-MM-DD HH:MM:SS`; null: the caller may not read when the record was changed. */
  readonly changedAt: string | null
  readonly changedBy: string | null
  /** For an updated record [old, new] by column, otherwise the value; stored values in the format of the Table API. */
  readonly changes: Readonly<Record<string, unknown>>
}

export interface VisibleChanges {
  readonly kind: 'changes'
  readonly changes: readonly VisibleChange[]
  /** Sequence number to continue after. */
  readonly reached: string
  /** Changes up to this sequence number may be deleted. If it is above the one to read after, the page may lack changes. */
  readonly clearedUpTo: string
}

/** The database lacks changes that were already sent: a standby that had not received them became the primary. */
export interface HistoryChanged {
  readonly kind: 'history-changed'
}

/** Each further turn means that the dictionary changed while the page was read; it does not change this often. */
const MAX_TURNS = 50

/**
 * Changes after a sequence number, in order, as far as the caller may see them: of records that they may read in the current
 * state (a deleted record: in its last state) and could read when the record was changed, the columns that they may read now and
 * could read then. If they could not read the record before the change, they get its state after the change without the old
 * values. Changes of hidden values only are left out.
 */
export function visibleChanges(
  deps: RecordDeps,
  requested: ChangesRequest,
): Promise<VisibleChanges | IdentityChanged | HistoryChanged> {
  return withoutDrifted(deps, () => seeVisibleChanges(deps, requested))
}

async function seeVisibleChanges(
  deps: RecordDeps,
  requested: ChangesRequest,
): Promise<VisibleChanges | IdentityChanged | HistoryChanged> {
  const page = await loggedAfter(deps.database, requested)
  if (page.isOfLostHistory) return { kind: 'history-changed' }
  const { reached, clearedUpTo } = page
  if (page.rows.length === 0) return { kind: 'changes', changes: [], reached, clearedUpTo }
  const work = async (catalog: Catalog): Promise<VisibleChanges | IdentityChanged | null> => {
    const changes = await seeAll(deps, catalog, { page, requested }).catch((error: unknown) => ({ error }))
    // Read after all statements: if the epochs still hold, they held for each statement. Each change that a statement did not find
    // because it was deleted is below `clearedUpTo`.
    const epochs = await epochsNow(deps.database)
    if (epochs.identity !== requested.identityEpoch) return { kind: 'identity-changed', epoch: epochs.identity }
    if (epochs.catalog !== catalog.epoch) return null
    if ('error' in changes) throw changes.error
    return { kind: 'changes', changes, reached, clearedUpTo: epochs.clearedUpTo }
  }
  const seen = await onCurrentCatalog(deps, work, { maxTurns: MAX_TURNS })
  if (seen === null) throw new Error('the dictionary changes faster than it can be read')
  return seen
}

// ── logged changes ──

interface LoggedPage {
  /** The sequence number after which the page begins belongs to a lost history of the database. */
  readonly isOfLostHistory: boolean
  readonly rows: readonly LoggedRow[]
  readonly reached: string
  /** Changes up to here may have been deleted when the page was read. */
  readonly clearedUpTo: string
}
interface LoggedRow {
  readonly position: string
  readonly classId: string
  readonly operation: 'c' | 'u' | 'd'
  readonly bytes: number
}

const LOGGED = selectStatement<{ readonly [Member in keyof LoggedRow]: LoggedRow[Member] | null }>({
  name: 'docket_changes_noted',
  before: '(',
  columns: {
    position: 'position::text',
    classId: 'table_id::text',
    operation: 'operation::text',
    bytes: 'pg_column_size(changes)',
  },
  // A row without a class: up to where changes may be deleted. A row without a sequence number: the first one belongs to a lost history.
  from: `from docket_system.change
    where position > $1::bigint and position <= $2::bigint order by position limit $3::integer)
    union all select cleared_position::text, null, null, null from docket_system.change_horizon
    union all select null, null, null, null from docket_system.database_history where fork_position < $1::bigint and first_position > $1::bigint`,
})

/**
 * A page stays in memory while its reader receives it, however slowly. A change may be ten times as long in a response as in
 * PostgreSQL.
 */
const MAX_BYTES = 1_000_000

/** Readers that are notified together need the same page, and a page up to the committed watermark does not change. */
interface LoggedPages {
  readonly read: LRUCache<string, LoggedPage>
  readonly underWay: SharedReads<LoggedPage>
}
const pages = new WeakMap<Database, LoggedPages>()

async function loggedAfter(database: Database, requested: ChangesRequest): Promise<LoggedPage> {
  const { read, underWay } = pages.get(database) ?? { read: new LRUCache({ max: 32 }), underWay: sharedReads() }
  pages.set(database, { read, underWay })
  const key = `${requested.after} ${requested.upTo} ${requested.max}`
  const before = read.get(key)
  if (before !== undefined) return before
  const page = await underWay.read(key, readerOf(requested), () => readLogged(database, requested))
  read.set(key, page)
  return page
}

const readerOf = ({ principal, run }: ChangesRequest): Reader => ({ userId: principal.userId, run })

async function readLogged(database: Database, { after, upTo, max }: ChangesRequest): Promise<LoggedPage> {
  const all = await selectRows(database, LOGGED, [after, upTo, max])
  const found = all.filter((row): row is LoggedRow => row.classId !== null)
  const isOfLostHistory = all.some(({ position }) => position === null)
  const clearedUpTo = all.find(({ classId, position }) => classId === null && position !== null)?.position ?? '0'
  let bytes = 0
  const rows = found.filter((row, index) => {
    bytes += row.bytes
    return index === 0 || bytes <= MAX_BYTES
  })
  const isAll = rows.length === found.length && found.length < max
  const last = rows.at(-1)?.position
  const reached = isAll || last === undefined ? largerOf(upTo, after) : last
  return { isOfLostHistory, rows, reached, clearedUpTo }
}

const largerOf = (one: string, other: string): string => (BigInt(one) > BigInt(other) ? one : other)

interface Epochs {
  readonly catalog: string
  readonly identity: string
  readonly clearedUpTo: string
}

const EPOCHS = selectStatement<Epochs>({
  name: 'docket_epochs',
  columns: {
    catalog: 'e.catalog::text',
    identity: 'e.identity::text',
    clearedUpTo: 'h.cleared_position::text',
  },
  from: 'from docket_system.epoch e cross join docket_system.change_horizon h',
})

/** A caller who arrives while a query is in progress gets the result of the next one: their result must not be older than their call. */
const readingEpochs = new WeakMap<Database, { readonly now: Promise<Epochs>; next: Promise<Epochs> | null }>()

function epochsNow(database: Database): Promise<Epochs> {
  const running = readingEpochs.get(database)
  if (running !== undefined) {
    running.next ??= running.now.then(
      () => epochsNow(database),
      () => epochsNow(database),
    )
    return running.next
  }
  const now = selectRows(database, EPOCHS, [])
    .then(([epochs]) => epochs ?? { catalog: '', identity: '', clearedUpTo: '0' })
    .finally(() => readingEpochs.delete(database))
  readingEpochs.set(database, { now, next: null })
  return now
}

// ── visible parts ──

const OPERATIONS = { c: 'create', u: 'update', d: 'delete' } as const

interface PageToSee {
  readonly page: LoggedPage
  readonly requested: ChangesRequest
}

async function seeAll(
  deps: RecordDeps,
  catalog: Catalog,
  { page, requested }: PageToSee,
): Promise<readonly VisibleChange[]> {
  const access = deps.accessFor(catalog, requested.principal)
  const wanted = page.rows.flatMap(({ position, classId, operation }) => {
    const table = catalog.tablesById.get(classId)
    if (table === undefined || !isRequested(table, OPERATIONS[operation], requested)) return []
    return [{ position, root: rootOf(table, catalog) }]
  })
  const seen: (readonly VisibleChange[])[] = []
  const caller = { principal: requested.principal, catalog, nowMs: deps.clock.nowMs() }
  for (const [root, group] of Map.groupBy(wanted, (each) => each.root)) {
    // Changes of records that the caller can never read are left out.
    if (root.adopted?.isDrifted === true || isNever(grantOnRows(access, catalog, root, 'read'))) continue
    const positions = group.map(({ position }) => position)
    seen.push(await seeTogether(deps, requested, { root, catalog, access, caller, positions }))
  }
  const [only] = seen
  if (only !== undefined && seen.length === 1) return only
  return seen.flat().toSorted((one, other) => (BigInt(one.position) < BigInt(other.position) ? -1 : 1))
}

function isRequested(table: Table, operation: ChangeOperation, requested: ChangesRequest): boolean {
  if (requested.operations !== null && !requested.operations.has(operation)) return false
  return requested.tables === null || table.ancestors.some((name) => requested.tables?.has(name))
}

function rootOf(table: Table, catalog: Catalog): Table {
  return catalog.tables.get(table.ancestors.at(-1) ?? '') ?? table
}

interface Seeing {
  readonly root: Table
  readonly catalog: Catalog
  readonly access: Access
  readonly caller: Caller
  readonly positions: readonly string[]
}

/**
 * Changes with known sequence numbers, of records of one table and its descendants, in the order of the numbers, as far as the user may
 * see them.
 */
export async function visibleChangesAt(
  deps: RecordDeps,
  { principal, catalog, root }: { readonly principal: Principal; readonly catalog: Catalog; readonly root: Table },
  positions: readonly string[],
): Promise<readonly VisibleChange[]> {
  const access = deps.accessFor(catalog, principal)
  if (positions.length === 0 || isNever(grantOnRows(access, catalog, root, 'read'))) return []
  const caller = { principal, catalog, nowMs: deps.clock.nowMs() }
  const seeing = { root, catalog, access, caller, positions }
  return readVisible(deps, seeing, boundFor(seeing))
}

/** Filled by the reader of the log, not by a request. */
const POSITIONS = ofRequest(() => {
  throw new Error('positions of the log are bound by their reader')
})
const positionsParam = new Param(POSITIONS, 0)

/** Readers with the same rights that are notified together share the result of one statement. */
const underWay = new WeakMap<Database, SharedReads<readonly VisibleChange[]>>()

function seeTogether(deps: RecordDeps, requested: ChangesRequest, seeing: Seeing): Promise<readonly VisibleChange[]> {
  const bound = boundFor(seeing)
  const shared = underWay.get(deps.database) ?? sharedReads()
  underWay.set(deps.database, shared)
  const key = `${seeing.catalog.epoch} ${bound.prepared.statement.name} ${JSON.stringify(bound.parameters)}`
  return shared.read(key, readerOf(requested), () => readVisible(deps, seeing, bound))
}

async function readVisible(
  { database }: RecordDeps,
  seeing: Seeing,
  { prepared, parameters }: Bound,
): Promise<readonly VisibleChange[]> {
  const rows = (await database.run(prepared.statement, parameters)) as readonly VisibleRow[]
  return rows.flatMap((row) => changeOf(row, seeing))
}

interface Bound {
  readonly prepared: PreparedSql
  readonly parameters: readonly unknown[]
}

function boundFor(seeing: Seeing): Bound {
  const prepared = preparedFor(seeing)
  const parameters = bindSql(prepared, (source) =>
    succeed(source === POSITIONS ? [seeing.positions] : valuesOfRule(source, seeing.caller)),
  )
  if (!parameters.ok) throw new Error('values of rules are never rejected')
  return { prepared, parameters: parameters.value }
}

function changeOf(
  [position, operation, classId, recordId, changedAt, changedBy, changes]: VisibleRow,
  { catalog, root }: Seeing,
): readonly VisibleChange[] {
  // A change of hidden columns alone: that it happened must stay hidden too.
  if (changes === null && operation === 'u') return []
  const table = catalog.tablesById.get(classId) ?? root
  return [
    {
      position,
      operation: OPERATIONS[operation],
      table: table.name,
      recordId,
      changedAt,
      changedBy,
      changes: readValues(changes ?? {}, table, operation === 'u'),
    },
  ]
}

/** The values of an update are pairs of the old and the new one. */
function readValues(changes: Readonly<Record<string, unknown>>, table: Table, isUpdate: boolean): typeof changes {
  const members = Object.entries(changes).map(([name, value]) => {
    const column = table.columns.get(name)
    const read =
      isUpdate && Array.isArray(value) ? value.map((each) => loggedValue(each, column)) : loggedValue(value, column)
    return [name, read] as const
  })
  return Object.fromEntries(members)
}

type VisibleRow = readonly [
  position: string,
  operation: 'c' | 'u' | 'd',
  classId: string,
  recordId: string,
  changedAt: string | null,
  changedBy: string | null,
  changes: Readonly<Record<string, unknown>> | null,
]

/** Statements depend on the grants of the roles, and these on the snapshot of the dictionary. */
const statements = new WeakMap<Access, Map<string, PreparedSql>>()

function preparedFor({ root, catalog, access }: Seeing): PreparedSql {
  const known = statements.get(access) ?? new Map<string, PreparedSql>()
  statements.set(access, known)
  const prepared =
    known.get(root.name) ??
    prepareSql(
      writeVisibleChanges(
        planOwner(root, () => true, { catalog, access }),
        { catalog, positions: positionsParam },
      ),
    )
  known.set(root.name, prepared)
  return prepared
}
