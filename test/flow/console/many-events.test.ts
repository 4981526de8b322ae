import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused } from '../../harness/keyboard.ts'

/** Requests of rows: counts have a limit of one row, and no maximum for texts. */
const rowsOfTasks = /^GET \/rest\/v1\/table\/task\?.*sysparm_max_text/
const journal = /^GET \/rest\/v1\/table\/sys_journal_entry\?/

describe.skipIf(!hasChromium)('a form while many records change (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const as = loginOf('anna.petrova')
  const path = '/rest/v1/table/itsm_incident'
  async function change(sysId: string, body: object): Promise<void> {
    expect((await stage.docket.request('PATCH', `${path}/${sysId}`, { as, body })).status).toBe(200)
  }
  async function changeOften(sysId: string, word: string): Promise<void> {
    for (let at = 0; at < 25; at += 1) await change(sysId, { description: `${word} ${at}` })
  }
  /** Counts what the page requests from now on. */
  function countRequests(page: Page, what: RegExp): () => number {
    let count = 0
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (what.test(`${request.method()} ${pathname}${search}`)) count += 1
    })
    return () => count
  }
  const listNamed = (page: Page, name: string): Locator =>
    page.locator('details').filter({ has: page.locator('summary', { hasText: name }) })
  const idOf = async (userName: string): Promise<string> => {
    const [row] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket."user" where user_name = ${userName}`,
    )
    return row?.sys_id ?? ''
  }

  test('two lists of one table are read once for any number of events, and once more for those that came meanwhile', async () => {
    const user = await idOf('elena.volkova')
    const sysId = await stage.makeIncident('Of both lists', { caller: user, contact: user })
    const page = await stage.signedIn('michael.brown', `/t/user/${user}`)
    const [upper, lower] = [listNamed(page, 'Tasks: Caller'), listNamed(page, 'Tasks: Contact')]
    for (const list of [upper, lower]) {
      await list.locator('summary').click()
      await list.locator('[data-record]').filter({ hasText: 'Of both lists' }).waitFor()
    }
    await stage.settled(page)
    await page.clock.install()
    const count = countRequests(page, rowsOfTasks)
    stage.proxy.fail(rowsOfTasks, { kind: 'hold' })
    await changeOften(sysId, 'First')
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000)
        return stage.proxy.met(rowsOfTasks)
      })
      .toBe(2)
    await changeOften(sysId, 'Then')
    await change(sysId, { subject: 'Of both lists, last' })
    const ofUser = { as: admin, body: { phone: '+44 20 7946 0000' } }
    expect((await stage.docket.request('PATCH', `/rest/v1/table/user/${user}`, ofUser)).status).toBe(200)
    // Events arrive in their order: with that of the user, all of them are there.
    await page.getByText(/ has changed: /).waitFor()
    await page.clock.runFor(2_000)
    expect([count(), stage.proxy.met(rowsOfTasks)]).toEqual([2, 2])
    stage.proxy.heal()
    for (const list of [upper, lower])
      await list.locator('[data-record]').filter({ hasText: 'Of both lists, last' }).waitFor()
    await page.clock.runFor(2_000)
    await stage.settled(page)
    expect(count()).toBe(4)
  })

  test('its activity, and what it says of others, are read once for any number of events, and once more', async () => {
    const sysId = await stage.makeIncident('Changed often', { urgency: '3' })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.locator('#field-subject').waitFor()
    await stage.settled(page)
    const changed = /^GET \/rest\/v1\/table\/itsm_incident\/\d+\?.*sys_updated_by/
    const counts = [countRequests(page, journal), countRequests(page, changed)]
    const counted = (): readonly number[] => counts.map((count) => count())
    for (const what of [journal, changed]) stage.proxy.fail(what, { kind: 'hold' })
    await changeOften(sysId, 'Often')
    await expect.poll(counted).toEqual([1, 1])
    await change(sysId, { urgency: '1' })
    const files = page.getByRole('region', { name: 'Files' })
    // Events arrive in their order: with that of the file, all of them are there.
    const form = new FormData()
    form.append('files[]', new File(['last'], 'last.txt', { type: 'text/plain' }))
    const sent = await fetch(`${stage.docket.baseUrl}/v1/attachments/upload/itsm_incident/${sysId}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${as.user}:${as.password}`).toString('base64')}` },
      body: form,
    })
    expect(sent.status).toBeLessThan(300)
    await files.getByRole('link', { name: 'last.txt' }).waitFor()
    expect(counted()).toEqual([1, 1])
    stage.proxy.heal()
    await page.getByText(/^Анна Петрова has changed: .*Urgency/).waitFor()
    await page.locator('#form-activity').getByText('Often 24').first().waitFor()
    await stage.settled(page)
    expect(counted()).toEqual([2, 2])
  })

  test('a save of the form leaves what is typed into a cell of its lists, and the list follows when the cell is closed', async () => {
    const parent = await stage.makeIncident('Parent of cells')
    for (const subject of ['Cell 1', 'Cell 2']) await stage.makeIncident(subject, { parent_id: parent })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${parent}`)
    const list = listNamed(page, 'Tasks: Parent task')
    await list.locator('summary').click()
    const rows = list.locator('[data-record]')
    await rows.nth(1).waitFor()
    await list.getByRole('columnheader', { name: 'Subject' }).getByRole('button').first().click()
    await rows.first().filter({ hasText: 'Cell 1' }).waitFor()
    await stage.settled(page)
    await rows.nth(1).getByRole('gridcell', { name: 'Cell 2', exact: true }).dblclick()
    const editor = list.getByRole('textbox', { name: 'Subject' })
    await focused(editor)
    await editor.fill('x'.repeat(300))
    await editor.press('Enter')
    await list.getByRole('grid').getByRole('alert').waitFor()
    const [first] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket.task where subject = 'Cell 1'`,
    )
    expect((await stage.docket.request('DELETE', `${path}/${first?.sys_id}`, { as: admin })).status).toBeLessThan(300)
    await page.locator('#field-description').fill('Saved beside a cell')
    await page.locator('#field-description').press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    await stage.settled(page)
    expect(await editor.inputValue()).toBe('x'.repeat(300))
    await editor.fill('Cell 2, typed')
    await editor.press('Enter')
    await editor.waitFor({ state: 'detached' })
    await rows.filter({ hasText: 'Cell 2, typed' }).waitFor()
    await rows.filter({ hasText: /Cell 1/ }).waitFor({ state: 'detached' })
  })
})
