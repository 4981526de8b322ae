import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

const secondBlock = /^GET \/rest\/v1\/table\/company\?.*sysparm_offset=99(&|$)/
const events = /^GET \/rest\/v1\/events/

describe.skipIf(!hasChromium)('rows that repeat or disappear between the blocks of a list (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const scrollTo = (page: Page, row: number): Promise<unknown> =>
    page.evaluate(`document.querySelector('[role=grid]').parentElement.scrollTop = ${row} * 33`)
  const names = (page: Page): Promise<readonly string[]> =>
    page.locator('[data-record] > [role=presentation] a').allInnerTexts()
  const report = (page: Page) => page.getByText('The list has changed while it was read.')

  /** A list of 180 companies whose second block waits. */
  async function firstBlockOf(word: string): Promise<Page> {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name)
      select docket_system.new_sys_id(), ${word}::text || ' ' || lpad(n::text, 5, '0') from generate_series(1, 180) as n`)
    stage.proxy.fail(secondBlock, { kind: 'hold' })
    // An event that arrives between the blocks would have the list read again.
    stage.proxy.fail(events, { kind: 'hold' })
    const page = await stage.signedIn('michael.brown', `/t/company?q=nameSTARTSWITH${word}^ORDERBYname&cols=name`)
    await page.getByRole('row', { name: new RegExp(`${word} 00001`) }).waitFor()
    await page.locator('#root').getByText('180 records', { exact: true }).waitFor()
    return page
  }

  async function insert(word: string, name: string): Promise<void> {
    const made = await stage.docket.request('POST', '/rest/v1/table/company', {
      as: admin,
      body: { name: `${word} ${name}` },
    })
    expect(made.status).toBeLessThan(300)
  }

  async function remove(name: string): Promise<void> {
    const [row] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id from docket.company where name = ${name}`,
    )
    const { status } = await stage.docket.request('DELETE', `/rest/v1/table/company/${row?.sys_id}`, { as: admin })
    expect(status).toBeLessThan(300)
  }

  test('a row that comes twice is displayed once, and the list offers to be read again', async () => {
    const page = await firstBlockOf('Twice')
    await scrollTo(page, 80)
    await expect.poll(() => stage.proxy.met(secondBlock)).toBeGreaterThan(0)
    expect(await report(page).count()).toBe(0)
    // Before the first row: row 100 of the first block becomes row 101.
    await insert('Twice', '00000')
    stage.proxy.heal(secondBlock)
    await page.getByRole('row', { name: /Twice 00101/ }).waitFor()
    await report(page).waitFor()
    expect(await page.getByRole('row', { name: /Twice 00100/ }).count()).toBe(1)
    const displayed = await names(page)
    expect(new Set(displayed).size).toBe(displayed.length)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'list-shifted')
    await page.getByRole('button', { name: 'Read again' }).click()
    await report(page).waitFor({ state: 'detached' })
    await page.locator('#root').getByText('181 records', { exact: true }).waitFor()
    await scrollTo(page, 0)
    await page.getByRole('row', { name: /Twice 00000/ }).waitFor()
  })

  test('rows that are left out are reported, and are there when the list is read again', async () => {
    const page = await firstBlockOf('Gone')
    await scrollTo(page, 80)
    await expect.poll(() => stage.proxy.met(secondBlock)).toBeGreaterThan(0)
    await remove('Gone 00005')
    await remove('Gone 00007')
    stage.proxy.heal(secondBlock)
    await report(page).waitFor()
    await page.getByRole('button', { name: 'Read again' }).click()
    await report(page).waitFor({ state: 'detached' })
    // The same place of the list, where the focus is.
    await page.getByRole('row', { name: /Gone 00101/ }).waitFor()
    await expect.poll(() => page.locator('[data-record]:focus').count()).toBe(1)
    await page.locator('#root').getByText('178 records', { exact: true }).waitFor()
  })

  test('a list that does not change says nothing', async () => {
    const page = await firstBlockOf('Calm')
    stage.proxy.heal(secondBlock)
    await scrollTo(page, 200)
    await page.getByRole('row', { name: /Calm 00180/ }).waitFor()
    await stage.settled(page)
    expect(await report(page).count()).toBe(0)
  })
})
