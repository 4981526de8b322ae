import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('lists of more than 10,000 records (issue 13)', () => {
  const stage = consoleStage()
  const records = 12_150

  test('the last records are reached by End and by cursor, without a deep offset, and the count says "more than"', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name)
      select docket_system.new_sys_id(), 'Long ' || lpad(n::text, 5, '0') from generate_series(1, ${records}::int) as n`)
    const offsets: number[] = []
    const page = await stage.signedIn('michael.brown')
    page.on('request', (request) =>
      offsets.push(Number(new URL(request.url()).searchParams.get('sysparm_offset') ?? 0)),
    )
    await page.goto(`${stage.baseUrl}/console/t/company?q=nameSTARTSWITHLong^ORDERBYname&cols=name`)
    const row = (number: number) =>
      page.getByRole('row', { name: new RegExp(`Long ${String(number).padStart(5, '0')}`) })
    const parts = page.getByRole('group', { name: 'Parts of the list' })
    await row(1).waitFor()
    await page.locator('#root').getByText('more than 10,000 records', { exact: true }).waitFor()
    await parts.getByText('Records 1 to 10,000').waitFor()
    expect(await stage.findings(page)).toEqual([])

    await row(1).focus()
    await page.keyboard.press('End')
    await parts.getByText('The last 10,000 records').waitFor()
    await expect.poll(() => row(records).evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => row(records - 1).evaluate((element) => element.matches(':focus'))).toBe(true)
    const isAboveTheBar = async (): Promise<boolean> => {
      const [bar, last] = [await parts.boundingBox(), await row(records - 1).boundingBox()]
      return bar !== null && last !== null && last.y + last.height <= bar.y
    }
    await expect.poll(isAboveTheBar).toBe(true)

    await page.keyboard.press('Home')
    await expect.poll(() => row(1).evaluate((element) => element.matches(':focus'))).toBe(true)
    for (const from of [10_001, 11_001, 12_001]) {
      await parts.getByRole('button', { name: 'Next 1,000' }).click()
      await row(from).waitFor()
      await expect.poll(() => row(from).evaluate((element) => element.matches(':focus'))).toBe(true)
    }
    await parts.getByText('Records 12,001 to 12,150').waitFor()
    await expect.poll(() => parts.getByRole('button').allInnerTexts()).toEqual(['First', 'Back', 'Last'])
    await parts.getByRole('button', { name: 'Back' }).click()
    await parts.getByText('Records 11,001 to 12,000').waitFor()
    await row(11_001).waitFor()
    expect(Math.max(...offsets)).toBeLessThan(10_000)
  })
})
