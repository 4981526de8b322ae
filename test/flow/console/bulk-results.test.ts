import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('what a change of many records says in the end (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const imports = /^POST \/rest\/v1\/import\/json\?/

  test('a change that breaks midway says how many records it has changed, and takes them back', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name, sys_db_table_id)
      select docket_system.new_sys_id(), 'Broken ' || n, (select sys_id from docket.sys_db_table where name = 'company')
      from generate_series(1, 150) as n`)
    const changed = async (): Promise<unknown> => {
      const [row] = await stage.docket.database.rows<{ count: number }>(
        sql`select count(*)::integer as count from docket.company where name like 'Broken %' and city = 'Kazan'`,
      )
      return row?.count
    }
    const page = await stage.signedIn(admin, '/t/company?q=nameSTARTSWITHBroken ')
    await page.getByRole('checkbox', { name: 'Select Broken' }).first().check()
    await page.getByRole('button', { name: 'All 150 matching' }).click()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Companies' })
    await dialog.getByLabel('Add a field to change').selectOption('city')
    await dialog.getByRole('textbox', { name: 'City' }).fill('Kazan')
    await dialog.getByRole('button', { name: 'Check' }).click()
    const change = dialog.getByRole('button', { name: 'Change 150 records' })
    await change.waitFor()
    // The first batch waits until the second one is sure to fail.
    stage.proxy.fail(imports, { kind: 'hold' }, 1)
    await change.click()
    await expect.poll(() => stage.proxy.met(imports)).toBe(1)
    stage.proxy.fail(/^POST \/rest\/v1\/import/, { kind: 'respond', status: 500 })
    stage.proxy.heal(imports)
    await dialog.getByText('100 records are changed.').waitFor()
    await dialog.getByRole('alert').waitFor()
    expect(await changed()).toBe(100)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'bulk-broken')
    await dialog.getByRole('button', { name: 'Back' }).waitFor()
    stage.proxy.heal()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('100 records are as before.').waitFor()
    expect(await changed()).toBe(0)
  })

  test('a deletion whose check does not reach the server checks again when it is wanted', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name, sys_db_table_id)
      select docket_system.new_sys_id(), 'Unchecked ' || n, (select sys_id from docket.sys_db_table where name = 'company')
      from generate_series(1, 2) as n`)
    const page = await stage.signedIn(admin, '/t/company?q=nameSTARTSWITHUnchecked ')
    await page.getByRole('checkbox', { name: 'Select Unchecked' }).first().check()
    stage.proxy.fail(/^POST \/rest\/v1\/bulk\/company/, { kind: 'cut-before' })
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete several: Companies' })
    await dialog.getByRole('alert').waitFor()
    expect(await dialog.getByRole('button', { name: 'Delete…' }).isDisabled()).toBe(true)
    expect(await stage.findings(page)).toEqual([])
    await dialog
      .getByRole('alert')
      .getByRole('button', { name: /^Try again/ })
      .waitFor()
    stage.proxy.heal()
    // It offers a button, and tries again by itself: a click could meet that moment.
    await expect.poll(() => dialog.getByRole('button', { name: 'Delete…' }).isEnabled()).toBe(true)
    await dialog.getByRole('alert').waitFor({ state: 'detached' })
  })
})
