import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { KeyboardUser } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('dialogs over a form take the focus, keep it, and give it back (issue 13)', () => {
  const stage = consoleStage()
  const setMandatory = (isMandatory: boolean) =>
    stage.docket.database.rows(
      sql`update docket.sys_db_column set mandatory = ${isMandatory} where column_name = 'closure_notes'`,
    )

  const change = (sysId: string, body: object) =>
    stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, { as: loginOf('anna.petrova'), body })

  const openForm = async (subject: string, width: number, more: object = {}) => {
    const sysId = await stage.makeIncident(subject, more)
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`, { width })
    const field = page.locator('#field-subject')
    await field.waitFor()
    await stage.settled(page)
    return { page, sysId, field, keys: new KeyboardUser(page) }
  }

  /** The focus comes in by itself. Tab and Shift + Tab go around in the dialog, past its last element and its first. */
  async function holdsFocus(page: Page, dialog: Locator): Promise<void> {
    await dialog.waitFor()
    const isInside = (): Promise<boolean> => dialog.evaluate((each) => each.contains(each.ownerDocument.activeElement))
    await expect.poll(isInside).toBe(true)
    const visited = new Set<string>()
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let presses = 0; presses < 12; presses += 1) {
        await page.keyboard.press(key)
        // The focus is handed from the end to the beginning.
        await expect.poll(isInside).toBe(true)
        visited.add(String(await page.evaluate('document.activeElement?.textContent')))
      }
    }
    expect(visited.has('Cancel') || visited.has('Keep editing')).toBe(true)
  }

  const pressEscape = async (page: Page, dialog: Locator): Promise<void> => {
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }

  describe.each([{ width: 1_440 }, { width: 390 }])('at $width px', ({ width }) => {
    test('a conflict: opened by a key in a field and by the button; what is chosen is saved', async () => {
      const { page, sysId, field, keys } = await openForm('Conflict of two', width)
      const dialog = page.getByRole('dialog', { name: 'Changed by two people' })
      await field.fill('Mine')
      await change(sysId, { subject: 'Theirs' })
      await field.press('Control+s')
      await holdsFocus(page, dialog)
      await pressEscape(page, dialog)
      await keys.isAt(field)
      expect(await field.inputValue()).toBe('Mine')

      const save = page.getByRole('button', { name: 'Save', exact: true })
      await save.press('Enter')
      await holdsFocus(page, dialog)
      await pressEscape(page, dialog)
      await keys.isAt(save)

      await save.press('Enter')
      await dialog.getByRole('radio', { name: /^Mine/ }).press(' ')
      await dialog.getByRole('button', { name: 'Save this' }).press('Enter')
      await page.getByText('Saved.', { exact: true }).waitFor()
      await dialog.waitFor({ state: 'detached' })
      await keys.isAt(save)
    })

    test('fields that a state needs: the first of them has the focus, and Escape returns to the state', async () => {
      const { page, keys } = await openForm('Needs notes', width, { closure_notes: 'Old' })
      await setMandatory(true)
      await page.locator('#field-closure_notes').fill('')
      const move = page.getByRole('group', { name: 'Move to' }).getByRole('button').first()
      const dialog = page.getByRole('dialog', { name: /^Needed for/ })
      await move.press('Enter')
      await dialog.waitFor()
      await keys.isAt(dialog.getByLabel('Closure notes'))
      await holdsFocus(page, dialog)
      await pressEscape(page, dialog)
      await keys.isAt(move)

      await move.press('Enter')
      await keys.isAt(dialog.getByLabel('Closure notes'))
      await page.keyboard.type('Because')
      await dialog.getByRole('button', { name: 'Save' }).press('Enter')
      await page.getByText('Saved.', { exact: true }).waitFor()
      await dialog.waitFor({ state: 'detached' })
      await keys.isSeen()
      await setMandatory(false)
    })

    test('leaving a changed form: by a link and by going back; staying returns, leaving leads on', async () => {
      await stage.makeIncident(`Left at ${width}`)
      const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=subject=Left at ${width}`, { width })
      const keys = new KeyboardUser(page)
      const field = page.locator('#field-subject')
      await page.getByRole('row', { name: /Left at/ }).press('Enter')
      await field.waitFor()
      await stage.settled(page)
      await field.fill('Left, changed')
      const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
      const stay = dialog.getByRole('button', { name: 'Keep editing' })
      const back = page.getByRole('link', { name: /^Back to/ })
      await back.press('Enter')
      await keys.isAt(stay)
      await holdsFocus(page, dialog)
      await pressEscape(page, dialog)
      await keys.isAt(back)

      await field.focus()
      await page.evaluate('history.back()')
      await keys.isAt(stay)
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await keys.isAt(field)
      expect(await field.inputValue()).toBe('Left, changed')

      await back.press('Enter')
      await dialog.getByRole('button', { name: 'Discard and leave' }).press('Enter')
      await page.getByRole('row').nth(1).waitFor()
      await stage.settled(page)
      await keys.isSeen()
    })
  })
})
