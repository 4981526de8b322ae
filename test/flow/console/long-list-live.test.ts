import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('what others do in a list of more than 10,000 records (issue 13)', () => {
  const stage = consoleStage()
  const records = 10_150
  const nameOf = (number: number): string => `Alive ${String(number).padStart(5, '0')}`

  const row = (page: Page, name: string): Locator => page.getByRole('row', { name: new RegExp(name) })
  const parts = (page: Page): Locator => page.getByRole('group', { name: 'Parts of the list' })
  const says = (page: Page, text: string): Locator => parts(page).getByText(text, { exact: true })
  const fresh = (page: Page): Locator => page.getByRole('button', { name: /^\d+ new$/ })
  const scrollTo = (page: Page, index: number): Promise<unknown> =>
    page.evaluate(`{
      const grid = document.querySelector('[role=grid]')
      grid.parentElement.scrollTop = ${index} * grid.querySelector('[data-record]').offsetHeight
    }`)
  /** Names of the rendered rows, from top to bottom. The row with the focus may be far from the others. */
  const names = async (page: Page): Promise<readonly string[]> =>
    (await page.locator('[data-record] > [role=presentation] a').allInnerTexts()).map((name) => name.trim())

  async function idOf(name: string): Promise<string> {
    const [found] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket.company where name = ${name}`,
    )
    return found?.sys_id ?? ''
  }
  async function send(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<void> {
    const { status } = await stage.docket.request(method, `/rest/v1/table/company${path}`, { as: admin, body })
    expect(status).toBeLessThan(300)
  }
  const rename = async (from: string, to: string): Promise<void> => send('PATCH', `/${await idOf(from)}`, { name: to })
  const remove = async (name: string): Promise<void> => send('DELETE', `/${await idOf(name)}`)
  const create = (name: string): Promise<void> => send('POST', '', { name })

  /** The list with its first 300 rows read, and the second hundred in view. */
  async function opened(): Promise<Page> {
    await stage.docket.database.rows(sql`delete from docket.company where name like 'Alive%'`)
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name)
      select docket_system.new_sys_id(), 'Alive ' || lpad(n::text, 5, '0') from generate_series(1, ${records}::int) as n`)
    const page = await stage.signedIn('michael.brown', '/t/company?q=nameSTARTSWITHAlive^ORDERBYname&cols=name')
    await row(page, nameOf(1)).waitFor()
    await says(page, 'Records 1 to 100').waitFor()
    await stage.settled(page)
    for (const reached of [100, 200]) {
      await parts(page).getByRole('button', { name: 'Load more' }).click()
      await says(page, `Records 1 to ${reached + 100}`).waitFor()
      await focused(row(page, nameOf(reached + 1)))
    }
    await scrollTo(page, 150)
    await row(page, nameOf(160)).waitFor()
    await stage.settled(page)
    return page
  }
  const inView = (names: readonly string[]): readonly string[] => names.filter((name) => /Alive 001[5-6]/.test(name))

  test('a change, a deletion and a creation among the rows in view', async () => {
    const page = await opened()
    await rename(nameOf(155), 'Alive 00155 changed')
    await row(page, 'Alive 00155 changed').waitFor()
    await remove(nameOf(157))
    await row(page, nameOf(157)).waitFor({ state: 'detached' })
    await row(page, nameOf(158)).waitFor()
    await create('Alive 00158 and a half')
    await fresh(page).waitFor()
    expect(await fresh(page).textContent()).toBe('1 new')
    expect(await row(page, 'and a half').count()).toBe(0)
    await fresh(page).click()
    await row(page, 'Alive 00158 and a half').waitFor()
    await stage.settled(page)
    const displayed = inView(await names(page))
    expect(displayed.slice(displayed.indexOf('Alive 00155 changed'), displayed.indexOf(nameOf(160)))).toEqual([
      'Alive 00155 changed',
      nameOf(156),
      nameOf(158),
      'Alive 00158 and a half',
      nameOf(159),
    ])
    expect(await page.getByText('The list has changed while it was read.').count()).toBe(0)
    // The blocks fit together: none of their rows is left out or comes twice.
    await scrollTo(page, 195)
    await row(page, nameOf(205)).waitFor()
    await stage.settled(page)
    const around = (await names(page)).filter((name) => /Alive 00(19[5-9]|20[0-5])/.test(name))
    expect(around).toEqual([195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205].map(nameOf))
  })

  test('a change, a deletion and a creation before the rows in view, and after those that were read', async () => {
    const page = await opened()
    const before = inView(await names(page))
    // Before them: read, and not in view. The change is the last event.
    await remove(nameOf(3))
    await create('Alive 00004 and a half')
    await fresh(page).waitFor()
    await rename(nameOf(5), 'Alive 00005 changed')
    // After the list was read again, no new record is announced.
    await fresh(page).waitFor({ state: 'detached' })
    // After them: not read at all.
    await remove(nameOf(9_000))
    await create('Alive 09001 and a half')
    await fresh(page).waitFor()
    await rename(nameOf(9_002), 'Alive 09002 changed')
    await fresh(page).waitFor({ state: 'detached' })
    await stage.settled(page)
    const after = inView(await names(page))
    expect(new Set(after).size).toBe(after.length)
    expect(after.filter((name) => before.includes(name)).length).toBeGreaterThan(5)
    await scrollTo(page, 0)
    await row(page, 'Alive 00005 changed').waitFor()
    await stage.settled(page)
    expect((await names(page)).slice(0, 5)).toEqual([
      nameOf(1),
      nameOf(2),
      nameOf(4),
      'Alive 00004 and a half',
      'Alive 00005 changed',
    ])
  })

  test('the last rows follow, too: one is deleted, and one comes after them', async () => {
    const page = await opened()
    await parts(page).getByRole('button', { name: 'Last', exact: true }).click()
    await focused(row(page, nameOf(records)))
    await stage.settled(page)
    await remove(nameOf(records - 1))
    await row(page, nameOf(records - 1)).waitFor({ state: 'detached' })
    await create('Alive 99999')
    await fresh(page).click()
    await row(page, 'Alive 99999').waitFor()
    await stage.settled(page)
    expect((await names(page)).slice(-3)).toEqual([nameOf(records - 2), nameOf(records), 'Alive 99999'])
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).not.toBe('BODY')
  })
})
