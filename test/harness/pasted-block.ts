import type { Locator, Page } from 'playwright-core'
import { sql } from '../../src/kernel/sql.ts'
import type { ConsoleStage, View } from './console-browser.ts'
import { focused } from './keyboard.ts'

/** What tests of pasted blocks of cells do. */
export function pastedBlocks(stage: ConsoleStage) {
  const rowOf = (page: Page, name: string): Locator => page.getByRole('row', { name: new RegExp(name) })
  const cellOf = (page: Page, name: string, column: number): Locator =>
    // The first cell has the check box.
    rowOf(page, name)
      .getByRole('gridcell')
      .nth(column + 1)

  /** Subject and priority of each. */
  async function storedOf(made: readonly string[]): Promise<readonly (readonly unknown[])[]> {
    const rows = await Promise.all(
      made.map((sysId) =>
        stage.docket.database.rows<Record<string, unknown>>(
          sql`select subject, priority from docket.task where sys_id = ${sysId}`,
        ),
      ),
    )
    return rows.map(([row]) => [row?.['subject'], row?.['priority']])
  }

  /** @returns sys_ids of incidents whose subjects are the word and a number from 1 */
  async function incidents(word: string, count: number): Promise<readonly string[]> {
    const made: string[] = []
    for (let at = 1; at <= count; at += 1) made.push(await stage.makeIncident(`${word} ${at}`))
    return made
  }

  async function listOf(word: string, view: View = {}): Promise<Page> {
    const address = `/t/itsm_incident?q=subjectSTARTSWITH${word}^ORDERBYnumber&cols=number,subject,priority,sys_updated_at`
    const page = await stage.signedIn('michael.brown', address, view)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await rowOf(page, `${word} 1`).waitFor()
    await stage.settled(page)
    return page
  }

  /** By keyboard alone: the cell has the focus, and no text is selected. */
  async function pasteInto(page: Page, name: string, column: number, text: string): Promise<Locator> {
    await rowOf(page, name).focus()
    for (let at = 0; at <= column; at += 1) await page.keyboard.press('ArrowRight')
    await focused(cellOf(page, name, column))
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await page.keyboard.press('Control+v')
    return page.getByRole('dialog', { name: 'Paste cells: Incidents' })
  }

  return { rowOf, cellOf, storedOf, incidents, listOf, pasteInto }
}
