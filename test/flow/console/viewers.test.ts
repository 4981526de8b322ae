import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('who else has a record open (issue 13)', () => {
  const stage = consoleStage({ proxy: true })

  async function turn(value: 'true' | 'false'): Promise<void> {
    const send = (method: string, path: string, body?: object) =>
      stage.docket.request(method, `/rest/v1/table/sys_property${path}`, { as: admin, ...(body && { body }) })
    const found = await send('GET', '?sysparm_query=name=viewers.enabled&sysparm_fields=sys_id')
    const [property] = (found.body as { data: { sys_id: string }[] }).data
    expect((await send('PATCH', `/${property?.sys_id}`, { value })).status).toBe(200)
  }
  beforeEach(() => turn('true'))

  const summaryOf = (page: Page) => page.locator('header details summary')
  const kept = async (sysId: string) => {
    const [row] = await stage.docket.database.rows<{ count: number }>(
      sql`select count(*)::integer as count from docket_system.viewer where record_id = ${sysId}`,
    )
    return row?.count
  }

  test('two users see each other by name, live; who leaves is gone, by the address, by closing the page, and after a crash', async () => {
    const sysId = await stage.makeIncident('Opened twice')
    const path = `/t/itsm_incident/${sysId}`
    const mine = await stage.signedIn('michael.brown', path)
    await mine.getByRole('heading', { level: 1, name: /Opened twice/ }).waitFor()
    await expect.poll(() => kept(sysId)).toBe(1)
    expect(await summaryOf(mine).count()).toBe(0)

    const hers = await stage.signedIn('anna.petrova', path)
    await hers
      .getByRole('button', { name: /Michael Brown/ })
      .or(summaryOf(hers).filter({ hasText: 'MB' }))
      .first()
      .waitFor()
    await summaryOf(mine).filter({ hasText: 'Анна Петрова' }).waitFor()
    await expect
      .poll(() => mine.getByRole('status').filter({ hasText: 'Анна Петрова has this record open, too' }).count())
      .toBe(1)
    // The list of names opens by key, and Escape closes it.
    await summaryOf(mine).focus()
    await mine.keyboard.press('Enter')
    await mine.getByRole('heading', { name: 'Also open for' }).waitFor()
    await mine.getByText(/^since \d\d:\d\d$/).waitFor()
    await mine.keyboard.press('Escape')
    await mine.getByRole('heading', { name: 'Also open for' }).waitFor({ state: 'hidden' })

    // She goes on to another page.
    await hers
      .getByRole('navigation')
      .getByRole('link', { name: /Главная/ })
      .click()
    await summaryOf(mine).waitFor({ state: 'detached' })
    await expect.poll(() => kept(sysId)).toBe(1)
    await hers.goBack()
    await summaryOf(mine).filter({ hasText: 'АП' }).waitFor()
    // She closes the tab.
    await hers.close({ runBeforeUnload: true })
    await summaryOf(mine).waitFor({ state: 'detached' })
    await expect.poll(() => kept(sysId)).toBe(1)

    // A page that vanishes without a word: its row is as old as after 31 s.
    const gone = await stage.signedIn('anna.petrova', path)
    await summaryOf(mine).filter({ hasText: 'АП' }).waitFor()
    stage.proxy.fail(/^DELETE \/v1\/viewers/, { kind: 'cut-before' })
    await gone.context().close()
    await stage.docket.database.rows(
      sql`update docket_system.viewer set seen_at = seen_at - interval '31 seconds' where user_id <> (select sys_id from docket."user" where user_name = 'michael.brown')`,
    )
    await summaryOf(mine).waitFor({ state: 'detached' })
  })

  test('a tab in the background is no viewer, and is one again when it is in front', async () => {
    const sysId = await stage.makeIncident('In the background')
    const path = `/t/itsm_incident/${sysId}`
    const mine = await stage.signedIn('michael.brown', path)
    const hers = await stage.signedIn('anna.petrova', path)
    await summaryOf(mine).filter({ hasText: 'АП' }).waitFor()
    const show = (state: 'hidden' | 'visible') =>
      hers.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await show('hidden')
    await summaryOf(mine).waitFor({ state: 'detached' })
    await show('visible')
    await summaryOf(mine).filter({ hasText: 'АП' }).waitFor()
  })

  test('a report that arrives after the page has left does not leave a viewer behind', async () => {
    const sysId = await stage.makeIncident('Left at once')
    const mine = await stage.signedIn('michael.brown')
    stage.proxy.fail(/^PUT \/v1\/viewers/, { kind: 'hold' })
    await mine.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    await expect.poll(() => stage.proxy.met(/^PUT \/v1\/viewers/)).toBe(1)
    const left = mine.waitForResponse((response) => response.request().method() === 'DELETE')
    await mine.getByRole('navigation').getByRole('link', { name: /Home/ }).click()
    await left
    const again = mine.waitForResponse((response) => response.request().method() === 'DELETE')
    stage.proxy.heal()
    await again
    expect(await kept(sysId)).toBe(0)
  })

  test('a caller sees whom they may read, and an interruption leaves the form as it is', async () => {
    const caller = await stage.docket.request('GET', '/v1/auth/session', { as: loginOf('john.smith') })
    const { user } = (caller.body as { data: { user: { sys_id: string } } }).data
    const sysId = await stage.makeIncident('Of a caller', { caller: user.sys_id })
    const path = `/t/itsm_incident/${sysId}`
    const page = await stage.signedIn('john.smith', path)
    await page.getByRole('heading', { level: 1, name: /Of a caller/ }).waitFor()
    const agent = await stage.signedIn('michael.brown', path)
    await summaryOf(page).filter({ hasText: 'MB' }).waitFor()
    stage.proxy.fail(/\/v1\/viewers/, { kind: 'respond', status: 503 })
    await summaryOf(page).waitFor({ state: 'detached' })
    expect(await page.getByRole('alert').count()).toBe(0)
    stage.proxy.heal()
    await summaryOf(page).filter({ hasText: 'MB' }).waitFor()
    await agent.close()
  })

  test('off, nothing is sent and nothing is displayed; turned off meanwhile, it ends', async () => {
    const sysId = await stage.makeIncident('Turned off')
    const path = `/t/itsm_incident/${sysId}`
    const mine = await stage.signedIn('michael.brown', path)
    const hers = await stage.signedIn('anna.petrova', path)
    await summaryOf(mine).filter({ hasText: 'АП' }).waitFor()
    await turn('false')
    await summaryOf(mine).waitFor({ state: 'detached' })
    await summaryOf(hers).waitFor({ state: 'detached' })
    const sent: string[] = []
    const page = await stage.openBrowser()
    page.on('request', (request) => sent.push(request.url()))
    await page.goto(`${stage.baseUrl}/console${path}`)
    await page.locator('input[name=username]').fill('maria.sokolova')
    await page.locator('input[name=password]').fill(loginOf('maria.sokolova').password)
    await page.locator('input[name=password]').press('Enter')
    await page.getByRole('heading', { level: 1, name: /Turned off/ }).waitFor()
    await stage.settled(page)
    expect(sent.filter((url) => /viewers/.test(url))).toEqual([])
    expect(await summaryOf(page).count()).toBe(0)
  })

  test.each(widths)('it has no finding of axe at $width px', async (view) => {
    const sysId = await stage.makeIncident('A record with a rather long subject, so that the head is full')
    const path = `/t/itsm_incident/${sysId}`
    const page = await stage.signedIn('michael.brown', path, view)
    await stage.signedIn('anna.petrova', path)
    await summaryOf(page).filter({ hasText: 'АП' }).waitFor()
    expect(await stage.findingsInThemes(page, 'viewers')).toEqual([])
    await summaryOf(page).click()
    await page.getByRole('heading', { name: 'Also open for' }).waitFor()
    expect(await stage.findingsInThemes(page, 'viewers-open')).toEqual([])
  })
})
