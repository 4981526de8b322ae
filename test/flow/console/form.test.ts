import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { mergeThreeWay, type Texts } from '../../../console/src/form/merge.ts'
import { differences, type HistoryEntry } from '../../../console/src/form/versions.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('the form of a record (issue 13)', () => {
  const stage = consoleStage()
  let incident: string
  beforeAll(async () => {
    incident = await stage.makeIncident('Form test', { labels: ['one'], details: { floor: 3 } })
  })
  const stored = async (sysId: string) => {
    const path = `/rest/v1/table/itsm_incident/${sysId}?sysparm_fields=labels,details,workaround,followers_list`
    const { body } = await stage.docket.request('GET', path, { as: loginOf('michael.brown') })
    return (body as { data: Record<string, unknown>[] }).data[0]
  }

  test('columns outside of the view are under "All fields": lists, JSON and rich text have editors', async () => {
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${incident}`)
    await page.getByText(/^All fields/).click()
    await page.getByLabel('Labels').fill('two')
    await page.getByLabel('Labels').press('Enter')
    await page.getByRole('button', { name: 'Remove: one' }).click()
    await page.getByLabel('Details').fill('{"floor": ')
    const rich = page.getByRole('textbox', { name: 'Workaround' })
    await rich.click()
    await focused(rich)
    await page.keyboard.type('Use the ')
    await page.getByRole('button', { name: 'Bold' }).click()
    await focused(rich)
    await page.keyboard.type('<b>stairs</b>')
    await page.keyboard.press('Control+s')
    await page.getByText('This is not JSON.').waitFor()
    await page.getByLabel('Details').fill('{"floor": 4}')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await stored(incident)).toMatchObject({
      labels: ['two'],
      details: { floor: 4 },
      workaround: '<p>Use the <strong>&lt;b&gt;stairs&lt;/b&gt;</strong></p>',
    })
    await page.reload()
    await page.getByText(/^All fields/).click()
    await page.getByRole('textbox', { name: 'Workaround' }).locator('strong').getByText('<b>stairs</b>').waitFor()
  })

  test('an error is read with its field, also of a reference', async () => {
    const sysId = await stage.makeIncident('Error at a reference')
    const [company] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`insert into docket.company (sys_id, name) values (docket_system.new_sys_id(), 'Gone Ltd') returning sys_id::text`,
    )
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const field = page.locator('#field-company')
    await field.fill('Gone')
    await page.getByRole('option', { name: 'Gone Ltd' }).click()
    await stage.docket.database.rows(sql`delete from docket.company where sys_id = ${company?.sys_id}`)
    await page.keyboard.press('Control+s')
    const error = page.locator('#field-company-error')
    await error.waitFor()
    expect(await field.getAttribute('aria-describedby')).toBe('field-company-error')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await stage.findings(page)).toEqual([])
  })

  test('a record is followed and left again, and its versions are compared', async () => {
    const sysId = await stage.makeIncident('First subject')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    await choose('Follow')
    await expect.poll(async () => (await stored(sysId))?.['followers_list']).not.toBe(null)
    // Following is a save of its own, with a notice of its own.
    await stage.settled(page)
    await page.locator('#field-subject').fill('Second subject')
    await page.keyboard.press('Control+s')
    await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await page.getByText('Saved.', { exact: true }).waitFor()
    await choose('Versions')
    const dialog = page.getByRole('dialog', { name: 'Versions' })
    await dialog.getByText('First subject').waitFor()
    await dialog.getByText('Second subject').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await choose('Stop following')
    await expect.poll(async () => (await stored(sysId))?.['followers_list']).toBe(null)
  })

  test('choices that depend on another field follow it at once, without a request', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new')
    const category = page.locator('#field-category')
    const options = () => page.locator('#field-subcategory option').allInnerTexts()
    await category.waitFor()
    await stage.settled(page)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    expect(await options()).toEqual(['—'])
    await category.selectOption({ label: 'Hardware' })
    await expect.poll(async () => (await options()).length).toBeGreaterThan(1)
    const ofHardware = await options()
    await category.selectOption({ label: 'Network' })
    await expect.poll(async () => (await options()).filter((each) => ofHardware.includes(each))).toEqual(['—'])
    expect((await options()).length).toBeGreaterThan(1)
    expect(sent.filter((url) => /\/meta|sys_choice/.test(url))).toEqual([])
  })

  test('related records are counted, and listed when they are opened', async () => {
    const child = await stage.makeIncident('A child of it', { parent_id: incident })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${incident}`)
    const list = page.locator('details').filter({ hasText: 'Tasks: Parent task' })
    await list.getByText('1', { exact: true }).waitFor()
    await list.locator('summary').click()
    await list
      .getByRole('row', { name: /A child of it/ })
      .getByRole('link')
      .click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/t/task/${child}`)
  })

  test('a delete says what goes with the record, and only who may delete is offered it', async () => {
    const sysId = await stage.makeIncident('To be deleted')
    const child = await stage.makeIncident('In the way', { parent_id: sysId })
    const agent = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await agent.getByRole('button', { name: 'More actions' }).click()
    await agent.getByRole('menuitem', { name: 'Versions' }).waitFor()
    await stage.settled(agent)
    expect(await agent.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0)

    const page = await stage.signedIn(admin, `/t/itsm_incident/${sysId}`)
    const dialog = page.getByRole('alertdialog')
    const open = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
    }
    await open()
    await dialog.getByText('Incidents: 1 refers to it and prevents this').waitFor()
    expect(await stage.findings(page)).toEqual([])
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${child}`, {
      as: loginOf('michael.brown'),
      body: { parent_id: null },
    })
    await open()
    await dialog.getByText(/^Nothing else refers/).waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(/^Deleted:/).waitFor()
    expect(await stage.docket.database.rows(sql`select 1 from docket.task where sys_id = ${sysId}`)).toEqual([])
  })

  test('what a change of state needs is asked for in one dialog', async () => {
    const sysId = await stage.makeIncident('Needs a reason', { closure_notes: 'Old reason' })
    await stage.docket.database.rows(
      sql`update docket.sys_db_column set mandatory = true where column_name = 'closure_notes'`,
    )
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.locator('#field-closure_notes').fill('')
    await page.getByRole('group', { name: 'Move to' }).getByRole('button').first().click()
    const dialog = page.getByRole('dialog', { name: /^Needed for/ })
    await dialog.getByLabel('Closure notes').fill('Because')
    expect(await stage.findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    const [row] = await stage.docket.database.rows<{ closure_notes: string; state: string }>(
      sql`select closure_notes, state from docket.task where sys_id = ${sysId}`,
    )
    expect(row?.closure_notes).toBe('Because')
    expect(row?.state).not.toBe('0')
    // The tests after this one have the dictionary of the demo.
    await stage.docket.database.rows(
      sql`update docket.sys_db_column set mandatory = false where column_name = 'closure_notes'`,
    )
  })

  test('while a caller types a subject, documents that may answer it are shown', async () => {
    await stage.docket.request('POST', '/load_text_to_collection?collection_name=knowledge', {
      as: loginOf('maria.sokolova'),
      body: { text: '# Gyroscope drifts\n\nCalibrate the gyroscope twice.', metadata: { doc_id: 'gyroscope' } },
    })
    const page = await stage.signedIn('john.smith', '/t/itsm_incident/new')
    await page.locator('#field-subject').fill('my gyroscope drifts')
    const suggested = page.getByRole('complementary', { name: 'These may already answer it' })
    await suggested.getByRole('link', { name: 'Gyroscope drifts' }).waitFor()
    expect(await stage.findings(page)).toEqual([])
  })

  test.each(widths)('axe finds nothing in a form with everything open: $width px', async (view) => {
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${incident}`, view)
    await page.getByText(/^All fields/).click()
    await page.getByRole('textbox', { name: 'Workaround' }).waitFor()
    await page.locator('summary').filter({ hasText: 'Tasks: Parent task' }).click()
    await page.getByRole('link', { name: 'Open as a list' }).waitFor()
    expect(await stage.findingsInThemes(page)).toEqual([])
  })
})

describe('the three-way merge', () => {
  const columns = ['a', 'b', 'c', 'd']
  const value = fc.constantFrom('', '1', '2', '3')
  const row = fc.record(Object.fromEntries(columns.map((column) => [column, value])))
  const edits = fc.dictionary(fc.constantFrom(...columns), value)

  test('no edit is lost and none is made up; what both changed to different values is decided by nobody', () => {
    fc.assert(
      fc.property(row, edits, row, (opened, mine, theirs) => {
        const { edits: left, conflicts } = mergeThreeWay({ opened, mine, theirs })
        for (const column of columns) {
          const wanted = mine[column]
          const isForeign = opened[column] !== theirs[column]
          const conflict = conflicts.find((each) => each.column === column)
          const isWanted = wanted !== undefined && wanted !== theirs[column]
          expect(left[column]).toBe(isWanted && !isForeign ? wanted : undefined)
          expect(conflict).toEqual(
            isWanted && isForeign
              ? { column, opened: opened[column], mine: wanted, theirs: theirs[column] }
              : undefined,
          )
        }
      }),
    )
  })

  test('after the merge, each column has the value of whoever changed it last', () => {
    fc.assert(
      fc.property(row, edits, row, (opened, mine, theirs) => {
        const { edits: left, conflicts, foreign } = mergeThreeWay({ opened, mine, theirs })
        const merged: Texts = { ...theirs, ...left }
        for (const column of columns.filter((each) => conflicts.every((conflict) => conflict.column !== each)))
          expect(merged[column]).toBe(mine[column] ?? theirs[column])
        for (const column of foreign) expect(column in mine).toBe(false)
      }),
    )
  })
})

const textOf = (_display: string | null, value: unknown): string => String(value ?? '')

test('versions differ in what was changed between them, and not in what was changed back', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2', '3')), { maxLength: 6 }),
      fc.nat(6),
      fc.nat(6),
      (writes, one, other) => {
        const rows: Record<string, string>[] = [{}]
        for (const write of writes) rows.push({ ...rows.at(-1), ...write })
        const entries = writes.map((write, at) => entryOf(rows[at] ?? {}, write)).toReversed()
        const [newer, older] = [Math.min(one, other, writes.length), Math.min(Math.max(one, other), writes.length)]
        const [before = {}, after = {}] = [rows[writes.length - older], rows[writes.length - newer]]
        const found = differences(entries, [older, newer], textOf).map(({ column, before: was, after: is }) => [
          column,
          was,
          is,
        ])
        const wanted = ['a', 'b']
          .filter((column) => before[column] !== after[column])
          .map((column) => [column, before[column] ?? '', after[column] ?? ''])
        expect(found.sort()).toEqual(wanted.sort())
      },
    ),
  )
})

function entryOf(before: Readonly<Record<string, string>>, write: Readonly<Record<string, string>>): HistoryEntry {
  const changes = Object.entries(write).map(([column, value]) => ({
    column,
    title: column,
    old_value: before[column] ?? null,
    new_value: value,
    old_display_value: null,
    new_display_value: null,
  }))
  return { change: 'x', operation: 'update', changed_at: '2026-01-01 00:00:00', changed_by: null, changes }
}
