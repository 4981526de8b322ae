import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('what is typed in a dialog over a form, and what it reads (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const addressOf = (sysId: string): string => `/t/itsm_incident/${sysId}`
  const idOfUser = async (name: string): Promise<string> => {
    const query = sql<{ sys_id: string }>`select sys_id::text from docket."user" where user_name = ${name}`
    return (await stage.docket.database.rows(query))[0]?.sys_id ?? ''
  }

  test('fields that a state needs are edits of the form: they stay when the dialog is closed, also after a reload', async () => {
    const setMandatory = (isMandatory: boolean) =>
      stage.docket.database.rows(
        sql`update docket.sys_db_column set mandatory = ${isMandatory} where column_name = 'closure_notes'`,
      )
    const sysId = await stage.makeIncident('Needs notes', { closure_notes: 'Old' })
    await setMandatory(true)
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    const field = page.locator('#field-closure_notes')
    await field.fill('')
    const move = page.getByRole('group', { name: 'Move to' }).getByRole('button').first()
    const dialog = page.getByRole('dialog', { name: /^Needed for/ })
    const typed = dialog.getByLabel('Closure notes')
    await move.click()
    await typed.fill('Because it rains')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('Because it rains')
    // The browser asks before it leaves the page.
    page.removeAllListeners('dialog')
    page.on('dialog', (opened) => void opened.accept())
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe('Because it rains')
    await field.fill('')
    await move.click()
    await typed.fill('Because it snows')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    const [row] = await stage.docket.database.rows<{ closure_notes: string; state: string }>(
      sql`select closure_notes, state from docket.task where sys_id = ${sysId}`,
    )
    expect(row?.closure_notes).toBe('Because it snows')
    expect(row?.state).not.toBe('0')
    await setMandatory(false)
  })

  test('the comment of a rejection comes back, also after a reload', async () => {
    const task = await stage.makeIncident('To be rejected later')
    const body = { task, approver: { find: { user_name: 'michael.brown' } }, state: 'requested' }
    expect((await stage.docket.request('POST', '/rest/v1/table/sys_approval', { as: admin, body })).status).toBe(200)
    const page = await stage.signedIn('michael.brown', addressOf(task))
    const reject = page.getByRole('button', { name: 'Reject…' })
    const comment = page.getByRole('dialog', { name: 'Reject' }).getByLabel('Why')
    await reject.click()
    await comment.fill('Too risky before the holidays')
    await page.keyboard.press('Escape')
    await comment.waitFor({ state: 'detached' })
    await page.reload()
    await reject.click()
    expect(await comment.inputValue()).toBe('Too risky before the holidays')
    await page.getByRole('dialog', { name: 'Reject' }).getByRole('button', { name: 'Reject', exact: true }).click()
    await page.locator('#form-activity').getByText('Too risky before the holidays').waitFor()
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('holidays')
  })

  test('another value for a conflict comes back with the conflict, unless the own one was changed since', async () => {
    const sysId = await stage.makeIncident('Conflict closed')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    const field = page.locator('#field-subject')
    await field.fill('Mine')
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('anna.petrova'),
      body: { subject: 'Theirs' },
    })
    const dialog = page.getByRole('dialog', { name: 'Changed by two people' })
    const other = dialog.getByRole('textbox', { name: 'Subject' })
    const meet = async (): Promise<string> => {
      await field.press('Control+s')
      await dialog.getByLabel('Another value').check()
      return other.inputValue()
    }
    expect(await meet()).toBe('Mine')
    await other.fill('Both of us')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await meet()).toBe('Both of us')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await field.fill('Mine again')
    expect(await meet()).toBe('Mine again')
  })

  test('what goes with a deletion is read again if it could not be read', async () => {
    const sysId = await stage.makeIncident('Deleted at the second attempt')
    const page = await stage.signedIn(admin, addressOf(sysId))
    stage.proxy.fail(/^GET .*\/dependents/, { kind: 'cut-before' })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    stage.proxy.heal()
    await dialog.getByRole('button', { name: /^Try again/ }).click()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText(/^Deleted:/).waitFor()
    stage.takeComplaints()
  })

  test('a deletion that ends late leaves the user where they are, and says what became of it', async () => {
    const page = await stage.signedIn(admin)
    for (const isReached of [true, false]) {
      const sysId = await stage.makeIncident('Deleted late')
      await page.goto(`${stage.baseUrl}/console${addressOf(sysId)}`)
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      const removal = new RegExp(`^DELETE /rest/v1/table/itsm_incident/${sysId}`)
      stage.proxy.fail(removal, { kind: 'hold' })
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
      await expect.poll(() => stage.proxy.met(removal)).toBe(1)
      await page.keyboard.press('Escape')
      await page.getByRole('alertdialog').waitFor({ state: 'detached' })
      await page.getByRole('navigation').getByRole('link', { name: 'Home', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'System Administrator' }).waitFor()
      if (isReached) stage.proxy.heal()
      else stage.proxy.kill()
      const words = isReached ? /^Deleted: / : / is not deleted\. The server cannot be reached\./
      await page.getByRole('status').getByText(words).waitFor()
      stage.proxy.heal()
      await stage.settled(page)
      expect(new URL(page.url()).pathname).toMatch(/^\/console\/?$/)
    }
    stage.takeComplaints()
  })

  test('a name that is still being read is not displayed as one that the user may not see', async () => {
    const sysId = await stage.makeIncident('Names on their way', { followers_list: [await idOfUser('anna.petrova')] })
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.getByText(/^All fields/).click()
    const members = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Remove: / }) })
    const names = async () => (await members.allTextContents()).map((each) => each.trim())
    await expect.poll(names).toEqual(['Анна Петрова'])
    const titles = /^GET \/rest\/v1\/table\/user\?.*sys_idIN/
    stage.proxy.fail(titles, { kind: 'hold' })
    await page.getByRole('combobox', { name: 'Followers' }).fill('John Smith')
    await page
      .getByRole('option', { name: /John Smith/ })
      .first()
      .click()
    await expect.poll(names).toEqual(['Анна Петрова', '…'])
    stage.proxy.heal()
    await expect.poll(names).toEqual(['Анна Петрова', 'John Smith'])
  })
})
