import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentStage, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  const texts: Readonly<Record<string, string>> = {
    hamlet: 'To be, or not to be, that is the question: whether it is nobler in the mind to suffer.',
    other: 'It is not the printer that has to be repaired, or to be thrown away. To be sure, or not, ask before.',
    department: 'IT has the keys to the printers.',
    band: 'The The were a band.',
    ru: 'Быть или не быть, вот в чём вопрос.',
    aqua: '水道の料金は東京都が決めます。',
    tokyo: '東京では水曜日に会議があります。',
    mixed: '请使用VPN连接到公司网络。',
    half: 'ﾌﾟﾘﾝﾀｰの設定',
    korean: '프린터를 다시 시작하세요. 물을 마셔요.',
    thai: 'เครื่องพิมพ์ไม่ทำงาน กรุณาติดต่อฝ่ายไอที',
  }
  for (const [doc_id, text] of Object.entries(texts)) {
    const metadata = { doc_id, ...(doc_id === 'band' ? { title: 'Who are they?' } : {}) }
    const loaded = await stage.send('writer', 'POST /load_text_to_collection?collection_name=words', { metadata, text })
    expect(loaded.status, loaded.text).toBe(200)
  }
})
afterAll(() => stage.close())

interface Hit {
  readonly doc_id: string
  readonly relevance: number
  readonly text: string
  readonly highlights: readonly (readonly [number, number])[]
  readonly explain?: readonly { readonly term: string }[]
}
async function search(query: string, more: object = {}): Promise<readonly Hit[]> {
  const body = { query, collection_names: ['words'], k: 20, ...more }
  const response = await stage.send('reader', 'POST /get_relevant_documents', body)
  expect(response.status, response.text).toBe(200)
  return (response.body as { data: readonly Hit[] }).data
}
const idsOf = (hits: readonly Hit[]) => hits.map(({ doc_id }) => doc_id)
const highlighted = ({ text, highlights }: Hit) => highlights.map(([from, to]) => text.slice(from, to))

describe('queries of stop words only (issue 11, 3.5)', () => {
  test.each([
    ['to be or not to be', 'hamlet'],
    ['"to be or not to be"', 'hamlet'],
    ['IT', 'department'],
    ['не быть', 'ru'],
    ['in the mind', 'hamlet'],
    ['who are they', 'band'],
  ])('%s finds %s first', async (query, first) => {
    expect(idsOf(await search(query))[0]).toBe(first)
  })

  test('any of them may match; chunks with the words in their order come first, whatever k is', async () => {
    const all = idsOf(await search('to be or not to be'))
    expect(all).toContain('other')
    expect(idsOf(await search('to be or not to be', { k: 1 }))).toEqual(all.slice(0, 1))
    expect(idsOf(await search('"to be or not to be"'))).toEqual(['hamlet'])
    expect(idsOf(await search('"or not or"'))).toEqual([])
  })

  test('beside other words they say nothing', async () => {
    expect(idsOf(await search('to be or not to be the printer'))).toEqual(idsOf(await search('printer')))
    expect(idsOf(await search('IT printer')).sort()).toEqual(['department', 'other'])
  })

  test('they are highlighted and explained as they are written', async () => {
    const [hit] = await search('to be or not to be', { explain: true })
    expect(highlighted(hit as Hit)).toEqual(['To', 'be', 'or', 'not', 'to', 'be', 'to'])
    expect(hit?.relevance).toBeGreaterThan(0.1)
    expect(JSON.stringify(hit)).not.toContain('~')
  })
})

describe('scripts without spaces (issue 11, 3.5)', () => {
  test.each([
    ['水', ['aqua', 'tokyo'], [['水'], ['水']]],
    ['東京', ['aqua', 'tokyo'], [['東京'], ['東京']]],
    ['東京都', ['aqua', 'tokyo'], [['東京都'], ['東京']]],
    ['VPN', ['mixed'], [['VPN']]],
    ['网络', ['mixed'], [['网络']]],
    ['プリンター', ['half'], [['ﾌﾟﾘﾝﾀｰ']]],
    ['물', ['korean'], [['물']]],
    ['프린터', ['korean'], [['프린터']]],
    ['พิมพ์', ['thai'], [['พิมพ์']]],
  ])('%s finds %j, and nothing beside it is highlighted', async (query, ids, words) => {
    const hits = await search(query)
    const byId = hits.toSorted((one, other) => (one.doc_id < other.doc_id ? -1 : 1))
    expect(idsOf(byId)).toEqual(ids)
    expect(byId.map(highlighted)).toEqual(words)
  })

  test('letters that stand together rank higher, and relevance is not 0 for a single letter', async () => {
    expect(idsOf(await search('東京都'))[0]).toBe('aqua')
    const [hit] = await search('水')
    expect(hit?.relevance).toBeGreaterThan(0.1)
  })

  test.each([
    ['"東京都"', ['aqua']],
    ['"京都"', ['aqua']],
    ['"水"', ['aqua', 'tokyo']],
    ['"水 道"', ['aqua']],
    ['"都東京"', []],
  ])('%s in order finds %j', async (query, ids) => {
    expect(idsOf(await search(query)).sort()).toEqual(ids)
  })
})
