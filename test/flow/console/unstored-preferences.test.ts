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
})
