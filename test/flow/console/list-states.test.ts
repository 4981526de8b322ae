import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { leaveListsToBrowser } from '../../harness/open-page.ts'

describe.skipIf(!hasChromium)('states of a list (issue 13)', () => {
  const stage = consoleStage()
  const rows = /\/rest\/v1\/table\/itsm_incident\?/

  test.each(widths)('groups, peek, a selection and nothing found have no finding of axe: $width px', async (view) => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true&group=state,priority', view)
    await page
      .locator('button[aria-expanded]')
      .filter({ hasText: /record/ })
      .first()
      .click()
    await page.locator('section section button').first().click()
    await page.getByRole('row').nth(1).waitFor()
    expect(await stage.findingsInThemes(page)).toEqual([])
    await page.goto(`${stage.docket.baseUrl}/console/t/itsm_incident?q=active=true`)
    await page.getByRole('row').nth(1).waitFor()
    if (view.width > 640) await page.getByRole('checkbox', { name: 'Select INC' }).first().check()
    await stage.settled(page)
    await page.getByRole('row').nth(2).press(' ')
    await page.getByRole('complementary', { name: 'Record' }).getByRole('link', { name: 'Open the record' }).waitFor()
    expect(await stage.findingsInThemes(page)).toEqual([])
    await page.goto(`${stage.docket.baseUrl}/console/t/itsm_incident?q=active=true^subject=nothing like it`)
    await page.getByRole('button', { name: 'Without: Subject is nothing like it' }).waitFor()
    expect(await stage.findingsInThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Without: Subject is nothing like it' }).click()
    await page.getByRole('row').nth(1).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(view.width)
  })

  test('a server that cannot be reached is named, and the list goes on by itself when it can be reached', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true')
    await page.getByRole('row').nth(3).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('columnheader', { name: 'Number' }).getByRole('button').click()
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('columnheader', { name: 'Number' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    await page.getByRole('row').nth(3).waitFor()
  })

  test('a server that is busy is asked again when it says so, without a word to the user', async () => {
    const page = await stage.signedIn('michael.brown')
    await leaveListsToBrowser(page)
    let rejected = 0
    await page.route(rows, async (route) => {
      rejected += 1
      if (rejected > 2) return route.continue()
      const status = rejected === 1 ? 429 : 503
      return route.fulfill({ status, headers: { 'retry-after': '1' }, json: { status: 'ERROR', errors: [] } })
    })
    await page.goto(`${stage.docket.baseUrl}/console/t/itsm_incident?q=active=true`)
    await page.getByRole('row').nth(3).waitFor()
    expect(rejected).toBeGreaterThan(2)
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('a session that ends is signed in again over the list, which stays', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true')
    await page.getByRole('row').nth(3).waitFor()
    // The list of the server has the same rows, and takes no clicks.
    await stage.settled(page)
    await page.context().clearCookies()
    // Not by its role: if another request of the page meets the end of the session first, the dialog hides the list from it.
    await page.locator('#root [role=columnheader][data-path=number] button').dispatchEvent('click')
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    await page.locator('input[name=password]').fill(loginOf('michael.brown').password)
    await page.locator('input[name=password]').press('Enter')
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor({ state: 'hidden' })
    await page.getByRole('columnheader', { name: 'Number' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    await page.getByRole('row').nth(3).waitFor()
  })

  test('hostile values stay text in rows, groups, chips, saved filters and the check of many', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202e"^OR'
    await stage.makeIncident(hostile, { category: 'network' })
    await stage.makeIncident(`Hostile ${'long '.repeat(45)}`)
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITH<img&group=subject')
    await page.locator('button[aria-expanded]').filter({ hasText: '<img src=x' }).click()
    await page.getByRole('row').filter({ hasText: '<img src=x' }).waitFor()
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.getByLabel('Save as a new filter').fill('<b>Bold</b>')
    await page.getByLabel('Save as a new filter').press('Enter')
    await page.getByRole('navigation').getByRole('link', { name: '<b>Bold</b>' }).waitFor()
    expect(await page.locator('img[src=x], main b').count()).toBe(0)
  })
})
