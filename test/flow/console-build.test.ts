import { execFile } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, launchBrowser, loginOf } from '../harness/console-browser.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type SpawnedDocket, spawnDocket, temporaryClone, temporaryFolder } from '../harness/spawn-docket.ts'

/** How the console is built at the start of a server, and what a tab does when the server gets another version (issue 13, 3). */

const root = fileURLToPath(new URL('../..', import.meta.url))
const accept = { accept: 'text/html' }
const command = '<pre>npm ci &amp;&amp; npm run build</pre>'

let fresh: FreshDatabase
let clone: { readonly folder: string; readonly node: string }
beforeAll(async () => {
  fresh = await freshDatabase('demo')
  clone = temporaryClone(0o700)
  // Copies, not links: the tests change sources.
  for (const part of ['console', 'packages', 'package-lock.json', 'tsconfig.json'])
    cpSync(join(root, part), join(clone.folder, part), {
      recursive: true,
      filter: (path) => !/\/console\/dist/.test(path),
    })
  mkdirSync(join(clone.folder, 'tools'))
  cpSync(join(root, 'tools', 'build-console.ts'), join(clone.folder, 'tools', 'build-console.ts'))
  rmSync(below('console', 'build-error.txt'), { force: true })
})
afterAll(() => fresh.drop())

const below = (...names: readonly string[]): string => join(clone.folder, ...names)
const build = (): Promise<unknown> => promisify(execFile)(clone.node, [below('tools', 'build-console.ts')])

/** The text of a source is put back after the work. */
async function withChanged<T>(file: string, change: (text: string) => string, work: () => Promise<T>): Promise<T> {
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, change(before))
  try {
    return await work()
  } finally {
    writeFileSync(file, before)
  }
}

async function withServer<T>(work: (docket: SpawnedDocket) => Promise<T>, port = '0'): Promise<T> {
  const environment = {
    DOCKET_DATABASE_URL: fresh.connectionString,
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_PORT: port,
    DOCKET_LOG_LEVEL: 'info',
  }
  const docket = await spawnDocket(environment, clone)
  try {
    return await work(docket)
  } finally {
    await docket.stop()
  }
}

