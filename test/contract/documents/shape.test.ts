import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentStage, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  const texts: Readonly<Record<string, string>> = {
    manual: Array.from(
      { length: 6 },
      (_, part) =>
        `# Part ${part}\n\nThe printer of part ${part} is replaced. ${'Long other words follow here. '.repeat(30)}`,
    ).join('\n\n'),
    copy1: 'Restart the printer when the toner is low.',
    copy2: 'Restart the printer, when the toner is LOW!',
    near: 'Restart the printer when the toner light is on.',
    other: 'A printer needs paper.',
    fax: 'The fax machine is gone.',
  }
  for (const [doc_id, text] of Object.entries(texts)) {
    const loaded = await stage.send('writer', 'POST /load_text_to_collection?collection_name=shape', {
      metadata: { doc_id },
      text,
    })
    expect(loaded.status, loaded.text).toBe(200)
  }
})
afterAll(() => stage.close())

interface Hit {
  readonly doc_id: string
  readonly chunk_index: number
  readonly relevance: number
  readonly text: string
  readonly duplicates?: readonly unknown[]
  readonly context?: readonly { readonly chunk_index: number; readonly text: string }[]
}
async function search(query: string, requested: object): Promise<readonly Hit[]> {
  const body = { query, collection_names: ['shape'], k: 20, highlight: false, ...requested }
  const response = await stage.send('reader', 'POST /get_relevant_documents', body)
  expect(response.status, response.text).toBe(200)
  return (response.body as { data: readonly Hit[] }).data
}
const idsOf = (hits: readonly Hit[]) => hits.map(({ doc_id }) => doc_id)

describe('the shape of a response (issue 11, 3.1 and 3.2)', () => {
  test('relevance is 1 for the text itself, low for another text, and does not depend on the filter or k', async () => {
    const [first, ...others] = await search('Restart the printer when the toner is low.', {})
    expect(first).toMatchObject({ doc_id: 'copy1', relevance: 1 })
    expect(others.find(({ doc_id }) => doc_id === 'other')?.relevance).toBeLessThan(0.1)
    const filtered = await search('printer toner', { metadata: 'doc_id=near', k: 1 })
    const all = await search('printer toner', {})
    expect(filtered).toEqual(all.filter(({ doc_id }) => doc_id === 'near'))
  })

  test('details adds when the document was loaded, as the list of documents says it', async () => {
    const listed = await stage.send('reader', 'GET /get_list_of_documents_names?collection_name=shape&details=1')
    const { data } = listed.body as { data: readonly { readonly doc_id: string; readonly loaded_at: string }[] }
    const loadedAt = new Map(data.map((each) => [each.doc_id, each.loaded_at]))
    const without = await search('printer toner', {})
    const hits = await search('printer toner', { details: true })
    expect(hits.length).toBeGreaterThan(3)
    expect(hits).toEqual(without.map((hit) => ({ ...hit, loaded_at: loadedAt.get(hit.doc_id) })))
    expect(hits[0]).toHaveProperty('loaded_at')
    expect(without[0]).not.toHaveProperty('loaded_at')
  })

  test('min_relevance leaves out what is less relevant, and fills the response from below', async () => {
    const all = await search('printer toner', {})
    const min = all[2]?.relevance ?? 0
    expect(await search('printer toner', { min_relevance: min })).toEqual(
      all.filter(({ relevance }) => relevance >= min),
    )
    expect(await search('printer toner', { min_relevance: 1 })).toEqual([])
  })

  test('group_by=document has the best chunks of each document together; k counts documents', async () => {
    const chunks = await search('printer', {})
    const documents = [...new Set(idsOf(chunks))]
    expect(chunks.length).toBeGreaterThan(documents.length)
    expect(idsOf(await search('printer', { group_by: 'document' }))).toEqual(documents)
    expect(idsOf(await search('printer', { group_by: 'document', k: 2 }))).toEqual(documents.slice(0, 2))
    const two = await search('printer', { group_by: 'document', group_size: 2 })
    const expected = documents.flatMap((id) => chunks.filter(({ doc_id }) => doc_id === id).slice(0, 2))
    expect(two).toEqual(expected)
  })

  test('collapse=duplicates names the chunks with the same words beside the best', async () => {
    const hits = await search('toner', { collapse: 'duplicates' })
    expect(idsOf(hits).sort()).toEqual(['copy1', 'near'])
    const kept = hits.find(({ doc_id }) => doc_id === 'copy1')
    expect(kept?.duplicates).toEqual([{ doc_id: 'copy2', collection_name: 'shape', chunk_index: 0 }])
  })

  test('diversity puts back what repeats better chunks, and 0 changes nothing', async () => {
    const ranked = await search('restart printer toner', { k: 4 })
    expect(idsOf(ranked).slice(0, 3).sort()).toEqual(['copy1', 'copy2', 'near'])
    expect(await search('restart printer toner', { k: 4, diversity: 0 })).toEqual(ranked)
    const diverse = await search('restart printer toner', { k: 2, diversity: 0.9 })
    expect(idsOf(diverse)[0]).toBe('copy1')
    expect(['copy2', 'near']).not.toContain(idsOf(diverse)[1])
  })

  test('context has the chunks before and after, in the order of the text', async () => {
    const all = await search('printer', { metadata: 'doc_id=manual' })
    const middle = all.find(({ chunk_index }) => chunk_index === 2)
    const [hit] = (await search('printer', { metadata: 'doc_id=manual', context: 1 })).filter(
      ({ chunk_index }) => chunk_index === 2,
    )
    const { context, ...rest } = hit ?? {}
    expect(rest).toEqual(middle)
    expect(context?.map(({ chunk_index }) => chunk_index)).toEqual([1, 3])
    const [alone] = await search('fax', { context: 2 })
    expect(alone?.context).toEqual([])
  })

  test.each([
    ['min_relevance', 2, 'a number from 0 to 1'],
    ['diversity', 'x', 'a number from 0 to 1'],
    ['group_by', 'page', 'document'],
    ['collapse', 'all', 'duplicates'],
    ['group_size', 2, 'document, with group_size'],
  ])('%s=%s is 400', async (name, value, expected) => {
    const response = await stage.send('reader', 'POST /get_relevant_documents', { query: 'a', [name]: value })
    expect(response.status).toBe(400)
    expect(response.text).toContain(expected)
  })
})
