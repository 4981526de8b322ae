import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import {
  type ConsoleStage,
  consoleStage,
  type DemoUserName,
  hasChromium,
  launchBrowser,
  loginOf,
} from '../../harness/console-browser.ts'
import { isPainted } from '../../harness/open-page.ts'
import { startDocket } from '../../harness/start-docket.ts'

/** The first list as HTML, and how the console replaces it (docs/decisions/0046-first-list-from-the-server.md). */

const list = '/t/itsm_incident?q=active=true^ORDERBYDESCopened_at'
/** What a person sees of a list: titles, navigation and cells. */
const seen = (within: string): string => `(() => {
  const all = (selector) => [...document.querySelectorAll('${within} ' + selector)].map((each) => each.textContent)
  const rows = [...document.querySelectorAll('${within} [role=row]')].slice(0, 20)
  return {
    title: all('h1'),
    links: all('nav a'),
    buttons: all('header button'),
    columns: all('[role=columnheader]'),
    rows: rows.map((row) => [...row.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent)),
    lefts: [...rows[1].querySelectorAll('[role=gridcell]')].map((cell) => Math.round(cell.getBoundingClientRect().left)),
    tops: rows.map((row) => Math.round(row.getBoundingClientRect().top)),
  }
})()`

/** The counts of the saved filters come when all else is there. The total of a list has an order. */
const isFilterCount = (address: string): boolean => {
  const { searchParams } = new URL(address)
  return searchParams.get('sysparm_limit') === '1' && searchParams.get('sysparm_query')?.includes('ORDERBY') === false
}

interface Options {
  /** Without the embedded responses: the console requests everything. */
  readonly isBare?: boolean
  /** The path below which the server is. */
  readonly prefix?: string
}

/** The page with its list, and with the script of the console, which waits until it is released. */
async function openHeld(
  stage: Pick<ConsoleStage, 'baseUrl'>,
  page: Page,
  path: string,
  { isBare = false, prefix = '' }: Options = {},
) {
  const held: Route[] = []
  let isHeld = true
  await page.route(/\/assets\/(index|start)-[^/]*\.js$/, async (route) => {
    if (isHeld) held.push(route)
    else await route.continue()
  })
  await page.route(
    ({ pathname }) => pathname === `${prefix}/console${path.split('?')[0]}`,
    async (route) => {
      if (route.request().resourceType() !== 'document') return route.continue()
      // The server does not wait long for a list: on a busy machine, pages are sent without one now and then.
      for (;;) {
        const response = await route.fetch()
        const text = await response.text()
        if (!isPainted({ text })) continue
        const body = isBare ? text.replace(/<script type="application\/json".*<\/script>(?=<\/div>)/s, '') : text
        return route.fulfill({ response, body })
      }
    },
  )
  await page.goto(`${stage.baseUrl}/console${path}`, { waitUntil: 'commit' })
  return {
    painted: page.locator('#painted-list'),
    async release() {
      isHeld = false
      for (const route of held) await route.continue()
    },
    async fail() {
      for (const route of held) await route.abort()
    },
  }
}

const isVisible = (page: Page): Promise<unknown> =>
  expect.poll(() => page.evaluate(`document.getElementById('painted-list')?.style.visibility`)).toBe('visible')

