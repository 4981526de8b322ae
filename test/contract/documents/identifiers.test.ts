import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DocumentStage, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  for (const [id, text] of [
    ['a', 'INC0012345: the printer of room 5 jams.'],
    ['b', 'ERR-42 means that the toner is empty.'],
    ['c', 'The printer is warm.'],
  ])
    await stage.send('writer', 'POST /load_text_to_collection?collection_name=ids', { text, metadata: { doc_id: id } })
})
afterAll(() => stage.close())

interface Found {
  readonly data: readonly { readonly doc_id: string; readonly relevance: number }[]
  readonly corrections?: unknown
  readonly did_you_mean?: unknown
}
const search = async (query: string, more = ''): Promise<Found> =>
  (
    await stage.send('reader', `POST /get_relevant_documents?query=${encodeURIComponent(query)}${more}`, {
      collection_names: ['ids'],
    })
  ).body as Found

test.each(['INC0012346', 'inc0012346', 'INC-0012346', 'INC 0012346', 'ERR-43', 'err43', 'INC0012346 pritner'])(
  'the identifier in "%s" is not corrected to another one, and a document with another one is no result',
  async (query) => {
    const { data, corrections, did_you_mean } = await search(query)
    expect(JSON.stringify([corrections ?? [], did_you_mean ?? ''])).not.toMatch(/12345|42/)
    expect(data.filter(({ relevance }) => relevance > 0.2)).toEqual([])
    expect((await search(query, '&min_relevance=0.3')).data).toEqual([])
  },
)

test.each([
  ['INC0012345', 'a'],
  ['inc12345', 'a'],
  ['12345', 'a'],
  ['ERR-42', 'b'],
  ['err 42', 'b'],
])('an identifier finds the document that has it, as a whole and by its parts: %s', async (query, id) => {
  const { data } = await search(query, '&min_relevance=0.3')
  expect(data.map(({ doc_id }) => doc_id)).toEqual([id])
})

test('a text that is the query, but for order and punctuation, has the relevance of an equal text', async () => {
  await stage.send('writer', 'POST /load_text_to_collection?collection_name=equal', {
    text: 'ERR-43 printer.',
    metadata: { doc_id: 'same' },
  })
  const { body } = await stage.send('reader', 'POST /get_relevant_documents?query=printer%20ERR-43', {
    collection_names: ['equal'],
  })
  expect((body as Found).data.map(({ doc_id, relevance }) => [doc_id, relevance >= 0.95])).toEqual([['same', true]])
})
