import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('an agent works through a queue (issue 13)', () => {
  const stage = consoleStage()
  const assigned = async (sysId: string): Promise<unknown> => {
    const path = `/rest/v1/table/itsm_incident/${sysId}?sysparm_fields=assigned_user&sysparm_display_value=1&sysparm_exclude_reference_link=1`
    const { body } = await stage.docket.request('GET', path, { as: loginOf('michael.brown') })
    return (body as { data: { assigned_user: unknown }[] }).data[0]?.assigned_user
  }
  const queueOf = async (word: string): Promise<string> => {
    for (const number of [1, 2, 3]) await stage.makeIncident(`${word} ${number}`)
    return `/t/itsm_incident?q=subjectSTARTSWITH${word}^ORDERBYsubject`
  }

  test('from record to record by keyboard; back leads to the same list', async () => {
    const queue = await queueOf('Queue')
    const page = await stage.signedIn('michael.brown', queue)
    await page.getByRole('row', { name: /Queue 1/ }).press('Enter')
    await page.getByRole('heading', { level: 1, name: /Queue 1/ }).waitFor()
    await page.getByText('1 of 3', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Previous record' }).isDisabled()).toBe(true)
    await page.keyboard.press('Alt+PageDown')
    await page.getByRole('heading', { level: 1, name: /Queue 2/ }).waitFor()
    // In a field as well: the field keeps what is typed until it is saved or discarded.
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Queue 2')
    await page.locator('#field-subject').press('Alt+PageDown')
    await page.getByRole('heading', { level: 1, name: /Queue 3/ }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Next record' }).isDisabled()).toBe(true)
    expect(await stage.findings(page)).toEqual([])
    await page.getByRole('link', { name: 'Back to Incidents' }).press('Enter')
    await page.getByRole('row', { name: /Queue 2/ }).waitFor()
    await expect.poll(() => page.url()).toBe(`${stage.baseUrl}/console${queue}`)
    // The focus is on the row of the record that was open last, so that the keys go on from there.
    await expect.poll(() => page.locator('[data-record]:focus').textContent()).toContain('Queue 3')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /Queue 2/ }).waitFor()
    await page.goBack()
    await expect.poll(() => page.locator('[data-record]:focus').textContent()).toContain('Queue 2')
  })

  test('a ticket is taken with one button, and Ctrl+Z gives it back', async () => {
    const sysId = await stage.makeIncident('Taken', { assigned_user: '' })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.getByRole('button', { name: 'Assign to me' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await assigned(sysId)).toBe('Michael Brown')
    await expect.poll(() => page.getByRole('button', { name: 'Assign to me' }).count()).toBe(0)
    // It is offered when the server has said that the user may take it back.
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
    await page.locator('#page').press('Control+z')
    await page.getByText('Undone.', { exact: true }).waitFor()
    expect(await assigned(sysId)).toBe(null)
  })

  test('Ctrl+K leads to lists, filters and records; nobody finds what they may not read', async () => {
    await stage.makeIncident('Palette spectrograph')
    const page = await stage.signedIn('michael.brown')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Go to' })
    await field.fill('open inc')
    await page.getByRole('option', { name: /Open incidents/ }).waitFor()
    await field.fill('spectrograph')
    await page.getByRole('option', { name: /Palette spectrograph/, selected: true }).waitFor()
    expect(await stage.findings(page)).toEqual([])
    await field.press('Enter')
    await page.getByRole('heading', { level: 1, name: /Palette spectrograph/ }).waitFor()

    const caller = await stage.signedIn('john.smith')
    await caller.getByRole('button', { name: /^Go to/ }).click()
    await caller.getByRole('combobox', { name: 'Go to' }).fill('spectrograph')
    await caller.getByText('Nothing found.').waitFor()
    await caller.getByRole('combobox', { name: 'Go to' }).fill('home')
    await caller.getByRole('option', { name: 'Home' }).waitFor()
    await caller.getByText('Nothing found.').waitFor({ state: 'detached' })
    await caller.getByRole('combobox', { name: 'Go to' }).fill('sys_')
    await caller.getByText('Nothing found.').waitFor()
  })

  test('on a phone the activity is one tap away, and a change anywhere is saved without scrolling back', async () => {
    const sysId = await stage.makeIncident('Phone')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`, { width: 390 })
    await page.getByRole('button', { name: 'Activity' }).click()
    const isComposerVisible = async (): Promise<boolean> => {
      const { y = 900, height = 0 } = (await page.locator('#composer').boundingBox()) ?? {}
      return y >= 0 && y + height <= 900
    }
    await expect.poll(isComposerVisible).toBe(true)
    const bar = page.getByRole('button', { name: 'Menu' })
    await expect.poll(async () => (await bar.boundingBox())?.y).toBeGreaterThanOrEqual(0)
    await page.getByRole('combobox', { name: 'Severity' }).selectOption({ index: 1 })
    const save = page.getByRole('button', { name: 'Save', exact: true })
    const isSaveVisible = async (): Promise<boolean> => {
      const box = await save.boundingBox()
      return box !== null && box.y > 0 && box.y + box.height <= 900
    }
    await expect.poll(isSaveVisible).toBe(true)
    expect(await stage.findings(page)).toEqual([])
    await save.click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    // The page scrolls, the document does not.
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900)
  })
})
