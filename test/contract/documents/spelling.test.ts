import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentStage, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  const texts: Readonly<Record<string, string>> = {
    printer: 'The printer of the year needs toner. Accommodation is not its business.',
    other: 'A year without any printer. The toner is somewhere else.',
    ru: 'Принтер печатает бледно, нужен картридж.',
    number: 'Error ERR-42 in pump7b.',
    titled: 'Nothing of it in the text.',
  }
  for (const [doc_id, text] of Object.entries(texts)) {
    const metadata = { doc_id, ...(doc_id === 'titled' ? { title: 'Network of printers' } : {}) }
    const loaded = await stage.send('writer', 'POST /load_text_to_collection?collection_name=words', { metadata, text })
    expect(loaded.status, loaded.text).toBe(200)
  }
})
afterAll(() => stage.close())

interface Found {
  readonly data: readonly {
    readonly doc_id: string
    readonly highlights: readonly (readonly [number, number])[]
    readonly text: string
  }[]
  readonly corrections?: unknown
  readonly did_you_mean?: string
}
async function search(query: string, requested: object = {}): Promise<Found> {
  const response = await stage.send('reader', 'POST /get_relevant_documents', {
    query,
    collection_names: ['words'],
    k: 20,
    ...requested,
  })
  expect(response.status, response.text).toBe(200)
  return response.body as Found
}
const idsOf = ({ data }: Found) => data.map(({ doc_id }) => doc_id).sort()

describe('misspelt words (issue 11, 3.4)', () => {
  test.each([
    ['tonar', 'toner', ['other', 'printer']],
    ['accomodation', 'accommodation', ['printer']],
    ['картирдж', 'картридж', ['ru']],
  ])('%s is found as %s, and the response says so', async (word, meant, ids) => {
    const found = await search(word)
    expect(idsOf(found)).toEqual(ids)
    expect(found.corrections).toEqual([{ word, corrections: [meant] }])
    expect(found.did_you_mean).toBe(meant)
    const [hit] = found.data
    const [[from, to] = [0, 0]] = hit?.highlights ?? []
    expect(hit?.text.slice(from, to).toLowerCase()).toBe(meant)
  })

  test.each(['to\u200bner', 'ton\u2060er', 'to\u00adner', '\ufefftoner'])(
    '%j has characters that nobody sees',
    async (query) => {
      const found = await search(query)
      expect(idsOf(found)).toEqual(['other', 'printer'])
      expect(found).not.toHaveProperty('corrections')
      // Nothing but them: no word, so nothing is found.
      expect(idsOf(await search(query.replaceAll(/[toner]/g, '')))).toEqual([])
    },
  )

  test('the rest of the query stays as it is', async () => {
    expect((await search('a tonar for the PRINTER, please')).did_you_mean).toBe('a toner for the PRINTER, please')
  })

  test.each(['toner', 'ERR-43', 'pump7c', 'tnr', 'somethingelse'])('%s is not corrected', async (query) => {
    const found = await search(query)
    expect(found).not.toHaveProperty('corrections')
    expect(found).not.toHaveProperty('did_you_mean')
  })
})

describe('phrases (issue 11, 3.3)', () => {
  test.each([
    ['"printer of the year"', ['printer']],
    ['"year without any printer"', ['other']],
    ['"printer year"', []],
    ['"year of the printer"', []],
    ['“needs toner”', ['printer']],
    ['«нужен картридж»', ['ru']],
    ['"картридж нужен"', []],
    ['"network of printers"', ['titled']],
    ['toner "printer of the year"', ['printer']],
    ['"needs toner" "printer of the year"', ['printer']],
    ['"needs toner" "without any"', []],
    ['one " mark of a printer', ['other', 'printer', 'titled']],
    ['what is to be done about a "printer of the year"', ['printer']],
    ['where can I find a "картридж нужен" for a printer', ['other', 'printer', 'titled', 'ru']],
    ['why does the printer of «Toner without any» print so badly', ['other', 'printer', 'titled']],
    ['somebody in my office told me yesterday about some "printer year", what is it', ['other', 'printer', 'titled']],
  ])('%s finds %j', async (query, ids) => {
    expect(idsOf(await search(query))).toEqual(ids.toSorted())
  })

  test('a longer query has its quotation required as long as a visible chunk that passes the filter holds it', async () => {
    const query = 'what is to be done about a "printer of the year"'
    expect(idsOf(await search(query, { metadata: 'doc_id!=printer' }))).toEqual(['other', 'titled'])
    expect(idsOf(await search('"printer of the year"', { metadata: 'doc_id!=printer' }))).toEqual([])
  })

  test('without quotation marks, a chunk that has the words near each other comes first, in either order', async () => {
    const between = 'cables, monitors, keyboards, laptops, tablets, phones, headsets, chargers, docks'
    const texts: Readonly<Record<string, string>> = {
      'a-far': `Printer, ${between}, toner, desks.`,
      'b-near': `Desks, ${between}, printer, toner.`,
      'c-neither': 'Windows and doors.',
    }
    for (const [doc_id, text] of Object.entries(texts)) {
      const body = { metadata: { doc_id }, text }
      const loaded = await stage.send('writer', 'POST /load_text_to_collection?collection_name=near', body)
      expect(loaded.status, loaded.text).toBe(200)
    }
    for (const query of ['printer toner', 'toner printer']) {
      const { data } = await search(query, { collection_names: ['near'] })
      expect(data.map(({ doc_id }) => doc_id)).toEqual(['b-near', 'a-far'])
    }
    const single = await search('toner', { collection_names: ['near'] })
    expect(single.data.map(({ doc_id }) => doc_id)).toEqual(['a-far', 'b-near'])
  })
})
