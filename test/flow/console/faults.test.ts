import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { asksBeforeClosing } from '../../harness/closing-tab.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { leaveListsToBrowser } from '../../harness/open-page.ts'

const maxFileBytes = 100_000
const offline = 'The server cannot be reached.'
const kept = 'What you have typed is kept.'

describe.skipIf(!hasChromium)('the console when something goes wrong (issue 13)', () => {
  const stage = consoleStage({
    proxy: true,
    docket: { environment: { DOCKET_ATTACHMENT_MAX_BYTES: String(maxFileBytes) } },
  })
  const save = /^PATCH \/rest\/v1\/table\/itsm_incident/
  const rows = /^GET \/rest\/v1\/table\/itsm_incident\?.*sysparm_max_text/

  async function form(subject: string): Promise<{ readonly page: Page; readonly sysId: string }> {
    const sysId = await stage.makeIncident(subject)
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.getByRole('heading', { level: 1, name: subject }).waitFor()
    return { page, sysId }
  }
  const subjectOf = async (sysId: string): Promise<string | undefined> => {
    const [row] = await stage.docket.database.rows<{ subject: string }>(
      sql`select subject from docket.task where sys_id = ${sysId}`,
    )
    return row?.subject
  }
  const versionsOf = async (sysId: string): Promise<number> => {
    const as = loginOf('michael.brown')
    const { body } = await stage.docket.request('GET', `/rest/v1/history/itsm_incident/${sysId}`, { as })
    return (body as { data: unknown[] }).data.length
  }

  describe('a save', () => {
    test('that meets a busy server says when to try again, obeys it, and keeps what was typed', async () => {
      const { page, sysId } = await form('Busy server')
      stage.proxy.fail(save, { kind: 'respond', status: 429, headers: { 'retry-after': '900' } })
      await page.locator('#field-subject').fill('Busy server, changed')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      const alert = page.getByRole('alert')
      await alert.getByText(`The server is busy. ${kept}`).waitFor()
      await alert.getByRole('button', { name: /^Try again in 15 min$/ }).click({ force: true })
      expect(stage.proxy.met(save)).toBe(1)
      stage.proxy.fail(save, { kind: 'respond', status: 429, headers: { 'retry-after': '3' } })
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      expect(await page.locator('#field-subject').inputValue()).toBe('Busy server, changed')
      stage.proxy.heal()
      await alert.getByRole('button', { name: 'Try again', exact: true }).click()
      await page.getByText('Saved.', { exact: true }).waitFor()
      await expect.poll(() => alert.count()).toBe(0)
      expect(await subjectOf(sysId)).toBe('Busy server, changed')
    })

    test('without a server keeps what was typed, and works when the server is back', async () => {
      const { page, sysId } = await form('Killed server')
      await page.locator('#field-subject').fill('Killed server, changed')
      stage.proxy.kill()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      const alert = page.getByRole('alert').filter({ hasText: kept })
      await alert.getByText(offline).waitFor()
      expect(await page.locator('#field-subject').inputValue()).toBe('Killed server, changed')
      expect(await stage.findings(page)).toEqual([])
      stage.proxy.heal()
      await alert.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('Saved.', { exact: true }).waitFor()
      expect(await subjectOf(sysId)).toBe('Killed server, changed')
    })

    test('whose response is lost is written once, and is no conflict with itself', async () => {
      const { page, sysId } = await form('Lost response')
      await page.locator('#field-subject').fill('Lost response, changed')
      stage.proxy.fail(save, { kind: 'cut-after' }, 1)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved.', { exact: true }).waitFor()
      expect(stage.proxy.met(save)).toBeGreaterThan(1)
      expect(await page.getByRole('dialog').count()).toBe(0)
      await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
      expect(await subjectOf(sysId)).toBe('Lost response, changed')
      expect(await versionsOf(sysId)).toBe(2)
    })

    test('that takes long says so and can be cancelled; what is typed meanwhile stays', async () => {
      const { page, sysId } = await form('Slow save')
      await page.locator('#field-subject').fill('Slow save, changed')
      stage.proxy.fail(save, { kind: 'hold' })
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Still working…').waitFor()
      await page.getByRole('button', { name: 'Cancel', exact: true }).click()
      await page.getByRole('alert').getByText('Cancelled.').waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.locator('#field-subject').fill('Slow save, changed twice')
      stage.proxy.heal()
      await page.getByText('Saved.', { exact: true }).waitFor()
      expect(await page.locator('#field-subject').inputValue()).toBe('Slow save, changed twice')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect.poll(() => subjectOf(sysId)).toBe('Slow save, changed twice')
    })

    test('with a session that has ended signs in again and goes on', async () => {
      const { page, sysId } = await form('Session over')
      await page.locator('#field-subject').fill('Session over, changed')
      await page.context().clearCookies()
      // A request of the page that meets the end of the session first opens the dialog over the button, which is hidden from its role then.
      await page.getByRole('button', { name: 'Save', exact: true, includeHidden: true }).dispatchEvent('click')
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
      stage.proxy.fail(/^POST \/v1\/auth\/login/, { kind: 'respond', status: 503 })
      await page.locator('input[name=password]').fill(loginOf('michael.brown').password)
      await page.locator('input[name=password]').press('Enter')
      await page.getByRole('dialog').getByText('The server is not available at the moment (status 503).').waitFor()
      stage.proxy.heal()
      await page.locator('input[name=password]').press('Enter')
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved.', { exact: true }).waitFor()
      expect(await subjectOf(sysId)).toBe('Session over, changed')
    })
  })

  test('a new record whose response is lost is one record, however often it is sent', async () => {
    const create = /^POST \/rest\/v1\/table\/itsm_incident/
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new')
    await page.locator('#field-subject').fill('Created once')
    stage.proxy.fail(create, { kind: 'cut-after' })
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const alert = page.getByRole('alert').filter({ hasText: kept })
    await alert.getByText(offline).waitFor()
    expect(await page.locator('#field-subject').inputValue()).toBe('Created once')
    stage.proxy.heal()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Created once' }).waitFor()
    const found = await stage.docket.database.rows(sql`select sys_id from docket.task where subject = 'Created once'`)
    expect(found).toHaveLength(1)
  })

  test('a note whose response is lost is one note, and is not lost when the server is away', async () => {
    const note = /^POST \/rest\/v1\/bulk\/itsm_incident/
    const { page, sysId } = await form('Notes once')
    await page.locator('#composer').fill('Looked at it once')
    stage.proxy.fail(note, { kind: 'cut-after' })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const alert = page.getByRole('alert').filter({ hasText: kept })
    await alert.getByText(offline).waitFor()
    expect(await page.locator('#composer').inputValue()).toBe('Looked at it once')
    stage.proxy.heal()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Looked at it once' }).waitFor()
    await expect.poll(() => page.locator('#composer').inputValue()).toBe('')
    const notes = await stage.docket.database.rows(
      sql`select value from docket.sys_journal_entry where record_id = ${sysId}`,
    )
    expect(notes).toEqual([{ value: 'Looked at it once' }])
  })

  describe('a list', () => {
    const path = '/t/itsm_incident?q=active=true'

    test('that meets a busy server counts down, and reads by itself when the time has come', async () => {
      const page = await stage.signedIn('michael.brown')
      await leaveListsToBrowser(page)
      stage.proxy.fail(rows, { kind: 'respond', status: 503, headers: { 'retry-after': '4' } })
      await page.goto(`${stage.baseUrl}/console${path}`)
      const alert = page.getByRole('alert').filter({ hasText: 'The server is not available at the moment' })
      await alert.getByRole('button', { name: /^Try again in [1-4] sec$/ }).waitFor()
      expect(await stage.findings(page)).toEqual([])
      stage.proxy.heal()
      await page.getByRole('row').nth(3).waitFor()
      await expect.poll(() => alert.count()).toBe(0)
    })

    test('that breaks off in the middle is read again, and without a server says so and how to go on', async () => {
      const page = await stage.signedIn('michael.brown')
      await leaveListsToBrowser(page)
      stage.proxy.fail(rows, { kind: 'cut-response' })
      await page.goto(`${stage.baseUrl}/console${path}`)
      const alert = page.getByRole('alert').filter({ hasText: offline })
      await alert.getByRole('button', { name: /^Try again/ }).waitFor()
      expect(stage.proxy.met(rows)).toBeGreaterThan(1)
      stage.proxy.heal()
      // It offers a button, and tries again by itself: a click could meet that moment.
      await page.getByRole('row').nth(3).waitFor()
    })

    test('keeps its conditions when the server is killed while they are changed', async () => {
      const page = await stage.signedIn('michael.brown', path)
      await page.getByRole('row').nth(3).waitFor()
      stage.proxy.kill()
      await page.getByRole('searchbox').fill('printer')
      await page.getByRole('searchbox').press('Enter')
      const alert = page.getByRole('alert').filter({ hasText: offline })
      await alert.waitFor()
      expect(new URL(page.url()).searchParams.get('q')).toBe('123TEXTQUERY321=printer^active=true')
      stage.proxy.heal()
      // It tries again by itself.
      await page.getByRole('row').nth(1).waitFor()
    })
  })

  test('a record that takes long to open says so, is cancelled, and is read when it is wanted again', async () => {
    const sysId = await stage.makeIncident('Slow to open')
    const page = await stage.signedIn('michael.brown')
    await stage.settled(page)
    stage.proxy.fail(new RegExp(`^GET /rest/v1/table/itsm_incident/${sysId}`), { kind: 'hold' })
    await page.evaluate(`history.pushState({}, '', '/console/t/itsm_incident/${sysId}')`)
    await page.evaluate(`dispatchEvent(new PopStateEvent('popstate'))`)
    await page.getByText('Still working…').waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('alert').getByText('Cancelled.').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'cancelled')
    stage.proxy.heal()
    await page.getByRole('button', { name: 'Try again', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Slow to open' }).waitFor()
  })

  test('a list and a record without events say so, and are read every 30 seconds', async () => {
    const sysId = await stage.makeIncident('No events')
    const list = await stage.signedIn('anna.petrova')
    const record = await stage.signedIn('michael.brown')
    stage.proxy.fail(/^GET \/rest\/v1\/events/, { kind: 'respond', status: 503 })
    for (const page of [list, record]) await page.clock.install()
    await list.goto(`${stage.baseUrl}/console/t/itsm_incident?q=subjectSTARTSWITHNo events&cols=number,subject`)
    await record.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    await list.getByText('Нет живой связи').waitFor()
    await list.getByText('1 запись', { exact: true }).waitFor()
    await record.getByText('Not live: read again every 30 seconds').waitFor()
    for (const page of [list, record]) expect(await stage.findings(page)).toEqual([])

    await stage.makeIncident('No events either')
    const change = { as: loginOf('anna.petrova'), body: { subject: 'No events at all' } }
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, change)
    for (const page of [list, record]) await page.clock.runFor(30_000)
    await list.getByRole('row', { name: /No events at all/ }).waitFor()
    await list.getByText('2 записи', { exact: true }).waitFor()
    await record.getByText(/has changed: Subject/).waitFor()
  })

  describe('a file', () => {
    const upload = /^POST \/v1\/attachments\/upload/
    const fileOf = (name: string, bytes: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(bytes, 'a') })
    const attached = (sysId: string) =>
      stage.docket.database.rows(sql`select file_name from docket.sys_attachment where record_id = ${sysId}`)
    const choose = (page: Page, name: string, bytes: number) =>
      page.locator('input[type=file]').setInputFiles(fileOf(name, bytes))

    test('whose upload breaks half-way is not attached, and is sent again with one click', async () => {
      const { page, sysId } = await form('Broken upload')
      stage.proxy.fail(upload, { kind: 'cut-upload', afterBytes: 20_000 })
      await choose(page, 'half.txt', 90_000)
      const entry = page.getByRole('region', { name: 'Files' }).getByRole('listitem').filter({ hasText: 'half.txt' })
      await entry.getByText('The connection broke, and the file is not attached.').waitFor()
      expect(await attached(sysId)).toEqual([])
      expect(await stage.findings(page)).toEqual([])
      stage.proxy.heal()
      await entry.getByRole('button', { name: 'Try again: half.txt' }).click()
      await entry.getByRole('link', { name: 'half.txt' }).waitFor()
      expect(await attached(sysId)).toEqual([{ file_name: 'half.txt' }])
    })

    test('whose response is lost is attached once, however often it is sent', async () => {
      const { page, sysId } = await form('Lost upload')
      stage.proxy.fail(upload, { kind: 'cut-after' })
      await choose(page, 'whole.txt', 90_000)
      const entry = page.getByRole('region', { name: 'Files' }).getByRole('listitem').filter({ hasText: 'whole.txt' })
      const retry = entry.getByRole('button', { name: 'Try again: whole.txt' })
      await retry.waitFor()
      stage.proxy.heal()
      await retry.click()
      await retry.waitFor({ state: 'hidden' })
      await entry.getByRole('link', { name: 'whole.txt' }).waitFor()
      expect(await attached(sysId)).toEqual([{ file_name: 'whole.txt' }])
    })

    test.each([
      { by: 'the server', fault: null, words: `100000 bytes` },
      {
        by: 'a proxy',
        fault: { kind: 'respond', status: 413 } as const,
        words: 'The file is larger than the server takes.',
      },
    ])('that is too large for $by says so, and is not offered again', async ({ fault, words }) => {
      const { page, sysId } = await form('Large file')
      if (fault !== null) stage.proxy.fail(upload, fault)
      await choose(page, 'large.txt', maxFileBytes + 1)
      const entry = page.getByRole('region', { name: 'Files' }).getByRole('listitem').filter({ hasText: 'large.txt' })
      await entry.getByRole('alert').getByText(words).waitFor()
      expect(await entry.getByRole('button').allInnerTexts()).toEqual([''])
      await entry.getByRole('button', { name: 'Cancel large.txt' }).click()
      await expect.poll(() => entry.count()).toBe(0)
      expect(await attached(sysId)).toEqual([])
    })

    test('on its way goes on when its form is left; what prevents it is reported, and a reload asks first', async () => {
      const { page, sysId } = await form('Left with a file')
      stage.proxy.fail(upload, { kind: 'hold' })
      await choose(page, 'slow.txt', 10)
      const entry = page.getByRole('region', { name: 'Files' }).getByRole('listitem').filter({ hasText: 'slow.txt' })
      await entry.getByRole('progressbar').waitFor()
      await expect.poll(() => stage.proxy.met(upload)).toBe(1)
      expect(await asksBeforeClosing(page)).toBe(true)
      await page.getByRole('link', { name: 'Back to Incidents' }).click()
      await page.getByRole('grid').waitFor()
      expect(await asksBeforeClosing(page)).toBe(true)
      stage.proxy.heal()
      await expect.poll(() => attached(sysId)).toEqual([{ file_name: 'slow.txt' }])
      await expect.poll(() => asksBeforeClosing(page)).toBe(false)

      await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
      await page.getByRole('heading', { level: 1, name: 'Left with a file' }).waitFor()
      stage.proxy.fail(upload, { kind: 'hold' })
      await choose(page, 'large.txt', maxFileBytes + 1)
      await page.getByRole('progressbar').waitFor()
      await page.getByRole('link', { name: 'Back to Incidents' }).click()
      await page.getByRole('grid').waitFor()
      stage.proxy.heal()
      await page
        .getByRole('status')
        .getByText(/^large\.txt is not attached\. .*100000 bytes/)
        .waitFor()
    })

    test('that has failed and can be sent again is not lost with its form without a question', async () => {
      const { page } = await form('Left with a failure')
      stage.proxy.fail(upload, { kind: 'respond', status: 503 })
      await choose(page, 'failed.txt', 10)
      await page.getByRole('button', { name: 'Try again: failed.txt' }).waitFor()
      await page.getByRole('link', { name: 'Back to Incidents' }).click()
      const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
      await dialog.getByText('Files are not attached yet.').waitFor()
      expect(await stage.findings(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Keep editing' }).click()
      stage.proxy.heal()
      await page.getByRole('button', { name: 'Try again: failed.txt' }).click()
      await page.getByRole('region', { name: 'Files' }).getByRole('link', { name: 'failed.txt' }).waitFor()
      await page.getByRole('link', { name: 'Back to Incidents' }).click()
      await page.getByRole('grid').waitFor()
    })

    test('that meets the end of the session waits for the password', async () => {
      const { page } = await form('File without session')
      await page.context().clearCookies()
      // Another request may have opened the dialog before: a file that is sent after the password needs no other attempt.
      const rejected = page.waitForResponse(
        (response) => response.url().includes('/v1/attachments/upload/') && response.status() === 401,
      )
      await choose(page, 'later.txt', 10)
      await rejected
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
      await page.locator('input[name=password]').fill(loginOf('michael.brown').password)
      await page.locator('input[name=password]').press('Enter')
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor({ state: 'hidden' })
      const entry = page.getByRole('region', { name: 'Files' }).getByRole('listitem').filter({ hasText: 'later.txt' })
      await entry.getByRole('button', { name: 'Try again: later.txt' }).click()
      await entry.getByRole('link', { name: 'later.txt' }).waitFor()
    })
  })

  test('a page that opens while the server is busy waits, and does not ask who is signed in', async () => {
    const session = /^GET \/v1\/auth\/session/
    const page = await stage.signedIn('michael.brown')
    stage.proxy.fail(session, { kind: 'respond', status: 503, headers: { 'retry-after': '3' } })
    // The page of a list may come with the session.
    await page.goto(`${stage.baseUrl}/console/me`)
    await page
      .getByRole('alert')
      .getByRole('button', { name: /^Try again in [123] sec$/ })
      .waitFor()
    expect(await page.locator('input[name=password]').count()).toBe(0)
    stage.proxy.heal()
    await page.getByRole('heading', { level: 1, name: 'Michael Brown' }).waitFor()
  })

  test('a part of the page that cannot be loaded says so, what was typed stays, and it opens at the next attempt', async () => {
    const part = /^GET \/console\/assets\/versions-dialog/
    const { page } = await form('Missing part')
    page.removeAllListeners('dialog')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.locator('#field-subject').fill('Missing part, typed')
    stage.proxy.fail(part, { kind: 'respond', status: 404 })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Versions' }).click()
    await page.getByText('A part of this page cannot be loaded').waitFor()
    expect(await page.locator('#field-subject').inputValue()).toBe('Missing part, typed')
    stage.proxy.heal()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Versions' }).click()
    await page.getByRole('dialog', { name: 'Versions' }).waitFor()
    expect(await page.locator('#field-subject').inputValue()).toBe('Missing part, typed')
  })
})
