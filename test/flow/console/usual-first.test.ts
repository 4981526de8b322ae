import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('what people need most comes first (issue 13)', () => {
  const stage = consoleStage()
  const topOf = async (page: Page, name: string): Promise<number> =>
    (await page.getByRole('complementary', { name }).boundingBox())?.y ?? Number.NaN

  test('the home page says the priority in words, and callers have open tickets before closed ones', async () => {
    const create = (subject: string) =>
      stage.docket.request('POST', '/rest/v1/table/itsm_incident', { as: loginOf('john.smith'), body: { subject } })
    await create('Still open')
    const page = await stage.signedIn('john.smith')
    const first = page.getByRole('main').getByRole('listitem').first()
    await first.getByText('Still open').waitFor()
    await first.getByText('Medium').waitFor()
    await first.getByText(/^changed /).waitFor()
    await stage.settled(page)
    const states = await page.getByRole('main').locator('[data-state]').allTextContents()
    const closed = states.indexOf('Closed')
    expect(states.slice(closed).every((state) => state === 'Closed')).toBe(true)
  })

  test('fields of the form are offered before others; callers see no column names', async () => {
    const namesIn = (page: Page) => page.getByRole('dialog').getByRole('listitem').allTextContents()
    const agent = await stage.signedIn('anna.petrova', '/t/itsm_incident')
    await agent.getByRole('button', { name: 'Условие', exact: true }).click()
    await agent.getByRole('dialog').getByText('company', { exact: true }).waitFor()
    await agent.getByRole('dialog').getByText('sys_created_at', { exact: true }).waitFor()
    const offered = await namesIn(agent)
    const at = (name: string): number => offered.findIndex((text) => text.includes(name))
    expect(at('company')).toBeLessThan(at('wf_executing_activity'))
    expect(at('wf_executing_activity')).toBeLessThan(at('sys_created_at'))
    await agent.getByRole('button', { name: /company$/ }).click()
    // The comparison has a word of its own.
    expect(await agent.getByRole('combobox', { name: 'Сравнение' }).locator('option').first().textContent()).toBe(
      'равно',
    )

    const caller = await stage.signedIn('john.smith', '/t/itsm_incident')
    await caller.getByRole('button', { name: 'Filter', exact: true }).click()
    await caller.getByRole('dialog').getByRole('button', { name: 'Company', exact: true }).waitFor()
    await stage.settled(caller)
    expect((await namesIn(caller)).some((text) => text.includes('_'))).toBe(false)
  })

  test('a caller on a phone sees articles below the subject, before the other fields', async () => {
    await stage.docket.request('POST', '/load_text_to_collection?collection_name=knowledge', {
      as: loginOf('maria.sokolova'),
      body: {
        text: '# Sextant drifts\n\nUse **Calibrate** on the sextant.\n\n## Twice\n\nThe sextant *remembers*.',
        metadata: { doc_id: 'sextant' },
      },
    })
    const page = await stage.signedIn('john.smith', '/t/itsm_incident/new', { width: 390 })
    await page.getByRole('heading', { level: 1, name: 'Ask for help' }).waitFor()
    const subject = page.locator('#field-subject')
    await subject.waitFor()
    await stage.settled(page)
    const before = await subject.boundingBox()
    await subject.fill('my sextant drifts')
    await page.getByRole('complementary', { name: 'These may already answer it' }).waitFor()
    expect(await subject.boundingBox()).toEqual(before)
    const displayed = await page.getByRole('complementary', { name: 'These may already answer it' }).textContent()
    expect(displayed).not.toMatch(/\*\*|##/)
    const articles = await topOf(page, 'These may already answer it')
    expect(articles).toBeGreaterThan(before?.y ?? 0)
    expect(articles).toBeLessThan((await page.locator('#field-description').boundingBox())?.y ?? 0)
    expect(await stage.findings(page)).toEqual([])
  })

  test('files are beside the notes, and a card of a list says how old the record is', async () => {
    const sysId = await stage.makeIncident('Files beside notes')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const activity = page.getByRole('complementary', { name: 'Activity' })
    await activity.getByRole('button', { name: 'Add files' }).waitFor()
    expect(await stage.findings(page)).toEqual([])
    const phone = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subject=Files%20beside%20notes', {
      width: 390,
    })
    const card = phone.getByRole('row', { name: /Files beside notes/ })
    await card.getByText(/\d{1,2}:\d{2}/).waitFor()
    await stage.settled(phone)
    expect(await card.getByText('—').filter({ visible: true }).count()).toBe(0)
    expect(await stage.findings(phone)).toEqual([])
  })
})
