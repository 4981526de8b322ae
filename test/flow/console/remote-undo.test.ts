import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('undo after the change of a colleague (issue 13)', () => {
  const stage = consoleStage()
  const addressOf = (sysId: string): string => `/t/itsm_incident/${sysId}`
  const change = async (sysId: string, body: object): Promise<void> => {
    const as = loginOf('anna.petrova')
    const { status } = await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, { as, body })
    expect(status).toBe(200)
  }
  const stored = async (sysId: string): Promise<unknown> => {
    const path = `/rest/v1/table/itsm_incident/${sysId}?sysparm_fields=subject,description,urgency`
    const { body } = await stage.docket.request('GET', path, { as: loginOf('michael.brown') })
    return (body as { data: unknown[] }).data[0]
  }
  const undo = (page: Page): Locator => page.getByRole('button', { name: 'Undo', exact: true })

  /** A form whose subject was changed and saved. Undo is offered. */
  async function saved(sysId: string, subject: string): Promise<Page> {
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#field-subject').fill(subject)
    await page.locator('#field-subject').press('Control+s')
    // The message stays while its button has the focus.
    await undo(page).focus()
    return page
  }

  test('another field: undo writes the old value, keeps the change, and says so', async () => {
    const sysId = await stage.makeIncident('Undo beside', { urgency: '3' })
    const page = await saved(sysId, 'Undo beside, saved')
    await change(sysId, { urgency: '1' })
    await page.getByText(/has changed: Urgency/).waitFor()
    await undo(page).click()
    await page.getByText(/^Undone\. Meanwhile: Анна Петрова: Urgency: /).waitFor()
    expect(await stored(sysId)).toMatchObject({ subject: 'Undo beside', urgency: '1' })
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Undo beside')
    await expect.poll(() => page.locator('#field-urgency').inputValue()).toBe('1')
  })

  test('the same field: the user decides, and nothing is written before', async () => {
    const sysId = await stage.makeIncident('Undo over')
    const page = await saved(sysId, 'Undo over, saved')
    await change(sysId, { subject: 'Undo over, theirs' })
    await page.getByText(/has changed: Subject/).waitFor()
    await undo(page).click()
    const dialog = page.getByRole('dialog', { name: 'Changed by two people' })
    await dialog.getByText('Before: Undo over, saved').waitFor()
    expect(await stored(sysId)).toMatchObject({ subject: 'Undo over, theirs' })
    expect(await stage.findings(page)).toEqual([])
    await dialog.getByRole('radio', { name: /^Mine/ }).check()
    await dialog.getByRole('button', { name: 'Save this' }).click()
    await page.getByText('Undone.', { exact: true }).waitFor()
    expect(await stored(sysId)).toMatchObject({ subject: 'Undo over' })
  })

  test('what was typed since stays, and does not overwrite what the colleague wrote into the same field', async () => {
    const sysId = await stage.makeIncident('Undo below', { description: 'At first' })
    const page = await saved(sysId, 'Undo below, saved')
    await page.locator('#field-description').fill('Mine')
    await undo(page).focus()
    await change(sysId, { description: 'Theirs' })
    await page.getByText(/has changed: Description/).waitFor()
    await undo(page).click()
    await page.getByText(/^Undone\. Meanwhile: Анна Петрова: Description: Theirs/).waitFor()
    expect(await page.locator('#field-description').inputValue()).toBe('Mine')
    await page.locator('#field-description').press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Changed by two people' })
    await dialog.getByRole('group', { name: 'Description' }).getByText('Before: At first').waitFor()
    expect(await stored(sysId)).toMatchObject({ subject: 'Undo below', description: 'Theirs' })
    await dialog.getByRole('radio', { name: /^Mine/ }).check()
    await dialog.getByRole('button', { name: 'Save this' }).click()
    await expect.poll(() => stored(sysId)).toMatchObject({ subject: 'Undo below', description: 'Mine' })
  })

  test('after an error, another attempt is an undo again, and no save', async () => {
    const sysId = await stage.makeIncident('Undo twice')
    const page = await saved(sysId, 'Undo twice, saved')
    const isRecord = (url: URL): boolean => url.pathname.endsWith(sysId)
    await page.route(isRecord, (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 502 }) : route.fallback(),
    )
    await undo(page).click()
    const banner = page.getByRole('alert').filter({ hasText: 'not available' })
    await banner.getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute(isRecord)
    await banner.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Undone.', { exact: true }).waitFor()
    expect(await stored(sysId)).toMatchObject({ subject: 'Undo twice' })
  })

  test('from the list that was opened meanwhile: undo works, and reports what prevents it', async () => {
    const [one, other] = [await stage.makeIncident('Undo left'), await stage.makeIncident('Undo met')]
    for (const sysId of [one, other]) {
      const page = await saved(sysId, 'Undo, saved')
      await page.getByRole('link', { name: 'Back to Incidents' }).dispatchEvent('click')
      await page.getByRole('grid').waitFor()
      await undo(page).focus()
      if (sysId === other) await change(sysId, { subject: 'Undo, theirs' })
      await undo(page).click()
      const message =
        sysId === one ? 'Undone.' : 'Not undone: Анна Петрова has changed the record since. Open it to decide.'
      await page.getByText(message, { exact: true }).waitFor()
    }
    expect(await stored(one)).toMatchObject({ subject: 'Undo left' })
    expect(await stored(other)).toMatchObject({ subject: 'Undo, theirs' })
  })
})
