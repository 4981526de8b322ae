/**
 * CPU time of what an index is made by, without database and threads: segments of kept terms, of a thousand documents each, and one
 * segment of these. By turns in one process, so that other work on the machine meets both checkouts alike.
 *
 *   --chunks 80000
 *   --before FOLDER   another checkout, compared with this one; their segments are compared, too
 *   --rounds 7        after one that is not counted
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type * as Build from '../src/search-engine/segments/build-from-packed.ts'
import { buildSegment } from '../src/search-engine/segments/build-segment.ts'
import { termsOfDocument } from '../src/search-engine/segments/document-terms.ts'
import type * as Merge from '../src/search-engine/segments/merge-segments.ts'
import type * as Packed from '../src/search-engine/segments/packed-terms.ts'
import { packTerms } from '../src/search-engine/segments/packed-terms.ts'
import { printSpread, spreadOf } from './measure/figures.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'
import { chunksOfDocument, makeCorpus } from './search/corpus.ts'

const { values: given } = parseArgs({
  options: {
    chunks: { type: 'string', default: '80000' },
    before: { type: 'string' },
    rounds: { type: 'string', default: '7' },
  },
})
const chunks = Number(given.chunks)
const rounds = Number(given.rounds)
/** As the index builds them. */
const documentsOfBatch = 1_000

interface Checkout {
  readonly name: string
  readonly packed: typeof Packed
  readonly build: typeof Build
  readonly merge: typeof Merge
  readonly figures: { readonly build: number[]; readonly merge: number[] }
}

const machine = describeMachine()
const kept = keptTerms()
const checkouts = [
  ...(given.before === undefined ? [] : [await openCheckout('before', given.before)]),
  await openCheckout('now', '.'),
]
for (let round = 0; round <= rounds; round++) {
  const found = checkouts.map((checkout) => measure(checkout, round > 0))
  if (found.some((merged) => !merged.equals(found[0] ?? merged))) throw new Error('the checkouts merge to other bytes')
}
writeResults(
  'index-cpu',
  { machine, chunks, rounds, checkouts: checkouts.map(({ name, figures }) => ({ name, figures })) },
  [
    `${chunks} chunks in documents of ${chunksOfDocument}, ${documentsOfBatch} documents in a segment; ${rounds} rounds by turns in one process after one that is not counted; µs of CPU of the thread for a chunk, median (lowest–highest).`,
    '',
    ...table(
      ['', ...checkouts.map(({ name }) => name)],
      [
        ['segments of kept terms', ...checkouts.map(({ figures }) => printSpread(spreadOf(figures.build)))],
        ['one segment of these', ...checkouts.map(({ figures }) => printSpread(spreadOf(figures.merge)))],
      ],
    ),
  ],
)

async function openCheckout(name: string, folder: string): Promise<Checkout> {
  const load = (file: string) => import(pathToFileURL(resolve(folder, 'src/search-engine/segments', file)).href)
  return {
    name,
    packed: await load('packed-terms.ts'),
    build: await load('build-from-packed.ts'),
    merge: await load('merge-segments.ts'),
    figures: { build: [], merge: [] },
  }
}

/** Of each document. */
function keptTerms(): readonly Uint8Array[] {
  const terms: Uint8Array[] = []
  for (const { id, title, text } of makeCorpus(1).documents(chunks)) {
    const length = Math.ceil(text.length / chunksOfDocument)
    const parts = Array.from({ length: chunksOfDocument }, (_, at) => text.slice(at * length, (at + 1) * length))
    const document = { id: terms.length + 1, docId: id, title, language: null }
    const made = termsOfDocument({ ...document, chunks: parts.map((part) => ({ text: part, headingPath: [] })) })
    terms.push(packTerms(buildSegment([made])))
  }
  return terms
}

/** @returns the bytes of the merged segment */
function measure({ packed, build, merge, figures }: Checkout, isCounted: boolean): Buffer {
  const began = microseconds()
  const segments = []
  for (let from = 0; from < kept.length; from += documentsOfBatch) {
    const batch = kept.slice(from, from + documentsOfBatch)
    const opened = batch.flatMap((bytes, at) => packed.openPackedTerms(from + at + 1, bytes) ?? [])
    segments.push(build.buildFromPacked(opened))
  }
  const built = microseconds()
  const merged = merge.mergeSegments(segments, new Set())
  const ended = microseconds()
  if (isCounted) {
    figures.build.push((built - began) / chunks)
    figures.merge.push((ended - built) / chunks)
  }
  return Buffer.from(merged.buffer)
}

function microseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
