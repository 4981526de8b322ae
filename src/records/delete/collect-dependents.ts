import type { Access } from '../../acl/decide.ts'
import type { Catalog, Table } from '../../catalog/catalog.ts'
import { refersToMany } from '../../column-types/column-types.ts'
import { OWN_KEY } from '../../column-types/record-key.ts'
import type { Session } from '../../database/database.ts'
import type { Principal } from '../../identity/principal.ts'
import { sql } from '../../kernel/sql.ts'
import { columnWhere, rowsWhere } from '../plan/plan-row-access.ts'
import { allOf, isConstant } from '../plan/predicates.ts'
import { bindParams } from '../run/bind-params.ts'
import { storageOf } from '../sql/adopted-storage.ts'
import { isAmong } from '../sql/compare-key.ts'
import type { Expression } from '../sql/expression.ts'
import { Aliases, embed, Row } from '../sql/from-clause.ts'
import { type DependentColumn, placeOf, readDependentColumns } from './reference-columns.ts'

/** Records that one delete may touch besides the record itself. Each costs a statement of about a millisecond. */
export const MAX_DEPENDENTS = 1_000

export interface CollectedRecord {
  /** The record's own class. */
  readonly table: Table
  readonly sysId: string
}

/** A record that refers, through one of its columns, to a record that is deleted. */
export interface Dependent extends CollectedRecord {
  readonly by: DependentColumn
  /** For a list: its members that are deleted. */
  readonly members: readonly string[]
}

export interface CollectedDependents {
  /**
   * Dependents by column, those that the caller may read. A record that is deleted itself is listed once. At most MAX_DEPENDENTS
   * + 1 per column and level.
   */
  readonly dependents: readonly Dependent[]
  /** The caller may not read some record or its reference. That record is not changed, and the delete is blocked. */
  readonly hasHidden: boolean
  /** There are more records to touch than MAX_DEPENDENTS. */
  readonly isOverBudget: boolean
}

export interface CollectingFor {
  readonly session: Session
  readonly catalog: Catalog
  readonly access: Access
  readonly principal: Principal
  readonly nowMs: number
}

/**
 * Collects what a delete of a record affects, level by level. Rows are locked, so that they refer to the same records until the
 * transaction ends, and no new references appear.
 *
 * Only records that the caller may read are followed: the response must not depend on records that they do not see
 * (docs/decisions/0015-deleting-what-others-refer-to.md).
 */
export async function collectDependents(root: CollectedRecord, around: CollectingFor): Promise<CollectedDependents> {
  await lockRecord(root, around)
  const collection = new Collection(root)
  for (let level: readonly CollectedRecord[] = [root]; level.length > 0; ) {
    const byPlace = Map.groupBy(level, ({ table }) => placeOf(table))
    const columns = await readDependentColumns(around.session, around.catalog, [...byPlace.keys()])
    const next: CollectedRecord[] = []
    for (const [place, records] of byPlace) {
      for (const by of columns.get(place) ?? []) {
        const ids = records.map(({ sysId }) => sysId)
        collection.addHidden(by, await findHidden(by, ids, around))
        next.push(...collection.add(await findVisible(by, ids, around)))
        if (collection.isOverBudget) return collection.result()
      }
    }
    level = next
  }
  return collection.result()
}

class Collection {
  readonly #goes: Set<string>
  readonly #found = new Map<string, Dependent>()
  readonly #hidden = new Set<string>()
  readonly #touched = new Set<string>()

  constructor(root: CollectedRecord) {
    this.#goes = new Set([keyOf(root)])
  }

  get isOverBudget(): boolean {
    return this.#touched.size > MAX_DEPENDENTS
  }

  addHidden({ owner }: DependentColumn, ids: readonly string[]): void {
    for (const sysId of ids) this.#hidden.add(keyOf({ table: owner, sysId }))
  }

  /** @returns the records that are deleted and were not known before */
  add(found: readonly Dependent[]): readonly CollectedRecord[] {
    const fresh: CollectedRecord[] = []
    for (const dependent of found) {
      const key = keyOf(dependent)
      const { action, byDatabase, column } = dependent.by
      if (action === 'cascade' && this.#goes.has(key)) continue
      this.#add(`${column.id} ${key}`, dependent)
      if (action === 'restrict' || byDatabase) continue
      this.#touched.add(key)
      if (action !== 'cascade') continue
      this.#goes.add(key)
      fresh.push(dependent)
    }
    return fresh
  }

  /** A list may have members that are deleted at several levels. */
  #add(key: string, dependent: Dependent): void {
    const known = this.#found.get(key)
    const members = [...new Set([...(known?.members ?? []), ...dependent.members])]
    this.#found.set(key, { ...dependent, members })
  }

