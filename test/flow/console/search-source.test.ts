import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('the source of a passage (issue 13, 9)', () => {
  const stage = consoleStage()
  const parts = ['Sextants', 'Chronometers', 'Barometers'].map(
    (title) => `# ${title}\n\n${`A sentence about ${title.toLowerCase()}, to fill the passage. `.repeat(40)}`,
  )
  beforeAll(async () => {
    await load('knowledge', 'instruments', parts.join('\n\n'))
    await load('knowledge', 'twin', '# Astrolabe\n\nThe astrolabe of the first collection.\n')
    await load('second', 'twin', '# Astrolabe\n\nThe astrolabe of the second one is older.\n')
    await stage.docket.request('PUT', '/collections/second', { as: admin, body: { reader_role: 'itil' } })
  })

  async function load(collection: string, id: string, text: string): Promise<void> {
    const response = await stage.docket.request('POST', `/load_text_to_collection?collection_name=${collection}`, {
      as: loginOf('maria.sokolova'),
      body: { text, metadata: { doc_id: id } },
    })
    expect(response.status).toBe(200)
  }
  const currentLine = (page: Page) =>
    page.getByRole('document', { name: 'Text of the document' }).locator('[aria-current]').first()

  test('the passage of an address is the one that is marked, also if the search does not find it', async () => {
    const page = await stage.signedIn('michael.brown', '/search?q=chronometers&docc=knowledge&doc=instruments&chunk=0')
    await expect.poll(() => currentLine(page).textContent()).toContain('Sextants')
    // The next hit is the one behind it.
    await page.getByRole('button', { name: 'Next passage' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('chunk')).not.toBe('0')
    await expect.poll(() => currentLine(page).textContent()).toMatch(/chronometers/i)
    expect(await stage.findings(page)).toEqual([])
  })

  test('of two documents with one name in two collections, the opened one is marked', async () => {
    const page = await stage.signedIn('michael.brown', '/search?q=astrolabe')
    const found = page.locator('[data-found]')
    await found.nth(1).waitFor()
    for (const key of await found.evaluateAll((all) => all.map((each) => each.getAttribute('data-found') ?? ''))) {
      await page.locator(`[data-found="${key}"]`).click()
      await expect.poll(() => new URL(page.url()).searchParams.get('docc')).toBe(key.split('/')[0])
      const marked = page.locator('[data-found][aria-current]')
      await expect
        .poll(() => marked.evaluateAll((all) => all.map((each) => each.getAttribute('data-found'))))
        .toEqual([key])
    }
  })
})
