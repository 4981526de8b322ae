import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { fillStorage, restoredTab } from '../../harness/closing-tab.ts'
import { consoleStage, type DemoUserName, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

/** All that the page stores in the browser. */
const storage = `JSON.stringify({ ...sessionStorage, ...localStorage })`

describe.skipIf(!hasChromium)('drafts (issue 13, 4)', () => {
  const stage = consoleStage()
  const addressOf = (sysId: string): string => `/t/itsm_incident/${sysId}`
  const stored = (page: Page): Promise<string> => page.evaluate<string>(storage)

  async function signInHere(page: Page, user: DemoUserName): Promise<void> {
    await page.locator('input[name=username]').fill(user)
    await page.locator('input[name=password]').fill(loginOf(user).password)
    await page.locator('input[name=password]').press('Enter')
    await page.locator('main#page').waitFor()
  }

  test('of a session that has ended come back for their user', async () => {
    const sysId = await stage.makeIncident('Ended session')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').fill('Typed by Michael')
    await page.locator('#composer').fill('Noted by Michael')
    await expect
      .poll(() => stored(page))
      .toMatch(/Typed by Michael.*Noted by Michael|Noted by Michael.*Typed by Michael/)
    await page.context().clearCookies()
    const next = await restoredTab(page)
    await signInHere(next, 'michael.brown')
    await expect.poll(() => next.locator('#field-subject').inputValue()).toBe('Typed by Michael')
    await expect.poll(() => next.locator('#composer').inputValue()).toBe('Noted by Michael')
  })

  test('of a session that has ended are removed when another user signs in at the same tab', async () => {
    const sysId = await stage.makeIncident('Next user')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').fill('Typed by Michael')
    await page.locator('#composer').fill('Noted by Michael')
    await expect
      .poll(() => stored(page))
      .toMatch(/Typed by Michael.*Noted by Michael|Noted by Michael.*Typed by Michael/)
    await page.context().clearCookies()
    const next = await restoredTab(page)
    await signInHere(next, 'anna.petrova')
    await next.locator('#composer').waitFor()
    await expect.poll(() => next.locator('#field-subject').inputValue()).toBe('Next user')
    await expect.poll(() => next.locator('#composer').inputValue()).toBe('')
    expect(await stored(next)).not.toContain('by Michael')
    expect(await next.content()).not.toContain('by Michael')
  })

  test('never have a password: no form edits one, and no page stores what is typed into such a field', async () => {
    const secret = 'Correct-Horse-7'
    const [user] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text as sys_id from docket."user" where user_name = 'john.smith'`,
    )
    const page = await stage.signedIn(admin, `/t/user/${user?.sys_id}`)
    for (const path of [`/t/user/${user?.sys_id}`, '/t/user/new']) {
      await page.goto(`${stage.baseUrl}/console${path}`)
      await page.locator('#form-fields input').first().waitFor()
      const others = page.getByText(/^All fields/)
      await others.click()
      await page.getByRole('region', { name: 'Other fields' }).waitFor()
      await stage.settled(page)
      const secrets = await page.evaluate(
        `[...document.querySelectorAll('[type=password], [id*=password]')].map(({ outerHTML }) => outerHTML)`,
      )
      expect({ path, secrets }).toEqual({ path, secrets: [] })
    }
    // The pages of the console with such fields: sign-in, signing in again, the own password.
    expect(await stored(page)).not.toContain(admin.password)
    await page.goto(`${stage.baseUrl}/console/me`)
    const fields = page.locator('input[type=password]')
    await fields.nth(1).waitFor()
    for (const field of await fields.all()) await field.fill(secret)
    await stage.settled(page)
    expect(await stored(page)).not.toContain(secret)
    await page.context().clearCookies()
    await page.goto(`${stage.baseUrl}/console/me`)
    await page.locator('input[name=username]').fill(admin.user)
    await page.locator('input[name=password]').fill(secret)
    await page.locator('input[name=password]').press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await stored(page)).not.toContain(secret)
  })

  test('end when the user discards what was typed', async () => {
    const sysId = await stage.makeIncident('Discarded')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').fill('Never saved')
    await expect.poll(() => stored(page)).toContain('Never saved')
    await page.getByRole('link', { name: 'Back to Incidents' }).click()
    await page.getByRole('button', { name: 'Discard and leave' }).click()
    await page.getByRole('grid').waitFor()
    expect(await stored(page)).not.toContain('Never saved')
    await page.goBack()
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Discarded')
  })

  test('that were discarded come back by Undo, while the form is in the page', async () => {
    const sysId = await stage.makeIncident('Discarded by mistake')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    const subject = page.locator('#field-subject')
    const discard = page.getByRole('button', { name: 'Discard', exact: true })
    const undo = page.getByRole('button', { name: 'Undo', exact: true })
    await subject.fill('Typed for long')
    await discard.click()
    expect(await subject.inputValue()).toBe('Discarded by mistake')
    await page.locator('#field-description').fill('Typed since')
    // A colleague changes the same field meanwhile: what comes back does not overwrite it silently.
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('anna.petrova'),
      body: { subject: 'Changed by a colleague' },
    })
    await page
      .getByText(/^Анна Петрова/)
      .first()
      .waitFor()
    await undo.click()
    expect(await subject.inputValue()).toBe('Typed for long')
    expect(await page.locator('#field-description').inputValue()).toBe('Typed since')
    await expect.poll(() => stored(page)).toContain('Typed for long')
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Changed by a colleague').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await discard.click()
    await page.getByText('Discarded.', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Back to Incidents' }).click()
    await page.getByRole('grid').waitFor()
    expect(await undo.count()).toBe(0)
  })

  test('that are larger than the storage of the browser do not harm the form: what was typed is saved', async () => {
    const sysId = await stage.makeIncident('Much text')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    const field = page.locator('#field-description')
    await field.fill('Little text')
    await expect.poll(() => stored(page)).toContain('Little text')
    await page.evaluate(fillStorage)
    const much = 'Much text. '.repeat(1_000)
    await field.fill(much)
    await expect.poll(() => stored(page)).not.toContain('Little text')
    await expect.poll(() => field.inputValue()).toBe(much)
    await field.fill('As much as fits')
    await expect.poll(() => stored(page)).toContain('As much as fits')
    await field.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
  })

  test('of a record that is created from a field are not those of the new record below', async () => {
    const page = await stage.signedIn(admin, '/t/user/new')
    await page.locator('#field-last_name').fill('Below')
    await page.locator('#field-manager').click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New record for: Manager' }).press('Enter')
    const name = page.locator('#target-last_name')
    await name.waitFor()
    await expect.poll(() => name.inputValue()).toBe('')
    await name.fill('Above')
    await page.keyboard.press('Escape')
    await name.waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('#field-last_name').inputValue()).toBe('Below')
    await expect.poll(() => stored(page)).toMatch(/Below.*Above|Above.*Below/)
  })
})
