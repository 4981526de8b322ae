import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { demoUsers } from '../../src/demo/demo-users.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { slowDown } from './slow-console.ts'
import { type RunningDocket, type StartDocketOptions, startDocket } from './start-docket.ts'
import { makeRoutesSure } from './sure-routes.ts'

/**
 * Chromium of Debian without the parts around the page, or with them if it is not there, or the one that DOCKET_TEST_CHROMIUM names. Both
 * lay out and run pages with the same engine; opening and using a page takes a third of the CPU without them.
 */
export const chromiumPath =
  process.env['DOCKET_TEST_CHROMIUM'] ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ??
  '/usr/bin/chromium'
export const hasChromium = existsSync(chromiumPath)

/** A browser for tests that start the server themselves. */
export const launchBrowser = (more: readonly string[] = []): Promise<Browser> => {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', ...more]
  return chromium.launch({ executablePath: chromiumPath, args })
}

/** Rules of axe whose result depends on colours. */
const colourRules = ['color-contrast', 'link-in-text-block']

const root = fileURLToPath(new URL('../..', import.meta.url))
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export type DemoUserName = (typeof demoUsers)[number]['userName']
export const loginOf = (user: DemoUserName) => ({
  user,
  password: demoUsers.find(({ userName }) => userName === user)?.password ?? '',
})

