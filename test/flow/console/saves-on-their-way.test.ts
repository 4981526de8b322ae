import type { Locator, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { holdResponse } from '../../harness/held-response.ts'

const patch = /^PATCH \/rest\/v1\/table\/itsm_incident/

describe.skipIf(!hasChromium)('a save on its way, and what happens meanwhile (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const addressOf = (sysId: string): string => `/t/itsm_incident/${sysId}`
  const recordOf = (sysId: string): RegExp => new RegExp(`/rest/v1/table/itsm_incident/${sysId}`)
  const change = async (sysId: string, body: object): Promise<void> => {
    const as = loginOf('anna.petrova')
    const { status } = await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, { as, body })
    expect(status).toBe(200)
  }
  const stored = async (sysId: string): Promise<unknown> => {
    const [row] = await stage.docket.database.rows(
      sql`select subject, description, urgency from docket.task where sys_id = ${sysId}`,
    )
    return row
  }
  const saveButton = (page: Page): Locator => page.getByRole('button', { name: 'Save', exact: true })
  const saved = (page: Page): Promise<void> => page.getByText('Saved.', { exact: true }).waitFor()

  async function leave(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Back to Incidents' }).click()
    await page.getByRole('grid').waitFor()
  }

  test('undo waits for a save: the form does not display what is undone', async () => {
    const sysId = await stage.makeIncident('Undo and save')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').fill('Undo and save, saved')
    await page.locator('#field-subject').press('Control+s')
    const undo = page.getByRole('button', { name: 'Undo', exact: true })
    // The message stays while its button has the focus.
    await undo.focus()
    const response = await holdResponse(page, 'PATCH', recordOf(sysId))
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postData() ?? '')
    })
    await page.locator('#field-description').fill('Saved meanwhile')
    await saveButton(page).click()
    await response.arrived
    await undo.press('Enter')
    await undo.waitFor({ state: 'detached' })
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    expect(sent).toHaveLength(1)
    response.release()
    await expect.poll(() => stored(sysId)).toMatchObject({ subject: 'Undo and save', description: 'Saved meanwhile' })
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Undo and save')
    await expect.poll(() => page.locator('#field-description').inputValue()).toBe('Saved meanwhile')
    await expect.poll(() => saveButton(page).isDisabled()).toBe(true)
  })

  test('a change of a colleague that is shown during a save does not bring the text from before back', async () => {
    const sysId = await stage.makeIncident('Show and save', { urgency: '3' })
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').fill('Show and save, saved')
    await change(sysId, { urgency: '1' })
    const show = page.getByRole('button', { name: 'Show', exact: true })
    await show.waitFor()
    const response = await holdResponse(page, 'PATCH', recordOf(sysId))
    await saveButton(page).click()
    await response.arrived
    await show.click()
    await expect.poll(() => page.locator('#field-urgency').inputValue()).toBe('1')
    response.release()
    await page.getByText(/^Saved\. Meanwhile: /).waitFor()
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Show and save, saved')
    await expect.poll(() => saveButton(page).isDisabled()).toBe(true)
  })

  test('a value that replaces the shown one of a colleague is not announced as the change of the colleague', async () => {
    const sysId = await stage.makeIncident('Announced', { urgency: '3' })
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-urgency').waitFor()
    await stage.settled(page)
    await change(sysId, { urgency: '1' })
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await expect.poll(() => page.locator('#field-urgency').inputValue()).toBe('1')
    await stage.settled(page)
    const response = await holdResponse(page, 'GET', new RegExp(`${sysId}.*sys_updated_by`))
    await page.locator('#field-urgency').selectOption('2')
    await saveButton(page).click()
    await saved(page)
    await response.arrived
    expect(await page.getByText('has changed:').count()).toBe(0)
    response.release()
    await stage.settled(page)
    expect(await page.getByText('has changed:').count()).toBe(0)
  })

  test('a read that began before a save is not displayed when the record is opened again', async () => {
    const sysId = await stage.makeIncident('Read before')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#composer').fill('Reads the record again')
    const response = await holdResponse(page, 'GET', new RegExp(`/table/itsm_incident/${sysId}\\?(?!.*sysparm_fields)`))
    await page.locator('#composer').press('Control+Enter')
    await response.arrived
    await page.locator('#field-subject').fill('Read before, saved')
    await page.locator('#field-subject').press('Control+s')
    await saved(page)
    response.release()
    await stage.settled(page)
    await leave(page)
    stage.proxy.fail(new RegExp(`^GET .*/table/itsm_incident/${sysId}\\?(?!.*sysparm_fields)`), { kind: 'hold' })
    await page.goBack()
    await page.locator('#field-subject').waitFor()
    expect(await page.locator('#field-subject').inputValue()).toBe('Read before, saved')
    stage.proxy.heal()
  })

  test('who leaves while a record is being created stays where they are, and is told', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident')
    await page.getByRole('grid').waitFor()
    await page.getByRole('link', { name: 'New', exact: true }).click()
    await page.locator('#field-subject').fill('Created late')
    const response = await holdResponse(page, 'POST', /\/rest\/v1\/table\/itsm_incident/)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await response.arrived
    await page.getByRole('link', { name: 'Back to Incidents' }).click()
    await page.getByRole('button', { name: 'Discard and leave' }).click()
    await page.getByRole('grid').waitFor()
    response.release()
    await page.getByText(/^Created: /).waitFor()
    await stage.settled(page)
    expect(new URL(page.url()).pathname).toBe('/console/t/itsm_incident')
    await page.getByRole('grid').waitFor()
  })

  test('what is typed until the form of the created record is there stays', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new')
    await page.locator('#field-subject').fill('Created and typed')
    // The record is created, and its form is not there yet.
    await page.evaluate(`{
      const input = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')
      const observer = new MutationObserver(() => {
        if (!document.body.textContent.includes('Created: ')) return
        observer.disconnect()
        const field = document.getElementById('field-description')
        input.set.call(field, 'Typed at the last moment')
        field.dispatchEvent(new Event('input', { bubbles: true }))
      })
      observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    }`)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.waitForURL(/itsm_incident\/\d+$/)
    await page.getByRole('button', { name: 'Discard', exact: true }).waitFor()
    expect(await page.locator('#field-description').inputValue()).toBe('Typed at the last moment')
    expect(await page.locator('#field-subject').inputValue()).toBe('Created and typed')
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
  })

  test('a change of the same user elsewhere that arrives during a save is reported after it', async () => {
    const sysId = await stage.makeIncident('Saved in two tabs', { urgency: '3' })
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').fill('Saved in two tabs, one')
    await stage.settled(page)
    const response = await holdResponse(page, 'PATCH', recordOf(sysId))
    await saveButton(page).click()
    await response.arrived
    const other = { as: loginOf('michael.brown'), body: { urgency: '1' } }
    const path = `/rest/v1/table/itsm_incident/${sysId}`
    expect((await stage.docket.request('PATCH', path, other)).status).toBe(200)
    // Its event is there.
    await page.locator('#form-activity li[data-kind=change]').filter({ hasText: 'Urgency' }).waitFor()
    response.release()
    await saved(page)
    await page.getByText('Michael Brown has changed: Urgency').waitFor()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await expect.poll(() => page.locator('#field-urgency').inputValue()).toBe('1')
  })

  test('a change of state that fails after its form was left is reported', async () => {
    const sysId = await stage.makeIncident('State and leave')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    const move = page.getByRole('group', { name: 'Move to' }).getByRole('button').first()
    await move.waitFor()
    stage.proxy.fail(patch, { kind: 'hold' })
    await move.click()
    await expect.poll(() => stage.proxy.met(patch)).toBe(1)
    await leave(page)
    stage.proxy.kill()
    await page
      .getByRole('status')
      .getByText(/ is not saved\. The server cannot be reached\./)
      .waitFor()
  })

  test('a change of state that meets the one of a colleague after its form was left is reported', async () => {
    const sysId = await stage.makeIncident('State and colleague')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    const moves = page.getByRole('group', { name: 'Move to' }).getByRole('button')
    await moves.nth(1).waitFor()
    const state = await stage.docket.database.rows<{ state: string }>(
      sql`select state from docket.task where sys_id = ${sysId}`,
    )
    stage.proxy.fail(patch, { kind: 'hold' })
    await moves.nth(1).click()
    await expect.poll(() => stage.proxy.met(patch)).toBe(1)
    await leave(page)
    const rights = await stage.docket.request('GET', `/rest/v1/table/itsm_incident/${sysId}?sysparm_rights=1`, {
      as: loginOf('anna.petrova'),
    })
    const [first] = (rights.body as { rights: { states: string[] } }).rights.states.filter(
      (each) => each !== state[0]?.state,
    )
    await change(sysId, { state: first })
    stage.proxy.heal()
    await page
      .getByRole('status')
      .getByText(/ is not saved: Анна Петрова has changed it since\. Open it to decide\./)
      .waitFor()
  })

  test('what prevents a change of state is displayed in the dialog that asked for its fields', async () => {
    const sysId = await stage.makeIncident('Needs and error', { closure_notes: 'Old reason' })
    await stage.docket.database.rows(
      sql`update docket.sys_db_column set mandatory = true where column_name = 'closure_notes'`,
    )
    // The tests after this one have the dictionary of the demo.
    onTestFinished(async () => {
      await stage.docket.database.rows(
        sql`update docket.sys_db_column set mandatory = false where column_name = 'closure_notes'`,
      )
    })
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-closure_notes').fill('')
    await page.getByRole('group', { name: 'Move to' }).getByRole('button').first().click()
    const dialog = page.getByRole('dialog', { name: /^Needed for/ })
    await dialog.getByLabel('Closure notes').fill('Because')
    stage.proxy.fail(patch, { kind: 'respond', status: 503 })
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    const alert = dialog.getByRole('alert')
    await alert.getByText('The server is not available at the moment (status 503).').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'required-error')
    stage.proxy.heal()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await saved(page)
    await dialog.waitFor({ state: 'detached' })
  })

  test('what was discarded leaves no error at its field', async () => {
    const sysId = await stage.makeIncident('Discarded error')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').fill('x'.repeat(300))
    const rejected = page.waitForResponse((each) => each.request().method() === 'PATCH')
    await saveButton(page).click()
    await rejected
    const error = page.locator('#field-subject-error')
    await error.filter({ hasNotText: 'this has 300' }).waitFor()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Discarded error')
    await error.waitFor({ state: 'detached' })
  })

  test('the draft of a new record belongs to the address that it began with', async () => {
    const addressWith = (set: string): string => `${stage.baseUrl}/console/t/itsm_incident/new?set=${set}`
    const page = await stage.signedIn('michael.brown')
    page.removeAllListeners('dialog')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.goto(addressWith('urgency=1'))
    await page.locator('#field-subject').fill('For the first')
    await expect.poll(() => page.evaluate<string>('JSON.stringify({ ...sessionStorage })')).toContain('For the first')
    await page.goto(addressWith('urgency=2'))
    await expect.poll(() => page.locator('#field-urgency').inputValue()).toBe('2')
    expect(await page.locator('#field-subject').inputValue()).toBe('')
    await page.goto(addressWith('urgency=1'))
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('For the first')
    expect(await page.locator('#field-urgency').inputValue()).toBe('1')
  })
})
