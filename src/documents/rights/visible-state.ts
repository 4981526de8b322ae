import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { compileSql, type Session } from '../../database/database.ts'
import type { VisibleIds } from '../../search-engine/segments/live-segments.ts'
import type { Collection } from '../store/collections.ts'
import { isBound } from './visible-documents.ts'

/** What a caller sees of bound collections at one position of the change log: all that the statistics of a search may use. */
export interface VisibleState extends VisibleIds {
  readonly position: number
  /** Of these documents. */
  readonly languages: readonly string[]
}

export interface VisibleRequest {
  /** That the caller may read; those that are not bound are left out of the answer. */
  readonly collections: readonly Collection[]
  /** On a row `d` of docket_documents.document (`visibleDocuments`). */
  readonly rights: RawBuilder<boolean>
  /** The state of the database at or before which the caller asked (`readCollections`). */
  readonly snapshot: string
}

/**
 * Reads which documents of bound collections a caller sees, and keeps the answer for as long as the database stays as it is.
 *
 * The rules may depend on any table, also on adopted ones that others write. So nothing but the database's own snapshot says
 * that an answer still holds: equal snapshots mean that no transaction that wrote has ended between them. The key is the
 * condition with its values, so that callers share an answer exactly where the rules do not tell them apart.
 */
export class VisibleStates {
  readonly #session: Pick<Session, 'rows'>
  readonly #kept = new LRUCache<string, KeptState>({
    max: maxStates,
    maxSize: maxDocuments,
    sizeCalculation: ({ state }) => state.documentIds.length + 1,
  })

  constructor(session: Pick<Session, 'rows'>) {
    this.#session = session
  }

  async read({ collections, rights, snapshot }: VisibleRequest): Promise<VisibleState> {
    const collectionIds = collections.filter(isBound).map(({ id }) => id)
    const query = visibleIn(collectionIds, rights)
    const { sql: text, parameters } = compileSql(query)
    const key = `${text} ${JSON.stringify(parameters)}`
    const kept = this.#kept.get(key)
    if (kept?.snapshot === snapshot) return kept.state
    const rows = await this.#session.rows(query)
    const read = { snapshot: rows[0]?.snapshot ?? '', state: stateOf(collectionIds, rows) }
    this.#kept.set(key, read)
    return read.state
  }
}

interface KeptState {
  readonly snapshot: string
  readonly state: VisibleState
}

/** Callers with different rights, or different collections, that are served from memory. */
const maxStates = 200
/** Of all states together: eight bytes each, 32 MB. */
const maxDocuments = 4_000_000

interface VisibleRow {
  readonly position: string
  readonly snapshot: string
  readonly language: string | null
  /** null: no document is visible. */
  readonly ids: string | null
}

/** One statement, so that the ids, the position and the snapshot belong to one state. */
function visibleIn(collectionIds: readonly number[], rights: RawBuilder<boolean>): RawBuilder<VisibleRow> {
  return sql<VisibleRow>`
    with visible as (
      select d.language, string_agg(d.id::text, ',') as ids from docket_documents.document d
      where d.collection_id = any (${collectionIds}::integer[]) and d.removed_position is null and ${rights}
      group by d.language
    )
    select log.position, concat_ws('/', log.position, pg_current_snapshot()) as snapshot, visible.language, visible.ids
    from docket_documents.change_log log left join visible on true`
}

function stateOf(collectionIds: readonly number[], rows: readonly VisibleRow[]): VisibleState {
  const ids = rows.flatMap(({ ids }) => (ids === null ? [] : ids.split(',')))
  return {
    position: Number(rows[0]?.position ?? 0),
    collectionIds,
    documentIds: Float64Array.from(ids, Number).sort(),
    languages: rows.flatMap(({ language }) => language ?? []),
  }
}
