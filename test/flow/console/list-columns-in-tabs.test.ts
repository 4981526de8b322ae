import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

/** Columns and widths that a user keeps, in two tabs (issue 13). */
describe.skipIf(!hasChromium)('columns of a list in two tabs', () => {
  const stage = consoleStage()

  test('a width that is set in a tab leaves the columns that another tab has kept meanwhile', async () => {
    // By its role: the list that the server has painted is inert until the console displays its own.
    const head = (page: Page) => page.getByRole('columnheader', { name: 'Subject', exact: true })
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident')
    await head(page).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${stage.baseUrl}/console/t/itsm_incident?cols=subject,number`)
    await head(other).waitFor()
    await stage.settled(page)
    const stored = async (): Promise<unknown> => {
      const [row] = await stage.docket.database.rows<{ value: unknown }>(
        sql`select value from docket.sys_user_preference where name = 'console.list.itsm_incident'`,
      )
      return row?.value
    }
    await other.getByRole('button', { name: 'Columns' }).click()
    await other.getByRole('button', { name: 'Keep for me' }).click()
    await expect.poll(stored).toEqual({ columns: ['subject', 'number'] })
    await head(page).getByRole('button').press('Alt+ArrowRight')
    await head(page).getByRole('button').press('Alt+ArrowRight')
    await expect.poll(stored).toMatchObject({ widths: { subject: expect.any(Number) } })
    await stage.settled(page)
    expect(await stored()).toEqual({ columns: ['subject', 'number'], widths: { subject: expect.any(Number) } })
  })
})
