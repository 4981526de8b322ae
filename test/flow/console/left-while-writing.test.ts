import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { asksBeforeClosing } from '../../harness/closing-tab.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { pastedBlocks } from '../../harness/pasted-block.ts'

/** The user leaves the list while many records are being written. */
describe.skipIf(!hasChromium)('"back" of the browser while records are written (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const { storedOf, incidents, rowOf, pasteInto } = pastedBlocks(stage)
  const imports = /^POST \/rest\/v1\/import\/json\?/
  const deletions = /^POST \/rest\/v1\/bulk\/company/

  /** The list, opened from the home page: "back" leads there. */
  async function openedFromHome(who: Parameters<typeof stage.signedIn>[0], address: string): Promise<Page> {
    const page = await stage.signedIn(who, '/')
    await push(page, address)
    return page
  }

  /** With the place that the router counts. */
  const push = (page: Page, address: string): Promise<unknown> =>
    page.evaluate(
      `history.pushState({ __TSR_index: history.state.__TSR_index + 1, __TSR_key: ${JSON.stringify(address)} }, '', ${JSON.stringify(`/console${address}`)})`,
    )

  /** @param isBetween "back" and "forward" both lead to another page */
  async function companies(word: string, count: number, isBetween = false): Promise<Page> {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name, sys_db_table_id)
      select docket_system.new_sys_id(), ${word}::text || ' ' || n, (select sys_id from docket.sys_db_table where name = 'company')
      from generate_series(1, ${count}::integer) as n`)
    const address = `/t/company?q=nameSTARTSWITH${word} `
    const page = await openedFromHome(admin, isBetween ? '/me' : address)
    if (isBetween) {
      await push(page, address)
      await push(page, '/me')
      await goBack(page)
    }
    await page
      .getByRole('checkbox', { name: `Select ${word}` })
      .first()
      .check()
    await page.getByRole('button', { name: `All ${count} matching` }).click()
    return page
  }

  const counted = async (word: string, city: string | null): Promise<unknown> => {
    const [row] = await stage.docket.database.rows<{ count: number }>(sql`
      select count(*)::integer as count from docket.company
      where name like ${`${word} %`} and (${city}::text is null or city = ${city})`)
    return row?.count
  }

  /** Begins what writes, and goes back while its first request is on the way. */
  async function backDuring(page: Page, write: Locator, request: RegExp, leave = goBack): Promise<void> {
    // The check may have requests to the same address.
    await write.waitFor()
    expect(await asksBeforeClosing(page)).toBe(false)
    stage.proxy.fail(request, { kind: 'hold' }, 1)
    await write.click()
    await expect.poll(() => stage.proxy.met(request)).toBe(1)
    expect(await asksBeforeClosing(page)).toBe(true)
    await leave(page)
    stage.proxy.heal()
  }

  /** The page may return by itself. */
  async function go(page: Page, way: 'back' | 'forward'): Promise<void> {
    await page.evaluate(`new Promise((resolve) => {
      addEventListener('popstate', resolve, { once: true })
      history.${way}()
    })`)
  }
  const goBack = (page: Page): Promise<void> => go(page, 'back')

  async function isLeft(page: Page): Promise<void> {
    await goBack(page)
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/console\/?$/)
  }

  test('stops a change of many, and the dialog says what is changed', async () => {
    const page = await companies('Left', 150)
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Companies' })
    await dialog.getByLabel('Add a field to change').selectOption('city')
    await dialog.getByRole('textbox', { name: 'City' }).fill('Kazan')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await backDuring(page, dialog.getByRole('button', { name: 'Change 150 records' }), imports)
    await dialog.getByText('100 records are changed. The others are as they were.').waitFor()
    expect(await counted('Left', 'Kazan')).toBe(100)
    expect(await asksBeforeClosing(page)).toBe(false)
    await isLeft(page)
  })

  test('"forward" stops a change of many, too, and the list stays', async () => {
    const page = await companies('Onward', 150, true)
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Companies' })
    await dialog.getByLabel('Add a field to change').selectOption('city')
    await dialog.getByRole('textbox', { name: 'City' }).fill('Kazan')
    await dialog.getByRole('button', { name: 'Check' }).click()
    const change = dialog.getByRole('button', { name: 'Change 150 records' })
    await backDuring(page, change, imports, (left) => go(left, 'forward'))
    await dialog.getByText('100 records are changed. The others are as they were.').waitFor()
    expect(await counted('Onward', 'Kazan')).toBe(100)
    expect(new URL(page.url()).pathname).toMatch(/\/t\/company$/)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByText('100 records are as before.').waitFor()
    // The history is as it was.
    for (const [leave, path] of [
      ['forward', '/me'],
      ['back', '/t/company'],
      ['back', '/me'],
    ] as const) {
      await go(page, leave)
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/console${path}`)
    }
  })

  test('stops an import, and the dialog offers to import the rest', async () => {
    const page = await openedFromHome('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHImported')
    await page.getByRole('button', { name: 'Import…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import: Incidents' })
    const rows = Array.from({ length: 260 }, (_, at) => `Imported ${at}`)
    const buffer = Buffer.from(['subject', ...rows].join('\n'))
    await dialog.getByLabel('File with records').setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer })
    await dialog.getByRole('button', { name: 'Check' }).click()
    await backDuring(page, dialog.getByRole('button', { name: 'Import 260 rows' }), imports)
    await dialog.getByText('250 records are created.').waitFor()
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByText('260 records are created.').waitFor()
    await isLeft(page)
  })

  test('stops a pasted block, and the dialog says what is written', async () => {
    const made = await incidents('Blocked', 2)
    const page = await openedFromHome(
      'michael.brown',
      '/t/itsm_incident?q=subjectSTARTSWITHBlocked^ORDERBYnumber&cols=number,subject,priority',
    )
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await rowOf(page, 'Blocked 1').waitFor()
    await stage.settled(page)
    const dialog = await pasteInto(page, 'Blocked 1', 1, 'Blocked one\nBlocked two')
    const first = new RegExp(`^PATCH /rest/v1/table/itsm_incident/${made[0]}`)
    await backDuring(page, dialog.getByRole('button', { name: 'Write' }), first)
    await dialog.getByText('1 record is changed. The others are as they were.').waitFor()
    expect(await storedOf(made)).toEqual([
      ['Blocked one', '3'],
      ['Blocked 2', '3'],
    ])
  })

  test('does not leave a deletion, which cannot be stopped', async () => {
    const page = await companies('Deleted', 2)
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete several: Companies' })
    await dialog.getByText('2 records would be deleted').waitFor()
    await backDuring(page, dialog.getByRole('button', { name: 'Delete…' }), deletions)
    await page.getByText('2 records are deleted.').waitFor()
    expect(new URL(page.url()).pathname).toMatch(/\/t\/company$/)
    expect(await counted('Deleted', null)).toBe(0)
    await isLeft(page)
  })
})
