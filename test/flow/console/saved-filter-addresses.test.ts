import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'

/** Which address a list has when its filter is saved: a query that is too long for one, and a save that ends late (issue 13). */
describe.skipIf(!hasChromium)('addresses of saved filters', () => {
  const stage = consoleStage()
  const as = loginOf('michael.brown')
  const isFilters = (url: URL): boolean => url.pathname.includes('/rest/v1/table/sys_filter')
  const pathOf = (page: Page): string => new URL(page.url()).pathname.replace('/console', '')
  const filterOf = (page: Page): string | null => new URL(page.url()).searchParams.get('filter')
  const named = (page: Page, title: string) => page.getByRole('button', { name: title, exact: true })
  const saveAsNew = async (page: Page, title: string): Promise<void> => {
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.getByLabel('Save as a new filter').fill(title)
    await page.getByLabel('Save as a new filter').press('Enter')
  }
  const filtersOf = (title: string) =>
    stage.docket.database.rows<{ sys_id: string; condition: string }>(
      sql`select sys_id::text, condition from docket.sys_filter where title = ${title} order by sys_id`,
    )
  /** A query of more than 8,000 characters that finds an incident. */
  const longQuery = async (subject: string): Promise<string> => {
    const others = Array.from({ length: 460 }, (_, at) => String(170_000_000_000_000_000n + BigInt(at)))
    return `sys_idIN${[await stage.makeIncident(subject), ...others].join(',')}`
  }
  const asText = (page: Page): Promise<void> => page.getByRole('button', { name: 'As text' }).click()
  const apply = async (page: Page, query: string): Promise<void> => {
    await page.getByLabel('Query').fill(query)
    await page.getByRole('button', { name: 'Apply' }).click()
  }
  /** A filter of michael.brown whose query is too long, and the list that it opens. */
  async function openLong(title: string): Promise<{ page: Page; sysId: string; query: string }> {
    const query = await longQuery(title)
    const user = { find: { user_name: as.user } }
    const body = { title, condition: query, table_id: { find: { name: 'itsm_incident' } }, user_id: user }
    expect((await stage.docket.request('POST', '/rest/v1/table/sys_filter', { as, body })).status).toBe(200)
    const sysId = (await filtersOf(title))[0]?.sys_id ?? ''
    const page = await stage.signedIn('michael.brown', `/f/${sysId}`)
    await named(page, title).waitFor()
    return { page, sysId, query }
  }

  test('a long filter that is changed keeps its name; it is overwritten, discarded and deleted', async () => {
    const title = 'Long and changed'
    const { page, sysId, query } = await openLong(title)
    await asText(page)
    await apply(page, `${query}^priority=3`)
    await page.getByRole('button', { name: `${title} Modified` }).click()
    expect(pathOf(page)).toMatch(/^\/f\/\d+$/)
    expect(pathOf(page)).not.toBe(`/f/${sysId}`)
    expect(filterOf(page)).toBe(sysId)
    await page.getByRole('button', { name: 'Save the changes' }).click()
    await expect.poll(() => pathOf(page)).toBe(`/f/${sysId}`)
    expect(filterOf(page)).toBe(null)
    await named(page, title).waitFor()
    expect(await filtersOf(title)).toEqual([{ sys_id: sysId, condition: `${query}^priority=3` }])

    await apply(page, `${query}^priority=2`)
    await page.getByText('Nothing matches the filter.').waitFor()
    // The address that is sent has the name, too.
    await page.reload()
    await page.getByRole('button', { name: `${title} Modified` }).click()
    await page.getByRole('button', { name: 'Discard the changes' }).click()
    await expect.poll(() => pathOf(page)).toBe(`/f/${sysId}`)
    await page.getByRole('row', { name: new RegExp(title) }).waitFor()

    await named(page, title).click()
    await page.getByRole('button', { name: 'Delete the filter' }).click()
    await page.getByRole('group').getByRole('button', { name: 'Delete the filter' }).click()
    await page.getByRole('button', { name: 'Save filter' }).waitFor()
    await expect.poll(() => pathOf(page)).not.toBe(`/f/${sysId}`)
    expect(await filtersOf(title)).toEqual([])
    // The list is not the deleted filter's: its address finds it again.
    await page.reload()
    await page.getByRole('row', { name: new RegExp(title) }).waitFor()
  })

  test('a query that is too long for an address has that of the filter that it is saved as', async () => {
    const query = await longQuery('Long and new')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident')
    await asText(page)
    await apply(page, query)
    await expect.poll(() => pathOf(page)).toMatch(/^\/f\/\d+$/)
    await page.getByRole('row', { name: /Long and new/ }).waitFor()
    await saveAsNew(page, 'Long and new')
    await named(page, 'Long and new').waitFor()
    const [saved] = await filtersOf('Long and new')
    await expect.poll(() => pathOf(page)).toBe(`/f/${saved?.sys_id}`)
    // Its own: it is not changed, and a link to it has its name for its user.
    await page.reload()
    await named(page, 'Long and new').waitFor()
    expect(await filtersOf('Long and new')).toEqual([saved])
  })

  test('a long filter that another tab has made shorter is read again once it could not be saved', async () => {
    const title = 'Long no more'
    const { page, sysId, query } = await openLong(title)
    await asText(page)
    await apply(page, `${query}^priority=3`)
    await page.getByRole('button', { name: `${title} Modified` }).click()
    const path = `/rest/v1/table/sys_filter/${sysId}`
    const body = { condition: `subject=${title}` }
    expect((await stage.docket.request('PATCH', path, { as, body })).status).toBe(200)
    await page.getByRole('button', { name: 'Save the changes' }).click()
    await page.getByText('The filter has been changed meanwhile').waitFor()
    await stage.settled(page)
    await page.goBack()
    await expect.poll(() => pathOf(page)).toBe('/t/itsm_incident')
    expect(new URL(page.url()).searchParams.get('q')).toBe(`subject=${title}`)
    await named(page, title).waitFor()
  })

  /** Requests of this method that write a filter wait for `go`. */
  async function hold(page: Page, method: string, status?: number) {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { promise: going, resolve: go } = Promise.withResolvers<void>()
    await page.route(isFilters, async (route) => {
      if (route.request().method() !== method) return route.continue()
      arrive()
      await going
      return status === undefined ? route.continue() : route.fulfill({ status, body: '' })
    })
    return { arrived, go }
  }
  const toProblems = async (page: Page): Promise<void> => {
    await page.getByRole('navigation').getByRole('link', { name: 'Problems', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Problems' }).waitFor()
  }

  test('a filter whose save ends late does not lead back to the list that was left', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=priority=4')
    const slow = await hold(page, 'POST')
    await saveAsNew(page, 'Saved late')
    await slow.arrived
    await toProblems(page)
    slow.go()
    await page.getByText('The filter is saved.').waitFor()
    await page.getByRole('link', { name: 'Saved late' }).waitFor()
    await stage.settled(page)
    expect(pathOf(page)).toBe('/t/itsm_problem')
    expect(filterOf(page)).toBe(null)
  })

  test('a query that is stored late does not lead back to the list that was left, nor to conditions that were replaced', async () => {
    const query = await longQuery('Long and late')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident')
    await asText(page)
    const arrived = (): Promise<unknown> =>
      page
        .waitForResponse((each) => each.request().method() === 'POST' && isFilters(new URL(each.url())))
        .then((each) => each.finished())
    const slow = await hold(page, 'POST')
    await apply(page, query)
    await slow.arrived
    await apply(page, 'priority=4')
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('priority=4')
    let stored = arrived()
    slow.go()
    await stored
    await stage.settled(page)
    expect(new URL(page.url()).searchParams.get('q')).toBe('priority=4')
    await page.unrouteAll()

    const slower = await hold(page, 'POST')
    await apply(page, `${query}^priority=4`)
    await slower.arrived
    await toProblems(page)
    stored = arrived()
    slower.go()
    await stored
    await stage.settled(page)
    expect(pathOf(page)).toBe('/t/itsm_problem')
  })

  test('a record beside a list whose address is nearly too long is displayed', async () => {
    const id = await stage.makeIncident('Long and beside')
    const start = `sys_id=${id}^ORsubject=`
    const query = start.padEnd(7_990 - encodeURIComponent(start).length + start.length, 'x')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=${encodeURIComponent(query)}`)
    await page.getByRole('row').nth(1).press(' ')
    await page.getByRole('complementary', { name: 'Record' }).waitFor()
    expect(pathOf(page)).toMatch(/^\/f\/\d+$/)
  })

  test('a filter whose save ends late is that of the list if it is the same', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=priority=4')
    const slow = await hold(page, 'POST')
    await saveAsNew(page, 'Saved behind the popover')
    await slow.arrived
    await page.keyboard.press('Escape')
    await page.getByLabel('Save as a new filter').waitFor({ state: 'detached' })
    slow.go()
    await named(page, 'Saved behind the popover').waitFor()
    expect(filterOf(page)).toMatch(/^\d+$/)
  })

  test('a filter that is not saved or deleted after its list was left is named', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=priority=4')
    const creation = await hold(page, 'POST', 422)
    await saveAsNew(page, 'Not saved')
    await creation.arrived
    await toProblems(page)
    creation.go()
    await page.getByRole('status').getByText('The filter “Not saved” is not saved.').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await page.unrouteAll()

    await saveAsNew(page, 'Not deleted')
    await named(page, 'Not deleted').click()
    const deletion = await hold(page, 'DELETE', 422)
    await page.getByRole('button', { name: 'Delete the filter' }).click()
    await page.getByRole('group').getByRole('button', { name: 'Delete the filter' }).click()
    await deletion.arrived
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete the filter' }).waitFor({ state: 'detached' })
    deletion.go()
    await page.getByRole('status').getByText('The filter “Not deleted” is not deleted.').waitFor()
    expect(await filtersOf('Not deleted')).toHaveLength(1)
  })
})
