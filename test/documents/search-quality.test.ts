import { expect, test } from 'vitest'
import { collectionFolders, measureCollection, readJudgedCollection } from '../../bench/search/judged-collections.ts'
import { measureCorrections, measureCorrectQueries } from '../../bench/search/measure-corrections.ts'
import { measureRelevance } from '../../bench/search/measure-relevance.ts'
import { articleCollections } from './article-collections.ts'

/**
 * A folder of test collections that people judged (bench/search-quality.ts says of what). They are data of others and no part of
 * the project, so without the folder only the articles of the demo desk are searched.
 */
const folder = process.env['DOCKET_JUDGED_COLLECTIONS']
const judged = folder === undefined ? [] : collectionFolders([folder]).map(readJudgedCollection)
const collections = [...articleCollections(), ...judged]

/** nDCG@10 with one setting for all (docs/decisions/0018). */
const min: Readonly<Record<string, number>> = {
  'articles-en': 0.88,
  'articles-ru': 0.84,
  ...(folder === undefined ? {} : { cranfield: 0.39, cacm: 0.525, 'passages-ru': 0.84 }),
}

test('judged collections are ranked at least as well as decided (issue 11, 3.6)', () => {
  const measured = collections.map((collection) => ({
    name: collection.name,
    ndcg10: measureCollection(collection).ndcg10,
  }))
  expect(measured.map(({ name }) => name).sort()).toEqual(Object.keys(min).sort())
  for (const { name, ndcg10 } of measured) expect({ name, ok: ndcg10 >= (min[name] ?? 1) }).toEqual({ name, ok: true })
}, 120_000)

test('on judged collections relevance is 1 for equal texts, low for random ones, and right in four of five from 0.5 on (issue 11, 3.1)', () => {
  for (const collection of collections) {
    const { name, equalText, random95, chunksAtHalf, precisionAtHalf } = measureRelevance(collection)
    const isRight = equalText >= 0.95 && random95 <= 0.1 && precisionAtHalf >= 0.8 && chunksAtHalf > 0
    expect({ name, isRight }).toEqual({ name, isRight: true })
  }
}, 600_000)

test('of 1,000 queries with a mistake, most find what the query without it finds first (issue 11, 3.4)', () => {
  const measured = [
    { least: 0.93, searched: articleCollections() },
    { least: 0.85, searched: judged },
  ].filter(({ searched }) => searched.length > 0)
  for (const { least, searched } of measured) {
    const { queries, share } = measureCorrections(searched, 1_000)
    expect({ queries, isEnough: share >= least }).toEqual({ queries: 1_000, isEnough: true })
  }
}, 600_000)

test('queries that need no correction get the same response with corrections and without, byte for byte (issue 11, 3.4)', () => {
  for (const collection of collections) {
    const { queries, changed } = measureCorrectQueries(collection)
    expect({ name: collection.name, changed, isMost: queries > collection.queries.length / 2 }).toEqual({
      name: collection.name,
      changed: 0,
      isMost: true,
    })
  }
}, 600_000)
