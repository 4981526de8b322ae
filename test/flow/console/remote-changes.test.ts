import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('a record that is changed elsewhere while it is open (issue 13)', () => {
  const stage = consoleStage()
  const addressOf = (sysId: string): string => `/t/itsm_incident/${sysId}`
  const change = async (sysId: string, body: object, user: 'anna.petrova' | 'michael.brown'): Promise<void> => {
    const path = `/rest/v1/table/itsm_incident/${sysId}`
    expect((await stage.docket.request('PATCH', path, { as: loginOf(user), body })).status).toBe(200)
  }
  const idOfUser = async (name: string): Promise<string> => {
    const query = sql<{ sys_id: string }>`select sys_id::text from docket."user" where user_name = ${name}`
    return (await stage.docket.database.rows<{ sys_id: string }>(query))[0]?.sys_id ?? ''
  }

  test.each(widths)(
    'a deletion says who did it, offers nothing to take over, and keeps what was typed: $width px',
    async (view) => {
      const sysId = await stage.makeIncident('Deleted elsewhere')
      const page = await stage.signedIn('michael.brown', addressOf(sysId), view)
      const field = page.locator('#field-description')
      await field.fill('Typed before')
      const deleted = await stage.docket.request('DELETE', `/rest/v1/table/itsm_incident/${sysId}`, { as: admin })
      expect(deleted.status).toBe(200)
      const notice = page.getByRole('status').filter({ hasText: 'has deleted this record. What you typed stays here' })
      await notice.waitFor()
      expect(await notice.getByRole('button').count()).toBe(0)
      expect(await stage.findingsInThemes(page, 'deleted')).toEqual([])
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('alert').getByText('This does not exist, or you do not have access to it.').waitFor()
      expect(await field.inputValue()).toBe('Typed before')
      await page.getByRole('button', { name: 'Discard', exact: true }).click()
      await expect.poll(() => field.inputValue()).toBe('')
    },
  )

  test('another tab of the same user is one more place: its change is reported, and a save in this tab is not', async () => {
    const sysId = await stage.makeIncident('Two tabs', { urgency: '3' })
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').waitFor()
    const other = await page.context().newPage()
    await other.goto(`${stage.baseUrl}/console${addressOf(sysId)}`)
    await other.locator('#field-urgency').selectOption('1')
    await other.locator('#field-urgency').press('Control+s')
    await other.getByText('Saved.', { exact: true }).waitFor()
    const notice = page.getByText('Michael Brown has changed: Urgency')
    await notice.waitFor()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await notice.waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('#field-urgency').inputValue()).toBe('1')
    // The events of the saves of this tab arrive in the other one; in this one they report nothing.
    await page.locator('#field-subject').fill('Two tabs, saved')
    await page.locator('#field-subject').press('Control+s')
    await other.getByText('Michael Brown has changed: Subject').waitFor()
    await stage.settled(page)
    expect(await page.getByText('has changed:').count()).toBe(0)
  })

  test('after a decision about its approval, the form has what follows from it', async () => {
    const task = await stage.makeIncident('Decided')
    const body = { task, approver: { find: { user_name: 'michael.brown' } }, state: 'requested' }
    const created = await stage.docket.request('POST', '/rest/v1/table/sys_approval', { as: admin, body })
    expect(created.status).toBe(200)
    const page = await stage.signedIn('michael.brown', addressOf(task))
    await page.getByText(/^All fields/).click()
    const approval = page.locator('#field-approval_state')
    await expect.poll(() => approval.inputValue()).toBe('requested')
    await page.getByRole('button', { name: 'Approve', exact: true }).press('Enter')
    await page.getByRole('group', { name: 'Approval' }).waitFor({ state: 'detached' })
    await expect.poll(() => approval.inputValue()).toBe('approved')
    await stage.settled(page)
    expect(await page.getByText('has changed:').count()).toBe(0)
  })

  test('a conflict displays names in lists, words of rich text, and the choices that fit', async () => {
    const [anna, elena] = await Promise.all(['anna.petrova', 'elena.volkova'].map(idOfUser))
    const sysId = await stage.makeIncident('Kinds of values', {
      category: 'hardware',
      followers_list: [anna],
      workaround: '<p>At <strong>first</strong></p>',
    })
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.getByText(/^All fields/).click()
    await page.getByRole('combobox', { name: 'Followers' }).fill('John Smith')
    await page
      .getByRole('option', { name: /John Smith/ })
      .first()
      .click()
    const rich = page.getByRole('textbox', { name: 'Workaround' })
    await rich.fill('Mine is rich')
    await page.locator('#field-subcategory').selectOption({ index: 1 })
    const mine = await page.locator('#field-subcategory').inputValue()
    const others = await page
      .locator('#field-subcategory option')
      .evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value))
    const theirs = others.find((value) => value !== '' && value !== mine) ?? ''
    await change(
      sysId,
      { followers_list: [anna, elena], workaround: '<p>Theirs <em>is</em></p>', subcategory: theirs },
      'anna.petrova',
    )
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Changed by two people' })
    const people = dialog.getByRole('group', { name: 'Followers' })
    await people.getByText('Before: Анна Петрова', { exact: true }).waitFor()
    await people.getByLabel(/^Mine\s*Анна Петрова, John Smith$/).waitFor()
    await people.getByLabel(/^Анна Петрова\s*Анна Петрова, Елена Волкова$/).waitFor()
    const words = dialog.getByRole('group', { name: 'Workaround' })
    await words.getByText('Before: At first', { exact: true }).waitFor()
    await words.getByLabel(/^Mine\s*Mine is rich$/).waitFor()
    await words.getByLabel(/^Анна Петрова\s*Theirs is$/).waitFor()
    const choices = dialog.getByRole('group', { name: 'Subcategory' })
    await choices.getByLabel('Another value').check()
    const offered = choices.locator('option')
    await expect.poll(() => offered.count()).toBe(others.length)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'conflict-kinds')
  })

  test('keys in a dialog act on the dialog, not on the form below it', async () => {
    const sysId = await stage.makeIncident('Keys in dialogs')
    const page = await stage.signedIn(admin, addressOf(sysId))
    await page.locator('#field-subject').fill('Keys in dialogs, not saved')
    await page.getByRole('button', { name: 'Assign to me' }).waitFor()
    const writes: string[] = []
    page.on('request', (request) => {
      if (/itsm_incident|company/.test(request.url()) && !['GET', 'HEAD'].includes(request.method()))
        writes.push(`${request.method()} ${new URL(request.url()).pathname}`)
    })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const deletion = page.getByRole('alertdialog')
    await deletion.getByRole('button', { name: 'Cancel' }).press('a')
    await deletion.getByRole('button', { name: 'Cancel' }).press('Control+s')
    await deletion.getByRole('button', { name: 'Cancel' }).press('Enter')
    await deletion.waitFor({ state: 'detached' })
    await page.locator('#field-company').fill('Made by keys Ltd')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New record for: Company' }).press('Enter')
    const name = page.locator('#target-name')
    await expect.poll(() => name.inputValue()).toBe('Made by keys Ltd')
    await name.press('Control+s')
    await page.getByText('Created: Made by keys Ltd').waitFor()
    await stage.settled(page)
    expect(writes).toEqual(['POST /rest/v1/table/company'])
    expect(await page.locator('#field-subject').inputValue()).toBe('Keys in dialogs, not saved')
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
  })

  test('what was chosen and typed in a conflict survives the end of the session', async () => {
    const sysId = await stage.makeIncident('Conflict and session')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').fill('Conflict and session, mine')
    await change(sysId, { subject: 'Conflict and session, theirs' }, 'anna.petrova')
    await page.locator('#field-subject').press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Changed by two people' })
    await dialog.getByLabel('Another value').check()
    await dialog.getByRole('textbox', { name: 'Subject' }).fill('Conflict and session, both')
    await page.context().clearCookies()
    // Another request that meets the end of the session first opens its dialog over this one, which is then hidden from assistive technology.
    const covered = page.getByRole('dialog', { name: 'Changed by two people', includeHidden: true })
    await covered.getByRole('button', { name: 'Save this', includeHidden: true }).dispatchEvent('click')
    const signIn = page.getByRole('dialog', { name: 'Sign in again' })
    await signIn.locator('input[name=password]').fill(loginOf('michael.brown').password)
    await signIn.locator('input[name=password]').press('Enter')
    await signIn.waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Save this' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    const { body } = await stage.docket.request('GET', `/rest/v1/table/itsm_incident/${sysId}?sysparm_fields=subject`, {
      as: loginOf('michael.brown'),
    })
    expect(body).toMatchObject({ data: [{ subject: 'Conflict and session, both' }] })
  })

  test('a reference whose record the user may not read is "Not visible", also in a conflict, and a save keeps it', async () => {
    const [company] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`insert into docket.company (sys_id, name) values (docket_system.new_sys_id(), 'Secret Ltd') returning sys_id::text`,
    )
    await stage.docket.database.rows(sql`
      update docket.sys_security_acl set condition = 'name!=Secret Ltd'
      where table_name = 'company' and operation = 'read' and column_name is null`)
    const sysId = await stage.makeIncident('Hidden company')
    await stage.docket.database.rows(sql`update docket.task set company = ${company?.sys_id} where sys_id = ${sysId}`)
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await expect.poll(() => page.locator('#field-company').inputValue()).toBe('Not visible')
    await page.locator('#field-subject').fill('Hidden company, saved')
    await page.locator('#field-subject').press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    const keptCompany = () =>
      stage.docket.database.rows(sql`select company::text as company from docket.task where sys_id = ${sysId}`)
    expect(await keptCompany()).toEqual([{ company: company?.sys_id }])
    // The history, too: it has who set and who removed it.
    await change(sysId, { company: null }, 'michael.brown')
    const activity = page.getByRole('complementary', { name: 'Activity' })
    await activity.getByText('Not visible', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Versions' }).click()
    await page.getByRole('dialog').getByText('Not visible', { exact: true }).waitFor()
    expect(await page.locator('body').textContent()).not.toContain(company?.sys_id)
    await stage.docket.database.rows(sql`update docket.task set company = ${company?.sys_id} where sys_id = ${sysId}`)
    const list = await stage.signedIn(
      'michael.brown',
      '/t/itsm_incident?q=subjectSTARTSWITHHidden company&cols=number,company',
    )
    await list.getByRole('gridcell', { name: 'Not visible' }).waitFor()
    const text = await list.locator('#page').textContent()
    expect(text).not.toContain(company?.sys_id)
    // The list of the field is opened and closed; what was not chosen is not written.
    await list.getByRole('gridcell', { name: 'Not visible' }).dblclick()
    const field = list.getByRole('grid').getByRole('combobox', { name: 'Company' })
    await focused(field)
    await expect.poll(() => field.inputValue()).toBe('Not visible')
    await field.press('ArrowDown')
    await list.getByRole('option').first().waitFor()
    await field.press('Escape')
    await list.getByRole('option').first().waitFor({ state: 'detached' })
    await field.press('Enter')
    await field.waitFor({ state: 'detached' })
    await stage.settled(list)
    expect(await keptCompany()).toEqual([{ company: company?.sys_id }])
    // As the title of a group, too.
    const groups = await stage.signedIn(
      'michael.brown',
      '/t/itsm_incident?q=subjectSTARTSWITHHidden company&group=company',
    )
    await groups.getByRole('button', { name: /^Not visible/ }).waitFor()
  })

  test('each journal has a composer only while the user may write it; a typed note never becomes a comment', async () => {
    const sysId = await stage.makeIncident('Journals')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    const journals = page.getByRole('group', { name: 'Kind of entry' })
    await journals.getByRole('button', { name: 'Work notes' }).waitFor()
    await journals.getByRole('button', { name: 'Work notes' }).click()
    await page.locator('#composer').fill('Only for the desk')
    await stage.docket.database.rows(sql`
      insert into docket.sys_security_acl (operation, table_name, column_name, roles, description, admin_overrides)
      select 'write', 'task', 'work_notes', array[(select sys_id::text from docket.sys_role where name = 'admin')],
             'Notes are for others', true`)
    // The browser asks before it reloads a page with an unsent note.
    page.removeAllListeners('dialog')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await expect.poll(() => page.locator('#composer').inputValue()).toBe('Only for the desk')
    expect(await journals.getByRole('button', { name: 'Work notes' }).getAttribute('aria-pressed')).toBe('true')
    await page.locator('#composer').fill('')
    await journals.getByRole('button', { name: 'Work notes' }).waitFor({ state: 'detached' })
    await page.locator('#composer').fill('For the caller')
    await page.locator('#composer').press('Control+Enter')
    await page.getByRole('listitem').filter({ hasText: 'For the caller' }).waitFor()
  })
})
