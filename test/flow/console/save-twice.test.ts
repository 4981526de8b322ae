import type { Page, Request, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('Ctrl + S while a request of the form is on its way (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const subject = (page: Page) => page.locator('#field-subject')
  const stored = async (sysId: string) => {
    const [row] = await stage.docket.database.rows<{ subject: string; number: string }>(
      sql`select subject from docket.task where sys_id = ${sysId}`,
    )
    return row?.subject
  }

  test('a second save waits for the first one, and writes what was typed meanwhile: no conflict with oneself', async () => {
    const sysId = await stage.makeIncident('Once')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await subject(page).fill('Once, twice')
    stage.proxy.fail(/^PATCH /, { kind: 'hold' })
    await page.keyboard.press('Control+s')
    await expect.poll(() => stage.proxy.met(/^PATCH /)).toBe(1)
    await subject(page).fill('Once, twice, thrice')
    await page.keyboard.press('Control+s')
    await page.keyboard.press('Control+s')
    expect(stage.proxy.met(/^PATCH /)).toBe(1)
    stage.proxy.heal()
    await expect.poll(() => stored(sysId)).toBe('Once, twice, thrice')
    await page.getByRole('heading', { level: 1, name: 'Once, twice, thrice' }).waitFor()
    await stage.settled(page)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  })

  test('pressed twice on a new record, it creates one, also if something was typed between', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new')
    await subject(page).fill('Made once')
    stage.proxy.fail(/^POST \/rest\/v1\/table/, { kind: 'hold' })
    await page.keyboard.press('Control+s')
    await expect.poll(() => stage.proxy.met(/^POST \/rest\/v1\/table/)).toBe(1)
    await subject(page).fill('Made once, more')
    await page.keyboard.press('Control+s')
    stage.proxy.heal()
    await page.waitForURL(/itsm_incident\/\d+/)
    await stage.settled(page)
    const made = await stage.docket.database.rows(sql`select sys_id from docket.task where subject like 'Made once%'`)
    expect(made).toHaveLength(1)
    // What was typed meanwhile stays.
    expect(await subject(page).inputValue()).toBe('Made once, more')
    // It is a draft of this record, not of the next new one.
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/new`)
    await subject(page).waitFor()
    expect(await subject(page).inputValue()).toBe('')
  })

  test('the change of a colleague that comes between typing and saving asks for a decision, also if the form was just read', async () => {
    const sysId = await stage.makeIncident('Of two')
    const page = await stage.signedIn('anna.petrova', `/t/itsm_incident/${sysId}`)
    await page.getByRole('heading', { level: 1, name: /Of two/ }).waitFor()
    const change = async (body: object) => {
      const path = `/rest/v1/table/itsm_incident/${sysId}`
      const { status } = await stage.docket.request('PATCH', path, { as: loginOf('michael.brown'), body })
      expect(status).toBe(200)
    }
    await change({ urgency: '1' })
    const apply = page.getByRole('button', { name: 'Показать', exact: true })
    await apply.waitFor()
    // The form reads the record, and its response comes only after everything below.
    const held: { readonly request: Request; letGo(): Promise<void> }[] = []
    let isHeld = false
    await page.route(
      (url) => url.pathname.endsWith(sysId) && url.searchParams.get('sysparm_fields') === null,
      async (route: Route) => {
        if (route.request().method() !== 'GET' || isHeld) return route.continue()
        isHeld = true
        const response = await route.fetch()
        held.push({ request: route.request(), letGo: () => route.fulfill({ response }) })
      },
    )
    await apply.click()
    await expect.poll(() => held.length).toBe(1)
    await subject(page).fill('Of two, Anna')
    await change({ subject: 'Of two, Michael' })
    await subject(page).press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Запись изменили двое' })
    await dialog.getByText('Of two, Michael').waitFor()
    await dialog.getByText('Моё').click()
    await dialog.getByRole('button', { name: 'Сохранить так' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Of two, Anna' }).waitFor()
    // Only this request: after a save the form reads more of the record, and cancels some of it.
    const arrived = page.waitForEvent('requestfinished', (request) => request === held[0]?.request)
    await held[0]?.letGo()
    await arrived
    await page.unrouteAll({ behavior: 'wait' })
    await stage.settled(page)
    // The older version does not replace what was saved.
    await page.getByRole('heading', { level: 1, name: 'Of two, Anna' }).waitFor()
    expect(await subject(page).inputValue()).toBe('Of two, Anna')
    expect(await stored(sysId)).toBe('Of two, Anna')
  })
})
