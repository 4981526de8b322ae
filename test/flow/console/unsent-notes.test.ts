import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { asksBeforeClosing, fillStorage, restoredTab } from '../../harness/closing-tab.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { holdResponse } from '../../harness/held-response.ts'

const sending = /\/rest\/v1\/bulk\/itsm_incident/

describe.skipIf(!hasChromium)('a note that is typed and not sent is not lost (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const addressOf = (sysId: string): string => `/t/itsm_incident/${sysId}`
  const notesOf = (sysId: string): Promise<readonly unknown[]> =>
    stage.docket.database.rows(sql`select value from docket.sys_journal_entry where record_id = ${sysId}`)
  const textOf = (page: Page): Promise<string> => page.locator('#composer').inputValue()
  const stored = (page: Page): Promise<string> => page.evaluate<string>('JSON.stringify({ ...sessionStorage })')

  async function leave(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Back to Incidents' }).click()
    await page.getByRole('grid').waitFor()
  }

  async function openAgain(page: Page): Promise<void> {
    await page.goBack()
    await page.locator('#composer').waitFor()
  }

  test('it comes back with its record, and closing the tab asks wherever the tab is by then', async () => {
    const sysId = await stage.makeIncident('Note and tab')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#composer').waitFor()
    expect(await asksBeforeClosing(page)).toBe(false)
    await page.locator('#composer').fill('Not sent yet')
    expect(await asksBeforeClosing(page)).toBe(true)
    await leave(page)
    expect(await asksBeforeClosing(page)).toBe(true)
    const next = await restoredTab(page)
    await next.getByRole('grid').waitFor()
    expect(await asksBeforeClosing(next)).toBe(true)
    // The same record as one of its parent table. The browser asks before it leaves the page.
    next.removeAllListeners('dialog')
    next.on('dialog', (dialog) => void dialog.accept())
    await next.goto(`${stage.baseUrl}/console/t/task/${sysId}`)
    await expect.poll(() => textOf(next)).toBe('Not sent yet')
    await next.locator('#composer').press('Control+Enter')
    await next.getByRole('listitem').filter({ hasText: 'Not sent yet' }).waitFor()
    await expect.poll(() => textOf(next)).toBe('')
    expect(await asksBeforeClosing(next)).toBe(false)
    expect(await stored(next)).not.toContain('Not sent yet')
  })

  test('it ends when its text is removed', async () => {
    const sysId = await stage.makeIncident('Note and nothing')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#composer').fill('Not worth it')
    expect(await stored(page)).toContain('Not worth it')
    await page.locator('#composer').fill('')
    expect(await asksBeforeClosing(page)).toBe(false)
    expect(await stored(page)).not.toContain('note.')
  })

  async function leftWhileSending(text: string) {
    const sysId = await stage.makeIncident('Note on its way')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    const response = await holdResponse(page, 'POST', sending)
    await page.locator('#composer').fill(text)
    await page.locator('#composer').press('Control+Enter')
    await response.arrived
    await leave(page)
    return { sysId, page, response }
  }

  test('a note that was sent while its form was left does not come back', async () => {
    const { page, response } = await leftWhileSending('Sent and left')
    response.release()
    await expect.poll(() => stored(page)).not.toContain('Sent and left')
    await openAgain(page)
    await page.getByRole('listitem').filter({ hasText: 'Sent and left' }).waitFor()
    expect(await textOf(page)).toBe('')
  })

  test('it leaves the field of a form that was opened again while it was being sent', async () => {
    const { sysId, page, response } = await leftWhileSending('Sent and back')
    await openAgain(page)
    await expect.poll(() => textOf(page)).toBe('Sent and back')
    response.release()
    await expect.poll(() => textOf(page)).toBe('')
    expect(await notesOf(sysId)).toEqual([{ value: 'Sent and back' }])
  })

  test('a note whose response is lost with its tab is one note when it is sent again', async () => {
    const sysId = await stage.makeIncident('Note and crash')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    stage.proxy.fail(sending, { kind: 'cut-after' })
    await page.locator('#composer').fill('Written once')
    await page.locator('#composer').press('Control+Enter')
    await page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' }).waitFor()
    stage.proxy.heal()
    const next = await restoredTab(page)
    await expect.poll(() => textOf(next)).toBe('Written once')
    await next.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.poll(() => textOf(next)).toBe('')
    expect(await notesOf(sysId)).toEqual([{ value: 'Written once' }])
  })

  test('a note that cannot be sent says so when its form was left, and waits there', async () => {
    const sysId = await stage.makeIncident('Note and error')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    await page.locator('#composer').fill('Never arrived')
    stage.proxy.fail(sending, { kind: 'hold' })
    await page.locator('#composer').press('Control+Enter')
    await expect.poll(() => stage.proxy.met(sending)).toBe(1)
    await leave(page)
    stage.proxy.kill()
    await page
      .getByRole('status')
      .getByText(/what you wrote is not sent\. It is kept in the record\. The server cannot be reached\./)
      .waitFor()
    stage.proxy.heal()
    await openAgain(page)
    await expect.poll(() => textOf(page)).toBe('Never arrived')
  })

  test('a text that is larger than the storage of the browser stays in the page when its form is left', async () => {
    const sysId = await stage.makeIncident('Note and storage')
    const page = await stage.signedIn('michael.brown', addressOf(sysId))
    const much = 'Much text. '.repeat(1_000)
    await page.locator('#composer').waitFor()
    await page.evaluate(fillStorage)
    await page.locator('#composer').fill(much)
    expect(await stored(page)).not.toContain('Much text.')
    await leave(page)
    expect(await asksBeforeClosing(page)).toBe(true)
    await openAgain(page)
    expect((await textOf(page)).length).toBe(much.length)
    await page.locator('#composer').fill('')
  })
})
