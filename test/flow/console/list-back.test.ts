import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('"back" finds a list as it was left, from any page (issue 13)', () => {
  const stage = consoleStage({ proxy: true })

  const topOf = (page: Page) =>
    page.evaluate(`Math.round(document.querySelector('[role=grid]')?.parentElement?.scrollTop ?? -1)`)
  const selected = (page: Page) => page.getByRole('toolbar', { name: 'Selected records' })
  const link = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true })
  async function toSettings(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Michael Brown' }).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Appearance' }).waitFor()
  }

  test('place, focus and selection, after the search, the settings and another list; the list opened anew begins at its top', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=ORDERBYnumber')
    const row = page.locator('[data-record][aria-rowindex="62"]')
    await page.locator('[data-record][aria-rowindex="2"]').press('x')
    for (let presses = 0; presses < 60; presses += 1) await page.keyboard.press('ArrowDown')
    await focused(row)
    await page.keyboard.press('x')
    await selected(page).getByText('2 selected').waitFor()
    await stage.settled(page)
    const top = await topOf(page)
    expect(Number(top)).toBeGreaterThan(500)
    const isAsLeft = async (): Promise<void> => {
      await selected(page).getByText('2 selected').waitFor()
      await focused(row)
      await expect.poll(() => topOf(page)).toBe(top)
      await expect.poll(() => row.getAttribute('aria-selected')).toBe('true')
    }

    await link(page, 'Search').click()
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await page.goBack()
    await isAsLeft()
    await toSettings(page)
    await page.goBack()
    await isAsLeft()
    // Two steps away, and there and back again.
    await link(page, 'Home').click()
    await link(page, 'Problems').click()
    await page.getByRole('heading', { level: 1, name: 'Problems' }).waitFor()
    await page.goBack()
    await page.goBack()
    await isAsLeft()
    await page.goForward()
    await page.goBack()
    await isAsLeft()

    // The pointer scrolls away from the row that had the focus: the place counts.
    await page.locator('#root [role=grid]').hover()
    await page.mouse.wheel(0, -10_000)
    await expect.poll(() => topOf(page)).toBe(0)
    await page.mouse.wheel(0, 300)
    await expect.poll(() => topOf(page)).toBe(300)
    await link(page, 'Search').click()
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await page.goBack()
    await expect.poll(() => topOf(page)).toBe(300)
    await stage.settled(page)
    expect(await topOf(page)).toBe(300)

    // Another entry of the history is another list.
    await link(page, 'Search').click()
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident?q=ORDERBYnumber`)
    // The page of the server has the rows, too, until the console has taken its place.
    await page.locator('[data-record][aria-rowindex="2"]').waitFor()
    expect(await selected(page).count()).toBe(0)
    await expect.poll(() => topOf(page)).toBe(0)
  })

  test('another query and back: the selection of each', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=ORDERBYnumber')
    await page.locator('[data-record][aria-rowindex="3"]').press('x')
    await selected(page).getByText('1 selected').waitFor()
    await page.getByRole('searchbox', { name: 'Search words' }).fill('printer')
    await page.getByRole('searchbox', { name: 'Search words' }).press('Enter')
    await selected(page).waitFor({ state: 'detached' })
    await page.goBack()
    await selected(page).getByText('1 selected').waitFor()
  })

  test('opened groups stay open, within each other, with their place, after a record and after the search', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=1&group=priority,state', {
      height: 500,
    })
    const heads = () => page.locator('#list-body button[aria-expanded=true]').allInnerTexts()
    const groups = page.locator('#list-body button[aria-expanded]')
    await groups.nth(1).click()
    // Until the groups within it are read, the next one is beside it.
    await page.locator('#list-body section section button[aria-expanded]').first().click()
    await page.getByRole('row').nth(1).waitFor()
    await expect.poll(heads).toHaveLength(2)
    await stage.settled(page)
    const open = await heads()
    const scroller = `document.querySelector('#list-body [aria-expanded]').closest('section').parentElement`
    await page.evaluate(`(${scroller}).scrollTop = 30`)
    const row = page.locator('[data-record][aria-rowindex="3"]')
    await row.getByRole('link').first().click()
    await page.locator('#form-fields').waitFor()
    const isAsLeft = async (): Promise<void> => {
      await row.waitFor()
      await expect.poll(heads).toEqual(open)
      await expect.poll(() => page.evaluate(`(${scroller}).scrollTop`)).toBe(30)
    }
    await page.goBack()
    await isAsLeft()
    await focused(row)
    await link(page, 'Search').click()
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await page.goBack()
    await isAsLeft()
    // A group that was closed stays closed.
    await page.locator('#list-body button[aria-expanded=true]').nth(1).click()
    await toSettings(page)
    await page.goBack()
    await page.locator('#list-body button[aria-expanded=true]').first().waitFor()
    await stage.settled(page)
    expect(await heads()).toEqual(open.slice(0, 1))
  })

  test('a group that stays open under another query is open again after "back"', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true^ORDERBYnumber&group=priority')
    const open = page.locator('#list-body button[aria-expanded=true]')
    await page.locator('#list-body button[aria-expanded]').first().click()
    await page.getByRole('row').nth(1).waitFor()
    await page.getByRole('columnheader', { name: 'Subject' }).getByRole('button').first().click()
    await page.getByRole('columnheader', { name: 'Subject' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    await stage.settled(page)
    expect(await open.count()).toBe(1)
    await toSettings(page)
    await page.goBack()
    await open.waitFor()
    await page.getByRole('row').nth(1).waitFor()
  })

  test('groups by another field begin closed, also those with the same value', async () => {
    for (const impact of ['1', '2']) await stage.makeIncident(`Twins ${impact}`, { priority: impact, impact })
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHTwins&group=priority')
    const heads = page.locator('#list-body button[aria-expanded]')
    await heads.nth(1).waitFor()
    for (const at of [0, 1]) await heads.nth(at).click()
    await page.locator('[data-record]').nth(1).waitFor()
    await page.evaluate(
      `history.pushState({}, '', location.href.replace('group=priority', 'group=impact')); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await page.locator('[data-record]').first().waitFor({ state: 'detached' })
    await stage.settled(page)
    await expect
      .poll(() => heads.evaluateAll((all) => all.map((each) => each.ariaExpanded)))
      .toEqual(['false', 'false'])
  })

  test('after a save, the rows that were read are displayed until they are read again', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true^ORDERBYnumber')
    await page.locator('[data-record][aria-rowindex="3"] a').first().click()
    const priority = page.getByLabel('Priority', { exact: true })
    await priority.waitFor()
    await priority.selectOption({ label: (await priority.inputValue()) === '1' ? 'Low' : 'Critical' })
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    await stage.settled(page)
    stage.proxy.fail(/^GET \/rest\/v1\/table\/itsm_incident\?/, { kind: 'hold' })
    await page.goBack()
    await page.locator('[data-record][aria-rowindex="3"] a').first().waitFor()
    await focused(page.locator('[data-record][aria-rowindex="3"]'))
    stage.proxy.heal()
    await stage.settled(page)
  })

  test('rows that arrive late leave the focus where the user has put it meanwhile: in the menu, or in the open navigation', async () => {
    const row = (page: Page) => page.locator('[data-record][aria-rowindex="3"]')
    const back = async (page: Page): Promise<void> => {
      await page.clock.install()
      await row(page).getByRole('link').first().click()
      await page.locator('#form-fields').waitFor()
      await stage.settled(page)
      // A list that nobody sees is forgotten after five minutes.
      await page.clock.fastForward('06:00')
      stage.proxy.fail(/^GET \/rest\/v1\/table\/itsm_incident\?/, { kind: 'hold' })
      await page.goBack()
      await page.locator('#list-body').waitFor()
    }
    const arrive = async (page: Page): Promise<void> => {
      expect(await row(page).getByRole('link').count()).toBe(0)
      stage.proxy.heal()
      await row(page).getByRole('link').first().waitFor()
      await stage.settled(page)
    }
    const list = '/t/itsm_incident?q=active=true^ORDERBYnumber'
    const page = await stage.signedIn('michael.brown', list)
    await back(page)
    await page.getByRole('button', { name: 'Michael Brown' }).press('Enter')
    const settings = page.getByRole('menuitem', { name: 'Settings' })
    await settings.waitFor()
    await settings.focus()
    await arrive(page)
    await focused(settings)

    const phone = await stage.signedIn('michael.brown', list, { width: 390 })
    await back(phone)
    await phone.getByRole('button', { name: 'Menu' }).click()
    await focused(link(phone, 'Home'))
    await arrive(phone)
    await focused(link(phone, 'Home'))
  })

  test('records that were deleted while another page was displayed are not selected any more', async () => {
    const sysIds: string[] = []
    for (let at = 1; at <= 3; at += 1) sysIds.push(await stage.makeIncident(`Gone ${at}`))
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHGone^ORDERBYsubject')
    for (const at of [0, 1]) await page.locator('[data-record]').nth(at).getByRole('checkbox').check()
    await selected(page).getByText('2 selected').waitFor()
    await toSettings(page)
    const path = `/rest/v1/table/itsm_incident/${sysIds[0]}`
    expect((await stage.docket.request('DELETE', path, { as: admin })).status).toBeLessThan(300)
    await page.goBack()
    await selected(page).getByText('1 selected').waitFor()
    await expect.poll(() => page.locator('[data-record]').count()).toBe(2)
  })
})
