import type { Locator, Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'

/** Requests for the rights of a saved record, until each is let go. The rights that come with a record are not among them. */
async function holdRights(page: Page): Promise<{ letGo(sysId: string): Promise<void> }> {
  const held = new Map<string, Route[]>()
  await page.route(isRightsRequest, (route) => {
    const sysId = sysIdOf(route)
    held.set(sysId, [...(held.get(sysId) ?? []), route])
  })
  return {
    letGo: async (sysId) => {
      await expect.poll(() => held.get(sysId)?.length ?? 0).toBeGreaterThan(0)
      for (const route of held.get(sysId) ?? []) {
        const received = page.waitForResponse((response) => response.request() === route.request())
        await route.continue()
        await (await received).finished()
      }
    },
  }
}
const isRightsRequest = ({ searchParams }: URL): boolean =>
  searchParams.get('sysparm_rights') === '1' && searchParams.get('sysparm_fields') === 'sys_id'
const sysIdOf = (route: Route): string => new URL(route.request().url()).pathname.split('/').at(-1) ?? ''

describe.skipIf(!hasChromium)('after a save: the message, undo and the rights', () => {
  const stage = consoleStage()
  const addressOf = (sysId: string): string => `/t/itsm_incident/${sysId}`
  const saved = (page: Page): Locator => page.getByText('Saved.', { exact: true })
  const undone = (page: Page): Locator => page.getByText('Undone.', { exact: true })
  const undo = (page: Page): Locator => page.getByRole('button', { name: 'Undo', exact: true })
  const stored = async (sysId: string): Promise<unknown> => {
    const [row] = await stage.docket.database.rows<{ subject: string }>(
      sql`select subject from docket.task where sys_id = ${sysId}`,
    )
    return row?.subject
  }

  /** Edits the subject in the list. */
  async function edit(page: Page, name: string): Promise<void> {
    await page.getByRole('gridcell').getByText(name, { exact: true }).dblclick()
    const field = page.getByRole('textbox', { name: 'Subject' })
    await field.fill(`${name}, edited`)
    await field.press('Enter')
    await page.getByRole('gridcell').getByText(`${name}, edited`, { exact: true }).waitFor()
    await field.waitFor({ state: 'detached' })
  }

  test.each([
    { title: 'fails', status: 500, headers: {} },
    { title: 'has to wait longer than a request does', status: 429, headers: { 'retry-after': '30' } },
  ])('the form stays writable while the request for its rights $title', async ({ status, headers }) => {
    const sysId = await stage.makeIncident('Rights fail')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    const move = (state: string): Locator =>
      page.getByRole('group', { name: 'Move to' }).getByRole('button', { name: state, exact: true })
    await page.locator('#field-subject').fill('Rights fail, saved')
    await move('Assigned').waitFor()
    await page.route(isRightsRequest, (route) =>
      route.fulfill({ status, headers, json: { status: 'ERROR', errors: [{ message: 'Broken on purpose' }] } }),
    )
    await move('Assigned').click()
    await saved(page).waitFor()
    // The server decides.
    await undo(page).waitFor()
    await stage.settled(page)
    expect(await page.locator('#field-subject').isEditable()).toBe(true)
    await page.unroute(isRightsRequest)
    // The states of the record before the save, until the request is sent again.
    await move('Assigned').waitFor({ state: 'detached' })
    await page.locator('#field-subject').fill('Rights are there again')
    await page.keyboard.press('Control+s')
    await expect.poll(() => stored(sysId)).toBe('Rights are there again')
  })

  test('"Saved" comes at once, and undo when the server has said that it is possible', async () => {
    const sysId = await stage.makeIncident('Slow rights')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').fill('Slow rights, saved')
    const rights = await holdRights(page)
    await page.keyboard.press('Control+s')
    await saved(page).waitFor()
    await page.locator('#page').press('Control+z')
    expect(await undo(page).count()).toBe(0)
    await rights.letGo(sysId)
    await undo(page).waitFor()
    expect(await saved(page).count()).toBe(1)
    expect(await stored(sysId)).toBe('Slow rights, saved')
    await page.locator('#page').press('Control+z')
    await undone(page).waitFor()
    expect(await stored(sysId)).toBe('Slow rights')
  })

  test('undo belongs to the message that is displayed, in whatever order the rights arrive', async () => {
    const [first, second] = [await stage.makeIncident('Order 1'), await stage.makeIncident('Order 2')]
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHOrder&cols=number,subject')
    const rights = await holdRights(page)
    await edit(page, 'Order 1')
    await saved(page).waitFor()
    await edit(page, 'Order 2')
    await rights.letGo(first)
    // Nothing may happen now.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))')
    expect(await undo(page).count()).toBe(0)
    await rights.letGo(second)
    await undo(page).waitFor()
    await page.locator('#page').press('Control+z')
    await undone(page).waitFor()
    expect([await stored(first), await stored(second)]).toEqual(['Order 1, edited', 'Order 2'])
  })

  test('late rights of an earlier change do not replace the undo of a later one', async () => {
    const [first, second] = [await stage.makeIncident('Late 1'), await stage.makeIncident('Late 2')]
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHLate&cols=number,subject')
    const rights = await holdRights(page)
    await edit(page, 'Late 1')
    // A save that is still on its way would report after the one that follows.
    await saved(page).waitFor()
    await edit(page, 'Late 2')
    await rights.letGo(second)
    await undo(page).waitFor()
    await rights.letGo(first)
    await stage.settled(page)
    await page.locator('#page').press('Control+z')
    await undone(page).waitFor()
    expect([await stored(first), await stored(second)]).toEqual(['Late 1, edited', 'Late 2'])
  })

  test('what was typed stays in view when the right to write it ends, and can be discarded', async () => {
    const sysId = await stage.makeIncident('Closed meanwhile')
    await stage.docket.database.rows(sql`
      update docket.task set caller = (select sys_id from docket."user" where user_name = 'john.smith')
      where sys_id = ${sysId}`)
    const page = await stage.signedIn('john.smith', addressOf(sysId))
    const typed = page.locator('#field-description')
    await typed.fill('Only typed')
    await stage.settled(page)
    await stage.docket.database.rows(sql`update docket.task set active = false where sys_id = ${sysId}`)
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('anna.petrova'),
      body: { impact: '1' },
    })
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    // The fields that nothing was typed into.
    await page.locator('#field-subject').waitFor({ state: 'detached' })
    expect(await typed.inputValue()).toBe('Only typed')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').first().waitFor()
    expect(await typed.inputValue()).toBe('Only typed')
    expect(await stage.findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await typed.waitFor({ state: 'detached' })
  })
})
