import { LRUCache } from 'lru-cache'
import type { Session } from '../../database/database.ts'
import { idPage } from '../../database/read-ids.ts'
import { ascendingIds, sharedIds } from '../../kernel/ascending-ids.ts'
import { compileSql, type Sql, sql } from '../../kernel/sql.ts'
import type { VisibleIds } from '../../search-engine/segments/index-change.ts'
import type { Collection } from '../store/collections.ts'
import { isBound } from './visible-documents.ts'

/**
 * What a caller sees of bound collections at one sequence number of the change log: a search may use only this for
 * statistics.
 */
export interface VisibleState extends VisibleIds {
  readonly position: number
  /** Languages of these documents. */
  readonly languages: readonly string[]
}

export interface VisibleRequest {
  /** Collections that the caller may read; those that are not bound are left out of the result. */
  readonly collections: readonly Collection[]
  /** On a row `d` of docket_documents.document (`visibleDocuments`). */
  readonly rights: Sql<boolean>
  /** The database snapshot at or before the request (`readCollections`). */
  readonly snapshot: string
  /** Sequence number of the change log: the documents of this earlier state. Absent: those that exist now. */
  readonly at?: number
}

/**
 * Reads which documents of bound collections a caller sees, and caches the result until the database changes.
 *
 * The rules may depend on any table, also on adopted ones that others write. So only the database's own snapshot proves
 * that a result is still valid: equal snapshots mean that no writing transaction has ended between them. The key is the
 * condition with its values, so that callers share a result exactly if the rules do not distinguish them.
 */
export class VisibleStates {
  readonly #session: Pick<Session, 'rows'>
  #lastKey = 0
  readonly #kept = new LRUCache<string, KeptState>({
    max: maxStates,
    maxSize: maxDocuments,
    sizeCalculation: ({ state }) => state.documentIds.length + 1,
  })

  constructor(session: Pick<Session, 'rows'>) {
    this.#session = session
  }

  async read({ collections, rights, snapshot, at }: VisibleRequest): Promise<VisibleState> {
    const collectionIds = collections.filter(isBound).map(({ id }) => id)
    const exists =
      at === undefined
        ? sql<boolean>`d.removed_position is null`
        : sql<boolean>`d.added_position <= ${at} and (d.removed_position is null or d.removed_position > ${at})`
    const query = visibleIn(collectionIds, sql<boolean>`${exists} and ${rights}`)
    const { sql: text, parameters } = compileSql(query)
    const key = `${text} ${JSON.stringify(parameters)}`
    const kept = this.#kept.get(key)
    if (kept?.snapshot === snapshot) return kept.state
    const rows = await this.#session.rows(query)
    const state = { ...stateOf(collectionIds, rows), key: ++this.#lastKey }
    const read = { snapshot: rows[0]?.snapshot ?? '', state }
    this.#kept.set(key, read)
    return read.state
  }
}

interface KeptState {
  readonly snapshot: string
  readonly state: VisibleState
}

/** Cached states: callers with different rights, or different collections. */
const maxStates = 200
/** Limit over all states: eight bytes each, 32 MB. */
const maxDocuments = 4_000_000

interface VisibleRow {
  readonly position: string
  readonly snapshot: string
  readonly language: string | null
  /** null: no document is visible. */
  readonly ids: string | null
}

/** One statement, so that the ids, the sequence number and the snapshot belong to one state. */
function visibleIn(collectionIds: readonly number[], isVisible: Sql<boolean>): Sql<VisibleRow> {
  return sql<VisibleRow>`
    with visible as (
      select d.language, string_agg(d.id::text, ',') as ids from docket_documents.document d
      where d.collection_id = any (${collectionIds}::integer[]) and ${isVisible}
      group by d.language, ${idPage(sql`d.id`)}
    )
    select log.position, concat_ws('/', log.position, pg_current_snapshot()) as snapshot, visible.language, visible.ids
    from docket_documents.change_log log left join visible on true`
}

function stateOf(collectionIds: readonly number[], rows: readonly VisibleRow[]): VisibleState {
  return {
    position: Number(rows[0]?.position ?? 0),
    collectionIds,
    documentIds: sharedIds(ascendingIds(rows.flatMap(({ ids }) => ids ?? []))),
    languages: [...new Set(rows.flatMap(({ language }) => language ?? []))],
  }
}
