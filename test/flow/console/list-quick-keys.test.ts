import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

/** From now on, what the page does before it is drawn waits for `drawFrames`, as on a machine that is busy. */
const holdFrames = `(() => {
  const held = []
  const request = globalThis.requestAnimationFrame
  globalThis.requestAnimationFrame = (run) => held.push(run)
  globalThis.drawFrames = () => {
    globalThis.requestAnimationFrame = request
    for (const run of held) request(run)
  }
})()`
/** What leaves the page, or is not focusable any more, loses the focus when the layout is done. */
const isLaidOut = `(async () => {
  document.body.offsetHeight
  await new Promise((resolve) => setTimeout(resolve, 50))
})()`

describe.skipIf(!hasChromium)('keys in a list that come before the page is drawn (issue 13)', () => {
  const stage = consoleStage()

  /** The list, with the focus on its first row. */
  async function opened(): Promise<Page> {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=ORDERBYnumber&cols=number,subject,priority')
    const first = page.getByRole('row').nth(1)
    await first.waitFor()
    await stage.settled(page)
    await first.focus()
    return page
  }

  async function press(page: Page, keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await page.keyboard.press(key)
      await page.evaluate(isLaidOut)
    }
  }

  test('each moves the focus: from cell to cell, and in a cell from row to row', async () => {
    const page = await opened()
    await page.keyboard.press('ArrowRight')
    await focused(page.getByRole('row').nth(1).getByRole('gridcell').nth(1))
    await page.evaluate(holdFrames)
    await press(page, ['ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowLeft'])
    await page.evaluate('drawFrames()')
    await focused(page.getByRole('row').nth(3).getByRole('gridcell').nth(2))
  })

  test('each moves the focus: by pages, to the end and back', async () => {
    const page = await opened()
    await page.evaluate(holdFrames)
    await press(page, ['End', 'ArrowUp', 'Home', 'PageDown', 'PageDown', 'PageUp', 'ArrowUp', 'Home', 'ArrowDown'])
    await page.evaluate('drawFrames()')
    await focused(page.locator('[data-record][aria-rowindex="3"]'))
    expect(await page.locator('[data-record][aria-rowindex="3"]').getAttribute('tabindex')).toBe('0')
  })

  test('who leaves the list before the page is drawn is not led back to it', async () => {
    const page = await opened()
    await page.evaluate(holdFrames)
    await press(page, ['ArrowDown', 'ArrowRight'])
    const search = page.getByRole('searchbox', { name: 'Search words' })
    await search.focus()
    await page.evaluate('drawFrames()')
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    await focused(search)
  })
})
