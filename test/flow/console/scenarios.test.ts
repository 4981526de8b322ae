import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('a day at the desk (issue 13)', () => {
  const stage = consoleStage()
  const company = async (): Promise<{ sys_id: string; name: string }> => {
    const [found] = await stage.docket.database.rows<{ sys_id: string; name: string }>(
      sql`select sys_id::text, name from docket.company order by name limit 1`,
    )
    if (found === undefined) throw new Error('the demo has no company')
    return found
  }
  const columnsOf = async (sysId: string, columns: string): Promise<unknown> => {
    const path = `/rest/v1/table/itsm_incident/${sysId}?sysparm_fields=${columns}`
    const { body } = await stage.docket.request('GET', path, { as: loginOf('michael.brown') })
    return (body as { data: unknown[] }).data[0]
  }
  const addCondition = async (page: Page, field: string, choose: () => Promise<void>): Promise<void> => {
    await page.getByRole('button', { name: 'Условие', exact: true }).click()
    await page.getByPlaceholder('Найти поле').fill(field)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: new RegExp(`${field}$`) })
      .first()
      .click()
    await choose()
    await page.getByRole('button', { name: 'Применить' }).click()
  }

  test.each(widths)('anna.petrova, in Russian: $width px', async (view) => {
    const { sys_id, name } = await company()
    const subject = `Гироскоп ${view.width}`
    const sysId = await stage.makeIncident(subject, { company: sys_id, state: '1' })
    await stage.makeIncident(`${subject}, без компании`)

    // By words, company and date, without a query.
    const page = await stage.signedIn('anna.petrova', '/t/itsm_incident', view)
    await page.getByRole('searchbox', { name: 'Искать слова' }).fill(subject)
    await page.getByRole('searchbox', { name: 'Искать слова' }).press('Enter')
    await addCondition(page, 'company', async () => {
      await page.getByRole('combobox', { name: 'Компания' }).fill(name)
      await page.getByRole('option', { name }).first().click()
    })
    await addCondition(page, 'sys_created_at', () => page.getByLabel('последние 7 дней').check())
    await page.getByText('1 запись', { exact: true }).waitFor()
    await page.getByRole('button', { name: `Компания — ${name}`, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Создано: последние 7 дней', exact: true }).waitFor()
    // The count may arrive before the rows: those of the list before are still there then.
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.getByRole('row', { name: new RegExp(subject) }).waitFor()
    expect(await stage.findingsInThemes(page, 'anna-1-list', 'kept in CI')).toEqual([])

    // Open it; a note with a file.
    await page.getByRole('link', { name: /INC/ }).click()
    await page.getByRole('heading', { level: 1, name: new RegExp(subject) }).waitFor()
    await page.locator('#composer').fill('Проверила питание')
    await page.locator('#composer').press('Control+Enter')
    await page.getByRole('listitem').filter({ hasText: 'Проверила питание' }).waitFor()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Добавить файлы' }).click()
    await (await chooser).setFiles({ name: 'питание.txt', mimeType: 'text/plain', buffer: Buffer.from('220 В') })
    await page
      .getByRole('region', { name: 'Файлы' })
      .getByRole('link', { name: /питание\.txt/ })
      .waitFor()

    // Change the state, and take it back.
    const states = page.getByRole('group', { name: 'Перевести в состояние' })
    await states.getByRole('button', { name: 'В работе' }).click()
    await expect.poll(() => columnsOf(sysId, 'state')).toEqual({ state: '2' })
    await page.getByRole('status').getByRole('button', { name: 'Отменить', exact: true }).click()
    await page.getByText('Отменено.', { exact: true }).waitFor()
    expect(await columnsOf(sysId, 'state')).toEqual({ state: '1' })
    expect(await stage.findingsInThemes(page, 'anna-2-form', 'kept in CI')).toEqual([])

    // The change of a colleague arrives.
    const change = (body: object) =>
      stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, { as: loginOf('michael.brown'), body })
    await change({ urgency: '1' })
    await page.getByText(/Только что изменено \(Michael Brown\): .*Срочность/).waitFor()
    await page.getByRole('button', { name: 'Показать', exact: true }).click()
    await expect.poll(() => page.locator('#field-urgency').inputValue()).toBe('1')

    // Both change the subject: she decides.
    await page.locator('#field-subject').fill(`${subject}, питание`)
    await change({ subject: `${subject}, Michael`, impact: '2' })
    await page.locator('#field-subject').press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Запись изменили двое' })
    await dialog.getByText(`${subject}, Michael`).waitFor()
    expect(await stage.findingsInThemes(page, 'anna-3-conflict', 'kept in CI')).toEqual([])
    await dialog.getByLabel(/Моё/).check()
    await dialog.getByRole('button', { name: 'Сохранить так' }).click()
    await expect
      .poll(() => columnsOf(sysId, 'subject,impact,urgency'))
      .toEqual({ subject: `${subject}, питание`, impact: '2', urgency: '1' })

    // The address for a caller, who sees only what they may.
    const address = page.url().slice(stage.baseUrl.length + '/console'.length)
    const stranger = await stage.signedIn('john.smith', address, view)
    await stranger.getByText('This does not exist, or you do not have access to it.').waitFor()
    expect(await stage.findingsInThemes(stranger, 'anna-4-stranger', 'kept in CI')).toEqual([])
    expect(await stranger.content()).not.toContain(subject)
  })

  test('the caller of a ticket reads it by the same address, without what is for the desk', async () => {
    const [john] = await stage.docket.database.rows<{ sys_id: string }>(
      sql`select sys_id::text from docket."user" where user_name = 'john.smith'`,
    )
    const sysId = await stage.makeIncident('Shared address', {
      caller: john?.sys_id,
      work_notes: 'Only for the desk',
      comments: 'For you, too',
    })
    const agent = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await agent.getByRole('listitem').filter({ hasText: 'Only for the desk' }).waitFor()
    const address = agent.url().slice(stage.baseUrl.length + '/console'.length)
    const caller = await stage.signedIn('john.smith', address)
    await caller.getByRole('listitem').filter({ hasText: 'For you, too' }).waitFor()
    await caller.getByRole('heading', { level: 1, name: /Shared address/ }).waitFor()
    await stage.settled(caller)
    expect(await caller.content()).not.toContain('Only for the desk')
    expect(await caller.getByRole('group', { name: 'Move to' }).getByRole('button').count()).toBe(0)
    expect(await caller.locator('#field-subject').count()).toBe(1)
    expect(await caller.locator('#field-priority').count()).toBe(0)
  })
})
