import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

const rowRequest = /^GET \/rest\/v1\/table\/itsm_incident\?.*sysparm_max_text/
const groupRequest = /^GET \/rest\/v1\/stats\/itsm_incident/

describe.skipIf(!hasChromium)('a list stays in view until the next one is read (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  /** The attempts of a read are spaced by the clock of the page, and each takes time of its own. */
  const slowly = { timeout: 60_000 }
  const listOf = (word: string): string => `/t/itsm_incident?q=subjectSTARTSWITH${word}^ORDERBYsubject`
  const subjects = (page: Page): Promise<readonly string[]> =>
    page.locator('[data-record] > [role=gridcell]').allInnerTexts()
  const heldRows = (page: Page) => page.locator('[data-record][aria-disabled=true]')
  const skeleton = (page: Page) => page.locator('#list-body').getByRole('status', { name: 'Loading…' })
  async function listWith(word: string): Promise<Page> {
    for (const at of [1, 2]) await stage.makeIncident(`${word} ${at}`, { priority: String(at) })
    const page = await stage.signedIn('michael.brown', `${listOf(word)}&cols=number,subject`)
    await page.getByRole('row', { name: new RegExp(`${word} 2`) }).waitFor()
    await stage.settled(page)
    return page
  }

  test('the rows stay, dimmed and without actions, while another order, columns and groups are read, and are then replaced', async () => {
    const page = await listWith('Held')
    stage.proxy.fail(rowRequest, { kind: 'hold' })
    await page.getByRole('columnheader', { name: 'Subject' }).getByRole('button').click()
    await heldRows(page).nth(1).waitFor()
    expect(await subjects(page)).toEqual(['Held 1', 'Held 2'])
    await page.getByRole('row', { name: /Held 1/ }).press('x')
    await page.getByRole('status').getByText('The next rows are being read. Nothing was done with these.').waitFor()
    expect(await page.getByRole('toolbar', { name: 'Selected records' }).count()).toBe(0)
    expect(await skeleton(page).count()).toBe(0)
    expect(await stage.findings(page, 'loading')).toEqual([])
    await stage.picture(page, 'list-held-order')
    stage.proxy.heal()
    await expect.poll(() => subjects(page)).toEqual(['Held 2', 'Held 1'])
    await expect.poll(() => heldRows(page).count()).toBe(0)

    stage.proxy.fail(rowRequest, { kind: 'hold' })
    await page.evaluate(
      `history.pushState(history.state, '', location.href.replace('cols=number', 'cols=priority,number'))`,
    )
    await heldRows(page).nth(1).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Priority' }).count()).toBe(0)
    stage.proxy.heal()
    await page.getByRole('columnheader', { name: 'Priority' }).waitFor()
    await page
      .getByRole('row', { name: /Held 2/ })
      .getByText('High')
      .waitFor()

    stage.proxy.fail(groupRequest, { kind: 'hold' })
    await page.getByRole('button', { name: 'Group', exact: true }).click()
    await page.getByRole('dialog').getByPlaceholder('Find a field').fill('priority')
    await page.getByRole('dialog').getByRole('button', { name: 'Priority priority' }).click()
    await heldRows(page).nth(1).waitFor()
    expect(await skeleton(page).count()).toBe(0)
    stage.proxy.heal()
    const groups = page.locator('button[aria-expanded]').filter({ hasText: /record/ })
    await groups.nth(1).waitFor()
    await groups.first().click()
    await page.getByRole('row', { name: /Held 1/ }).waitFor()

    stage.proxy.fail(groupRequest, { kind: 'hold' })
    await page.getByRole('searchbox').fill('Held')
    await page.getByRole('searchbox').press('Enter')
    await page.locator('#list-body [aria-busy=true]').first().waitFor()
    expect(await groups.count()).toBe(2)
    expect(await page.getByRole('row', { name: /Held 1/ }).count()).toBe(1)
    stage.proxy.heal()
    await expect.poll(() => page.locator('#list-body [aria-busy=true]').count()).toBe(0)
  })

  test('what takes long says so, and Cancel leads back to the list that is in view', async () => {
    const page = await listWith('Slow')
    await page.locator('[data-record]').first().getByRole('checkbox').check()
    const selected = page.getByRole('toolbar', { name: 'Selected records' }).getByText('1 selected')
    await selected.waitFor()
    stage.proxy.fail(rowRequest, { kind: 'hold' })
    await page.getByRole('searchbox').fill('nothing like it')
    await page.getByRole('searchbox').press('Enter')
    await page.locator('#list-body').getByText('Still working…').waitFor()
    expect(await stage.findings(page, 'loading')).toEqual([])
    await stage.picture(page, 'list-held-slow')
    await page.locator('#list-body').getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('subjectSTARTSWITHSlow^ORDERBYsubject')
    await expect.poll(() => heldRows(page).count()).toBe(0)
    expect(await subjects(page)).toEqual(['Slow 1', 'Slow 2'])
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('')
    await selected.waitFor()
  })

  test('without a server, the rows that were read stay, and say how old they are', async () => {
    const page = await stage.signedIn('michael.brown')
    // Without events, a list is read every 30 s.
    stage.proxy.fail(/^GET \/rest\/v1\/events/, { kind: 'respond', status: 503 })
    await page.clock.install()
    await stage.makeIncident('Aged 1')
    await page.goto(`${stage.baseUrl}/console${listOf('Aged')}&cols=number,subject`)
    await page.getByRole('row', { name: /Aged 1/ }).waitFor()
    await page.getByText('Not live: read again every 30 seconds').waitFor()
    stage.proxy.fail(rowRequest, { kind: 'cut-before' })
    const alert = page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' })
    await expect
      .poll(async () => {
        await page.clock.runFor(10_000)
        return alert.getByText(/What you see is as of \W*\d\d:\d\d\W*, \W*\d+ (minutes|hours?) ago/).count()
      }, slowly)
      .toBe(1)
    expect(await subjects(page)).toEqual(['Aged 1'])
    await stage.picture(page, 'list-aged')
    stage.proxy.heal()
    await expect
      .poll(async () => {
        await page.clock.runFor(30_000)
        return alert.count()
      }, slowly)
      .toBe(0)
  })
})
