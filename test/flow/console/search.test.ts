import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { excerptOf, linesOf, markedParts, type Range, rangesWithin } from '../../../console/src/search/marked-text.ts'
import { consoleStage, hasChromium, loginOf, views } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused } from '../../harness/keyboard.ts'

/** Long enough for several passages. */
const ARTICLE = [
  '# Adding a printer',
  'Most people need only *FollowMe*.',
  ...Array.from(
    { length: 40 },
    (_, at) => `## Printer ${at}\n\n${'Read its name on the front of the printer. '.repeat(6)}`,
  ),
  '## PRN-023\n\nThe printer driver may be installed only with elevation. '.concat(
    'The queue has a newer one. '.repeat(20),
  ),
].join('\n\n')

describe.skipIf(!hasChromium)('search in the console (issue 13)', () => {
  const stage = consoleStage()
  beforeAll(async () => {
    await load('knowledge', 'add-printer', ARTICLE)
    await load('knowledge', 'toner', '# Toner\n\nA printer without toner blinks. Order toner at the desk.\n')
    await load('handbook', 'vpn', '# VPN\n\nThe VPN needs a token. Printers cannot be reached over VPN.\n')
    await stage.docket.request('PUT', '/collections/handbook', { as: admin, body: { reader_role: 'itil' } })
  })

  async function load(collection: string, id: string, text: string): Promise<void> {
    const response = await stage.docket.request('POST', `/load_text_to_collection?collection_name=${collection}`, {
      as: loginOf('maria.sokolova'),
      body: { text, metadata: { doc_id: id, category: 'printing' } },
    })
    expect(response.status).toBe(200)
  }

  test('passages are grouped by document on demand, and the keys move through all of them', async () => {
    const page = await stage.signedIn('michael.brown', '/search?q=printer toner VPN')
    await page.locator('[data-found]').first().waitFor()
    await page.getByRole('button', { name: 'By document' }).press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('group')).toBe('doc')
    const titles = page.getByRole('region', { name: 'Passages' }).getByRole('heading', { level: 2 })
    await titles.filter({ hasText: 'Adding a printer' }).waitFor()
    const named = await titles.evaluateAll((all) => all.map((each) => each.firstChild?.textContent))
    expect(named.toSorted()).toEqual(['Adding a printer', 'Toner', 'VPN'])
    const found = page.locator('[data-found]')
    const keys = await found.evaluateAll((all) => all.map((each) => each.getAttribute('data-found') ?? ''))
    const documents = keys.map((key) => key.slice(0, key.lastIndexOf('/')))
    expect(documents.filter((each, at) => each !== documents[at - 1])).toHaveLength(new Set(documents).size)
    await page.getByRole('searchbox').press('ArrowDown')
    for (const at of keys.keys()) {
      await focused(found.nth(at))
      await page.keyboard.press('ArrowDown')
    }
    await focused(found.last())
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'by-document')
    await page.reload()
    await titles.first().waitFor()
  })

  test('passages have the words that were found, and the source opens at the passage', async () => {
    const page = await stage.signedIn('michael.brown', '/search')
    await page.getByRole('searchbox').fill('printer PRN-023 elevation')
    const first = page.locator('[data-found]').first()
    await first.locator('mark').first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('printer PRN-023 elevation')
    await stage.settled(page)
    await page.getByRole('searchbox').press('ArrowDown')
    await focused(first)
    await page.keyboard.press('Enter')
    const source = page.getByRole('complementary', { name: 'Source' })
    await source.getByRole('document', { name: 'Text of the document' }).locator('mark').first().waitFor()
    const parameters = new URL(page.url()).searchParams
    const text = await stage.docket.request(
      'GET',
      `/get_content_by_tag?collection_name=${parameters.get('docc')}&tag_info=doc_id%3D${parameters.get('doc')}`,
      { as: loginOf('michael.brown') },
    )
    const [document] = (text.body as { data: { text: string }[] }).data
    const words = (value: string): string => value.replace(/[#\s]+/g, ' ').trim()
    const paragraphs = source.getByRole('document', { name: 'Text of the document' }).locator('p')
    await expect
      .poll(async () => words((await paragraphs.allTextContents()).join(' ')))
      .toBe(words(document?.text ?? ''))

    const before = parameters.get('chunk')
    await source.getByRole('button', { name: 'Next passage' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('chunk')).not.toBe(before)
    await page.keyboard.press('Escape')
    await source.waitFor({ state: 'detached' })
  })

  test('the address opens the same screen for a colleague, without what they may not read', async () => {
    const address = '/search?q=printer vpn'
    const agent = await stage.signedIn('michael.brown', address)
    await agent.locator('[data-found]').filter({ hasText: 'Printers cannot be reached' }).first().waitFor()
    const caller = await stage.signedIn('john.smith', address)
    await caller.getByRole('searchbox').waitFor()
    await expect.poll(() => caller.getByRole('searchbox').inputValue()).toBe('printer vpn')
    const found = await stage.docket.request('GET', '/get_relevant_documents?query=printer+vpn&k=30', {
      as: loginOf('john.smith'),
    })
    const { data } = found.body as { data: { collection_name: string }[] }
    expect(data.map((chunk) => chunk.collection_name)).not.toContain('handbook')
    await expect.poll(() => caller.locator('[data-found]').count()).toBe(data.length)
    expect(await caller.content()).not.toContain('handbook')
  })

  test('collections and a condition narrow the search; a word that no document has is corrected', async () => {
    const page = await stage.signedIn('michael.brown', '/search?q=printer')
    await page.locator('[data-found]').first().waitFor()
    await page.getByRole('button', { name: 'knowledge', exact: true }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('c')).toBe('knowledge')
    await page.getByRole('button', { name: 'Condition on metadata' }).click()
    await page.getByRole('textbox', { name: 'Condition on metadata' }).fill('category=nothing')
    await page.getByRole('textbox', { name: 'Condition on metadata' }).press('Enter')
    await page.getByText('Nothing was found in these collections with this condition.').waitFor()
    await page.goto(`${stage.docket.baseUrl}/console/search?q=prinnter`)
    await page.getByText('Did you mean').getByRole('button', { name: 'printer' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('printer')
  })

  test.each(views)('axe finds nothing in the search and its source: $width px, $colorScheme', async (view) => {
    const page = await stage.signedIn('michael.brown', '/search', view)
    await page.getByText('Type what you look for').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await page.getByRole('searchbox').fill('vpn')
    await page.locator('[data-found]').first().waitFor()
    await page.getByRole('button', { name: 'Why' }).first().click()
    expect(await stage.findings(page)).toEqual([])
    await page.locator('[data-found]').first().click()
    await page.getByRole('document', { name: 'Text of the document' }).locator('mark').first().waitFor()
    expect(await stage.findings(page)).toEqual([])
  })
})

describe('texts with marks', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 })
  const ranges = fc.array(
    fc.tuple(fc.nat(210), fc.nat(20)).map(([from, length]): Range => [from, from + length]),
    { maxLength: 8 },
  )

  test('the parts together are the text, whatever the ranges are', () => {
    fc.assert(
      fc.property(text, ranges, (whole, marks) => {
        const parts = markedParts(whole, marks)
        expect(parts.map((part) => part.text).join('')).toBe(whole)
        const marked = parts.filter(({ isMarked }) => isMarked).reduce((sum, part) => sum + part.text.length, 0)
        const wanted = new Set(marks.flatMap(unitsOf).filter((unit) => unit < whole.length))
        expect(marked).toBe(wanted.size)
      }),
    )
  })

  test('an excerpt is a part of the text, not longer than asked for, with the same marks', () => {
    fc.assert(
      fc.property(text, ranges, fc.integer({ min: 20, max: 200 }), (whole, marks, max) => {
        const excerpt = excerptOf(whole, marks, max)
        expect(excerpt.text.length).toBeLessThanOrEqual(max + 1)
        expect(whole).toContain(excerpt.text)
        expect(excerpt.isCutBefore || excerpt.isCutAfter).toBe(excerpt.text.length < whole.length)
        for (const [from, to] of excerpt.ranges) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeLessThanOrEqual(excerpt.text.length)
        }
      }),
    )
  })

  test('lines know where they stand', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const lines = linesOf(whole)
        expect(lines.map((line) => line.text).join('\n')).toBe(whole)
        for (const line of lines) expect(whole.slice(line.from, line.from + line.text.length)).toBe(line.text)
      }),
    )
  })

  test('ranges within a part are those of the whole, moved', () => {
    expect(
      rangesWithin(
        [
          [0, 3],
          [4, 8],
          [9, 12],
        ],
        5,
        10,
      ),
    ).toEqual([
      [0, 3],
      [4, 5],
    ])
  })
})

function unitsOf([from, to]: Range): readonly number[] {
  return Array.from({ length: to - from }, (_, at) => from + at)
}
