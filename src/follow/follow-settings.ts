import { sql } from 'kysely'
import type { Catalog, Column, Table } from '../catalog/catalog.ts'
import { isWalk, walkPath } from '../catalog/walk-path.ts'
import type { ConditionTree } from '../condition/condition-tree.ts'
import { parseEncodedQuery } from '../condition/parse-encoded-query.ts'
import { configureCollection } from '../documents/configure-collection.ts'
import type { DocumentRoom } from '../documents/document-room.ts'
import { readCollections } from '../documents/store/collections.ts'
import type { Principal } from '../identity/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'
import type { ChangeWatch } from '../records/changes/watch-changes.ts'
import type { RecordRoom } from '../records/record-room.ts'
import { columnsOfTemplate } from './write-text.ts'

export interface FollowRoom {
  readonly documents: DocumentRoom
  readonly records: RecordRoom
  readonly watch: ChangeWatch
}

/** What a collection follows (documents spec, section 6). */
export interface FollowSettings {
  readonly table: string
  readonly query: string
  readonly template: string
  readonly metadata: readonly string[]
}

export interface FollowAsked extends FollowSettings {
  /** Columns with rules of their own that may be shown all the same to whoever may read the record. */
  readonly exposed: readonly string[]
}

export interface FollowState extends FollowSettings {
  readonly collection: string
  /** `comparing`: with the whole table, record by record; changes are followed meanwhile. */
  readonly state: 'following' | 'comparing'
  readonly documents: number
  /** Why a record, or the last turn, failed; null: all is well. */
  readonly error: string | null
}

/**
 * Has a collection, which is made when it is not there, follow a table from now on, and compares it with the table once. It
 * is bound to the table: a document is there for whoever may read its record.
 */
export async function follow(
  room: FollowRoom,
  principal: Principal,
  collection: string,
  asked: FollowAsked,
): Promise<Result<FollowState, Problem>> {
  const needed = adminOnly(principal)
  if (!needed.ok) return needed
  const catalog = await room.records.catalog.upToDate()
  const unfit = troubleWith(asked, catalog, room, principal)
  if (unfit !== null) return refuse(unfit)
  const configured = await configureCollection(room.documents, principal, collection, { aclTable: asked.table })
  if (!configured.ok) return configured
  const position = await room.watch.now()
  const { name } = configured.value
  await room.documents.database.rows(sql`
    insert into docket_documents.follow (collection_id, table_name, query, template, metadata_columns, followed_by, position, rebuild, updated_at)
    select c.id, ${asked.table}, ${asked.query}, ${asked.template}, ${[...asked.metadata]}::text[], ${principal.userId}::bigint, ${position}::bigint,
           'records', ${new Date(room.records.clock.nowMs()).toISOString().slice(0, 23)}::timestamp
    from docket_documents.collection c where c.name = ${name} and c.removed_position is null
    on conflict (collection_id) do update set table_name = excluded.table_name, query = excluded.query, template = excluded.template,
      metadata_columns = excluded.metadata_columns, followed_by = excluded.followed_by, position = excluded.position,
      rebuild = excluded.rebuild, rebuild_cursor = null, error = null, updated_at = excluded.updated_at`)
  return followState(room, principal, name)
}

/** Ends following; the documents stay as they are. */
export async function unfollow(
  room: FollowRoom,
  principal: Principal,
  collection: string,
): Promise<Result<FollowState, Problem>> {
  const state = await followState(room, principal, collection)
  if (!state.ok) return state
  await room.documents.database.rows(sql`delete from docket_documents.follow f using docket_documents.collection c
    where c.id = f.collection_id and c.name = ${state.value.collection} and c.removed_position is null`)
  return state
}

/** Compares the collection with the whole table and mends what differs, while changes are followed. */
export async function compareAgain(
  room: FollowRoom,
  principal: Principal,
  collection: string,
): Promise<Result<FollowState, Problem>> {
  const state = await followState(room, principal, collection)
  if (!state.ok) return state
  await room.documents.database.rows(sql`
    update docket_documents.follow f set rebuild = 'records', rebuild_cursor = null, error = null from docket_documents.collection c
    where c.id = f.collection_id and c.name = ${state.value.collection} and c.removed_position is null`)
  return followState(room, principal, collection)
}

