import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused, KeyboardUser } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('which rules deny a request (issue 13)', () => {
  const stage = consoleStage()
  const michael = sql`(select sys_id from docket."user" where user_name = 'michael.brown')`
  const role = sql`(select sys_id from docket.sys_role where name = 'security_admin')`
  let incident: string
  beforeAll(async () => {
    incident = await stage.makeIncident('Denied')
    const { database } = stage.docket
    await database.rows(sql`insert into docket.sys_user_has_role (user_id, role_id) values (${michael}, ${role})`)
    await database.rows(sql`
      insert into docket.sys_security_acl (operation, table_name, column_name, roles, description, admin_overrides)
      select 'read', 'itsm_incident', 'closure_notes', array[(select sys_id::text from docket.sys_role where name = 'admin')],
             'Closure notes are for administrators', true`)
  })
  afterAll(() =>
    stage.docket.database.rows(
      sql`delete from docket.sys_user_has_role where user_id = ${michael} and role_id = ${role}`,
    ),
  )

  const path = '/t/itsm_incident?q=closure_notesISNOTEMPTY'

  test('a security administrator comes from the 403 to the rule that decides, with everything filled in', async () => {
    for (const view of widths) {
      const page = await stage.signedIn('michael.brown', path, view)
      const keys = new KeyboardUser(page)
      await page
        .getByRole('alert')
        .getByText(/^You have no access to read the column closure_notes/)
        .waitFor()
      const link = page.getByRole('alert').getByRole('link', { name: 'Which rules decide?' })
      await link.waitFor()
      expect(await stage.findingsInThemes(page, 'access-link')).toEqual([])
      await link.press('Enter')
      const explained = page.getByRole('strong').getByText('Denied.', { exact: true })
      await explained.waitFor()
      await page.getByRole('link', { name: 'Closure notes are for administrators' }).waitFor()
      await page.getByText('the user has none of its roles').first().waitFor()
      expect(await page.getByLabel('User name').inputValue()).toBe('michael.brown')
      expect(await page.getByLabel('Table').inputValue()).toBe('itsm_incident')
      expect(await page.getByLabel('What for').inputValue()).toBe('read')
      expect(await page.getByLabel(/^Column/).inputValue()).toBe('closure_notes')
      await stage.settled(page)
      await keys.isSeen()
      expect(await stage.findingsInThemes(page, 'access')).toEqual([])
      await page.context().close()
    }
  })

  test('the record has its name and a link, conditions are in words, and rules are counted', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.sys_security_acl (operation, table_name, column_name, roles, condition, description, admin_overrides)
      select 'read', 'itsm_incident', 'severity', array[(select sys_id::text from docket.sys_role where name = 'user')],
             each.condition, each.description, true
      from (values ('active=true^priorityIN1,2', 'In a hurry'), ('callerDYNAMICme^ORstate=1', 'One''s own')) each (condition, description)`)
    for (const view of widths) {
      const question = `user=john.smith&table=itsm_incident&operation=read&column=severity&sys_id=${incident}`
      const page = await stage.signedIn('michael.brown', `/admin/access?${question}`, view)
      const level = page.getByRole('region', { name: 'itsm_incident.severity' })
      await level.getByText('2 active rules').waitFor()
      await level.getByText('Active is yes and Priority is Critical, High', { exact: true }).waitFor()
      await level.getByText(/^Caller is me or State is Assigned$/).waitFor()
      expect(await level.locator('code').allTextContents()).toEqual(['itsm_incident.severity'])
      expect(await page.getByRole('main').textContent()).not.toContain('(s)')
      await page
        .getByRole('main')
        .getByRole('link', { name: /Denied/ })
        .waitFor()
      expect(await stage.findingsInThemes(page, 'access-words')).toEqual([])
      await page
        .getByRole('main')
        .getByRole('link', { name: /Denied/ })
        .click()
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/t/itsm_incident/${incident}`)
    }
    await stage.docket.database.rows(sql`delete from docket.sys_security_acl where column_name = 'severity'`)
  })

  test('a save that is denied leads there, too: with the record and the column; what was typed stays', async () => {
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${incident}`)
    await page.locator('#field-subject').fill('Another subject')
    await stage.docket.database.rows(sql`
      insert into docket.sys_security_acl (operation, table_name, column_name, roles, description, admin_overrides)
      select 'write', 'itsm_incident', 'subject', array[(select sys_id::text from docket.sys_role where name = 'admin')],
             'Subjects are for administrators', true`)
    await page.keyboard.press('Control+s')
    const link = page.getByRole('alert').getByRole('link', { name: 'Which rules decide?' })
    await link.waitFor()
    expect(await page.locator('#field-subject').inputValue()).toBe('Another subject')
    await focused(page.locator('#field-subject'))
    expect(await stage.findings(page)).toEqual([])
    await link.press('Enter')
    await page.getByRole('button', { name: 'Discard and leave' }).press('Enter')
    await page.getByRole('link', { name: 'Subjects are for administrators' }).waitFor()
    expect(await page.getByLabel('What for').inputValue()).toBe('write')
    expect(await page.getByLabel(/^sys_id/).inputValue()).toBe(incident)
    await stage.docket.database.rows(
      sql`delete from docket.sys_security_acl where description = 'Subjects are for administrators'`,
    )
  })

  test('the menu of a record leads to the rules that decide about it', async () => {
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${incident}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Which rules decide?' }).click()
    await page.getByRole('strong').getByText('Allowed now.', { exact: true }).waitFor()
    expect(await page.getByLabel(/^sys_id/).inputValue()).toBe(incident)
    expect(await page.getByLabel('User name').inputValue()).toBe('michael.brown')
    const agent = await stage.signedIn('anna.petrova', `/t/itsm_incident/${incident}`)
    await agent.getByRole('button', { name: 'Другие действия' }).click()
    await agent.getByRole('menuitem').first().waitFor()
    expect(await agent.getByRole('menuitem', { name: 'Какие правила решают?' }).count()).toBe(0)
  })

  test('another user, operation and record are asked about by keys; the address holds the question, back returns', async () => {
    const page = await stage.signedIn(
      'michael.brown',
      '/admin/access?table=itsm_incident&operation=read&column=closure_notes',
    )
    const keys = new KeyboardUser(page)
    await page.getByRole('strong').getByText('Denied.', { exact: true }).waitFor()
    await page.getByLabel('User name').fill('admin')
    await page.getByLabel(/^sys_id/).fill(incident)
    const explain = page.getByRole('button', { name: 'Explain' })
    await explain.press('Enter')
    await page.getByRole('strong').getByText('Allowed now.', { exact: true }).waitFor()
    await keys.isAt(explain)
    expect(new URL(page.url()).searchParams.get('sys_id')).toBe(incident)
    await page.getByLabel('User name').fill('nobody.of.this.name')
    await explain.press('Enter')
    await page.getByRole('alert').getByText('There is no user nobody.of.this.name.').waitFor()
    await page.goBack()
    await page.getByRole('strong').getByText('Allowed now.', { exact: true }).waitFor()
    await expect.poll(() => page.getByLabel('User name').inputValue()).toBe('admin')
  })

  test('others get neither the link nor the explanation, and the API says it to nobody else', async () => {
    const page = await stage.signedIn('anna.petrova', path)
    const alert = page.getByRole('alert')
    await alert.getByText(/closure_notes/).waitFor()
    await stage.settled(page)
    expect(await alert.getByRole('link').count()).toBe(0)
    await page.goto(`${stage.baseUrl}/console/admin/access?table=itsm_incident&user=admin`)
    await alert
      .getByText(/admin или security_admin/)
      .first()
      .waitFor()

    const query = '/rest/v1/table/itsm_incident?sysparm_query=closure_notesISNOTEMPTY'
    // A key knows the roles of now; Basic credentials may be known with those from before.
    const errorOf = async (who: 'anna.petrova' | 'michael.brown'): Promise<string | undefined> => {
      const { user, password } = loginOf(who)
      const login = await stage.docket.request('POST', '/v1/auth/login', { body: { username: user, password } })
      const key = /"auth_key":"([^"]+)"/.exec(login.text)?.[1]
      const headers = { authorization: `Bearer ${key}` }
      const { status, body } = await stage.docket.request('GET', query, { headers })
      expect(status).toBe(403)
      return (body as { errors: { explain?: string }[] }).errors[0]?.explain
    }
    expect(await errorOf('anna.petrova')).toBe(undefined)
    expect(await errorOf('michael.brown')).toBe(
      `${stage.docket.baseUrl}/rest/v1/acl/explain?table=itsm_incident&operation=read&user=michael.brown&column=closure_notes`,
    )
    const { body } = await stage.docket.request('GET', '/rest/v1/acl/explain?table=itsm_incident', { as: admin })
    expect((body as { data: { reason: string } }).data.reason).toMatch(/^The level /)
  })
})
