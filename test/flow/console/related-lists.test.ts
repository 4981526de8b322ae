import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
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
  /** The page of a user, on which two lists are open. */
  async function twoLists() {
    const [user] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket."user" where user_name = 'elena.volkova'`,
    )
    for (const subject of ['Of both 1', 'Of both 2'])
      await stage.makeIncident(subject, { caller: user?.sys_id, contact: user?.sys_id })
    const page = await stage.signedIn('michael.brown', `/t/user/${user?.sys_id}`)
    const listNamed = (name: string): Locator =>
      page.locator('details').filter({ has: page.locator('summary', { hasText: name }) })
    const [upper, lower] = [listNamed('Tasks: Caller'), listNamed('Tasks: Contact')]
    for (const list of [upper, lower]) {
      await list.locator('summary').click()
      await list.locator('[data-record]').nth(1).waitFor()
    }
    await stage.settled(page)
    return { page, upper, lower }
  }
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

  test('the record beside the list follows the arrows; Close leads back to the row of its own list', async () => {
    const { page, upper, lower } = await twoLists()
    const peekOf = (list: Locator): Locator => list.getByRole('complementary', { name: 'Record' })
    for (const list of [upper, lower]) {
      await list.locator('[data-record]').first().press(' ')
      await peekOf(list).getByRole('link', { name: 'Open the record' }).waitFor()
      await focused(list.locator('[data-record]').first())
    }
    const [peek, second] = [peekOf(lower), lower.locator('[data-record]').nth(1)]
    const before = (await peek.getByRole('heading').textContent()) ?? ''
    await page.keyboard.press('ArrowDown')
    await focused(second)
    await expect.poll(() => peek.getByRole('heading').textContent()).not.toBe(before)
    await peek.getByRole('button', { name: 'Close' }).click()
    await peek.waitFor({ state: 'detached' })
    await focused(second)
    await peekOf(upper).waitFor()
  })

  test('"back" finds what was selected in each list of the page', async () => {
    const { page, upper, lower } = await twoLists()
    await upper.locator('[data-record]').first().press('x')
    await upper.getByText('1 selected', { exact: true }).waitFor()
    for (const at of [0, 1]) await lower.locator('[data-record]').nth(at).press('x')
    await lower.getByText('2 selected', { exact: true }).waitFor()
    await lower.locator('[data-record]').first().getByRole('link').click()
    await page.waitForURL((url) => url.pathname.includes('/t/task/'))
    await page.goBack()
    await upper.getByText('1 selected', { exact: true }).waitFor()
    await lower.getByText('2 selected', { exact: true }).waitFor()
  })

  test('the other list of the page does not move the rows under a cell that is open', async () => {
    const { page, upper, lower } = await twoLists()
    await page.clock.install()
    const listed = lower.locator('[data-record]')
    const cells = listed.nth(1).getByRole('gridcell', { name: /Of both/ })
    await cells.dblclick()
    const editor = lower.getByRole('textbox', { name: 'Subject' })
    await focused(editor)
    await editor.fill('Of both, typed')
    const above = /INC\d+/.exec((await listed.first().textContent()) ?? '')?.[0] ?? ''
    const [first] = await stage.docket.database.rows<{ sys_id: string; caller: string }>(
      sql`select sys_id::text, caller::text from docket.task where number = ${above}`,
    )
    const path = '/rest/v1/table/itsm_incident'
    const removed = await stage.docket.request('DELETE', `${path}/${first?.sys_id}`, { as: admin })
    expect(removed.status).toBeLessThan(300)
    // Of the upper list alone: in the lower one it would take the place of the row that is gone.
    const body = { subject: 'Of one, new', caller: first?.caller }
    await stage.docket.request('POST', path, { as: loginOf('anna.petrova'), body })
    // Events arrive in their order.
    await upper.getByRole('button', { name: '1 new', exact: true }).waitFor()
    await page.clock.runFor(1_000)
    await stage.settled(page)
    expect(await editor.inputValue()).toBe('Of both, typed')
    await focused(editor)
    await page.keyboard.press('Enter')
    await editor.waitFor({ state: 'detached' })
    await page.clock.runFor(1_000)
    await listed.filter({ hasText: above }).waitFor({ state: 'detached' })
    await listed.filter({ hasText: 'Of both, typed' }).waitFor()
  })

  test('its records are exported, with its conditions and columns, and no others', async () => {
    const page = await stage.signedIn('michael.brown')
    await withChildren(page, 'Exported parent', ['Exported 1', 'Exported 2'])
    await stage.makeIncident('Exported of nobody')
    await listOf(page).getByRole('button', { name: 'Export', exact: true }).click()
    const file = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'CSV, as displayed' }).click()
    const text = (await (await (await file).createReadStream()).toArray()).join('')
    const lines = text.trim().split(/\r?\n/)
    expect(lines[0]).toMatch(/^sys_id,.*subject/)
    expect(
      lines
        .slice(1)
        .map((line) => /Exported [^,]*/.exec(line)?.[0])
        .sort(),
    ).toEqual(['Exported 1', 'Exported 2'])
  })

  test('a change is undone; one that meets that of a colleague asks, and no key leads elsewhere meanwhile', async () => {
    const page = await stage.signedIn('michael.brown')
    const sysId = await withChildren(page, 'Undone parent', ['Undone'])
    const subject = rows(page)
      .first()
      .getByRole('gridcell', { name: /Undone/ })
    const editor = listOf(page).getByRole('textbox', { name: 'Subject' })
    await subject.dblclick()
    await focused(editor)
    await editor.fill('Undone, changed')
    await page.keyboard.press('Enter')
    await expect.poll(() => children(sysId)).toEqual([{ subject: 'Undone, changed', priority: '1' }])
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(() => children(sysId)).toEqual([{ subject: 'Undone', priority: '1' }])
    await subject.getByText('Undone', { exact: true }).waitFor()

    await subject.dblclick()
    await focused(editor)
    await expect.poll(() => editor.inputValue()).toBe('Undone')
    await editor.fill('Undone, mine')
    const [child] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id from docket.task where parent_id = ${sysId}`,
    )
    const theirs = { as: loginOf('anna.petrova'), body: { subject: 'Undone, theirs' } }
    const changed = await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${child?.sys_id}`, theirs)
    expect(changed.status).toBe(200)
    await editor.press('Enter')
    const conflict = listOf(page).getByRole('alertdialog', { name: 'Changed by two people' })
    await focused(conflict.getByRole('button', { name: 'Theirs: Undone, theirs' }))
    for (const key of ['n', 'f', 'e', '/']) await page.keyboard.press(key)
    await stage.settled(page)
    expect(new URL(page.url()).pathname).toBe(`/console/t/itsm_incident/${sysId}`)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await focused(conflict.getByRole('button', { name: 'Theirs: Undone, theirs' }))
    await conflict.getByRole('button', { name: 'Mine: Undone, mine' }).click()
    await expect.poll(() => children(sysId)).toEqual([{ subject: 'Undone, mine', priority: '1' }])
    await conflict.waitFor({ state: 'detached' })
  })

  test('a list of more than one block is scrolled to its end', async () => {
    const page = await stage.signedIn('michael.brown')
    const sysId = await stage.makeIncident('Parent of many')
    await stage.docket.database.rows(sql`
      insert into docket.task (sys_id, sys_db_table_id, number, subject, priority, parent_id)
      select docket_system.new_sys_id(), t.sys_id, 'MANY' || n, 'Child ' || lpad(n::text, 3, '0'), '3', ${sysId}::bigint
      from generate_series(1, 230) as n, docket.sys_db_table t where t.name = 'itsm_incident'`)
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    await listOf(page).locator('summary').getByText('230', { exact: true }).waitFor()
    await listOf(page).locator('summary').click()
    await rows(page).nth(10).waitFor()
    await listOf(page).getByRole('columnheader', { name: 'Subject' }).getByRole('button').first().click()
    await rows(page).filter({ hasText: 'Child 001' }).waitFor()
    await stage.settled(page)
    await rows(page).filter({ hasText: 'Child 001' }).press('End')
    await focused(rows(page).filter({ hasText: 'Child 230' }))
    expect(await listOf(page).getByRole('grid').getAttribute('aria-rowcount')).toBe('231')
    await page.keyboard.press('PageUp')
    await expect.poll(() => page.locator('[data-record]:focus').textContent()).toMatch(/Child 2[12]\d/)
  })

  test('its keys do nothing while the focus is outside of it', async () => {
    const page = await stage.signedIn('michael.brown')
    const sysId = await withChildren(page, 'Outside parent', ['Inside child'])
    await page.getByRole('button', { name: 'More actions' }).focus()
    for (const key of ['n', 'f', 'x', ' ', 'Escape']) {
      await page.keyboard.press(key)
      await stage.settled(page)
    }
    expect(new URL(page.url()).pathname).toBe(`/console/t/itsm_incident/${sysId}`)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await listOf(page).getByRole('toolbar', { name: 'Selected records' }).count()).toBe(0)
    expect(await listOf(page).getByRole('complementary', { name: 'Record' }).count()).toBe(0)
  })

  test('groups that take long are given up, and the rows stay', async () => {
    const page = await stage.signedIn('michael.brown')
    await withChildren(page, 'Cancelled parent', ['Cancelled 1', 'Cancelled 2'])
    await page.clock.install()
    const isStats = /\/rest\/v1\/stats\/task\?/
    await page.route(isStats, () => undefined)
    await listOf(page).getByRole('button', { name: 'Group' }).click()
    await page.getByPlaceholder('Find a field').fill('priority')
    const requested = page.waitForRequest(isStats)
    await page.getByRole('button', { name: 'Priority priority', exact: true }).click()
    await requested
    await page.keyboard.press('Escape')
    const cancel = listOf(page).getByRole('button', { name: 'Cancel' })
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000)
        return cancel.count()
      })
      .toBe(1)
    await cancel.click()
    await cancel.waitFor({ state: 'detached' })
    await expect.poll(() => listOf(page).locator('[aria-busy=true]').count()).toBe(0)
    await expect.poll(() => rows(page).count()).toBe(2)
    await listOf(page).getByRole('button', { name: 'Group', exact: true }).waitFor()
  })

  test('a list without records begins one that refers to this record', async () => {
    const sysId = await stage.makeIncident('Childless')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await listOf(page).locator('summary').getByText('0', { exact: true }).waitFor()
    await listOf(page).locator('summary').click()
    await listOf(page).getByText('There is nothing here yet.').waitFor()
    await stage.settled(page)
    await listOf(page).locator('[data-rows]').getByRole('link', { name: 'New' }).click()
    await page.waitForURL((url) => url.pathname.endsWith('/t/task/new'))
    expect(new URL(page.url()).searchParams.get('set')).toBe(`parent_id=${sysId}`)
  })

  test('a row that comes takes the focus of the place where rows are', async () => {
    const sysId = await stage.makeIncident('Found parent')
    const child = await stage.makeIncident('Found child')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await listOf(page).locator('summary').getByText('0', { exact: true }).waitFor()
    await listOf(page).locator('summary').click()
    await listOf(page).getByText('There is nothing here yet.').waitFor()
    await stage.settled(page)
    await listOf(page).getByRole('searchbox').press('Escape')
    await focused(listOf(page).locator('[data-rows]'))
    const moved = { as: loginOf('anna.petrova'), body: { parent_id: sysId } }
    expect((await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${child}`, moved)).status).toBe(200)
    await rows(page).first().waitFor()
    await focused(rows(page).first())
    await page.keyboard.press('x')
    await listOf(page).getByText('1 selected', { exact: true }).waitFor()
  })

  test.each(widths)('axe finds nothing at $width px', async (view) => {
    const page = await stage.signedIn('michael.brown', '/', view)
    await withChildren(page, `Looked at ${view.width}`, ['One child', 'Another child'])
    await listOf(page).scrollIntoViewIfNeeded()
    expect(await stage.findingsInThemes(page, 'related-list')).toEqual([])
  })
})
