import type { Locator, Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('columns of a list for all (issue 13)', () => {
  const stage = consoleStage()
  /** The shared views of a table that count, each with its columns. */
  const viewsOf = (table: string) =>
    stage.docket.database.rows(sql`
      select array(select e.column_name from docket.sys_ui_form_section s join docket.sys_ui_form_element e on e.section_id = s.sys_id
        where s.form_id = f.sys_id order by s."order", e."order") as columns
      from docket.sys_ui_form f join docket.sys_db_table t on t.sys_id = f.table_id
      where t.name = ${table} and f.title = 'list' and f.user_id is null`)
  const heads = async (page: Page): Promise<readonly string[]> => {
    await page.getByRole('row').nth(1).waitFor()
    return (await page.getByRole('columnheader').allTextContents())
      .map((text) => text.trim())
      .filter((text) => text !== '')
  }
  const open = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Save for all…' }).click()
  }
  const save = (page: Page): Locator => page.getByRole('button', { name: 'Save for all', exact: true })
  const saved = (page: Page): Promise<void> => page.getByText(/are those of everybody now/).waitFor()

  test('an administrator saves columns for all; who has none of their own sees them, others keep theirs', async () => {
    const agent = await stage.signedIn('maria.sokolova', '/t/itsm_problem')
    await agent.getByRole('row').nth(1).waitFor()
    await agent.getByRole('button', { name: 'Столбцы' }).click()
    await agent.getByRole('button', { name: 'Запомнить для меня' }).waitFor()
    expect(await agent.getByRole('button', { name: /Сохранить для всех/ }).count()).toBe(0)
    await agent.getByRole('button', { name: 'Запомнить для меня' }).click()
    const own = await heads(agent)

    const columns = 'number,subject,assigned_user.company.name,priority'
    const page = await stage.signedIn(admin, `/t/itsm_problem?cols=${columns}`)
    await page.getByRole('row').nth(1).waitFor()
    await open(page)
    await page.getByText('These 4 columns become those of the list').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await save(page).press('Enter')
    await saved(page)
    await expect.poll(() => new URL(page.url()).searchParams.get('cols')).toBe(null)
    const titles = ['Number', 'Subject', 'Assigned to › Company › Name', 'Priority']
    await expect.poll(() => heads(page)).toEqual(titles)
    expect(await viewsOf('itsm_problem')).toEqual([{ columns: columns.split(',') }])
    const reader = await stage.signedIn('michael.brown', '/t/itsm_problem')
    await expect.poll(() => heads(reader)).toEqual(titles)
    await agent.reload()
    await expect.poll(() => heads(agent)).toEqual(own)
    for (const view of widths) {
      const other = await stage.signedIn(admin, '/t/itsm_problem', view)
      await other.locator('[data-record]').first().waitFor()
      await open(other)
      await save(other).waitFor()
      expect(await stage.findingsInThemes(other, 'for-all')).toEqual([])
      await other.context().close()
    }
  })

  test('a table without a view of its own gets one, with more than twelve columns; a lost response does not save twice', async () => {
    const columns = (
      await stage.docket.database.rows<{ name: string }>(sql`
        select c.column_name as name from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id
        where t.name = 'company' order by c.column_name limit 14`)
    ).map(({ name }) => name)
    expect(columns.length).toBeGreaterThan(12)
    const page = await stage.signedIn(admin, `/t/company?cols=${columns.join(',')}`)
    await page.getByRole('row').nth(1).waitFor()
    const displayed = await heads(page)
    await open(page)
    await page.route(
      (url) => url.pathname.startsWith('/rest/v1/table/sys_ui_form/'),
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await save(page).click()
    await saved(page)
    await expect.poll(() => heads(page)).toEqual(displayed)
    expect(await viewsOf('company')).toEqual([{ columns }])
  })

  test('a lost response of the last step does not lose the view', async () => {
    const page = await stage.signedIn(admin, '/t/itsm_change_request?cols=number,subject,risk')
    await page.getByRole('row').nth(1).waitFor()
    await open(page)
    const lost: string[] = []
    await page.route(
      (url) => url.pathname.startsWith('/rest/v1/table/sys_ui_form/'),
      async (route) => {
        const method = route.request().method()
        if (method !== 'DELETE' || lost.includes(method)) return route.continue()
        lost.push(method)
        await route.fetch()
        return route.abort()
      },
    )
    await save(page).click()
    await saved(page)
    await page.unrouteAll()
    expect(lost).toEqual(['DELETE'])
    expect(await viewsOf('itsm_change_request')).toEqual([{ columns: ['number', 'subject', 'risk'] }])
  })

  test('a rejected column changes nothing for anybody, and the reason is displayed', async () => {
    const before = await viewsOf('itsm_incident')
    expect(before.length).toBe(1)
    const rule = await stage.docket.request('POST', '/rest/v1/table/sys_security_acl', {
      as: admin,
      body: {
        operation: 'create',
        table_name: 'sys_ui_form_element',
        condition: 'column_name!=subject',
        active: true,
        admin_overrides: false,
      },
    })
    expect(rule.status).toBe(200)
    const { sys_id: sysId } = (rule.body as { data: readonly { sys_id: string }[] }).data[0] ?? {}
    try {
      const page = await stage.signedIn(admin, '/t/itsm_incident?cols=number,subject')
      await page.getByRole('row').nth(1).waitFor()
      await open(page)
      await save(page).click()
      await page.getByText('The columns of the list are as before.').waitFor()
      expect(await viewsOf('itsm_incident')).toEqual(before)
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Save for all…' }).waitFor()
    } finally {
      await stage.docket.request('DELETE', `/rest/v1/table/sys_security_acl/${sysId}`, { as: admin })
    }
  })

  test('of two administrators who save at the same time, one is told; the columns of the other stand, whole', async () => {
    const slow = await stage.signedIn(admin, '/t/itsm_request?cols=number,subject')
    await slow.getByRole('row').nth(1).waitFor()
    const fast = await stage.signedIn(admin, '/t/itsm_request?cols=number,state,priority')
    await fast.getByRole('row').nth(1).waitFor()
    await open(slow)
    await open(fast)
    let isHeld = false
    await slow.route(
      (url) => url.pathname.startsWith('/rest/v1/table/sys_ui_form/'),
      async (route) => {
        if (route.request().method() !== 'DELETE' || isHeld) return route.continue()
        isHeld = true
        await save(fast).click()
        await saved(fast)
        return route.continue()
      },
    )
    await save(slow).click()
    await slow.getByText('Somebody else has saved columns for all at the same time.').waitFor()
    await slow.unrouteAll()
    expect(await viewsOf('itsm_request')).toEqual([{ columns: ['number', 'state', 'priority'] }])
    expect(
      (await stage.docket.request('GET', '/rest/v1/meta/itsm_request', { as: loginOf('michael.brown') })).status,
    ).toBe(200)
  })

  /** The request that deletes the old view waits for `go`, then goes on as `end` says. */
  async function holdDeletion(page: Page, end: (route: Route) => Promise<void>) {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { promise: going, resolve: go } = Promise.withResolvers<void>()
    let isFirst = true
    await page.route(
      (url) => url.pathname.startsWith('/rest/v1/table/sys_ui_form/'),
      async (route) => {
        if (route.request().method() !== 'DELETE' || !isFirst) return route.continue()
        isFirst = false
        arrive()
        await going
        return end(route)
      },
    )
    return { arrived, go }
  }
  const leave = async (page: Page): Promise<void> => {
    await page.getByRole('navigation').getByRole('link', { name: 'Home', exact: true }).click()
    await save(page).waitFor({ state: 'detached' })
  }
  const pathOf = (page: Page): string => new URL(page.url()).pathname

  test('columns that are saved late do not lead back to the list that was left, and a failure is displayed elsewhere, too', async () => {
    const page = await stage.signedIn(admin, '/t/itsm_incident?cols=number,state')
    await page.getByRole('row').nth(1).waitFor()
    await open(page)
    const slow = await holdDeletion(page, (route) => route.continue())
    await save(page).click()
    await slow.arrived
    await leave(page)
    slow.go()
    await saved(page)
    await stage.settled(page)
    expect(pathOf(page)).toMatch(/^\/console\/?$/)
    expect(await viewsOf('itsm_incident')).toEqual([{ columns: ['number', 'state'] }])
    await page.unrouteAll()

    await page.goto(`${stage.baseUrl}/console/t/itsm_incident?cols=number,subject`)
    await page.getByRole('row').nth(1).waitFor()
    await open(page)
    const failing = await holdDeletion(page, (route) => route.fulfill({ status: 422, body: '' }))
    await save(page).click()
    await failing.arrived
    await leave(page)
    failing.go()
    await page.getByRole('status').getByText('are not saved for all.').waitFor()
    expect(await stage.findings(page)).toEqual([])
    expect(await viewsOf('itsm_incident')).toEqual([{ columns: ['number', 'state'] }])
  })

  test('if the session ends before the columns are those of everybody, a dialog asks to sign in again, and they can be saved', async () => {
    const page = await stage.signedIn(admin, '/t/itsm_incident?cols=number,priority')
    await page.getByRole('row').nth(1).waitFor()
    const before = await viewsOf('itsm_incident')
    await open(page)
    const ending = await holdDeletion(page, async (route) => {
      await page.context().clearCookies()
      await route.continue()
    })
    await save(page).click()
    await ending.arrived
    ending.go()
    const field = page.getByRole('dialog', { name: 'Sign in again' }).locator('input[name=password]')
    await field.waitFor()
    expect((await viewsOf('itsm_incident'))[0]).toEqual(before[0])
    await field.fill(admin.password)
    await field.press('Enter')
    await field.waitFor({ state: 'detached' })
    await save(page).click()
    await saved(page)
    expect(await viewsOf('itsm_incident')).toEqual([{ columns: ['number', 'priority'] }])
  })
})
