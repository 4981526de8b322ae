import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { holdResponse } from '../../harness/held-response.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('the source of a passage (issue 13, 9)', () => {
  const stage = consoleStage({ proxy: true })
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

  test('a space at the end stays, and typing goes on behind it while the words are searched', async () => {
    const page = await stage.signedIn('michael.brown', '/search')
    const box = page.getByRole('searchbox')
    await box.pressSequentially('astrolabe ')
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('astrolabe')
    await stage.settled(page)
    await box.pressSequentially('older')
    expect(await box.inputValue()).toBe('astrolabe older')
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('astrolabe older')
  })

  test('what is chosen before the typed words are searched stays', async () => {
    const page = await stage.signedIn('michael.brown', '/search')
    await page.getByRole('button', { name: 'second', exact: true }).waitFor()
    // Both in one turn: nothing is searched in between.
    await page.evaluate(`{
      const box = document.getElementById('search-words')
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, 'astrolabe')
      box.dispatchEvent(new Event('input', { bubbles: true }))
      ;[...document.querySelectorAll('button')].find((each) => each.textContent.trim() === 'second').click()
    }`)
    const parameters = () => Object.fromEntries(new URL(page.url()).searchParams)
    await expect.poll(parameters).toEqual({ q: 'astrolabe', c: 'second' })
    await page.locator('[data-found]').first().waitFor()
    expect(await page.locator('[data-found]').count()).toBe(1)
  })

  test('Enter before the keys of the documents are read takes the one that is typed', async () => {
    const page = await stage.signedIn('michael.brown', '/search?q=astrolabe')
    await page.locator('[data-found]').first().waitFor()
    const response = await holdResponse(page, 'GET', /metadata/)
    await page.getByRole('button', { name: 'Condition on metadata' }).press('Enter')
    const editor = page.getByRole('dialog', { name: 'Condition' })
    await focused(editor.getByRole('textbox', { name: 'Find a key' }))
    await page.keyboard.type('doc_i')
    await page.keyboard.press('Enter')
    await response.arrived
    response.release()
    await editor.getByRole('combobox', { name: 'Comparison' }).waitFor()
    expect(await editor.textContent()).toContain('Document')
  })

  test('while other words are searched, the passages stay, dimmed; what takes long is cancelled and tried again', async () => {
    const page = await stage.signedIn('michael.brown', '/search?q=astrolabe')
    const found = page.locator('[data-found]')
    await found.nth(1).waitFor()
    stage.proxy.fail(/^POST \/get_relevant_documents/, { kind: 'hold' })
    await page.getByRole('searchbox').fill('sextants')
    await page.locator('[aria-busy=true]').filter({ has: found }).waitFor()
    expect(await found.count()).toBe(2)
    await page.getByText('Still working…').waitFor()
    expect(await stage.findings(page, 'loading')).toEqual([])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelled.').waitFor()
    stage.proxy.heal()
    await page.getByRole('button', { name: 'Try again' }).click()
    await found.filter({ hasText: 'Sextants' }).first().waitFor()
    await page.getByText('Cancelled.').waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
    stage.takeComplaints()
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
