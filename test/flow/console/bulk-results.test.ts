import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('what a change of many records says in the end (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const imports = /^POST \/rest\/v1\/import\/json\?/

  const makeCompanies = (word: string, count: number): Promise<unknown> =>
    stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name, sys_db_table_id)
      select docket_system.new_sys_id(), ${word}::text || ' ' || n, (select sys_id from docket.sys_db_table where name = 'company')
      from generate_series(1, ${count}::integer) as n`)

  const counted = async (word: string, city: string | null): Promise<unknown> => {
    const [row] = await stage.docket.database.rows<{ count: number }>(sql`
      select count(*)::integer as count from docket.company
      where name like ${`${word} %`} and (${city}::text is null or city = ${city})`)
    return row?.count
  }

  /** The list of these companies, all of them selected. */
  async function selected(word: string, count: string): Promise<Page> {
    const page = await stage.signedIn(admin, `/t/company?q=nameSTARTSWITH${word} `)
    await page
      .getByRole('checkbox', { name: `Select ${word}` })
      .first()
      .check()
    await page.getByRole('button', { name: `All ${count} matching` }).click()
    return page
  }

  async function editCity(page: Page): Promise<Locator> {
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Companies' })
    await dialog.getByLabel('Add a field to change').selectOption('city')
    await dialog.getByRole('textbox', { name: 'City' }).fill('Kazan')
    return dialog
  }

  const deletionOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Delete several: Companies' })

  test('a change that breaks midway says how many records it has changed, and takes them back', async () => {
    await makeCompanies('Broken', 150)
    const page = await selected('Broken', '150')
    const dialog = await editCity(page)
    await dialog.getByRole('button', { name: 'Check' }).click()
    const change = dialog.getByRole('button', { name: 'Change 150 records' })
    await change.waitFor()
    // The first batch waits until the second one is sure to fail.
    stage.proxy.fail(imports, { kind: 'hold' }, 1)
    await change.click()
    await expect.poll(() => stage.proxy.met(imports)).toBe(1)
    stage.proxy.fail(/^POST \/rest\/v1\/import/, { kind: 'respond', status: 500 })
    stage.proxy.heal(imports)
    await dialog.getByText('100 records are changed.').waitFor()
    await dialog.getByRole('alert').waitFor()
    expect(await counted('Broken', 'Kazan')).toBe(100)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'bulk-broken')
    await dialog.getByRole('button', { name: 'Back' }).waitFor()
    stage.proxy.heal()
    // It is offered for ten seconds, which begin when the user has read what is changed.
    expect(await page.getByText('Undo').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('100 records are as before.').waitFor()
    expect(await counted('Broken', 'Kazan')).toBe(0)
  })

  test('the rest can be changed after "Back"; undo is that of both runs', async () => {
    await makeCompanies('Twice', 150)
    const page = await selected('Twice', '150')
    const dialog = await editCity(page)
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByRole('button', { name: 'Change 150 records' }).waitFor()
    stage.proxy.fail(imports, { kind: 'hold' }, 1)
    await dialog.getByRole('button', { name: 'Change 150 records' }).click()
    await expect.poll(() => stage.proxy.met(imports)).toBe(1)
    stage.proxy.fail(/^POST \/rest\/v1\/import/, { kind: 'respond', status: 500 })
    stage.proxy.heal(imports)
    await dialog.getByText('100 records are changed.').waitFor()
    stage.proxy.heal()
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByRole('button', { name: 'Change 50 records' }).click()
    await page.getByText('150 records are changed.').waitFor()
    expect(await counted('Twice', 'Kazan')).toBe(150)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('150 records are as before.').waitFor()
    expect(await counted('Twice', 'Kazan')).toBe(0)
  })

  test('undo names the records that are not as before, each with its reason and a link', async () => {
    await makeCompanies('Kept', 4)
    const idOf = async (name: string): Promise<string> => {
      const [row] = await stage.docket.database.rows<{ sys_id: string }>(
        sql`select sys_id from docket.company where name = ${name}`,
      )
      return String(row?.sys_id)
    }
    const page = await selected('Kept', '4')
    const dialog = await editCity(page)
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByRole('button', { name: 'Change 4 records' }).click()
    await page.getByText('4 records are changed.').waitFor()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.focus()
    const [gone, changed] = [await idOf('Kept 1'), await idOf('Kept 2')]
    await stage.docket.request('DELETE', `/rest/v1/table/company/${gone}`, { as: admin })
    await stage.docket.request('PATCH', `/rest/v1/table/company/${changed}`, { as: admin, body: { city: 'Omsk' } })
    await page.route(/import\/json/, async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { readonly data: object }
      const data = { ...body.data, errors: [{ line: 1, message: 'It is closed.' }] }
      await route.fulfill({ response, json: { ...body, data } })
    })
    await undo.press('Enter')
    const message = page.getByText('1 record is as before. 3 records are not:')
    await message.waitFor()
    const link = message.getByRole('link', { name: 'Kept 1' })
    await link.focus()
    expect(await link.getAttribute('href')).toBe(`/console/t/company/${gone}`)
    expect(await message.getByRole('link').count()).toBe(3)
    const text = await message.textContent()
    expect(text).toMatch(/Kept 1\W*: This does not exist/)
    expect(text).toMatch(/Kept 2\W*: .+ has changed this record since\./)
    expect(text).toMatch(/Kept [34]\W*: It is closed\./)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'bulk-not-undone')
  })

  test('undo includes records whose response was lost, although the server displays the value in another form', async () => {
    const made = [await stage.makeIncident('Uncertain 1'), await stage.makeIncident('Uncertain 2')]
    const worked = async (): Promise<readonly unknown[]> => {
      const rows = await stage.docket.database.rows<{ time_worked: unknown }>(
        sql`select time_worked from docket.task where sys_id = any(${made})`,
      )
      return rows.map(({ time_worked }) => time_worked === null)
    }
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHUncertain&cols=subject')
    await page.getByRole('checkbox', { name: /Uncertain 1/ }).check()
    await page.getByRole('checkbox', { name: /Uncertain 2/ }).check()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Incidents' })
    await dialog.getByLabel('Add a field to change').selectOption('time_worked')
    await dialog.getByRole('textbox', { name: 'Time worked' }).fill('90 m')
    await dialog.getByRole('button', { name: 'Check' }).click()
    const change = dialog.getByRole('button', { name: 'Change 2 records' })
    await change.waitFor()
    stage.proxy.fail(imports, { kind: 'cut-after' })
    await change.click()
    await dialog.getByText('0 records are changed.').waitFor()
    expect(await worked()).toEqual([false, false])
    stage.proxy.heal()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByText('2 records are as before.').waitFor()
    expect(await worked()).toEqual([true, true])
  })

  test('undo counts a record whose response was lost, although that of its undo is lost, too', async () => {
    const made = [
      await stage.makeIncident('Lost 1'),
      await stage.makeIncident('Lost 2'),
      await stage.makeIncident('Lost 3'),
    ]
    const urgencies = async (): Promise<readonly unknown[]> => {
      const rows = await stage.docket.database.rows<{ urgency: unknown }>(
        sql`select urgency from docket.task where sys_id = any(${made})`,
      )
      return rows.map(({ urgency }) => urgency)
    }
    const before = await urgencies()
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHLost &cols=subject,urgency')
    for (const name of ['Lost 1', 'Lost 2', 'Lost 3'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Incidents' })
    await dialog.getByLabel('Add a field to change').selectOption('urgency')
    await dialog.getByRole('combobox', { name: 'Urgency' }).selectOption('1')
    await dialog.getByRole('button', { name: 'Check' }).click()
    const change = dialog.getByRole('button', { name: 'Change 3 records' })
    await change.waitFor()
    stage.proxy.fail(imports, { kind: 'cut-after' })
    await change.click()
    await dialog.getByText('0 records are changed.').waitFor()
    expect(await urgencies()).toEqual(['1', '1', '1'])
    await dialog.getByRole('button', { name: 'Close' }).click()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.press('Enter')
    await page.getByText(/^0 records are as before\./).waitFor()
    expect(await urgencies()).toEqual(before)
    stage.proxy.heal()
    await undo.press('Enter')
    await page.getByText('3 records are as before.').waitFor()
    expect(await urgencies()).toEqual(before)
  })

  test('a deletion whose check does not reach the server checks again when it is wanted', async () => {
    await makeCompanies('Unchecked', 2)
    const page = await stage.signedIn(admin, '/t/company?q=nameSTARTSWITHUnchecked ')
    await page.getByRole('checkbox', { name: 'Select Unchecked' }).first().check()
    stage.proxy.fail(/^POST \/rest\/v1\/bulk\/company/, { kind: 'cut-before' })
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = deletionOf(page)
    await dialog.getByRole('alert').waitFor()
    expect(await dialog.getByRole('button', { name: 'Delete…' }).isDisabled()).toBe(true)
    expect(await stage.findings(page)).toEqual([])
    await dialog
      .getByRole('alert')
      .getByRole('button', { name: /^Try again/ })
      .waitFor()
    stage.proxy.heal()
    // It offers a button, and tries again by itself: a click could meet that moment.
    await expect.poll(() => dialog.getByRole('button', { name: 'Delete…' }).isEnabled()).toBe(true)
    await dialog.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('Escape stops a change that runs, and the dialog says what is changed', async () => {
    await makeCompanies('Stopped', 150)
    const page = await selected('Stopped', '150')
    const dialog = await editCity(page)
    await dialog.getByRole('button', { name: 'Check' }).click()
    const change = dialog.getByRole('button', { name: 'Change 150 records' })
    await change.waitFor()
    stage.proxy.fail(imports, { kind: 'hold' }, 1)
    await change.click()
    await expect.poll(() => stage.proxy.met(imports)).toBe(1)
    await page.keyboard.press('Escape')
    stage.proxy.heal()
    await dialog.getByText('100 records are changed. The others are as they were.').waitFor()
    expect(await counted('Stopped', 'Kazan')).toBe(100)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('a check that is cancelled while the records are read is no error', async () => {
    await makeCompanies('Cancelled', 2)
    const page = await selected('Cancelled', '2')
    const dialog = await editCity(page)
    await stage.settled(page)
    const reads = /^(GET|POST) \/rest\/v1\/table\/company\b/
    stage.proxy.fail(reads, { kind: 'hold' })
    await dialog.getByRole('button', { name: 'Check' }).click()
    await expect.poll(() => stage.proxy.met(reads)).toBe(1)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.getByRole('button', { name: 'Check' }).waitFor()
    expect(await dialog.getByRole('alert').count()).toBe(0)
    stage.proxy.heal()
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByRole('button', { name: 'Change 2 records' }).waitFor()
  })

  test('a change of more than 10,000 records is rejected, and changes none', async () => {
    const setMax = (value: string): Promise<unknown> =>
      stage.docket.database.rows(sql`update docket.sys_property set value = ${value} where name = 'rest.count.max'`)
    await setMax('20000')
    try {
      await makeCompanies('Countless', 10_001)
      const page = await selected('Countless', '10,001')
      const dialog = await editCity(page)
      await dialog.getByRole('button', { name: 'Check' }).click()
      await dialog.getByText('At most 10,000 records can be changed at once.').waitFor({ timeout: 150_000 })
      expect(await dialog.getByRole('button', { name: /^Change \d/ }).count()).toBe(0)
    } finally {
      await setMax('10000')
    }
  })

  test('a deletion that runs cannot be left, and its failure is displayed', async () => {
    await makeCompanies('Awaited', 2)
    const page = await selected('Awaited', '2')
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = deletionOf(page)
    await dialog.getByText('2 records would be deleted').waitFor()
    let canCancel = true
    await page.route(
      (url) => url.pathname.endsWith('/rest/v1/bulk/company'),
      async (route) => {
        await page.keyboard.press('Escape')
        canCancel = await dialog.getByRole('button', { name: 'Cancel' }).isEnabled()
        await route.fulfill({ status: 400, json: {} })
      },
      { times: 1 },
    )
    await dialog.getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByText('The server responded with status 400.').waitFor()
    expect(canCancel).toBe(false)
    expect(await counted('Awaited', null)).toBe(2)
    await dialog.getByRole('button', { name: 'Delete…' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await counted('Awaited', null)).toBe(0)
  })

  test('a deletion whose number of records has changed since the check displays the new number, which can be deleted', async () => {
    await makeCompanies('Grown', 2)
    const page = await selected('Grown', '2')
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = deletionOf(page)
    await dialog.getByText('2 records would be deleted').waitFor()
    await makeCompanies('Grown since', 1)
    await dialog.getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByRole('alert').getByText('The query finds 3 records').waitFor()
    await dialog.getByText('3 records would be deleted').waitFor()
    expect(await counted('Grown', null)).toBe(3)
    await dialog.getByRole('button', { name: 'Delete…' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await counted('Grown', null)).toBe(0)
  })
})
