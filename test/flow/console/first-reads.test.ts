import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('what is read for the first time and takes long (issue 13)', () => {
  const stage = consoleStage({ proxy: true })

  const goTo = async (page: Page, path: string): Promise<void> => {
    await page.evaluate(`history.pushState({}, '', '/console${path}')`)
    await page.evaluate(`dispatchEvent(new PopStateEvent('popstate'))`)
  }
  const cancel = (page: Page) => page.getByRole('button', { name: 'Cancel', exact: true })
  const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again', exact: true })
  /** Everything on the page that takes long. */
  const waitAndCancel = async (page: Page): Promise<void> => {
    await page.getByText('Still working…').first().waitFor()
    const left = async (): Promise<number> => {
      if ((await cancel(page).count()) > 0) await cancel(page).first().click()
      return page.getByRole('status', { name: 'Loading' }).count()
    }
    await expect.poll(left).toBe(0)
    await page.getByRole('alert').getByText('Cancelled.').first().waitFor()
  }

  test.each([
    {
      what: 'queues of the home page',
      path: '/',
      held: /^GET \/rest\/v1\/table\/task\?.*sysparm_limit=12\b/,
      there: '[data-queue] li',
    },
    {
      what: 'the table of a list',
      path: '/t/sys_group',
      held: /^GET \/rest\/v1\/meta\/sys_group/,
      there: '[role=row][data-record]',
    },
    { what: 'the sessions', path: '/me', held: /^GET \/v1\/auth\/sessions/, there: 'text=this one' },
    { what: 'the API', path: '/api', held: /^GET \/openapi\.json/, there: 'nav input[type=search]' },
  ])('$what: says so, is cancelled, and is read when it is wanted again', async ({ path, held, there }) => {
    const page = await stage.signedIn('michael.brown', '/t/sys_role')
    await stage.settled(page)
    stage.proxy.fail(held, { kind: 'hold' })
    await goTo(page, path)
    await waitAndCancel(page)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, `cancelled-${path.replaceAll('/', '-')}`)
    stage.proxy.heal()
    await tryAgain(page).first().click()
    await page.locator(there).first().waitFor()
  })

  test('the record beside a list: the one before stays, dimmed, until this one is there or cancelled', async () => {
    await stage.makeIncident('Beside, first')
    const second = await stage.makeIncident('Beside, second')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHBeside,^ORDERBYsubject')
    await page.locator('[data-record]').nth(1).waitFor()
    await stage.settled(page)
    await page.locator('[data-record]').first().press(' ')
    const peek = page.getByRole('complementary', { name: 'Record' })
    await peek.getByRole('heading', { name: 'Beside, first' }).waitFor()
    const opacity = (): Promise<string> =>
      peek.locator('dl').evaluate((list) => list.ownerDocument.defaultView?.getComputedStyle(list).opacity ?? '')
    expect(await opacity()).toBe('1')
    stage.proxy.fail(new RegExp(`^GET /rest/v1/table/itsm_incident/${second}`), { kind: 'hold' })
    await page.locator('[data-record]').first().press('ArrowDown')
    await expect.poll(opacity).toBe('0.55')
    await peek.getByText('Still working…').waitFor()
    await stage.picture(page, 'cancel-peek')
    await cancel(page).click()
    await peek.getByRole('alert').getByText('Cancelled.').waitFor()
    stage.proxy.heal()
    await peek.getByRole('button', { name: 'Try again', exact: true }).click()
    await peek.getByRole('heading', { name: 'Beside, second' }).waitFor()
    await expect.poll(opacity).toBe('1')
  })

  test('a related list that cannot be counted says so, and is counted when it is opened', async () => {
    const parent = await stage.makeIncident('Uncounted parent')
    for (const at of [1, 2]) await stage.makeIncident(`Uncounted child ${at}`, { parent_id: parent })
    stage.proxy.fail(/^GET \/rest\/v1\/stats\/task\?.*parent_id/, { kind: 'respond', status: 500 })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${parent}`)
    const list = page.locator('details').filter({ hasText: 'Tasks: Parent task' })
    await list.locator('summary abbr[title*="500"]', { hasText: /^\?$/ }).waitFor()
    stage.proxy.heal()
    await list.locator('summary').click()
    await list.locator('summary').getByText('2', { exact: true }).waitFor()
    await list.locator('[data-record]').nth(1).waitFor()
  })
})
