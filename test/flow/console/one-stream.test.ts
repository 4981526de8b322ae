import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { countEventStreams, type EventStreamCount } from '../../harness/event-stream-count.ts'

const list = '/t/itsm_incident?q=subjectSTARTSWITHStream'

describe.skipIf(!hasChromium)('one event stream for all tabs of a browser (issue 13)', () => {
  const stage = consoleStage()
  let streams: EventStreamCount

  beforeAll(() => {
    streams = countEventStreams(stage.docket.baseUrl)
  })
  afterAll(() => streams.stop())

  const rename = (sysId: string, subject: string) =>
    stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('anna.petrova'),
      body: { subject },
    })

  async function openTab(first: Page, path: string): Promise<Page> {
    const page = await first.context().newPage()
    await page.goto(`${stage.baseUrl}/console${path}`)
    await page.locator('main#page').waitFor()
    return page
  }

  const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

  test('five tabs have one stream, and all of them follow it', async () => {
    const sysId = await stage.makeIncident('Stream of five')
    const first = await stage.signedIn('michael.brown', list)
    const tabs = [first]
    for (const path of [list, list, list, '/t/company']) tabs.push(await openTab(first, path))
    for (const tab of tabs.slice(0, 4)) await row(tab, 'Stream of five').waitFor()
    await expect.poll(() => streams.open()).toBe(1)
    await rename(sysId, 'Stream of five, changed')
    for (const tab of tabs.slice(0, 4)) await row(tab, 'Stream of five, changed').waitFor()
    expect(streams.open()).toBe(1)
  })

  test('the tab that opened the stream closes: the others miss no event', async () => {
    const sysId = await stage.makeIncident('Stream goes on')
    const first = await stage.signedIn('michael.brown', list)
    await row(first, 'Stream goes on').waitFor()
    await expect.poll(() => streams.open()).toBe(1)
    const second = await openTab(first, list)
    await row(second, 'Stream goes on').waitFor()
    const opened = streams.opened()
    await first.close()
    await rename(sysId, 'Stream goes on, first')
    await row(second, 'Stream goes on, first').waitFor()
    const third = await openTab(second, list)
    await row(third, 'Stream goes on, first').waitFor()
    await second.close()
    await rename(sysId, 'Stream goes on, second')
    await row(third, 'Stream goes on, second').waitFor()
    expect({ open: streams.open(), openedSince: streams.opened() - opened }).toEqual({ open: 1, openedSince: 0 })
    await third.close()
    await expect.poll(() => streams.open()).toBe(0)
  })

  test('a list counts new records of its own table only', async () => {
    const first = await stage.signedIn('michael.brown', '/t/itsm_problem')
    await first.getByRole('grid').waitFor()
    const second = await openTab(first, list)
    await second.getByRole('grid').waitFor()
    await expect.poll(() => streams.open()).toBe(1)
    const as = loginOf('maria.sokolova')
    const create = (table: string) =>
      stage.docket.request('POST', `/rest/v1/table/${table}`, { as, body: { subject: 'Stream of a table' } })
    expect((await create('itsm_incident')).status).toBe(200)
    await second.getByRole('button', { name: '1 new' }).waitFor()
    expect((await create('itsm_problem')).status).toBe(200)
    await first.getByRole('button', { name: '1 new' }).waitFor()
    await second.getByRole('button', { name: '1 new' }).waitFor()
  })

  test('a tab that did not hear from the stream for a while gets each event once', async () => {
    await stage.makeIncident('Stream before the sleep')
    const page = await stage.signedIn('michael.brown', list)
    await row(page, 'Stream before the sleep').waitFor()
    await expect.poll(() => streams.open()).toBe(1)
    await stage.settled(page)
    // What the tab sends to the stream waits, as after the sleep of a machine.
    await page.evaluate(`{
      const { postMessage } = MessagePort.prototype
      globalThis.held = []
      MessagePort.prototype.postMessage = function (message, ...more) {
        if (message?.kind === undefined) return postMessage.call(this, message, ...more)
        held.push(() => postMessage.call(this, message, ...more))
      }
      globalThis.letGo = () => {
        MessagePort.prototype.postMessage = postMessage
        for (const send of held) send()
      }
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    }`)
    // It gives the stream up and opens another one.
    await expect.poll(() => page.evaluate('held.length')).toBeGreaterThan(1)
    await page.evaluate('letGo()')
    const body = { subject: 'Stream of a tab that slept' }
    const as = loginOf('maria.sokolova')
    expect((await stage.docket.request('POST', '/rest/v1/table/itsm_incident', { as, body })).status).toBe(200)
    const fresh = page.getByRole('button', { name: /^\d+ new$/ })
    await fresh.waitFor()
    await stage.settled(page)
    expect(await fresh.textContent()).toBe('1 new')
    expect(streams.open()).toBe(1)
  })

  test('signing out in one tab ends the stream of all', async () => {
    const first = await stage.signedIn('michael.brown', list)
    const second = await openTab(first, list)
    await second.getByRole('grid').waitFor()
    await expect.poll(() => streams.open()).toBe(1)
    await second.getByRole('button', { name: 'Michael Brown' }).click()
    await second.getByRole('menuitem', { name: 'Sign out' }).click()
    await first.getByRole('heading', { name: 'Sign in to Docket' }).waitFor()
    await second.getByRole('heading', { name: 'Sign in to Docket' }).waitFor()
    await expect.poll(() => streams.open()).toBe(0)
  })

  test('another user signs in elsewhere: a tab of the former user gets no more events, and reads nothing as the new user', async () => {
    const first = await stage.signedIn('michael.brown', list)
    await first.getByRole('grid').waitFor()
    await expect.poll(() => streams.open()).toBe(1)
    // The first tab hears nothing of it, as if it were asleep: only the server tells it.
    const { user, password } = loginOf('john.smith')
    await first.context().request.post(`${stage.baseUrl}/v1/auth/login`, {
      headers: { origin: stage.baseUrl, 'x-docket-console': '1' },
      data: { username: user, password, session: 'cookie' },
    })
    await stage.makeIncident('Stream of the former user')
    await expect.poll(() => streams.open()).toBe(0)
    // A request of the tab itself may have been rejected before: then the dialog is there already, and covers the link.
    await first.getByRole('link', { name: 'Home', includeHidden: true }).dispatchEvent('click')
    await first.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  })

  test('a table that may not be read ends no stream of the other tabs', async () => {
    const sysId = await stage.makeIncident('Stream beside')
    const first = await stage.signedIn('michael.brown', list)
    await row(first, 'Stream beside').waitFor()
    await openTab(first, '/t/sys_webhook')
    await expect.poll(() => streams.open()).toBe(1)
    await rename(sysId, 'Stream beside, changed')
    await row(first, 'Stream beside, changed').waitFor()
  })
})