  result(): CollectedDependents {
    const stays = (dependent: Dependent): boolean =>
      dependent.by.action === 'cascade' || !this.#goes.has(keyOf(dependent))
    return {
      dependents: [...this.#found.values()].filter(stays),
      hasHidden: [...this.#hidden].some((key) => !this.#goes.has(key)),
      isOverBudget: this.isOverBudget,
    }
  }
}

/** Two classes of one hierarchy are rows of one PostgreSQL table. */
const keyOf = ({ table, sysId }: CollectedRecord): string => `${placeOf(table)} ${sysId}`

/**
 * A writer of a reference to the record needs a key lock: after this lock no new reference appears, and earlier writers have
 * finished.
 */
async function lockRecord({ table, sysId }: CollectedRecord, { session }: CollectingFor): Promise<void> {
  if (table.adopted !== null) return
  const row = new Row('d', table)
  await session.rows(sql`select from ${storageOf(table)} as d where ${row.isRequested(sql`${sysId}`)} for update of d`)
}

async function findVisible(
  by: DependentColumn,
  ids: readonly string[],
  around: CollectingFor,
): Promise<readonly Dependent[]> {
  const { row, refers, visible } = readReference(by, ids, around)
  // An adopted table is only read: its own foreign keys decide.
  const lock = by.owner.adopted === null && !by.byDatabase ? sql`for update of d` : sql``
  const members = refersToMany(by.column)
    ? sql`array_to_json(${row.storage(by.column.storage ?? '')})::text`
    : sql`null`
  const found = await around.session.rows<{ id: string; class: string; members: string | null }>(
    sql`select ${row.name()} as id, ${row.storage('sys_db_table_id')}::text as class, ${members} as members
      from ${storageOf(by.owner)} as d where ${refers} and ${visible} order by ${row.key()} limit ${MAX_DEPENDENTS + 1} ${lock}`,
  )
  const going = new Set(ids)
  return found.map((each) => ({
    table: around.catalog.tablesById.get(each.class) ?? by.owner,
    sysId: each.id,
    by,
    members: membersOf(each.members).filter((id) => going.has(id)),
  }))
}

const membersOf = (text: string | null): readonly string[] => (text === null ? [] : (JSON.parse(text) as string[]))

/** Actions of PostgreSQL itself need no right. */
async function findHidden(
  by: DependentColumn,
  ids: readonly string[],
  around: CollectingFor,
): Promise<readonly string[]> {
  if (by.byDatabase) return []
  const { row, refers, visible, seesAll } = readReference(by, ids, around)
  if (seesAll) return []
  const found = await around.session.rows<{ id: string }>(
    sql`select ${row.name()} as id from ${storageOf(by.owner)} as d where ${refers} and not coalesce(${visible}, false)
      limit ${MAX_DEPENDENTS + 2}`,
  )
  return found.map(({ id }) => id)
}

interface ReadReference {
  readonly row: Row
  /** The row refers to one of the records. */
  readonly refers: Expression
  /** The caller may read the row and the reference. */
  readonly visible: Expression
  readonly seesAll: boolean
}

function readReference(
  { owner, column }: DependentColumn,
  ids: readonly string[],
  { catalog, access, principal, nowMs }: CollectingFor,
): ReadReference {
  const row = new Row('d', owner)
  const rights = { catalog, access }
  const classes = owner.descendants.flatMap((name) => catalog.tables.get(name)?.id ?? [])
  const readable = allOf([rowsWhere('read', owner, rights), columnWhere('read', owner, column, rights)])
  const visible = bindParams(sql<boolean>`${embed(readable, row, new Aliases('seen'))}`, { principal, catalog, nowMs })
  const isOwn = allOf(owner.parent === null ? [] : [{ kind: 'class', ids: classes }])
  return {
    row,
    refers: sql`${refersToAny(row, column, ids)} and ${embed(isOwn, row, new Aliases('of'))}`,
    visible,
    seesAll: isConstant(readable, true),
  }
}

function refersToAny(row: Row, column: DependentColumn['column'], ids: readonly string[]): Expression {
  const value = row.storage(column.storage ?? '')
  if (refersToMany(column)) return sql`${value} && ${ids}::text[]`
  const key = column.key ?? OWN_KEY
  const behind = row.refersTo(column, { among: sql`${ids}` })
  if (behind !== null) return behind
  return key.kind === 'parts' ? sql`${value} = any(${ids}::text[])` : isAmong(key, () => value, sql`${ids}`)
}