/** Resolves when the page has been drawn twice and its animations that end have ended. */
const drawn = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  Promise.allSettled(
    document.getAnimations()
      .filter((each) => Number.isFinite(Number(each.effect?.getComputedTiming().endTime)))
      .map((each) => each.finished)))`

/**
 * Resolves when the page has nothing to do. A response that has arrived is not displayed yet: on a busy machine, what the page makes of it,
 * and the request that follows from it, may come some frames later.
 */
const idle = `new Promise((resolve) => requestIdleCallback(() => resolve(), { timeout: 5_000 }))`

/** Prints what a failed test saw last: a failure that does not happen again can be explained only by it. */
async function reportPages(contexts: readonly BrowserContext[]): Promise<void> {
  for (const page of contexts.flatMap((context) => context.pages())) {
    const text = await page.evaluate<string>('document.body.innerText').catch(String)
    const focus = await page.evaluate<string>('document.activeElement?.outerHTML ?? ""').catch(String)
    process.stderr.write(`${page.url()} displays:\n${text.slice(0, 3_000)}\nThe focus is on ${focus.slice(0, 300)}\n`)
  }
}

export interface View {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly forcedColors?: 'active'
  readonly reducedMotion?: 'reduce'
}

/** The widths and themes in which screens are checked. */
export const views = [
  { width: 1_440, colorScheme: 'light' },
  { width: 1_440, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

/** The widths alone: `findingsInThemes` looks at a page in both themes. */
export const widths = [{ width: 1_440 }, { width: 390 }] as const

export interface Login {
  readonly user: string
  readonly password: string
}

/** The built console on a server with the demo desk, and real browsers. An error, a dialog or a request to another host fails the test. */
export interface ConsoleStage {
  readonly docket: RunningDocket
  /** The address that browsers open: that of the proxy, if there is one. */
  readonly baseUrl: string
  /** Only with `{ proxy: true }`. Each test ends with `heal()`. */
  readonly proxy: FaultProxy
  /** A separate browser in which nobody is signed in. */
  openBrowser(view?: View): Promise<Page>
  /** A separate browser in which the user has signed in and opened the path. */
  signedIn(who: DemoUserName | Login, path?: string, view?: View): Promise<Page>
  /** Waits until the page has loaded everything and nothing moves any more. The stream of events stays open. */
  settled(page: Page): Promise<void>
  /**
   * The findings of axe in the settled page, and a finding if the page scrolls horizontally.
   *
   * @param state `loading`: requests are held, and the page waits for them
   * @param rules `colours`: the page was checked in the other theme, which differs in nothing else
   */
  findings(page: Page, state?: 'loaded' | 'loading', rules?: 'all' | 'colours'): Promise<readonly string[]>
  /**
   * The findings in both themes, each with its theme, and a picture of both: of a scenario, they are kept in CI. Afterwards the page has the
   * light theme.
   */
  findingsInThemes(page: Page, picture?: string, kept?: 'kept in CI'): Promise<readonly string[]>
  /** Writes a screenshot into the folder of DOCKET_TEST_PICTURES; without this variable, nothing. */
  picture(page: Page, name: string): Promise<void>
  /** Pictures of the last screen of a scenario, in both themes and widths. In CI, without that folder, they are in `reports/pictures`. */
  scenarioPictures(page: Page, name: string): Promise<void>
  /** Errors that pages have reported so far. A test that causes them takes them: others fail the test. */
  takeComplaints(): readonly string[]
  /** Creates an incident of michael.brown. @returns its sys_id */
  makeIncident(subject: string, more?: object): Promise<string>
}

/** Starts before the tests of a file and stops after them. */
export function consoleStage(
  options: { readonly proxy?: true; readonly docket?: StartDocketOptions } = {},
): ConsoleStage {
  let docket: RunningDocket | null = null
  let proxy: FaultProxy | null = null
  let browser: Browser | null = null
  let complaints: string[] = []
  let otherHosts: string[] = []
  let contexts: BrowserContext[] = []
  const running = new WeakMap<Page, Set<Request>>()

  beforeAll(async () => {
    execFileSync(process.execPath, [join(root, 'tools', 'build-console.ts')], { stdio: 'pipe' })
    docket = await startDocket({ template: 'demo', ...options.docket })
    if (options.proxy === true) proxy = await startFaultProxy(docket.baseUrl)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await proxy?.close()
    await docket?.close()
  })
  beforeEach(() => {
    complaints = []
    otherHosts = []
    contexts = []
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await reportPages(contexts)
    proxy?.heal()
    for (const context of contexts) await context.close()
    expect({ complaints, otherHosts }).toEqual({ complaints: [], otherHosts: [] })
  })

  const server = (): RunningDocket => {
    if (docket === null) throw new Error('the server has not been started')
    return docket
  }

  const baseUrl = (): string => proxy?.url ?? server().baseUrl

  function follow(page: Page): void {
    makeRoutesSure(page)
    page.on('console', (message) => {
      // The page itself displays error responses.
      const isStatus = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isStatus) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('dialog', (dialog) => {
      complaints.push(`a dialog opened: ${dialog.message()}`)
      dialog.dismiss().catch(() => undefined)
    })
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(baseUrl()) && !url.startsWith('blob:')) otherHosts.push(url)
    })
    const requests = new Set<Request>()
    running.set(page, requests)
    page.on('request', (request) => {
      // A browser does not report the end of the script of a shared worker, and the stream of events has none.
      if (!/\/rest\/v1\/events|\/event-worker/.test(request.url())) requests.add(request)
    })
    page.on('requestfinished', (request) => requests.delete(request))
    page.on('requestfailed', (request) => requests.delete(request))
  }

  async function openBrowser(view: View = {}): Promise<Page> {
    if (browser === null) throw new Error('the browser has not been started')
    const { width = 1_440, height = 900, colorScheme = 'light', ...media } = view
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, ...media, locale: 'en-GB' })
    contexts.push(context)
    // A busy machine needs more than the 30 s that are the default.
    context.setDefaultTimeout(60_000)
    await slowDown(context)
    context.on('page', follow)
    return context.newPage()
  }

  async function signIn(page: Page, who: DemoUserName | Login, path: string): Promise<void> {
    const { user, password } = typeof who === 'string' ? loginOf(who) : who
    await page.goto(`${baseUrl()}/console${path}`)
    await page.locator('input[name=username]').fill(user)
    await page.locator('input[name=password]').fill(password)
    await page.locator('input[name=password]').press('Enter')
    await page.locator('main#page').waitFor()
  }

  async function signedIn(who: DemoUserName | Login, path = '/', view: View = {}): Promise<Page> {
    const page = await openBrowser(view)
    await signIn(page, who, path)
    return page
  }

  async function settled(page: Page): Promise<void> {
    const pending = (): readonly string[] => [...(running.get(page) ?? [])].map((request) => request.url())
    const afterDrawing = async (): Promise<readonly string[]> => {
      if (pending().length > 0) return pending()
      await page.evaluate(idle)
      await page.evaluate(drawn)
      return pending()
    }
    await expect.poll(afterDrawing).toEqual([])
  }

  async function findings(
    page: Page,
    state: 'loaded' | 'loading' = 'loaded',
    rules: 'all' | 'colours' = 'all',
  ): Promise<readonly string[]> {
    if (state === 'loading') await page.evaluate(drawn)
    else await settled(page)
    if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axeSource)
    const found = await page.evaluate(
      async (runOnly) => {
        const { axe } = globalThis as unknown as {
          axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
        }
        const { violations } = await axe.run({
          resultTypes: ['violations'],
          ...(runOnly.length > 0 ? { runOnly } : {}),
        })
        return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
      },
      rules === 'colours' ? colourRules : [],
    )
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
    return width > (page.viewportSize()?.width ?? width) ? [...found, `the page is ${width} px wide`] : found
  }

  const pictures = process.env['DOCKET_TEST_PICTURES']
  // Few pictures: they must not make the suite longer.
  const scenarioPictures = pictures ?? (process.env['CI'] === undefined ? undefined : join(root, 'reports', 'pictures'))

  async function writePicture(page: Page, name: string, folder: string | undefined): Promise<void> {
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
  }

  async function findingsInThemes(page: Page, name?: string, kept?: 'kept in CI'): Promise<readonly string[]> {
    const width = page.viewportSize()?.width
    const all: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const found = await findings(page, 'loaded', colorScheme === 'dark' ? 'colours' : 'all')
      all.push(...found.map((finding) => `${colorScheme}: ${finding}`))
      if (name !== undefined)
        await writePicture(page, `${name}-${width}-${colorScheme}`, kept === undefined ? pictures : scenarioPictures)
    }
    await page.emulateMedia({ colorScheme: 'light' })
    return all
  }

  async function writeScenarioPictures(page: Page, name: string): Promise<void> {
    if (scenarioPictures === undefined) return
    for (const { width, colorScheme } of views) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await settled(page)
      await writePicture(page, `${name}-${width}-${colorScheme}`, scenarioPictures)
    }
  }

  async function makeIncident(subject: string, more: object = {}): Promise<string> {
    const body = { subject, priority: '3', ...more }
    const created = await server().request('POST', '/rest/v1/table/itsm_incident', {
      as: loginOf('michael.brown'),
      body,
    })
    return (created.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  }

  return {
    get docket() {
      return server()
    },
    get baseUrl() {
      return baseUrl()
    },
    get proxy() {
      if (proxy === null) throw new Error('there is no proxy')
      return proxy
    },
    openBrowser,
    signedIn,
    settled,
    findings,
    findingsInThemes,
    picture: (page, name) => writePicture(page, name, pictures),
    scenarioPictures: writeScenarioPictures,
    takeComplaints: () => complaints.splice(0),
    makeIncident,
  }
}
