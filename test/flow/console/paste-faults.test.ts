import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { focused } from '../../harness/keyboard.ts'
import { pastedBlocks } from '../../harness/pasted-block.ts'

describe.skipIf(!hasChromium)('a pasted block whose check, write or undo fails midway (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const { storedOf, incidents, listOf, pasteInto } = pastedBlocks(stage)

  const requestTo = (method: string, sysId: string | undefined): RegExp =>
    new RegExp(`^${method} /rest/v1/table/itsm_incident/${sysId}`)
  const ended = { kind: 'respond', status: 401 } as const

  async function signInAgain(page: Page): Promise<void> {
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.locator('input[name=password]').fill(loginOf('michael.brown').password)
    await dialog.locator('input[name=password]').press('Enter')
    await dialog.waitFor({ state: 'detached' })
  }

  const button = (where: Page | Locator, name: string): Locator => where.getByRole('button', { name, exact: true })

  /** Pastes subjects into incidents of the word, from the first on, and waits for the check. */
  async function checked(page: Page, word: string, subjects: readonly string[]): Promise<Locator> {
    const dialog = await pasteInto(page, `${word} 1`, 1, subjects.join('\n'))
    await dialog.getByText(/records? would change\./).waitFor()
    return dialog
  }

  /** The message with undo stays as long as its button has the focus. */
  async function undoOf(page: Page, text: string): Promise<Locator> {
    await page.getByText(text).waitFor()
    await button(page, 'Undo').focus()
    return button(page, 'Undo')
  }

  test('undo goes on after a record that is gone, and says which one is not as before', async () => {
    const made = await incidents('Undone', 3)
    const page = await listOf('Undone')
    const dialog = await checked(page, 'Undone', ['Undone one', 'Undone two', 'Undone three'])
    await button(dialog, 'Write').click()
    const undo = await undoOf(page, '3 records are changed.')
    const { status } = await stage.docket.request('DELETE', `/rest/v1/table/itsm_incident/${made[0]}`, { as: admin })
    expect(status).toBe(200)
    await undo.press('Enter')
    await page
      .getByText(/2 records are as before\. 1 record is not: \S*INC\d+ Undone 1: This does not exist, or you/)
      .waitFor()
    expect(await storedOf(made.slice(1))).toEqual([
      ['Undone 2', '3'],
      ['Undone 3', '3'],
    ])
  })

  test('undo that meets the end of the session is offered again after signing in', async () => {
    const made = await incidents('Offered', 3)
    const page = await listOf('Offered')
    const dialog = await checked(page, 'Offered', ['Offered one', 'Offered two', 'Offered three'])
    await button(dialog, 'Write').click()
    const undo = await undoOf(page, '3 records are changed.')
    stage.proxy.fail(requestTo('PATCH', made[1]), ended)
    await undo.press('Enter')
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    stage.proxy.heal()
    await signInAgain(page)
    await (await undoOf(page, '1 record is as before.')).press('Enter')
    await page.getByText('3 records are as before.').waitFor()
    expect(await storedOf(made)).toEqual([1, 2, 3].map((at) => [`Offered ${at}`, '3']))
  })

  test('a write that meets the end of the session stops there, and goes on after signing in', async () => {
    const made = await incidents('Ended', 3)
    const page = await listOf('Ended')
    const dialog = await checked(page, 'Ended', ['Ended one', 'Ended two', 'Ended three'])
    stage.proxy.fail(requestTo('PATCH', made[1]), ended)
    const next = requestTo('PATCH', made[2])
    stage.proxy.fail(next, ended)
    await button(dialog, 'Write').click()
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    expect(stage.proxy.met(next)).toBe(0)
    stage.proxy.heal()
    await signInAgain(page)
    await dialog.getByText('1 record is changed. The others are as they were.').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'paste-ended')
    await button(dialog, 'Go on').click()
    await (await undoOf(page, '3 records are changed.')).press('Enter')
    await page.getByText('3 records are as before.').waitFor()
    expect(await storedOf(made)).toEqual([1, 2, 3].map((at) => [`Ended ${at}`, '3']))
  })

  test('a record whose response was lost counts as written, and can be undone', async () => {
    const made = await incidents('Lost', 2)
    const page = await listOf('Lost')
    const dialog = await checked(page, 'Lost', ['Lost one\tCritical', 'Lost two\t1'])
    stage.proxy.fail(requestTo('PATCH', made[0]), { kind: 'cut-after' }, 1)
    await button(dialog, 'Write').click()
    const undo = await undoOf(page, '2 records are changed.')
    expect(await storedOf(made)).toEqual([
      ['Lost one', '1'],
      ['Lost two', '1'],
    ])
    await undo.press('Enter')
    await page.getByText('2 records are as before.').waitFor()
    expect(await storedOf(made)).toEqual([
      ['Lost 1', '3'],
      ['Lost 2', '3'],
    ])
  })

  /** The server writes the first record, and no response arrives. */
  async function withoutResponse(word: string, made: readonly string[]): Promise<{ page: Page; dialog: Locator }> {
    const page = await listOf(word)
    // The server displays the priority in another form.
    const dialog = await checked(page, word, [`${word} one\tcritical`, `${word} two\tLow`])
    stage.proxy.fail(requestTo('PATCH', made[0]), { kind: 'cut-after' })
    await button(dialog, 'Write').click()
    await dialog
      .getByText(/the response was lost, this record may be changed already\. The others are as they were\./)
      .waitFor()
    await dialog.getByRole('alert').waitFor()
    stage.proxy.heal()
    return { page, dialog }
  }

  test('without a response, it is said that the record may be changed; undo includes it', async () => {
    const made = await incidents('Unclear', 2)
    const { page, dialog } = await withoutResponse('Unclear', made)
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'paste-unclear')
    expect(await storedOf(made)).toEqual([
      ['Unclear one', '1'],
      ['Unclear 2', '3'],
    ])
    await button(dialog, 'Close').click()
    await (await undoOf(page, '0 records are changed.')).press('Enter')
    await page.getByText('1 record is as before.').waitFor()
    expect(await storedOf(made)).toEqual([
      ['Unclear 1', '3'],
      ['Unclear 2', '3'],
    ])
  })

  test('without a response, the rest can be written when there is one again', async () => {
    const made = await incidents('Resumed', 2)
    const { page, dialog } = await withoutResponse('Resumed', made)
    await button(dialog, 'Go on').click()
    const undo = await undoOf(page, '2 records are changed.')
    expect(await storedOf(made)).toEqual([
      ['Resumed one', '1'],
      ['Resumed two', '4'],
    ])
    await undo.press('Enter')
    await page.getByText('2 records are as before.').waitFor()
    expect(await storedOf(made)).toEqual([
      ['Resumed 1', '3'],
      ['Resumed 2', '3'],
    ])
  })

  test('other values that the same user has written since the check are not overwritten', async () => {
    const made = await incidents('Own', 1)
    const page = await listOf('Own')
    const dialog = await checked(page, 'Own', ['Own one'])
    const { status } = await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${made[0]}`, {
      as: loginOf('michael.brown'),
      body: { subject: 'Own other' },
    })
    expect(status).toBe(200)
    await button(dialog, 'Write').click()
    await dialog.getByText(/Own 1.* You have changed these fields elsewhere, or the response to this change/).waitFor()
    expect(await storedOf(made)).toEqual([['Own other', '3']])
  })

  test('Escape while a block is written stops it, and the dialog says what is written', async () => {
    const made = await incidents('Escaped', 2)
    const page = await listOf('Escaped')
    const dialog = await checked(page, 'Escaped', ['Escaped one', 'Escaped two'])
    const first = requestTo('PATCH', made[0])
    stage.proxy.fail(first, { kind: 'hold' })
    await button(dialog, 'Write').click()
    await expect.poll(() => stage.proxy.met(first)).toBe(1)
    await page.keyboard.press('Escape')
    stage.proxy.heal()
    await dialog.getByText('1 record is changed. The others are as they were.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await (await undoOf(page, '1 record is changed.')).press('Enter')
    await page.getByText('1 record is as before.').waitFor()
    expect(await storedOf(made)).toEqual([
      ['Escaped 1', '3'],
      ['Escaped 2', '3'],
    ])
  })

  test('a check that meets the end of the session is made again after signing in', async () => {
    const made = await incidents('Checked', 2)
    const page = await listOf('Checked')
    stage.proxy.fail(requestTo('GET', made[1]), ended)
    const dialog = await pasteInto(page, 'Checked 1', 1, 'Checked one\nChecked two')
    // The dialog that opened just before does not take the focus back.
    await focused(page.getByRole('dialog', { name: 'Sign in again' }).locator('input[name=password]'))
    stage.proxy.heal()
    await signInAgain(page)
    await dialog.getByText('2 records would change.').waitFor()
    expect(await button(dialog, 'Write').isEnabled()).toBe(true)
  })

  test('a check that does not reach the server can be made again', async () => {
    await incidents('Reached', 2)
    const page = await listOf('Reached')
    stage.proxy.fail(/^POST \/rest\/v1\/import\//, { kind: 'cut-before' })
    const dialog = await pasteInto(page, 'Reached 1', 1, 'Reached one\nReached two')
    const alert = dialog.getByRole('alert')
    await alert.getByRole('button', { name: /^Try again/ }).waitFor()
    expect(await stage.findings(page)).toEqual([])
    stage.proxy.heal()
    // It tries again by itself, too: a click could meet that moment.
    await dialog.getByText('2 records would change.').waitFor()
    await alert.waitFor({ state: 'detached' })
  })

  test('a record that is gone is named, and the others can be written', async () => {
    const made = await incidents('Gone', 3)
    const page = await listOf('Gone')
    stage.proxy.fail(requestTo('GET', made[1]), { kind: 'respond', status: 404 })
    const dialog = await checked(page, 'Gone', ['Gone one', 'Gone two', 'Gone three'])
    await dialog.getByText('2 records would change. 1 cell cannot be written.').waitFor()
    await dialog.getByRole('row', { name: /Gone 2 → Gone two This does not exist/ }).waitFor()
    await dialog.getByLabel('Leave out this cell').check()
    await button(dialog, 'Write').click()
    await page.getByText('2 records are changed.').waitFor()
    expect((await storedOf(made)).map(([subject]) => subject)).toEqual(['Gone one', 'Gone 2', 'Gone three'])
  })
})
