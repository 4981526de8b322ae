import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('titles of columns', () => {
  const stage = consoleStage()
  const lists = ['itsm_incident', 'itsm_change_request', 'task', 'employee']

  test.each(['anna.petrova', 'michael.brown'] as const)('of %s are whole, also those of two words', async (who) => {
    const page = await stage.signedIn(who, `/t/${lists[0]}`)
    for (const list of lists) {
      await page.goto(`${stage.baseUrl}/console/t/${list}`)
      await page.locator('#root [data-record] a').first().waitFor()
      await stage.settled(page)
      const cut = await page
        .locator('#root [role=columnheader][data-path] button span')
        .evaluateAll((titles) =>
          titles
            .filter((title) => title.scrollWidth > title.clientWidth || title.scrollHeight > title.clientHeight)
            .map((title) => title.textContent),
        )
      expect({ list, cut }).toEqual({ list, cut: [] })
      const heights = await page
        .locator('#root [role=columnheader][data-path]')
        .evaluateAll((cells) => cells.map((cell) => cell.clientHeight))
      // Rows are placed below a head whose height does not depend on its titles.
      expect(new Set(heights)).toEqual(new Set([36]))
    }
  })
})
