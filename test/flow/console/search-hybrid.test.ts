import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { type ModelStandIn, startModelStandIn } from '../../harness/model-stand-in.ts'

describe.skipIf(!hasChromium)('a search by words and meaning in the console (issue 13)', () => {
  const environment: Record<string, string> = {
    DOCKET_EMBEDDINGS_MODEL: 'stand-in',
    DOCKET_EMBEDDINGS_QUERY_TIMEOUT_MS: '60000',
  }
  let model: ModelStandIn
  // Before the server starts, which asks this model.
  beforeAll(async () => {
    model = await startModelStandIn()
    environment['DOCKET_EMBEDDINGS_URL'] = model.embeddingsUrl
  })
  afterAll(() => model.stop())
  const stage = consoleStage({ docket: { environment } })

  test('the user chooses how to search, and "Why" says the places by words and by meaning', async () => {
    const as = loginOf('maria.sokolova')
    const texts = {
      leave: 'Отпуск оформляется за две недели.',
      vacation: 'A vacation is asked for in the portal.',
      vpn: 'Restart the router when the VPN drops.',
    }
    for (const [doc_id, text] of Object.entries(texts))
      await stage.docket.request('POST', '/load_text_to_collection?collection_name=kb', {
        as,
        body: { text, metadata: { doc_id, title: doc_id } },
      })
    const vectorsOf = async (id: string) => {
      const path = `/get_document_status?collection_name=kb&id_value=${id}`
      return ((await stage.docket.request('GET', path, { as })).body as { data: { vectors: string } }).data.vectors
    }
    for (const id of Object.keys(texts)) await expect.poll(() => vectorsOf(id)).toBe('ready')

    const page = await stage.signedIn('michael.brown', '/search?q=vacation&c=kb&mode=lexical')
    const passage = (title: string) => page.getByRole('listitem').filter({ hasText: title })
    await passage('vacation').first().waitFor()
    await expect.poll(() => page.locator('[data-found]').count()).toBe(1)
    await page.getByRole('combobox', { name: 'How to search' }).selectOption({ label: 'by words and meaning' })
    await passage('leave').first().waitFor()
    expect(new URL(page.url()).searchParams.get('mode')).toBe('hybrid')
    const why = async (title: string): Promise<readonly string[]> => {
      await passage(title).first().getByRole('button', { name: 'Why' }).click()
      return passage(title).first().getByRole('listitem').allInnerTexts()
    }
    const ofVacation = await why('vacation')
    expect(ofVacation.slice(0, 2)).toEqual([
      'By words: place 1',
      expect.stringMatching(/^By meaning: place [12], similarity \d+%$/),
    ])
    expect(ofVacation[2]).toMatch(/ gives 100% of the score/)
    expect(await why('leave')).toEqual([expect.stringMatching(/^By meaning: place [12], similarity \d+%$/)])
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'search-hybrid')
  })
})