export async function followState(
  room: FollowRoom,
  principal: Principal,
  collection: string,
): Promise<Result<FollowState, Problem>> {
  const needed = adminOnly(principal)
  if (!needed.ok) return needed
  const { database } = room.documents
  const [known] = (await readCollections(database, [collection])).collections
  if (known === undefined) return refuse({ kind: 'thing-not-found', thing: 'collection', name: collection })
  const [row] = await database.rows<FollowState & { rebuild: string | null }>(sql`
    select f.table_name as "table", f.query, f.template, f.metadata_columns as metadata, f.rebuild, f.error,
      (select count(*)::integer from docket_documents.document d where d.collection_id = f.collection_id and d.removed_position is null) as documents
    from docket_documents.follow f where f.collection_id = ${known.id}`)
  if (row === undefined) return refuse({ kind: 'thing-not-found', thing: 'followed collection', name: collection })
  const { rebuild, ...rest } = row
  return succeed({ ...rest, collection: known.name, state: rebuild === null ? 'following' : 'comparing' })
}

function adminOnly(principal: Principal): Result<null, Problem> {
  return principal.roles.has('admin')
    ? succeed(null)
    : refuse({ kind: 'role-needed', roles: ['admin'], to: 'have a collection follow a table' })
}

// ── what cannot be followed ──

function troubleWith(asked: FollowAsked, catalog: Catalog, room: FollowRoom, principal: Principal): Problem | null {
  const table = catalog.tables.get(asked.table)
  if (table === undefined) return { kind: 'table-not-found', table: asked.table, similar: [] }
  const query = troubleWithQuery(asked.query, table, catalog)
  if (query !== null) return query
  const names = columnsOfTemplate(asked.template)
  if (names.length === 0) return invalid('template', 'it names no column, as {subject} does')
  for (const [field, columns] of [
    ['template', names],
    ['metadata', asked.metadata],
  ] as const) {
    for (const name of columns) {
      const trouble = troubleWithColumn(table.columns.get(name), { table, room, catalog, principal, asked })
      if (trouble !== null) return invalid(field, `${name} ${trouble}`)
    }
  }
  return null
}

/** What another record decides changes without a change of the followed one. */
function troubleWithQuery(text: string, table: Table, catalog: Catalog): Problem | null {
  if (text === '') return null
  const parsed = parseEncodedQuery(text)
  if (!parsed.ok) return { kind: 'bad-query', detail: parsed.error.detail, position: parsed.error.position }
  const { where, orders } = parsed.value
  const [order] = orders
  if (order !== undefined)
    return { kind: 'bad-query', detail: 'what is followed has no order', position: order.position }
  for (const test of where === null ? [] : testsOf(where)) {
    if (test.path.length > 1) {
      const detail = 'a followed query asks the record itself: a change behind a reference would not be noticed'
      return { kind: 'bad-query', detail, position: test.position }
    }
    const walk = test.path.length === 0 ? null : walkPath(catalog, table, test.path)
    if (walk !== null && !isWalk(walk)) return { kind: 'bad-query', detail: walk.detail, position: test.position }
  }
  return null
}

function testsOf(tree: ConditionTree): readonly (ConditionTree & { readonly kind: 'test' })[] {
  return tree.kind === 'test' ? [tree] : tree.of.flatMap(testsOf)
}

const NO_TEXT: ReadonlySet<Column['type']> = new Set([
  'password',
  'encrypted',
  'journal_input',
  'image',
  'file',
  'document_id',
])

interface ColumnUse {
  readonly table: Table
  readonly room: FollowRoom
  readonly catalog: Catalog
  readonly principal: Principal
  readonly asked: FollowAsked
}

function troubleWithColumn(column: Column | undefined, use: ColumnUse): string | null {
  const { table, room, catalog, principal, asked } = use
  if (column === undefined) return `is no column of ${table.name}`
  if (NO_TEXT.has(column.type)) return `has no text (${column.type})`
  if (column.reference !== null) return 'leads to another record, which has rules of its own'
  if (asked.exposed.includes(column.name)) return null
  const access = room.records.accessFor(catalog, principal)
  const family = table.family.flatMap((name) => catalog.tables.get(name) ?? [])
  const guarded = family.find((member) => access.decideColumn(member, column.name, 'read').level !== null)
  if (guarded === undefined) return null
  return `has access rules of its own, and documents are shown to whoever may read the record; name it in exposed_columns if that is meant`
}

function invalid(field: string, detail: string): Problem {
  return { kind: 'invalid-value', field, detail }
}
