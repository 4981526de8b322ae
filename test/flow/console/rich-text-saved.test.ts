import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { openRichText } from '../../harness/rich-text-field.ts'

describe.skipIf(!hasChromium)('rich text after a save', () => {
  const stage = consoleStage()
  const open = (workaround: string) => openRichText(stage, workaround)
  const save = async (page: Page): Promise<void> => {
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await stage.settled(page)
  }

  test('typing and undo go on where they were, also where the server numbers equal elements in another way', async () => {
    const { page, rich, caret, stored } = await open('<p>Press <kbd>Ctrl</kbd><kbd>C</kbd> now</p><p>Or stay</p>')
    await caret('Home', 'Press')
    for (let letters = 0; letters < 6; letters += 1) await page.keyboard.press('ArrowRight')
    for (let letters = 0; letters < 4; letters += 1) await page.keyboard.press('Delete')
    await caret('End', 'Or stay')
    await save(page)
    expect(await stored()).toBe('<p>Press <kbd>C</kbd> now</p><p>Or stay</p>')
    await page.keyboard.type(' here')
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toBe('<p>Press <kbd>C</kbd> now</p><p>Or stay here</p>')
    await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await rich.getByText('Ctrl').waitFor()
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toBe('<p>Press <kbd>Ctrl</kbd><kbd>C</kbd> now</p><p>Or stay</p>')
  })

  test('an empty line between two lists stays, and the caret in it', async () => {
    const { page, caret, stored } = await open('<ul><li>One</li><li>Two</li></ul><p>Three</p>')
    await caret('End', 'One')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await save(page)
    await page.keyboard.type('Between')
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toMatch(/^<ul><li>One<.li><.ul>(<p>)?Between(<.p>)?<ul><li>Two<.li><.ul><p>Three<.p>$/)
  })

  test('lines of code that are joined to other text stay lines', async () => {
    const { page, caret, stored } = await open('<p>Run</p><pre>ls\npwd</pre>')
    await caret('End', 'Run')
    await page.keyboard.press('Delete')
    await save(page)
    expect(await stored()).toBe('<p>Runls<br />pwd</p>')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toBe('<p>Run</p><pre>ls\npwd</pre>')
  })

  test('the caret stays beside its words where the server returns a text of another form', async () => {
    const { page, caret, stored } = await open(
      '<figure><img src="a.png" alt="Plan" /><figcaption>Floors</figcaption></figure><p>End</p>',
    )
    await caret('Home', 'Floors')
    await page.keyboard.press('Backspace')
    await caret('End', 'End')
    await save(page)
    await page.keyboard.type('ed')
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toBe('<figure><img src="a.png" alt="Plan" />Floors</figure><p>Ended</p>')
  })

  test('Enter in an empty description leaves the list of terms for a paragraph', async () => {
    const { page, caret, stored } = await open('<dl><dt>Floor</dt><dd>Desk</dd></dl>')
    await caret('End', 'Desk')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('After')
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toBe('<dl><dt>Floor</dt><dd>Desk</dd></dl><p>After</p>')
  })
})
