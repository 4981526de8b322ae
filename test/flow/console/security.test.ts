import { describe, expect, test } from 'vitest'
import { safeAddress } from '../../../console/src/form/rich-document.ts'
import { consoleStage, hasChromium, launchBrowser } from '../../harness/console-browser.ts'

/** Sentences of the security section that need a browser (issue 13, 4). */

test.each([
  ['https://example.com/a?b=c#d', true],
  ['http://example.com', true],
  ['mailto:anna@example.com', true],
  ['tel:+74951234567', true],
  ['javascript:alert(1)', false],
  ['JaVaScRiPt:alert(1)', false],
  [' \tjava\nscript:alert(1)', false],
  ['data:text/html,<script>alert(1)</script>', false],
  ['blob:https://example.com/1', false],
  ['file:///etc/passwd', false],
  ['vbscript:x', false],
  ['ftp://example.com', false],
  ['https://[', false],
  [7, false],
])('the address %s of a link is kept: %s', (address, isKept) => {
  expect(safeAddress(address)).toBe(isKept ? address : null)
})

describe.skipIf(!hasChromium)('the console protects its users (issue 13, 4)', () => {
  const stage = consoleStage()

  test('a tab with unsaved text keeps no row and no draft after signing out in another, and asks nothing', async () => {
    const sysId = await stage.makeIncident('Unsaved at the end')
    const form = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    // Browsers ask before a page is left only after the user has done something in it.
    await form.locator('#field-subject').click()
    await form.keyboard.type('Never saved')
    await form.locator('#composer').fill('Never sent')
    await expect.poll(() => form.evaluate(() => JSON.stringify(sessionStorage))).toContain('Never s')
    const other = await form.context().newPage()
    await other.goto(`${stage.docket.baseUrl}/console/t/task`)
    await other.getByRole('grid').waitFor()
    await other.getByRole('navigation').getByRole('button', { name: 'Michael Brown' }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const tab of [other, form]) {
      await tab.locator('input[name=password]').waitFor()
      expect(await tab.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).toBe('{}')
      expect(await tab.content()).not.toMatch(/Never s|Unsaved at the end/)
    }
    await form.goto(`${stage.docket.baseUrl}/console/t/itsm_incident/${sysId}`)
    await form.locator('input[name=password]').waitFor()
    expect(await form.content()).not.toMatch(/Never s|Unsaved at the end/)
  })

  test('no script of the page makes markup or a worker of a text; the one policy allows one address', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident')
    await page.getByRole('grid').waitFor()
    const attempts: Readonly<Record<string, string>> = {
      markup: `document.createElement('div').innerHTML = '<b>x</b>'`,
      parsed: `new DOMParser().parseFromString('<b>x</b>', 'text/html')`,
      worker: `new Worker('/console/assets/none.js')`,
      'shared worker': `new SharedWorker('/console/assets/none.js')`,
      script: `document.createElement('script').src = '/console/assets/none.js'`,
      'another policy': `trustedTypes.createPolicy('other', {})`,
      'the same policy again': `trustedTypes.createPolicy('docket-worker', {}) && trustedTypes.createPolicy('docket-worker', {})`,
    }
    for (const [what, code] of Object.entries(attempts)) {
      const outcome = await page.evaluate(
        `(() => { try { ${code}; return 'done' } catch (error) { return error.name } })()`,
      )
      expect([what, outcome]).toEqual([what, 'TypeError'])
    }
    expect(stage.takeComplaints().length).toBeGreaterThan(0)
  })

  test('over plain HTTP the sign-in page warns, except at a loopback address', async () => {
    const { port } = new URL(stage.docket.baseUrl)
    const browser = await launchBrowser(['--host-resolver-rules=MAP desk.test 127.0.0.1'])
    try {
      const page = await browser.newPage({ locale: 'en-GB' })
      const warning = page.getByText('This connection is not encrypted. Others on the network can read your password.')
      await page.goto(`http://desk.test:${port}/console`)
      await page.locator('input[name=password]').waitFor()
      expect(await warning.count()).toBe(1)
      await page.goto(`${stage.docket.baseUrl}/console`)
      await page.locator('input[name=password]').waitFor()
      expect(await warning.count()).toBe(0)
    } finally {
      await browser.close()
    }
  })
})
