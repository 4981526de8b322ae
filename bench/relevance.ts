/**
 * npm run bench:relevance -- FOLDER…: the values of `relevance` on test collections (docs/decisions/0019), in this process.
 *
 *   equal text   minimum relevance of a chunk for its own text as the query
 *   random       95th percentile of the relevance of a random chunk for a query
 *   precision    share of the chunks with relevance >= 0.5 among the best 10 whose document a person judged relevant
 */

import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { collectionFolders, readJudgedCollection } from './search/judged-collections.ts'
import { measureRelevance } from './search/measure-relevance.ts'

const folders = collectionFolders(process.argv.slice(2))
if (folders.length === 0) {
  console.error('Name folders with corpus.jsonl, queries.jsonl and qrels.tsv.')
  process.exit(2)
}
const measured = folders.map((folder) => measureRelevance(readJudgedCollection(folder)))
const rows = measured.map(({ name, equalText, random95, chunksAtHalf, precisionAtHalf }) => [
  name,
  equalText.toFixed(4),
  random95.toFixed(4),
  String(chunksAtHalf),
  precisionAtHalf.toFixed(3),
])
const page = table(['collection', 'equal text, least', 'random, p95', 'chunks >= 0.5', 'precision of these'], rows)
writeResults('relevance', { machine: describeMachine(), measured }, page)
