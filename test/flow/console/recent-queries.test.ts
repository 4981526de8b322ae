import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, type DemoUserName, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('recent conditions of a list (issue 13)', () => {
  const stage = consoleStage()
  const name = 'console.queries.itsm_incident'
  const stored = async (user: DemoUserName): Promise<unknown> => {
    const [row] = await stage.docket.database.rows<{ value: { queries?: unknown } }>(sql`
      select p.value from docket.sys_user_preference p join docket."user" u on u.sys_id = p.user_id
      where u.user_name = ${user} and p.name = ${name}`)
    return row?.value.queries ?? []
  }
  const forget = (user: DemoUserName) =>
    stage.docket.database.rows(sql`
      delete from docket.sys_user_preference
      where name = ${name} and user_id = (select sys_id from docket."user" where user_name = ${user})`)
  const choose = async (page: Page, query: string): Promise<void> => {
    const text = page.getByLabel('Query', { exact: true })
    const opener = page.getByRole('button', { name: 'As text' })
    await text.or(opener).waitFor()
    if ((await text.count()) === 0) await opener.click()
    await text.fill(query)
    await text.press('Enter')
    await expect.poll(() => queryOf(page)).toBe(query)
  }
  const queryOf = (page: Page): string => new URL(page.url()).searchParams.get('q') ?? ''
  const trigger = (page: Page): Locator => page.getByRole('button', { name: 'Recent conditions' })
  const entries = (page: Page): Locator => page.getByRole('list', { name: 'Recent conditions' }).getByRole('listitem')

  test('conditions that the user chose come back by keyboard, in words, in any browser; the order of the list stays', async () => {
    await forget('michael.brown')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true^ORDERBYnumber')
    await page.getByRole('row').nth(3).waitFor()
    expect(await trigger(page).count()).toBe(0)
    await choose(page, 'priority=1^ORDERBYDESCopened_at')
    await expect.poll(() => stored('michael.brown')).toEqual(['priority=1'])
    // A condition is added: the query before was a step to this one.
    await choose(page, 'priority=1^state=2')
    await expect.poll(() => stored('michael.brown')).toEqual(['priority=1^state=2'])
    await choose(page, 'assigned_userISEMPTY')
    await expect.poll(() => stored('michael.brown')).toEqual(['assigned_userISEMPTY', 'priority=1^state=2'])
    await choose(page, 'priority=1^state=2')
    await expect.poll(() => stored('michael.brown')).toEqual(['priority=1^state=2', 'assigned_userISEMPTY'])

    const other = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true^ORDERBYnumber')
    await trigger(other).focus()
    await other.keyboard.press('Enter')
    await expect
      .poll(() => entries(other).allTextContents())
      .toEqual([
        expect.stringMatching(/Priority.* is .*Critical.* and .*State.* is .*In progress/),
        expect.stringMatching(/Assigned to.* is empty/),
      ])
    await focused(entries(other).first().getByRole('button').first())
    expect(await stage.findings(other)).toEqual([])
    await other.keyboard.press('Enter')
    await expect.poll(() => queryOf(other)).toBe('priority=1^state=2^ORDERBYnumber')
    await entries(other).first().waitFor({ state: 'detached' })
    await focused(trigger(other))
  })

  test('two tabs forget nothing of each other; no double, no saved filter, at most ten, none of another table', async () => {
    const as = loginOf('michael.brown')
    await forget('michael.brown')
    const filter = { title: 'Mine', condition: 'priority=4^active=true', table_id: { find: { name: 'itsm_incident' } } }
    const body = { ...filter, user_id: { find: { user_name: as.user } } }
    expect((await stage.docket.request('POST', '/rest/v1/table/sys_filter', { as, body })).status).toBe(200)
    const one = await stage.signedIn('michael.brown', '/t/itsm_incident')
    const two = await one.context().newPage()
    await two.goto(`${stage.baseUrl}/console/t/itsm_incident`)
    await two.getByRole('row').nth(3).waitFor()
    await choose(one, 'priority=1')
    await expect.poll(() => stored('michael.brown')).toEqual(['priority=1'])
    await choose(two, 'priority=2')
    await expect.poll(() => stored('michael.brown')).toEqual(['priority=2', 'priority=1'])
    await choose(one, 'priority=4^active=true^ORDERBYnumber')
    await choose(one, 'priority=1^ORDERBYnumber')
    await expect.poll(() => stored('michael.brown')).toEqual(['priority=1', 'priority=2'])
    for (let at = 1; at <= 10; at += 1) {
      await choose(one, `reopen_count=${at}`)
      await expect
        .poll(async () => ((await stored('michael.brown')) as readonly string[])[0])
        .toBe(`reopen_count=${at}`)
    }
    expect(await stored('michael.brown')).toEqual(Array.from({ length: 10 }, (_, at) => `reopen_count=${10 - at}`))
    await two.getByRole('button', { name: 'Back to conditions' }).click()
    await trigger(two).click()
    await expect.poll(() => entries(two).count()).toBe(10)
    await two.goto(`${stage.baseUrl}/console/t/itsm_problem`)
    await two.getByRole('row').nth(1).waitFor()
    expect(await trigger(two).count()).toBe(0)
  })

  test('a query that cannot be read any more is displayed as text; each is forgotten alone, and all together', async () => {
    await forget('maria.sokolova')
    const as = loginOf('maria.sokolova')
    const queries = [
      'gone_column=1',
      'priority=1^caller.company.nameLIKEMeridian',
      'priority=(',
      42,
      'priority=1^gone.too=2',
    ]
    const written = await stage.docket.request('POST', '/rest/v1/table/sys_user_preference', {
      as,
      body: { name, value: { queries } },
    })
    expect(written.status).toBe(200)
    const open = (page: Page): Promise<void> => page.getByRole('button', { name: 'Недавние условия' }).click()
    const items = (page: Page): Locator => page.getByRole('list', { name: 'Недавние условия' }).getByRole('listitem')
    for (const view of widths) {
      const page = await stage.signedIn('maria.sokolova', '/t/itsm_incident?q=active=true', view)
      await open(page)
      await expect.poll(() => items(page).count()).toBe(4)
      await expect.poll(() => items(page).nth(1).textContent()).toMatch(/Приоритет.*Критический.* и .*Компания/)
      expect(await stage.findingsInThemes(page, 'recent')).toEqual([])
      await page.context().close()
    }
    const page = await stage.signedIn('maria.sokolova', '/t/itsm_incident?q=active=true')
    await open(page)
    await expect.poll(() => items(page).first().textContent()).toBe('gone_column=1')
    expect(await items(page).first().getByRole('button').count()).toBe(1)
    await items(page).first().getByRole('button').press('Enter')
    await expect.poll(() => stored('maria.sokolova')).toEqual([queries[1], queries[2], queries[4]])
    await expect.poll(() => page.evaluate('document.activeElement !== document.body')).toBe(true)
    await page.getByRole('button', { name: 'Забыть все' }).press('Enter')
    await expect.poll(() => stored('maria.sokolova')).toEqual([])
    await page.getByRole('button', { name: 'Недавние условия' }).waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement !== document.body')).toBe(true)
  })
})
