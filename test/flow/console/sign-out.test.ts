import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

/** Signing out when the server cannot be reached, or when the session has ended already (issue 13, 4). */
describe.skipIf(!hasChromium)('signing out', () => {
  const stage = consoleStage({ proxy: true })
  const stored = (page: Page): Promise<string> =>
    page.evaluate(`JSON.stringify({ ...sessionStorage, ...localStorage })`)

  async function formWithDrafts(): Promise<Page> {
    const sysId = await stage.makeIncident('Typed before signing out')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.locator('#field-subject').fill('Never saved')
    await page.locator('#composer').fill('Never sent')
    await expect.poll(() => stored(page)).toMatch(/Never saved.*Never sent|Never sent.*Never saved/)
    return page
  }

  /** @returns the item of the menu that signs out */
  async function signOutItem(page: Page): Promise<Locator> {
    await page.getByRole('navigation').getByRole('button', { name: 'Michael Brown' }).click()
    const item = page.getByRole('menuitem', { name: 'Sign out' })
    await item.waitFor()
    return item
  }

  async function hasNothing(page: Page): Promise<void> {
    await expect.poll(() => stored(page)).toBe('{}')
    expect(await page.content()).not.toMatch(/Never s|Typed before/)
  }

  test('without a connection, every tab says that the session goes on, keeps nothing, and tries again', async () => {
    const form = await formWithDrafts()
    const list = await form.context().newPage()
    await list.goto(`${stage.baseUrl}/console/t/itsm_incident?q=subject%3DTyped%20before%20signing%20out`)
    await list.getByRole('grid').getByText('Typed before signing out').first().waitFor()
    stage.proxy.kill()
    await (await signOutItem(list)).click()
    for (const tab of [list, form]) {
      await tab.getByRole('heading', { name: 'You are not signed out yet' }).waitFor()
      await tab.getByRole('alert').getByText('The server cannot be reached.').waitFor()
      await tab.getByText('This browser keeps nothing of your work, but your session goes on.').waitFor()
      await hasNothing(tab)
    }
    expect(await stage.findings(list)).toEqual([])
    await stage.picture(list, 'not-signed-out')
    stage.proxy.heal()
    await list.getByRole('button', { name: /^Try again/ }).click()
    for (const tab of [list, form]) {
      await tab.locator('input[name=password]').waitFor()
      await hasNothing(tab)
    }
    await form.goto(`${stage.baseUrl}/console/t/itsm_incident`)
    await form.locator('input[name=username]').waitFor()
  })

  test('after the session has ended, it leads to the sign-in page and clears drafts', async () => {
    const form = await formWithDrafts()
    // A request of the page that meets the end of the session first would open a dialog over the menu.
    await form.route(/\/rest\/v1\//, () => undefined)
    const item = await signOutItem(form)
    await form.context().clearCookies()
    await item.click()
    await form.getByRole('button', { name: 'Discard and leave' }).click()
    await form.locator('input[name=username]:not([readonly])').waitFor()
    await hasNothing(form)
    await form.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('a form asks first if something in it is not saved or not sent, in the menu and in the palette', async () => {
    const form = await formWithDrafts()
    const dialog = form.getByRole('dialog', { name: 'Leave without saving?' })
    await (await signOutItem(form)).click()
    await dialog.getByText('Your changes are not saved.').waitFor()
    expect(await stage.findings(form)).toEqual([])
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await form.locator('#field-subject').inputValue()).toBe('Never saved')
    await form.keyboard.press('Control+s')
    await form.getByText('Saved.', { exact: true }).waitFor()
    // The note is still not sent.
    await form.keyboard.press('Control+k')
    await form.keyboard.type('Sign out')
    await form.getByRole('option', { name: 'Sign out' }).click()
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    expect(await form.locator('#composer').inputValue()).toBe('Never sent')
    await form.locator('#composer').fill('')
    // With nothing to lose, nothing is asked.
    await (await signOutItem(form)).click()
    await form.locator('input[name=username]:not([readonly])').waitFor()
    await hasNothing(form)
  })

  test('where the page asks to sign in again, the user can sign out instead', async () => {
    const form = await formWithDrafts()
    await form.context().clearCookies()
    await form.locator('#field-subject').press('Control+s')
    const dialog = form.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(await stage.findings(form)).toEqual([])
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    await form.locator('input[name=username]:not([readonly])').waitFor()
    await hasNothing(form)
  })
})
