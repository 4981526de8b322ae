/**
 * npm run bench:pgvector: vectors in a real PostgreSQL with pgvector. What filling, a search and its graph cost; and whether two servers that
 * load, delete and search at once find exactly what exists.
 *
 *   --database postgres://…   as a superuser of a server with the extension, on this machine; the database `docket_pgvector` is made anew
 *   --vectors 100000
 *   --length 768              dimensions
 *   --searches 200
 *   --seconds 60              how long two servers load and search at once
 */
import { parseArgs } from 'node:util'
import { openDatabase } from '../src/database/database.ts'
import { migrate } from '../src/database/migrations.ts'
import { similarityOf, unitLength } from '../src/embeddings/similarity.ts'
import { ensureAdministrator } from '../src/identity/administrator.ts'
import { sql } from '../src/kernel/sql.ts'
import { observeNothing } from '../src/telemetry/observation.ts'
import { spawnDocket, temporaryFolder } from '../test/harness/spawn-docket.ts'
import { quantile, rounded } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { cpuSecondsOf, parentOf, usageOf } from './measure/process-usage.ts'
import { table, writeResults } from './measure/results.ts'
import { bindToRecords } from './search/bind-to-records.ts'
import { makeCallers } from './search/callers.ts'
import { makeVectors } from './search/draw-vectors.ts'
import { fillVectors } from './search/fill-vectors.ts'
import { loadAndSearchAtOnce } from './search/load-and-search-at-once.ts'
import { vectorClient } from './search/vector-client.ts'

const { values: given } = parseArgs({
  options: {
    database: { type: 'string' },
    vectors: { type: 'string', default: '100000' },
    length: { type: 'string', default: '768' },
    searches: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
  },
})
if (given.database === undefined)
  throw new Error('--database: the address of a PostgreSQL with pgvector, as a superuser')
const [vectors, length, searches] = [Number(given.vectors), Number(given.length), Number(given.searches)]
const k = 10
const exactQueries = 50

await using started = new AsyncDisposableStack()
const machine = describeMachine()
const rootUrl = given.database
const url = Object.assign(new URL(rootUrl), { pathname: '/docket_pgvector' }).href
const root = openDatabase({ connectionString: rootUrl, maxConnections: 1, statementTimeoutMs: 0 })
await root.rows(sql`drop database if exists docket_pgvector with (force)`)
await root.rows(sql`create database docket_pgvector`)
await root.close()
await migrate({ connectionString: url, observe: observeNothing })
const database = openDatabase({ connectionString: url, maxConnections: 2, statementTimeoutMs: 0 })
started.defer(() => database.close())
await ensureAdministrator(database, { password: 'a password for the load test' })
const keys = await makeCallers(database)
const [server] = await database.rows(sql<{ version: string; backend: number }>`
  select current_setting('server_version') as version, pg_backend_pid() as backend`)
const postgres = parentOf(server?.backend ?? 0)

const draw = makeVectors(length)
const sample: Float32Array[] = await fillVectors(database, { count: vectors, length, draw })
console.log(`${vectors} vectors are stored`)

const fillFrom = cpuSecondsOf(postgres)
const first = await start()
const one = vectorClient(first.address, keys.admin, 'vectors')
await one.whenReady(draw())
const fill = { docketSeconds: cpuSecondsOf(first.processId), postgresSeconds: cpuSecondsOf(postgres) - fillFrom }
console.log('filled', fill)
const graphFrom = cpuSecondsOf(postgres)
await untilGraph()
const graphSeconds = cpuSecondsOf(postgres) - graphFrom
console.log('graph', graphSeconds)
const [extension] = await database.rows(sql<{ version: string; rows: string; table: string; graph: string }>`
  select (select extversion from pg_extension where extname = 'vector') as version,
    (select count(*) from docket_vectors.chunk) as rows,
    pg_table_size('docket_vectors.chunk') as table,
    (select sum(pg_relation_size(i.indexrelid)) from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'docket_vectors.chunk'::regclass and c.relname like 'graph%') as graph`)

const figures = [await measure('open: by the graph', keys.admin)]
const recall = await recallOf()
await bindToRecords(database, 'vectors', vectors)
figures.push(await measure('bound, half visible: by a scan', keys.reader))
await database.rows(sql`update docket_documents.collection set acl_table = null where name = 'vectors'`)
const memoryMB = usageOf(first.processId).memoryBytes / 1e6

