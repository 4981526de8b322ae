import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'
import { leaveListsToBrowser } from '../../harness/open-page.ts'

describe.skipIf(!hasChromium)('saved filters (issue 13)', () => {
  const stage = consoleStage()
  const item = (page: Page, title: string): Locator =>
    page
      .getByRole('navigation')
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: title, exact: true }) })
  /** A filter of michael.brown. */
  const makeFilter = async (title: string, table: string, condition: string): Promise<void> => {
    const as = loginOf('michael.brown')
    const user = { find: { user_name: as.user } }
    const body = { title, condition, table_id: { find: { name: table } }, user_id: user }
    expect((await stage.docket.request('POST', '/rest/v1/table/sys_filter', { as, body })).status).toBe(200)
  }
  const queryOf = (address: string): string | null => new URL(address).searchParams.get('q')

  test('Enter pressed twice saves one filter', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=priority=4')
    await page.getByRole('button', { name: 'Save filter' }).click()
    const title = page.getByLabel('Save as a new filter')
    await title.fill('Once')
    const isSave = (url: URL): boolean => url.pathname.endsWith('/rest/v1/table/sys_filter')
    const sent: string[] = []
    const go = Promise.withResolvers<void>()
    await page.route(isSave, async (route) => {
      if (route.request().method() === 'POST') {
        sent.push(route.request().url())
        await go.promise
      }
      await route.continue()
    })
    await title.press('Enter')
    await expect.poll(() => sent.length).toBe(1)
    await title.press('Enter')
    go.resolve()
    await page.getByText('The filter is saved.').waitFor()
    await stage.settled(page)
    expect(sent).toHaveLength(1)
    const stored = await stage.docket.database.rows(sql`select title from docket.sys_filter where title = 'Once'`)
    expect(stored).toEqual([{ title: 'Once' }])
  })

  test('a filter is saved with its look, found in the menu, changed, discarded, overwritten and deleted', async () => {
    const path = '/t/itsm_incident?q=active=true^priority=2&cols=number,subject&group=state'
    const page = await stage.signedIn('michael.brown', path)
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.getByLabel('Save as a new filter').fill('High ones')
    expect(await stage.findings(page)).toEqual([])
    await page.getByLabel('Save as a new filter').press('Enter')
    await page.getByText('The filter is saved.').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toMatch(/^\d+$/)
    const saved = new URL(page.url()).searchParams.get('filter') ?? ''
    const [row] = await stage.docket.database.rows(
      sql`select title, condition, list_state from docket.sys_filter where sys_id = ${saved}`,
    )
    expect(row).toEqual({
      title: 'High ones',
      condition: 'active=true^priority=2',
      list_state: { columns: ['number', 'subject'], group: ['state'], widths: {} },
    })
    const menu = page.getByRole('navigation')
    await menu.getByRole('link', { name: 'Home', exact: true }).click()
    await menu.getByRole('link', { name: 'High ones', exact: true }).click()
    await expect.poll(() => queryOf(page.url())).toBe('active=true^priority=2')
    expect(new URL(page.url()).searchParams.get('group')).toBe('state')
    await page.getByRole('button', { name: 'High ones', exact: true }).waitFor()

    await page.getByRole('button', { name: /^Remove: Priority/ }).click()
    await page.getByRole('button', { name: 'High ones Modified' }).click()
    await page.getByRole('button', { name: 'Discard the changes' }).click()
    await expect.poll(() => queryOf(page.url())).toBe('active=true^priority=2')

    await page.getByRole('button', { name: /^Remove: Priority/ }).click()
    await page.getByRole('button', { name: 'High ones Modified' }).click()
    await page.getByRole('button', { name: 'Save the changes' }).click()
    await expect
      .poll(() => stage.docket.database.rows(sql`select condition from docket.sys_filter where sys_id = ${saved}`))
      .toEqual([{ condition: 'active=true' }])
    await page.getByRole('button', { name: 'High ones', exact: true }).click()
    await page.getByRole('button', { name: 'Delete the filter' }).click()
    const question = page.getByRole('group', { name: 'Delete the filter' })
    await focused(question.getByRole('button', { name: 'Cancel' }))
    await stage.picture(page, 'filter-deletion')
    expect(await stage.findings(page)).toEqual([])
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'detached' })
    expect(await stage.docket.database.rows(sql`select 1 from docket.sys_filter where sys_id = ${saved}`)).toHaveLength(
      1,
    )
    await page.getByRole('button', { name: 'Delete the filter' }).click()
    await question.getByRole('button', { name: 'Delete the filter' }).click()
    await menu.getByRole('link', { name: 'High ones', exact: true }).waitFor({ state: 'detached' })
  })

  test('counts come after the rows and the total of the list, two at a time, for what is in view', async () => {
    for (let at = 1; at <= 3; at += 1) await stage.makeIncident(`Counted ${at}`)
    for (const word of ['Counted', 'Counted 2', 'Uncounted'])
      await makeFilter(`${word}!`, 'itsm_incident', `subjectSTARTSWITH${word}`)
    const page = await stage.signedIn('michael.brown')
    // The home page has counted, and counts no more: what follows is the list.
    await expect.poll(() => item(page, 'Uncounted!').textContent()).toBe(' Uncounted!0, 0 records')
    await leaveListsToBrowser(page)
    await page.goto('about:blank')
    const seen: string[] = []
    const kindOf = (address: string): 'total' | 'count' | null => {
      const { searchParams } = new URL(address)
      if (searchParams.get('sysparm_limit') !== '1' || searchParams.get('sysparm_fields') !== 'sys_id') return null
      return searchParams.get('sysparm_query')?.includes('ORDERBY') === true ? 'total' : 'count'
    }
    let running = 0
    let max = 0
    page.on('request', (request) => {
      if (kindOf(request.url()) !== 'count') return
      seen.push('count')
      running += 1
      max = Math.max(max, running)
    })
    page.on('requestfinished', (request) => {
      const kind = kindOf(request.url())
      if (kind === 'total') seen.push('total')
      if (kind === 'count') running -= 1
    })
    const isTotal = ({ href }: URL): boolean => kindOf(href) === 'total'
    const arrive = Promise.withResolvers<void>()
    await page.route(isTotal, async (route) => {
      await arrive.promise
      await route.continue()
    })
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident?q=active=true^ORDERBYDESCopened_at`)
    await page.getByRole('row').nth(3).waitFor()
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)))')
    arrive.resolve()
    await expect.poll(() => item(page, 'Counted!').textContent()).toBe(' Counted!3, 3 records')
    await expect.poll(() => item(page, 'Counted 2!').textContent()).toBe(' Counted 2!1, 1 record')
    await expect.poll(() => item(page, 'Uncounted!').textContent()).toBe(' Uncounted!0, 0 records')
    expect(seen[0]).toBe('total')
    expect(max).toBeLessThanOrEqual(2)
    expect(await stage.findings(page)).toEqual([])
    for (const view of widths) {
      const other = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true^ORDERBYDESCopened_at', view)
      if (view.width < 800) await other.getByRole('button', { name: 'Menu' }).click()
      await other.getByText('3 records').first().waitFor({ state: 'attached' })
      expect(await stage.findingsInThemes(other, 'filter-counts')).toEqual([])
    }
  })

  test('a count is read again 30 s after a change, once for many, and says "10,000+" for more', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name)
      select docket_system.new_sys_id(), 'Many ' || n from generate_series(1, 10001) as n`)
    await stage.makeIncident('Refreshed 1')
    await makeFilter('Refreshed!', 'itsm_incident', 'subjectSTARTSWITHRefreshed')
    await makeFilter('Many!', 'company', 'nameSTARTSWITHMany')
    const page = await stage.signedIn('michael.brown')
    await page.clock.install()
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident?q=subjectSTARTSWITHRefreshed^ORDERBYnumber&cols=subject`)
    await expect.poll(() => item(page, 'Many!').textContent()).toBe(' Many!10,000+, more than 10,000 records')
    await expect.poll(() => item(page, 'Refreshed!').textContent()).toBe(' Refreshed!1, 1 record')

    await page.clock.pauseAt(Date.now() + 3_600_000)
    const counts: string[] = []
    page.on('request', (request) => {
      const query = new URL(request.url()).searchParams.get('sysparm_query')
      if (query === 'subjectSTARTSWITHRefreshed') counts.push(query)
    })
    const as = loginOf('anna.petrova')
    for (const subject of ['Refreshed 2', 'Refreshed 3'])
      await stage.docket.request('POST', '/rest/v1/table/itsm_incident', { as, body: { subject, priority: '3' } })
    await page.getByRole('button', { name: '2 new' }).waitFor()
    expect(counts).toEqual([])
    await page.clock.runFor(30_000)
    await page.clock.resume()
    await expect.poll(() => item(page, 'Refreshed!').textContent()).toBe(' Refreshed!3, 3 records')
    expect(counts.length).toBe(1)
  })

  test('saved filters are sorted by the titles that are displayed, in the language of the user', async () => {
    const page = await stage.signedIn('maria.sokolova')
    const section = page.getByRole('navigation').locator('section').filter({ hasText: 'Открытые инциденты' })
    await section.getByRole('link').nth(2).waitFor()
    const titles = (await section.getByRole('link').allTextContents()).map((title) => title.trim())
    expect(titles).toEqual([...titles].sort((one, other) => one.localeCompare(other, 'ru')))
  })

  test('the address of a saved filter of a colleague opens the same list, with the rights of whoever opens it', async () => {
    await stage.makeIncident('Sent by address')
    const agent = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subject=Sent by address')
    await agent.getByRole('button', { name: 'Save filter' }).click()
    await agent.getByLabel('Save as a new filter').fill('For John')
    await agent.getByLabel('Save as a new filter').press('Enter')
    await agent.getByText('The filter is saved.').waitFor()
    await expect.poll(() => new URL(agent.url()).searchParams.get('filter')).toMatch(/^\d+$/)
    const { pathname, search } = new URL(agent.url())
    const caller = await stage.signedIn('john.smith', `${pathname.replace('/console', '')}${search}`)
    await caller.getByText('Nothing matches the filter.').waitFor()
    expect(await caller.content()).not.toContain('For John')
    const colleague = await stage.signedIn('maria.sokolova', `${pathname.replace('/console', '')}${search}`)
    await colleague.getByRole('row', { name: /Sent by address/ }).waitFor()
  })

  test('a query too long for an address is stored under an address of its own, which colleagues can open', async () => {
    const sysId = await stage.makeIncident('Long address')
    const others = Array.from({ length: 460 }, (_, at) => String(170_000_000_000_000_000n + BigInt(at)))
    const query = `sys_idIN${[sysId, ...others].join(',')}`
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident')
    await page.getByRole('button', { name: 'As text' }).click()
    await page.getByLabel('Query').fill(query)
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/console\/f\/\d+$/)
    await page.getByRole('row', { name: /Long address/ }).waitFor()
    const path = new URL(page.url()).pathname.replace('/console', '')
    const colleague = await stage.signedIn('maria.sokolova', path)
    await colleague.getByRole('row', { name: /Long address/ }).waitFor()
    expect(new URL(colleague.url()).pathname).toBe(`/console${path}`)
    const caller = await stage.signedIn('john.smith', path)
    await caller.getByText('Nothing matches the filter.').waitFor()
    // It is not in anybody's menu.
    const menu = await stage.docket.request('GET', '/rest/v1/table/sys_filter?sysparm_query=titleISNOTEMPTY', {
      as: loginOf('michael.brown'),
    })
    expect(JSON.stringify(menu.body)).not.toContain(path.slice(3))
  })

  test('a filter that was deleted in another tab is not displayed any more once it cannot be saved', async () => {
    await makeFilter('Deleted elsewhere', 'itsm_incident', 'priority=4')
    const [filter] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket.sys_filter where title = 'Deleted elsewhere'`,
    )
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=priority=3&filter=${filter?.sys_id}`)
    await page.getByRole('button', { name: 'Deleted elsewhere Modified' }).click()
    const dialog = page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: 'Save the changes' })
    await save.waitFor()
    const path = `/rest/v1/table/sys_filter/${filter?.sys_id}`
    expect((await stage.docket.request('DELETE', path, { as: loginOf('michael.brown') })).status).toBe(200)
    await save.click()
    await dialog.getByText('This does not exist, or you do not have access to it.').waitFor()
    await save.waitFor({ state: 'detached' })
    await item(page, 'Deleted elsewhere').waitFor({ state: 'detached' })
    // What is displayed can be saved all the same.
    await dialog.getByLabel('Save as a new filter').fill('Saved again')
    await dialog.getByLabel('Save as a new filter').press('Enter')
    await item(page, 'Saved again').waitFor()
  })

  test('a filter that was changed in another tab is not overwritten before the user knows of it', async () => {
    await makeFilter('Of two tabs', 'itsm_incident', 'priority=4')
    const [filter] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket.sys_filter where title = 'Of two tabs'`,
    )
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=priority=3&filter=${filter?.sys_id}`)
    await page.getByRole('button', { name: 'Of two tabs Modified' }).click()
    const dialog = page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: 'Save the changes' })
    await save.waitFor()
    const as = loginOf('michael.brown')
    const path = `/rest/v1/table/sys_filter/${filter?.sys_id}`
    expect((await stage.docket.request('PATCH', path, { as, body: { condition: 'priority=2' } })).status).toBe(200)
    const stored = () =>
      stage.docket.database.rows(sql`select condition from docket.sys_filter where sys_id = ${filter?.sys_id}`)
    await save.click()
    await dialog.getByText('The filter has been changed meanwhile').waitFor()
    await stage.settled(page)
    expect(await stored()).toEqual([{ condition: 'priority=2' }])
    expect(await stage.findingsInThemes(page, 'filter-changed')).toEqual([])
    await save.click()
    await page.getByText('The filter is saved.').waitFor()
    expect(await stored()).toEqual([{ condition: 'priority=3' }])
  })

  test('a filter keeps the view of its columns, and says "Modified" when another one is chosen', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true&view=Default view')
    await page.getByRole('row').nth(3).waitFor()
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.getByLabel('Save as a new filter').fill('As in the form')
    await page.getByLabel('Save as a new filter').press('Enter')
    await page.getByText('The filter is saved.').waitFor()
    await page.getByRole('button', { name: 'As in the form', exact: true }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toMatch(/^\d+$/)
    const saved = new URL(page.url()).searchParams.get('filter') ?? ''
    const menu = page.getByRole('navigation')
    await menu.getByRole('link', { name: 'Home', exact: true }).click()
    await menu.getByRole('link', { name: 'As in the form', exact: true }).click()
    const viewOf = () => new URL(page.url()).searchParams.get('view')
    await expect.poll(viewOf).toBe('Default view')
    await page.getByRole('button', { name: 'As in the form', exact: true }).waitFor()

    await page.goto(`${stage.baseUrl}/console/t/itsm_incident?q=active=true&view=list&filter=${saved}`)
    await page.getByRole('button', { name: 'As in the form Modified' }).click()
    await page.getByRole('button', { name: 'Discard the changes' }).click()
    await expect.poll(viewOf).toBe('Default view')
  })

  test('a query too long for an address keeps its view, too', async () => {
    const sysId = await stage.makeIncident('Long address with a view')
    const others = Array.from({ length: 460 }, (_, at) => String(170_000_000_000_000_000n + BigInt(at)))
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?view=Default view')
    await page.getByRole('row').nth(3).waitFor()
    const heads = (): Promise<readonly string[]> =>
      page.evaluate("[...document.querySelectorAll('[role=columnheader][data-path]')].map((each) => each.dataset.path)")
    await expect.poll(async () => (await heads()).length).toBeGreaterThan(0)
    const ofView = await heads()
    await page.getByRole('button', { name: 'As text' }).click()
    await page.getByLabel('Query').fill(`sys_idIN${[sysId, ...others].join(',')}`)
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/console\/f\/\d+$/)
    await page.getByRole('row', { name: /Long address with a view/ }).waitFor()
    await expect.poll(heads).toEqual(ofView)
    await page.reload()
    await page.getByRole('row', { name: /Long address with a view/ }).waitFor()
    await expect.poll(heads).toEqual(ofView)
  })

  test('/f/ of a filter that fits leads to its list, and of one that is not there says so', async () => {
    const [shared] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket.sys_filter where title = 'Open incidents'`,
    )
    const page = await stage.signedIn('michael.brown', `/f/${shared?.sys_id}`)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/t/itsm_incident')
    expect(queryOf(page.url())).toBe('active=true')
    await page.goto(`${stage.docket.baseUrl}/console/f/123`)
    await page.getByText('This does not exist, or you do not have access to it.').waitFor()
  })
})
