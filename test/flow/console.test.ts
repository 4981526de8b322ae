import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { demoUsers } from '../../src/demo/demo-users.ts'
import { countEventStreams, type EventStreamCount } from '../harness/event-stream-count.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

/** Debian's; another one by DOCKET_TEST_CHROMIUM. */
const executablePath = process.env['DOCKET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const root = fileURLToPath(new URL('../..', import.meta.url))
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const passwordOf = (name: string): string => demoUsers.find(({ userName }) => userName === name)?.password ?? ''

describe.skipIf(!existsSync(executablePath))('the console in a real browser (issue 13)', () => {
  let docket: RunningDocket
  let browser: Browser
  let complaints: string[]
  let otherWorkers: string[]
  let contexts: BrowserContext[]
  let streams: EventStreamCount

  beforeAll(async () => {
    execFileSync(process.execPath, [join(root, 'tools', 'build-console.ts')], { stdio: 'pipe' })
    docket = await startDocket({ template: 'demo' })
    streams = countEventStreams(docket.baseUrl)
    browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    })
  })
  afterAll(async () => {
    await browser.close()
    streams.stop()
    await docket.close()
  })
  beforeEach(() => {
    complaints = []
    otherWorkers = []
    contexts = []
  })
  afterEach(async () => {
    for (const context of contexts) await context.close()
    expect({ complaints, otherWorkers }).toEqual({ complaints: [], otherWorkers: [] })
  })

  interface View {
    readonly width?: number
    readonly colorScheme?: 'light' | 'dark'
  }

  /** A separate browser. Errors in its console fail the test, except responses that the page itself explains. */
  async function openBrowser({ width = 1_440, colorScheme = 'light' }: View = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, locale: 'en-GB' })
    contexts.push(context)
    const page = await context.newPage()
    page.on('console', (message) => {
      const isStatus = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isStatus) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('dialog', (dialog) => {
      complaints.push(`a dialog opened: ${dialog.message()}`)
      dialog.dismiss().catch(() => undefined)
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(docket.baseUrl)) otherWorkers.push(request.url())
    })
    return page
  }

  async function signedIn(name: string, path = '/', view: View = {}): Promise<Page> {
    const page = await openBrowser(view)
    await page.goto(`${docket.baseUrl}/console${path}`)
    await page.locator('input[name=username]').fill(name)
    await page.locator('input[name=password]').fill(passwordOf(name))
    await page.keyboard.press('Enter')
    await page.locator('main#page').waitFor()
    return page
  }

  async function findings(page: Page): Promise<readonly string[]> {
    await page.evaluate(axeSource)
    return page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      }
      const { violations } = await axe.run()
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
    })
  }

  /** An active incident of the demo that michael.brown may change. */
  async function makeIncident(subject: string, more: object = {}): Promise<string> {
    const created = await docket.request('POST', '/rest/v1/table/itsm_incident', {
      as: { user: 'michael.brown', password: passwordOf('michael.brown') },
      body: { subject, priority: '3', ...more },
    })
    return (created.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  }

  test('a browser at / comes to the sign-in page, which names the demo users', async () => {
    const page = await openBrowser()
    await page.goto(`${docket.baseUrl}/`)
    await page.getByRole('heading', { name: 'Sign in to Docket' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console')
    expect(await page.locator('section li strong').allTextContents()).toEqual(demoUsers.map(({ userName }) => userName))
    expect(await findings(page)).toEqual([])
  })

  test('a wrong password is explained, and no credential is left in the page', async () => {
    const page = await openBrowser()
    await page.goto(`${docket.baseUrl}/console/login`)
    await page.locator('input[name=username]').fill('anna.petrova')
    await page.locator('input[name=password]').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The credentials are wrong.').waitFor()
    await page.locator('input[name=password]').fill(passwordOf('anna.petrova'))
    await page.keyboard.press('Enter')
    await page.getByRole('navigation').getByRole('link', { name: 'Назначено мне' }).waitFor()
    const kept = '({ ...localStorage, ...sessionStorage, cookie: document.cookie })'
    expect(await page.evaluate(kept)).toEqual({ 'docket.signed-in': '1', cookie: '' })
  })

  test('an agent filters by words, company and date without writing a query', async () => {
    const as = { user: 'michael.brown', password: passwordOf('michael.brown') }
    const [found] = await docket.database.rows<{ sys_id: string; name: string }>(
      sql`select sys_id, name from docket.company order by name limit 1`,
    )
    const company = found?.name ?? ''
    await makeIncident('Gyroscope drifts', { company: found?.sys_id })
    await makeIncident('Gyroscope drifts elsewhere')
    const page = await signedIn('michael.brown', '/t/itsm_incident')
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('gyroscope')
    await page.keyboard.press('Enter')
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
    const counted = await docket.request(
      'GET',
      `/rest/v1/stats/itsm_incident?sysparm_query=${encodeURIComponent(query)}`,
      { as },
    )
    const { count } = (counted.body as { data: { count: number }[] }).data[0] ?? { count: -1 }
    expect(count).toBe(1)
    await page.getByText(count === 1 ? '1 record' : `${count} records`, { exact: true }).waitFor()
    await page.getByRole('row').nth(1).waitFor()
    expect(await page.getByRole('row').count()).toBe(count + 1)
  })

  test('an agent works by keyboard alone: list, peek, open, change, save, note', async () => {
    const sysId = await makeIncident('Keyboard alone')
    const page = await signedIn('michael.brown', '/t/itsm_incident?q=subject=Keyboard alone')
    await page.getByRole('row', { name: /Keyboard alone/ }).waitFor()
    await page.getByRole('row', { name: /Keyboard alone/ }).focus()
    await page.keyboard.press(' ')
    await page.getByRole('complementary', { name: 'Record' }).getByText('Keyboard alone').first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /Keyboard alone/ }).waitFor()
    await page.locator('#field-subject').focus()
    await page.keyboard.press('End')
    await page.keyboard.type(', saved')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.').waitFor()
    await page.locator('#composer').focus()
    await page.keyboard.type('Looked at the switch')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('listitem').filter({ hasText: 'Looked at the switch' }).waitFor()
    const [row] = await docket.database.rows<{ subject: string }>(
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
  })

  test('a value is changed and taken back by undo', async () => {
    const sysId = await makeIncident('Undo')
    const page = await signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.locator('#field-subject').fill('Undone soon')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    expect(await page.locator('#field-subject').inputValue()).toBe('Undo')
  })

  test('two agents change different fields: both changes stay; the same field: one of them decides', async () => {
    const sysId = await makeIncident('Two at once')
    const [one, other] = await Promise.all([
      signedIn('michael.brown', `/t/itsm_incident/${sysId}`),
      signedIn('maria.sokolova', `/t/itsm_incident/${sysId}`),
    ])
    await Promise.all([one.locator('#field-subject').waitFor(), other.locator('#field-subject').waitFor()])
    await one.locator('#field-priority').selectOption('2')
    await one.getByRole('button', { name: 'Save' }).click()
    await one.getByText('Saved.').waitFor()
    await other.locator('#field-subject').fill('Two at once, second')
    await other.getByRole('button', { name: 'Сохранить' }).click()
    await other.getByText(/Сохранено. Тем временем: .*Приоритет/).waitFor()

    await one.locator('#field-subject').fill('Two at once, first')
    await one.getByRole('button', { name: 'Save' }).click()
    const dialog = one.getByRole('dialog', { name: 'Changed by two people' })
    await dialog.waitFor()
    expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(0)
    expect(await dialog.getByRole('button', { name: 'Save this' }).isDisabled()).toBe(true)
    expect(await findings(one)).toEqual([])
    await dialog.getByLabel(/Mine/).check()
    await dialog.getByRole('button', { name: 'Save this' }).click()
    // The notice of the save before may still be there.
    await expect
      .poll(() => docket.database.rows(sql`select subject, priority from docket.task where sys_id = ${sysId}`))
      .toMatchObject([{ subject: 'Two at once, first', priority: '2' }])
  })

  test('a list shows what others change, and counts what others create', async () => {
    const sysId = await makeIncident('Live one')
    const page = await signedIn('anna.petrova', '/t/itsm_incident?q=subjectSTARTSWITHLive')
    await page.getByRole('row', { name: /Live one/ }).waitFor()
    await expect.poll(() => streams.open()).toBeGreaterThan(0)
    await docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: { user: 'michael.brown', password: passwordOf('michael.brown') },
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
    await second.goto(`${docket.baseUrl}/console/t/task`)
    await second.getByRole('grid').waitFor()
    await page.getByRole('button', { name: 'Michael Brown' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const tab of [page, second]) {
      await tab.locator('input[name=password]').waitFor()
      expect(await tab.locator('[role=row]').count()).toBe(0)
      expect(await tab.evaluate(() => JSON.stringify(sessionStorage))).toBe('{}')
    }
    const response = await page.request.get(`${docket.baseUrl}/v1/auth/session`)
    expect(response.status()).toBe(401)
  })

  test('a session that ends asks for the password over the page, and loses nothing that was typed', async () => {
    const sysId = await makeIncident('Session ends')
    const page = await signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.locator('#field-subject').fill('Typed before the end')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    await page.locator('input[name=password]').fill(passwordOf('michael.brown'))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor({ state: 'hidden' })
    expect(await page.locator('#field-subject').inputValue()).toBe('Typed before the end')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
  })

  test('markup in data stays text', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202eabc'
    const sysId = await makeIncident(hostile)
    const page = await signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.getByRole('heading', { level: 1 }).filter({ hasText: '<img src=x' }).waitFor()
    await page.goto(`${docket.baseUrl}/console/t/itsm_incident?q=subjectSTARTSWITH<img`)
    await page.getByRole('row').filter({ hasText: '<img src=x' }).waitFor()
    expect(await page.locator('img[src=x]').count()).toBe(0)
  })

  test('a query that cannot be read is shown with the place of its fault', async () => {
    const page = await signedIn('michael.brown', '/t/itsm_incident?q=state=1^priority~2')
    await page.locator('#query-fault').getByText('Expected an operator after priority').waitFor()
  })

  test.each([
    { width: 1_440, colorScheme: 'light' },
    { width: 1_440, colorScheme: 'dark' },
    { width: 390, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
  ] as const)('axe finds nothing, and nothing scrolls sideways: $width px, $colorScheme', async (view) => {
    const sysId = await makeIncident(`Axe ${view.width} ${view.colorScheme}`)
    const page = await signedIn('michael.brown', '/', view)
    await page.getByRole('navigation').getByRole('link', { name: 'Assigned to me' }).waitFor()
    const paths = [
      '/',
      '/t/itsm_incident?q=active=true^ORDERBYDESCopened_at',
      `/t/itsm_incident/${sysId}`,
      '/t/itsm_incident/new',
      '/t/itsm_incident?q=subject=nothing like it',
      '/t/no_such_table',
    ]
    for (const path of paths) {
      await page.goto(`${docket.baseUrl}/console${path}`)
      await page.locator('main#page').waitFor()
      await page.waitForLoadState('networkidle', { timeout: 4_000 }).catch(() => undefined)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect({ path, findings: await findings(page), width }).toEqual({ path, findings: [], width: view.width })
    }
  })
})

test('the parts of the console keep their budgets in bytes', () => {
  execFileSync(process.execPath, [join(root, 'tools', 'build-console.ts')], { stdio: 'pipe' })
  const folder = join(root, 'console', 'dist', 'assets')
  const sizesOf = (part: RegExp): readonly number[] =>
    readdirSync(folder)
      .filter((name) => part.test(name))
      .map((name) => readFileSync(join(folder, name)).length)
      .sort((one, other) => one - other)
  const bytes = (part: RegExp): number => sizesOf(part).reduce((sum, size) => sum + size, 0)
  const page = readFileSync(join(root, 'console', 'dist', 'index.html'), 'utf8')
  const first = [...page.matchAll(/assets\/([\w-]+)-[\w-]{8}\.js"/g)].map(([, name]) => name)
  const scripts = bytes(new RegExp(`^(${first.join('|')})-[\\w-]{8}\\.js\\.gz$`))
  const [small = 0, whole = 0] = sizesOf(/^en-[\w-]{8}\.js\.gz$/)
  const signIn = scripts + small
  const firstList = scripts + whole + bytes(/^app-.*\.js\.gz$/)
  expect(first).toContain('index')
  expect(small).toBeLessThan(whole)
  expect(signIn).toBeGreaterThan(40_000)
  expect(signIn).toBeLessThanOrEqual(90_000)
  expect(firstList).toBeLessThanOrEqual(220_000)
  expect(bytes(/\.css\.gz$/)).toBeLessThanOrEqual(25_000)
})
