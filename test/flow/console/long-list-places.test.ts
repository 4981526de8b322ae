import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('places in lists of more than 10,000 records (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const records = 10_150
  const address = '/t/company?q=nameSTARTSWITHPlace^ORDERBYname&cols=name'
  const byCursor = /^GET \/rest\/v1\/table\/company\?.*sysparm_cursor=/
  const counting = /^GET \/rest\/v1\/table\/company\?(?!.*sysparm_no_count)/

  const addCompanies = (): Promise<unknown> =>
    stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name)
      select docket_system.new_sys_id(), 'Place ' || lpad(n::text, 5, '0') from generate_series(1, ${records}::int) as n
      where not exists (select from docket.company where name = 'Place 00001')`)
  const row = (page: Page, number: number) =>
    page.getByRole('row', { name: new RegExp(`Place ${String(number).padStart(5, '0')}`) })
  const parts = (page: Page) => page.getByRole('group', { name: 'Parts of the list' })
  const says = (page: Page, text: string) => parts(page).getByText(text, { exact: true })
  const scrollTo = (page: Page, index: number): Promise<unknown> =>
    page.evaluate(`{
      const grid = document.querySelector('[role=grid]')
      grid.parentElement.scrollTop = ${index} * grid.querySelector('[data-record]').offsetHeight
    }`)
  const yOf = async (page: Page, number: number): Promise<number | undefined> =>
    (await row(page, number).boundingBox())?.y

  async function open(): Promise<Page> {
    await addCompanies()
    const page = await stage.signedIn('michael.brown', address)
    await row(page, 1).waitFor()
    await says(page, 'Records 1 to 100').waitFor()
    // The page of the server has the same rows until the console has taken its place.
    await stage.settled(page)
    return page
  }

  test('rows that are read before those in view do not move them', async () => {
    const page = await open()
    await row(page, 1).press('End')
    await focused(row(page, records))
    await says(page, 'The last 100 records').waitFor()
    await stage.settled(page)
    stage.proxy.fail(byCursor, { kind: 'hold' })
    await scrollTo(page, 20)
    await row(page, records - 70).waitFor()
    await expect.poll(() => stage.proxy.met(byCursor)).toBeGreaterThan(0)
    const before = await yOf(page, records - 70)
    stage.proxy.heal()
    await says(page, 'The last 200 records').waitFor()
    await expect.poll(() => yOf(page, records - 70)).toBe(before)
    await focused(row(page, records))
    await stage.picture(page, 'long-list-last')
  })

  test('rows do not wait for the number, and do not move when it comes', async () => {
    await addCompanies()
    const page = await stage.signedIn('michael.brown', '/me')
    stage.proxy.fail(counting, { kind: 'hold' })
    // A page that the server makes may come with the number, so the list is opened within the console.
    await page.evaluate(
      `history.pushState({}, '', ${JSON.stringify(`/console${address}`)}); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await row(page, 1).waitFor()
    await expect.poll(() => stage.proxy.met(counting)).toBeGreaterThan(0)
    await scrollTo(page, 90)
    await row(page, 110).waitFor()
    const before = await yOf(page, 100)
    stage.proxy.heal()
    await says(page, 'Records 1 to 200').waitFor()
    await expect.poll(() => yOf(page, 100)).toBe(before)
  })

  test('a range is selected over rows that were dropped, and "back" finds a place far down and one near the end', async () => {
    const page = await open()
    await row(page, 3).getByRole('checkbox').click()
    await page.getByText('1 selected', { exact: true }).waitFor()
    for (let reached = 100; reached < 2_400; reached += 100) {
      await scrollTo(page, reached)
      await says(page, `Records 1 to ${(reached + 100).toLocaleString('en')}`).waitFor()
    }
    await scrollTo(page, 2_300)
    await row(page, 2_310)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await page.getByText('2,308 selected', { exact: true }).waitFor()

    await row(page, 2_310).getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Place 02310' }).waitFor()
    await page.goBack()
    await focused(row(page, 2_310))
    await says(page, 'Records 1 to 2,400').waitFor()

    await parts(page).getByRole('button', { name: 'Last', exact: true }).click()
    await focused(row(page, records))
    await row(page, records - 3)
      .getByRole('link')
      .click()
    await page.getByRole('heading', { level: 1, name: `Place ${records - 3}` }).waitFor()
    await page.goBack()
    await focused(row(page, records - 3))
    await says(page, 'The last 100 records').waitFor()
  })
})
