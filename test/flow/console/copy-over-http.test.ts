import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, launchBrowser, loginOf } from '../../harness/console-browser.ts'

/** Over plain HTTP, at another host than a loopback address, browsers offer pages no clipboard (issue 13, 4). */
describe.skipIf(!hasChromium)('copying over plain HTTP', () => {
  const stage = consoleStage()
  let browser: Browser | null = null
  beforeAll(async () => {
    browser = await launchBrowser(['--host-resolver-rules=MAP desk.test 127.0.0.1'])
  })
  afterAll(() => browser?.close())

  const origin = (): string => `http://desk.test:${new URL(stage.docket.baseUrl).port}`

  async function signedIn(path: string): Promise<Page> {
    if (browser === null) throw new Error('the browser has not been started')
    const page = await browser.newPage({ locale: 'en-GB' })
    page.setDefaultTimeout(60_000)
    const { user, password } = loginOf('michael.brown')
    await page.goto(`${origin()}/console${path}`)
    await page.locator('input[name=username]').fill(user)
    await page.locator('input[name=password]').fill(password)
    await page.locator('input[name=password]').press('Enter')
    await page.locator('main#page').waitFor()
    expect(await page.evaluate(`isSecureContext || 'clipboard' in navigator`)).toBe(false)
    return page
  }

  /** What Ctrl + V puts into the field in place of what is in it. */
  async function pastedInto(field: Locator): Promise<string> {
    await field.fill('')
    await field.press('Control+v')
    return field.inputValue()
  }

  test('the link of a record, the request that reads it, and the number of a failed request are copied', async () => {
    const sysId = await stage.makeIncident('Copied without a clipboard')
    const page = await signedIn(`/t/itsm_incident/${sysId}`)
    const note = page.locator('#composer')
    await note.fill('Typed before')
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('status').getByText('The link is copied.').waitFor()
    expect(await pastedInto(note)).toBe(`${origin()}/console/t/itsm_incident/${sysId}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Copy as Python', exact: true }).click()
    await page.getByRole('status').getByText('Copied.', { exact: true }).waitFor()
    // With its lines and spaces, character for character.
    expect(await pastedInto(note)).toMatch(
      new RegExp(
        `^import json\\nimport os\\n.*\\n    "${origin()}/rest/v1/table/itsm_incident/${sysId}",\\n.*\\n$`,
        's',
      ),
    )
    await note.fill('')
    const failed = page.waitForResponse(/\/rest\/v1\/table\/itsm_incident\/1(?:\?|$)/)
    await page.goto(`${origin()}/console/t/itsm_incident/1`)
    const id = (await failed).headers()['x-request-id'] ?? ''
    await page.getByRole('button', { name: id.slice(0, 8) }).click()
    await page.getByRole('status').getByText('Copied.', { exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    expect(await pastedInto(page.getByRole('combobox'))).toBe(id)
    await page.close()
  })

  test('an API key and a request of the API page are copied', async () => {
    const page = await signedIn('/me')
    const name = page.getByLabel('Name of the key')
    await name.fill('Copied key')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const made = page.getByRole('status').filter({ has: page.locator('code') })
    const key = (await made.locator('code').textContent()) ?? ''
    await made.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied.', { exact: true }).waitFor()
    expect(key).not.toBe('')
    expect(await pastedInto(name)).toBe(key)
    await page.goto(`${origin()}/console/api?table=itsm_incident&operation=itsm_incident.list`)
    const curl = page.locator('pre').filter({ hasText: /^curl/ }).first()
    const text = (await curl.textContent()) ?? ''
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
    await page.getByText('Copied.', { exact: true }).waitFor()
    const path = page.getByLabel('Path').first()
    // A field of one line has no line ends.
    expect((await pastedInto(path)).replaceAll(/\s+/g, ' ')).toBe(text.replaceAll(/\s+/g, ' '))
    await page.close()
  })

  test('what the browser does not copy is reported', async () => {
    const sysId = await stage.makeIncident('Not copied')
    const page = await signedIn(`/t/itsm_incident/${sysId}`)
    await page.evaluate(`document.execCommand = () => false`)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('status').getByText('Not copied: the browser does not allow it.').waitFor()
    await page.close()
  })
})
