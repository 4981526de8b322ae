import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

/** Widths, columns and the look that the server does not store (issue 13, 6). */
describe.skipIf(!hasChromium)('preferences that are not stored', () => {
  const stage = consoleStage({ proxy: true })
  const writes = /^(?:POST|PATCH) \/rest\/v1\/table\/sys_user_preference/
  const message = 'Not stored on the server. The server is not available at the moment (status 503).'

  test('are reported once until something is stored again, not for each key', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident')
    const header = page.getByRole('columnheader', { name: 'Subject' })
    const width = (): Promise<number> =>
      header.evaluate((each) => (each as unknown as { offsetWidth: number }).offsetWidth)
    const widen = async (): Promise<void> => {
      const before = await width()
      await header.getByRole('button').press('Alt+ArrowRight')
      await expect.poll(width).toBeGreaterThan(before)
    }
    await header.waitFor()
    await stage.settled(page)
    const report = page.getByRole('status').getByText(message)
    stage.proxy.fail(writes, { kind: 'respond', status: 503 })
    await widen()
    await report.waitFor()
    expect(await stage.findings(page)).toEqual([])
    // With its repetitions.
    const sent = stage.proxy.met(writes)
    await report.waitFor({ state: 'detached' })
    await widen()
    await expect.poll(() => stage.proxy.met(writes)).toBe(2 * sent)
    await stage.settled(page)
    expect(await report.count()).toBe(0)
    // The page has the width all the same, and stores the next one when the server does.
    stage.proxy.heal(writes)
    const stored = page.waitForResponse((response) =>
      writes.test(`${response.request().method()} ${new URL(response.url()).pathname}`),
    )
    await widen()
    expect((await stored).status()).toBe(200)
    await stage.settled(page)
    stage.proxy.fail(writes, { kind: 'respond', status: 503 })
    await page.getByRole('navigation').getByRole('button', { name: 'Michael Brown' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await report.waitFor()
  })

  test('of two themes that are chosen quickly, the first one is not displayed again when it is stored', async () => {
    const page = await stage.signedIn('john.smith')
    await stage.settled(page)
    const first = /^POST \/rest\/v1\/table\/sys_user_preference/
    const second = /^PATCH \/rest\/v1\/table\/sys_user_preference/
    stage.proxy.fail(first, { kind: 'hold' })
    stage.proxy.fail(second, { kind: 'hold' })
    await page.getByRole('navigation').getByRole('button', { name: 'John Smith' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await expect.poll(() => stage.proxy.met(first)).toBe(1)
    await page.getByRole('menuitemradio', { name: 'Light' }).click()
    const theme = `document.documentElement.dataset.theme`
    await expect.poll(() => page.evaluate(theme)).toBe('light')
    await page.evaluate(`{
      globalThis.displayed = []
      const follow = new MutationObserver(() => displayed.push(${theme}))
      follow.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    }`)
    stage.proxy.heal(first)
    await expect.poll(() => stage.proxy.met(second)).toBe(1)
    await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`)
    stage.proxy.heal()
    await stage.settled(page)
    expect(await page.evaluate('displayed')).toEqual([])
    await page.reload()
    await stage.settled(page)
    expect(await page.evaluate(theme)).toBe('light')
  })
})