const second = await start()
const other = vectorClient(second.address, keys.admin, 'vectors')
await other.whenReady(draw())
const atOnce = await loadAndSearchAtOnce([one, other], { draw, seconds: Number(given.seconds) })
const [held] = await database.rows(sql<{ missing: string; surplus: string }>`
  select count(*) filter (where v.document_id is null) as missing, count(*) filter (where e.document_id is null) as surplus
  from docket_documents.chunk_embedding e full join docket_vectors.chunk v using (model_id, document_id)`)
for (const docket of [first, second]) await docket.stop()

const results = {
  machine,
  vectors,
  length,
  server,
  extension,
  fill,
  graphSeconds,
  figures,
  recall,
  memoryMB,
  atOnce,
  held,
}
writeResults(`pgvector-${vectors}`, results, [
  `PostgreSQL ${server?.version}, pgvector ${extension?.version}; ${vectors} vectors of ${length} dimensions, one of each document; k = ${k}.`,
  '',
  ...table(
    ['', 'p50 ms', 'CPU ms of Docket', 'CPU ms of PostgreSQL'],
    figures.map(({ name, p50Ms, docketMs, postgresMs }) => [
      name,
      String(rounded(p50Ms)),
      String(rounded(docketMs)),
      String(rounded(postgresMs)),
    ]),
  ),
  '',
  `- recall@${k} of the graph, ${exactQueries} queries: ${recall.toFixed(4)}`,
  `- CPU of copying the stored vectors: ${rounded(fill.docketSeconds)} s of Docket with its start, ${rounded(fill.postgresSeconds)} s of PostgreSQL; of the graph ${rounded(graphSeconds)} s`,
  `- Table ${rounded(Number(extension?.table) / 1e6)} MB, graph ${rounded(Number(extension?.graph) / 1e6)} MB; memory of a server ${rounded(memoryMB)} MB`,
  `- Two servers for ${given.seconds} s: ${atOnce.loads} loads, ${atOnce.deletions} deletions, ${atOnce.searches} searches. Loaded and not found by the other server: ${atOnce.missed}; deleted and found: ${atOnce.leftOver}; other responses than 200: ${atOnce.failures}. Search p50 ${rounded(atOnce.p50Ms)} ms, p99 ${rounded(atOnce.p99Ms)} ms`,
  `- Afterwards, vectors that pgvector lacks: ${held?.missing}; that nothing belongs to: ${held?.surplus}`,
])

function start() {
  return spawnDocket(
    {
      DOCKET_DATABASE_URL: url,
      DOCKET_DATA_DIR: temporaryFolder(),
      DOCKET_WORKERS: '1',
      DOCKET_VECTORS: 'pgvector',
    },
    { isIndexPending: true },
  )
}

async function untilGraph(): Promise<void> {
  for (;;) {
    const rows = await database.rows(sql`
      select from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'docket_vectors.chunk'::regclass and i.indisvalid and c.relname like 'graph%'`)
    if (rows.length > 0) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function measure(name: string, key: string) {
  const client = vectorClient(first.address, key, 'vectors')
  for (let warm = 0; warm < 50; warm++) await client.search(draw(), k)
  const queries = Array.from({ length: searches }, draw)
  const docket = cpuSecondsOf(first.processId)
  const before = cpuSecondsOf(postgres)
  const ms: number[] = []
  for (const query of queries) {
    const from = performance.now()
    await client.search(query, k)
    ms.push(performance.now() - from)
  }
  const docketMs = ((cpuSecondsOf(first.processId) - docket) * 1_000) / searches
  const postgresMs = ((cpuSecondsOf(postgres) - before) * 1_000) / searches
  console.log(name, quantile(ms, 0.5), docketMs, postgresMs)
  return { name, p50Ms: quantile(ms, 0.5), docketMs, postgresMs }
}

/** Compared with every stored vector. */
async function recallOf(): Promise<number> {
  const units = sample.map(unitLength)
  let found = 0
  for (let at = 0; at < exactQueries; at++) {
    const query = draw()
    const unit = unitLength(query)
    const nearest = units
      .map((vector, place) => ({ place, similarity: similarityOf(vector, unit) }))
      .sort((one, two) => two.similarity - one.similarity)
      .slice(0, k)
    const ids = new Set((await one.search(query, k)).map(({ docId }) => docId))
    found += nearest.filter(({ place }) => ids.has(`v${place}`)).length
  }
  return found / (exactQueries * k)
}
