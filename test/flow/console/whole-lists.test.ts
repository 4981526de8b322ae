import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('lists say and undo all that they show (issue 13)', () => {
  const stage = consoleStage()

  test('a change of many that is typed otherwise than it is displayed can be undone', async () => {
    const made = [await stage.makeIncident('Typed 1'), await stage.makeIncident('Typed 2')]
    const worked = () =>
      Promise.all(
        made.map(async (sysId) => {
          const [row] = await stage.docket.database.rows<{ text: string }>(
            sql`select time_worked::text as text from docket.task where sys_id = ${sysId}`,
          )
          return row?.text ?? null
        }),
      )
    const before = await worked()
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHTyped^ORDERBYsubject')
    for (const name of ['Typed 1', 'Typed 2'])
      await page
        .getByRole('row', { name: new RegExp(name) })
        .getByRole('checkbox')
        .check()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Incidents' })
    await dialog.getByLabel('Add a field to change').selectOption('time_worked')
    await dialog.getByRole('textbox', { name: 'Time worked' }).fill('90 m')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    await page.getByText('2 records are changed.').waitFor()
    expect(await worked()).not.toEqual(before)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 records are as before.').waitFor()
    expect(await worked()).toEqual(before)
  })

  test('a grouped list without records says why it is empty, and takes a condition back', async () => {
    await stage.makeIncident('Grouped one', { priority: '1' })
    const page = await stage.signedIn(
      'michael.brown',
      '/t/itsm_incident?q=subjectSTARTSWITHGrouped^priority=4&group=priority',
    )
    await page.getByText('Nothing matches the filter.').first().waitFor()
    await page.getByRole('button', { name: /^Without: Priority/ }).click()
    await page.getByRole('button', { name: /Critical/ }).waitFor()
  })

  test('more than 100 saved filters are all there', async () => {
    const [user] = await stage.docket.database.rows<{ id: string }>(
      sql`select sys_id::text as id from docket."user" where user_name = 'michael.brown'`,
    )
    await stage.docket.database.rows(sql`
      insert into docket.sys_filter (title, condition, table_id, user_id, active)
      select 'Saved ' || n, 'priority=1', t.sys_id, ${user?.id}::bigint, true
      from generate_series(1, 130) n, docket.sys_db_table t where t.name = 'itsm_incident'`)
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident')
    await page.getByRole('link', { name: 'Saved 130' }).first().waitFor()
    await page.getByRole('link', { name: 'Saved 1', exact: true }).first().waitFor()
  })
})
