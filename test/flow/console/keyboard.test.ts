import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { focused, isFocusVisible, tabTo } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('by keyboard alone (issue 13)', () => {
  const stage = consoleStage()

  test('from signing in to a saved record with a note: no pointer, and the focus is always to be seen', async () => {
    const sysId = await stage.makeIncident('Gyroscope by keys')
    const { user, password } = loginOf('michael.brown')
    const page = await stage.openBrowser()
    const key = async (...keys: readonly string[]): Promise<void> => {
      for (const each of keys) await page.keyboard.press(each)
    }
    await page.goto(`${stage.baseUrl}/console`)
    await page.getByRole('heading', { name: 'Sign in to Docket' }).waitFor()
    await tabTo(page, /User name/)
    await page.keyboard.type(user)
    await tabTo(page, /Password/)
    await page.keyboard.type(password)
    await key('Enter')
    await page.locator('main#page').waitFor()

    await page.getByRole('navigation').getByRole('link', { name: 'Incidents', exact: true }).waitFor()
    await stage.settled(page)
    await tabTo(page, /^\s*Incidents\s*$/)
    await expect.poll(() => page.evaluate(isFocusVisible)).toBe('visible')
    await key('Enter')
    await page.getByRole('grid').waitFor()
    await key('/')
    await focused(page.getByRole('searchbox'))
    await page.keyboard.type('gyroscope keys')
    await key('Enter')
    await page.getByText('1 record', { exact: true }).waitFor()

    // A condition: field, comparison, value.
    await key('Escape', 'f')
    await focused(page.getByPlaceholder('Find a field'))
    await page.keyboard.type('priority')
    await tabTo(page, /^Priority priority choice$/)
    await key('Enter')
    await tabTo(page, /^\s*Medium\s*$/)
    await expect.poll(() => page.evaluate(isFocusVisible)).toBe('visible')
    await key('Space')
    await tabTo(page, /^Apply$/)
    await key('Enter')
    await page.getByRole('button', { name: /^Priority is/ }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await stage.settled(page)

    await tabTo(page, /Gyroscope by keys/)
    await expect.poll(() => page.evaluate(isFocusVisible)).toBe('visible')
    await key('Enter')
    await page.getByRole('heading', { level: 1, name: /Gyroscope by keys/ }).waitFor()
    await page.locator('#field-subject').waitFor()
    await stage.settled(page)
    await tabTo(page, /^Subject/)
    await key('End')
    await page.keyboard.type(', saved')
    await key('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    await tabTo(page, /A note for colleagues/)
    await expect.poll(() => page.evaluate(isFocusVisible)).toBe('visible')
    await page.keyboard.type('Looked at the gyroscope')
    await key('Control+Enter')
    await page.getByRole('listitem').filter({ hasText: 'Looked at the gyroscope' }).waitFor()

    const [row] = await stage.docket.database.rows<{ subject: string }>(
      sql`select subject from docket.task where sys_id = ${sysId}`,
    )
    expect(row?.subject).toBe('Gyroscope by keys, saved')
  })

  test('a key works after a box was clicked: e opens the change of the selected records', async () => {
    await stage.makeIncident('Box clicked')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subject=Box clicked')
    await page.getByRole('row', { name: /Box clicked/ }).waitFor()
    await page
      .getByRole('row', { name: /Box clicked/ })
      .getByRole('checkbox')
      .click()
    await page.keyboard.press('e')
    await page.getByRole('dialog', { name: /^Change several/ }).waitFor()
  })
})
