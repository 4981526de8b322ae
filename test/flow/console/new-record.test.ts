import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { restoredTab } from '../../harness/closing-tab.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

const creates = /^POST \/rest\/v1\/table\/itsm_incident/

describe.skipIf(!hasChromium)('the form of a new record (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const field = (page: Page, name: string): Locator => page.locator(`#field-${name}`)
  const create = (page: Page): Promise<void> => page.getByRole('button', { name: 'Create', exact: true }).click()
  const storedWith = (subject: string): Promise<readonly unknown[]> =>
    stage.docket.database.rows(
      sql`select subject, urgency from docket.task where subject like ${`${subject}%`} order by subject`,
    )
  const unreachable = (page: Page): Locator =>
    page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' })

  test('is created without a request for a record named "new"', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new')
    const read: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'GET') read.push(new URL(request.url()).pathname)
    })
    await field(page, 'subject').fill('Created, and read by its number')
    await create(page)
    await page.waitForURL(/\/itsm_incident\/\d+$/)
    await page.getByRole('button', { name: 'Copy link' }).waitFor()
    await stage.settled(page)
    expect(read.filter((path) => path.endsWith('/itsm_incident/new'))).toEqual([])
  })

  describe('whose response is lost with its tab', () => {
    /** The columns are changed in another order than a draft has them. */
    async function lost(subject: string): Promise<Page> {
      const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new?set=urgency=1')
      await field(page, 'subject').fill(subject)
      await field(page, 'urgency').selectOption('2')
      stage.proxy.fail(creates, { kind: 'cut-after' })
      await create(page)
      await unreachable(page).waitFor()
      stage.proxy.heal()
      const next = await restoredTab(page)
      // A tab whose storage is empty would be restored once more by its next page.
      await next.evaluate(`sessionStorage.setItem('restored', '')`)
      await expect.poll(() => field(next, 'subject').inputValue()).toBe(subject)
      await expect.poll(() => field(next, 'urgency').inputValue()).toBe('2')
      return next
    }

    test('makes one record when what comes back is sent again', async () => {
      const page = await lost('Created once')
      await create(page)
      await page.waitForURL(/\/itsm_incident\/\d+$/)
      await page.getByRole('heading', { level: 1, name: 'Created once' }).waitFor()
      expect(await storedWith('Created once')).toEqual([{ subject: 'Created once', urgency: '2' }])
      // The next one is another record, though it begins the same way and gets the same values.
      await page.goto(`${stage.baseUrl}/console/t/itsm_incident/new?set=urgency=1`)
      await field(page, 'subject').fill('Created once')
      await field(page, 'urgency').selectOption('2')
      await create(page)
      await page.waitForURL(/\/itsm_incident\/\d+$/)
      expect(await storedWith('Created once')).toHaveLength(2)
    })

    test('is sent as another request when it has been changed', async () => {
      const page = await lost('Created and changed')
      await field(page, 'subject').fill('Created and changed, later')
      await create(page)
      await page.waitForURL(/\/itsm_incident\/\d+$/)
      await page.getByRole('heading', { level: 1, name: 'Created and changed, later' }).waitFor()
    })
  })

  test('makes another record after it was discarded, with the same values, too', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new')
    await field(page, 'subject').fill('Created, discarded')
    stage.proxy.fail(creates, { kind: 'cut-after' })
    await create(page)
    await unreachable(page).waitFor()
    stage.proxy.heal()
    await page.getByRole('link', { name: 'Back to Incidents' }).click()
    await page.getByRole('button', { name: 'Discard and leave' }).click()
    await page.getByRole('grid').waitFor()
    await page.getByRole('link', { name: 'New', exact: true }).click()
    await field(page, 'subject').fill('Created, discarded')
    await create(page)
    await page.waitForURL(/\/itsm_incident\/\d+$/)
    expect(await storedWith('Created, discarded')).toHaveLength(2)
  })

  test('has the values of its address when another one of the same table is opened, and asks before it loses what is typed', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new?set=urgency=1^subject=Of the address')
    await expect.poll(() => field(page, 'subject').inputValue()).toBe('Of the address')
    await field(page, 'description').fill('Typed into the first')
    const leave = page.getByRole('dialog', { name: 'Leave without saving?' })
    const another = async (): Promise<void> => {
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('combobox', { name: 'Go to' })
      await palette.fill('New Incident')
      await page.getByRole('option', { name: /^New: Incidents/ }).click()
    }
    await another()
    await leave.getByRole('button', { name: 'Keep editing' }).click()
    await leave.waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('set')).toBe('urgency=1^subject=Of the address')
    expect(await field(page, 'description').inputValue()).toBe('Typed into the first')
    await another()
    await leave.getByRole('button', { name: 'Discard and leave' }).click()
    await expect.poll(() => field(page, 'subject').inputValue()).toBe('')
    expect(await field(page, 'description').inputValue()).toBe('')
    expect(new URL(page.url()).search).toBe('')
    await focused(page.locator('#form-fields :is(input, select, textarea)').first())
    // Nothing is typed in the second one: nothing asks.
    await page.goBack()
    await expect.poll(() => field(page, 'subject').inputValue()).toBe('Of the address')
    await expect.poll(() => field(page, 'urgency').inputValue()).toBe('1')
    expect(await field(page, 'description').inputValue()).toBe('')
  })
})
