import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused } from '../../harness/keyboard.ts'

const patches = /^PATCH \/rest\/v1\/table\/itsm_incident\//
/** Of rows: the counts of saved filters may come at any moment. */
const reads = /^GET \/rest\/v1\/table\/itsm_incident\?.*sysparm_max_text/

describe.skipIf(!hasChromium)('a list around a cell that is open (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const pathOf = (sysId: string): string => `/rest/v1/table/itsm_incident/${sysId}`
  const rows = (page: Page): Locator => page.locator('[data-record]')
  const rowOf = (page: Page, subject: string): Locator => page.getByRole('row', { name: new RegExp(subject) })
  /** The first cell has the check box. */
  const cell = (page: Page, subject: string, column: number): Locator =>
    rowOf(page, subject)
      .getByRole('gridcell')
      .nth(column + 1)
  const field = (page: Page, name = 'Subject'): Locator => page.getByRole('grid').getByRole('textbox', { name })
  const fresh = (page: Page): Locator => page.getByRole('button', { name: /^\d+ new$/ })

  async function change(sysId: string | undefined, body: object): Promise<void> {
    const as = loginOf('anna.petrova')
    expect((await stage.docket.request('PATCH', pathOf(sysId ?? ''), { as, body })).status).toBe(200)
  }
  async function remove(sysId: string | undefined): Promise<void> {
    expect((await stage.docket.request('DELETE', pathOf(sysId ?? ''), { as: admin })).status).toBeLessThan(300)
  }
  async function create(subject: string, more: object = {}): Promise<void> {
    const body = { subject, priority: '3', ...more }
    const as = loginOf('anna.petrova')
    expect((await stage.docket.request('POST', '/rest/v1/table/itsm_incident', { as, body })).status).toBeLessThan(300)
  }
  async function opened(word: string, count: number, more = ''): Promise<{ page: Page; sysIds: readonly string[] }> {
    const sysIds: string[] = []
    for (let at = 1; at <= count; at += 1) sysIds.push(await stage.makeIncident(`${word} ${at}`))
    const page = await stage.signedIn(
      'michael.brown',
      `/t/itsm_incident?q=subjectSTARTSWITH${word}^ORDERBYsubject&cols=number,subject,due_date${more}`,
    )
    return { page, sysIds }
  }

  test('rows that are on their way when a cell opens do not take away what is typed', async () => {
    const { page, sysIds } = await opened('Underway', 3)
    await rows(page).nth(2).waitFor()
    await stage.settled(page)
    stage.proxy.fail(reads, { kind: 'hold' })
    await remove(sysIds[0])
    await expect.poll(() => stage.proxy.met(reads)).toBeGreaterThan(0)
    await cell(page, 'Underway 3', 1).dblclick()
    await focused(field(page))
    await field(page).fill('Underway 3, typed')
    stage.proxy.heal()
    await page.locator('#root').getByText('2 records', { exact: true }).waitFor()
    await stage.settled(page)
    expect(await field(page).inputValue()).toBe('Underway 3, typed')
    await focused(field(page))
    await page.keyboard.press('Enter')
    await rowOf(page, 'Underway 3, typed').waitFor()
    // The rows are read when the cell is closed.
    await rowOf(page, 'Underway 1').waitFor({ state: 'detached' })
  })

  test('a cell of another group that closes does not move the rows under the one that is open', async () => {
    await stage.makeIncident('Grouped 0', { priority: '1' })
    const { page, sysIds } = await opened('Grouped', 2, '&group=priority')
    const groups = page.locator('#list-body [aria-expanded]')
    await groups.nth(1).waitFor()
    for (const at of [0, 1]) await groups.nth(at).click()
    await rows(page).nth(2).waitFor()
    await stage.settled(page)
    await page.clock.install()
    await cell(page, 'Grouped 0', 1).dblclick()
    await focused(field(page))
    await field(page).fill('Grouped 0, typed')
    stage.proxy.fail(patches, { kind: 'hold' })
    await cell(page, 'Grouped 2', 1).dblclick()
    const open = rows(page)
      .filter({ hasNot: page.getByText('Grouped 1') })
      .last()
      .getByRole('textbox')
    await focused(open)
    await expect.poll(() => stage.proxy.met(patches)).toBe(1)
    stage.proxy.heal()
    await rowOf(page, 'Grouped 0, typed').waitFor()
    await open.fill('Grouped 2, typed')
    await remove(sysIds[0])
    await create('Grouped 3')
    // Events arrive in their order.
    await fresh(page).waitFor()
    await page.clock.runFor(1_000)
    await stage.settled(page)
    expect(await open.inputValue()).toBe('Grouped 2, typed')
    await focused(open)
    await page.keyboard.press('Enter')
    await rowOf(page, 'Grouped 2, typed').waitFor()
    await page.clock.runFor(1_000)
    await rowOf(page, 'Grouped 1').waitFor({ state: 'detached' })
  })

  test('a group that has lost its last record stays as long as another cell of it is open', async () => {
    await stage.makeIncident('Alone 1')
    const page = await stage.signedIn(
      'michael.brown',
      '/t/itsm_incident?q=subjectSTARTSWITHAlone&cols=number,subject,description&group=subject',
    )
    await page.locator('#list-body [aria-expanded]').click()
    await rowOf(page, 'Alone 1').waitFor()
    await stage.settled(page)
    await cell(page, 'Alone 1', 1).dblclick()
    await focused(field(page))
    await field(page).fill('Alone, typed')
    await page.keyboard.press('Tab')
    const description = field(page, 'Description')
    await focused(description)
    await description.fill('typed, too')
    await stage.settled(page)
    expect(await description.inputValue()).toBe('typed, too')
    await page.keyboard.press('Enter')
    await description.waitFor({ state: 'detached' })
    // When the cell is closed, the groups are as they are now.
    await page.locator('#list-body [aria-expanded=false]').getByText('Alone, typed', { exact: true }).waitFor()
  })

  test('a group whose open cell is not saved stays open, with what is typed; otherwise it closes', async () => {
    const { page, sysIds } = await opened('Folded', 1, '&group=priority')
    const group = page.locator('#list-body [aria-expanded]')
    await group.click()
    await cell(page, 'Folded 1', 1).dblclick()
    await focused(field(page))
    await field(page).fill('Folded, mine')
    await change(sysIds[0], { subject: 'Folded, theirs' })
    await group.click()
    const theirs = page.getByRole('alertdialog').getByRole('button', { name: 'Theirs: Folded, theirs' })
    await theirs.waitFor()
    await group.click()
    await focused(theirs)
    expect(await group.getAttribute('aria-expanded')).toBe('true')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Mine: Folded, mine' }).click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await field(page).waitFor({ state: 'detached' })
    await focused(cell(page, 'Folded, mine', 1))
    await stage.settled(page)
    await cell(page, 'Folded, mine', 1).dblclick()
    await focused(field(page))
    await field(page).fill('Folded, typed')
    await group.click()
    await page.locator('#list-body [aria-expanded=false]').waitFor()
    await group.click()
    await rowOf(page, 'Folded, typed').waitFor()
  })

  test('a cell with a rejected value is closed when the list is sorted, and the list follows what others do', async () => {
    const { page, sysIds } = await opened('Sorted', 3)
    await rows(page).nth(2).waitFor()
    const due = field(page, 'Due date')
    await cell(page, 'Sorted 1', 2).dblclick()
    await focused(due)
    await due.fill('no time at all')
    await due.press('Enter')
    await page.getByRole('grid').getByRole('alert').waitFor()
    await page.getByRole('columnheader', { name: 'Subject' }).getByRole('button').first().click()
    await page.getByRole('columnheader', { name: 'Subject' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await expect.poll(async () => (await rows(page).allInnerTexts())[0]).toContain('Sorted 3')
    await stage.settled(page)
    expect(await due.count()).toBe(0)
    await change(sysIds[1], { subject: 'Sorted 2, changed' })
    await rowOf(page, 'Sorted 2, changed').waitFor()
  })

  test('a record that is gone before its cell opens does not keep the list as if it were open', async () => {
    const { page, sysIds } = await opened('Vanished', 2)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await rows(page).nth(1).waitFor()
    await stage.settled(page)
    const script = /\/assets\/cell-editor/
    stage.proxy.fail(script, { kind: 'hold' })
    await rows(page).nth(0).press('F2')
    await expect.poll(() => stage.proxy.met(script)).toBe(1)
    await remove(sysIds[0])
    await expect.poll(() => rows(page).count()).toBe(1)
    stage.proxy.heal()
    await stage.settled(page)
    await cell(page, 'Vanished 2', 1).click()
    await focused(cell(page, 'Vanished 2', 1))
    await page.evaluate(`navigator.clipboard.writeText('Vanished two')`)
    await page.keyboard.press('Control+v')
    await page.getByRole('dialog').getByText('1 record would change.').waitFor()
  })
})
