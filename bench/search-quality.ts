/**
 * How well documents are found: nDCG@10, MAP and recall over HTTP, with the settings that ship.
 *
 *   npm run bench:search-quality -- FOLDER [FOLDER …]
 *
 * A folder holds a test collection: corpus.jsonl {id, title, text}, queries.jsonl {id, text}, qrels.tsv (query id, document
 * id, gain). A folder of such folders stands for all of them. Each is loaded into a collection of its own of a server that
 * is started for it; a document counts at the rank of its first chunk.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureRankings } from '../src/documents/evaluate/measure-ranking.ts'
import { spawnDocket } from '../test/harness/spawn-docket.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import {
  type CorpusDocument,
  collectionFolders,
  loadableText,
  readJudgedCollection,
} from './search/judged-collections.ts'

const password = 'search-quality-bench'
const atOnce = 8
/** Enough chunks for the first 100 documents, several chunks each. */
const chunksOfQuery = 500

const folders = collectionFolders(process.argv.slice(2))
if (folders.length === 0) {
  console.error('Name folders with corpus.jsonl, queries.jsonl and qrels.tsv.')
  process.exit(2)
}

const dataDir = mkdtempSync(join(tmpdir(), 'docket-quality-'))
const docket = await spawnDocket({ DOCKET_DATA_DIR: dataDir, DOCKET_DEMO: 'off', DOCKET_ADMIN_PASSWORD: password })
interface Quality {
  readonly collection: string
  readonly documents: number
  readonly queries: number
  readonly ndcg10: number
  readonly map: number
  readonly recall10: number
  readonly recall100: number
  readonly documentsPerSecond: number
  readonly msPerQuery: number
}

const machine = describeMachine()
try {
  const measured: Quality[] = []
  for (const folder of folders) {
    measured.push(await measure(folder))
    console.log(rowOf(measured.at(-1) as Quality).join('  '))
  }
  writeResults('search-quality', { machine, measured }, pageOf(measured))
} finally {
  await docket.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function measure(folder: string): Promise<Quality> {
  const { name, documents: corpus, queries, judgements } = readJudgedCollection(folder)
  const loadSeconds = await seconds(() => each(corpus, (document) => load(name, document)))
  const rankings = new Map<string, readonly string[]>()
  const searchSeconds = await seconds(async () => {
    for (const { id, text } of queries) rankings.set(id, await search(name, text))
  })
  const { ndcg10, map, recall10, recall100, queries: count } = measureRankings(rankings, judgements)
  return {
    collection: name,
    documents: corpus.length,
    queries: count,
    ndcg10,
    map,
    recall10,
    recall100,
    documentsPerSecond: corpus.length / loadSeconds,
    msPerQuery: (searchSeconds * 1_000) / Math.max(queries.length, 1),
  }
}

function rowOf({ collection, documents, queries, documentsPerSecond, msPerQuery, ...ranked }: Quality): string[] {
  const measures = [ranked.ndcg10, ranked.map, ranked.recall10, ranked.recall100]
  return [
    collection,
    String(documents),
    String(queries),
    ...measures.map((measure) => measure.toFixed(4)),
    documentsPerSecond.toFixed(0),
    msPerQuery.toFixed(1),
  ]
}

function pageOf(measured: readonly Quality[]): readonly string[] {
  return [
    `Over HTTP, with the settings that ship, the same for all; ${atOnce} loads at once, one search at a time, k = ${chunksOfQuery}. A document counts at the rank of its first chunk.`,
    '',
    ...table(
      ['collection', 'documents', 'queries', 'nDCG@10', 'MAP', 'recall@10', 'recall@100', 'loads/s', 'ms a query'],
      measured.map(rowOf),
    ),
  ]
}

async function load(collection: string, document: CorpusDocument): Promise<void> {
  const { id, title } = document
  const text = loadableText(document)
  if (text === undefined) return
  const metadata = { doc_id: id, ...(title === undefined || title === '' ? {} : { title }) }
  await call('POST', `/load_text_to_collection?collection_name=${encodeURIComponent(collection)}`, { metadata, text })
}

async function search(collection: string, query: string): Promise<readonly string[]> {
  const response = await call('POST', `/get_relevant_documents?k=${chunksOfQuery}`, {
    query: query.slice(0, 8_000),
    collection_names: [collection],
    highlight: false,
  })
  return [...new Set((response as { data: readonly { doc_id: string }[] }).data.map(({ doc_id }) => doc_id))]
}

async function call(method: string, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${docket.address}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const take = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, take))
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}
