import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('working in a list (issue 13)', () => {
  const stage = consoleStage()

  /** Incidents whose subjects begin with the same word, and the list of them in the order of their subjects. */
  async function incidents(word: string, count: number, more: object = {}): Promise<readonly string[]> {
    const made: string[] = []
    for (let at = 1; at <= count; at += 1) made.push(await stage.makeIncident(`${word} ${at}`, more))
    return made
  }
  const listOf = (word: string): string => `/t/itsm_incident?q=subjectSTARTSWITH${word}^ORDERBYsubject`
  const rowOf = (page: Page, name: string): Locator => page.getByRole('row', { name: new RegExp(name) })
  const cellOf = (page: Page, name: string, column: number): Locator =>
    // The first cell has the check box.
    rowOf(page, name)
      .getByRole('gridcell')
      .nth(column + 1)
  const stored = async (sysId: string, column: 'subject' | 'priority' | 'state'): Promise<unknown> => {
    const [row] = await stage.docket.database.rows<Record<string, unknown>>(
      sql`select ${sql.ref(column)} from docket.task where sys_id = ${sysId}`,
    )
    return row?.[column]
  }

  test('a cell is edited by keyboard alone: arrows, F2, Tab to the next, Escape, and undo', async () => {
    const [sysId = ''] = await incidents('Cells', 1)
    const page = await stage.signedIn('michael.brown', `${listOf('Cells')}&cols=number,subject,priority`)
    await rowOf(page, 'Cells 1').waitFor()
    await stage.settled(page)
    await rowOf(page, 'Cells 1').press('ArrowRight')
    await focused(cellOf(page, 'Cells 1', 0))
    await page.keyboard.press('ArrowRight')
    await focused(cellOf(page, 'Cells 1', 1))
    await page.keyboard.press('F2')
    await focused(page.getByRole('textbox', { name: 'Subject' }))
    await page.keyboard.press('End')
    await page.keyboard.type(', edited')
    await page.keyboard.press('Tab')
    await focused(page.getByRole('combobox', { name: 'Priority' }))
    await expect.poll(() => stored(sysId, 'subject')).toBe('Cells 1, edited')
    await cellOf(page, 'Cells', 1).getByText('Cells 1, edited').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Priority' }).waitFor({ state: 'detached' })
    await expect.poll(() => cellOf(page, 'Cells', 2).evaluate((cell) => cell.matches(':focus'))).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => stored(sysId, 'subject')).toBe('Cells 1')
  })

  test('an edit in a list that meets the change of a colleague shows both values, and loses neither', async () => {
    const [sysId = ''] = await incidents('Meeting', 1)
    const page = await stage.signedIn('michael.brown', `${listOf('Meeting')}&cols=number,subject`)
    await cellOf(page, 'Meeting 1', 1).dblclick()
    await page.getByRole('textbox', { name: 'Subject' }).fill('Meeting mine')
    const patch = await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('maria.sokolova'),
      body: { subject: 'Meeting theirs' },
    })
    expect(patch.status).toBe(200)
    await page.getByRole('textbox', { name: 'Subject' }).press('Enter')
    const dialog = page.getByRole('alertdialog', { name: 'Changed by two people' })
    await dialog.getByRole('button', { name: 'Theirs: Meeting theirs' }).waitFor()
    expect(await stage.findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Mine: Meeting mine' }).click()
    await expect.poll(() => stored(sysId, 'subject')).toBe('Meeting mine')
  })

  test('an edit in a list asks nothing if a colleague has changed another field: both changes stay', async () => {
    const [sysId = ''] = await incidents('Beside', 1)
    const page = await stage.signedIn('michael.brown', `${listOf('Beside')}&cols=number,subject,priority`)
    const other = await stage.signedIn('maria.sokolova', `${listOf('Beside')}&cols=number,priority`)
    await cellOf(page, 'Beside 1', 1).dblclick()
    const field = page.getByRole('textbox', { name: 'Subject' })
    await field.fill('Beside mine')
    await other.getByRole('gridcell').nth(2).dblclick()
    await other.getByRole('grid').getByRole('combobox').selectOption('1')
    await other.getByRole('grid').getByRole('combobox').press('Enter')
    await expect.poll(() => stored(sysId, 'priority')).toBe('1')
    await field.press('Enter')
    await page
      .getByRole('status')
      .getByText('Saved. Other fields of this record were changed meanwhile: Мария Соколова.')
      .waitFor()
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    expect([await stored(sysId, 'subject'), await stored(sysId, 'priority')]).toEqual(['Beside mine', '1'])
    await cellOf(page, 'Beside mine', 2).getByText('Critical').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => stored(sysId, 'subject')).toBe('Beside 1')
    expect(await stored(sysId, 'priority')).toBe('1')
  })

  test('a field that the rules close for this record is not opened', async () => {
    // Callers change their own tickets while these are open; a list of closed ones has none to change.
    const sysId = await stage.makeIncident('Closed for its caller')
    await stage.docket.database.rows(sql`
      update docket.task set active = false, caller = (select sys_id from docket."user" where user_name = 'john.smith')
      where sys_id = ${sysId}`)
    const page = await stage.signedIn('john.smith', '/t/itsm_incident?q=subject=Closed for its caller')
    await cellOf(page, 'Closed for its caller', 1).waitFor()
    await page.getByRole('row', { name: /Closed for its caller/ }).press('F2')
    await page.getByText('You cannot change this field of this record.').waitFor()
    expect(await page.getByRole('grid').getByRole('textbox').count()).toBe(0)
    expect(await page.getByRole('grid').getByRole('combobox').count()).toBe(0)
  })

  test('selected records are changed together after a check, and undo leaves what a colleague has changed since', async () => {
    const made = await incidents('Together', 3)
    const page = await stage.signedIn('michael.brown', listOf('Together'))
    await rowOf(page, 'Together 1').press('x')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByRole('toolbar', { name: 'Selected records' }).getByText('3 selected').waitFor()
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Change several: Incidents' })
    await dialog.getByLabel('Add a field to change').selectOption('priority')
    await dialog.getByRole('combobox', { name: 'Priority' }).selectOption('1')
    expect(await stage.findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('3 records would change.').waitFor()
    for (const sysId of made) expect(await stored(sysId, 'priority')).toBe('3')
    await dialog.getByRole('button', { name: 'Change 3 records' }).click()
    await page.getByText('3 records are changed.').waitFor()
    for (const sysId of made) expect(await stored(sysId, 'priority')).toBe('1')
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${made[1]}`, {
      as: loginOf('maria.sokolova'),
      body: { priority: '2' },
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 records are as before.').waitFor()
    await expect.poll(() => Promise.all(made.map((sysId) => stored(sysId, 'priority')))).toEqual(['3', '2', '3'])
  })

  test('members are added to a list of many; what a colleague adds or removes meanwhile is kept, also by undo', async () => {
    const idOf = async (name: string): Promise<string> => {
      const [row] = await stage.docket.database.rows<{ id: string }>(
        sql`select sys_id::text as id from docket."user" where user_name = ${name}`,
      )
      return row?.id ?? ''
    }
    const [anna, maria, michael] = await Promise.all(['anna.petrova', 'maria.sokolova', 'michael.brown'].map(idOf))
    const made = await incidents('Followed', 3, { followers_list: [maria] })
    const as = loginOf('maria.sokolova')
    const follow = (at: number, change: object) =>
      stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${made[at]}`, {
        as,
        body: { followers_list: change },
      })
    const followers = () =>
      Promise.all(
        made.map(async (sysId) => {
          const [row] = await stage.docket.database.rows<{ list: readonly string[] | null }>(
            sql`select followers_list as list from docket.task where sys_id = ${sysId}`,
          )
          return [...(row?.list ?? [])].sort()
        }),
      )
    const sorted = (...ids: readonly (string | undefined)[]) => [...ids].sort()
    expect((await follow(1, { add: [anna] })).status).toBe(200)

    const page = await stage.signedIn('michael.brown', listOf('Followed'))
    await page.getByRole('checkbox', { name: 'Select INC' }).first().check()
    await page.getByRole('button', { name: 'All 3 matching' }).click()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Incidents' })
    await dialog.getByLabel('Add a field to change').selectOption('followers_list')
    expect(await dialog.getByRole('combobox', { name: 'Followers: how to change it' }).inputValue()).toBe('add')
    expect(await dialog.getByRole('button', { name: 'Check' }).isDisabled()).toBe(true)
    await dialog.getByRole('combobox', { name: 'Followers', exact: true }).fill('anna.petrova')
    await page.getByRole('option', { name: 'Анна Петрова' }).click()
    await dialog.getByRole('button', { name: /^Remove: .*Анна Петрова/ }).waitFor()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'bulk-list')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('2 records would change. 1 record has these values already.').waitFor()
    await dialog
      .getByRole('listitem')
      .filter({ hasText: /^Followers · Add Анна Петрова$/ })
      .waitFor()
    await stage.picture(page, 'bulk-list-checked')
    expect(await followers()).toEqual([sorted(maria), sorted(anna, maria), sorted(maria)])

    // The colleague is faster than the change, after the records were read for it.
    await page.route(
      (url) => url.pathname.includes('/rest/v1/import/') && !url.searchParams.has('dry_run'),
      async (route) => {
        expect((await follow(0, { add: [michael], remove: [maria] })).status).toBe(200)
        await route.continue()
      },
      { times: 1 },
    )
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    await page.getByText('2 records are changed.').waitFor()
    expect(await followers()).toEqual([sorted(anna, michael), sorted(anna, maria), sorted(anna, maria)])
    expect((await follow(2, { remove: [anna] })).status).toBe(200)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 records are as before.').waitFor()
    expect(await followers()).toEqual([sorted(michael), sorted(anna, maria), sorted(maria)])
  })

  test('members are removed from a list of many by keyboard; a rejected record is in the file, a list is replaced and emptied', async () => {
    const made = await incidents('Labelled', 3, { labels: ['vpn', 'old'] })
    await stage.docket.database.rows(sql`update docket.task set labels = '{vpn}' where sys_id = ${made[0]}`)
    const labels = () =>
      Promise.all(
        made.map(async (sysId) => {
          const [row] = await stage.docket.database.rows<{ labels: readonly string[] | null }>(
            sql`select labels from docket.task where sys_id = ${sysId}`,
          )
          return row?.labels ?? null
        }),
      )
    const page = await stage.signedIn('michael.brown', listOf('Labelled'))
    const dialog = page.getByRole('dialog', { name: 'Change several: Incidents' })
    const open = async (): Promise<void> => {
      if ((await page.getByRole('checkbox', { name: 'Select INC', checked: true }).count()) === 0) {
        await rowOf(page, 'Labelled 1').press('x')
        await page.keyboard.press('Shift+ArrowDown')
        await page.keyboard.press('Shift+ArrowDown')
      }
      await page.getByRole('button', { name: 'Change…' }).press('Enter')
      await dialog.getByLabel('Add a field to change').selectOption('labels')
    }
    const kind = dialog.getByRole('combobox', { name: 'Labels: how to change it' })
    const change = async (count: number): Promise<void> => {
      await dialog.getByRole('button', { name: 'Check' }).press('Enter')
      await dialog.getByRole('button', { name: `Change ${count} record` }).press('Enter')
      await dialog.waitFor({ state: 'detached' })
    }
    await open()
    await kind.selectOption('remove')
    await kind.focus()
    await page.keyboard.press('Tab')
    await page.keyboard.type('old,absent')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Remove: absent' }).waitFor()
    await change(2)
    expect(await labels()).toEqual([['vpn'], ['vpn'], ['vpn']])
    await open()
    await kind.selectOption('set')
    await dialog.getByRole('textbox', { name: 'Labels' }).fill('new')
    await page.keyboard.press('Enter')
    await change(3)
    expect(await labels()).toEqual([['new'], ['new'], ['new']])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('3 records are as before.').waitFor()
    expect(await labels()).toEqual([['vpn'], ['vpn'], ['vpn']])
    // A closed incident is the end: it takes no other state, and with it no label.
    await stage.docket.database.rows(sql`update docket.task set state = '10' where sys_id = ${made[1]}`)
    await open()
    await dialog.getByRole('textbox', { name: 'Labels' }).fill('late')
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Add a field to change').selectOption('state')
    await dialog.getByRole('combobox', { name: 'State' }).selectOption('2')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('1 record would be rejected and stay as it is.').waitFor()
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    const file = page.waitForEvent('download')
    await dialog.getByRole('link', { name: 'All rejected records with the reasons, as CSV' }).click()
    const text = (await (await (await file).createReadStream()).toArray()).join('')
    expect(text).toContain(`"${made[1]}"`)
    await dialog.getByRole('button', { name: 'Close' }).click()
    expect(await labels()).toEqual([['vpn', 'late'], ['vpn'], ['vpn', 'late']])
    await open()
    await kind.selectOption('clear')
    await change(3)
    expect(await labels()).toEqual([null, null, null])
  })

  test('a list of choices is edited as a list, on the form and in a change of many', async () => {
    const [sysId = ''] = await incidents('Chosen', 1, { labels: ['vpn'] })
    await stage.docket.database.rows(sql`
      insert into docket.sys_choice (table_id, column_id, value, title, language)
      select c.table_id, c.sys_id, v.value, v.title, 'en'
      from docket.sys_db_column c
      cross join (values ('vpn', 'Remote access'), ('mail', 'Mail'), ('wifi', 'Wireless')) as v (value, title)
      where c.column_name = 'labels'`)
    try {
      const labels = async (): Promise<unknown> => {
        const [row] = await stage.docket.database.rows<{ labels: unknown }>(
          sql`select labels from docket.task where sys_id = ${sysId}`,
        )
        return row?.labels
      }
      const page = await stage.signedIn('michael.brown', listOf('Chosen'))
      await rowOf(page, 'Chosen 1').press('x')
      await page.keyboard.press('e')
      const dialog = page.getByRole('dialog', { name: 'Change several: Incidents' })
      await dialog.getByLabel('Add a field to change').selectOption('labels')
      await dialog.getByRole('combobox', { name: 'Labels', exact: true }).focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await dialog
        .getByRole('button', { name: /^Remove: / })
        .first()
        .waitFor()
      await dialog.getByRole('button', { name: 'Check' }).click()
      await dialog.getByRole('button', { name: 'Change 1 record' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await labels()).toEqual(['vpn', 'mail'])
      await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
      await page.getByText('All fields').click()
      await page.getByRole('button', { name: /^Remove: .*Remote access/ }).click()
      await page.getByRole('combobox', { name: 'Labels', exact: true }).selectOption('wifi')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect.poll(labels).toEqual(['mail', 'wifi'])
    } finally {
      await stage.docket.database.rows(sql`delete from docket.sys_choice where value in ('vpn', 'mail', 'wifi')`)
    }
  })

  test('the browser leads back to the row and the selection of the list; the list opened anew has none', async () => {
    await incidents('Backwards', 3)
    const page = await stage.signedIn('michael.brown', listOf('Backwards'))
    await rowOf(page, 'Backwards 1').press('x')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await focused(rowOf(page, 'Backwards 3'))
    await page.keyboard.press('x')
    const selected = page.getByRole('toolbar', { name: 'Selected records' })
    await selected.getByText('2 selected').waitFor()
    await page.keyboard.press('ArrowUp')
    await focused(rowOf(page, 'Backwards 2'))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Backwards 2' }).waitFor()
    await page.goBack()
    await selected.getByText('2 selected').waitFor()
    await expect
      .poll(() =>
        page.locator('[data-record]').evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-selected'))),
      )
      .toEqual(['true', 'false', 'true'])
    await focused(rowOf(page, 'Backwards 2'))
    await selected.getByRole('button', { name: 'Clear' }).click()
    await rowOf(page, 'Backwards 2').press('x')
    await rowOf(page, 'Backwards 2').press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Backwards 2' }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Incidents', exact: true }).click()
    await page.getByRole('row').nth(3).waitFor()
    expect(await selected.count()).toBe(0)
  })

  test('all that match are changed in batches; what is rejected stays, with its reason in a file', async () => {
    const made = await incidents('Batch', 3)
    // A closed incident does not go back to being registered.
    await stage.docket.database.rows(sql`update docket.task set state = '10' where sys_id = ${made[1]}`)
    const page = await stage.signedIn('michael.brown', listOf('Batch'))
    await page.getByRole('checkbox', { name: 'Select INC' }).first().check()
    await page.getByRole('button', { name: 'All 3 matching' }).click()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Incidents' })
    await dialog.getByLabel('Add a field to change').selectOption('state')
    await dialog.getByRole('combobox', { name: 'State' }).selectOption('2')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('1 record would be rejected and stay as it is.').waitFor()
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    const file = page.waitForEvent('download')
    await dialog.getByRole('link', { name: 'All rejected records with the reasons, as CSV' }).click()
    const stream = await (await file).createReadStream()
    const text = (await stream.toArray()).join('')
    expect(text).toMatch(new RegExp(`^\ufeffsys_id,name,error\r\n"${made[1]}",".*Batch 2","[^"]+"\r\n$`))
    expect(await Promise.all(made.map((sysId) => stored(sysId, 'state')))).toEqual(['2', '10', '2'])
  })

  test('above 1,000 records, a change and a deletion of all wait until their number is typed', async () => {
    const many = 1_001
    // A deletion is one request.
    await stage.docket.database.rows(sql`update docket.sys_property set value = '2000' where name = 'rest.bulk.max'`)
    await stage.docket.database.rows(sql`
      insert into docket.company (sys_id, name, sys_db_table_id)
      select docket_system.new_sys_id(), 'Many ' || n, (select sys_id from docket.sys_db_table where name = 'company')
      from generate_series(1, ${many}::integer) as n`)
    const left = async (): Promise<unknown> => {
      const [row] = await stage.docket.database.rows<{ named: number; changed: number }>(sql`
        select count(*)::integer as named, (count(*) filter (where city = 'Kazan'))::integer as changed
        from docket.company where name like 'Many %'`)
      return row
    }
    const page = await stage.signedIn(admin, '/t/company?q=nameSTARTSWITHMany ')
    await page.getByRole('checkbox', { name: 'Select Many' }).first().check()
    await page.getByRole('button', { name: 'All 1,001 matching' }).click()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Companies' })
    await dialog.getByLabel('Add a field to change').selectOption('city')
    await dialog.getByRole('textbox', { name: 'City' }).fill('Kazan')
    await dialog.getByRole('button', { name: 'Check' }).click()
    const change = dialog.getByRole('button', { name: 'Change 1,001 records' })
    const number = dialog.getByRole('textbox', { name: 'Type 1001' })
    await number.waitFor()
    expect(await change.isDisabled()).toBe(true)
    await number.fill('1000')
    await number.press('Enter')
    expect(await change.isDisabled()).toBe(true)
    expect(await left()).toEqual({ named: many, changed: 0 })
    expect(await stage.findings(page)).toEqual([])
    await number.fill('1001')
    await expect.poll(() => change.isEnabled()).toBe(true)
    await change.click()
    // A busy machine needs more than a minute for so many records.
    await dialog.waitFor({ state: 'detached', timeout: 150_000 })
    expect(await left()).toEqual({ named: many, changed: many })

    // The selection stays.
    await page.getByRole('button', { name: 'Delete…' }).click()
    const deletion = page.getByRole('dialog', { name: 'Delete several: Companies' })
    const remove = deletion.getByRole('button', { name: 'Delete…' })
    const again = deletion.getByRole('textbox', { name: 'Type 1001' })
    await again.waitFor()
    expect(await remove.isDisabled()).toBe(true)
    await again.fill('1002')
    expect(await remove.isDisabled()).toBe(true)
    await again.fill('1001')
    await expect.poll(() => remove.isEnabled()).toBe(true)
    await remove.click()
    await deletion.waitFor({ state: 'detached' })
    expect(await left()).toEqual({ named: 0, changed: 0 })
  })

  test('a record that a colleague has deleted since the check is reported, and not made again', async () => {
    const made = await incidents('Gone since', 2)
    const page = await stage.signedIn(admin, listOf('Gone since'))
    await page.getByRole('checkbox', { name: 'Select INC' }).first().check()
    await page.getByRole('button', { name: 'All 2 matching' }).click()
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change several: Incidents' })
    await dialog.getByLabel('Add a field to change').selectOption('subject')
    await dialog.getByRole('textbox', { name: 'Subject' }).fill('Gone since the check')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('2 records would change.').waitFor()
    const path = `/rest/v1/table/itsm_incident/${made[0]}`
    expect((await stage.docket.request('DELETE', path, { as: admin })).status).toBe(200)
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    await dialog.getByText('1 record is rejected:').waitFor()
    const left = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text as sys_id from docket.task where sys_id::text = any(${made}::text[])`,
    )
    expect(left.map(({ sys_id }) => sys_id)).toEqual([made[1]])
  })

  test('groups come with their counts, open to their rows, and stand in the address', async () => {
    await incidents('Grouped', 2, { priority: '1' })
    await incidents('Grouped', 1, { priority: '4' })
    const page = await stage.signedIn('michael.brown', listOf('Grouped'))
    await page.getByRole('button', { name: 'Group', exact: true }).click()
    await page.getByRole('dialog').getByPlaceholder('Find a field').fill('priority')
    await page.getByRole('dialog').getByRole('button', { name: 'Priority priority' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('group')).toBe('priority')
    const groups = page.locator('button[aria-expanded]').filter({ hasText: /record/ })
    await expect.poll(() => groups.allTextContents()).toEqual(['Critical2 records', 'Low1 record'])
    await groups.first().click()
    await page.getByRole('row', { name: /Grouped 2/ }).waitFor()
    await expect.poll(() => page.getByRole('row', { name: /Grouped/ }).count()).toBe(2)
    expect(await stage.findings(page)).toEqual([])
  })

  test('the filtered rows are exported as they are displayed, with the columns of the list', async () => {
    await incidents('Exported', 2)
    const page = await stage.signedIn('michael.brown', `${listOf('Exported')}&cols=subject,priority`)
    await rowOf(page, 'Exported 1').waitFor()
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const file = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'CSV, as displayed' }).click()
    const text = (await (await (await file).createReadStream()).toArray()).join('')
    expect(
      text
        .replaceAll(/\d{18}/g, 'ID')
        .trim()
        .split(/\r?\n/),
    ).toEqual(['sys_id,subject,priority', 'ID,Exported 1,Medium', 'ID,Exported 2,Medium'])
  })

  test('a query that fits into no address is exported, too', async () => {
    await incidents('Many ids', 2)
    const page = await stage.signedIn('michael.brown', `${listOf('Many ids')}&cols=subject`)
    await rowOf(page, 'Many ids 1').waitFor()
    // Longer than the server takes in an address, too.
    const others = Array.from({ length: 3_400 }, (_, at) => String(170_000_000_000_000_000n + BigInt(at)))
    await page.getByRole('button', { name: 'As text' }).click()
    await page.getByLabel('Query').fill(`subjectSTARTSWITHMany ids^sys_idNOT IN${others.join(',')}^ORDERBYsubject`)
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/console\/f\/\d+$/)
    await rowOf(page, 'Many ids 1').waitFor()
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const file = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'CSV, as displayed' }).click()
    const download = await file
    expect(download.suggestedFilename()).toBe('itsm_incident.csv')
    const lines = (await (await download.createReadStream()).toArray()).join('').trim().split(/\r?\n/)
    expect(
      lines.map((line) =>
        line
          .replace(/^\d{18}/, 'ID')
          .split(',')
          .slice(0, 2),
      ),
    ).toEqual([
      ['sys_id', expect.any(String)],
      ['ID', expect.any(String)],
      ['ID', expect.any(String)],
    ])
    expect(lines.filter((line) => line.includes('Many ids'))).toHaveLength(2)
    await page.getByText('The export is ready.').waitFor()
  })

  test('widths and columns are kept for the user, whatever browser they use', async () => {
    await incidents('Kept', 1)
    const page = await stage.signedIn('maria.sokolova', `${listOf('Kept')}&cols=subject,number`)
    const title = page.locator('#root [role=columnheader][data-path=subject]')
    await title.getByRole('button').focus()
    await stage.settled(page)
    const before = (await title.boundingBox())?.width ?? 0
    await page.keyboard.press('Alt+ArrowLeft')
    await page.keyboard.press('Alt+ArrowLeft')
    await expect.poll(async () => (await title.boundingBox())?.width ?? 0).toBeLessThan(before)
    await page.getByRole('button', { name: /^(Столбцы|Columns)$/ }).click()
    await page.getByRole('button', { name: /Запомнить для меня|Keep for me/ }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('cols')).toBe(null)
    await expect
      .poll(() =>
        stage.docket.database.rows(
          sql`select value->'columns' as columns from docket.sys_user_preference where name = 'console.list.itsm_incident'`,
        ),
      )
      .toEqual([{ columns: ['subject', 'number'] }])
    const other = await stage.signedIn('maria.sokolova', '/t/itsm_incident')
    const paths = "[...document.querySelectorAll('[role=columnheader][data-path]')].map((each) => each.dataset.path)"
    await expect.poll(() => other.evaluate(paths)).toEqual(['subject', 'number'])
  })
})
