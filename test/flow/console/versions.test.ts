import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('versions of a record with many changes (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const history = /^GET \/rest\/v1\/history\/itsm_incident\//

  test('older ones are read when they are asked for, after an error, too, and the first one is within reach', async () => {
    const sysId = await stage.makeIncident('Version 0')
    for (let at = 1; at <= 202; at += 1) {
      const body = { subject: `Version ${at}` }
      const path = `/rest/v1/table/itsm_incident/${sysId}`
      expect((await stage.docket.request('PATCH', path, { as: loginOf('michael.brown'), body })).status).toBe(200)
    }
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const requests: string[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.includes('/rest/v1/history/') && searchParams.get('sysparm_limit') === '200')
        requests.push(request.url())
    })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Versions' }).click()
    const dialog = page.getByRole('dialog', { name: 'Versions' })
    const earlier = dialog.getByLabel('Earlier version')
    await expect.poll(() => earlier.locator('option').count()).toBe(199)
    expect(await earlier.locator('option').last().textContent()).not.toBe('before the first change')
    const older = dialog.getByRole('button', { name: 'Older versions' })
    expect(requests).toHaveLength(1)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'versions')
    stage.proxy.fail(history, { kind: 'respond', status: 503 })
    await older.press('Enter')
    await dialog.getByRole('alert').getByText('The server is not available at the moment (status 503).').waitFor()
    expect(await earlier.locator('option').count()).toBe(199)
    stage.proxy.heal()
    await older.press('Enter')
    await expect.poll(() => earlier.locator('option').count()).toBe(203)
    await older.waitFor({ state: 'detached' })
    await focused(earlier)
    await earlier.selectOption({ label: 'before the first change' })
    await dialog.getByText('Version 202', { exact: true }).waitFor()
    await earlier.selectOption({ index: 201 })
    await dialog.getByText('Version', { exact: false }).first().waitFor()
    await dialog.getByRole('definition').filter({ hasText: '202' }).waitFor()
    expect(await stage.findings(page)).toEqual([])
  })

  test('times that were changed are in the language and time zone of the user, as in fields and lists', async () => {
    const sysId = await stage.makeIncident('Due later', { due_date: '2031-12-05 10:00:00' })
    const path = `/rest/v1/table/itsm_incident/${sysId}`
    const body = { due_date: '2031-12-06 11:30:00' }
    expect((await stage.docket.request('PATCH', path, { as: loginOf('michael.brown'), body })).status).toBe(200)
    const page = await stage.signedIn('anna.petrova', `/t/itsm_incident/${sysId}`)
    const [before, after] = [/^5 дек\. 2031\s?г\., \d\d:00$/, /^6 дек\. 2031\s?г\., \d\d:30$/]
    const activity = page.getByRole('complementary', { name: 'Лента' })
    await activity.locator('del').filter({ hasText: before }).waitFor()
    await activity.locator('ins').filter({ hasText: after }).waitFor()
    await page.getByRole('button', { name: 'Другие действия' }).click()
    await page.getByRole('menuitem', { name: 'Версии' }).click()
    await page.getByRole('dialog', { name: 'Версии' }).locator('ins').filter({ hasText: after }).waitFor()
  })
})
