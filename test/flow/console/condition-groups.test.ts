import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, widths } from '../../harness/console-browser.ts'
import { focused, isFocusVisible, tabTo } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('groups of conditions in the filter (issue 13)', () => {
  const stage = consoleStage()
  const queryOf = (page: Page): string | null => new URL(page.url()).searchParams.get('q')

  /** Incidents whose subjects begin with the word: a critical one, an urgent one, and one that is neither. */
  async function incidents(word: string): Promise<void> {
    await stage.makeIncident(`${word} critical`, { priority: '1', urgency: '3', impact: '4' })
    await stage.makeIncident(`${word} urgent`, { priority: '3', urgency: '2', impact: '4' })
    await stage.makeIncident(`${word} neither`, { priority: '3', urgency: '3', impact: '3' })
  }
  const choose = async (page: Page, field: string, title: string, value: string): Promise<void> => {
    const dialog = page.getByRole('dialog', { name: 'Condition' })
    await dialog.getByPlaceholder('Find a field').fill(field)
    await dialog.getByRole('button', { name: `${title} ${field}`, exact: true }).click()
    await dialog.getByLabel(value, { exact: true }).check()
    await dialog.getByRole('button', { name: 'Apply' }).click()
  }
  const rows = (page: Page, word: string) => page.getByRole('row', { name: new RegExp(`${word} `) })

  test('by pointer: any of two conditions; then one is removed, changed and joined by a group within the group', async () => {
    await incidents('Pointer')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHPointer')
    await rows(page, 'Pointer').nth(2).waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Condition' })
    await dialog.getByRole('button', { name: 'Any of several conditions' }).click()
    await choose(page, 'priority', 'Priority', 'Critical')
    await dialog.getByRole('button', { name: 'Add a condition' }).click()
    await choose(page, 'urgency', 'Urgency', 'High')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHPointer^priorityIN1^ORurgencyIN2')
    await expect.poll(() => rows(page, 'Pointer').count()).toBe(2)

    await page.getByRole('button', { name: 'Priority is Critical or Urgency is High', exact: true }).click()
    await dialog.getByRole('button', { name: 'Remove: Urgency is High' }).click()
    await dialog.getByRole('button', { name: 'Add a group' }).click()
    await choose(page, 'urgency', 'Urgency', 'Medium')
    await dialog.getByRole('group', { name: 'All of these' }).getByRole('button', { name: 'Add a condition' }).click()
    await choose(page, 'impact', 'Impact', 'Several people')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHPointer^priorityIN1^OR(urgencyIN3^impactIN3)')
    await expect.poll(() => rows(page, 'Pointer').count()).toBe(2)

    // What leaves the inner group joins the outer one; "all" of a group makes it conditions of the list.
    await page.getByRole('button', { name: /^Priority is Critical or/ }).click()
    await dialog.getByRole('button', { name: 'Move out of the group: Impact is Several people' }).click()
    await dialog.getByRole('combobox', { name: 'How many must match' }).first().selectOption('all')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHPointer^priorityIN1^urgencyIN3^impactIN3')
    await page.getByRole('button', { name: 'Impact is Several people', exact: true }).waitFor()
  })

  test('while a condition or a group is edited, it says how many records the list would have', async () => {
    await incidents('Tallied')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHTallied^ORDERBYnumber')
    await page.getByText('3 records', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Condition' })
    await dialog.getByPlaceholder('Find a field').fill('priority')
    await dialog.getByRole('button', { name: 'Priority priority', exact: true }).click()
    await dialog.getByLabel('Critical', { exact: true }).check()
    await dialog.getByText('1 record', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Or another condition…' }).click()
    await choose(page, 'urgency', 'Urgency', 'High')
    await dialog.getByText('2 records', { exact: true }).waitFor()
    await dialog
      .getByText('Incidents: Subject starts with Tallied and (Priority is Critical or Urgency is High).')
      .waitFor()
    await stage.picture(page, 'filter-sentence')
    expect(await stage.findings(page)).toEqual([])
    // Nothing is applied yet.
    expect(queryOf(page)).toBe('subjectSTARTSWITHTallied^ORDERBYnumber')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    // It says the same number until it has closed.
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('2 records', { exact: true }).waitFor()
    // A changed condition is counted in its own place.
    await page.getByRole('button', { name: 'Priority is Critical or Urgency is High', exact: true }).click()
    await dialog.getByRole('button', { name: 'Remove: Urgency is High' }).click()
    await dialog.getByText('1 record', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    // The menu of saved filters says what is saved.
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page
      .getByRole('dialog', { name: 'Saved filter' })
      .getByText(
        'Incidents: Subject starts with Tallied and (Priority is Critical or Urgency is High). Sorted by Number.',
      )
      .waitFor()
    await stage.picture(page, 'filter-sentence-saved')
  })

  test('Enter chooses the first field that fits what was typed', async () => {
    await incidents('Entered')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHEntered')
    await rows(page, 'Entered').nth(2).waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Condition' })
    const field = dialog.getByPlaceholder('Find a field')
    await field.press('Enter')
    expect(await field.isVisible()).toBe(true)
    await field.fill('urgen')
    await field.press('Enter')
    await dialog.getByLabel('High', { exact: true }).check()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHEntered^urgencyIN2')
  })

  test('by keyboard alone: a condition becomes a group, the focus is never lost, and the group opens again as it is', async () => {
    await incidents('Keys')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHKeys')
    await rows(page, 'Keys').nth(2).waitFor()
    await stage.settled(page)
    const type = async (field: string, title: RegExp, value: RegExp): Promise<void> => {
      await focused(page.getByPlaceholder('Find a field'))
      await page.keyboard.type(field)
      await tabTo(page, title)
      await page.keyboard.press('Enter')
      await page.getByRole('combobox', { name: 'Comparison' }).waitFor()
      await tabTo(page, value)
      await page.keyboard.press('Space')
    }
    const press = async (name: RegExp): Promise<void> => {
      await tabTo(page, name)
      await expect.poll(() => page.evaluate(isFocusVisible)).toBe('visible')
      await page.keyboard.press('Enter')
    }
    await page.keyboard.press('f')
    await type('priority', /^Priority priority choice$/, /^\s*Critical\s*$/)
    await press(/^Or another condition…$/)
    await type('urgency', /^Urgency urgency choice$/, /^\s*High\s*$/)
    await press(/^Apply$/)
    // The new row has the focus.
    await focused(page.getByRole('button', { name: 'Urgency is High', exact: true }))
    await press(/Add a group/)
    await type('impact', /^Impact impact choice$/, /^\s*Several people\s*$/)
    await press(/^Apply$/)
    await focused(page.getByRole('button', { name: 'Impact is Several people', exact: true }))
    await press(/^Apply$/)
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHKeys^priorityIN1^ORurgencyIN2^ORimpactIN3')
    await expect.poll(() => rows(page, 'Keys').count()).toBe(3)

    await press(/^Priority is Critical or Urgency is High or Impact is Several people/)
    await page.getByRole('dialog', { name: 'Condition' }).waitFor()
    await press(/^Remove: Impact is Several people$/)
    await focused(page.getByRole('button', { name: 'Urgency is High', exact: true }))
    await press(/^Apply$/)
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHKeys^priorityIN1^ORurgencyIN2')
    await expect.poll(() => rows(page, 'Keys').count()).toBe(2)
  })

  test('a condition is dragged into a group and back by undo; Escape drops nothing; arrow keys and buttons do the same (issue 13)', async () => {
    const query = 'priorityIN1^OR(urgencyIN2^impactIN1)'
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=${query}`)
    await page.getByRole('button', { name: /^Priority is Critical or \(/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Condition' })
    const grip = (title: string) => dialog.getByRole('button', { name: `Move: ${title}`, exact: true })
    const status = dialog.getByRole('status').first()
    const inner = 'Moved: Priority is Critical and Urgency is High and Impact is Company.'
    const centre = async (title: string) => {
      const box = await dialog.getByRole('button', { name: title, exact: true }).boundingBox()
      return { x: (box?.x ?? 0) + 40, y: box?.y ?? 0, height: box?.height ?? 0 }
    }
    await grip('Priority is Critical').waitFor()
    const lift = async (): Promise<void> => {
      await grip('Priority is Critical').hover()
      await page.mouse.down()
      const { x, y, height } = await centre('Urgency is High')
      await page.mouse.move(x, y + height - 4, { steps: 6 })
      await page.locator('[data-drop]').waitFor()
    }
    await lift()
    expect(await page.locator('[data-drop]').getAttribute('data-row')).toBe('1.1')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('[data-drop]').count()).toBe(0)
    await page.mouse.up()
    expect(await status.textContent()).toBe('')

    await lift()
    await page.mouse.up()
    await status.getByText('Moved: Urgency is High and Priority is Critical and Impact is Company.').waitFor()
    await focused(grip('Priority is Critical'))
    await page.keyboard.press('Control+z')
    await expect.poll(() => status.textContent()).toBe('')
    await focused(grip('Priority is Critical'))
    await page.keyboard.press('ArrowDown')
    await status.getByText(inner).waitFor()
    await focused(grip('Priority is Critical'))
    await page.keyboard.press('ArrowUp')
    await status.getByText(/^Moved: Priority is Critical or \(/).waitFor()
    // Without a drag and without a keyboard.
    await grip('Priority is Critical').click()
    await dialog.getByRole('button', { name: 'Move down: Priority is Critical' }).click()
    await status.getByText(inner).waitFor()
    await status.getByRole('button', { name: 'Undo' }).click()
    await grip('Priority is Critical').press('ArrowDown')
    await status.getByText(inner).waitFor()
    expect(await stage.findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe('priorityIN1^urgencyIN2^impactIN1')
  })

  test('a column that the caller may not view has no name in the filter, and its condition is kept (issue 13)', async () => {
    const query = 'subjectSTARTSWITHPointer^assigned_user.password=x^ORno_such_column=5'
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=${query}`)
    const words = 'a column that you may not view'
    const chip = page.getByRole('button', { name: `${words} is x or ${words} is 5`, exact: true })
    await chip.waitFor()
    expect(queryOf(page)).toBe(query)
    await page.getByRole('button', { name: 'Remove: Subject starts with Pointer', exact: true }).click()
    await expect.poll(() => queryOf(page)).toBe('assigned_user.password=x^ORno_such_column=5')
    // It opens as text, and is applied as it was.
    await chip.click()
    const dialog = page.getByRole('dialog', { name: 'Condition' })
    await dialog.getByRole('button', { name: `${words} is 5`, exact: true }).click()
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Query' }).inputValue()).toBe('no_such_column=5')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe('assigned_user.password=x^ORno_such_column=5')
  })

  test.each(widths)('axe finds nothing in groups within groups: $width px', async (view) => {
    const query = 'priorityIN1^OR(urgencyIN2^impactIN1)^active=true'
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=${query}`, view)
    await page.getByRole('button', { name: /^Priority is Critical or \(/ }).click()
    await page
      .getByRole('dialog', { name: 'Condition' })
      .getByRole('button', { name: 'Impact is Company' })
      .first()
      .waitFor()
    expect(await stage.findingsInThemes(page, 'group')).toEqual([])
  })
})
