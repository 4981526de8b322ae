import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { holdResponse } from '../../harness/held-response.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('a field that refers to a record', () => {
  const stage = consoleStage()

  test('the records chosen last come first, in the next form too, if they are still readable', async () => {
    const one = await stage.makeIncident('First choice')
    const other = await stage.makeIncident('Second choice')
    await stage.docket.database.rows(
      sql`insert into docket.company (sys_id, name) values (docket_system.new_sys_id(), 'Zz Ltd'), (docket_system.new_sys_id(), 'Zy Ltd')`,
    )
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${one}`)
    const field = page.locator('#field-company')
    for (const name of ['Zz Ltd', 'Zy Ltd']) {
      await field.fill(name)
      const stored = page.waitForResponse(
        (each) => each.url().includes('sys_user_preference') && each.request().method() !== 'GET',
      )
      await page.getByRole('option', { name }).click()
      await stored
    }
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${other}`)
    await field.click()
    await page.getByRole('option', { name: 'Zz Ltd' }).waitFor()
    const options = page.getByRole('option')
    // Those chosen last are read by a request of their own.
    await expect
      .poll(async () => (await options.allTextContents()).slice(0, 2).map((each) => each.slice(0, 6)))
      .toEqual(['Zy Ltd', 'Zz Ltd'])
    await stage.docket.database.rows(sql`delete from docket.company where name = 'Zy Ltd'`)
    await page.reload()
    await field.click()
    await page.getByRole('option', { name: 'Zz Ltd' }).waitFor()
    await expect.poll(async () => (await options.allTextContents())[0]).toMatch(/^Zz Ltd/)
  })

  test.each(widths)('a look at the record does not leave the form: $width px', async (view) => {
    const sysId = await stage.makeIncident('To look from')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`, view)
    await page.locator('#field-subject').fill('Typed')
    const opener = page.getByRole('button', { name: 'Look at: Opened by' })
    await opener.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Users' })
    await dialog.getByText('michael.brown', { exact: true }).waitFor()
    expect(await stage.findingsInThemes(page, 'look-at')).toEqual([])
    await page.keyboard.press('Escape')
    await focused(opener)
    expect(await page.locator('#field-subject').inputValue()).toBe('Typed')
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  test('who may create the record does so from the field: it comes back with the record, and nothing typed is lost', async () => {
    const sysId = await stage.makeIncident('Needs a company')
    const agent = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await agent.locator('#field-company').waitFor()
    await stage.settled(agent)
    expect(await agent.getByRole('button', { name: 'New record for: Company' }).count()).toBe(0)

    const page = await stage.signedIn(admin, `/t/itsm_incident/${sysId}`)
    await page.locator('#field-subject').fill('Typed before')
    await page.locator('#field-company').fill('Brand new Ltd')
    await page.keyboard.press('Escape')
    const opener = page.getByRole('button', { name: 'New record for: Company' })
    await opener.press('Enter')
    const dialog = page.getByRole('dialog')
    const name = dialog.locator('#target-name')
    await expect.poll(() => name.inputValue()).toBe('Brand new Ltd')
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'create-from-field')
    await name.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('#field-company').inputValue()).toBe('Brand new Ltd')
    expect(await page.locator('#field-subject').inputValue()).toBe('Typed before')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    const { body } = await stage.docket.request(
      'GET',
      `/rest/v1/table/itsm_incident/${sysId}?sysparm_fields=subject,company.name`,
      { as: loginOf('michael.brown') },
    )
    expect((body as { data: unknown[] }).data[0]).toEqual({ subject: 'Typed before', 'company.name': 'Brand new Ltd' })
  })

  test('a record whose dialog was closed while it was created does not replace what was chosen since', async () => {
    const sysId = await stage.makeIncident('Chosen since')
    const page = await stage.signedIn(admin, `/t/itsm_incident/${sysId}`)
    const field = page.locator('#field-company')
    await field.fill('Late Ltd')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New record for: Company' }).press('Enter')
    const name = page.locator('#target-name')
    await expect.poll(() => name.inputValue()).toBe('Late Ltd')
    const response = await holdResponse(page, 'POST', /\/rest\/v1\/table\/company/)
    await name.press('Enter')
    await response.arrived
    await page.keyboard.press('Escape')
    await name.waitFor({ state: 'detached' })
    await field.fill('Castlebrook')
    await page.getByRole('option', { name: 'Castlebrook Foods' }).click()
    response.release()
    await page.getByText('Created: Late Ltd').waitFor()
    await stage.settled(page)
    expect(await field.inputValue()).toBe('Castlebrook Foods')
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  test('what is typed before the name of the record is known stays', async () => {
    const [company] = await stage.docket.database.rows<{ sys_id: string; name: string }>(
      sql`select sys_id::text, name from docket.company order by name limit 1`,
    )
    const page = await stage.signedIn('michael.brown')
    await stage.settled(page)
    const response = await holdResponse(page, 'GET', new RegExp(`/table/company\\b.*${company?.sys_id}`))
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/new?set=company=${company?.sys_id}`)
    const field = page.locator('#field-company')
    await expect.poll(() => field.inputValue()).toBe('…')
    await response.arrived
    await field.fill('Castlebrook')
    await page.getByRole('option', { name: 'Castlebrook Foods' }).waitFor()
    response.release()
    await stage.settled(page)
    expect(await field.inputValue()).toBe('Castlebrook')
    await page.keyboard.press('Escape')
    await expect.poll(() => field.inputValue()).toBe(company?.name)
  })

  test('a record is found by the columns of its table that are searched, as administrators set them', async () => {
    const table = '/rest/v1/table/sys_db_column'
    const query = 'sysparm_query=table_id.name=company^column_name=city&sysparm_fields=sys_id'
    const found = await stage.docket.request('GET', `${table}?${query}`, { as: admin })
    const [city] = (found.body as { data: { sys_id: string }[] }).data
    const setSearched = async (full_text_search: boolean): Promise<void> => {
      const path = `${table}/${city?.sys_id}`
      expect((await stage.docket.request('PATCH', path, { as: admin, body: { full_text_search } })).status).toBe(200)
    }
    await setSearched(true)
    const sysId = await stage.makeIncident('Found by city')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const company = page.locator('#field-company')
    await company.fill('dublin')
    await page.getByRole('option', { name: 'Castlebrook Foods' }).click()
    await expect.poll(() => company.inputValue()).toBe('Castlebrook Foods')
    await setSearched(false)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.reload()
    await company.fill('dublin')
    await page.getByText('Nothing found.').waitFor()
  })

  test('a duration is typed as people write it', async () => {
    const sysId = await stage.makeIncident('With a duration')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const worked = page.getByLabel('Time worked', { exact: true })
    await worked.fill('90m')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    await expect.poll(() => worked.inputValue()).toBe('1 h 30 m')
  })

  test('undo brings the seconds of a duration back, too', async () => {
    const sysId = await stage.makeIncident('With seconds')
    const stored = async (): Promise<number> => {
      const [row] = await stage.docket.database.rows<{ time_worked: unknown }>(
        sql`select time_worked from docket.task where sys_id = ${sysId}`,
      )
      return Number(row?.time_worked)
    }
    await stage.docket.database.rows(sql`update docket.task set time_worked = 5405000 where sys_id = ${sysId}`)
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const worked = page.getByLabel('Time worked', { exact: true })
    await expect.poll(() => worked.inputValue()).toBe('1 h 30 m 5 s')
    await worked.fill('10 m')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await stored()).toBe(600_000)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(stored).toBe(5_405_000)
  })

  test('a duration with a fraction of a second, or a negative one, is displayed in words', async () => {
    const sysId = await stage.makeIncident('With a fraction')
    const page = await stage.signedIn('michael.brown')
    for (const [ms, words] of [
      [5_405_500, '1 h 30 m'],
      [-5_405_000, '-1 h 30 m'],
    ] as const) {
      await stage.docket.database.rows(sql`update docket.task set time_worked = ${ms} where sys_id = ${sysId}`)
      await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
      await expect.poll(() => page.getByLabel('Time worked', { exact: true }).inputValue()).toBe(words)
    }
  })
})
