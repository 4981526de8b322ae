import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { adoptSchema } from '../../../src/adopt/adopt-schema.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { pastedBlocks } from '../../harness/pasted-block.ts'

/** Tables of another owner do not have the columns of the system, such as who has changed a record. */
describe.skipIf(!hasChromium)('the console on tables of another owner (issue 13)', () => {
  const stage = consoleStage()
  const { rowOf, cellOf, pasteInto } = pastedBlocks(stage)

  beforeAll(async () => {
    const { database } = stage.docket
    await database.rows(sql`create schema depot`)
    await database.rows(
      sql`create table depot.tool (id integer primary key, name text not null, place text, weight numeric(6,1))`,
    )
    await database.rows(
      sql`insert into depot.tool select n, 'Tool ' || n, 'Shelf ' || n, n from generate_series(1, 20) n`,
    )
    const wanted = { schema: 'depot', tables: null, keys: new Map(), grants: [], isDryRun: false }
    const adopted = await adoptSchema(database, wanted)
    expect(adopted).toMatchObject({ ok: true })
  })

  const placeOf = async (id: number): Promise<unknown> => {
    const rows = await stage.docket.database.rows<{ place: string }>(sql`select place from depot.tool where id = ${id}`)
    return rows[0]?.place
  }
  const change = async (id: number, body: object): Promise<void> => {
    expect((await stage.docket.request('PATCH', `/rest/v1/table/tool/${id}`, { as: admin, body })).status).toBe(200)
  }
  async function listOf(ids: string): Promise<Page> {
    const page = await stage.signedIn(admin, `/t/tool?q=sys_idIN${ids}^ORDERBYsys_id&cols=name,place,weight`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await rowOf(page, 'Tool').first().waitFor()
    await stage.settled(page)
    return page
  }

  test('a cell that meets the change of another user shows both values', async () => {
    const page = await listOf('1')
    await cellOf(page, 'Tool 1', 1).dblclick()
    const field = page.getByRole('textbox', { name: 'Place' })
    await field.fill('Mine')
    await change(1, { place: 'Theirs' })
    await field.press('Enter')
    const dialog = page.getByRole('alertdialog', { name: 'Changed by two people' })
    await dialog.getByRole('button', { name: 'Theirs: Theirs' }).waitFor()
    await dialog.getByRole('button', { name: 'Mine: Mine' }).click()
    await expect.poll(() => placeOf(1)).toBe('Mine')
  })

  test('selected records are changed together, and undo leaves what another user has changed since', async () => {
    const page = await listOf('2,3,4')
    await page.getByRole('checkbox', { name: 'Select Tool' }).first().check()
    await page.getByRole('button', { name: 'All 3 matching' }).click()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Change several: / })
    await dialog.getByLabel('Add a field to change').selectOption('place')
    await dialog.getByRole('textbox', { name: 'Place' }).fill('Yard')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByRole('button', { name: 'Change 3 records' }).click()
    await page.getByText('3 records are changed.').waitFor()
    expect(await Promise.all([2, 3, 4].map(placeOf))).toEqual(['Yard', 'Yard', 'Yard'])
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.focus()
    await change(3, { place: 'Lent' })
    await undo.press('Enter')
    const message = page.getByText('2 records are as before. 1 record is not:')
    await message.waitFor()
    expect(await message.textContent()).toMatch(/Tool 3\W*: Somebody has changed this record since\./)
    expect(await Promise.all([2, 3, 4].map(placeOf))).toEqual(['Shelf 2', 'Lent', 'Shelf 4'])
  })

  test('a pasted block does not overwrite what another user has changed since the check', async () => {
    const page = await listOf('5,6')
    await pasteInto(page, 'Tool 5', 1, 'Pasted\nPasted, too')
    const dialog = page.getByRole('dialog', { name: /^Paste cells: / })
    await dialog.getByText('2 records would change.').waitFor()
    await change(5, { place: 'Theirs' })
    await dialog.getByRole('button', { name: 'Write' }).click()
    await dialog.getByText('1 record is changed.').waitFor()
    expect([await placeOf(5), await placeOf(6)]).toEqual(['Theirs', 'Pasted, too'])
  })

  test('an open record says what is changed elsewhere, and takes it over', async () => {
    const page = await stage.signedIn(admin, '/t/tool/7')
    await page.locator('#field-place').waitFor()
    await stage.settled(page)
    await change(7, { place: 'Elsewhere' })
    await page.getByText('has changed: Place').waitFor()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await expect.poll(() => page.locator('#field-place').inputValue()).toBe('Elsewhere')
    expect(await stage.findings(page)).toEqual([])
  })
})
