import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

const patches = /^PATCH \/rest\/v1\/table\/itsm_incident\//

describe.skipIf(!hasChromium)('a conflict while it is decided and saved (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  /** Past the proxy, which holds the saves of the page. */
  async function change(sysId: string, body: object): Promise<void> {
    const as = loginOf('anna.petrova')
    const { status } = await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, { as, body })
    expect(status).toBe(200)
  }
  const stored = async (sysId: string): Promise<unknown> =>
    (
      await stage.docket.database.rows(
        sql`select subject, description, urgency from docket.task where sys_id = ${sysId}`,
      )
    )[0]
  const saveThis = (dialog: Locator): Locator => dialog.getByRole('button', { name: 'Save this' })
  const columnIn = (dialog: Locator, name: string): Locator => dialog.getByRole('group', { name, exact: true })

  /** The dialog of a conflict about two columns: for the description "mine" is chosen, for the subject another value. */
  async function decided(name: string, view = {}): Promise<{ page: Page; sysId: string; dialog: Locator }> {
    const sysId = await stage.makeIncident(name, { description: 'Before', urgency: '3' })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`, view)
    await page.locator('#field-subject').fill(`${name}, mine`)
    await page.locator('#field-description').fill('Mine')
    await change(sysId, { subject: `${name}, theirs`, description: 'Theirs' })
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Changed by two people' })
    await columnIn(dialog, 'Description').getByRole('radio', { name: /^Mine/ }).check()
    await columnIn(dialog, 'Subject').getByRole('radio', { name: 'Another value' }).check()
    await columnIn(dialog, 'Subject').getByRole('textbox', { name: 'Subject' }).fill(`${name}, typed`)
    return { page, sysId, dialog }
  }

  test.each(widths)(
    'that is met again stays open: with what is new, what was chosen and what was typed; $width px',
    async (view) => {
      const name = `Again ${view.width}`
      const { page, sysId, dialog } = await decided(name, view)
      await dialog.evaluate((element) => element.setAttribute('data-first', ''))
      stage.proxy.fail(patches, { kind: 'hold' })
      await saveThis(dialog).press('Enter')
      await expect.poll(() => stage.proxy.met(patches)).toBe(1)
      // What is chosen now would not be in the save.
      const [subject, description] = [columnIn(dialog, 'Subject'), columnIn(dialog, 'Description')]
      await expect.poll(() => subject.getByRole('radio', { name: /^Mine/ }).isDisabled()).toBe(true)
      await page.keyboard.press('Escape')
      await change(sysId, { subject: `${name}, theirs again`, urgency: '1' })
      stage.proxy.heal()
      await subject.getByText(`${name}, theirs again`).waitFor()
      await dialog.getByText(/^Анна Петрова has changed the record once more\./).waitFor()
      await expect.poll(() => saveThis(dialog).isDisabled()).toBe(true)
      expect(await dialog.getAttribute('data-first')).toBe('')
      // The decision about the subject was one about another text.
      expect(await subject.getByRole('radio', { checked: true }).count()).toBe(0)
      await subject.getByText(`${name}, mine`).waitFor()
      await subject.getByText(`${name}, typed`).waitFor()
      expect(await description.getByRole('radio', { name: /^Mine/ }).isChecked()).toBe(true)
      expect(await stage.findingsInThemes(page, 'conflict-again')).toEqual([])
      await subject.getByRole('radio', { name: /^Another value/ }).check()
      const field = subject.getByRole('textbox', { name: 'Subject' })
      await expect.poll(() => field.inputValue()).toBe(`${name}, typed`)
      await saveThis(dialog).press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(() => stored(sysId)).toEqual({ subject: `${name}, typed`, description: 'Mine', urgency: '1' })
      await expect.poll(() => page.locator('#field-subject').inputValue()).toBe(`${name}, typed`)
      await expect.poll(() => page.locator('#field-urgency').inputValue()).toBe('1')
    },
  )

  test('whose save meets a change of another field only is saved on top of it', async () => {
    const { page, sysId, dialog } = await decided('Again, elsewhere')
    stage.proxy.fail(patches, { kind: 'hold' })
    await saveThis(dialog).click()
    await expect.poll(() => stage.proxy.met(patches)).toBe(1)
    await change(sysId, { urgency: '1' })
    stage.proxy.heal()
    await page.getByText(/^Saved\. Meanwhile: Анна Петрова: Urgency: /).waitFor()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored(sysId)).toEqual({ subject: 'Again, elsewhere, typed', description: 'Mine', urgency: '1' })
  })

  test('that cannot be saved stays open with the error, and nothing has to be chosen or typed once more', async () => {
    const { page, sysId, dialog } = await decided('Not saved')
    stage.proxy.fail(patches, { kind: 'respond', status: 503 })
    await saveThis(dialog).click()
    const alert = dialog.getByRole('alert')
    await alert.getByText('The server is not available at the moment (status 503).').waitFor()
    expect(await stage.findings(page)).toEqual([])
    const typed = columnIn(dialog, 'Subject').getByRole('textbox', { name: 'Subject' })
    expect(await typed.inputValue()).toBe('Not saved, typed')
    stage.proxy.heal()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => stored(sysId)).toMatchObject({ subject: 'Not saved, typed', description: 'Mine' })
  })

  test('says at the field what the server rejects of a typed value', async () => {
    const { sysId, dialog } = await decided('Rejected')
    const typed = columnIn(dialog, 'Subject').getByRole('textbox', { name: 'Subject' })
    await typed.fill('x'.repeat(300))
    await saveThis(dialog).click()
    await dialog.locator('#conflict-subject-error').waitFor()
    await focused(typed)
    await typed.fill('Rejected, shorter')
    await saveThis(dialog).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => stored(sysId)).toMatchObject({ subject: 'Rejected, shorter' })
  })

  test('is given up: first its save, then the dialog; the form keeps what was typed', async () => {
    const { page, dialog } = await decided('Given up')
    stage.proxy.fail(patches, { kind: 'hold' })
    await saveThis(dialog).click()
    await expect.poll(() => stage.proxy.met(patches)).toBe(1)
    const cancel = dialog.getByRole('button', { name: 'Cancel' })
    await cancel.click()
    await dialog.getByRole('alert').getByText('Cancelled.').waitFor()
    await expect.poll(() => saveThis(dialog).isDisabled()).toBe(false)
    await cancel.click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.locator('#field-subject').inputValue()).toBe('Given up, mine')
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})