async function pageOf({ address }: SpawnedDocket) {
  const response = await fetch(`${address}/console`, { headers: accept })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Everything but the console works. */
async function expectApi({ address }: SpawnedDocket): Promise<void> {
  const { user, password } = loginOf('michael.brown')
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const response = await fetch(`${address}/rest/v1/table/itsm_incident?sysparm_limit=1`, { headers: { authorization } })
  expect(response.status).toBe(200)
}

describe('a build at the start of the server (issue 13, 3)', () => {
  test('until it has ended, /console is a page that retries by itself, and the API responds', async () => {
    const go = join(temporaryFolder(), 'go')
    const hold = `\nimport { existsSync } from 'node:fs'\nwhile (!existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 20))\n`
    await withChanged(
      below('console', 'vite.config.ts'),
      (text) => text + hold,
      () =>
        withServer(async (docket) => {
          const { status, headers, text } = await pageOf(docket)
          expect([status, headers.get('retry-after'), headers.get('cache-control')]).toEqual([503, '1', 'no-store'])
          expect(text).toContain('<meta http-equiv="refresh" content="1">')
          expect(text).toContain('<h1>The console is being prepared</h1>')
          const asset = await fetch(`${docket.address}/console/assets/index.js`)
          expect(asset.status).toBe(404)
          await expectApi(docket)
          writeFileSync(go, '')
          await expect.poll(async () => (await pageOf(docket)).status, { timeout: 60_000 }).toBe(200)
          await expect.poll(() => docket.log()).toMatch(/built the console in \d+\.\d s/)
        }),
    )
    expect(existsSync(below('console', 'dist', 'fingerprint'))).toBe(true)
  })

  test('the page and the log say why it has failed; when it is repaired, no restart is needed', async () => {
    const main = below('console', 'src', 'main.tsx')
    const before = readFileSync(main, 'utf8')
    rmSync(below('console', 'dist'), { recursive: true, force: true })
    writeFileSync(main, `${before}\nconst broken = (\n`)
    await withServer(async (docket) => {
      await expect
        .poll(() => docket.log(), { timeout: 60_000 })
        .toContain('the console could not be built; the API is not affected')
      const { status, headers, text } = await pageOf(docket)
      expect([status, headers.get('retry-after')]).toEqual([503, null])
      expect(text).toContain('<h1>The console could not be built</h1>')
      expect(text).toContain(command)
      expect(text).toMatch(/main\.tsx/)
      expect(docket.log()).toMatch(/main\.tsx/)
      await expectApi(docket)
      writeFileSync(main, before)
      await build()
      expect((await pageOf(docket)).status).toBe(200)
    })
  })

  test('a build that is killed does not leave a page that waits for ever', async () => {
    rmSync(below('console', 'dist'), { recursive: true, force: true })
    await withChanged(
      below('console', 'vite.config.ts'),
      (text) => `${text}\nprocess.kill(process.pid, 'SIGKILL')\n`,
      () =>
        withServer(async (docket) => {
          await expect
            .poll(async () => (await pageOf(docket)).text, { timeout: 60_000 })
            .toContain('could not be built')
          await expectApi(docket)
        }),
    )
    rmSync(below('console', 'build-error.txt'))
  })

  test.each([
    ['without Vite', ['node_modules', 'vite'], /<pre>.*vite.*<\/pre>/i, 'The console could not be built'],
    ['without its sources', ['console', 'index.html'], /./, 'The console is not built'],
    ['without its build script', ['tools', 'build-console.ts'], /./, 'The console is not built'],
  ])('%s and without a built console, the page names the command', async (_name, names, reason, title) => {
    const away = join(temporaryFolder(), 'away')
    rmSync(below('console', 'dist'), { recursive: true, force: true })
    renameSync(below(...names), away)
    try {
      await withServer(async (docket) => {
        await expect.poll(async () => (await pageOf(docket)).text, { timeout: 60_000 }).toContain(`<h1>${title}</h1>`)
        const { status, text } = await pageOf(docket)
        expect(status).toBe(503)
        expect(text).toContain(command)
        expect(text).toMatch(reason)
        await expectApi(docket)
      })
    } finally {
      renameSync(away, below(...names))
      rmSync(below('console', 'build-error.txt'), { force: true })
    }
  })

  test('a release has the built console alone: nothing is built, and it is served', async () => {
    await build()
    const away = join(temporaryFolder(), 'src')
    renameSync(below('console', 'src'), away)
    renameSync(below('console', 'index.html'), `${away}.html`)
    try {
      await withServer(async (docket) => {
        expect((await pageOf(docket)).status).toBe(200)
        expect(docket.log()).not.toContain('built the console')
      })
    } finally {
      renameSync(away, below('console', 'src'))
      renameSync(`${away}.html`, below('console', 'index.html'))
    }
  })
})

describe.skipIf(!hasChromium)('a tab that is older than the server (issue 13, 3)', () => {
  let browser: Browser
  beforeAll(async () => {
    await build()
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  const updated = 'Docket was updated.'
  const notice = (page: Page) =>
    page.getByRole('status').getByText(`${updated} Save what you have typed, then reload the page.`)
  const versionOf = (page: Page): Promise<unknown> => page.evaluate('globalThis.testedVersion ?? 1')
  const palette = (page: Page) => page.getByRole('dialog').getByRole('combobox')

  test('reloads if nothing is unsaved; otherwise it offers the reload and keeps the input', async () => {
    const dialogs: string[] = []
    const openContext = async (): Promise<BrowserContext> => {
      const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, locale: 'en-GB' })
      context.on('page', (page) =>
        page.on('dialog', (dialog) => {
          dialogs.push(dialog.message())
          void dialog.accept()
        }),
      )
      return context
    }
    const [context, signedOut] = [await openContext(), await openContext()]
    let address = ''
    const signedIn = async (contextOfTab: BrowserContext): Promise<Page> => {
      const page = await contextOfTab.newPage()
      const { user, password } = loginOf('michael.brown')
      await page.goto(`${address}/console/t/itsm_incident`)
      await page.locator('input[name=username]').fill(user)
      await page.locator('input[name=password]').fill(password)
      await page.keyboard.press('Enter')
      await page.locator('[data-record] a').first().waitFor()
      return page
    }
    const tabs = await withServer(async (docket) => {
      address = docket.address
      const signIn = await signedIn(context)
      const open = async (path: string): Promise<Page> => {
        const page = await context.newPage()
        await page.goto(`${address}/console${path}`)
        await page.locator('main#page').waitFor()
        return page
      }
      const form = await open('/t/itsm_incident/new')
      await form.locator('#field-subject').fill('Typed before the update')
      const me = await open('/me')
      await me.locator('input[name=old]').fill('half a password')

      // A width that waits for the sign-in, whose dialog does not reach the tab.
      const waiting = await signedIn(signedOut)
      const widen = (): Promise<void> =>
        waiting.getByRole('columnheader', { name: 'Subject' }).getByRole('button').press('Alt+ArrowRight')
      const stored = waiting.waitForResponse(
        (response) => response.request().method() === 'POST' && response.url().includes('/sys_user_preference'),
      )
      await widen()
      await stored
      await waiting.route(/sign-in-again/, (route) => route.abort())
      await signedOut.clearCookies()
      await widen()
      await waiting.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()

      // A file on its way, whose form is left.
      const sending = await open('/t/itsm_incident')
      await sending.locator('[data-record] a').first().click()
      await sending.locator('#field-subject').waitFor()
      const sent = new Promise<void>((resolve) => {
        void sending.route(/attachments\/upload/, (route) =>
          route.request().method() === 'POST' ? resolve() : route.continue(),
        )
      })
      await sending
        .locator('input[type=file]')
        .setInputFiles({ name: 'on its way.txt', mimeType: 'text/plain', buffer: Buffer.from('text') })
      await sent
      await sending.getByRole('navigation').getByRole('link', { name: 'Home', exact: true }).click()
      await sending.locator('#field-subject').waitFor({ state: 'detached' })
      return { list: signIn, other: await open('/t/task'), form, me, waiting, sending }
    })
    // Another version: every script has another name.
    appendFileSync(
      below('console', 'src', 'facts.ts'),
      '\n;(globalThis as { testedVersion?: number }).testedVersion = 2\n',
    )
    await build()
    await withServer(async () => {
      const { list, other, form, me, waiting, sending } = tabs
      await list.keyboard.press('Control+k')
      await list.getByRole('status').getByText(updated, { exact: true }).waitFor()
      expect(await versionOf(list)).toBe(2)
      await list.keyboard.press('Control+k')
      await palette(list).waitFor()

      // A page that is missing, and that the browser has not kept: the tab reloads at the address that the user wanted.
      await other.getByRole('navigation').getByRole('link', { name: 'Search', exact: true }).click()
      await other.getByRole('status').getByText(updated, { exact: true }).waitFor()
      expect(new URL(other.url()).pathname).toBe('/console/search')
      await other.getByRole('searchbox').first().waitFor()
      expect(await versionOf(other)).toBe(2)

      await form.keyboard.press('Control+k')
      await notice(form).waitFor()
      expect([await versionOf(form), await form.locator('#field-subject').inputValue()]).toEqual([
        1,
        'Typed before the update',
      ])
      await form.getByRole('button', { name: 'Reload', exact: true }).click()
      await form.getByRole('status').getByText(updated, { exact: true }).waitFor()
      expect([await versionOf(form), await form.locator('#field-subject').inputValue()]).toEqual([
        2,
        'Typed before the update',
      ])

      await me.keyboard.press('Control+k')
      await notice(me).waitFor()
      expect([await versionOf(me), await me.locator('input[name=old]').inputValue()]).toEqual([1, 'half a password'])

      await waiting.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
      await notice(waiting).waitFor()
      await sending.keyboard.press('Control+k')
      await notice(sending).waitFor()
      expect([await versionOf(waiting), await versionOf(sending)]).toEqual([1, 1])
      expect(dialogs).toEqual([])
    }, new URL(address).port)
    for (const each of [context, signedOut]) await each.close()
  })
})
