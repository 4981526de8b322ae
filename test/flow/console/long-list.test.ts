import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

const records = 12_150
const nameOf = (number: number): string => `Long ${String(number).padStart(5, '0')}`

describe.skipIf(!hasChromium)('lists of more than 10,000 records (issue 13)', () => {
  const stage = consoleStage()

  async function openList() {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name)
      select docket_system.new_sys_id(), 'Long ' || lpad(n::text, 5, '0') from generate_series(1, ${records}::int) as n
      where not exists (select from docket.company where name = 'Long 00001')`)
    const page = await stage.signedIn('michael.brown')
    const requests: URLSearchParams[] = []
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.pathname.endsWith('/table/company') && url.searchParams.get('sysparm_max_text') !== null)
        requests.push(url.searchParams)
    })
    await page.goto(`${stage.baseUrl}/console/t/company?q=nameSTARTSWITHLong^ORDERBYname&cols=name`)
    const list = listOn(page)
    await list.row(1).waitFor()
    await page.locator('#root').getByText('more than 10,000 records', { exact: true }).waitFor()
    await list.parts.getByText('Records 1 to 100', { exact: true }).waitFor()
    return { page, requests, ...list }
  }

  test('rows load by cursor, the last ones in the reversed order, and no request has an offset', async () => {
    const { page, requests, row, parts, hasFocus } = await openList()
    const grid = page.getByRole('grid')
    expect(await grid.getAttribute('aria-rowcount')).toBe('-1')
    expect(await row(1).getAttribute('aria-rowindex')).toBe('2')
    expect(await stage.findings(page)).toEqual([])

    await parts.getByRole('button', { name: 'Load more' }).press('Enter')
    await hasFocus(101)
    await parts.getByText('Records 1 to 200', { exact: true }).waitFor()
    expect(await row(101).getAttribute('aria-rowindex')).toBe('102')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: nameOf(101) }).waitFor()
    await page.goBack()
    await hasFocus(101)

    await page.keyboard.press('End')
    await parts.getByText('The last 100 records', { exact: true }).waitFor()
    await hasFocus(records)
    // How many are before it is unknown.
    expect(await row(records).getAttribute('aria-rowindex')).toBe(null)
    await page.keyboard.press('ArrowUp')
    await hasFocus(records - 1)
    const isAboveTheBar = async (): Promise<boolean> => {
      const [bar, last] = [await parts.boundingBox(), await row(records - 1).boundingBox()]
      return bar !== null && last !== null && last.y + last.height <= bar.y
    }
    await expect.poll(isAboveTheBar).toBe(true)
    await parts.getByRole('button', { name: 'Load more' }).click()
    await hasFocus(records - 100)
    await page.keyboard.press('ArrowUp')
    await hasFocus(records - 101)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await hasFocus(records - 99)
    await parts.getByText('The last 200 records', { exact: true }).waitFor()

    await page.keyboard.press('Home')
    await hasFocus(1)
    await parts.getByRole('button', { name: 'Last', exact: true }).click()
    await hasFocus(records)
    expect(requests.map((each) => Number(each.get('sysparm_offset') ?? 0)).filter((offset) => offset > 0)).toEqual([])
  })

  test('at most 2,000 rows stay in memory: others are read again when they come into view', async () => {
    const { page, requests, row, parts, hasFocus } = await openList()
    const more = parts.getByRole('button', { name: 'Load more' })
    for (let reached = 100; reached < 2_400; reached += 100) {
      await more.click()
      await hasFocus(reached + 1)
    }
    await parts.getByText('Records 1 to 2,400', { exact: true }).waitFor()
    const before = requests.length
    await page.keyboard.press('Home')
    await hasFocus(1)
    await row(20).waitFor()
    await expect.poll(() => requests.length).toBeGreaterThan(before)
    expect(requests.slice(before).some((each) => each.get('sysparm_cursor') === null)).toBe(true)
    // The rows between are in their places, whether they were dropped or not.
    await parts.getByText('Records 1 to 2,400', { exact: true }).waitFor()
    await page.keyboard.press('PageDown')
    await expect.poll(() => page.locator('[role=row]:focus').textContent()).toContain('Long 000')
    await more.click()
    await hasFocus(2_401)
    expect(requests.map((each) => Number(each.get('sysparm_offset') ?? 0)).filter((offset) => offset > 0)).toEqual([])
  })
})

function listOn(page: Page) {
  const row = (number: number) => page.getByRole('row', { name: new RegExp(nameOf(number)) })
  const parts = page.getByRole('group', { name: 'Parts of the list' })
  const hasFocus = (number: number): Promise<void> =>
    page.locator('[role=row]:focus', { hasText: nameOf(number) }).waitFor()
  return { row, parts, hasFocus }
}
