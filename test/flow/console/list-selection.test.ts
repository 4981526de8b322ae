import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('selecting rows of a list (issue 13)', () => {
  const stage = consoleStage()
  const nameOf = (word: string, number: number): string => `${word} ${String(number).padStart(5, '0')}`
  const row = (page: Page, word: string, number: number): Locator =>
    page.getByRole('row', { name: new RegExp(nameOf(word, number)) })
  const selected = (page: Page, count: number): Locator => page.getByText(`${count} selected`, { exact: true })
  const address = (word: string): string => `/t/company?q=nameSTARTSWITH${word}^ORDERBYname&cols=name`

  async function companies(word: string, count: number): Promise<Page> {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name)
      select docket_system.new_sys_id(), ${word}::text || ' ' || lpad(n::text, 5, '0')
      from generate_series(1, ${count}::int) as n`)
    const page = await stage.signedIn('michael.brown', address(word))
    await row(page, word, 1).waitFor()
    await page.locator('#root').getByText(`${count} records`, { exact: true }).waitFor()
    await stage.settled(page)
    return page
  }

  test('Shift with an arrow begins at the row that has the focus', async () => {
    const page = await companies('Arrow', 12)
    await row(page, 'Arrow', 1).press('ArrowDown')
    for (const number of [2, 3, 4]) {
      await focused(row(page, 'Arrow', number))
      await page.keyboard.press('ArrowDown')
    }
    await focused(row(page, 'Arrow', 5))
    await page.keyboard.press('Shift+ArrowDown')
    await focused(row(page, 'Arrow', 6))
    await selected(page, 2).waitFor()
    await page.keyboard.press('Shift+End')
    await focused(row(page, 'Arrow', 12))
    await selected(page, 8).waitFor()
  })

  test('a range does not begin at a row of another order', async () => {
    const page = await companies('Before', 8)
    await row(page, 'Before', 2).getByRole('checkbox').click()
    await selected(page, 1).waitFor()
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').first().click()
    await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await selected(page, 1).waitFor({ state: 'detached' })
    await stage.settled(page)
    await row(page, 'Before', 6)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await selected(page, 1).waitFor()
  })

  test('Space on a check box selects, and opens nothing beside the list', async () => {
    const page = await companies('Box', 3)
    const box = row(page, 'Box', 2).getByRole('checkbox')
    await box.click()
    await selected(page, 1).waitFor()
    await focused(box)
    await page.keyboard.press(' ')
    await selected(page, 1).waitFor({ state: 'detached' })
    await page.keyboard.press(' ')
    await selected(page, 1).waitFor()
    expect(await page.getByRole('complementary', { name: 'Record' }).count()).toBe(0)
  })

  test('a range includes rows that were never in view', async () => {
    const page = await companies('Range', 450)
    await row(page, 'Range', 3).getByRole('checkbox').click()
    await selected(page, 1).waitFor()
    await page.evaluate(`{
      const { parentElement } = document.querySelector('[role=grid]')
      parentElement.scrollTop = parentElement.scrollHeight
    }`)
    await row(page, 'Range', 448)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await selected(page, 446).waitFor()
  })

  test('a range that arrives after the list was left changes nothing in the next list', async () => {
    const page = await companies('Late', 450)
    await row(page, 'Late', 3).getByRole('checkbox').click()
    await selected(page, 1).waitFor()
    await page.evaluate(`{
      const { parentElement } = document.querySelector('[role=grid]')
      parentElement.scrollTop = parentElement.scrollHeight
    }`)
    await row(page, 'Late', 448).waitFor()
    const isRange = /sysparm_limit=446(&|$)/
    const arrive = Promise.withResolvers<void>()
    await page.route(isRange, async (route) => {
      await arrive.promise
      await route.continue()
    })
    const requested = page.waitForRequest(isRange)
    await row(page, 'Late', 448)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await requested
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').first().click()
    await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await selected(page, 1).waitFor({ state: 'detached' })
    await row(page, 'Late', 450).getByRole('checkbox').click()
    await selected(page, 1).waitFor()
    const arrived = page.waitForResponse(isRange)
    arrive.resolve()
    await arrived
    await stage.settled(page)
    await selected(page, 1).waitFor()
  })

  test('the record beside the list follows to a row that has not been read', async () => {
    const page = await companies('Follow', 450)
    await row(page, 'Follow', 1).press(' ')
    const peek = page.getByRole('complementary', { name: 'Record' })
    await peek.getByRole('heading', { name: nameOf('Follow', 1) }).waitFor()
    await focused(row(page, 'Follow', 1))
    await page.keyboard.press('End')
    await focused(row(page, 'Follow', 450))
    await peek.getByRole('heading', { name: nameOf('Follow', 450) }).waitFor()
  })
})
