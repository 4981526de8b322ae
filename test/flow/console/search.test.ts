import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { excerptOf, linesOf, markedParts, type Range, rangesWithin } from '../../../console/src/search/marked-text.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
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

  async function load(collection: string, id: string, text: string, more: object = {}): Promise<void> {
    const response = await stage.docket.request('POST', `/load_text_to_collection?collection_name=${collection}`, {
      as: loginOf('maria.sokolova'),
      body: { text, metadata: { doc_id: id, category: 'printing', ...more } },
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

  test('a passage has the date of its document: when it was created, otherwise when it was loaded', async () => {
    await load('knowledge', 'dated', '# Fuser\n\nThe fuser is replaced yearly.\n', { created: '2019-05-06T07:08:09Z' })
    await load('knowledge', 'undated', '# Fuser of others\n\nThe fuser of other printers stays.\n')
    const page = await stage.signedIn('michael.brown', '/search?q=fuser')
    const facts = (title: string) => page.getByRole('listitem').filter({ hasText: title }).locator('time')
    await facts('is replaced yearly').waitFor()
    expect(await facts('is replaced yearly').getAttribute('datetime')).toBe('2019-05-06T07:08:09.000Z')
    expect(await facts('is replaced yearly').getAttribute('title')).toMatch(/^Created: .*2019/)
    const found = await stage.docket.request('GET', '/get_relevant_documents?query=fuser&details=true', {
      as: loginOf('michael.brown'),
    })
    const { data } = found.body as { data: { doc_id: string; loaded_at: string }[] }
    const loadedAt = data.find(({ doc_id }) => doc_id === 'undated')?.loaded_at ?? ''
    expect(await facts('of other printers').getAttribute('datetime')).toBe(new Date(loadedAt).toISOString())
    expect(await facts('of other printers').getAttribute('title')).toMatch(/^Loaded: /)
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
    // Marks of Markdown are not displayed.
    const words = (value: string): string =>
      value
        .replaceAll('*', '')
        .replace(/[#\s]+/g, ' ')
        .trim()
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
    await page.goto(`${stage.docket.baseUrl}/console/search?q=printer&c=knowledge&filter=category%3Dnothing`)
    await page.getByText('Nothing was found in these collections with this condition.').waitFor()
    await page.goto(`${stage.docket.baseUrl}/console/search?q=prinnter`)
    await page.getByText('Did you mean').getByRole('button', { name: 'printer' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('printer')
  })

  test('a condition on metadata is chosen: key, comparison, value; the address has it, and a chip removes it', async () => {
    await load('knowledge', 'fax', '# Fax\n\nThe printer sends a fax.\n', {
      category: 'Fax, old',
      pages: 3,
      flag: true,
    })
    const page = await stage.signedIn('michael.brown', '/search?q=printer&c=knowledge')
    await page.locator('[data-found]').first().waitFor()
    const filterOf = (): string | null => new URL(page.url()).searchParams.get('filter')
    const editor = page.getByRole('dialog', { name: 'Condition' })
    const add = async (key: string): Promise<void> => {
      await page.getByRole('button', { name: 'Condition on metadata' }).press('Enter')
      await focused(editor.getByRole('textbox', { name: 'Find a key' }))
      await editor.getByRole('button', { name: key }).first().waitFor()
      await page.keyboard.type(key)
      await page.keyboard.press('Enter')
    }
    // Few values are boxes, with the numbers of their documents.
    await add('category')
    const boxes = editor.getByRole('group', { name: 'category' })
    await boxes.getByRole('checkbox', { name: 'Fax, old 1 document' }).check()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'filter-choices')
    await editor.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(filterOf).toBe('category=Fax, old')
    await expect.poll(() => page.locator('[data-found]').count()).toBe(1)
    // Numbers are compared as numbers.
    await add('pages')
    await editor.getByRole('combobox', { name: 'Comparison' }).selectOption('>')
    await editor
      .getByRole('spinbutton', { name: 'pages' })
      .or(editor.getByRole('combobox', { name: 'pages' }))
      .fill('2')
    await page.keyboard.press('Enter')
    await expect.poll(filterOf).toBe('category=Fax, old^pages>2')
    await add('flag')
    await editor.getByRole('radio', { name: 'no' }).check()
    await editor.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(filterOf).toBe('category=Fax, old^pages>2^flag=false')
    await page.getByText('Nothing was found in these collections with this condition.').waitFor()
    const chips = page.getByRole('group', { name: 'Conditions on metadata' })
    await chips.getByRole('button', { name: 'Remove: flag' }).click()
    await expect.poll(filterOf).toBe('category=Fax, old^pages>2')
    await page.locator('[data-found]').first().waitFor()
    await stage.picture(page, 'filter-chips')
    // A time that moves with the clock.
    await add('Loaded at')
    await editor.getByRole('radio', { name: '7 days ago' }).check()
    await editor.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(filterOf).toBe('category=Fax, old^pages>2^loaded_at>=javascript:gs.daysAgo(7)')
    await expect.poll(() => page.locator('[data-found]').count()).toBe(1)
    await page.reload()
    await expect.poll(() => chips.getByRole('button', { name: /^Remove/ }).count()).toBe(3)
    // A condition is changed where it stands.
    await chips.getByRole('button', { name: 'pages more than 2', exact: true }).click()
    await editor.getByRole('combobox', { name: 'Comparison' }).selectOption('BETWEEN')
    await editor.getByLabel('To', { exact: true }).fill('5')
    await editor.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(filterOf).toBe('category=Fax, old^pagesBETWEEN2@5^loaded_at>=javascript:gs.daysAgo(7)')
    await stage.docket.request('DELETE', '/delete_document_from_collection?collection_name=knowledge&id_value=fax', {
      as: admin,
    })
  })

  test('alternatives are chosen: any of several conditions, with groups within groups, and the group opens again as it is', async () => {
    await load('knowledge', 'fax', '# Fax\n\nThe printer sends a fax.\n', { category: 'Fax', pages: 3, flag: true })
    await load('knowledge', 'sheet', '# Sheet\n\nOne sheet for the fax.\n', {
      category: 'Sheet',
      pages: 1,
      flag: false,
    })
    const page = await stage.signedIn('michael.brown', '/search?q=fax&c=knowledge')
    await page.locator('[data-found]').first().waitFor()
    const filterOf = (): string | null => new URL(page.url()).searchParams.get('filter')
    const editor = page.getByRole('dialog', { name: 'Condition' })
    const chips = page.getByRole('group', { name: 'Conditions on metadata' })
    const choose = async (key: string): Promise<void> => {
      await focused(editor.getByRole('textbox', { name: 'Find a key' }))
      await editor.getByRole('button', { name: key }).first().waitFor()
      await page.keyboard.type(key)
      await page.keyboard.press('Enter')
    }
    await page.getByRole('button', { name: 'Condition on metadata' }).press('Enter')
    await editor.getByRole('button', { name: 'Any of several conditions' }).click()
    await choose('flag')
    await editor.getByRole('radio', { name: 'yes' }).check()
    await editor.getByRole('button', { name: 'Apply' }).click()
    await editor.getByRole('button', { name: 'Add a condition' }).click()
    await choose('pages')
    await editor.getByRole('combobox', { name: 'Comparison' }).selectOption('>')
    await page.getByLabel('pages', { exact: true }).last().fill('100')
    await editor.getByRole('button', { name: 'Apply' }).click()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'filter-group')
    await editor.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(filterOf).toBe('flag=true^ORpages>100')
    await expect.poll(() => page.locator('[data-found]').count()).toBe(1)

    // A condition becomes a group; an address leads to the same one.
    await chips.getByRole('button', { name: /^Remove/ }).click()
    await page.getByRole('button', { name: 'Condition on metadata' }).press('Enter')
    await choose('flag')
    await editor.getByRole('radio', { name: 'yes' }).check()
    await editor.getByRole('button', { name: 'Or another condition…' }).click()
    await choose('category')
    await editor.getByRole('checkbox', { name: /^printing/ }).check()
    await editor.getByRole('button', { name: 'Apply' }).click()
    await editor.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(filterOf).toBe('flag=true^ORcategory=printing')
    await page.reload()
    await expect.poll(() => page.locator('[data-found]').count()).toBe(1)
    await chips.getByRole('button', { name: 'flag is yes or category is printing', exact: true }).press('Enter')
    await editor.getByRole('button', { name: 'Add a group' }).press('Enter')
    await choose('pages')
    await editor.getByRole('combobox', { name: 'Comparison' }).selectOption('<')
    await page.getByLabel('pages', { exact: true }).last().fill('2')
    await editor.getByRole('button', { name: 'Apply' }).press('Enter')
    const inner = editor.getByRole('group', { name: 'All of these' })
    await inner.getByRole('button', { name: 'Add a condition' }).press('Enter')
    await choose('flag')
    await editor.getByRole('radio', { name: 'no' }).check()
    await editor.getByRole('button', { name: 'Apply' }).press('Enter')
    await editor.getByRole('button', { name: 'Apply' }).press('Enter')
    await expect.poll(filterOf).toBe('flag=true^NQcategory=printing^NQpages<2^flag=false')
    // The sheet is found by the group alone.
    await expect.poll(() => page.locator('[data-found]').count()).toBe(2)
    await page.setViewportSize({ width: 390, height: 844 })
    await chips.getByRole('button', { name: /^flag is yes or/ }).click()
    await inner.waitFor()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'filter-group-narrow')
    for (const id of ['fax', 'sheet']) {
      const path = `/delete_document_from_collection?collection_name=knowledge&id_value=${id}`
      await stage.docket.request('DELETE', path, { as: admin })
    }
  })

  test('the offered keys and values are those of documents that the user may read; any other key can be typed', async () => {
    await load('handbook', 'only-here', '# Secret\n\nA printer.\n', { codename: 'nightingale' })
    const agent = await stage.signedIn('michael.brown', '/search?q=printer')
    await agent.getByRole('button', { name: 'Condition on metadata' }).click()
    await agent.getByRole('button', { name: 'codename' }).click()
    await agent.getByRole('checkbox', { name: 'nightingale' }).waitFor()
    const caller = await stage.signedIn('john.smith', '/search?q=printer')
    await caller.getByRole('button', { name: 'Condition on metadata' }).click()
    await caller.getByRole('button', { name: 'category' }).waitFor()
    expect(await caller.content()).not.toContain('codename')
    await caller.getByRole('textbox', { name: 'Find a key' }).fill('codename')
    await caller.getByRole('button', { name: 'Use the key “codename”' }).click()
    await caller
      .getByRole('textbox', { name: 'codename' })
      .or(caller.getByRole('combobox', { name: 'codename' }))
      .fill('nightingale')
    await caller.getByRole('button', { name: 'Apply' }).click()
    await caller.getByText('Nothing was found in these collections with this condition.').waitFor()
    expect(await caller.content()).not.toContain('only-here')
  })

  test('a filter without a form is displayed as text, and a fault is explained in its place', async () => {
    const page = await stage.signedIn('michael.brown', '/search?q=printer')
    const open = (filter: string) =>
      page.goto(`${stage.docket.baseUrl}/console/search?q=printer&filter=${encodeURIComponent(filter)}`)
    const filterOf = (): string | null => new URL(page.url()).searchParams.get('filter')
    // Members of a list are compared by no form: the condition is a chip of its own, edited as text.
    await open('category=printing^tagsHASprinter,toner')
    const chips = page.getByRole('group', { name: 'Conditions on metadata' })
    await chips.getByRole('button', { name: /^tags / }).click()
    const editor = page.getByRole('dialog', { name: 'Condition' })
    const text = editor.getByRole('textbox', { name: 'Filter as text' })
    await expect.poll(() => text.inputValue()).toBe('tagsHASprinter,toner')
    await text.fill('tagsHAS"')
    await text.press('Enter')
    await expect.poll(filterOf).toBe('category=printing^tagsHAS"')
    // A text that the grammar rejects, with its position.
    await open('category=printing^"open')
    const whole = page.getByRole('textbox', { name: 'Filter as text' })
    await expect.poll(() => whole.inputValue()).toBe('category=printing^"open')
    const alert = page.getByRole('alert').filter({ hasText: 'no closing quote' })
    await alert.waitFor()
    expect(await alert.locator('u').textContent()).toBe('"')
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'filter-fault')
    // One that only the server rejects.
    await open('loaded_atONToday')
    await page.getByRole('alert').filter({ hasText: 'ON cannot be used on metadata' }).waitFor()
    await expect.poll(() => whole.inputValue()).toBe('loaded_atONToday')
    await open('category=printing^ORDERBYdoc_id')
    await page.getByRole('alert').filter({ hasText: 'A filter of documents has no order' }).waitFor()
    await whole.fill('category=printing')
    await whole.press('Enter')
    await expect.poll(filterOf).toBe('category=printing')
    await chips.getByRole('button', { name: 'As text' }).click()
    await focused(whole)
    await page.getByRole('button', { name: 'Back to conditions' }).click()
    await chips.getByRole('button', { name: 'Remove: category is printing' }).click()
    await expect.poll(filterOf).toBe(null)
    stage.takeComplaints()
  })

  test('the source displays where its chunks begin and end, on demand', async () => {
    const page = await stage.signedIn('michael.brown', '/search?q=PRN-023 elevation')
    await page.locator('[data-found]').first().click()
    const source = page.getByRole('complementary', { name: 'Source' })
    const text = source.getByRole('document', { name: 'Text of the document' })
    await text.locator('mark').first().waitFor()
    const toggle = source.getByRole('button', { name: 'Chunks' })
    expect(await toggle.getAttribute('aria-pressed')).toBe('false')
    expect(await text.locator('[data-boundary]').count()).toBe(0)
    const before = (await text.textContent()) ?? ''
    await toggle.press('Enter')
    await expect.poll(() => toggle.getAttribute('aria-pressed')).toBe('true')
    const listed = await stage.docket.request(
      'GET',
      '/get_document_chunks?collection_name=knowledge&id_value=add-printer',
      { as: loginOf('michael.brown') },
    )
    const { data } = listed.body as { data: { from: number; to: number }[] }
    expect(data.length).toBeGreaterThan(2)
    const begins = text.locator('[data-boundary=begin]')
    await expect.poll(() => begins.allTextContents()).toEqual(data.map((_, at) => `Chunk ${at + 1} begins`))
    await source
      .getByRole('status')
      .filter({ hasText: `${data.length} chunks` })
      .waitFor()
    // Without the boundaries, the text is what it was.
    const parts = await text.locator('p').evaluateAll((lines) =>
      lines.map((line) => {
        const copy = line.cloneNode(true) as typeof line
        for (const each of copy.querySelectorAll('[data-boundary]')) each.remove()
        return copy.textContent
      }),
    )
    expect(parts.join('')).toBe(before)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'chunk-boundaries')
    await page.reload()
    await begins.first().waitFor()
    await toggle.click()
    await expect.poll(() => text.locator('[data-boundary]').count()).toBe(0)
  })

  test.each(widths)('axe finds nothing in the search and its source: $width px', async (view) => {
    const page = await stage.signedIn('michael.brown', '/search', view)
    await page.getByText('Type what you look for').waitFor()
    expect(await stage.findingsInThemes(page)).toEqual([])
    await page.getByRole('searchbox').fill('vpn')
    await page.locator('[data-found]').first().waitFor()
    await page.getByRole('button', { name: 'Why' }).first().click()
    expect(await stage.findingsInThemes(page)).toEqual([])
    await page.locator('[data-found]').first().click()
    await page.getByRole('document', { name: 'Text of the document' }).locator('mark').first().waitFor()
    await page.getByRole('button', { name: 'Chunks' }).click()
    await page.locator('[data-boundary]').first().waitFor()
    expect(await stage.findingsInThemes(page, 'chunks')).toEqual([])
    await page.goto(`${stage.docket.baseUrl}/console/search?q=vpn&filter=category%3Dprinting`)
    await page.locator('[data-found]').first().waitFor()
    await page.getByRole('button', { name: 'Condition on metadata', exact: true }).click()
    await page.getByRole('dialog', { name: 'Condition' }).getByRole('button', { name: 'category' }).waitFor()
    expect(await stage.findingsInThemes(page, 'keys')).toEqual([])
    await page.getByRole('button', { name: 'Loaded at' }).click()
    await page.getByRole('radio', { name: '30 days ago' }).check()
    expect(await stage.findingsInThemes(page, 'time')).toEqual([])
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
