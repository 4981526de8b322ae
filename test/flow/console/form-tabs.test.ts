import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, widths } from '../../harness/console-browser.ts'
import { focused, KeyboardUser } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('sections of a form as tabs, if the user prefers', () => {
  const stage = consoleStage()
  let incident: string
  beforeAll(async () => {
    incident = await stage.makeIncident('Form with tabs')
  })
  const tab = (page: Page, name: RegExp) => page.getByRole('tab', { name })
  const tabOf = (page: Page) => new URL(page.url()).searchParams.get('tab')

  async function withTabs(page: Page): Promise<void> {
    await page.goto(`${stage.baseUrl}/console/me`)
    const box = page.getByLabel('Sections of a record are tabs (in every browser)')
    // It is disabled until the stored value is known.
    await box.and(page.locator(':enabled')).waitFor()
    if (await box.isChecked()) return
    const stored = page.waitForResponse(
      (each) => each.url().includes('sys_user_preference') && each.request().method() !== 'GET',
    )
    await box.check()
    await stored
  }

  test('the address has the open tab; a tab is changed by keys, and keeps what is typed in the others', async () => {
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${incident}`)
    await page.getByRole('heading', { name: 'People' }).waitFor()
    expect(await page.getByRole('tab').count()).toBe(0)
    await withTabs(page)
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${incident}`)
    await page.locator('#field-subject').fill('Typed in the first tab')
    await tab(page, /^Incident/).focus()
    const user = new KeyboardUser(page)
    await user.press('ArrowRight')
    await user.isAt(tab(page, /^People/))
    await expect.poll(() => tabOf(page)).toBe('assignment_group')
    await page.getByRole('tabpanel', { name: 'People' }).getByLabel('Assignment group').waitFor()
    expect(await page.getByRole('tabpanel').count()).toBe(1)
    await user.press('End')
    await user.isAt(tab(page, /^Closure/))
    await user.press('ArrowRight')
    await user.isAt(tab(page, /^Incident changed$/))
    expect(await page.locator('#field-subject').inputValue()).toBe('Typed in the first tab')
    await user.press('ArrowLeft', 'Tab')
    expect(
      await page.evaluate(`document.activeElement.closest('[role=tabpanel]')?.getAttribute('aria-labelledby')`),
    ).toBe(await tab(page, /^Closure/).getAttribute('id'))
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  test('the address of a tab opens it for another user, in another language', async () => {
    const page = await stage.signedIn('anna.petrova', '/me')
    // A page that is left takes a request that has not been sent with it.
    const stored = page.waitForResponse(
      (each) => each.url().includes('sys_user_preference') && each.request().method() === 'POST',
    )
    await page.getByLabel('Разделы записи — вкладки (в каждом браузере)').check()
    await stored
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${incident}?tab=assignment_group`)
    await page.getByRole('tab', { name: 'Люди', selected: true }).waitFor()
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${incident}?tab=no_such_column`)
    await page.getByRole('tab', { name: 'Инцидент', selected: true }).waitFor()
  })

  test('an error in another tab leads there, and the tabs count errors', async () => {
    const page = await stage.signedIn('michael.brown')
    await withTabs(page)
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${incident}?tab=opened_at`)
    await page.locator('#field-due_date').waitFor()
    await tab(page, /^Incident/).click()
    await page.locator('#field-subject').fill('')
    await tab(page, /^Times/).click()
    await page.keyboard.press('Control+s')
    const subject = page.locator('#field-subject')
    await focused(subject)
    await page.getByRole('tab', { name: /^Incident.*1 error$/, selected: true }).waitFor()
    await expect.poll(() => tabOf(page)).toBe('number')
    expect(await stage.findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  test.each(widths)('axe finds nothing at $width px; on paper are all tabs', async (view) => {
    const page = await stage.signedIn('michael.brown', '/', view)
    await withTabs(page)
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${incident}?tab=assignment_group`)
    await page.getByLabel('Assignment group').waitFor()
    expect(await stage.findingsInThemes(page, 'tabs')).toEqual([])
    await page.emulateMedia({ media: 'print' })
    await page.locator('#field-subject').waitFor()
  })
})
