import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, widths } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

interface Stored {
  readonly subject: string
  readonly priority: string
  readonly description: string | null
}

describe.skipIf(!hasChromium)('importing a file in a list (issue 13)', () => {
  const stage = consoleStage()

  const storedAs = (word: string): Promise<readonly Stored[]> =>
    stage.docket.database.rows<Stored & Record<string, unknown>>(
      sql`select subject, priority, description from docket.task where subject like ${`${word}%`} order by subject`,
    )
  const listOf = (word: string): string => `/t/itsm_incident?q=subjectSTARTSWITH${word}^ORDERBYsubject`

  async function chosen(page: Page, name: string, text: string | Buffer): Promise<Locator> {
    await page.getByRole('button', { name: 'Import…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import: Incidents' })
    await dialog
      .getByLabel('File with records')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
    return dialog
  }

  async function downloaded(page: Page, link: Locator): Promise<string> {
    const file = page.waitForEvent('download')
    await link.click()
    const stream = await (await file).createReadStream()
    return (await stream.toArray()).join('')
  }

  test('columns are mapped by name and title, a check writes nothing, and rejected rows come back as a file', async () => {
    const page = await stage.signedIn('michael.brown', listOf('Csv'))
    const text = [
      '\ufeffSubject;PRIORITY;Remark;description',
      '"Csv 1; with ""quotes""";Critical;left out;"two',
      'lines"',
      'Csv 2;Nothing such;;',
      'Csv 3;2',
      "'=Csv 4;2;;",
    ].join('\r\n')
    const dialog = await chosen(page, 'rows.csv', text)
    await dialog.getByText('rows.csv: 4 rows.').waitFor()
    const mapped = await dialog.getByRole('group', { name: 'Columns of the file' }).getByRole('combobox').all()
    const values = await Promise.all(mapped.map((select) => select.inputValue()))
    expect(values).toEqual(['subject', 'priority', '', 'description'])
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'import-map')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('2 records would be created.').waitFor()
    await dialog.getByText('2 rows would be rejected.').waitFor()
    const errors = await dialog.getByRole('list', { name: 'Rejected rows' }).getByRole('listitem').allTextContents()
    expect(errors[0]).toMatch(/^Line 4: .*Nothing such/)
    expect(errors[1]).toBe('Line 5: The row has 2 cells, and the first row has 4.')
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'import-checked')
    expect(await storedAs('Csv')).toEqual([])
    await dialog.getByRole('button', { name: 'Import 2 rows' }).click()
    await dialog.getByText('2 records are created.').waitFor()
    expect(await storedAs('Csv')).toEqual([
      { subject: 'Csv 1; with "quotes"', priority: '1', description: 'two\r\nlines' },
    ])
    expect(await storedAs('=Csv')).toEqual([{ subject: '=Csv 4', priority: '2', description: '' }])
    const file = await downloaded(page, dialog.getByRole('link', { name: 'All 2 rejected rows' }))
    expect(file).toMatch(
      /^\ufeffSubject;PRIORITY;Remark;description;import_error\r\nCsv 2;Nothing such;;;"[^\r]+"\r\nCsv 3;2;"The row has[^\r]+"\r\n$/,
    )
    await dialog.getByRole('button', { name: 'Close' }).click()
    await focused(page.getByRole('button', { name: 'Import…' }))
    await page.getByRole('row', { name: /Csv 1/ }).waitFor()
  })

  test('a file that is dropped on the list changes the records that its key column finds', async () => {
    await stage.makeIncident('Dropped 1', { priority: '4' })
    const page = await stage.signedIn('michael.brown', listOf('Dropped'))
    await page.getByRole('row', { name: /Dropped 1/ }).waitFor()
    const lines = ['{"subject":"Dropped 1","priority":"1"}', '{"subject":"Dropped 2","extra":1}', 'no JSON']
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([${JSON.stringify(lines.join('\n'))}], 'rows.ndjson'))
      return transfer
    })()`)
    await page.getByRole('grid').dispatchEvent('drop', { dataTransfer: data })
    const dialog = page.getByRole('dialog', { name: 'Import: Incidents' })
    await dialog.getByLabel('Existing records').selectOption('subject')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('1 record would be created.').waitFor()
    await dialog.getByText('1 record would be changed.').waitFor()
    await dialog.getByText('Line 3: The row is not a JSON object.').waitFor()
    await dialog.getByRole('button', { name: 'Import 2 rows' }).click()
    await dialog.getByText('1 record is changed.').waitFor()
    expect((await storedAs('Dropped')).map(({ subject, priority }) => [subject, priority])).toEqual([
      ['Dropped 1', '1'],
      ['Dropped 2', expect.any(String)],
    ])
  })

  test('Cancel stops after the rows that are sent, and the rest is imported once when the user goes on', async () => {
    const page = await stage.signedIn('michael.brown', listOf('Stopped'))
    const rows = Array.from({ length: 300 }, (_, at) => `Stopped ${String(at + 1).padStart(3, '0')}`)
    const dialog = await chosen(page, 'rows.csv', ['subject', ...rows].join('\n'))
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('300 records would be created.').waitFor()
    const sent = page.waitForRequest(/import\/json/)
    await page.route(/import\/json/, async (route) => {
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Import 300 rows' }).click()
    await sent
    await dialog.getByText('250 records are created.').waitFor()
    await dialog.getByText('The last 50 rows of the file are not imported.').waitFor()
    expect((await storedAs('Stopped')).length).toBe(250)
    await page.unroute(/import\/json/)
    // The response to the next batch is lost: going on sends it again, under the same key.
    await page.route(/import\/json/, async (route) => {
      await route.fetch()
      await route.fulfill({ status: 400, json: { status: 'ERROR', error: { code: 'X', message: 'Lost on the way.' } } })
    })
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByRole('alert').waitFor()
    expect((await storedAs('Stopped')).length).toBe(300)
    await page.unroute(/import\/json/)
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByText('300 records are created.').waitFor()
    expect((await storedAs('Stopped')).map(({ subject }) => subject)).toEqual(rows)
  })

  test('Escape stops an import that runs, and the rest is imported once when the user goes on', async () => {
    const page = await stage.signedIn('michael.brown', listOf('Escaped'))
    const rows = Array.from({ length: 260 }, (_, at) => `Escaped ${String(at + 1).padStart(3, '0')}`)
    const dialog = await chosen(page, 'rows.csv', ['subject', ...rows].join('\n'))
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('260 records would be created.').waitFor()
    await page.route(
      /import\/json/,
      async (route) => {
        await page.keyboard.press('Escape')
        await route.continue()
      },
      { times: 1 },
    )
    await dialog.getByRole('button', { name: 'Import 260 rows' }).click()
    await dialog.getByText('250 records are created.').waitFor()
    expect((await storedAs('Escaped')).length).toBe(250)
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByText('260 records are created.').waitFor()
    expect((await storedAs('Escaped')).map(({ subject }) => subject)).toEqual(rows)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('with a key column: rows of the same new record count once, and a batch that is sent again changes nothing', async () => {
    const sysId = await stage.makeIncident('Again 000', { priority: '4' })
    const page = await stage.signedIn('michael.brown', listOf('Again'))
    const names = Array.from({ length: 260 }, (_, at) => `Again ${String(at).padStart(3, '0')}`)
    // The last row is one more of the second, in another case and far from it.
    const rows = [...names, 'AGAIN 001'].map((name) => `${name},note of ${name}`)
    const dialog = await chosen(page, 'rows.csv', ['subject,work_notes', ...rows].join('\n'))
    await dialog.getByLabel('Existing records').selectOption('subject')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('259 records would be created.').waitFor()
    await dialog.getByText('2 records would be changed.').waitFor()
    // The response to the first batch is lost, and a colleague changes a record.
    await page.route(/import\/json/, async (route) => {
      await route.fetch()
      await route.fulfill({ status: 400, json: { status: 'ERROR', error: { code: 'X', message: 'Lost on the way.' } } })
    })
    await dialog.getByRole('button', { name: 'Import 261 rows' }).click()
    await dialog.getByRole('alert').waitFor()
    await page.unroute(/import\/json/)
    const notes = (): Promise<unknown> =>
      stage.docket.database.rows(sql`select record_id = ${sysId} as old, count(*)::integer from docket.sys_journal_entry
        where value like 'note of A%' group by 1 order by 1`)
    expect(await notes()).toEqual([
      { old: false, count: 249 },
      { old: true, count: 1 },
    ])
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByText('259 records are created.').waitFor()
    await dialog.getByText('2 records are changed.').waitFor()
    expect(await notes()).toEqual([
      { old: false, count: 260 },
      { old: true, count: 1 },
    ])
    expect((await storedAs('Again')).length + (await storedAs('AGAIN')).length).toBe(260)
  })

  test('a file in another encoding is not read, and callers are offered no import', async () => {
    const page = await stage.signedIn('michael.brown', listOf('Nothing'))
    const dialog = await chosen(page, 'rows.csv', Buffer.from([0x73, 0x0a, 0xcf, 0xf0]))
    await dialog.getByText('The file is not in UTF-8.').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await dialog
      .getByLabel('File with records')
      .setInputFiles({ name: 'a.csv', mimeType: '', buffer: Buffer.from('a') })
    await dialog.getByText('The file has no rows.').waitFor()
    const other = await stage.signedIn('john.smith', '/t/itsm_incident')
    await other.getByRole('grid').waitFor()
    expect(await other.getByRole('button', { name: 'Import…' }).count()).toBe(0)
  })

  test.each(widths)('mapping and result fit $width px', async (view) => {
    const page = await stage.signedIn('michael.brown', listOf('Fit'), view)
    const dialog = await chosen(page, 'rows.csv', 'subject\tpriority\tstate\n"Fit"\t9\t1\nFit\t1\t1')
    await dialog.getByText('rows.csv: 2 rows.').waitFor()
    expect(await stage.findingsInThemes(page, 'import-map')).toEqual([])
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('1 row would be rejected.').waitFor()
    expect(await stage.findingsInThemes(page, 'import-checked')).toEqual([])
  })
})