describe.skipIf(!hasChromium)('the first list from the server (decision 0046)', () => {
  const stage = consoleStage()

  async function signOut(page: Page, name: string): Promise<void> {
    await page.getByRole('navigation').getByRole('button', { name }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }

  test.each<DemoUserName>(['michael.brown', 'anna.petrova', 'john.smith'])(
    '%s sees the same before and after the script of the console, which sends no request of its own',
    async (user) => {
      const page = await stage.signedIn(user)
      // The page before may still be sending requests.
      await page.goto('about:blank')
      const requests: string[] = []
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (/^\/(rest|v1)\//.test(pathname) && !isFilterCount(request.url())) requests.push(pathname)
      })
      const { painted, release } = await openHeld(stage, page, list)
      await isVisible(page)
      const before = await page.evaluate(seen('#painted-list'))
      expect((before as { rows: unknown[] }).rows.length).toBeGreaterThan(1)
      expect(await page.getByRole('grid').count()).toBe(0)
      await release()
      await page.getByRole('grid').waitFor()
      await painted.waitFor({ state: 'detached' })
      expect(await page.evaluate(seen('#root'))).toEqual(before)
      await stage.settled(page)
      expect(requests.filter((path) => path !== '/rest/v1/events')).toEqual([])
      expect(await page.locator('#responses > *').count()).toBe(0)
    },
  )

  test('a list of more than 10,000 records is painted, with its bar', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name)
      select docket_system.new_sys_id(), 'Long ' || lpad(n::text, 5, '0') from generate_series(1, 10001) as n`)
    const page = await stage.signedIn('michael.brown')
    const { painted, release } = await openHeld(stage, page, '/t/company?q=nameSTARTSWITHLong^ORDERBYname&cols=name')
    await isVisible(page)
    await painted.getByText('more than 10,000 records', { exact: true }).waitFor()
    await painted.getByText('Records 1 to 100', { exact: true }).waitFor()
    await release()
    await page.getByRole('grid').waitFor()
    await painted.waitFor({ state: 'detached' })
  })

  test('a row that the script has displayed takes keys, and links of the list before it work', async () => {
    const page = await stage.signedIn('michael.brown')
    const { painted, release } = await openHeld(stage, page, list)
    await isVisible(page)
    const link = painted.locator('[role=gridcell] a').first()
    const number = await link.textContent()
    await release()
    await page.getByRole('row').nth(1).press('ArrowDown')
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-rowindex")')).toBe('3')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    const again = await openHeld(stage, page, list)
    await isVisible(page)
    await again.painted.locator('[role=gridcell] a').first().click({ noWaitAfter: true })
    await page.waitForURL(/\/t\/itsm_incident\/\d+$/, { waitUntil: 'commit' })
    await again.release()
    await page
      .getByRole('heading', { level: 1 })
      .filter({ hasText: String(number) })
      .waitFor()
  })

  test('without the script, the list stays, says what is wrong, and leads to another attempt', async () => {
    const page = await stage.signedIn('michael.brown')
    const { painted, fail } = await openHeld(stage, page, list)
    await isVisible(page)
    await fail()
    const alert = page.getByRole('alert').filter({ hasText: 'A part of this page cannot be loaded' })
    await alert.waitFor()
    expect(await painted.locator('[role=row]').count()).toBeGreaterThan(2)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await alert.getByRole('link', { name: 'Try again' }).click()
    await page.getByRole('grid').waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('active=true^ORDERBYDESCopened_at')
  })

  test('an error of the rows replaces it', async () => {
    const page = await stage.signedIn('michael.brown')
    const { painted, release } = await openHeld(stage, page, list, { isBare: true })
    await isVisible(page)
    await page.route(/\/rest\/v1\/table\/itsm_incident/, (route) =>
      route.fulfill({
        status: 400,
        contentType: 'application/json',
        body: '{"status":"ERROR","errors":[{"message":"Broken on purpose"}]}',
      }),
    )
    await release()
    await page.getByRole('alert').first().waitFor()
    await painted.waitFor({ state: 'detached' })
  })

  test('a missing right replaces it', async () => {
    const page = await stage.signedIn('michael.brown')
    const { painted, release } = await openHeld(stage, page, list, { isBare: true })
    await isVisible(page)
    await page.route(/\/rest\/v1\/meta\/itsm_incident/, (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/json',
        body: '{"status":"ERROR","errors":[{"message":"Denied on purpose"}]}',
      }),
    )
    await release()
    await page.getByRole('alert').first().waitFor()
    await painted.waitFor({ state: 'detached' })
  })

  test('an empty list replaces it', async () => {
    const sysId = await stage.makeIncident('Gone before the script')
    const page = await stage.signedIn('michael.brown')
    const path = '/t/itsm_incident?q=subject=Gone before the script'
    const { painted, release } = await openHeld(stage, page, path, { isBare: true })
    await isVisible(page)
    const { status } = await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('michael.brown'),
      body: { subject: 'Another one' },
    })
    expect(status).toBe(200)
    await release()
    await page.getByText('No records match').or(page.locator('#list-body button')).first().waitFor()
    await painted.waitFor({ state: 'detached' })
  })

  test('the sign-in page replaces it when the session has ended', async () => {
    const page = await stage.signedIn('michael.brown')
    const { painted, release } = await openHeld(stage, page, list, { isBare: true })
    await isVisible(page)
    await page.context().clearCookies()
    await release()
    await page.locator('input[name=password]').waitFor()
    await painted.waitFor({ state: 'detached' })
    expect(await page.content()).not.toMatch(/INC\d{7}/)
  })

  test('the dialog that asks to sign in again replaces it', async () => {
    const page = await stage.signedIn('michael.brown')
    const { painted, release } = await openHeld(stage, page, list, { isBare: true })
    await isVisible(page)
    await page.route(/\/rest\/v1\//, (route) =>
      route.fulfill({
        status: 401,
        contentType: 'application/json',
        body: '{"status":"ERROR","errors":[{"code":"UNAUTHENTICATED","message":"x"}]}',
      }),
    )
    await release()
    await page.locator('input[name=password]').waitFor()
    await painted.waitFor({ state: 'detached' })
  })

  test('signing out in another tab takes it away before the script has begun', async () => {
    const page = await stage.signedIn('michael.brown', list)
    const other = await page.context().newPage()
    const { painted } = await openHeld(stage, other, list)
    await isVisible(other)
    await other.unrouteAll({ behavior: 'ignoreErrors' })
    await signOut(page, 'Michael Brown')
    await other.locator('input[name=password]').waitFor()
    expect(await painted.count()).toBe(0)
    expect(await other.content()).not.toMatch(/INC\d{7}/)
  })

  test('"back" after signing out leads to no row', async () => {
    const page = await stage.signedIn('michael.brown')
    const { release } = await openHeld(stage, page, list)
    await release()
    await page.getByRole('grid').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.goto(`${stage.baseUrl}/console/me`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await signOut(page, 'Michael Brown')
    await page.locator('input[name=password]').waitFor()
    await page.goBack()
    await page.locator('input[name=password]').waitFor()
    expect(await page.content()).not.toMatch(/INC\d{7}/)
  })

  test('a change after the list was read is displayed in a second tab, too', async () => {
    const sysId = await stage.makeIncident('Before the change')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectENDSWITHchange')
    await page.getByText('Before the change').waitFor()
    await stage.settled(page)
    const second = await page.context().newPage()
    const { release } = await openHeld(stage, second, '/t/itsm_incident?q=subjectENDSWITHchange')
    await isVisible(second)
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('anna.petrova'),
      body: { subject: 'After the change' },
    })
    await page.getByText('After the change').waitFor()
    await release()
    await second.locator('#root').getByText('After the change').waitFor()
  })

  test('below a prefix, the console requests nothing again', async () => {
    let target = ''
    // As a proxy that serves Docket below a path.
    const proxy = createServer((request, response) => {
      const { method, headers, url = '' } = request
      const sent = httpRequest(`${target}${url.replace(/^\/desk/, '')}`, { method, headers }, (received) => {
        response.writeHead(received.statusCode ?? 502, received.headers)
        received.pipe(response)
      })
      request.pipe(sent.on('error', () => response.destroy()))
      response.on('close', () => sent.destroy())
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const below = await startDocket({ template: 'demo', environment: { DOCKET_BASE_URL: `${origin}/desk` } })
    target = below.baseUrl
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(`${origin}/desk/console`)
      const { user, password } = loginOf('michael.brown')
      await page.locator('input[name=username]').fill(user)
      await page.locator('input[name=password]').fill(password)
      await page.keyboard.press('Enter')
      await page.locator('main#page').waitFor()
      await page.goto('about:blank')
      const requests: string[] = []
      page.on('request', (each) => !isFilterCount(each.url()) && requests.push(new URL(each.url()).pathname))
      const { release } = await openHeld({ baseUrl: `${origin}/desk` }, page, list, { prefix: '/desk' })
      await isVisible(page)
      await release()
      await page.getByRole('grid').waitFor()
      await page.waitForFunction(`document.querySelector('#responses > *') === null`)
      expect(requests.filter((path) => /^\/desk\/(rest|v1)\/(?!v1\/events)/.test(path))).toEqual([])
    } finally {
      await browser.close()
      await below.close()
      proxy.close()
    }
  })

  test('a narrow screen gets its own list at once', async () => {
    const page = await stage.signedIn('michael.brown', '/', { width: 390 })
    const { painted, release } = await openHeld(stage, page, list)
    await painted.waitFor({ state: 'detached' })
    await release()
    await page.getByRole('grid').waitFor()
  })

  test('theme and density are those of the user, and rows of another density are not displayed', async () => {
    const page = await stage.signedIn('elena.volkova', '/me')
    const stored = (method: 'POST' | 'PATCH') =>
      page.waitForResponse((each) => each.request().method() === method && each.url().includes('sys_user_preference'))
    const theme = stored('POST')
    await page
      .getByRole('radio', { name: 'Dark' })
      .or(page.getByRole('radio', { name: 'Тёмная' }))
      .check()
    await theme
    const density = stored('PATCH')
    await page
      .getByRole('radio', { name: 'Comfortable' })
      .or(page.getByRole('radio', { name: 'Просторно' }))
      .check()
    await density
    const look = '({ ...document.documentElement.dataset })'
    expect(await page.evaluate(look)).toEqual({ theme: 'dark', density: 'comfortable' })
    const fresh = await stage.signedIn('elena.volkova')
    await fresh.evaluate(`localStorage.removeItem('docket.look')`)
    const { painted, release } = await openHeld(stage, fresh, list)
    await isVisible(fresh)
    expect(await fresh.evaluate(look)).toEqual({ theme: 'dark', density: 'comfortable' })
    const before = await fresh.evaluate(seen('#painted-list'))
    await release()
    await painted.waitFor({ state: 'detached' })
    expect(await fresh.evaluate(seen('#root'))).toEqual(before)
    await fresh.unrouteAll({ behavior: 'ignoreErrors' })
    await fresh.evaluate(`localStorage.setItem('docket.look', '{"theme":"light","density":"compact"}')`)
    const newer = await openHeld(stage, fresh, list)
    await newer.painted.waitFor({ state: 'detached' })
    expect(await fresh.evaluate(look)).toEqual({ theme: 'light', density: 'compact' })
    await newer.release()
    await fresh.getByRole('grid').waitFor()
  })

  test('hostile data is text before and after', async () => {
    const subject = `R</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>" style="x \u2028\u202e‡`
    await stage.makeIncident(subject)
    const page = await stage.signedIn('michael.brown')
    const { painted, release } = await openHeld(stage, page, '/t/itsm_incident?q=subjectSTARTSWITHR%3C/script')
    await isVisible(page)
    await painted.getByText(subject).waitFor()
    const before = await page.evaluate(seen('#painted-list'))
    await release()
    await painted.waitFor({ state: 'detached' })
    expect(await page.evaluate(seen('#root'))).toEqual(before)
    expect(await page.locator('img[src=x]').count()).toBe(0)
  })
})
