import { grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import type { Catalog, Table } from '../../catalog/catalog.ts'
import { classIdsOf } from '../../catalog/class-ids.ts'
import { tableNamed } from '../../catalog/table-named.ts'
import { isTextual, readSysId } from '../../column-types/record-key.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { sql } from '../../kernel/sql.ts'
import { columnWhere, includesGoneRecords, type Rights, rowsWhere } from '../plan/plan-row-access.ts'
import type { Predicate } from '../plan/planned-predicate.ts'
import { allOf, isConstant, TRUE } from '../plan/predicates.ts'
import type { RecordDeps } from '../record-deps.ts'
import { DICTIONARY_KEEPS_CHANGING, onCurrentCatalog } from '../retry-on-stale-epoch.ts'
import { unlessDrifted } from '../run/adopted-table-drift.ts'
import { bindParams } from '../run/bind-params.ts'
import { storageOf } from '../sql/adopted-storage.ts'
import type { Expression } from '../sql/expression.ts'
import { Aliases, embed, Row } from '../sql/from-clause.ts'
import { idLiteral } from '../sql/id-literal.ts'
import { displayLogged, loggedValue, type StoredChange } from './logged-value.ts'
import { readNames } from './read-names.ts'

export interface HistoryQuestion {
  readonly principal: Principal
  readonly table: string
  readonly sysId: string
  /** Prefix of the addresses of files. */
  readonly baseUrl: string
  /** Changes per page. */
  readonly limit: number
  readonly skip: number
  /** Only changes before this one; null: start with the newest. */
  readonly before: string | null
}

/** One write of a record, as far as the caller may see it. */
export interface ChangeOfRecord {
  /** Its sequence number in the log, which rises with each change of the record. */
  readonly change: string
  readonly operation: 'create' | 'update' | 'delete'
  /** The record's own class. */
  readonly table: string
  /** UTC. */
  readonly changedAt: string
  readonly changedBy: { readonly id: string; readonly displayValue: string | null } | null
  /** Written by an import with migrate=1. */
  readonly migrated: boolean
  readonly columns: readonly ColumnChange[]
}

export interface ColumnChange {
  readonly name: string
  readonly title: string
  /** The stored value in the format of the Table API; null if a rule on sys_history hides it. */
  readonly oldValue: unknown
  readonly newValue: unknown
  /** The display value in the caller's language and time zone; null: the value is empty, or names a record that they may not see. */
  readonly oldDisplay: string | null
  readonly newDisplay: string | null
}

export interface History {
  readonly changes: readonly ChangeOfRecord[]
  /** Number of changes that the caller may see; null: too many to count. */
  readonly total: number | null
  /** The value of `before` for the next page; null: there are no earlier changes. */
  readonly next: string | null
  /** UTC: earlier changes of records of this class are removed; null: none are. It depends on the settings and the time only. */
  readonly removedBefore: string | null
}

/**
 * Who changed what in a record and when, newest first. It returns what sys_history returns: callers who may read that table see
 * the changes of the records and columns that they may read.
 */
export function readHistory(deps: RecordDeps, question: HistoryQuestion): Promise<Result<History, Problem>> {
  return unlessDrifted(deps, question.table, () => readHistoryOf(deps, question))
}

async function readHistoryOf(deps: RecordDeps, question: HistoryQuestion): Promise<Result<History, Problem>> {
  const start = await deps.catalog.upToDate()
  const history = await onCurrentCatalog(
    deps,
    async (catalog) => {
      const read = await readUnder(catalog, deps, question)
      // The page must not be newer than the rules that it was read under.
      return (await deps.catalog.isCurrent(catalog)) ? read : null
    },
    { start },
  )
  return history ?? fail(DICTIONARY_KEEPS_CHANGING)
}

async function readUnder(
  catalog: Catalog,
  deps: RecordDeps,
  question: HistoryQuestion,
): Promise<Result<History, Problem>> {
  const table = tableNamed(question.table, catalog)
  const history = catalog.tables.get('sys_history')
  if (table === undefined || history === undefined) {
    return fail({ kind: 'table-not-found', table: question.table, similar: [] })
  }
  const rights: Rights = { catalog, access: deps.accessFor(catalog, question.principal) }
  for (const requested of [history, table]) {
    if (isNever(grantOnRows(rights.access, catalog, requested, 'read'))) {
      return fail({ kind: 'table-denied', action: 'read', table: requested.name })
    }
  }
  const absent = fail({ kind: 'record-not-found', table: table.name, sysId: question.sysId } as const)
  const sysId = readSysId(question.sysId, table.key)
  if (sysId === null) return absent
  const statement = writeHistory(table, history, { question: { ...question, sysId }, rights })
  const caller = { principal: question.principal, catalog, nowMs: deps.clock.nowMs() }
  const [row] = await deps.database.rows<HistoryRow>(bindParams(statement, caller))
  if (row?.is_readable !== true) return absent
  return succeed(await displayed(row, { deps, question, rights }))
}

interface HistoryRow {
  readonly is_readable: boolean
  readonly removed_before: string | null
  readonly total: number
  readonly changes: readonly StoredChange[]
}

interface HistoryContext {
  readonly question: HistoryQuestion
  readonly rights: Rights
}

function writeHistory(table: Table, history: Table, { question, rights }: HistoryContext) {
  const aliases = new Aliases()
  const classes = classIdsOf(table, rights.catalog)
  const record = new Row('record', table)
  const ofClass: Predicate = table.parent === null ? TRUE : { kind: 'class', ids: classes }
  const readable = rowsWhere('read', table, rights)
  const entry = new Row('h', history)
  const displayed = rowsWhere('read', history, rights)
  const requested = sql`${storageOf(table)} as record where ${record.isRequested(sql`${question.sysId}`)}`
  // The database may treat two texts as the same key; the log contains the stored one.
  const name = isTextual(table.key)
    ? sql`coalesce((select ${record.name()} from ${requested}), ${question.sysId})`
    : sql`${question.sysId}`
  const exists = sql`exists (select from ${requested} and ${embed(allOf([ofClass, readable]), record, aliases)})`
  const value = (column: string, stored: Expression): Expression => {
    const known = history.columns.get(column)
    const visible = known === undefined ? TRUE : columnWhere('read', history, known, rights)
    return isConstant(visible, true) ? stored : sql`case when ${embed(visible, entry, aliases)} then ${stored} end`
  }
  // Reads change by change, and only as many as the page needs: a record may have a hundred thousand changes.
  const changes = sql`docket_system.change as c
    where c.record_id = ${name} and c.table_id in (${sql.join(classes.map(idLiteral))}) and c.audited`
  const referenced = sql`docket.sys_history as h where h.change_position = c.position and ${embed(displayed, entry, aliases)}`
  // A caller who may see everything also sees the history of deleted records.
  const isOpen = isConstant(readable, true) && includesGoneRecords(displayed, table)
  const found = isOpen ? sql`(${exists} or exists (select from ${changes}))` : exists
  const before = question.before === null ? sql`` : sql`and c.position < ${question.before}::bigint`
  // A deleted record has the class of its last change.
  const ownClass = sql`coalesce((select record.sys_db_table_id from ${requested}), (select c.table_id from ${changes} order by c.position desc limit 1))`
  return sql<HistoryRow>`select ${found} as is_readable,
      (select r.removed_before::text from docket_system.history_retention r where r.table_id = ${ownClass}) as removed_before,
      (select count(*)::integer from (select from ${changes} and exists (select from ${referenced}) limit ${MAX_COUNTED + 1}) as counted) as total,
      coalesce((select json_agg(json_build_object('position', p.position::text, 'operation', p.operation, 'class', p.table_id::text,
          'at', p.changed_at::text, 'by', p.changed_by::text, 'migrated', p.migrated, 'columns', p.columns) order by p.position desc)
        from (select c.*, v.columns from (select * from ${changes} ${before} order by c.position desc offset 0) as c
          cross join lateral (select json_agg(json_build_object('name', h.column_name, 'old', ${value('old_value', sql`h.old_stored`)},
              'new', ${value('new_value', sql`h.new_stored`)}) order by h.column_name) as columns from ${referenced}) as v
          where v.columns is not null
          order by c.position desc limit ${question.limit + 1} offset ${question.skip}) as p), '[]') as changes`
}

/** As for lists of the log: counting more would cost more than any page. */
const MAX_COUNTED = 10_000

// ── display values ──

const OPERATIONS = { c: 'create', u: 'update', d: 'delete' } as const

async function displayed(row: HistoryRow, context: HistoryContext & { readonly deps: RecordDeps }): Promise<History> {
  const { question, rights } = context
  const page = row.changes.slice(0, question.limit)
  const names = await readNames(page, { deps: context.deps, principal: question.principal, rights })
  const { language, timeZone } = question.principal
  const reader = { language, timeZone, attachments: `${question.baseUrl}/v1/attachments/` }
  const changes = page.map((stored): ChangeOfRecord => {
    const table = rights.catalog.tablesById.get(stored.class)
    return {
      change: stored.position,
      operation: OPERATIONS[stored.operation],
      table: table?.name ?? stored.class,
      changedAt: stored.at,
      changedBy: stored.by === null ? null : { id: stored.by, displayValue: names.get(`user ${stored.by}`) ?? null },
      migrated: stored.migrated,
      columns: stored.columns.map((change) => {
        const column = table?.columns.get(change.name)
        const display = (value: unknown): string | null =>
          displayLogged(value, column, { names, reader, catalog: rights.catalog })
        return {
          name: change.name,
          title: column?.titles[language] ?? change.name,
          oldValue: loggedValue(change.old, column),
          newValue: loggedValue(change.new, column),
          oldDisplay: display(change.old),
          newDisplay: display(change.new),
        }
      }),
    }
  })
  const hasMore = row.changes.length > question.limit
  const total = row.total > MAX_COUNTED ? null : row.total
  return { changes, total, removedBefore: row.removed_before, next: hasMore ? (page.at(-1)?.position ?? null) : null }
}
