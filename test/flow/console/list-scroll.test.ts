import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('scrolling a list (issue 13)', () => {
  const stage = consoleStage()
  const records = 300
  const address = '/t/company?q=nameSTARTSWITHScroll^ORDERBYname&cols=name,sys_created_at,sys_updated_at'
  const addCompanies = (): Promise<unknown> =>
    stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name)
      select docket_system.new_sys_id(), 'Scroll ' || lpad(n::text, 3, '0') from generate_series(1, ${records}::int) as n
      where not exists (select from docket.company where name = 'Scroll 001')`)
  const row = (page: Page, number: number) =>
    page.getByRole('row', { name: new RegExp(`Scroll ${String(number).padStart(3, '0')}`) })
  const scrollTo = (page: Page, index: number): Promise<unknown> =>
    page.evaluate(`{
      const grid = document.querySelector('[role=grid]')
      grid.parentElement.scrollTop = ${index} * grid.querySelector('[data-record]').offsetHeight
    }`)

  test('the row with the focus keeps it, however far the list is scrolled, and the keys go on from there', async () => {
    await addCompanies()
    const page = await stage.signedIn('michael.brown', address)
    await row(page, 1).focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => row(page, 2).evaluate((element) => element.matches(':focus'))).toBe(true)
    await scrollTo(page, 250)
    await row(page, 255).waitFor()
    expect(await row(page, 2).evaluate((element) => element.matches(':focus'))).toBe(true)
    await expect.poll(() => row(page, 100).count()).toBe(0)
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => row(page, 3).evaluate((element) => element.matches(':focus'))).toBe(true)
    await expect.poll(async () => (await row(page, 3).boundingBox())?.y).toBeGreaterThan(0)
  })

  test('the first column stays in its place while the list is scrolled sideways', async () => {
    const columns =
      'number,subject,state,priority,caller,assignment_group,assigned_user,opened_at,company,urgency,impact,sys_updated_at'
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=ORDERBYnumber&cols=${columns}`)
    const number = page.locator('#root [data-record] a').first()
    await number.waitFor()
    await stage.settled(page)
    const before = await number.boundingBox()
    const gridX = (): Promise<number> =>
      page.evaluate("document.querySelector('[role=grid]').getBoundingClientRect().x")
    const unmoved = await gridX()
    for (const px of [200, 0]) {
      await page.evaluate(`document.querySelector('[role=grid]').parentElement.scrollLeft = ${px}`)
      await expect.poll(gridX).toBe(unmoved - px)
      await expect.poll(() => number.boundingBox()).toEqual(before)
    }
  })

  test('a row that comes into view has one element and two attributes for each cell, and rows that stay are not touched', async () => {
    await addCompanies()
    const page = await stage.signedIn('michael.brown', address)
    await row(page, 1).waitFor()
    await scrollTo(page, 60)
    await row(page, 70).waitFor()
    await scrollTo(page, 70)
    await row(page, 80).waitFor()
    await stage.settled(page)
    const touched = await page.evaluate<Readonly<Record<'rows' | 'elements' | 'attributes' | 'changed', number>>>(`
      (async () => {
        const grid = document.querySelector('[role=grid]')
        const records = []
        const observer = new MutationObserver((seen) => records.push(...seen))
        observer.observe(grid, { subtree: true, attributes: true, characterData: true, childList: true })
        grid.parentElement.scrollTop += 3 * grid.querySelector('[data-record]').offsetHeight
        const isIn = () => records.filter(({ addedNodes }) => addedNodes.length > 0).length >= 3
        while (!isIn()) await new Promise((resolve) => requestAnimationFrame(resolve))
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        const added = records.flatMap(({ addedNodes }) => [...addedNodes])
        const elements = added.flatMap((each) => [each, ...each.querySelectorAll('*')])
        return {
          rows: added.length,
          elements: elements.length,
          attributes: elements.reduce((sum, { attributes }) => sum + attributes.length, 0),
          changed: records.filter(({ type }) => type !== 'childList').length,
        }
      })()`)
    expect(touched.rows).toBe(3)
    expect(touched.changed).toBe(0)
    // Beside the cells: the row, the part that stays in its place, the box that selects, its cell, and the link.
    const cells = 3
    expect(touched.elements).toBeLessThanOrEqual(3 * (5 + cells))
    expect(touched.attributes).toBeLessThanOrEqual(3 * (20 + 2 * cells))
  })

  test('a pointer that rests on a truncated text displays the whole', async () => {
    await stage.makeIncident('A subject that is much too long for the narrow column of this list')
    const page = await stage.signedIn(
      'michael.brown',
      '/t/itsm_incident?q=subjectSTARTSWITHA subject that&cols=number,subject',
    )
    const cell = page.getByRole('gridcell', { name: /^A subject that/ })
    // A list that is read again meanwhile has another element under the pointer.
    await stage.settled(page)
    await cell.hover()
    await expect
      .poll(() => cell.getAttribute('title'))
      .toBe('A subject that is much too long for the narrow column of this list')
  })
})
