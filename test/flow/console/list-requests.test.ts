import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { leaveListsToBrowser } from '../../harness/open-page.ts'

interface View {
  readonly title: string
  readonly sections: readonly { readonly columns: readonly { readonly title: string }[] }[]
}

describe.skipIf(!hasChromium)('requests of a list (issue 13)', () => {
  const stage = consoleStage()

  /** Paths of the API that the page requests, without their parameters. */
  const requestsOf = (page: Page): string[] => {
    const paths: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/rest/') || pathname.startsWith('/v1/')) paths.push(pathname)
    })
    return paths
  }

  test('the first row needs the session, the description of the table and the rows, and waits for nothing else', async () => {
    const page = await stage.signedIn('michael.brown')
    await leaveListsToBrowser(page)
    // The page before may still be sending requests.
    await page.goto('about:blank')
    const paths = requestsOf(page)
    const needed = ['/v1/auth/session', '/rest/v1/meta/itsm_incident', '/rest/v1/table/itsm_incident']
    await page.route(/\/(rest|v1)\//, async (route) => {
      const { pathname, searchParams } = new URL(route.request().url())
      const isCount = searchParams.get('sysparm_limit') === '1'
      // The others never get a response.
      if (needed.includes(pathname) && !isCount) await route.continue()
    })
    await page.goto(`${stage.docket.baseUrl}/console/t/itsm_incident?q=active=true`)
    await page.getByRole('row').nth(3).getByRole('gridcell').nth(1).getByText(/^INC/).waitFor()
    for (const path of needed) expect(paths.filter((each) => each === path).length).toBeGreaterThan(0)
    expect(paths.filter((path) => path === '/rest/v1/meta/itsm_incident')).toHaveLength(1)
    expect(paths.filter((path) => /sys_db_column|sys_choice|sys_ui_form/.test(path))).toEqual([])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('a column of a table three references away is found field by field, and stands in the address', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true&cols=number')
    await page.getByRole('row').nth(3).waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Add a column' }).click()
    const dialog = page.getByRole('dialog')
    for (const field of ['Assignment group', 'Manager', 'Company']) {
      await dialog.getByPlaceholder('Find a field').fill(field)
      await dialog.getByRole('button', { name: `Fields of ${field}`, exact: true }).click()
    }
    await dialog.getByPlaceholder('Find a field').fill('city')
    await dialog.getByRole('button', { name: /City/ }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Assignment group › Manager › Company › City' }).waitFor()
    await expect
      .poll(() => new URL(page.url()).searchParams.get('cols'))
      .toBe('number,assignment_group.manager.company.city')
    await page.reload()
    await page.getByRole('columnheader', { name: 'Assignment group › Manager › Company › City' }).waitFor()
  })

  test('a field is found by the words of its whole path, each field says its type, and the first one is taken by Enter', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true&cols=number')
    await page.getByRole('row').nth(3).waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Add a column' }).click()
    const dialog = page.getByRole('dialog')
    const field = dialog.getByPlaceholder('Find a field')
    await field.fill('priority')
    const priority = dialog.getByRole('button', { name: 'Priority priority', exact: true })
    expect(await priority.getAttribute('aria-description')).toBe('choice')
    await field.fill('assignment manager comp city')
    await dialog.getByRole('button', { name: /^Assignment group › Manager › Company › City / }).waitFor()
    await field.fill('caller.email')
    await dialog.getByRole('button', { name: 'Caller › E-mail caller.email', exact: true }).waitFor()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'field-by-path')
    // A reference on the way leads to the fields of its table.
    await field.fill('caller comp')
    await dialog.getByRole('button', { name: 'Fields of Caller › Company', exact: true }).click()
    await dialog.getByRole('button', { name: 'Caller › Company', exact: true }).waitFor()
    await field.fill('city')
    await field.press('Enter')
    await page.getByRole('columnheader', { name: 'Caller › Company › City' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('cols')).toBe('number,caller.company.city')
  })

  test('a column is dragged to another place; Escape drops nothing', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true&cols=number,subject,priority')
    await page.getByRole('row').nth(3).waitFor()
    const columns = () => new URL(page.url()).searchParams.get('cols')
    await page.getByRole('button', { name: 'Columns' }).click()
    const rows = page.getByRole('dialog').getByRole('listitem')
    await rows.nth(2).waitFor()
    await stage.settled(page)
    // No browser marks the texts that the pointer passes.
    const grip = rows.first().locator('[data-grip]')
    expect(await grip.evaluate((each) => each.ownerDocument.defaultView?.getComputedStyle(each).userSelect)).toBe(
      'none',
    )
    const lift = async (): Promise<void> => {
      await rows.filter({ hasText: 'Priority' }).locator('[data-grip]').hover()
      await page.mouse.down()
      const box = await rows.filter({ hasText: 'Number' }).boundingBox()
      await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 3, { steps: 6 })
      await page.locator('[data-drop=before]').waitFor()
    }
    await lift()
    await page.keyboard.press('Escape')
    await page.locator('[data-drop]').waitFor({ state: 'detached' })
    await page.mouse.up()
    expect(columns()).toBe('number,subject,priority')
    await lift()
    await page.mouse.up()
    await expect.poll(columns).toBe('priority,number,subject')
    await rows.first().getByRole('button', { name: 'Move Priority down' }).click()
    await expect.poll(columns).toBe('number,priority,subject')
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'columns')
  })

  test('the address names a view for the columns; columns that are chosen replace them', async () => {
    const meta = await stage.docket.request('GET', '/rest/v1/meta/itsm_incident', { as: loginOf('michael.brown') })
    const { views } = (meta.body as { data: { views: View[] } }).data
    const view = views.find(({ title }) => title === 'Default view')
    const titles = view?.sections.flatMap(({ columns }) => columns.map(({ title }) => title)) ?? []
    expect(titles.length).toBeGreaterThan(5)
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true&view=Default view')
    await page.getByRole('row').nth(3).waitFor()
    const heads = () => page.getByRole('columnheader').allInnerTexts()
    await expect.poll(async () => (await heads()).map((each) => each.trim()).filter(Boolean)).toEqual(titles)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Remove ${titles[0]}`, exact: true })
      .click()
    await expect.poll(async () => (await heads()).map((each) => each.trim()).filter(Boolean)).toEqual(titles.slice(1))
  })

  test('columns that are kept replace those of the view in the address; its view is no reason to forget them', async () => {
    const page = await stage.signedIn('maria.sokolova', '/t/itsm_problem?cols=subject,number')
    const heads = async (): Promise<readonly string[]> =>
      page.evaluate("[...document.querySelectorAll('[role=columnheader][data-path]')].map((each) => each.dataset.path)")
    await expect.poll(heads).toEqual(['subject', 'number'])
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Столбцы' }).click()
    await dialog.getByRole('button', { name: 'Запомнить для меня' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    const kept = () =>
      stage.docket.database.rows(
        sql`select value->'columns' as columns from docket.sys_user_preference where name = 'console.list.itsm_problem'`,
      )
    await expect.poll(kept).toEqual([{ columns: ['subject', 'number'] }])

    await page.goto(`${stage.docket.baseUrl}/console/t/itsm_problem?view=Default view&cols=priority,number`)
    await expect.poll(heads).toEqual(['priority', 'number'])
    await page.getByRole('button', { name: 'Столбцы' }).click()
    await dialog.getByRole('button', { name: 'Как в представлении' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('cols')).toBe(null)
    await expect.poll(async () => (await heads()).length).toBeGreaterThan(5)
    const ofView = await heads()
    await page.goto(`${stage.docket.baseUrl}/console/t/itsm_problem`)
    await expect.poll(heads).toEqual(['subject', 'number'])

    await page.goto(`${stage.docket.baseUrl}/console/t/itsm_problem?view=Default view`)
    await expect.poll(heads).toEqual(ofView)
    await page.getByRole('button', { name: 'Столбцы' }).click()
    await dialog
      .getByRole('button', { name: /^Убрать: / })
      .first()
      .click()
    await expect.poll(heads).toEqual(ofView.slice(1))
    await dialog.getByRole('button', { name: 'Запомнить для меня' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await expect.poll(heads).toEqual(ofView.slice(1))
    await expect.poll(kept).toEqual([{ columns: ofView.slice(1) }])
  })

  test('a width that is changed before the stored columns are known keeps them', async () => {
    const path = '/rest/v1/table/sys_user_preference'
    const name = 'console.list.itsm_change_request'
    const body = { name, value: { columns: ['number', 'subject', 'risk'], widths: { number: 100 } } }
    expect((await stage.docket.request('POST', path, { as: loginOf('michael.brown'), body })).status).toBe(200)
    const page = await stage.signedIn('michael.brown')
    await leaveListsToBrowser(page)
    await page.evaluate('localStorage.clear()')
    // The page before may still be sending requests.
    await page.goto('about:blank')
    const arrive = Promise.withResolvers<void>()
    const isPreference = (url: URL) => url.pathname === path
    await page.route(isPreference, async (route) => {
      if (route.request().method() === 'GET') await arrive.promise
      await route.fallback()
    })
    await page.goto(`${stage.docket.baseUrl}/console/t/itsm_change_request?cols=number,subject`)
    await page.getByRole('row').nth(1).waitFor()
    const title = page.locator('#root [role=columnheader][data-path=subject]')
    await title.getByRole('button').focus()
    await page.keyboard.press('Alt+ArrowRight')
    arrive.resolve()
    await expect
      .poll(() => stage.docket.database.rows(sql`select value from docket.sys_user_preference where name = ${name}`))
      .toEqual([
        { value: { columns: ['number', 'subject', 'risk'], widths: { number: 100, subject: expect.any(Number) } } },
      ])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('while tables on the path of a field are read, the picker says so, and Enter takes the field when it is found', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true&cols=number')
    await page.getByRole('row').nth(3).waitFor()
    await page.reload()
    await page.getByRole('row').nth(3).waitFor()
    const arrive = Promise.withResolvers<void>()
    await page.route(/\/rest\/v1\/meta\/(user|company)$/, async (route) => {
      await arrive.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Add a column' }).click()
    const dialog = page.getByRole('dialog')
    const field = dialog.getByPlaceholder('Find a field')
    await field.fill('caller company city')
    await dialog.getByText('Loading…').waitFor()
    await field.press('Enter')
    // Another text takes the Enter of the one before back.
    await field.fill('caller company name')
    await field.press('Enter')
    arrive.resolve()
    await page.getByRole('columnheader', { name: 'Caller › Company › Name' }).waitFor()
    expect(new URL(page.url()).searchParams.get('cols')).toBe('number,caller.company.name')
    await page.unrouteAll()
    // What is not there is still said.
    await page.getByRole('button', { name: 'Add a column' }).click()
    await field.fill('caller nothing like it')
    await dialog.getByText('Nothing found.').waitFor()
  })
})
