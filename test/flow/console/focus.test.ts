import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { isFocusVisible, KeyboardUser } from '../../harness/keyboard.ts'

describe.skipIf(!hasChromium)('the focus is never lost (issue 13)', () => {
  const stage = consoleStage()
  beforeAll(async () => {
    for (const name of ['first', 'second'])
      await stage.docket.request('POST', '/load_text_to_collection?collection_name=knowledge', {
        as: loginOf('maria.sokolova'),
        body: { text: `# The ${name} zither\n\nThe ${name} zither needs a token.\n`, metadata: { doc_id: name } },
      })
  })

  const isKept = (page: Page): Promise<void> => new KeyboardUser(page).isSeen()

  test.each([{ width: 1_440 }, { width: 390 }])(
    'Escape closes the source of a passage and returns to it: $width px',
    async (view) => {
      const page = await stage.signedIn('michael.brown', '/search?q=zither', view)
      const keys = new KeyboardUser(page)
      const second = page.locator('[data-found]').nth(1)
      await second.waitFor()
      const source = page.getByRole('complementary', { name: 'Source' })
      const body = source.getByRole('document', { name: 'Text of the document' })
      for (const end of ['Escape at the result', 'Escape in the text', 'button']) {
        await second.press('Enter')
        await body.waitFor()
        await stage.settled(page)
        await keys.isSeen()
        if (end === 'Escape in the text') await body.focus()
        if (end === 'button') await source.getByRole('button', { name: 'Close' }).press('Enter')
        else await page.keyboard.press('Escape')
        await source.waitFor({ state: 'detached' })
        await keys.isAt(second)
      }
    },
  )

  test('dialogs, menus and side panels of a list return to what opened them', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true')
    const keys = new KeyboardUser(page)
    const row = page.getByRole('row').nth(1)
    await row.waitFor()
    await stage.settled(page)
    const panel = page.getByRole('complementary', { name: 'Record' })
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => panel.getByRole('button', { name: 'Close' }).press('Enter'),
    ]) {
      await row.press(' ')
      await panel.getByRole('link', { name: 'Open the record' }).press('Shift')
      await close()
      await panel.waitFor({ state: 'detached' })
      await keys.isAt(row)
    }
    for (const name of ['Columns', 'Group', 'Export', 'Save filter', 'Filter']) {
      const opener = page.getByRole('main').getByRole('button', { name, exact: true })
      await opener.press('Enter')
      await expect.poll(() => opener.getAttribute('aria-expanded')).toBe('true')
      await page.keyboard.press('Escape')
      await keys.isAt(opener)
    }
    await row.focus()
    for (const [key, name] of [
      ['?', 'Keyboard'],
      ['Control+k', 'Go to'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('dialog', { name: new RegExp(name) }).waitFor()
      await page.keyboard.press('Escape')
      await keys.isAt(row)
    }
    await page.keyboard.press('x')
    await page.keyboard.press('e')
    await page.getByRole('dialog', { name: /^Change several/ }).waitFor()
    await page.keyboard.press('Escape')
    await keys.isAt(row)
    await page.getByRole('button', { name: 'Michael Brown' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await page.keyboard.press('Escape')
    await keys.isAt(page.getByRole('button', { name: 'Michael Brown' }))
  })

  test('what is removed hands the focus on: conditions, selections, columns, rows', async () => {
    for (const at of [1, 2, 3]) await stage.makeIncident(`Handed ${at}`)
    const page = await stage.signedIn(
      admin,
      '/t/itsm_incident?q=subjectSTARTSWITHHanded^priority=3^active=true^ORDERBYsubject',
    )
    await page.getByRole('row', { name: /Handed 3/ }).waitFor()
    await page.getByRole('button', { name: /^Remove: Priority/ }).press('Enter')
    await page.getByRole('button', { name: /^Remove: Priority/ }).waitFor({ state: 'detached' })
    await isKept(page)
    await page.getByRole('button', { name: 'As text' }).press('Enter')
    await isKept(page)
    await page.getByRole('button', { name: 'Back to conditions' }).press('Enter')
    await isKept(page)

    // Rows of the former query, which are dimmed, are not selected.
    await stage.settled(page)
    await page.getByRole('row', { name: /Handed 1/ }).press('x')
    await page.getByRole('button', { name: 'Clear', exact: true }).press('Enter')
    await page.getByRole('toolbar').waitFor({ state: 'detached' })
    await isKept(page)
    const moveUp = page.getByRole('button', { name: 'Move Subject up' })
    await page.getByRole('button', { name: 'Columns', exact: true }).press('Enter')
    await moveUp.press('Enter')
    await expect.poll(() => moveUp.isDisabled()).toBe(true)
    await isKept(page)
    await page.keyboard.press('Escape')
    await isKept(page)

    // The last row: there is none after it.
    await stage.settled(page)
    await page.getByRole('row', { name: /Handed 1/ }).press('End')
    await new KeyboardUser(page).isAt(page.getByRole('row', { name: /Handed 3/ }))
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Delete…' }).press('Enter')
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Delete…' })
    await expect.poll(() => submit.isDisabled()).toBe(false)
    await submit.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('row', { name: /Handed/ }).count()).toBe(2)
    await isKept(page)

    await page.goto(`${stage.baseUrl}/console/t/itsm_incident?q=subject=nothing like it`)
    await page.getByRole('button', { name: 'Remove all conditions' }).press('Enter')
    await page.getByRole('row').nth(2).waitFor()
    await isKept(page)
  })

  test('in a record: states, saving, undo, notes, discarding, moving on, deletion', async () => {
    const sysIds: string[] = []
    for (const at of [1, 2]) sysIds.push(await stage.makeIncident(`Moved on ${at}`, { state: '1' }))
    const page = await stage.signedIn(admin, '/t/itsm_incident?q=subjectSTARTSWITHMoved on^ORDERBYsubject')
    const keys = new KeyboardUser(page)
    await page.getByRole('row', { name: /Moved on 1/ }).press('Enter')
    await page.getByRole('heading', { level: 1, name: /Moved on 1/ }).waitFor()
    await stage.settled(page)
    await keys.isSeen()

    const states = page.getByRole('group', { name: 'Move to' })
    const pressed = (await states.getByRole('button').first().textContent()) ?? ''
    await states.getByRole('button').first().press('Enter')
    await expect.poll(() => states.getByRole('button', { name: pressed, exact: true }).count()).toBe(0)
    await keys.isSeen()
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByText('Undone.', { exact: true }).waitFor()
    await keys.isSeen()

    await page.locator('#field-subject').fill('Moved on 1, saved')
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter')
    await page.getByText('Saved.', { exact: true }).waitFor()
    await keys.isAt(page.getByRole('button', { name: 'Save', exact: true }))
    await page.locator('#field-subject').fill('Moved on 1, discarded')
    await page.getByRole('button', { name: 'Discard', exact: true }).press('Enter')
    await expect.poll(() => page.locator('#field-subject').inputValue()).toBe('Moved on 1, saved')
    await keys.isSeen()
    await page.locator('#composer').fill('Sent by its button')
    await page.getByRole('button', { name: 'Send', exact: true }).press('Enter')
    await page.getByRole('listitem').filter({ hasText: 'Sent by its button' }).waitFor()
    await keys.isAt(page.getByRole('button', { name: 'Send', exact: true }))

    await page.getByRole('button', { name: 'Next record' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: /Moved on 2/ }).waitFor()
    await stage.settled(page)
    await keys.isSeen()
    const more = page.getByRole('button', { name: 'More actions' })
    await more.press('Enter')
    await page.getByRole('menuitem', { name: 'Versions' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await keys.isAt(more)
    await more.press('Enter')
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
    await page.getByText(/cannot be brought back/).waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await page.getByText(/^Deleted: /).waitFor()
    await page.getByRole('grid').waitFor()
    await stage.settled(page)
    await keys.isSeen()
  })

  test('a field that gets the focus is not behind the head of the form', async () => {
    const sysId = await stage.makeIncident('Behind the head')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const second = page.locator('#field-priority')
    await second.waitFor()
    // What arrives late moves the fields.
    await stage.settled(page)
    await second.focus()
    const head = await page.getByRole('main').locator('header').boundingBox()
    const bottom = (head?.y ?? 0) + (head?.height ?? 0)
    // The first field is behind the head, the second one below it.
    const top = (await second.boundingBox())?.y ?? 0
    await page.evaluate(`document.getElementById('page').scrollBy(0, ${top - bottom - 8})`)
    await page.keyboard.press('Shift+Tab')
    const subject = page.locator('#field-subject')
    await expect.poll(() => subject.evaluate((field) => field.matches(':focus'))).toBe(true)
    await expect.poll(async () => ((await subject.boundingBox())?.y ?? 0) >= bottom).toBe(true)
  })

  test('a click beside everything takes the focus away, as in every page', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident')
    await page.getByRole('row').nth(2).waitFor()
    await page.getByRole('searchbox').focus()
    await page.getByRole('heading', { level: 1 }).click()
    await expect.poll(() => page.evaluate(isFocusVisible)).not.toMatch(/input/)
  })
})
