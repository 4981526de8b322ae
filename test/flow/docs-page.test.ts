import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

/** Debian's; another one by DOCKET_TEST_CHROMIUM. */
const executablePath = process.env['DOCKET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'

// A real browser is no npm package. `.ci/run` installs Debian's; without one there is nothing to look through.
describe.skipIf(!existsSync(executablePath))(`the page /docs in a real browser (${executablePath})`, () => {
  let docket: RunningDocket
  let browser: Browser
  let page: Page
  let complaints: string[]
  let elsewhere: string[]

  beforeAll(async () => {
    docket = await startDocket()
    // A title that would be a script, were it taken for markup.
    await docket.database.rows(sql`
      update docket.sys_db_table set title = '<img src=x onerror=alert(1)>' where name = 'company'`)
    browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    })
  })
  afterAll(async () => {
    await browser.close()
    await docket.close()
  })

  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    complaints = []
    elsewhere = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('dialog', (dialog) => {
      complaints.push(`a dialog opened: ${dialog.message()}`)
      dialog.dismiss().catch(() => undefined)
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(docket.baseUrl) && !request.url().startsWith('data:')) elsewhere.push(request.url())
    })
    await page.goto(`${docket.baseUrl}/docs`)
    await page.locator('html[data-state=ready]').waitFor()
  })
  afterEach(async () => {
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
    await page.close()
  })

  async function signIn(password: string): Promise<void> {
    await page.getByLabel('User name').fill(admin.user)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  /** The tags of the document that whoever brings no credentials is given, in their order. */
  const partsForEverybody = async (): Promise<readonly string[]> => {
    const { tags } = (await (await fetch(`${docket.baseUrl}/openapi.json`)).json()) as { tags: { name: string }[] }
    return tags.map(({ name }) => name)
  }
  const namesInIndex = () => page.locator('#index li:not([hidden]) .name').allTextContents()

  test('tells everybody how the API works, and no table', async () => {
    expect(await namesInIndex()).toEqual(await partsForEverybody())
    expect(await namesInIndex()).toEqual(expect.arrayContaining(['Records', 'Documents', 'Search', 'Server']))
    await page.locator('#Records > summary').click()
    expect(await page.locator('#list pre').textContent()).toBe(
      `curl -H "Authorization: Bearer $KEY" '${docket.baseUrl}/rest/v1/table/task?sysparm_limit=3'`,
    )
  })

  test('says what was wrong with a login', async () => {
    await signIn('nope')
    await page.getByText('The credentials are wrong.').waitFor()
    // The browser itself notes the 401.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')])
  })

  test('shows who is signed in their tables, finds one, tries a request on it, and forgets all at sign-out', async () => {
    await signIn(admin.password)
    await page.getByText('Signed in as admin').waitFor()
    expect((await namesInIndex()).slice(0, 3)).toEqual(['company', 'employee', 'itsm_change_request'])
    expect(await page.locator('#index li .title').first().textContent()).toBe('<img src=x onerror=alert(1)>')

    await page.getByLabel('Find a table or a part').fill('incid')
    expect(await namesInIndex()).toEqual(['itsm_incident'])
    await page.locator('#index a[href="#itsm_incident"]').click()
    const part = page.locator('#itsm_incident')
    expect(await part.locator('.columns tbody th').allTextContents()).toContain('assigned_user')

    await part.locator('article').first().getByRole('button', { name: 'Try' }).click()
    await page.getByLabel('Path').fill('/rest/v1/table/itsm_incident?sysparm_query=subject=нет такой')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('#answer .good').waitFor()
    expect(JSON.parse((await page.locator('#answer code').textContent()) ?? '')).toEqual({ status: 'OK', data: [] })

    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('Find a table or a part').fill('')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(namesInIndex).toEqual(await partsForEverybody())
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('docket.key')
  })

  test('a POST is tried with its body', async () => {
    await signIn(admin.password)
    await page.locator('#task > summary').click()
    const create = page.locator('#task article', { hasText: 'Create one record' })
    await create.getByRole('button', { name: 'Try' }).click()
    expect(JSON.parse(await page.getByLabel('Body').inputValue())).toHaveProperty('subject')
    await page.getByLabel('Body').fill('{"subject":"Из браузера","prioriti":"1"}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('#answer .bad').waitFor()
    expect(await page.locator('#answer').textContent()).toContain('INVALID_VALUE')
    expect(complaints.splice(0)).toEqual([expect.stringContaining('422')])
  })

  test('fits a telephone', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.locator('#Access > summary').click()
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBe(360)
  })
})
