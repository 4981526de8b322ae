import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('files in the activity, and who grants a right (issue 13)', () => {
  const stage = consoleStage()

  test('a file is in the activity: who attached it, its name and its link', async () => {
    const sysId = await stage.makeIncident('Files in the activity')
    const body = new FormData()
    body.append('files[]', new File(['text'], 'report.txt', { type: 'text/plain' }))
    const { user, password } = loginOf('anna.petrova')
    const sent = await fetch(`${stage.baseUrl}/v1/attachments/upload/itsm_incident/${sysId}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
      body,
    })
    expect(sent.status).toBeLessThan(300)
    for (const view of widths) {
      const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`, view)
      const entry = page.getByRole('complementary').getByRole('listitem').filter({ hasText: 'attached a file' })
      await entry.getByText('Анна Петрова').waitFor({ state: 'attached' })
      const link = entry.getByRole('link', { name: 'report.txt' })
      expect(await link.getAttribute('href')).toMatch(/^\/v1\/attachments\/\d+\/file\?inline=1$/)
      await link.scrollIntoViewIfNeeded()
      expect(await stage.findingsInThemes(page, 'activity-files')).toEqual([])
      await page.context().close()
    }
  })

  test('a record with many files lists all of them', async () => {
    const sysId = await stage.makeIncident('Many files')
    await stage.docket.database.rows(sql`
      insert into docket.sys_attachment (sys_db_table_id, table_id, record_id, file_name, content_type, size_bytes, hash)
      select (select sys_id from docket.sys_db_table where name = 'sys_attachment'), t.sys_db_table_id, t.sys_id::text,
             'file ' || n || '.txt', 'text/plain', 1, repeat('0', 64)
      from docket.task as t, generate_series(1, 120) as n where t.sys_id = ${sysId}`)
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const files = page.getByRole('region', { name: 'Files' }).getByRole('listitem')
    await expect.poll(() => files.count()).toBe(120)
  })

  test('a removed file stays in the activity: who removed it, its name and its size', async () => {
    const sysId = await stage.makeIncident('A removed file in the activity')
    const { user, password } = loginOf('anna.petrova')
    const headers = { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
    const body = new FormData()
    body.append('files[]', new File(['text'], 'wrong-report.txt', { type: 'text/plain' }))
    const address = `${stage.baseUrl}/v1/attachments/upload/itsm_incident/${sysId}`
    const sent = (await (await fetch(address, { method: 'POST', headers, body })).json()) as {
      data: { sys_id: string }[]
    }
    const file = `${stage.baseUrl}/v1/attachments/${sent.data[0]?.sys_id}`
    expect((await fetch(file, { method: 'DELETE', headers })).status).toBe(200)
    for (const view of widths) {
      const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`, view)
      const entry = page.getByRole('complementary').getByRole('listitem').filter({ hasText: 'removed a file' })
      await entry.getByText('Анна Петрова').waitFor({ state: 'attached' })
      await entry.getByText('wrong-report.txt (4 bytes)').scrollIntoViewIfNeeded()
      expect(await entry.getByRole('link').count()).toBe(0)
      expect(await stage.findingsInThemes(page, 'activity-removed')).toEqual([])
      await page.context().close()
    }
  })

  test('a file is removed by those who may, after a question, and its entry says so', async () => {
    const sysId = await stage.makeIncident('A file to remove', { caller: { find: { user_name: 'john.smith' } } })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const files = page.getByRole('region', { name: 'Files' })
    for (const name of ['keep.txt', 'wrong.txt']) {
      await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })
      await files.getByRole('link', { name }).waitFor()
    }
    // Callers read the files of their records, and remove none.
    const caller = await stage.signedIn('john.smith')
    const listed = caller.waitForResponse((each) => each.url().includes('/v1/attachments/removable/'))
    await caller.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    const ofCaller = caller.getByRole('region', { name: 'Files' })
    await ofCaller.getByRole('link', { name: 'wrong.txt' }).waitFor()
    expect(await (await listed).json()).toEqual({ status: 'OK', data: [] })
    await stage.settled(caller)
    expect(await ofCaller.getByRole('button', { name: /^Remove/ }).count()).toBe(0)
    const button = files.getByRole('button', { name: 'Remove wrong.txt' })
    await button.click()
    const dialog = page.getByRole('alertdialog', { name: 'Remove wrong.txt?' })
    await dialog.getByText('The file cannot be restored.').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await focused(button)
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await files.getByRole('link', { name: 'wrong.txt' }).waitFor({ state: 'detached' })
    await files.getByRole('button', { name: 'Remove keep.txt' }).waitFor()
    const entry = page.getByRole('complementary').getByRole('listitem').filter({ hasText: 'removed a file' })
    await entry.getByText('wrong.txt (9 bytes)').waitFor({ state: 'attached' })
    // The page of the caller is told.
    await ofCaller.getByRole('link', { name: 'wrong.txt' }).waitFor({ state: 'detached' })
    expect(await ofCaller.getByRole('link', { name: 'keep.txt' }).count()).toBe(1)
  })

  test('older entries are read when they are asked for: none is out of reach, and none is missing between others', async () => {
    const sysId = await stage.makeIncident('A long story')
    await stage.docket.database.rows(sql`
      insert into docket.sys_journal_entry (table_id, record_id, column_name, value, sys_created_at)
      select sys_db_table_id, ${sysId}, 'work_notes', 'Note ' || n || '.', sys_created_at + make_interval(mins => n)
      from docket.task, generate_series(1, 120) as n where sys_id = ${sysId}`)
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const activity = page.getByRole('complementary', { name: 'Activity' })
    await activity.getByText('Note 120.', { exact: true }).waitFor()
    const entries = activity.locator('ol > li')
    expect(await entries.count()).toBe(100)
    await activity.getByText('Note 21.', { exact: true }).waitFor()
    await activity.getByRole('button', { name: 'Older entries' }).click()
    await expect.poll(() => entries.count()).toBe(121)
    await entries.last().getByText('created the record').waitFor()
    await activity.getByRole('button', { name: 'Older entries' }).waitFor({ state: 'detached' })
    expect(await stage.findings(page)).toEqual([])
  })

  test('a query with a column that may not be read says who can grant it', async () => {
    const page = await stage.signedIn('john.smith', '/t/itsm_incident?q=work_notesISNOTEMPTY')
    const alert = page.getByRole('alert')
    await alert.getByText(/^You have no access to read the column work_notes/).waitFor()
    await alert.getByText('a user with the role admin or security_admin can grant it').waitFor()
    for (const { width } of widths) {
      await page.setViewportSize({ width, height: 900 })
      expect(await stage.findingsInThemes(page, 'denied')).toEqual([])
    }
  })

  test('users who may read who has which role see names of those who grant', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.sys_security_acl (operation, table_name, roles, admin_overrides)
      select 'read', t, array[(select sys_id::text from docket.sys_role where name = 'user')], true
      from unnest(array['sys_role', 'sys_user_has_role', 'user']) as t`)
    const page = await stage.signedIn('john.smith', '/t/itsm_incident?q=work_notesISNOTEMPTY')
    const alert = page.getByRole('alert')
    await alert.getByText('can grant it. For example: System Administrator.').waitFor()
    await stage.picture(page, 'denied-with-names')
  })
})
