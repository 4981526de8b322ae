import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

/** The names of what covers other parts of the head, and the title if it takes more lines than one. */
const covered = `(() => {
  const title = document.querySelector('main h1')
  const head = title.closest('header')
  const parts = [...head.querySelectorAll('h1, button, a, [role=status]')].filter((each) => each.offsetParent !== null)
  const overlaps = parts.flatMap((one, at) => parts.slice(at + 1).flatMap((other) => {
    const a = one.getBoundingClientRect()
    const b = other.getBoundingClientRect()
    const meet = a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1
    return meet ? [one.textContent + ' and ' + other.textContent] : []
  }))
  return title.offsetHeight > 30 ? [...overlaps, title.textContent + ' is broken'] : overlaps
})()`

describe.skipIf(!hasChromium)('the head of a list (issue 13)', () => {
  const stage = consoleStage()

  test.each(['anna.petrova', 'michael.brown'] as const)(
    'of %s has its title in one line and covers no button, at any width',
    async (user) => {
      const page = await stage.signedIn(user, '/t/itsm_incident')
      await page.getByRole('gridcell').first().waitFor()
      for (const width of [1_200, 1_000, 900, 870, 800, 760, 720, 680, 645]) {
        await page.setViewportSize({ width, height: 700 })
        await stage.settled(page)
        await expect.poll(() => page.evaluate(covered), { message: `${width} px` }).toEqual([])
      }
    },
  )

  test.each([600, 390])('of a width of %i px does not scroll the page sideways', async (width) => {
    const page = await stage.signedIn('anna.petrova', '/t/itsm_incident', { width })
    await stage.settled(page)
    const scrolled = `{ const main = document.querySelector('main'); main.scrollLeft = 50; main.scrollLeft }`
    expect(await page.evaluate(scrolled)).toBe(0)
    expect(await stage.findings(page)).toEqual([])
  })
})
