import { LOCKS } from '../../database/advisory-locks.ts'
import { onCancellableConnection, type RunAlone } from '../../database/on-own-connection.ts'
import { sql } from '../../kernel/sql.ts'
import { type PgvectorModel, readFillState } from './fill-pgvector.ts'

/** Candidates that a search in a graph can keep (`hnsw.ef_search`). */
export const maxGraphCandidates = 1_000
/** pgvector builds graphs of vectors of 16 bits up to this length. */
const maxNumbers = 4_000
/** A scan of fewer chunks takes some milliseconds. */
const defaultMinChunks = 10_000

interface Graph {
  readonly collectionId: number
  /** The length of its vectors. */
  readonly numbers: number
}

/**
 * Graphs (HNSW) of the vectors of large collections. Each collection has its own: a graph of several would be shaped by vectors that
 * a caller of one of them may not see.
 */
export class Graphs {
  readonly #model: PgvectorModel
  readonly #minChunks: number
  #ready: ReadonlySet<string> = new Set()
  /** Vectors that were copied up to this sequence number have their graphs. */
  #completeAt = -1

  constructor(model: PgvectorModel, minChunks = defaultMinChunks) {
    this.#model = model
    this.#minChunks = minChunks
  }

  has(collectionId: number, numbers: number): boolean {
    return this.#ready.has(nameOf(this.#model.modelId, { collectionId, numbers }))
  }

  /** Builds the missing graphs, unless another process does. Searches and loads continue meanwhile. */
  async build(stopping: AbortSignal): Promise<void> {
    const { database } = this.#model
    await this.#read()
    if ((await this.#missing()).length + (await this.#unused()).length === 0) return
    await onCancellableConnection(database, stopping, async (run) => {
      const [lock] = await run(sql<{ is_mine: boolean }>`
        select pg_try_advisory_lock(${LOCKS.vectorGraphs}) as is_mine`)
      if (lock?.is_mine !== true) return
      // Another process may have built some meanwhile.
      await this.#read()
      for (const name of await this.#unused()) await dropGraph(run, name)
      for (const graph of await this.#missing()) if (!stopping.aborted) await this.#buildOne(run, graph)
      await run(sql`select pg_advisory_unlock(${LOCKS.vectorGraphs})`)
    })
    await this.#read()
  }

  async #read(): Promise<void> {
    const rows = await this.#model.database.rows(sql<{ name: string }>`
      select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'docket_vectors.chunk'::regclass and i.indisvalid`)
    this.#ready = new Set(rows.map(({ name }) => name))
  }

  /** Counts chunks by their documents: there are fewer, and their rows are small. */
  async #missing(): Promise<readonly Graph[]> {
    const { database, modelId } = this.#model
    const { position } = await readFillState(database, modelId)
    if (position === this.#completeAt) return []
    const numbers = sql<number>`coalesce(nullif(m.vector_length, 0), c.vector_length)`
    const rows = await database.rows(sql<{ collection_id: number; numbers: number }>`
      select d.collection_id, ${numbers} as numbers from docket_documents.document_embedding e
      join docket_documents.embedding_model m on m.id = e.model_id
      join docket_documents.document d on d.id = e.document_id and d.removed_position is null
      join docket_documents.collection c on c.id = d.collection_id
      where e.model_id = ${modelId} and e.position is not null and ${numbers} <= ${maxNumbers}
      group by 1, 2 having sum(d.chunk_count) >= ${this.#minChunks}`)
    const missing = rows
      .map(({ collection_id: collectionId, numbers }) => ({ collectionId, numbers }))
      .filter(({ collectionId, numbers }) => !this.has(collectionId, numbers))
    if (missing.length === 0) this.#completeAt = position
    return missing
  }

  /** Graphs of models and collections that do not exist any more. */
  async #unused(): Promise<readonly string[]> {
    const rows = await this.#model.database.rows(sql<{ name: string }>`
      select g.name from unnest(${[...this.#ready]}::text[]) as g (name)
      where g.name like 'graph\\_%' and not exists (
        select from docket_documents.embedding_model m, docket_documents.collection c
        where m.id = split_part(g.name, '_', 2)::integer and c.id = split_part(g.name, '_', 3)::integer)`)
    return rows.map(({ name }) => name)
  }

  async #buildOne(run: RunAlone, graph: Graph): Promise<void> {
    const { modelId, types } = this.#model
    const name = nameOf(modelId, graph)
    // One that a process left half built cannot be used.
    await dropGraph(run, name)
    await run(sql`
      create index concurrently ${sql.id(name)} on docket_vectors.chunk
      using hnsw ((embedding::${types.halfvec(graph.numbers)}) ${types.productOrder})
      where model_id = ${sql.lit(modelId)} and collection_id = ${sql.lit(graph.collectionId)}
        and ${types.numbersOf(sql`embedding`)} = ${sql.lit(graph.numbers)}`)
  }
}

function nameOf(modelId: number, { collectionId, numbers }: Graph): string {
  return `graph_${modelId}_${collectionId}_${numbers}`
}

async function dropGraph(run: RunAlone, name: string): Promise<void> {
  await run(sql`drop index concurrently if exists docket_vectors.${sql.id(name)}`)
}
