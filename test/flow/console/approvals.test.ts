import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('an approval is decided on the form of its task', () => {
  const stage = consoleStage()

  async function requested(subject: string): Promise<string> {
    const task = await stage.makeIncident(subject)
    const body = { task, approver: { find: { user_name: 'michael.brown' } }, state: 'requested' }
    const { status } = await stage.docket.request('POST', '/rest/v1/table/sys_approval', { as: admin, body })
    expect(status).toBe(200)
    return task
  }
  const stored = (task: string) =>
    stage.docket.database.rows(sql`select state, comment from docket.sys_approval where task = ${task}`)

  test('the approver approves; nobody else is asked, and the activity says who did it', async () => {
    const task = await requested('To be approved')
    const other = await stage.signedIn('maria.sokolova', `/t/itsm_incident/${task}`)
    await other.locator('#form-activity').getByText('Michael Brown').first().waitFor()
    await stage.settled(other)
    expect(await other.getByRole('group', { name: 'Согласование' }).count()).toBe(0)
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${task}`)
    await page.getByRole('button', { name: 'Approve', exact: true }).press('Enter')
    await page.getByRole('group', { name: 'Approval' }).waitFor({ state: 'detached' })
    await page.locator('#form-activity').getByText('approved', { exact: true }).waitFor()
    expect(await stored(task)).toEqual([{ state: 'approved', comment: null }])
  })

  test.each(widths)('a rejection needs a comment: $width px', async (view) => {
    const task = await requested('To be rejected')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${task}`, view)
    await page.getByRole('button', { name: 'Reject…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Reject' })
    expect(await dialog.getByRole('button', { name: 'Reject', exact: true }).isDisabled()).toBe(true)
    await dialog.getByLabel('Why').fill('Too risky')
    expect(await stage.findingsInThemes(page, 'reject')).toEqual([])
    await dialog.getByRole('button', { name: 'Reject', exact: true }).press('Enter')
    await page.locator('#form-activity').getByText('Too risky').waitFor()
    expect(await stage.findingsInThemes(page)).toEqual([])
    expect(await stored(task)).toEqual([{ state: 'rejected', comment: 'Too risky' }])
  })

  test('a reason that is being typed stays when the request is withdrawn, and the dialog says so', async () => {
    const task = await requested('To be withdrawn')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${task}`)
    await page.getByRole('button', { name: 'Reject…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Reject' })
    await dialog.getByLabel('Why').fill('Typed in vain')
    const [row] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket.sys_approval where task = ${task}`,
    )
    const path = `/rest/v1/table/sys_approval/${row?.sys_id}`
    expect((await stage.docket.request('DELETE', path, { as: admin })).status).toBeLessThan(300)
    const note = { as: admin, body: { work_notes: 'Withdrawn' } }
    expect((await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${task}`, note)).status).toBe(200)
    await dialog.getByText('Your approval is no longer requested.').waitFor()
    expect(await dialog.getByLabel('Why').inputValue()).toBe('Typed in vain')
    expect(await dialog.getByRole('button', { name: 'Reject', exact: true }).isDisabled()).toBe(true)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByRole('group', { name: 'Approval' }).count()).toBe(0)
  })
})
