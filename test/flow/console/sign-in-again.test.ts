import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { asksBeforeClosing } from '../../harness/closing-tab.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused } from '../../harness/keyboard.ts'

/** The session ends while the user works in what is not a form (issue 13, 4). */
describe.skipIf(!hasChromium)('signing in again', () => {
  const stage = consoleStage()
  const { password } = loginOf('michael.brown')

  const listOf = (subject: string): Promise<Page> =>
    stage.signedIn('michael.brown', `/t/itsm_incident?q=subjectSTARTSWITH${encodeURIComponent(subject)}`)

  /** The counts of saved filters come last: after them, only what the test does meets the end of the session. */
  async function countsAreRead(page: Page): Promise<void> {
    await page
      .locator('nav')
      .getByText(/records?$/)
      .first()
      .waitFor({ state: 'attached' })
    await stage.settled(page)
  }
  const endAtOnce = (page: Page): Promise<void> => page.context().clearCookies()
  async function endSession(page: Page): Promise<void> {
    await countsAreRead(page)
    await endAtOnce(page)
  }

  /** The field for the password, which has the focus. */
  async function passwordField(page: Page): Promise<Locator> {
    const field = page.getByRole('dialog', { name: 'Sign in again' }).locator('input[name=password]')
    await field.waitFor()
    await stage.settled(page)
    await focused(field)
    return field
  }

  /** By keys alone: they go wherever the focus is. */
  async function signInAgain(page: Page, typed = password): Promise<void> {
    const field = await passwordField(page)
    await page.keyboard.type(typed)
    await page.keyboard.press('Enter')
    await field.waitFor({ state: 'detached' })
  }

  test('a cell that is opened then lets the dialog have the keys, and opens afterwards', async () => {
    await stage.makeIncident('Opened too late')
    const page = await listOf('Opened too late')
    const cell = page.getByRole('gridcell', { name: 'Opened too late' })
    await cell.waitFor()
    await stage.settled(page)
    await endSession(page)
    await cell.dblclick()
    await signInAgain(page)
    const field = page.getByRole('textbox', { name: 'Subject' })
    await focused(field)
    expect(await field.inputValue()).toBe('Opened too late')
    expect(await page.getByText('The access key').count()).toBe(0)
  })

  test('a cell whose save meets it is sent once, and saved after signing in when it is left', async () => {
    await stage.makeIncident('Sent once')
    const page = await listOf('Sent once')
    await page.getByRole('gridcell', { name: 'Sent once' }).dblclick()
    const field = page.getByRole('textbox', { name: 'Subject' })
    await field.fill('Sent once more')
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent += 1
    })
    await endSession(page)
    await page.keyboard.press('Enter')
    await signInAgain(page)
    expect(sent).toBe(1)
    await focused(field)
    expect(await field.inputValue()).toBe('Sent once more')
    await page.getByRole('gridcell', { name: 'Medium' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('gridcell', { name: 'Sent once more' }).waitFor()
    expect(sent).toBe(2)
  })

  test('a deletion whose check meets it is checked after signing in', async () => {
    await stage.makeIncident('Deleted later')
    const page = await stage.signedIn(admin, '/t/itsm_incident?q=subjectSTARTSWITHDeleted later')
    await page.getByRole('checkbox').nth(1).check()
    const remove = page.getByRole('button', { name: 'Delete…' })
    await remove.waitFor()
    await endSession(page)
    await remove.click()
    await passwordField(page)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'deletion-ended')
    await signInAgain(page, admin.password)
    const dialog = page.getByRole('dialog', { name: /^Delete several/ })
    await dialog.getByText('1 record would be deleted').waitFor()
    await stage.picture(page, 'deletion-checked')
    expect(await dialog.getByRole('alert').count()).toBe(0)
    await expect.poll(() => dialog.evaluate((each) => each.contains(each.ownerDocument.activeElement))).toBe(true)
    await dialog.getByRole('button', { name: 'Delete…' }).click()
    await page.getByText('1 record is deleted.').waitFor()
  })

  test('the name of a filter stays in its popover, below the dialog, whatever is pressed there', async () => {
    await stage.makeIncident('Filtered')
    const page = await listOf('Filtered')
    await page.getByRole('button', { name: 'Save filter' }).click()
    const name = page.getByLabel('Save as a new filter')
    await name.fill('Typed before the end')
    await endSession(page)
    await name.press('Enter')
    const field = await passwordField(page)
    await field.click()
    await page.keyboard.press('Escape')
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Sign in again' }).getByRole('alert').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await field.fill('')
    await signInAgain(page)
    await focused(name)
    expect(await name.inputValue()).toBe('Typed before the end')
    await name.press('Enter')
    await page.getByRole('link', { name: 'Typed before the end' }).waitFor()
  })

  test('the focus goes back into the dialog that it was in, which says what was not changed', async () => {
    await stage.makeIncident('Changed too late')
    const page = await listOf('Changed too late')
    await page.getByRole('checkbox').nth(1).check()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Change several/ })
    await dialog.getByLabel('Add a field to change').selectOption('Subject')
    await dialog.getByRole('textbox', { name: 'Subject' }).fill('Changed')
    await endSession(page)
    await dialog.getByRole('button', { name: 'Check' }).click()
    await signInAgain(page)
    await expect.poll(() => dialog.evaluate((each) => each.contains(each.ownerDocument.activeElement))).toBe(true)
    expect(await dialog.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe('Changed')
    await dialog.getByRole('button', { name: 'Check' }).click()
    const change = dialog.getByRole('button', { name: 'Change 1 record' })
    await change.waitFor()
    await endSession(page)
    await change.click()
    await signInAgain(page)
    await dialog.getByText('0 records are changed. The others are as they were.').waitFor()
    await expect.poll(() => dialog.evaluate((each) => each.contains(each.ownerDocument.activeElement))).toBe(true)
  })

  /** A list of one incident of this name, with the time worked changed. @returns the page, before the dialog has the response */
  async function changedTime(subject: string, onWritten: (page: Page) => Promise<void>): Promise<Page> {
    await stage.makeIncident(subject)
    const page = await listOf(subject)
    await page.getByRole('checkbox').nth(1).check()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Change several/ })
    await dialog.getByLabel('Add a field to change').selectOption('time_worked')
    // The server displays it as `1 h 30 m`.
    await dialog.getByRole('textbox', { name: 'Time worked' }).fill('90 m')
    await dialog.getByRole('button', { name: 'Check' }).click()
    const change = dialog.getByRole('button', { name: 'Change 1 record' })
    await change.waitFor()
    await countsAreRead(page)
    await page.route(
      /import\/json/,
      async (route) => {
        const response = await route.fetch()
        await onWritten(page)
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await change.click()
    await page.getByText('1 record is changed.').waitFor()
    return page
  }

  test('a change of many can be undone although the session has ended right after it', async () => {
    const page = await changedTime('Written at the end', endAtOnce)
    await signInAgain(page)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1 record is as before.').waitFor()
  })

  test('undo of a change of many asks to sign in again, and is offered after that', async () => {
    const page = await changedTime('Taken back later', () => Promise.resolve())
    await stage.settled(page)
    await endSession(page)
    await page.getByRole('button', { name: 'Undo' }).click()
    await signInAgain(page)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1 record is as before.').waitFor()
  })

  test('an export asks to sign in again, and works afterwards', async () => {
    await stage.makeIncident('Exported later')
    const page = await listOf('Exported later')
    await page.getByRole('gridcell', { name: 'Exported later' }).waitFor()
    const menu = page.getByRole('button', { name: 'Export', exact: true })
    const csv = page.getByRole('menuitem', { name: 'CSV, as displayed' })
    await menu.click()
    await csv.waitFor()
    await endSession(page)
    await csv.click()
    await signInAgain(page)
    await menu.click()
    const file = page.waitForEvent('download')
    await csv.click()
    expect((await (await (await file).createReadStream()).toArray()).join('')).toContain('Exported later')
  })

  test('columns and a theme that are chosen then are stored after signing in, with what another browser has stored', async () => {
    const ofList = 'console.list.itsm_incident'
    const stored = async (name: string): Promise<unknown> => {
      const [row] = await stage.docket.database.rows<{ value: unknown }>(sql`
        select p.value from docket.sys_user_preference p join docket."user" u on u.sys_id = p.user_id
        where p.name = ${name} and u.user_name = 'michael.brown'`)
      return row?.value
    }
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?cols=subject,number')
    const head = page.getByRole('columnheader', { name: 'Subject', exact: true })
    await head.waitFor()
    await stage.settled(page)
    const body = { name: ofList, value: { widths: { number: 123 } } }
    const other = { as: loginOf('michael.brown'), body }
    expect((await stage.docket.request('POST', '/rest/v1/table/sys_user_preference', other)).status).toBe(200)
    await page.getByRole('button', { name: 'Columns' }).click()
    const keep = page.getByRole('button', { name: 'Keep for me' })
    await keep.waitFor()
    await endSession(page)
    await keep.click()
    await signInAgain(page)
    await expect.poll(() => stored(ofList)).toEqual({ columns: ['subject', 'number'], widths: { number: 123 } })

    await page.getByRole('button', { name: 'Michael Brown' }).click()
    await endSession(page)
    expect(await asksBeforeClosing(page)).toBe(false)
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await passwordField(page)
    expect(await asksBeforeClosing(page)).toBe(true)
    await signInAgain(page)
    await expect.poll(() => stored('console.look')).toMatchObject({ theme: 'dark' })
    expect(await asksBeforeClosing(page)).toBe(false)
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident`)
    await head.waitFor()
    await stage.settled(page)
    const paths = `[...document.querySelectorAll('[role=columnheader][data-path]')].map((each) => each.dataset.path)`
    expect(await page.evaluate(paths)).toEqual(['subject', 'number'])
  })

  test('a demo user whose password was changed reads why the sign-in failed', async () => {
    const page = await stage.openBrowser()
    await page.goto(`${stage.baseUrl}/console/login`)
    const login = loginOf('john.smith')
    await stage.docket.request('POST', '/v1/auth/password', {
      as: login,
      body: { old: login.password, new: 'Another-Horse-7' },
    })
    await page.getByRole('button', { name: /john\.smith/ }).click()
    await page.getByRole('alert').waitFor()
    expect(await stage.findings(page)).toEqual([])
  })
})
