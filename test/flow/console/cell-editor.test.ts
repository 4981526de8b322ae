import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { asksBeforeClosing } from '../../harness/closing-tab.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

const patches = /^PATCH \/rest\/v1\/table\/itsm_incident\//

describe.skipIf(!hasChromium)('the editor of a cell loses nothing that is typed (issue 13)', () => {
  const stage = consoleStage({ proxy: true })

  /** The list of incidents of these subjects, in their order. */
  async function listOf(subjects: readonly string[], columns = 'number,subject,category'): Promise<Page> {
    for (const subject of subjects) await stage.makeIncident(subject)
    const [word = ''] = (subjects[0] ?? '').split(' ')
    const page = await stage.signedIn(
      'michael.brown',
      `/t/itsm_incident?q=subjectSTARTSWITH${word}^ORDERBYsubject&cols=${columns}`,
    )
    await rows(page)
      .nth(subjects.length - 1)
      .waitFor()
    await stage.settled(page)
    return page
  }
  const rows = (page: Page): Locator => page.locator('[data-record]')
  /** The first cell has the check box. */
  const cell = (page: Page, row: number, column: number): Locator =>
    rows(page)
      .nth(row)
      .getByRole('gridcell')
      .nth(column + 1)
  const field = (page: Page): Locator => page.getByRole('grid').getByRole('textbox', { name: 'Subject' })
  const stored = async (word: string): Promise<readonly unknown[]> =>
    (
      await stage.docket.database.rows<{ subject: string }>(
        sql`select subject from docket.task where subject like ${`${word}%`} order by number`,
      )
    ).map(({ subject }) => subject)
  const change = (sysId: string, body: object) =>
    stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, { as: loginOf('anna.petrova'), body })
  /** Opens the cell of the subject of a row. */
  async function opened(page: Page, row = 0): Promise<Locator> {
    await cell(page, row, 1).dblclick()
    await focused(field(page))
    return field(page)
  }

  /** Saves the open cell. The response waits until the proxy is healed. */
  async function saveHeld(page: Page, key = 'Enter'): Promise<void> {
    stage.proxy.fail(patches, { kind: 'hold' })
    await page.keyboard.press(key)
    await expect.poll(() => stage.proxy.met(patches)).toBe(1)
  }

  test('a double-click in the field selects a word, and what is typed replaces it', async () => {
    const page = await listOf(['Twofold click'])
    const open = await opened(page)
    await open.fill('Twofold')
    await open.dblclick({ position: { x: 20, y: 12 } })
    await page.keyboard.type('Twofold again')
    await expect.poll(() => open.inputValue()).toBe('Twofold again')
    await page.keyboard.press('Enter')
    await expect.poll(() => stored('Twofold')).toEqual(['Twofold again'])
  })

  test('another cell opens after the one before is saved, and stays open', async () => {
    const page = await listOf(['After 1', 'After 2'])
    await (await opened(page)).fill('After 1, typed')
    stage.proxy.fail(patches, { kind: 'hold' })
    await cell(page, 1, 1).dblclick()
    await expect.poll(() => stage.proxy.met(patches)).toBe(1)
    await page.keyboard.type('x')
    stage.proxy.heal()
    await expect.poll(() => field(page).inputValue()).toMatch(/^(xAfter 2|After 2x)$/)
    await stage.settled(page)
    await focused(field(page))
    await page.keyboard.press('Enter')
    await expect.poll(() => stored('After')).toEqual(['After 1, typed', expect.stringMatching(/x/)])
  })

  test('a cell whose value is rejected stays open with it when another one is double-clicked', async () => {
    const page = await listOf(['Kept 1', 'Kept 2'], 'number,subject,due_date')
    await cell(page, 0, 2).dblclick()
    const due = page.getByRole('grid').getByRole('textbox', { name: 'Due date' })
    await focused(due)
    await due.fill('no time at all')
    await due.press('Enter')
    await page.getByRole('grid').getByRole('alert').waitFor()
    await cell(page, 1, 1).dblclick()
    await stage.settled(page)
    await focused(due)
    expect(await due.inputValue()).toBe('no time at all')
    expect(await field(page).count()).toBe(0)
    await due.press('Escape')
    await due.waitFor({ state: 'detached' })
  })

  test('what is typed right after Tab goes into the next field', async () => {
    const page = await listOf(['Onward 1'], 'number,subject,description')
    await (await opened(page)).fill('Onward, typed')
    stage.proxy.fail(patches, { kind: 'hold' })
    await page.keyboard.press('Tab')
    await page.keyboard.type('next one')
    await expect.poll(() => stage.proxy.met(patches)).toBe(1)
    stage.proxy.heal()
    const description = page.getByRole('grid').getByRole('textbox', { name: 'Description' })
    await focused(description)
    await expect.poll(() => description.inputValue()).toBe('next one')
    await page.keyboard.press('Enter')
    await description.waitFor({ state: 'detached' })
    expect(await stored('Onward')).toEqual(['Onward, typed'])
  })

  test('what is typed while the cell is being saved stays, in a cell that stays open', async () => {
    const page = await listOf(['Resaved 1'])
    const open = await opened(page)
    await open.fill('Resaved 2')
    await saveHeld(page)
    await page.keyboard.type(', and more')
    stage.proxy.heal()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await stage.settled(page)
    expect(await open.inputValue()).toBe('Resaved 2, and more')
    await page.keyboard.press('Enter')
    await expect.poll(() => stored('Resaved')).toEqual(['Resaved 2, and more'])
  })

  test('Enter that is pressed once more while the cell is being saved saves what was typed meanwhile', async () => {
    const page = await listOf(['Reentered 1'])
    const open = await opened(page)
    await open.fill('Reentered 2')
    await saveHeld(page)
    await page.keyboard.type(', and more')
    await page.keyboard.press('Enter')
    stage.proxy.heal()
    await expect.poll(() => stored('Reentered')).toEqual(['Reentered 2, and more'])
    await open.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter')
    await expect.poll(() => stored('Reentered')).toEqual(['Reentered 2'])
  })

  test('another cell opens after all that was typed into the one before is saved', async () => {
    const page = await listOf(['Onto 1', 'Onto 2'])
    await (await opened(page)).fill('Onto 1, typed')
    await saveHeld(page)
    await page.keyboard.type(', and more')
    await cell(page, 1, 1).dblclick()
    stage.proxy.heal()
    await expect.poll(() => field(page).inputValue()).toBe('Onto 2')
    await focused(field(page))
    expect(await stored('Onto')).toEqual(['Onto 1, typed, and more', 'Onto 2'])
  })

  test('the focus stays where the user goes while the cell is being saved', async () => {
    const page = await listOf(['Gone on 1'])
    await (await opened(page)).fill('Gone on 2')
    await saveHeld(page)
    const search = page.getByRole('main').getByRole('searchbox')
    await search.click()
    await focused(search)
    stage.proxy.heal()
    await field(page).waitFor({ state: 'detached' })
    await stage.settled(page)
    await focused(search)
    expect(await stored('Gone on')).toEqual(['Gone on 2'])
  })

  test('a record that is read again, as when the network is back, does not replace what is typed', async () => {
    const page = await listOf(['Read again 1'])
    const open = await opened(page)
    await open.fill('Read again, mine')
    const [row] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id from docket.task where subject = 'Read again 1'`,
    )
    await change(row?.sys_id ?? '', { subject: 'Read again, theirs' })
    const again = page.waitForResponse(/sysparm_rights=1/)
    await page.evaluate(`dispatchEvent(new Event('offline')); dispatchEvent(new Event('online'))`)
    await again
    await stage.settled(page)
    expect(await open.inputValue()).toBe('Read again, mine')
    // Nor does one that cannot be read.
    stage.proxy.fail(/^GET .*sysparm_rights=1/, { kind: 'respond', status: 404 })
    await page.evaluate(`dispatchEvent(new Event('offline')); dispatchEvent(new Event('online'))`)
    await expect.poll(() => stage.proxy.met(/^GET .*sysparm_rights=1/)).toBeGreaterThan(0)
    await stage.settled(page)
    expect(await open.inputValue()).toBe('Read again, mine')
    stage.proxy.heal()
    await open.press('Enter')
    const dialog = page.getByRole('alertdialog', { name: 'Changed by two people' })
    await dialog.getByRole('button', { name: 'Mine: Read again, mine' }).click()
    await expect.poll(() => stored('Read again')).toEqual(['Read again, mine'])
  })

  test('a cell that was left while it was being saved does not close the one that is open now', async () => {
    const page = await listOf(['Escaped 1', 'Escaped 2'])
    const open = await opened(page)
    await open.fill('Escaped 1, typed')
    await saveHeld(page)
    await page.keyboard.press('Escape')
    await open.waitFor({ state: 'detached' })
    await opened(page, 1)
    await open.fill('Escaped 2, typed')
    stage.proxy.heal()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await stage.settled(page)
    expect(await open.inputValue()).toBe('Escaped 2, typed')
    await focused(open)
    await page.keyboard.press('Enter')
    await expect.poll(() => stored('Escaped')).toEqual(['Escaped 1, typed', 'Escaped 2, typed'])
  })

  test('a text of several lines keeps its line breaks', async () => {
    const sysId = await stage.makeIncident('Lines 1', { description: 'first line\nsecond line\nthird' })
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subject=Lines 1&cols=number,description')
    await cell(page, 0, 1).dblclick()
    const text = page.getByRole('grid').getByRole('textbox', { name: 'Description' })
    await focused(text)
    await stage.picture(page, 'cell-of-several-lines')
    expect(await stage.findings(page)).toEqual([])
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' line')
    await page.keyboard.press('Enter')
    await text.waitFor({ state: 'detached' })
    expect(await stage.docket.database.rows(sql`select description from docket.task where sys_id = ${sysId}`)).toEqual([
      { description: 'first line\nsecond line\nthird line' },
    ])
  })

  test('"back" of the browser saves what is typed, once, and Escape does not', async () => {
    const page = await listOf(['Returned 1', 'Returned 2'], 'number,subject')
    await rows(page).first().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Returned 1' }).waitFor()
    await page.getByRole('link', { name: 'Back to Incidents' }).click()
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent += 1
    })
    await (await opened(page)).fill('Returned 1, typed')
    await page.goBack()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => stored('Returned')).toEqual(['Returned 1, typed', 'Returned 2'])
    await page.goForward()
    await cell(page, 1, 1).waitFor()
    await stage.settled(page)
    await (await opened(page, 1)).fill('Returned 2, typed')
    await page.keyboard.press('Escape')
    await field(page).waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await stage.settled(page)
    expect([sent, await stored('Returned')]).toEqual([1, ['Returned 1, typed', 'Returned 2']])
  })

  test('"back" of the browser saves what was typed while the cell was being saved, too', async () => {
    const page = await listOf(['Held back 1'], 'number,subject')
    await rows(page).first().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Held back 1' }).waitFor()
    await page.getByRole('link', { name: 'Back to Incidents' }).click()
    await (await opened(page)).fill('Held back 2')
    await saveHeld(page)
    await page.keyboard.type(', and more')
    await page.goBack()
    await page.getByRole('heading', { level: 1 }).waitFor()
    stage.proxy.heal()
    await expect.poll(() => stored('Held back')).toEqual(['Held back 2, and more'])
  })

  test('after Tab and "back" the keys belong to the page, and closing the tab asks until the cell is saved', async () => {
    const page = await listOf(['Tabbed back 1'], 'number,subject')
    await rows(page).first().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Tabbed back 1' }).waitFor()
    await page.getByRole('link', { name: 'Back to Incidents' }).click()
    await (await opened(page)).fill('Tabbed back 2')
    await saveHeld(page, 'Tab')
    await page.goBack()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await asksBeforeClosing(page)).toBe(true)
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard' })
    await page.keyboard.press('?')
    await shortcuts.waitFor()
    await page.keyboard.press('Escape')
    await shortcuts.waitFor({ state: 'detached' })
    stage.proxy.heal()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await expect.poll(() => asksBeforeClosing(page)).toBe(false)
    await page.keyboard.press('?')
    await shortcuts.waitFor()
  })

  test('closing the tab asks first while what is typed is not saved', async () => {
    const page = await listOf(['Unclosed 1'], 'number,subject')
    const open = await opened(page)
    expect(await asksBeforeClosing(page)).toBe(false)
    await open.fill('Unclosed 2')
    expect(await asksBeforeClosing(page)).toBe(true)
    await open.press('Escape')
    await open.waitFor({ state: 'detached' })
    expect(await asksBeforeClosing(page)).toBe(false)
    await (await opened(page)).fill('Unclosed 3')
    await page.keyboard.press('Enter')
    await page.getByText('Saved.', { exact: true }).waitFor()
    await field(page).waitFor({ state: 'detached' })
    expect(await asksBeforeClosing(page)).toBe(false)
  })

  test('a value that is rejected after the user has left the list is reported', async () => {
    const page = await listOf(['Rejected 1'], 'number,subject')
    await (await opened(page)).fill('Rejected 2')
    await saveHeld(page)
    await rows(page).first().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Rejected 1' }).waitFor()
    const [row] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id from docket.task where subject = 'Rejected 1'`,
    )
    await change(row?.sys_id ?? '', { subject: 'Rejected 3' })
    stage.proxy.heal()
    await page.getByRole('status').getByText('Анна Петрова has changed this field meanwhile.').waitFor()
    expect(await stored('Rejected')).toEqual(['Rejected 3'])
  })
})
