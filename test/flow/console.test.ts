import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { demoUsers } from '../../src/demo/demo-users.ts'
import { sql } from '../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../harness/console-browser.ts'
import { countEventStreams } from '../harness/event-stream-count.ts'
import { focused } from '../harness/keyboard.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe.skipIf(!hasChromium)('the console in a real browser (issue 13)', () => {
  const stage = consoleStage()
  const { openBrowser, signedIn, findings, makeIncident } = stage
  const inMenu = (page: Page, name: string): Locator =>
    page.getByRole('navigation').getByRole('link', { name, exact: true })

  test('a browser at / comes to the sign-in page, which names the demo users', async () => {
    const page = await openBrowser()
    await page.goto(`${stage.docket.baseUrl}/`)
    await page.getByRole('heading', { name: 'Sign in to Docket' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console')
    await expect
      .poll(() => page.locator('section li strong').allTextContents())
      .toEqual(demoUsers.map(({ userName }) => userName))
    expect(await findings(page)).toEqual([])
  })

  test('a wrong password is explained, and no credential is left in the page', async () => {
    const page = await openBrowser()
    await page.goto(`${stage.docket.baseUrl}/console/login`)
    await page.locator('input[name=username]').fill('anna.petrova')
    await page.locator('input[name=password]').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The credentials are wrong.').waitFor()
    await page.locator('input[name=password]').fill(loginOf('anna.petrova').password)
    await page.keyboard.press('Enter')
    await inMenu(page, 'Назначено мне').waitFor()
    const kept = '({ ...localStorage, ...sessionStorage, cookie: document.cookie })'
    expect(await page.evaluate(kept)).toEqual({ 'docket.signed-in': 'ru', cookie: '' })
  })

  test('an agent filters by words, company and date without writing a query', async () => {
    const as = loginOf('michael.brown')
    const [found] = await stage.docket.database.rows<{ sys_id: string; name: string }>(
      sql`select sys_id, name from docket.company order by name limit 1`,
    )
    const company = found?.name ?? ''
    await makeIncident('Gyroscope drifts', { company: found?.sys_id })
    await makeIncident('Gyroscope drifts elsewhere')
    const page = await signedIn('michael.brown', '/t/itsm_incident')
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('/')
    const words = page.getByRole('searchbox')
    await focused(words)
    await page.keyboard.type('gyroscope')
    await words.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('123TEXTQUERY321=gyroscope')

    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByPlaceholder('Find a field').fill('company')
    await page.getByRole('dialog').getByRole('button', { name: 'Company company' }).click()
    await page.getByRole('combobox', { name: 'Company' }).fill(company)
    await page.getByRole('option', { name: company }).first().click()
    await page.getByRole('button', { name: 'Apply' }).click()

    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByPlaceholder('Find a field').fill('sys_created_at')
    await page.getByRole('dialog').getByRole('button', { name: 'Created sys_created_at' }).click()
    await page.getByLabel('this year').check()
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect
      .poll(() => new URL(page.url()).searchParams.get('q'))
      .toMatch(/^123TEXTQUERY321=gyroscope\^company=\d+\^sys_created_atONThis year$/)
    await page.getByRole('button', { name: `Company is ${company}`, exact: true }).waitFor()

    const query = new URL(page.url()).searchParams.get('q') ?? ''
    const counted = await stage.docket.request(
      'GET',
      `/rest/v1/stats/itsm_incident?sysparm_query=${encodeURIComponent(query)}`,
      { as },
    )
    const { count } = (counted.body as { data: { count: number }[] }).data[0] ?? { count: -1 }
    expect(count).toBe(1)
    await page.getByText('1 record', { exact: true }).waitFor()
    // The rows of the list before may still be there.
    await expect.poll(() => page.getByRole('row').count()).toBe(count + 1)
  })

  test('an agent works by keyboard alone: list, peek, open, change, save, note', async () => {
    const sysId = await makeIncident('Keyboard alone')
    const page = await signedIn('michael.brown', '/t/itsm_incident?q=subject=Keyboard alone')
    await page.getByRole('row', { name: /Keyboard alone/ }).press(' ')
    await page.getByRole('complementary', { name: 'Record' }).getByText('Keyboard alone').first().waitFor()
    await page.getByRole('row', { name: /Keyboard alone/ }).press('Enter')
    await page.getByRole('heading', { level: 1, name: /Keyboard alone/ }).waitFor()
    const subject = page.locator('#field-subject')
    await subject.press('End')
    await subject.pressSequentially(', saved')
    await subject.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    const composer = page.locator('#composer')
    await composer.pressSequentially('Looked at the switch')
    await composer.press('Control+Enter')
    await page.getByRole('listitem').filter({ hasText: 'Looked at the switch' }).waitFor()
    const [row] = await stage.docket.database.rows<{ subject: string }>(
      sql`select subject from docket.task where sys_id = ${sysId}`,
    )
    expect(row?.subject).toBe('Keyboard alone, saved')
  })

  test('a record moves to a state by the title of that state', async () => {
    const sysId = await makeIncident('State and undo')
    const page = await signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const states = page.getByRole('group', { name: 'Move to' })
    await states.getByRole('button').first().waitFor()
    const before = await page.locator('[data-state]').first().textContent()
    const target = await states.getByRole('button').first().textContent()
    await states.getByRole('button').first().click()
    await expect.poll(() => page.locator('[data-state]').first().textContent()).toBe(target)
    expect(before).not.toBe(target)
    // A double click moves once: its second click meets a state that has taken the place of the first one.
    await stage.settled(page)
    const next = await states.getByRole('button').first().textContent()
    await states.getByRole('button').first().hover()
    await page.mouse.down()
    await page.mouse.up()
    await expect.poll(() => page.locator('[data-state]').first().textContent()).toBe(next)
    await states.getByRole('button', { disabled: false }).first().waitFor()
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    await stage.settled(page)
    expect(await page.locator('[data-state]').first().textContent()).toBe(next)
    const moves = await stage.docket.request('GET', `/rest/v1/history/itsm_incident/${sysId}`, {
      as: loginOf('michael.brown'),
    })
    const changes = (moves.body as { data: { operation: string; changes: { column: string }[] }[] }).data
    const isMove = (each: (typeof changes)[number]): boolean =>
      each.operation === 'update' && each.changes.some(({ column }) => column === 'state')
    expect(changes.filter(isMove)).toHaveLength(2)
  })

  test('a value is changed and taken back by undo', async () => {
    const sysId = await makeIncident('Undo')
    const page = await signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.locator('#field-subject').fill('Undone soon')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('Undone.', { exact: true }).waitFor()
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Undo')
  })

  test('two agents change different fields: both changes stay; the same field: one of them decides', async () => {
    const sysId = await makeIncident('Two at once')
    const [one, other] = await Promise.all([
      signedIn('michael.brown', `/t/itsm_incident/${sysId}`),
      signedIn('maria.sokolova', `/t/itsm_incident/${sysId}`),
    ])
    await Promise.all([one.locator('#field-subject').waitFor(), other.locator('#field-subject').waitFor()])
    await one.locator('#field-priority').selectOption('2')
    await one.getByRole('button', { name: 'Save', exact: true }).click()
    await one.getByText('Saved.', { exact: true }).waitFor()
    await other.locator('#field-subject').fill('Two at once, second')
    await other.getByRole('button', { name: 'Сохранить' }).click()
    await other.getByText(/Сохранено. Тем временем: .*Приоритет/).waitFor()

    await one.locator('#field-subject').fill('Two at once, first')
    await one.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = one.getByRole('dialog', { name: 'Changed by two people' })
    await dialog.getByRole('radio').first().waitFor()
    expect(await findings(one)).toEqual([])
    expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(0)
    expect(await dialog.getByRole('button', { name: 'Save this' }).isDisabled()).toBe(true)
    await dialog.getByLabel(/Mine/).check()
    await dialog.getByRole('button', { name: 'Save this' }).click()
    // The notice of the save before may still be there.
    await expect
      .poll(() => stage.docket.database.rows(sql`select subject, priority from docket.task where sys_id = ${sysId}`))
      .toMatchObject([{ subject: 'Two at once, first', priority: '2' }])
  })

  test('a list shows what others change, and counts what others create', async () => {
    const sysId = await makeIncident('Live one')
    const streams = countEventStreams(stage.docket.baseUrl)
    const page = await signedIn('anna.petrova', '/t/itsm_incident?q=subjectSTARTSWITHLive')
    await page.getByRole('row', { name: /Live one/ }).waitFor()
    await expect.poll(() => streams.open()).toBeGreaterThan(0)
    streams.stop()
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('michael.brown'),
      body: { subject: 'Live one, changed' },
    })
    await page.getByRole('row', { name: /Live one, changed/ }).waitFor()
    await makeIncident('Live two')
    await page.getByRole('button', { name: '1 новая' }).click()
    await page.getByRole('row', { name: /Live two/ }).waitFor()
  })

  test('what was typed survives a reload, and leaving asks', async () => {
    const sysId = await makeIncident('Draft')
    const page = await signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.locator('#field-subject').fill('Draft, not saved')
    await page.getByRole('link', { name: 'Back to Incidents' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    page.removeAllListeners('dialog')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Draft, not saved')
  })

  test('a link leads to the same screen with the rights of whoever opens it', async () => {
    const sysId = await makeIncident('Nothing for callers')
    const path = `/t/itsm_incident/${sysId}`
    const agent = await signedIn('anna.petrova', path)
    await agent.getByRole('heading', { level: 1, name: /Nothing for callers/ }).waitFor()
    const caller = await signedIn('john.smith', path)
    await caller.getByText('This does not exist, or you do not have access to it.').waitFor()
    expect(await caller.content()).not.toContain('Nothing for callers')
  })

  test('after signing out, no tab of the browser shows or keeps anything', async () => {
    const page = await signedIn('michael.brown', '/t/itsm_incident')
    await page.getByRole('grid').waitFor()
    const second = await page.context().newPage()
    await second.goto(`${stage.docket.baseUrl}/console/t/task`)
    await second.getByRole('grid').waitFor()
    await page.getByRole('navigation').getByRole('button', { name: 'Michael Brown' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const tab of [page, second]) {
      await tab.locator('input[name=password]').waitFor()
      await expect.poll(() => tab.locator('[role=row]').count()).toBe(0)
      await expect.poll(() => tab.evaluate(() => JSON.stringify(sessionStorage))).toBe('{}')
    }
    const response = await page.request.get(`${stage.docket.baseUrl}/v1/auth/session`)
    expect(response.status()).toBe(401)
  })

  test('a session that ends asks for the password over the page, and loses nothing that was typed', async () => {
    const sysId = await makeIncident('Session ends')
    const page = await signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.locator('#field-subject').fill('Typed before the end')
    await page.context().clearCookies()
    // A request of the page that meets the end of the session first opens the dialog over the button, which is hidden from its role then.
    await page.getByRole('button', { name: 'Save', exact: true, includeHidden: true }).dispatchEvent('click')
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    await page.locator('input[name=password]').fill(loginOf('michael.brown').password)
    await page.locator('input[name=password]').press('Enter')
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor({ state: 'hidden' })
    expect(await page.locator('#field-subject').inputValue()).toBe('Typed before the end')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
  })

  test('markup in data stays text', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202eabc'
    const sysId = await makeIncident(hostile)
    const page = await signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.getByRole('heading', { level: 1 }).filter({ hasText: '<img src=x' }).waitFor()
    await page.goto(`${stage.docket.baseUrl}/console/t/itsm_incident?q=subjectSTARTSWITH<img`)
    await page.getByRole('row').filter({ hasText: '<img src=x' }).waitFor()
    expect(await page.locator('img[src=x]').count()).toBe(0)
  })

  test('a query that cannot be read is shown with the place of its fault', async () => {
    const page = await signedIn('michael.brown', '/t/itsm_incident?q=state=1^priority~2')
    await page.locator('#query-fault').getByText('Expected an operator after priority').waitFor()
  })

  test.each(widths)('axe finds nothing, and nothing scrolls sideways: $width px', async (view) => {
    const sysId = await makeIncident(`Axe ${view.width}`)
    const page = await signedIn('michael.brown', '/', view)
    // What a path displays when it has loaded.
    const paths: readonly (readonly [path: string, loaded: Locator])[] = [
      ['/', page.getByRole('main').getByRole('link', { name: 'Assigned to me' })],
      ['/t/itsm_incident?q=active=true^ORDERBYDESCopened_at', page.getByRole('row').nth(3)],
      [
        `/t/itsm_incident/${sysId}`,
        page.getByRole('complementary', { name: 'Activity' }).getByRole('listitem').first(),
      ],
      ['/t/itsm_incident/new', page.locator('#field-subject')],
      ['/t/itsm_incident?q=subject=nothing like it', page.getByText('Nothing matches the filter.')],
      ['/t/no_such_table', page.getByText('This does not exist, or you do not have access to it.')],
    ]
    for (const [path, loaded] of paths) {
      await page.goto(`${stage.docket.baseUrl}/console${path}`)
      await loaded.waitFor()
      const found = await stage.findingsInThemes(page)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect({ path, found, width }).toEqual({ path, found: [], width: view.width })
    }
  })
})

test('the parts of the console keep their budgets in bytes', () => {
  const printed = execFileSync(process.execPath, [join(root, 'tools', 'check-console-bytes.ts')], { encoding: 'utf8' })
  expect(printed.match(/^.*: \d+ bytes of \d+$/gm)).toHaveLength(7)
})
