import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('what cannot be read again says how old it is (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const slowly = { timeout: 60_000 }
  const old = (page: Page) =>
    page.getByRole('alert').getByText(/What you see is as of \W*\d\d:\d\d\W*, \W*\d+ (minutes|hours?) ago/)

  test('a form', async () => {
    const sysId = await stage.makeIncident('An aged record')
    const page = await stage.signedIn('michael.brown')
    stage.proxy.fail(/^GET \/rest\/v1\/events/, { kind: 'respond', status: 503 })
    await page.clock.install()
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    await page.getByRole('heading', { level: 1, name: /An aged record/ }).waitFor()
    await page.getByText('Not live: read again every 30 seconds').waitFor()
    stage.proxy.fail(/^GET \/rest\/v1\/table\/itsm_incident\/\d+/, { kind: 'cut-before' })
    await page.locator('#field-subject').fill('An aged record, typed')
    await expect
      .poll(async () => {
        await page.clock.runFor(10_000)
        return old(page).count()
      }, slowly)
      .toBe(1)
    expect(await page.locator('#field-subject').inputValue()).toBe('An aged record, typed')
    stage.proxy.heal()
    await expect
      .poll(async () => {
        await page.clock.runFor(30_000)
        return page.getByRole('alert').count()
      }, slowly)
      .toBe(0)
    expect(await page.locator('#field-subject').inputValue()).toBe('An aged record, typed')
  })

  test('a related list keeps its rows', async () => {
    const sysId = await stage.makeIncident('A parent')
    await stage.makeIncident('Its child', { parent_id: sysId })
    const page = await stage.signedIn('michael.brown')
    await page.clock.install()
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    const list = page.locator('details').filter({ hasText: 'Its child' })
    const lists = page.locator('details').filter({ has: page.locator('summary', { hasText: /1$/ }) })
    await lists.first().locator('summary').click()
    await list.getByText('Its child').waitFor()
    await page.clock.runFor(180_000)
    await lists.first().locator('summary').click()
    await page.getByText('Its child').waitFor({ state: 'hidden' })
    stage.proxy.fail(/^GET \/rest\/v1\/table\/\w+\?/, { kind: 'cut-before' })
    await lists.first().locator('summary').click()
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000)
        return old(page).count()
      }, slowly)
      .toBe(1)
    expect(await list.getByText('Its child').isVisible()).toBe(true)
  })

  test('a list, also after a cell of it was edited: the other values are as old as before', async () => {
    await stage.makeIncident('Cell of an aged list')
    const page = await stage.signedIn('michael.brown')
    await page.clock.install()
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident?q=subjectSTARTSWITHCell of an aged&cols=number,subject`)
    await page.getByRole('row', { name: /Cell of an aged list/ }).waitFor()
    await stage.settled(page)
    await page.clock.runFor(300_000)
    stage.proxy.fail(/^GET \/rest\/v1\/table\/itsm_incident\?/, { kind: 'cut-before' })
    await page.getByRole('gridcell').getByText('Cell of an aged list', { exact: true }).dblclick()
    const field = page.getByRole('textbox', { name: 'Subject' })
    await field.fill('Cell of an aged list, edited')
    await field.press('Enter')
    await page.getByRole('gridcell').getByText('Cell of an aged list, edited', { exact: true }).waitFor()
    // The event of the change reads the list again, in vain. The message is as old as the list from the beginning.
    const alert = page.getByRole('alert')
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000)
        return alert.count()
      }, slowly)
      .toBe(1)
    expect(((await alert.textContent()) ?? '').replaceAll(/[\u2066-\u2069]/g, '')).toMatch(/, [5-9] minutes ago/)
  })
})
