import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('values of conditions (issue 13)', () => {
  const stage = consoleStage()
  const queryOf = (page: Page): string | null => new URL(page.url()).searchParams.get('q')
  const rows = (page: Page, word: string) => page.getByRole('row', { name: new RegExp(`${word} `) })
  const listOf = (query: string): string => `/t/itsm_incident?q=${encodeURIComponent(query)}`
  const editorOf = (page: Page) => page.getByRole('dialog', { name: 'Condition' })
  const comparisons = (page: Page): Promise<readonly string[]> =>
    editorOf(page).getByRole('combobox', { name: 'Comparison' }).locator('option').allInnerTexts()

  async function addCondition(page: Page, field: string): Promise<void> {
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await editorOf(page).getByPlaceholder('Find a field').fill(field)
    await page.keyboard.press('Enter')
    await editorOf(page).getByRole('combobox', { name: 'Comparison' }).waitFor()
  }

  test('a list by its members, a duration as it is typed; no comparison that the server rejects is offered', async () => {
    const worked = await stage.makeIncident('Valued long', { labels: ['vpn', 'old'] })
    await stage.makeIncident('Valued short', { labels: ['old'] })
    await stage.docket.database.rows(sql`update docket.task set time_worked = 5400000 where sys_id = ${worked}`)
    const page = await stage.signedIn('michael.brown', listOf('subjectSTARTSWITHValued'))
    await rows(page, 'Valued').nth(1).waitFor()
    const editor = editorOf(page)

    await addCondition(page, 'labels')
    expect(await comparisons(page)).toEqual(['has', 'does not have', 'is empty', 'is not empty'])
    await editor.getByRole('textbox', { name: 'Labels' }).fill('vpn')
    await editor.getByText('1 record', { exact: true }).waitFor()
    await editor.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHValued^labelsHASvpn')
    await expect.poll(() => rows(page, 'Valued').count()).toBe(1)
    await page.getByRole('button', { name: 'Labels has vpn', exact: true }).waitFor()

    await addCondition(page, 'time_worked')
    expect(await comparisons(page)).toEqual([
      'is',
      'is not',
      'more than',
      'at least',
      'less than',
      'at most',
      'is empty',
      'is not empty',
    ])
    await editor.getByRole('combobox', { name: 'Comparison' }).selectOption('>')
    const duration = editor.getByRole('textbox', { name: 'Time worked' })
    await duration.fill('soon')
    expect(await editor.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
    await duration.fill('1 h 15 m')
    await editor.getByText('1 record', { exact: true }).waitFor()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'condition-duration')
    await editor.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe('subjectSTARTSWITHValued^labelsHASvpn^time_worked>4500000')
    await rows(page, 'Valued long').waitFor()
    await page.getByRole('button', { name: 'Time worked more than 1 h 15 m', exact: true }).click()
    await expect.poll(() => duration.inputValue()).toBe('1 h 15 m')
    await page.keyboard.press('Escape')

    await addCondition(page, 'details')
    expect(await comparisons(page)).toEqual(['is', 'is empty', 'is not empty'])
  })

  test('a value that is no choice, and a time that moves with the clock, stay until they are taken out', async () => {
    await stage.makeIncident('Kept here', { priority: '1', urgency: '1', impact: '1' })
    const moving = 'opened_at>javascript:gs.daysAgo(1)'
    const page = await stage.signedIn('michael.brown', listOf(`subjectSTARTSWITHKept^priorityIN1,9^${moving}`))
    await rows(page, 'Kept').first().waitFor()
    const editor = editorOf(page)
    await page.getByRole('button', { name: 'Priority is Critical, 9', exact: true }).click()
    expect(await editor.getByLabel('9', { exact: true }).isChecked()).toBe(true)
    await editor.getByLabel('High', { exact: true }).check()
    await editor.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe(`subjectSTARTSWITHKept^priorityIN1,2,9^${moving}`)

    await page.getByRole('button', { name: /^Opened after/ }).click()
    expect(await editor.getByLabel('Opened', { exact: true }).inputValue()).toBe('javascript:gs.daysAgo(1)')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Priority is Critical, High, 9', exact: true }).click()
    await editor.getByLabel('9', { exact: true }).uncheck()
    await editor.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => queryOf(page)).toBe(`subjectSTARTSWITHKept^priorityIN1,2^${moving}`)
  })
})
