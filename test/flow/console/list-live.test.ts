import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { holdResponse } from '../../harness/held-response.ts'

describe.skipIf(!hasChromium)('what others do while a list is displayed (issue 13)', () => {
  const stage = consoleStage()
  const as = loginOf('anna.petrova')
  const pathOf = (sysId: string): string => `/rest/v1/table/itsm_incident/${sysId}`
  const listOf = (word: string, more = ''): string =>
    `/t/itsm_incident?q=subjectSTARTSWITH${word}${more}^ORDERBYsubject&cols=number,subject,priority`
  const rows = (page: Page): Locator => page.locator('[data-record]')
  const rowOf = (page: Page, subject: string): Locator => page.getByRole('row', { name: new RegExp(subject) })
  const says = (page: Page, text: string): Locator =>
    page.getByRole('main').getByRole('status').getByText(text, { exact: true })

  async function change(sysId: string, body: object): Promise<void> {
    expect((await stage.docket.request('PATCH', pathOf(sysId), { as, body })).status).toBe(200)
  }
  async function create(subject: string, more: object = {}): Promise<void> {
    const body = { subject, priority: '3', ...more }
    expect((await stage.docket.request('POST', '/rest/v1/table/itsm_incident', { as, body })).status).toBeLessThan(300)
  }
  async function remove(sysId: string): Promise<void> {
    expect((await stage.docket.request('DELETE', pathOf(sysId), { as: admin })).status).toBeLessThan(300)
  }
  /** The list of as many incidents as there are words. @returns their sys_ids */
  async function opened(word: string, count: number, more = ''): Promise<{ page: Page; sysIds: readonly string[] }> {
    const sysIds: string[] = []
    for (let at = 1; at <= count; at += 1) sysIds.push(await stage.makeIncident(`${word} ${at}`))
    const page = await stage.signedIn('michael.brown', listOf(word, more))
    await rows(page)
      .nth(count - 1)
      .waitFor()
    await stage.settled(page)
    return { page, sysIds }
  }

  test('a record that is deleted leaves the list, and the number follows', async () => {
    const { page, sysIds } = await opened('Erased', 3)
    await remove(sysIds[1] ?? '')
    await rowOf(page, 'Erased 2').waitFor({ state: 'detached' })
    await says(page, '2 records').waitFor()
    expect(await rows(page).allInnerTexts()).toEqual([
      expect.stringContaining('Erased 1'),
      expect.stringContaining('Erased 3'),
    ])
  })

  test('a selected record that is deleted is not counted as selected any more', async () => {
    const { page, sysIds } = await opened('Chosen', 3)
    const chosen = page.getByRole('toolbar', { name: 'Selected records' })
    for (const at of [0, 1]) await rows(page).nth(at).getByRole('checkbox').check()
    await chosen.getByText('2 selected').waitFor()
    await remove(sysIds[1] ?? '')
    await chosen.getByText('1 selected').waitFor()
    await rowOf(page, 'Chosen 2').waitFor({ state: 'detached' })
    await remove(sysIds[0] ?? '')
    await chosen.waitFor({ state: 'detached' })
  })

  test('a record that does not match any more leaves no empty row, and one that matches now has one', async () => {
    const { page, sysIds } = await opened('Moved', 2)
    const other = await stage.makeIncident('Elsewhere')
    await change(sysIds[0] ?? '', { subject: 'Away 1' })
    await says(page, '1 record').waitFor()
    await expect.poll(() => rows(page).count()).toBe(1)
    await change(other, { subject: 'Moved 3' })
    await rowOf(page, 'Moved 3').waitFor()
    await says(page, '2 records').waitFor()
  })

  test('only new records of the list are counted, and none after the list was read again', async () => {
    const { page, sysIds } = await opened('Counted', 1, '^priority=3')
    const fresh = page.getByRole('button', { name: /^\d+ new$/ })
    await create('Counted 2', { priority: '1' })
    await create('Not counted')
    // Events arrive in their order.
    await change(sysIds[0] ?? '', { subject: 'Counted 1, changed' })
    await rowOf(page, 'Counted 1, changed').waitFor()
    await stage.settled(page)
    expect(await fresh.count()).toBe(0)
    await create('Counted 3')
    await fresh.waitFor()
    expect(await fresh.textContent()).toBe('1 new')
    await fresh.click()
    await rowOf(page, 'Counted 3').waitFor()
    await fresh.waitFor({ state: 'detached' })
    await create('Counted 4')
    await fresh.waitFor()
    // The rows are read for a change, and the new one comes with them.
    await change(sysIds[0] ?? '', { subject: 'Counted 1, again' })
    await rowOf(page, 'Counted 4').waitFor()
    await fresh.waitFor({ state: 'detached' })
  })

  test('a record that the list had when it was read is not counted, although its event comes later', async () => {
    await stage.makeIncident('Known 1')
    const page = await stage.signedIn('michael.brown', '/t/company?q=ORDERBYname&cols=name')
    await rows(page).first().waitFor()
    await stage.settled(page)
    // Of tables that are not in view.
    await create('Known 2')
    await create('Known 3')
    await page.evaluate(
      `history.pushState({}, '', '/console${listOf('Known')}'); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await rowOf(page, 'Known 3').waitFor()
    await stage.settled(page)
    await create('Known 4')
    const fresh = page.getByRole('button', { name: /^\d+ new$/ })
    await fresh.waitFor()
    await stage.settled(page)
    expect(await fresh.textContent()).toBe('1 new')
  })

  test('a change of a row that is being read for the first time is displayed', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name, city)
      select docket_system.new_sys_id(), 'Slowly ' || lpad(n::text, 3, '0'), 'Before' from generate_series(1, 180) as n`)
    const [late] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket.company where name = 'Slowly 105'`,
    )
    const address = '/t/company?q=nameSTARTSWITHSlowly^ORDERBYname&cols=name,city'
    const page = await stage.signedIn('michael.brown', address)
    await rowOf(page, 'Slowly 001').waitFor()
    await says(page, '180 records').waitFor()
    await stage.settled(page)
    const block = await holdResponse(page, 'GET', /\/table\/company\?.*sysparm_offset=99(&|$)/)
    await page.evaluate(`document.querySelector('#root [role=grid]').parentElement.scrollTop = 80 * 33`)
    await block.arrived
    // The list is read again for the change. The block is on its way, as it was before.
    const again = page.waitForRequest(/\/table\/company\?(?!.*sysparm_offset=99).*sysparm_max_text/)
    const body = { city: 'After' }
    await stage.docket.request('PATCH', `/rest/v1/table/company/${late?.sys_id}`, { as: admin, body })
    await again
    block.release()
    await rowOf(page, 'Slowly 105').getByText('After', { exact: true }).waitFor()
  })

  test('such a row is read once more only after an open cell is closed', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name, city)
      select docket_system.new_sys_id(), 'Opened ' || lpad(n::text, 3, '0'), 'Before' from generate_series(1, 180) as n`)
    const [late] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket.company where name = 'Opened 105'`,
    )
    const page = await stage.signedIn(admin, '/t/company?q=nameSTARTSWITHOpened^ORDERBYname&cols=name,city')
    await rowOf(page, 'Opened 001').waitFor()
    await says(page, '180 records').waitFor()
    await stage.settled(page)
    let reads = 0
    page.on('request', (request) => {
      if (/\/table\/company\?.*sysparm_offset=99(&|$)/.test(request.url())) reads += 1
    })
    const block = await holdResponse(page, 'GET', /\/table\/company\?.*sysparm_offset=99(&|$)/)
    await page.evaluate(`document.querySelector('#root [role=grid]').parentElement.scrollTop = 80 * 33`)
    await block.arrived
    const again = page.waitForRequest(/\/table\/company\?(?!.*sysparm_offset=99).*sysparm_max_text/)
    const body = { city: 'After' }
    await stage.docket.request('PATCH', `/rest/v1/table/company/${late?.sys_id}`, { as: admin, body })
    await again
    await rowOf(page, 'Opened 088').getByText('Before', { exact: true }).dblclick()
    const city = page.getByRole('grid').getByRole('textbox', { name: 'City' })
    await city.waitFor()
    block.release()
    await rowOf(page, 'Opened 105').waitFor()
    await stage.settled(page)
    expect(reads).toBe(1)
    await city.press('Escape')
    await rowOf(page, 'Opened 105').getByText('After', { exact: true }).waitFor()
  })

  test('the record beside the list is as it is now', async () => {
    const { page, sysIds } = await opened('Beside', 1)
    await rows(page).first().press(' ')
    const peek = page.getByRole('complementary', { name: 'Record' })
    await peek.getByRole('heading', { name: 'Beside 1' }).waitFor()
    await change(sysIds[0] ?? '', { subject: 'Beside, changed' })
    await peek.getByRole('heading', { name: 'Beside, changed' }).waitFor()
  })

  test('a list that was left a moment ago is read again: nobody followed what happened to it', async () => {
    const { page, sysIds } = await opened('Unfollowed', 1)
    const [company] = await stage.docket.database.rows<{ sys_id: string; name: string }>(
      sql`select sys_id, name from docket.company order by name limit 1`,
    )
    // Within the page.
    await page.evaluate(
      `history.pushState({}, '', '/console/t/company?q=ORDERBYname&cols=name'); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await page.getByRole('row', { name: company?.name ?? '' }).waitFor()
    await change(sysIds[0] ?? '', { subject: 'Unfollowed, changed' })
    // An event of this list, which is later than the change.
    await stage.docket.request('PATCH', `/rest/v1/table/company/${company?.sys_id}`, {
      as: admin,
      body: { name: `${company?.name} A` },
    })
    await page.getByRole('row', { name: `${company?.name} A` }).waitFor()
    await page.goBack()
    await rowOf(page, 'Unfollowed, changed').waitFor()
  })
})
