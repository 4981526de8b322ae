import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

const phone = { width: 390 }

describe.skipIf(!hasChromium)('a caller (issue 13)', () => {
  const stage = consoleStage()

  test('asks for help on a phone, adds a file, and follows what the desk says', async () => {
    const page = await stage.signedIn('john.smith', '/', phone)
    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await page.getByRole('main').getByRole('link', { name: 'Ask for help' }).click()
    await page.locator('#field-subject').waitFor()
    // They are who asks, until they say that it is somebody else.
    await page.getByText(/^All fields/).click()
    await expect.poll(() => page.locator('#field-caller').inputValue()).toBe('John Smith')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alert').getByText('Required').waitFor()
    expect(sent.filter((path) => path.startsWith('/rest/v1/table/itsm_incident'))).toEqual([])

    await page.locator('#field-subject').fill('The scanner hums')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /The scanner hums/ }).waitFor()
    const sysId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await page.getByPlaceholder('Write to the support team…').fill('It began this morning')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('listitem').filter({ hasText: 'It began this morning' }).waitFor()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add files' }).click()
    await (await chooser).setFiles({ name: 'hum.txt', mimeType: 'text/plain', buffer: Buffer.from('mmm') })
    await page
      .getByRole('region', { name: 'Files' })
      .getByRole('link', { name: /hum\.txt/ })
      .waitFor()

    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('michael.brown'),
      body: { comments: 'Please turn it off and on', work_notes: 'Known model' },
    })
    await page.reload()
    await page.getByRole('listitem').filter({ hasText: 'Please turn it off and on' }).waitFor()
    expect(await page.content()).not.toContain('Known model')
    expect(await stage.findings(page)).toEqual([])

    const [row] = await stage.docket.database.rows(
      sql`select c.user_name as caller, o.user_name as opened_by from docket.task t
          join docket."user" c on c.sys_id = t.caller join docket."user" o on o.sys_id = t.opened_by where t.sys_id = ${sysId}`,
    )
    expect(row).toEqual({ caller: 'john.smith', opened_by: 'john.smith' })
  })

  test('reads on a phone the state and what was said first, then what is filled in, and no empty fields', async () => {
    const sysId = await stage.makeIncident('The kettle drips', { caller: { find: { user_name: 'john.smith' } } })
    const page = await stage.signedIn('john.smith', '/', phone)
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    const composer = page.getByPlaceholder('Write to the support team…')
    await composer.waitFor()
    await stage.settled(page)
    // Nobody has pressed a key: nothing has a frame.
    expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
    const header = page.getByRole('main').locator('header')
    expect(await header.getByText('Registered', { exact: true }).isVisible()).toBe(true)
    const topOf = async (part: Locator): Promise<number> => (await part.boundingBox())?.y ?? Number.NaN
    expect(await topOf(composer)).toBeLessThan(844)
    expect(await topOf(composer)).toBeLessThan(await topOf(page.locator('#field-subject')))

    const fields = page.locator('#form-fields')
    expect(await fields.getByText('Priority', { exact: true }).count()).toBe(1)
    expect(await fields.locator('[data-empty]').count()).toBe(0)
    expect(await fields.getByText('Closed', { exact: true }).count()).toBe(0)
    await fields.getByText(/^All fields/).click()
    await fields.getByText('Closed', { exact: true }).waitFor()
    expect(await stage.findings(page)).toEqual([])
  })

  test('sees the state of a ticket in which nothing can be written', async () => {
    const page = await stage.signedIn('john.smith', '/')
    await page.getByRole('main').getByRole('link').filter({ hasText: 'Closed' }).first().click()
    await page.locator('#form-activity').waitFor()
    await page.getByRole('main').locator('header').getByText('Closed', { exact: true }).waitFor()
    await stage.settled(page)
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0)
  })

  test('is offered no history and nothing of tables, and sends no request that is denied', async () => {
    const created = await stage.docket.request('POST', '/rest/v1/table/itsm_incident', {
      as: loginOf('john.smith'),
      body: { subject: 'Mine' },
    })
    const sysId = (created.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
    const page = await stage.signedIn('john.smith')
    const denied: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) denied.push(`${response.status()} ${new URL(response.url()).pathname}`)
    })
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    await page.getByPlaceholder('Write to the support team…').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Print' }).waitFor()
    await expect.poll(() => page.getByRole('menuitem').allTextContents()).toEqual(['Follow', 'Print'])
    await page.keyboard.press('Escape')
    await stage.settled(page)
    expect(await page.getByRole('group', { name: 'Which entries are shown' }).count()).toBe(0)
    expect(denied).toEqual([])
  })

  test('finds the lists of the sidebar by the keyboard, and no other table', async () => {
    const page = await stage.signedIn('john.smith')
    await page.getByRole('navigation').getByRole('link', { name: 'Incidents' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    const lists = async (): Promise<readonly string[]> =>
      (await page.getByRole('option').allInnerTexts())
        .filter((text) => /\nList$/.test(text))
        .map((text) => text.split('\n')[0] ?? '')
    const links = async (): Promise<readonly string[]> =>
      page.locator('nav section').filter({ hasText: 'Tickets' }).locator('a').allInnerTexts()
    await expect.poll(lists).toEqual(await links())
    await stage.settled(page)
    expect(await lists()).toEqual(await links())
  })

  test.each([
    ['john.smith', ['Export']],
    ['michael.brown', ['Group', 'Columns', 'Export', 'As text']],
  ] as const)('lists mention columns and queries only to those who work with them: %s', async (who, expected) => {
    const page = await stage.signedIn(who, '/t/itsm_incident')
    await page.locator('[data-record]').first().waitFor()
    const known = /^(Group|Columns|Export|As text)$/
    const names = async () =>
      (await page.getByRole('main').getByRole('button').allTextContents())
        .map((name) => name.trim())
        .filter((name) => known.test(name))
    await expect.poll(names).toEqual(expected)
    await stage.settled(page)
    expect(await names()).toEqual(expected)
  })

  test('who may read no documents is offered no search, and none is sent for them', async () => {
    const login = { user: 'no.documents', password: 'no documents 1' }
    const made = await stage.docket.request('POST', '/rest/v1/table/user', {
      as: admin,
      body: { user_name: login.user, password: login.password, display_name: 'No Documents', language: 'en' },
    })
    expect(made.status).toBe(200)
    const user_id = (made.body as { data: { sys_id: string }[] }).data[0]?.sys_id
    const role = { user_id, role_id: { find: { name: 'user' } } }
    const given = await stage.docket.request('POST', '/rest/v1/table/sys_user_has_role', { as: admin, body: role })
    expect(given.status).toBe(200)
    const page = await stage.signedIn(login, '/t/itsm_incident/new')
    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await page.locator('#field-subject').fill('my gyroscope drifts')
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog').getByRole('combobox')
    await palette.fill('search')
    await stage.settled(page)
    expect(await page.getByRole('option', { name: 'Search' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Search' }).count()).toBe(0)
    expect(sent.filter((path) => /collections|relevant/.test(path))).toEqual([])
    const other = await stage.signedIn('john.smith', '/')
    await other.getByRole('navigation').getByRole('link', { name: 'Search' }).waitFor()
  })

  test('has the filters of nobody else in the menu; the desk has the shared ones, and administrators no personal ones of others', async () => {
    const filtersOf = async (who: Parameters<typeof stage.signedIn>[0]): Promise<readonly string[]> => {
      const page = await stage.signedIn(who)
      // The first page may have asked already; its responses end with it.
      await page.goto('about:blank')
      const read = page.waitForResponse((response) => response.url().includes('/table/sys_filter?'))
      await page.goto(`${stage.baseUrl}/console/search`)
      const { data } = (await (await read).json()) as { readonly data: readonly unknown[] }
      await page.getByRole('searchbox').first().waitFor()
      const links = page
        .locator('nav section')
        .filter({ hasText: /Filters|Фильтры/ })
        .getByRole('link')
      await expect.poll(() => links.count()).toBe(data.length)
      return links.allTextContents()
    }
    expect(await filtersOf('john.smith')).toEqual([])
    const shared = ['Assigned to me', 'Changes of this week', 'Critical and high', 'Open incidents', 'Opened today']
    const ofDesk = [...shared, 'Overdue', 'Waiting in my groups']
    const trimmed = (titles: readonly string[]): readonly string[] => titles.map((title) => title.trim()).sort()
    expect(trimmed(await filtersOf('michael.brown'))).toEqual([...ofDesk, 'My team, unassigned'].sort())
    expect(trimmed(await filtersOf(admin))).toEqual([...ofDesk].sort())
  })
})

describe.skipIf(!hasChromium)('new records (issue 13)', () => {
  const stage = consoleStage()

  test('show what they will get, and send only what is given', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new')
    await page.locator('#field-subject').waitFor()
    await expect.poll(() => page.locator('#field-priority').inputValue()).toBe('3')
    await expect.poll(() => page.locator('#field-opened_by').inputValue()).toBe('Michael Brown')
    await page.locator('#field-subject').fill('Defaults')
    const request = page.waitForRequest((each) => each.method() === 'POST' && each.url().includes('/itsm_incident'))
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    expect((await request).postDataJSON()).toEqual({ subject: 'Defaults' })
    await page.getByRole('heading', { level: 1, name: /Defaults/ }).waitFor()
    await expect.poll(() => page.locator('#field-priority').inputValue()).toBe('3')
  })

  test('that nobody has touched are left without a question, and a field that is rejected is named by its title', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new?set=urgency=2')
    await page.locator('#field-subject').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Michael Brown' }).waitFor()
    await page.goto(`${stage.baseUrl}/console/t/itsm_change_request/new`)
    await page.locator('#field-subject').fill('Costs')
    await page.locator('#field-planned_cost').fill('a lot')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/The value of “Planned cost” is rejected/)
      .waitFor()
    await page.locator('#field-planned_cost').fill('12.50')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /Costs/ }).waitFor()
  })
})
