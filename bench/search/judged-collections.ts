/** Test collections with human judgements, loaded and searched in this process: the quality of ranking alone. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type ChunkSizes, defaultChunkSizes } from '../../src/documents/chunk/chunk-text.ts'
import { splitText } from '../../src/documents/chunk/prepare-text.ts'
import { type Judgements, measureRankings, type RankingMeasures } from '../../src/documents/evaluate/measure-ranking.ts'
import { type JudgedQuery, readJudgements, readQueries } from '../../src/documents/evaluate/read-judgements.ts'
import { defaultExtractionLimits } from '../../src/extraction/extraction-limits.ts'
import { quotationsOf } from '../../src/search-engine/ranking/phrases.ts'
import { queryTerms } from '../../src/search-engine/ranking/query-terms.ts'
import { rankChunks } from '../../src/search-engine/ranking/rank-chunks.ts'
import type { SearchedPart } from '../../src/search-engine/ranking/score-part.ts'
import { buildSegment } from '../../src/search-engine/segments/build-segment.ts'
import { type IndexedText, termsOfDocument } from '../../src/search-engine/segments/document-terms.ts'

export interface CorpusDocument {
  readonly id: string
  readonly title?: string
  readonly text: string
}

export interface JudgedCollection {
  readonly name: string
  readonly documents: readonly CorpusDocument[]
  /** Queries with judgements. */
  readonly queries: readonly JudgedQuery[]
  readonly judgements: ReadonlyMap<string, Judgements>
}

export function readJudgedCollection(folder: string): JudgedCollection {
  const queries = readQueries(readFileSync(join(folder, 'queries.jsonl'), 'utf8'))
  const judgements = readJudgements(readFileSync(join(folder, 'qrels.tsv'), 'utf8'))
  if (!queries.ok) throw new Error(`${folder}: ${queries.error}`)
  if (!judgements.ok) throw new Error(`${folder}: ${judgements.error}`)
  return {
    name: basename(folder),
    documents: linesOf(join(folder, 'corpus.jsonl')).map((line) => JSON.parse(line) as CorpusDocument),
    queries: queries.value.filter(({ id }) => judgements.value.has(id)),
    judgements: judgements.value,
  }
}

/** Folders that are test collections; a folder of such folders means all of them. */
export function collectionFolders(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => (isCollection(folder) ? [folder] : foldersIn(folder).filter(isCollection)))
}

/**
 * A text without a letter or digit is rejected by the server: a document of a title alone has its title as its text.
 *
 * @returns undefined: the document has neither
 */
export function loadableText({ text, title = '' }: CorpusDocument): string | undefined {
  return [text, title].find((each) => /[\p{L}\p{N}]/u.test(each))
}

export interface IndexedCollection {
  readonly texts: readonly IndexedText[]
  readonly parts: readonly SearchedPart[]
  readonly languages: readonly string[]
}

/** Split, analysed and indexed as on the server. */
export function indexCollection(
  { documents }: Pick<JudgedCollection, 'documents'>,
  sizes = defaultChunkSizes,
): IndexedCollection {
  const texts = documents.flatMap((document, at) => indexedText(document, at + 1, sizes) ?? [])
  const segment = buildSegment(texts.map(termsOfDocument))
  const length = segment.chunkLength.reduce((sum, units) => sum + units, 0)
  return {
    texts,
    parts: [{ segment, hidden: null, chunks: segment.chunkCount, length }],
    languages: [...new Set(texts.flatMap(({ language }) => language ?? []))],
  }
}

function indexedText(document: CorpusDocument, id: number, sizes: ChunkSizes): IndexedText | undefined {
  const text = loadableText(document)
  if (text === undefined) return undefined
  const cut = splitText({
    source: { kind: 'sent', text, limits: defaultExtractionLimits },
    title: document.title || null,
    fallbackTitle: null,
    sizes,
  })
  if (!cut.ok) throw new Error(`${document.id}: ${cut.error.kind}`)
  const { title, language, chunks } = cut.value
  return {
    id,
    docId: document.id,
    title,
    language,
    chunks: chunks.map(({ from, to, headingPath }) => ({ text: cut.value.text.slice(from, to), headingPath })),
  }
}

/** nDCG@10 and the like; a document counts at the rank of its first chunk. */
export function measureCollection(
  collection: JudgedCollection,
  indexed = indexCollection(collection),
): RankingMeasures {
  const names = new Map(indexed.texts.map(({ id, docId }) => [id, docId]))
  const rankings = new Map(
    collection.queries.map(({ id, text }) => {
      const { terms, pairs, phrases } = queryTerms(text, indexed.languages)
      const quoting = rankChunks(indexed.parts, terms, { k: 500, pairs, phrases }).ranked
      const isHeld = quoting.length > 0 || quotationsOf(text).isRequired
      const ranked = isHeld ? quoting : rankChunks(indexed.parts, terms, { k: 500, pairs }).ranked
      return [id, [...new Set(ranked.map(({ documentId }) => names.get(documentId) ?? ''))]]
    }),
  )
  return measureRankings(rankings, collection.judgements)
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
}

function isCollection(folder: string): boolean {
  return ['corpus.jsonl', 'queries.jsonl', 'qrels.tsv'].every((file) => existsSync(join(folder, file)))
}

function foldersIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
}
