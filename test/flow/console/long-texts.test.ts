import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

const long = `${'x'.repeat(256)}${'😀'.repeat(4)}`
const message = 'At most 255 characters; this has 260.'

describe.skipIf(!hasChromium)('a text that is too long is never cut without a message (issue 13)', () => {
  const stage = consoleStage()
  const subjects = (word: string): Promise<readonly unknown[]> =>
    stage.docket.database.rows(sql`select subject from docket.task where subject like ${`${word}%`} order by number`)

  test('in a cell: it stays with the limit, and nothing is sent until it fits', async () => {
    await stage.makeIncident('Long cell')
    const page = await stage.signedIn(
      'michael.brown',
      '/t/itsm_incident?q=subjectSTARTSWITHLong cell&cols=number,subject',
    )
    await page.locator('[data-record]').waitFor()
    await stage.settled(page)
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
    await page.locator('[data-record]').getByRole('gridcell').nth(2).dblclick()
    const field = page.getByRole('grid').getByRole('textbox', { name: 'Subject' })
    await focused(field)
    await field.press('Control+a')
    await page.keyboard.insertText(long)
    const alert = page.getByRole('grid').getByRole('alert')
    await alert.getByText(message, { exact: true }).waitFor()
    expect(await field.inputValue()).toBe(long)
    expect(await field.getAttribute('aria-describedby')).toBe(await alert.getAttribute('id'))
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'long-cell')
    await field.press('Enter')
    await focused(field)
    expect(await field.inputValue()).toBe(long)
    expect(sent).toEqual([])
    await field.fill('Long cell that fits')
    await alert.waitFor({ state: 'detached' })
    await field.press('Enter')
    await expect.poll(() => subjects('Long cell')).toEqual([{ subject: 'Long cell that fits' }])
  })

  test('in a change of many records: the change waits until it fits', async () => {
    await stage.makeIncident('Long bulk')
    const page = await stage.signedIn(
      'michael.brown',
      '/t/itsm_incident?q=subjectSTARTSWITHLong bulk&cols=number,subject',
    )
    await page.locator('[data-record]').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Add a field to change').selectOption({ label: 'Subject' })
    const field = dialog.getByRole('textbox', { name: 'Subject' })
    await field.click()
    await page.keyboard.insertText(long)
    await dialog.getByRole('alert').getByText(message, { exact: true }).waitFor()
    expect(await field.inputValue()).toBe(long)
    await expect.poll(() => dialog.getByRole('button', { name: 'Check', exact: true }).isDisabled()).toBe(true)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'long-bulk')
    await field.fill('Long bulk that fits')
    await dialog.getByRole('button', { name: 'Check', exact: true }).click()
    await dialog.getByText('1 record would change.').waitFor()
  })

  test('in names and words that are searched', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true')
    await page.getByRole('button', { name: 'Save filter' }).click()
    const title = page.getByLabel('Save as a new filter')
    await title.fill(long)
    await page.getByRole('alert').getByText(message, { exact: true }).waitFor()
    expect(await title.inputValue()).toBe(long)
    await page.goto(`${stage.baseUrl}/console/me`)
    const name = page.getByLabel('Name of the key')
    await name.fill(long)
    await page.getByRole('alert').getByText('At most 100 characters; this has 260.', { exact: true }).waitFor()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'long-key-name')
    await page.goto(`${stage.baseUrl}/console/search`)
    const words = page.locator('#search-words')
    await words.fill('word '.repeat(300))
    await page.getByRole('alert').getByText('At most 1000 characters; this has 1499.', { exact: true }).waitFor()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'long-words')
    await words.fill('printer')
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('printer')
  })
})
