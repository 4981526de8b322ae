import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('titles of columns', () => {
  const stage = consoleStage()
  const lists = ['itsm_incident', 'itsm_change_request', 'task', 'employee']

  const cutIn = (page: Page): Promise<readonly (string | null)[]> =>
    page
      .locator('#root [role=columnheader][data-path] button span')
      .evaluateAll((titles) =>
        titles
          .filter((title) => title.scrollWidth > title.clientWidth || title.scrollHeight > title.clientHeight)
          .map((title) => title.textContent),
      )

  test.each(['anna.petrova', 'michael.brown'] as const)('of %s are whole, also those of two words', async (who) => {
    const page = await stage.signedIn(who, `/t/${lists[0]}`)
    for (const list of lists) {
      await page.goto(`${stage.baseUrl}/console/t/${list}`)
      await page.locator('#root [data-record] a').first().waitFor()
      await stage.settled(page)
      expect({ list, cut: await cutIn(page) }).toEqual({ list, cut: [] })
      const heights = await page
        .locator('#root [role=columnheader][data-path]')
        .evaluateAll((cells) => cells.map((cell) => cell.clientHeight))
      // Rows are placed below a head whose height does not depend on its titles.
      expect(new Set(heights)).toEqual(new Set([36]))
    }
  })

  test('are whole beside the arrow and the number of an order, too', async () => {
    const columns = [
      'number',
      'subject',
      'state',
      'priority',
      'caller',
      'assignment_group',
      'assigned_user',
      'opened_at',
    ]
    const query = columns.map((column) => `ORDERBY${column}`).join('^')
    const page = await stage.signedIn('anna.petrova', `/t/itsm_incident?q=${encodeURIComponent(query)}`)
    await page.locator('#root [data-record] a').first().waitFor()
    await stage.settled(page)
    const titles = page.locator('#root [role=columnheader][data-path] button')
    expect(await titles.locator('small').allTextContents()).toEqual(columns.map((_, at) => String(at + 1)))
    expect(await cutIn(page)).toEqual([])
    const arrows = await titles.locator('svg').evaluateAll((each) => each.map((arrow) => arrow.getBoundingClientRect()))
    expect(new Set(arrows.map(({ width }) => width))).toEqual(new Set([12]))
    await stage.picture(page, 'column-titles-in-order')
    // One order has no number.
    await titles.nth(5).click()
    await page.locator('#root [role=columnheader][aria-sort=descending]').waitFor()
    await titles.locator('small').first().waitFor({ state: 'detached' })
    await stage.settled(page)
    expect(await cutIn(page)).toEqual([])
    await stage.picture(page, 'column-titles-in-one-order')
  })
})
