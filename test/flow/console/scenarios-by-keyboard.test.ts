import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { enterByKeys } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('each person by keyboard alone (issue 13)', () => {
  const stage = consoleStage()

  const columnsOf = async (sysId: string, columns: string): Promise<unknown> => {
    const path = `/rest/v1/table/itsm_incident/${sysId}?sysparm_fields=${columns}`
    const { body } = await stage.docket.request('GET', path, { as: loginOf('michael.brown') })
    return (body as { data: unknown[] }).data[0]
  }

  test('anna.petrova works on a ticket with a colleague, and sends it to john.smith', async () => {
    const [company] = await stage.docket.database.rows<{ sys_id: string; name: string }>(
      sql`select sys_id::text, name from docket.company order by name limit 1`,
    )
    const name = company?.name ?? ''
    const sysId = await stage.makeIncident('Гироскоп с клавиатуры', { company: company?.sys_id, state: '1' })
    await stage.makeIncident('Гироскоп с клавиатуры, без компании')
    const page = await stage.openBrowser()
    const keys = await enterByKeys(stage, 'anna.petrova', '/', page)

    // The palette leads to the list; words, company and date without a query.
    await keys.press('Control+k')
    await keys.isAt(page.getByRole('combobox'))
    await keys.type('Инциденты список')
    await page.getByRole('option', { name: /^Инциденты/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('grid').waitFor()
    await stage.settled(page)
    await keys.press('/')
    await keys.isAt(page.getByRole('searchbox', { name: 'Искать слова' }))
    await keys.type('Гироскоп клавиатуры')
    await keys.press('Enter')
    await page.getByText('2 записи', { exact: true }).waitFor()
    await keys.press('Escape', 'f')
    await keys.isAt(page.getByPlaceholder('Найти поле'))
    await keys.type('company')
    await keys.goTo(/company запись$/)
    await keys.press('Enter')
    await keys.goTo(/^Компания \|/)
    await keys.type(name)
    await page.getByRole('option', { name }).first().waitFor()
    await keys.press('Enter')
    await keys.goTo(/^Применить$/)
    await keys.press('Enter')
    await page.getByRole('button', { name: `Компания — ${name}`, exact: true }).waitFor()
    await keys.press('f')
    await keys.isAt(page.getByPlaceholder('Найти поле'))
    await keys.type('sys_created_at')
    await keys.goTo(/sys_created_at дата$/)
    await keys.press('Enter')
    await keys.goTo(/последние 7 дней|сегодня/)
    while (!(await page.getByLabel('последние 7 дней').isChecked())) await keys.press('ArrowDown')
    await keys.goTo(/^Применить$/)
    await keys.press('Enter')
    await page.getByRole('button', { name: 'Создано: последние 7 дней', exact: true }).waitFor()
    await page.getByText('1 запись', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await stage.settled(page)

    // Open it; a note with a file. What chooses the file is a window of the system.
    await keys.goTo(/Гироскоп с клавиатуры/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /Гироскоп с клавиатуры/ }).waitFor()
    await stage.settled(page)
    await keys.goTo(/Заметка для коллег/)
    await keys.type('Проверила питание')
    await keys.press('Control+Enter')
    await page.getByRole('listitem').filter({ hasText: 'Проверила питание' }).waitFor()
    const chooser = page.waitForEvent('filechooser')
    await keys.goTo(/Добавить файлы/)
    await keys.press('Enter')
    await (await chooser).setFiles({ name: 'питание.txt', mimeType: 'text/plain', buffer: Buffer.from('220 В') })
    await page
      .getByRole('region', { name: 'Файлы' })
      .getByRole('link', { name: /питание\.txt/ })
      .waitFor()
    await keys.isSeen()

    // Change the state, and take it back.
    await keys.goTo(/^В работе$/, 'Shift+Tab')
    await keys.press('Enter')
    await expect.poll(() => columnsOf(sysId, 'state')).toEqual({ state: '2' })
    await page.getByRole('status').getByRole('button', { name: 'Отменить', exact: true }).waitFor()
    await keys.press('Control+z')
    await page.getByText('Отменено.', { exact: true }).waitFor()
    expect(await columnsOf(sysId, 'state')).toEqual({ state: '1' })

    // The change of a colleague arrives.
    const change = async (body: object): Promise<void> => {
      const path = `/rest/v1/table/itsm_incident/${sysId}`
      const { status, text } = await stage.docket.request('PATCH', path, { as: loginOf('michael.brown'), body })
      // A change that the server rejects would leave nothing to decide, and the dialog below would never come.
      expect([status, text]).toEqual([200, text])
    }
    await change({ urgency: '1' })
    await page.getByText(/Только что изменено \(Michael Brown\): .*Срочность/).waitFor()
    await keys.isSeen()
    await keys.goTo(/^Показать$/)
    await keys.press('Enter')
    await expect.poll(() => page.locator('#field-urgency').inputValue()).toBe('1')

    // Both change the subject: she decides.
    await keys.goTo(/^Тема/)
    await keys.press('End')
    await keys.type(', питание')
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Гироскоп с клавиатуры, питание')
    await change({ subject: 'Гироскоп, Michael', impact: '2' })
    await keys.press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Запись изменили двое' })
    await dialog.getByText('Гироскоп, Michael').waitFor()
    await keys.goTo(/Моё/)
    await keys.press('Space')
    await keys.goTo(/^Сохранить так$/)
    await keys.press('Enter')
    await expect
      .poll(() => columnsOf(sysId, 'subject,impact,urgency'))
      .toEqual({ subject: 'Гироскоп с клавиатуры, питание', impact: '2', urgency: '1' })
    await dialog.waitFor({ state: 'detached' })
    await keys.isSeen()

    // The address for a caller, who sees only what they may.
    await keys.goTo(/^Ссылка/, 'Shift+Tab')
    await keys.press('Enter')
    await page.getByText('Ссылка скопирована.').waitFor()
    const stranger = await stage.openBrowser()
    await enterByKeys(stage, 'john.smith', new URL(page.url()).pathname.slice('/console'.length), stranger)
    await stranger.getByText('This does not exist, or you do not have access to it.').waitFor()
    expect(await stranger.content()).not.toContain('Гироскоп')
  })

  test('john.smith asks for help on a narrow screen, adds a comment and a file, and finds the ticket again', async () => {
    const loaded = await stage.docket.request('POST', '/load_text_to_collection?collection_name=knowledge', {
      as: loginOf('maria.sokolova'),
      body: {
        text: '# Oscilloscope blinks\n\nAn oscilloscope that blinks has no signal.\n',
        metadata: { doc_id: 'blinks' },
      },
    })
    expect(loaded.status).toBe(200)
    const page = await stage.openBrowser({ width: 390 })
    const keys = await enterByKeys(stage, 'john.smith', '/', page)
    await keys.goTo(/Ask for help/)
    await page.keyboard.press('Enter')
    await page.locator('#field-subject').waitFor()
    await keys.goTo(/^Subject/)
    await keys.type('The oscilloscope on my floor blinks')
    await page.getByRole('complementary', { name: 'These may already answer it' }).getByRole('link').first().waitFor()
    await keys.isSeen()
    await keys.goTo(/^Create$/)
    await page.keyboard.press('Enter')
    await page.locator('#composer').waitFor()
    await stage.settled(page)
    await keys.isSeen()
    await keys.goTo(/Write to the support team/)
    await keys.type('It is the one beside the stairs')
    await keys.press('Control+Enter')
    await page.getByRole('listitem').filter({ hasText: 'It is the one beside the stairs' }).waitFor()
    const chooser = page.waitForEvent('filechooser')
    await keys.goTo(/Add files/)
    await keys.press('Enter')
    await (await chooser).setFiles({ name: 'blink.txt', mimeType: 'text/plain', buffer: Buffer.from('red') })
    await page.getByRole('region', { name: 'Files' }).getByRole('link', { name: 'blink.txt' }).waitFor()
    await keys.isSeen()

    // The menu is closed on a narrow screen.
    await keys.goTo(/^Menu$/, 'Shift+Tab')
    await keys.press('Enter')
    await keys.isAt(page.getByRole('navigation').getByRole('link', { name: 'Home' }))
    await keys.press('Escape')
    await keys.isAt(page.getByRole('button', { name: 'Menu' }))
    await keys.press('Enter')
    await page.keyboard.press('Enter')
    await page
      .getByRole('main')
      .getByRole('link', { name: /The oscilloscope on my floor blinks/ })
      .waitFor()
    await stage.settled(page)
    await keys.isSeen()
    await keys.goTo(/The oscilloscope on my floor blinks/)
    await page.keyboard.press('Enter')
    await page.getByRole('listitem').filter({ hasText: 'It is the one beside the stairs' }).waitFor()
    await stage.settled(page)
    await keys.isSeen()
    await stage.scenarioPictures(page, 'john-ticket')
  })

  test('admin arranges a list, keeps it as a filter, changes several records, and deletes one', async () => {
    for (const at of [1, 2, 3]) await stage.makeIncident(`Arranged ${at}`)
    const page = await stage.openBrowser()
    const keys = await enterByKeys(stage, admin, '/t/itsm_incident?q=subjectSTARTSWITHArranged^ORDERBYsubject', page)
    await page.getByRole('row', { name: /Arranged 3/ }).waitFor()

    // Columns: one moves to the left, one goes.
    await keys.goTo(/^Columns$|^Columns \|/)
    await keys.press('Enter')
    await keys.goTo(/^Move Subject up/)
    await keys.press('Enter')
    await expect.poll(() => page.getByRole('columnheader').nth(1).textContent()).toMatch(/^Subject/)
    await keys.goTo(/^Remove Priority/)
    await keys.press('Enter')
    await expect.poll(() => page.getByRole('columnheader', { name: 'Priority' }).count()).toBe(0)
    await keys.press('Escape')
    await keys.isAt(page.getByRole('button', { name: 'Columns' }))

    // Group, and not.
    await keys.goTo(/^Group$|^Group \|/, 'Shift+Tab')
    await keys.press('Enter')
    await keys.isAt(page.getByPlaceholder('Find a field'))
    await keys.type('urgency')
    await keys.goTo(/^Urgency/)
    await keys.press('Enter')
    await page.locator('button[aria-expanded]').filter({ hasText: '3 records' }).waitFor()
    await keys.isSeen()
    await keys.goTo(/3 records/)
    await keys.press('Enter')
    await page.getByRole('row', { name: /Arranged 3/ }).waitFor()
    await keys.goTo(/^Group: Urgency/, 'Shift+Tab')
    await keys.press('Enter')
    await keys.goTo(/^Do not group by Urgency/, 'Shift+Tab')
    await keys.press('Enter')
    await page.getByRole('row', { name: /Arranged 3/ }).waitFor()
    await keys.press('Escape')

    // A saved filter.
    await keys.goTo(/^\s*Save filter/, 'Shift+Tab')
    await keys.press('Enter')
    await keys.isAt(page.getByLabel('Save as a new filter'))
    await keys.type('Arranged by keys')
    await keys.press('Enter')
    const filter = page.getByRole('navigation').getByRole('link', { name: 'Arranged by keys' })
    await filter.waitFor()
    expect(await filter.getAttribute('href')).toContain('ORDERBYsubject')
    expect(await page.getByText('Modified').count()).toBe(0)
    await stage.settled(page)

    // Two records change together; the dialog says what would happen before it does.
    await keys.goTo(/Arranged 1/)
    await keys.press('x', 'ArrowDown', 'x', 'e')
    await page.getByRole('dialog', { name: /^Change several/ }).waitFor()
    await keys.goTo(/Add a field to change/)
    await keys.type('Impact')
    await keys.press('Enter')
    await keys.goTo(/^Impact/, 'Shift+Tab')
    await keys.press('ArrowDown')
    await keys.goTo(/^Check$/)
    await keys.press('Enter')
    await page.getByText('2 records would change.').waitFor()
    await keys.isSeen()
    await keys.goTo(/^Change 2 records$/)
    await keys.press('Enter')
    await page.getByText('2 records are changed.').first().waitFor()
    await keys.isSeen()
    await keys.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await stage.settled(page)

    // One is deleted, with the same care.
    await keys.goTo(/Arranged 3|Arranged 1|Arranged 2/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /Arranged/ }).waitFor()
    await stage.settled(page)
    await keys.isSeen()
    await keys.goTo(/^More actions$/)
    await keys.press('Enter')
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
    // The menu takes the keys when it has the focus.
    await expect.poll(() => page.evaluate(`document.activeElement.closest('[role=menu]') !== null`)).toBe(true)
    await keys.press('End')
    await keys.isAt(page.getByRole('menuitem', { name: 'Delete' }))
    await keys.press('Enter')
    await page
      .getByRole('alertdialog')
      .getByText(/cannot be brought back/)
      .waitFor()
    await keys.goTo(/^Delete$/)
    await page.keyboard.press('Enter')
    await page.getByText(/^Deleted: /).waitFor()
    await page.getByRole('grid').waitFor()
    await stage.settled(page)
    await keys.isSeen()
    await stage.scenarioPictures(page, 'admin-list')
  })
})
