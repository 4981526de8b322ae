import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

const list = '/t/itsm_incident?q=active=true^ORDERBYDESCopened_at'

/** For each demo user, the number of lines that the name takes. */
const linesOfNames = `[...document.querySelectorAll('section li strong')].map((name) => {
  const range = document.createRange()
  range.selectNodeContents(name)
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
})`

const middleOf = async (element: Locator): Promise<number> => {
  const box = await element.boundingBox()
  return box === null ? Number.NaN : box.y + box.height / 2
}

describe.skipIf(!hasChromium)('what a new user meets first (issue 13)', () => {
  const stage = consoleStage()

  test('the names of the demo users are not broken', async () => {
    for (const width of [1_440, 390, 320]) {
      const page = await stage.openBrowser({ width })
      await page.goto(`${stage.baseUrl}/console/login`)
      await page.getByRole('button', { name: /^maria\.sokolova/ }).waitFor()
      expect(await page.evaluate(linesOfNames)).toEqual([1, 1, 1, 1, 1])
    }
  })

  test('after signing in by keyboard there is no frame around the page', async () => {
    const page = await stage.signedIn('john.smith')
    await page.getByRole('main').getByRole('link', { name: 'Ask for help' }).waitFor()
    await focused(page.getByRole('main'))
    // A line at the top says where the focus is; an outline that others do not see appears in forced colours.
    const looks = (pseudo?: string): Promise<object> =>
      page.evaluate(`(() => {
        const { outlineColor, blockSize, backgroundColor } =
          getComputedStyle(document.getElementById('page'), ${JSON.stringify(pseudo ?? null)})
        return { outlineColor, blockSize, backgroundColor }
      })()`)
    expect(await looks()).toMatchObject({ outlineColor: 'rgba(0, 0, 0, 0)' })
    expect(await looks('::before')).toMatchObject({ blockSize: '2px', backgroundColor: 'rgb(11, 110, 98)' })
  })

  test('a condition is made by typing: field, value, Enter', async () => {
    const page = await stage.signedIn('michael.brown', list)
    await page.getByRole('grid').waitFor()
    await stage.settled(page)
    await page.keyboard.press('f')
    await focused(page.getByPlaceholder('Find a field'))
    await page.keyboard.type('company')
    await page.keyboard.press('Enter')
    await focused(page.getByRole('combobox', { name: 'Company', exact: true }))
    await page.keyboard.type('meridian')
    await page
      .getByRole('option', { name: /Meridian/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('option').first().waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Company is .*Meridian/ }).waitFor()

    // Titles that begin with what was typed come first: "Opened", not "Opened by" or "Reopened".
    await page.keyboard.press('f')
    await focused(page.getByPlaceholder('Find a field'))
    await page.keyboard.type('opened')
    await page.keyboard.press('Enter')
    await focused(page.getByRole('radio', { name: 'today', exact: true }))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Opened: yesterday', exact: true }).waitFor()

    // Choices and yes or no.
    await page.keyboard.press('f')
    await focused(page.getByPlaceholder('Find a field'))
    await page.keyboard.type('priority')
    await page.keyboard.press('Enter')
    await focused(page.getByRole('checkbox', { name: 'Critical' }))
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Priority is Critical', exact: true }).waitFor()
    // An existing condition opens at its value.
    await page.getByRole('button', { name: 'Opened: yesterday', exact: true }).click()
    await focused(page.getByRole('radio', { name: 'yesterday', exact: true }))
  })

  test('"As text" stays on the line of the search field, however many conditions there are', async () => {
    const many = '/t/itsm_incident?q=active=true^priority=2^impact=2^urgency=2^callerISNOTEMPTY^companyISNOTEMPTY'
    for (const width of [1_440, 1_280, 390]) {
      const page = await stage.signedIn('michael.brown', many, { width })
      const topOf = async (part: Locator): Promise<number> => {
        const box = await part.boundingBox()
        return (box?.y ?? 0) + (box?.height ?? 0) / 2
      }
      // Chips whose values have not been read are narrower.
      await page.getByRole('button', { name: 'As text' }).waitFor()
      await stage.settled(page)
      const search = await topOf(page.getByRole('searchbox'))
      expect(Math.round((await topOf(page.getByRole('button', { name: 'As text' }))) - search)).toBe(0)
    }
  })

  test('words that have not been searched yet say which key searches them', async () => {
    const page = await stage.signedIn('michael.brown', list)
    await page.getByRole('grid').waitFor()
    const words = page.getByRole('search').getByRole('searchbox')
    await words.fill('VPN')
    const hint = page.getByRole('search').locator('kbd')
    await expect.poll(() => hint.textContent()).toBe('Enter')
    await words.press('Enter')
    await hint.waitFor({ state: 'detached' })
  })

  test('a list on a phone begins with title, number of records and buttons on one line, and cards in three', async () => {
    const page = await stage.signedIn('michael.brown', `${list}`.replace('ORDERBY', 'callerISNOTEMPTY^ORDERBY'), {
      width: 390,
    })
    await page.getByRole('row').nth(3).waitFor()
    await stage.settled(page)
    const head = page.getByRole('main').locator('header')
    expect((await head.boundingBox())?.height).toBeLessThanOrEqual(76)
    // The button has no text here, and keeps its name.
    await head.getByRole('link', { name: 'New', exact: true }).waitFor()
    await head.getByRole('button', { name: 'Save filter', exact: true }).waitFor()
    const row = page.locator('[data-record]').first()
    const line = async (cell: string): Promise<number> => Math.round(await middleOf(row.locator(cell)))
    const [number, state] = [await line('a'), await line('> [role=gridcell]:nth-child(3)')]
    expect(Math.abs(number - (await line('[data-type=datetime]')))).toBeLessThan(4)
    expect(state).toBeGreaterThan(number + 10)
    expect(Math.abs(state - (await line('> [role=gridcell]:nth-child(5)')))).toBeLessThan(4)
    expect(await stage.findings(page)).toEqual([])
  })

  test('the head of a form on a phone has title and buttons on one line, and Save when there is something to save', async () => {
    const sysId = await stage.makeIncident('The kettle whistles', { state: '1' })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`, { width: 390 })
    const title = page.getByRole('heading', { level: 1, name: /The kettle whistles/ })
    await title.waitFor()
    await stage.settled(page)
    const link = await page.getByRole('button', { name: 'Copy link' }).boundingBox()
    const top = await title.boundingBox()
    expect(Math.abs((link?.y ?? 0) - (top?.y ?? 0))).toBeLessThan(12)
    const save = page.getByRole('button', { name: 'Save', exact: true })
    expect(await save.count()).toBe(0)
    await page.locator('#field-subject').fill('The kettle whistles loudly')
    await save.click()
    await page.getByRole('status').getByText('Saved.').waitFor()
    expect(await stage.findings(page)).toEqual([])
  })

  test('on a phone, what is reported stays above the bar with Save', async () => {
    const sysId = await stage.makeIncident('The kettle leaks', { state: '1' })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`, { width: 390 })
    await page.getByRole('group', { name: 'Move to' }).getByRole('button', { name: 'In progress' }).click()
    const undo = page.getByRole('status').getByRole('button', { name: 'Undo', exact: true })
    await undo.waitFor()
    await page.locator('#field-subject').fill('The kettle leaks badly')
    await page.getByRole('button', { name: 'Discard', exact: true }).waitFor()
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('anna.petrova'),
      body: { urgency: '1' },
    })
    await page.getByRole('button', { name: 'Show', exact: true }).waitFor()
    const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { y: Number.NaN, height: 0 }
    const bar = await boxOf(page.getByRole('button', { name: 'Discard', exact: true }).locator('..'))
    const toast = await boxOf(undo.locator('..'))
    const notice = await boxOf(page.getByRole('button', { name: 'Show', exact: true }).locator('..'))
    expect(toast.y + toast.height).toBeLessThanOrEqual(bar.y)
    expect(notice.y + notice.height).toBeLessThanOrEqual(toast.y)
  })

  test('callers export what is displayed, and no stored values', async () => {
    const page = await stage.signedIn('john.smith', list)
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const items = page.getByRole('menuitem')
    await items.first().waitFor()
    expect(await items.allTextContents()).toEqual(['CSV, as displayed'])
  })

  test('a new record begins in its first field', async () => {
    const page = await stage.signedIn('john.smith')
    await page.getByRole('main').getByRole('link', { name: 'Ask for help' }).click()
    await focused(page.locator('#field-subject'))
  })

  test('who asks for help writes what it is about; other fields wait below', async () => {
    const page = await stage.signedIn('john.smith', '/t/itsm_incident/new')
    await page.locator('#field-description').waitFor()
    const fields = page.locator('[id^=field-]')
    expect(await fields.evaluateAll((all) => all.map(({ id }) => id))).toEqual(['field-subject', 'field-description'])
    await page.getByText(/^All fields/).click()
    await expect.poll(() => page.locator('#field-caller').inputValue()).toBe('John Smith')
    await page.locator('#field-urgency').selectOption('1')
    await page.locator('#field-subject').fill('The lift stops')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /The lift stops/ }).waitFor()
    // Agents have the whole form.
    const agent = await stage.signedIn('michael.brown', '/t/itsm_incident/new')
    await agent.locator('#field-urgency').waitFor()
    // Below it is only what its view leaves out.
    await agent.getByText(/^All fields/).click()
    await agent.locator('details #field-active').waitFor()
    expect(await agent.locator('details #field-urgency').count()).toBe(0)
  })

  test('single keys on the form: assign to me, write, states', async () => {
    const sysId = await stage.makeIncident('The projector flickers', { state: '1' })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.getByRole('button', { name: 'Assign to me' }).waitFor()
    await stage.settled(page)
    await page.keyboard.press('a')
    await expect.poll(() => page.locator('#field-assigned_user').inputValue()).toBe('Michael Brown')
    await page.keyboard.press('c')
    const composer = page.locator('#composer')
    await focused(composer)
    // In a field, letters are text.
    await page.keyboard.type('cas')
    expect(await composer.inputValue()).toBe('cas')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('listitem').filter({ hasText: 'cas' }).waitFor()
    await page.getByRole('main').focus()
    await page.keyboard.press('s')
    await focused(page.getByRole('group', { name: 'Move to' }).getByRole('button').first())
  })

  test('the palette has what the page offers, with its keys', async () => {
    const sysId = await stage.makeIncident('The shredder jams', { state: '1' })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.getByRole('button', { name: 'Assign to me' }).waitFor()
    await stage.settled(page)
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: /^Assign to me A$/ }).waitFor()
    await page.keyboard.type('in progress')
    await page.getByRole('option', { name: /^State: In progress/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    const header = page.getByRole('main').locator('header')
    await header.locator('[data-state]').getByText('In progress', { exact: true }).waitFor()
    // In that moment, too, the state is not offered again.
    expect(await header.getByRole('button', { name: 'In progress', exact: true }).count()).toBe(0)
    // In a list, it opens the menus of the list. Titles that begin with the words come first.
    await page.goto(`${stage.baseUrl}/console${list}`)
    await page.getByRole('grid').waitFor()
    await stage.settled(page)
    await page.keyboard.press('Control+k')
    await focused(page.getByRole('combobox'))
    await page.keyboard.type('inc')
    await page.getByRole('option', { name: /^Incidents/, selected: true }).waitFor()
    await page.getByRole('combobox').fill('add a condition')
    await page.getByRole('option', { name: 'Add a condition F', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await focused(page.getByPlaceholder('Find a field'))
  })

  test('a field leads to the record that it refers to', async () => {
    const caller = { find: { user_name: 'john.smith' } }
    const sysId = await stage.makeIncident('The badge is lost', { caller })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const link = page.getByRole('link', { name: 'Open: Caller', exact: true })
    await link.waitFor()
    expect(await page.getByRole('link', { name: 'Open: Company', exact: true }).count()).toBe(0)
    expect(await stage.findings(page)).toEqual([])
    await link.click()
    await page.getByRole('heading', { level: 1, name: /John Smith/ }).waitFor()
  })

  test('what cannot be found leads home', async () => {
    const page = await stage.signedIn('john.smith', '/t/itsm_incident/1')
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('main').getByRole('link', { name: 'Ask for help' }).waitFor()
  })
})
