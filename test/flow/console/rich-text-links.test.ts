import { describe, expect, test } from 'vitest'
import { restoredTab } from '../../harness/closing-tab.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'
import { formatButton, openRichText, richTextOf } from '../../harness/rich-text-field.ts'

describe.skipIf(!hasChromium)('links, lists and drafts of rich text in a form (issue 13)', () => {
  const stage = consoleStage()
  const open = (workaround: string) => openRichText(stage, workaround)

  test('what is typed after Link is its address, and no selected word is lost', async () => {
    const { page, rich, stored } = await open('<p>See the plan</p>')
    await page.keyboard.press('Control+a')
    await formatButton(page, 'Link').click()
    await focused(page.getByLabel('Address of the link'))
    await page.keyboard.type('https://example.com/plan')
    await page.keyboard.press('Escape')
    await focused(rich)
    expect(await rich.innerHTML()).toBe('<p>See the plan</p>')
    await formatButton(page, 'Link').click()
    await focused(page.getByLabel('Address of the link'))
    // Without a scheme it would lead to a page of the console.
    await page.keyboard.type('www.example.com/plan')
    await page.keyboard.press('Enter')
    await focused(rich)
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toBe('<p><a href="https://www.example.com/plan">See the plan</a></p>')
  })

  test('the link at the caret is opened beside its address, or by Ctrl and a click', async () => {
    const address = `${stage.baseUrl}/console/search`
    const { page, rich } = await open(`<p>See <a href="${address}">the search</a></p>`)
    await rich.getByRole('link').click()
    await formatButton(page, 'Link').click()
    const beside = page.getByRole('link', { name: 'Open', exact: true })
    expect(await beside.getAttribute('href')).toBe(address)
    await rich.click()
    // It had the address of another place in the text.
    await expect.poll(() => beside.count()).toBe(0)
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      rich.getByRole('link').click({ modifiers: ['Control'] }),
    ])
    await opened.waitForURL(/\/console\/search/)
    expect(await rich.locator('.ProseMirror-selectednode').count()).toBe(0)
  })

  test('all blocks become one list and blocks again, also if some are lists', async () => {
    const { page, rich, stored } = await open('<p>One</p><ul><li><p>Two</p></li></ul><p>Three</p>')
    await page.keyboard.press('Control+a')
    await formatButton(page, 'List').click()
    await expect.poll(() => rich.locator('> ul > li > p').allTextContents()).toEqual(['One', 'Two', 'Three'])
    await page.keyboard.press('Control+a')
    await expect.poll(() => formatButton(page, 'List').getAttribute('aria-pressed')).toBe('true')
    await formatButton(page, 'Numbered list').click()
    await expect.poll(() => rich.locator('> ol > li > p').allTextContents()).toEqual(['One', 'Two', 'Three'])
    await page.keyboard.press('Control+a')
    await formatButton(page, 'Numbered list').click()
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toBe('<p>One</p><p>Two</p><p>Three</p>')
  })

  test('a text that is wider than the screen does not make the form wider', async () => {
    const cells = ['a'.repeat(80), 'b', 'c'].map((text) => `<td><p>${text}</p></td>`).join('')
    const { page, rich } = await open(`<table><tr>${cells}</tr></table><pre>${'code '.repeat(60)}</pre>`)
    for (const width of [390, 1_000, 1_440]) {
      await page.setViewportSize({ width, height: 900 })
      await rich.scrollIntoViewIfNeeded()
      const wider = `[...document.querySelectorAll('main, #form-fields')].filter((each) => each.scrollWidth > each.clientWidth).length`
      await expect.poll(() => page.evaluate(wider)).toBe(0)
    }
  })

  test('a conflict shows the form of both texts: they may have the same words', async () => {
    const { page, change } = await open('<p>One</p><p>Two</p>')
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+b')
    await change('<ul><li>One</li><li>Two</li></ul>')
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog')
    const side = (name: string) => dialog.locator('label').filter({ hasText: name })
    await expect.poll(() => side('Mine').locator('strong').allTextContents()).toEqual(['One', 'Two'])
    expect(await side('Анна Петрова').locator('li').allTextContents()).toEqual(['One', 'Two'])
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'rich-conflict')
    await dialog.getByRole('radio', { name: /^Анна Петрова/ }).check()
    await dialog.getByRole('button', { name: 'Save this' }).click()
    await expect.poll(() => richTextOf(page).locator('li').allTextContents()).toEqual(['One', 'Two'])
  })

  test('a text that is only displayed has its elements, and none that a page must not have', async () => {
    const { page, change } = await open('<p>One</p>')
    await page.keyboard.type('Mine ')
    await change(
      [
        '<main><dl><dt>Key</dt><dd><kbd>Esc</kbd> <mark>now</mark></dd></dl></main><ruby>漢<b>字</b><rt>kanji</rt></ruby>',
        '<table><caption>Rooms</caption><colgroup><col /></colgroup><thead><tr><th>Name</th></tr></thead></table>',
        '<ul><li><input type="checkbox" checked /> Done<wbr></wbr></li></ul><script-x>?</script-x>',
      ].join(''),
    )
    await page.keyboard.press('Control+s')
    const theirs = page.getByRole('dialog').locator('label').filter({ hasText: 'Анна Петрова' })
    await theirs.locator('kbd').waitFor()
    const tags = await theirs.evaluate((each) =>
      [...each.querySelectorAll('div > div *')].map((node) => node.getAttribute('data-tag') ?? node.localName),
    )
    expect(tags.slice(tags.indexOf('main'))).toEqual([
      ...['main', 'dl', 'dt', 'dd', 'kbd', 'mark', 'p', 'ruby', 'strong', 'rt'],
      ...['table', 'caption', 'thead', 'tr', 'th', 'p', 'ul', 'li', 'p', 'p'],
    ])
    expect(await theirs.locator('li').textContent()).toBe('☑ Done')
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'rich-elements')
  })

  test('the title of the field leads into it, and what was typed there is in view after a reload', async () => {
    const { page, rich } = await open('<p>One</p>')
    await page.locator('#field-subject').click()
    await page.locator('label[for=field-workaround]').click()
    await focused(rich)
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' and two')
    await expect.poll(() => page.evaluate('JSON.stringify({ ...sessionStorage })')).toContain('and two')
    const next = await restoredTab(page)
    await expect.poll(() => richTextOf(next).textContent()).toBe('One and two')
  })
})
