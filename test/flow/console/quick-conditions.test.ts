import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('conditions that are chosen faster than the list is displayed', () => {
  const stage = consoleStage()
  const queryOf = (page: Page): string | null => new URL(page.url()).searchParams.get('q')
  const words = (page: Page) => page.locator('input[data-words]')
  /** Does all of it before the list is drawn again. */
  const atOnce = (page: Page, steps: string): Promise<unknown> =>
    page.evaluate(`(async () => {
      const field = document.querySelector('input[data-words]')
      const type = async (text) => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text)
        field.dispatchEvent(new Event('input', { bubbles: true }))
        await null
      }
      field.focus()
      ${steps}
    })()`)
  const opened = async (query: string): Promise<Page> => {
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=${query}&cols=number,subject`)
    await page.locator('[data-record]').first().waitFor()
    await stage.settled(page)
    return page
  }

  test('what is typed behind words that are sent stays', async () => {
    const page = await opened('active=true')
    await atOnce(
      page,
      `await type('printer')
      field.form.requestSubmit()
      await type('printer error')`,
    )
    await expect.poll(() => queryOf(page)).toContain('printer')
    await stage.settled(page)
    expect(await words(page).inputValue()).toBe('printer error')
    await words(page).press('Enter')
    await expect.poll(() => queryOf(page)).toContain('printer error')
    // Words of an address are those of the list.
    await page.goBack()
    await expect.poll(() => words(page).inputValue()).toBe('printer')
    await page.goBack()
    await expect.poll(() => words(page).inputValue()).toBe('')
  })

  test('words that are sent as a condition is removed stay, and so does its removal', async () => {
    const page = await opened('active=true^priority=4')
    const removal = page.getByRole('search').getByRole('button', { name: /^Remove/ })
    await expect.poll(() => removal.count()).toBe(2)
    await atOnce(
      page,
      `const [first, second] = document.querySelectorAll('[role=search] button[aria-label^=Remove]')
      await type('printer')
      first.focus()
      await null
      first.click()
      await null
      second.click()`,
    )
    await stage.settled(page)
    await removal.first().waitFor({ state: 'detached' })
    expect(queryOf(page)).toMatch(/^[^^]*printer$/)
    expect(await words(page).inputValue()).toBe('printer')
  })
})
