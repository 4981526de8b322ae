import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, widths } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('the text of a query, and fields as values (issue 13)', () => {
  const stage = consoleStage()
  const queryOf = (page: Page): string | null => new URL(page.url()).searchParams.get('q')
  const rows = (page: Page, word: string): Locator => page.getByRole('row', { name: new RegExp(`${word} `) })
  const options = (page: Page): Locator => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')
  const field = (page: Page): Locator => page.getByRole('combobox', { name: 'Query' })

  async function textOf(word: string, query = `subjectSTARTSWITH${word}`): Promise<Page> {
    await stage.makeIncident(`${word} critical`, { priority: '1' })
    await stage.makeIncident(`${word} low`, { priority: '4' })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=${encodeURIComponent(query)}`)
    await rows(page, word).nth(1).waitFor()
    await stage.settled(page)
    await page.getByRole('button', { name: 'As text' }).press('Enter')
    await focused(field(page))
    return page
  }

  test('a query is written by keyboard alone: fields by title, operators by word, values by title, orders', async () => {
    const page = await textOf('Typed')
    await field(page).press('End')
    expect(await options(page).count()).toBe(0)
    await page.keyboard.type('^Prio')
    await expect.poll(() => options(page).allInnerTexts()).toEqual(['Priority\npriority'])
    expect(await field(page).getAttribute('aria-activedescendant')).toBe(await options(page).first().getAttribute('id'))
    expect(await field(page).getAttribute('aria-expanded')).toBe('true')
    expect(await stage.findings(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(() => field(page).inputValue()).toBe('subjectSTARTSWITHTyped^priority')
    await page.keyboard.type('=')
    await page.keyboard.type('Cri')
    await expect.poll(() => options(page).allInnerTexts()).toEqual(['Critical\n1'])
    await page.keyboard.press('Tab')
    await expect.poll(() => field(page).inputValue()).toBe('subjectSTARTSWITHTyped^priority=1')
    await page.getByText('Incidents: Subject starts with Typed and Priority is Critical.').waitFor()
    await stage.picture(page, 'query-sentence')
    await focused(field(page))
    await page.keyboard.type('^ORDERBYcomp')
    await expect.poll(() => options(page).allInnerTexts()).toContain('Company\ncompany')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Escape')
    await expect.poll(() => options(page).count()).toBe(0)
    // What is typed goes on, and nothing is taken.
    await page.keyboard.type('any.na')
    await options(page).filter({ hasText: 'company.name' }).first().waitFor()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => field(page).inputValue())
      .toMatch(/^subjectSTARTSWITHTyped\^priority=1\^ORDERBYcompany\.name$/)
    await page.keyboard.press('Control+z')
    await expect.poll(() => field(page).inputValue()).toBe('subjectSTARTSWITHTyped^priority=1^ORDERBYcompany.na')
    // The browser selects what it has put back.
    await page.keyboard.press('End')
    for (let at = 0; at < '^ORDERBYcompany.na'.length; at += 1) await page.keyboard.press('Backspace')
    // Nothing is chosen in the list, so Enter applies the query.
    await page.keyboard.press('Enter')
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHTyped^priority=1')
    await expect.poll(() => rows(page, 'Typed').count()).toBe(1)
  })

  test('in the middle of a text, by pointer', async () => {
    const page = await textOf('Middle', 'subjectSTARTSWITHMiddle^prioritySAMEASpriority^ORDERBYnumber')
    const cursorAt = (before: string): Promise<unknown> =>
      page.evaluate(
        `{ const input = document.getElementById('query-text'), text = ${JSON.stringify(before)}
           const at = input.value.indexOf(text) + text.length
           input.setSelectionRange(at, at) }`,
      )
    await cursorAt('SAMEAS')
    await page.keyboard.press('Control+Space')
    await options(page).filter({ hasText: 'Urgency' }).waitFor()
    expect(await options(page).filter({ hasText: 'Subject' }).count()).toBe(0)
    await cursorAt('Middle^')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await options(page).filter({ hasText: 'Subject' }).waitFor()
    await options(page).filter({ hasText: 'urgency' }).click()
    await expect
      .poll(() => field(page).inputValue())
      .toBe('subjectSTARTSWITHMiddle^urgencySAMEASpriority^ORDERBYnumber')
    await focused(field(page))
  })

  test('conditions on rows of another table: its table, columns, operators and values, by keyboard alone', async () => {
    const page = await textOf('Joined')
    const offered = (): Promise<readonly string[]> => options(page).allInnerTexts()
    const text = (): Promise<string> => field(page).inputValue()
    await field(page).press('End')
    await page.keyboard.type('^JO')
    await expect.poll(offered).toEqual(['a row of another table has the same value\n^JOIN'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(text).toBe('subjectSTARTSWITHJoined^JOIN')
    await page.keyboard.type('itsm_inc')
    await options(page)
      .filter({ hasText: / itsm_incident$/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(text).toBe('subjectSTARTSWITHJoined^JOINitsm_incident.')
    await page.keyboard.type('call')
    await options(page)
      .filter({ hasText: / itsm_incident\.caller$/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(text).toBe('subjectSTARTSWITHJoined^JOINitsm_incident.caller')
    await page.keyboard.type('=')
    // The table to which the column refers comes first.
    await expect.poll(async () => (await offered())[0]).toMatch(/\nuser$/)
    await page.keyboard.type('user.sys')
    await options(page)
      .filter({ hasText: / user\.sys_id$/ })
      .waitFor()
    await page.keyboard.type('_id!user_na')
    await options(page)
      .filter({ hasText: / user_name$/ })
      .waitFor()
    expect(await stage.findings(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(text).toBe('subjectSTARTSWITHJoined^JOINitsm_incident.caller=user.sys_id!user_name')
    await page.keyboard.type('STAR')
    await expect.poll(offered).toEqual([expect.stringMatching(/\nSTARTSWITH$/)])
    await page.keyboard.press('Enter')
    await page.keyboard.type('nobody')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await expect.poll(() => queryOf(page)).toMatch(/!user_nameSTARTSWITHnobody$/)
    await page.getByText('Nothing matches the filter.').waitFor()
  })

  test('rows that are counted: only columns that refer to the record, and the end', async () => {
    const page = await textOf('Counted')
    const offered = (): Promise<readonly string[]> => options(page).allInnerTexts()
    await field(page).press('End')
    await page.keyboard.type('^RLQUERYsys_approval.')
    await options(page)
      .filter({ hasText: / sys_approval\.task$/ })
      .waitFor()
    expect(await options(page).filter({ hasText: 'approver' }).count()).toBe(0)
    await page.keyboard.type('task,=0^appr')
    await options(page)
      .filter({ hasText: / approver$/ })
      .waitFor()
    await page.keyboard.type('overISNOTEMPTY^ENDRL')
    await expect.poll(offered).toEqual(['end of the rows that are counted\n^ENDRLQUERY'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await expect.poll(() => queryOf(page)).toMatch(/RLQUERYsys_approval\.task,=0\^approverISNOTEMPTY\^ENDRLQUERY$/)
    await expect.poll(() => rows(page, 'Counted').count()).toBe(2)
  })

  test('a table that the user may not read is neither offered nor asked for', async () => {
    const page = await textOf('Hidden')
    const requested: string[] = []
    page.on('request', (request) => void requested.push(request.url()))
    await field(page).press('End')
    await page.keyboard.type('^RLQUERYsys_security_')
    await page.keyboard.type('acl.')
    // What is readable is offered after it, so an offer would have come before.
    await page.keyboard.press('Control+a')
    await page.keyboard.type('JOINitsm_incident.call')
    await options(page)
      .filter({ hasText: / itsm_incident\.caller$/ })
      .waitFor()
    expect(requested.filter((url) => url.includes('sys_security'))).toEqual([])
  })

  test.each(widths)('suggestions fit on the screen: $width px', async (view) => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=(', view)
    await field(page).fill('caller')
    await options(page).first().waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await stage.findingsInThemes(page, 'query-text')).toEqual([])
  })

  test('a condition compares with another field of the same type; it is read from a text and changed', async () => {
    await stage.makeIncident('Compared same', { priority: '3', urgency: '3', impact: '3' })
    await stage.makeIncident('Compared other', { priority: '1', urgency: '1', impact: '1' })
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHCompared')
    await rows(page, 'Compared').nth(1).waitFor()
    await stage.settled(page)
    await page.keyboard.press('f')
    const dialog = page.getByRole('dialog', { name: 'Condition' })
    await focused(dialog.getByPlaceholder('Find a field'))
    await page.keyboard.type('opened')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Compare with another field…' }).click()
    const compared = dialog.getByRole('combobox', { name: 'Comparison' })
    expect(await compared.locator('option').allInnerTexts()).toEqual([
      'is the same as',
      'differs from',
      'after',
      'since',
      'before',
      'until',
    ])
    await compared.selectOption('until')
    // A text is no time, and a reference leads on to its columns.
    expect(await dialog.getByRole('button', { name: 'Subject subject', exact: true }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Fields of Caller' }).waitFor()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'condition-other-field')
    await dialog.getByPlaceholder('Find a field').fill('sys_updated_at')
    await dialog.getByPlaceholder('Find a field').press('Enter')
    await dialog.getByText('2 records', { exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHCompared^opened_atLT_OR_EQUALS_FIELDsys_updated_at')
    await page.getByRole('button', { name: /^Opened( at)? until Updated/ }).click()
    await expect.poll(() => compared.inputValue()).toBe('LT_OR_EQUALS_FIELD')
    await dialog.getByRole('button', { name: 'Compare with a value…' }).click()
    await dialog.getByRole('combobox', { name: 'Comparison' }).selectOption('on')
    await dialog.getByLabel('Today').check()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHCompared^opened_atONToday')
  })

  test('a period is chosen: the last or next so many units, one day, or all days from one to another', async () => {
    await stage.makeIncident('Period now')
    const query = 'subjectSTARTSWITHPeriod now'
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=${encodeURIComponent(query)}`)
    await rows(page, 'Period').first().waitFor()
    const dialog = page.getByRole('dialog', { name: 'Condition' })
    const reopen = async (title: RegExp): Promise<void> => {
      await page.getByRole('button', { name: title }).click()
      await dialog.getByRole('button', { name: 'Apply' }).waitFor()
    }
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await dialog.getByPlaceholder('Find a field').fill('opened_at')
    await page.keyboard.press('Enter')
    await dialog.getByLabel('How many').fill('14')
    await dialog.getByText('1 record', { exact: true }).waitFor()
    expect(await dialog.getByLabel('Unit of time').locator('option').allTextContents()).toContain('days')
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'period')
    await dialog.getByLabel('How many').press('Enter')
    await expect.poll(() => queryOf(page)).toBe(`${query}^opened_atONLast 14 days`)

    await reopen(/^Opened: 14 days ago/)
    expect(await dialog.getByLabel('How many').inputValue()).toBe('14')
    await dialog.getByLabel('Before or after now').selectOption('next')
    await dialog.getByLabel('Unit of time').selectOption('week')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe(`${query}^opened_atONNext 14 weeks`)

    // A name, of which the fields say the number, and days.
    await reopen(/^Opened: /)
    await dialog.getByLabel('last 30 days').check()
    expect(await dialog.getByLabel('How many').inputValue()).toBe('30')
    await dialog.getByLabel('Opened: from').fill('2026-01-05')
    expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(0)
    expect(await dialog.getByLabel('How many').inputValue()).toBe('')
    await dialog.getByLabel('Opened: to').fill('2099-12-31')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe(`${query}^opened_atON@2026-01-05@2099-12-31`)
    await rows(page, 'Period').first().waitFor()
    await reopen(/^Opened: Jan 5, 2026 – Dec 31, 2099/)
    expect(await dialog.getByLabel('Opened: to').inputValue()).toBe('2099-12-31')
    await dialog.getByLabel('Opened: to').fill('')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe(`${query}^opened_atON2026-01-05`)

    // What is before something is no period: only a day stays, and nothing incomplete is applied.
    await reopen(/^Opened: Jan 5, 2026/)
    await dialog.getByRole('combobox', { name: 'Comparison' }).selectOption('<')
    expect(await dialog.getByLabel('Opened', { exact: true }).inputValue()).toBe('2026-01-05')
    await dialog.getByRole('combobox', { name: 'Comparison' }).selectOption('ON')
    await dialog.getByLabel('last 30 days').check()
    await dialog.getByRole('combobox', { name: 'Comparison' }).selectOption('<')
    expect(await dialog.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
  })

  test('what only the server rejects in a query is underlined in its place', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true^stat=1^ORDERBYnumber')
    const alert = page
      .getByRole('alert')
      .filter({ hasText: 'there is no column stat in itsm_incident; did you mean state?' })
    await alert.waitFor()
    expect(await alert.locator('u').textContent()).toBe('s')
    expect(await alert.locator('u').evaluate((each) => each.parentElement?.textContent)).toBe(
      'active=true^stat=1^ORDERBYnumber',
    )
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'fault-of-server')
  })
})
