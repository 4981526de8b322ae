import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { holdResponse } from '../../harness/held-response.ts'
import { focused } from '../../harness/keyboard.ts'

const list = '/t/itsm_incident?q=active=true^ORDERBYDESCopened_at&cols=number,subject'

/** Holds what the page requests at this address. @returns lets it arrive, once it has been requested */
async function held(page: Page, address: RegExp): Promise<() => Promise<void>> {
  const arrive = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await arrive.promise
    await route.continue()
  })
  const requested = page.waitForRequest(address)
  return async () => {
    await requested
    arrive.resolve()
  }
}

describe.skipIf(!hasChromium)('what is typed before the field is there (issue 13)', () => {
  const stage = consoleStage()

  const opened = async (path = list): Promise<Page> => {
    const page = await stage.signedIn('michael.brown', path)
    await page.getByRole('row').nth(1).waitFor()
    await stage.settled(page)
    return page
  }

  test('Ctrl + K: the words go into the palette, and no letter is a shortcut of the list', async () => {
    const page = await opened()
    const address = page.url()
    const arrive = await held(page, /\/assets\/palette-[^/]*\.js$/)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('new incidents/x')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('ArrowDown')
    await arrive()
    const words = page.getByRole('combobox', { name: 'Go to' })
    await focused(words)
    await expect.poll(() => words.inputValue()).toBe('new incidents')
    expect(page.url()).toBe(address)
    await page.keyboard.press('Escape')
    await words.waitFor({ state: 'detached' })
  })

  test('Ctrl + K in a field: its text stays as it is, and Enter runs what the words lead to', async () => {
    const page = await opened()
    const arrive = await held(page, /\/assets\/palette-[^/]*\.js$/)
    const search = page.getByRole('searchbox')
    await search.focus()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('problems')
    await page.keyboard.press('Enter')
    await arrive()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/t/itsm_problem')
    expect(await search.inputValue()).toBe('')
  })

  test('Escape before the palette is there: it does not open, and the keys are those of the page again', async () => {
    const page = await opened()
    const arrive = await held(page, /\/assets\/palette-[^/]*\.js$/)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('new')
    await page.keyboard.press('Escape')
    await arrive()
    await stage.settled(page)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('n')
    await focused(page.locator('#field-subject'))
  })

  test('f: the words find the field of the condition', async () => {
    const page = await opened()
    const arrive = await held(page, /\/assets\/condition-editor-[^/]*\.js$/)
    await page.keyboard.press('f')
    await page.keyboard.type('next')
    await arrive()
    const field = page.getByPlaceholder('Find a field')
    await focused(field)
    await expect.poll(() => field.inputValue()).toBe('next')
    expect(new URL(page.url()).pathname).toBe('/console/t/itsm_incident')
  })

  test('Columns: Tab does not leave them before they are there, and leads into them then', async () => {
    const page = await opened()
    const arrive = await held(page, /\/assets\/column-list-[^/]*\.js$/)
    const columns = page.getByRole('button', { name: 'Columns' })
    await columns.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await arrive()
    await page.getByRole('button', { name: 'Move Subject up' }).waitFor()
    await page.keyboard.press('Tab')
    await focused(page.getByRole('button', { name: 'Move Number down' }))
    await page.keyboard.press('Escape')
    await focused(columns)
    await page.keyboard.press('n')
    await focused(page.locator('#field-subject'))
  })

  test('Group: the words find the field', async () => {
    const page = await opened()
    const arrive = await held(page, /\/assets\/field-picker-[^/]*\.js$/)
    await page.getByRole('button', { name: 'Group' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('next')
    await arrive()
    const field = page.getByPlaceholder('Find a field')
    await focused(field)
    await expect.poll(() => field.inputValue()).toBe('next')
  })

  test('Save filter: the text is the title of the new filter, and Enter saves it', async () => {
    const page = await opened()
    const arrive = await held(page, /\/assets\/filter-actions-[^/]*\.js$/)
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.keyboard.type('Typed before')
    await page.keyboard.press('Enter')
    await arrive()
    await page.getByText('The filter is saved.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Typed before', exact: true }).waitFor()
  })

  test('a part that cannot be loaded leaves the keys to the page', async () => {
    const page = await opened()
    await page.route(/\/assets\/palette-[^/]*\.js$/, (route) => route.abort())
    await page.keyboard.press('Control+k')
    await page.keyboard.type('new')
    await page
      .getByRole('status')
      .getByText(/cannot be loaded|part of the console/i)
      .first()
      .waitFor()
    await page.keyboard.press('n')
    await focused(page.locator('#field-subject'))
    stage.takeComplaints()
  })

  test('Ctrl + K, Enter before the records of the words are found: it opens the one that they lead to', async () => {
    await stage.makeIncident('Zirconium alone')
    const sysId = await stage.makeIncident('Yttrium alone')
    const page = await opened()
    await page.keyboard.press('Control+k')
    const words = page.getByRole('combobox', { name: 'Go to' })
    await focused(words)
    await words.fill('zirconium')
    await page.getByRole('option', { name: 'Zirconium alone' }).waitFor()
    const response = await holdResponse(page, 'GET', /\/table\/task\?/)
    await words.fill('yttrium')
    await words.press('Enter')
    await response.arrived
    await words.press('Enter')
    response.release()
    await page.waitForURL(/itsm_incident\/\d+$/)
    expect(new URL(page.url()).pathname).toBe(`/console/t/itsm_incident/${sysId}`)
  })

  test('n: the text goes into the first field of the new record; Escape leads back to the list', async () => {
    const page = await opened()
    const address = page.url()
    const arrive = await held(page, /\/assets\/form-page-[^/]*\.js$/)
    await page.keyboard.press('n')
    await page.keyboard.type('fans hum')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.url()).toBe(address)
    await page.keyboard.press('n')
    await page.keyboard.type('next xenon fan')
    await arrive()
    const subject = page.locator('#field-subject')
    await focused(subject)
    await expect.poll(() => subject.inputValue()).toBe('next xenon fan')
    expect(new URL(page.url()).pathname).toBe('/console/t/itsm_incident/new')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('n: a form that cannot be loaded leaves the keys to the page', async () => {
    const page = await opened()
    await page.route(/\/assets\/form-page-[^/]*\.js$/, (route) => route.abort())
    await page.keyboard.press('n')
    await page.keyboard.type('fan')
    await page.getByRole('alert').waitFor()
    await page.keyboard.press('Control+k')
    await focused(page.getByRole('combobox', { name: 'Go to' }))
    stage.takeComplaints()
  })

  test('F2: the text goes into the cell whose record is still being read', async () => {
    const sysId = await stage.makeIncident('newer')
    const page = await opened(`/t/itsm_incident?q=sys_id=${sysId}&cols=number,subject`)
    await page.locator('[data-record]').press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await focused(page.getByRole('gridcell', { name: 'newer' }))
    const arrive = await held(page, /sysparm_rights=1/)
    await page.keyboard.press('F2')
    await page.keyboard.type('n')
    await arrive()
    const field = page.getByRole('textbox', { name: 'Subject' })
    await focused(field)
    await expect.poll(() => field.inputValue()).toMatch(/^(nnewer|newern)$/)
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    const rows = await stage.docket.database.rows(sql`select subject from docket.task where sys_id = ${sysId}`)
    expect(rows).toEqual([{ subject: 'newer' }])
  })
})
