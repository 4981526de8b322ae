import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import type { ChunkResponse } from '../../contract/search.ts'
import { type Judgements, measureRankings, type RankingMeasures } from '../../documents/evaluate/measure-ranking.ts'
import { type JudgedQuery, readJudgements, readQueries } from '../../documents/evaluate/read-judgements.ts'
import type { Result } from '../../kernel/result.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { findSources } from './find-sources.ts'
import { loadAll } from './load-command.ts'
import { openServerClient, type ServerClient, type ServerOption } from './server-client.ts'
import { showProgress } from './show-progress.ts'

interface EvaluateOptions extends ServerOption {
  readonly collection: string
  readonly queries?: string
  readonly qrels?: string
  readonly mode?: 'lexical' | 'hybrid'
  readonly report?: string
  readonly load?: true
}

/** `docket documents evaluate …` */
export function registerEvaluate(documents: Command, serverOption: () => Option): void {
  documents
    .command('evaluate')
    .description('measure how well a collection answers judged questions: nDCG@10, MAP, recall@10, recall@100')
    .argument(
      '[folder]',
      'with queries.jsonl {id, text}, qrels.tsv (query id, doc_id, gain) and, for --load, corpus.jsonl',
    )
    .requiredOption('--collection <name>')
    .option('--queries <file>', 'instead of queries.jsonl of the folder')
    .option('--qrels <file>', 'instead of qrels.tsv of the folder')
    .option('--load', 'load corpus.jsonl {id, title, text} of the folder into the collection first')
    .addOption(
      new Option('--mode <mode>', 'how to search (default: as the server does)').choices(['lexical', 'hybrid']),
    )
    .option('--report <file>', 'write the measures of every question as JSON')
    .addOption(serverOption())
    .action(async (folder: string | undefined, options: EvaluateOptions) => {
      const client = openServerClient(options)
      const { queries, judgements } = await readTask(folder, options)
      if (options.load) await loadCorpus(client, folder, options.collection)
      const { rankings, modes } = await searchAll(client, queries, options)
      const measures = measureRankings(rankings, judgements)
      if (options.report !== undefined)
        await writeFile(options.report, reportOf({ options, queries, judgements, rankings, modes, measures }))
      console.log(tableOf(measures, [...modes].join(', ')))
    })
}

interface Task {
  readonly queries: readonly JudgedQuery[]
  readonly judgements: ReadonlyMap<string, Judgements>
}

/** Only queries with at least one document judged relevant. */
async function readTask(folder: string | undefined, options: EvaluateOptions): Promise<Task> {
  const queriesFile = fileOf('queries.jsonl', folder, options.queries, '--queries')
  const qrelsFile = fileOf('qrels.tsv', folder, options.qrels, '--qrels')
  const judgements = readOrFail(qrelsFile, readJudgements(await readText(qrelsFile)))
  const all = readOrFail(queriesFile, readQueries(await readText(queriesFile)))
  const queries = all.filter(({ id }) => [...(judgements.get(id)?.values() ?? [])].some((gain) => gain > 0))
  if (queries.length === 0)
    throw new StartFailure(`No question of ${queriesFile} is judged in ${qrelsFile}: are their ids the same?`)
  return { queries, judgements: new Map(queries.map(({ id }) => [id, judgements.get(id) ?? new Map()])) }
}

function fileOf(name: string, folder: string | undefined, given: string | undefined, option: string): string {
  if (given !== undefined) return given
  if (folder !== undefined) return join(folder, name)
  throw new StartFailure(`Name a folder with ${name}, or the file by ${option}.`, { exitCode: 2 })
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new StartFailure(`${path} cannot be read (${code}): name a file that is there.`, {
      exitCode: 2,
      cause: error,
    })
  }
}

function readOrFail<T>(path: string, read: Result<T, string>): T {
  if (read.ok) return read.value
  throw new StartFailure(`${path} cannot be used: ${read.error}.`)
}

async function loadCorpus(client: ServerClient, folder: string | undefined, collection: string): Promise<void> {
  const corpus = folder === undefined ? undefined : join(folder, 'corpus.jsonl')
  if (corpus === undefined || !existsSync(corpus))
    throw new StartFailure('--load needs a folder with corpus.jsonl.', { exitCode: 2 })
  const { refused, isInterrupted } = await loadAll(client, await findSources([corpus], ''), { collection, parallel: 8 })
  if (isInterrupted || refused > 0)
    throw new StartFailure(`${corpus} is not loaded as a whole, so measures would say nothing: run it again.`)
}

/** Enough chunks for the first 100 documents, several chunks each. */
const chunksOfQuery = 500
const maxQueryUnits = 8_000

async function searchAll(
  client: ServerClient,
  queries: readonly JudgedQuery[],
  { collection, mode }: EvaluateOptions,
): Promise<{ readonly rankings: ReadonlyMap<string, readonly string[]>; readonly modes: ReadonlySet<string> }> {
  const rankings = new Map<string, readonly string[]>()
  const modes = new Set<string>()
  const progress = showProgress({ unit: 'questions', total: queries.length, out: process.stderr })
  try {
    for (const { id, text } of queries) {
      if (text.length > maxQueryUnits) progress.note(`question ${id} is cut to ${maxQueryUnits} characters`)
      const body = {
        query: text.slice(0, maxQueryUnits),
        collection_names: [collection],
        highlight: false,
        ...(mode === undefined ? {} : { mode }),
      }
      const query = { k: String(chunksOfQuery) }
      const response = await client.send({ method: 'POST', path: '/get_relevant_documents', query, body })
      if (!response.ok) throw new StartFailure(`${client.address} rejects the query ${id}: ${response.message}`)
      const found = response.body as { readonly data: readonly ChunkResponse[]; readonly mode: string }
      // A document counts at the rank of its first chunk.
      rankings.set(id, [...new Set(found.data.map(({ doc_id }) => doc_id))])
      modes.add(found.mode)
      progress.step(text)
    }
    return { rankings, modes }
  } finally {
    progress.end()
  }
}

function tableOf({ queries, ndcg10, map, recall10, recall100 }: RankingMeasures, mode: string): string {
  const rows: readonly (readonly [string, string])[] = [
    ['questions', String(queries)],
    ['mode', mode],
    ['nDCG@10', ndcg10.toFixed(4)],
    ['MAP', map.toFixed(4)],
    ['recall@10', recall10.toFixed(4)],
    ['recall@100', recall100.toFixed(4)],
  ]
  return rows.map(([name, value]) => `${name.padEnd(12)}${value}`).join('\n')
}

interface Report extends Task {
  readonly options: EvaluateOptions
  readonly rankings: ReadonlyMap<string, readonly string[]>
  readonly modes: ReadonlySet<string>
  readonly measures: RankingMeasures
}

function reportOf({ options, queries, judgements, rankings, modes, measures }: Report): string {
  const questions = queries.map(({ id, text }) => {
    const ranking = rankings.get(id) ?? []
    const gains = judgements.get(id) ?? new Map<string, number>()
    const { queries: _, ...own } = measureRankings(new Map([[id, ranking]]), new Map([[id, gains]]))
    const missed = [...gains].filter(([docId, gain]) => gain > 0 && !ranking.includes(docId)).map(([docId]) => docId)
    return { id, text, ...own, first: ranking.slice(0, 10), missed }
  })
  return `${JSON.stringify({ collection: options.collection, modes: [...modes], ...measures, questions }, null, 2)}\n`
}
