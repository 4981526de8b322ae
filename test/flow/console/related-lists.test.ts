import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, views } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('lists in the page of a record (issue 13)', () => {
  const stage = consoleStage()

  /** A parent with children of these subjects, on whose page the list of children is open. */
  async function withChildren(page: Page, parent: string, subjects: readonly string[]): Promise<string> {
    const sysId = await stage.makeIncident(parent)
    for (const [at, subject] of subjects.entries())
      await stage.makeIncident(subject, { parent_id: sysId, priority: String(1 + (at % 4)) })
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    const summary = listOf(page).locator('summary')
    await summary.getByText(String(subjects.length), { exact: true }).waitFor()
    await summary.click()
    await rows(page)
      .nth(subjects.length - 1)
      .waitFor()
    await stage.settled(page)
    return sysId
  }
  const listOf = (page: Page) => page.locator('details').filter({ hasText: 'Tasks: Parent task' })
  const rows = (page: Page) => listOf(page).locator('[data-record]')
  const subjectsOf = (page: Page) => listOf(page).locator('[data-record]').allInnerTexts()
  const children = (sysId: string) =>
    stage.docket.database.rows(
      sql`select subject, priority from docket.task where parent_id = ${sysId} order by subject`,
    )

  test('sorts, filters within the record, and says how many match; the address stays that of the record', async () => {
    const page = await stage.signedIn('michael.brown')
    const sysId = await withChildren(page, 'Sorted parent', ['Beta child', 'Alpha child', 'Gamma kid'])
    await stage.makeIncident('Alpha child of nobody')
    await listOf(page).getByRole('columnheader', { name: 'Subject' }).getByRole('button').first().click()
    await expect
      .poll(async () => (await subjectsOf(page)).map((text) => /Alpha|Beta|Gamma/.exec(text)?.[0]))
      .toEqual(['Alpha', 'Beta', 'Gamma'])
    await listOf(page).getByRole('button', { name: 'Filter', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Condition' })
    await dialog.getByPlaceholder('Find a field').fill('subject')
    await dialog.getByRole('button', { name: 'Subject subject', exact: true }).click()
    await dialog.locator('input').last().fill('child')
    // The records of other tasks are not counted.
    await dialog.getByText('2 records', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    expect(new URL(page.url()).pathname).toBe(`/console/t/itsm_incident/${sysId}`)
    expect(new URL(page.url()).search).toBe('')
    const link = listOf(page).getByRole('link', { name: 'Open as a list' })
    expect(new URL((await link.getAttribute('href')) ?? '', page.url()).searchParams.get('q')).toBe(
      `parent_id=${sysId}^subjectLIKEchild^ORDERBYsubject`,
    )
    // "Back" from one of its records finds it as it was left.
    await rows(page).first().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: /Alpha child/ }).waitFor()
    await page.goBack()
    await listOf(page).getByRole('button', { name: 'Subject contains child', exact: true }).waitFor()
    await expect.poll(() => rows(page).count()).toBe(2)
  })

  test('a cell is edited by keyboard, and the record around it is not saved with it', async () => {
    const page = await stage.signedIn('michael.brown')
    const sysId = await withChildren(page, 'Edited parent', ['Only child'])
    await page.locator('#field-subject').fill('Edited parent, typed')
    const cell = (at: number) => rows(page).first().getByRole('gridcell').nth(at)
    await rows(page).first().press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await focused(cell(2))
    await page.keyboard.press('F2')
    const editor = listOf(page).getByRole('textbox', { name: 'Subject' })
    await focused(editor)
    await expect.poll(() => editor.inputValue()).toBe('Only child')
    await editor.fill('Renamed child')
    await page.keyboard.press('Enter')
    await expect.poll(() => children(sysId)).toEqual([{ subject: 'Renamed child', priority: '1' }])
    await rows(page).first().getByText('Renamed child').waitFor()
    expect(await page.locator('#field-subject').inputValue()).toBe('Edited parent, typed')
    expect(await stage.docket.database.rows(sql`select subject from docket.task where sys_id = ${sysId}`)).toEqual([
      { subject: 'Edited parent' },
    ])
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  test('records are selected and changed together, and what others create is offered', async () => {
    const page = await stage.signedIn('michael.brown')
    const sysId = await withChildren(page, 'Bulk parent', ['First child', 'Second child'])
    await rows(page).first().focus()
    await page.keyboard.press('x')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('x')
    const bar = listOf(page).getByRole('toolbar', { name: 'Selected records' })
    await bar.getByText('2 selected').waitFor()
    // The key of the list, where the focus is in it.
    await page.keyboard.press('e')
    await page.getByRole('dialog').getByRole('heading').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // Only those of this record are counted.
    for (const body of [{ subject: 'Of nobody' }, { subject: 'Third child', parent_id: sysId }])
      await stage.docket.request('POST', '/rest/v1/table/itsm_incident', { as: loginOf('anna.petrova'), body })
    await listOf(page)
      .getByRole('button', { name: /^1 new/ })
      .click()
    await rows(page).filter({ hasText: 'Third child' }).waitFor()
  })

  test('a new record refers to this one; its keys work in the list and nowhere else', async () => {
    const page = await stage.signedIn('michael.brown')
    const sysId = await withChildren(page, 'New parent', ['A child'])
    await rows(page).first().focus()
    await page.keyboard.press('n')
    await page.waitForURL((url) => url.pathname.endsWith('/t/task/new'))
    expect(new URL(page.url()).searchParams.get('set')).toBe(`parent_id=${sysId}`)
  })

  test.each(views)('axe finds nothing at $width px, $colorScheme', async (view) => {
    const page = await stage.signedIn('michael.brown', '/', view)
    await withChildren(page, `Looked at ${view.width} ${view.colorScheme}`, ['One child', 'Another child'])
    expect(await stage.findings(page)).toEqual([])
    await listOf(page).scrollIntoViewIfNeeded()
    await stage.picture(page, `related-list-${view.width}-${view.colorScheme}`)
  })
})
