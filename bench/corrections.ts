/**
 * npm run bench:corrections -- FOLDER…: for 1,000 queries of test collections with one generated mistake each, the share with the same
 * first result as without the mistake; and for queries that need no correction, how many get another response. In this process.
 */
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { collectionFolders, readJudgedCollection } from './search/judged-collections.ts'
import { measureCorrections, measureCorrectQueries } from './search/measure-corrections.ts'

const collections = collectionFolders(process.argv.slice(2)).map(readJudgedCollection)
if (collections.length === 0) {
  console.error('Name folders with corpus.jsonl, queries.jsonl and qrels.tsv.')
  process.exit(2)
}
const mistakes = 1_000
const measured = [
  { name: 'all together', ...measureCorrections(collections, mistakes), correct: null },
  ...collections.map((collection) => ({
    name: collection.name,
    ...measureCorrections([collection], mistakes),
    correct: measureCorrectQueries(collection),
  })),
]
const page = table(
  ['collection', 'queries with a mistake', 'find the same first', 'queries without', 'of these changed'],
  measured.map(({ name, queries, share, correct }) => [
    name,
    String(queries),
    share.toFixed(3),
    correct === null ? '' : String(correct.queries),
    correct === null ? '' : String(correct.changed),
  ]),
)
writeResults('corrections', { machine: describeMachine(), measured }, page)
