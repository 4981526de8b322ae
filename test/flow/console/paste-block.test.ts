import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'
import { pastedBlocks } from '../../harness/pasted-block.ts'

describe.skipIf(!hasChromium)('pasting a block of cells into a list (issue 13)', () => {
  const stage = consoleStage()

  const { cellOf, storedOf, incidents, listOf, pasteInto } = pastedBlocks(stage)

  test('each cell is shown with its old and new value, written on confirmation only, and undone', async () => {
    const made = await incidents('Block', 3)
    const page = await listOf('Block')
    const dialog = await pasteInto(page, 'Block 1', 1, 'Block one\tCritical\r\n"Block\n2"\tHigh\r\nBlock 3\t1')
    await dialog.getByText('3 records would change.').waitFor()
    const cells = await dialog.getByRole('cell').allTextContents()
    expect(cells).toEqual([
      'Block 1 → Block one',
      'Medium → Critical',
      'Block 2 → Block\n2',
      'Medium → High',
      'Block 3',
      // By its stored value, which the dialog names.
      'Medium → Critical',
    ])
    expect(await stage.findings(page)).toEqual([])
    const before = [1, 2, 3].map((at) => [`Block ${at}`, '3'])
    expect(await storedOf(made)).toEqual(before)
    await dialog.getByRole('button', { name: 'Write' }).click()
    await page.getByText('3 records are changed.').waitFor()
    expect(await storedOf(made)).toEqual([
      ['Block one', '1'],
      ['Block\n2', '2'],
      ['Block 3', '1'],
    ])
    await focused(cellOf(page, 'Block one', 1))
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${made[2]}`, {
      as: loginOf('maria.sokolova'),
      body: { priority: '4' },
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page
      .getByText(
        /2 records are as before. 1 record is not: .*(Мария Соколова|maria\.sokolova)\S* has changed this record since./,
      )
      .waitFor()
    expect(await storedOf(made)).toEqual([before[0], before[1], ['Block 3', '4']])
  })

  test('nothing is written while a cell is invalid or closed, unless the user leaves these cells out', async () => {
    const made = await incidents('Faulty', 2)
    const page = await listOf('Faulty')
    const dialog = await pasteInto(
      page,
      'Faulty 1',
      1,
      'Faulty one\tNothing such\tx\ty\nFaulty two\tLow\nFaulty 3\tLow\n',
    )
    await dialog.getByText('2 records would change. 2 cells cannot be written.').waitFor()
    await dialog.getByText('1 row of the block is left out').waitFor()
    await dialog.getByText('The last column of the block has no column in the list.').waitFor()
    await dialog.getByText(/"Nothing such" is not a choice/).waitFor()
    await dialog.getByText('You cannot change this field here.').waitFor()
    const write = dialog.getByRole('button', { name: 'Write' })
    expect(await write.isDisabled()).toBe(true)
    await dialog.getByLabel('Leave out these 2 cells').check()
    await write.click()
    await page.getByText('2 records are changed.').waitFor()
    expect(await storedOf(made)).toEqual([
      ['Faulty one', '3'],
      ['Faulty two', '4'],
    ])
  })

  test('what a colleague has changed since the check is not overwritten; their other fields stay', async () => {
    const made = await incidents('Between', 2)
    const page = await listOf('Between')
    const dialog = await pasteInto(page, 'Between 1', 1, 'Between mine\nBetween mine, too')
    await dialog.getByText('2 records would change.').waitFor()
    const patch = async (sysId: string | undefined, body: object): Promise<void> => {
      const as = loginOf('maria.sokolova')
      const { status } = await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, { as, body })
      expect(status).toBe(200)
    }
    await patch(made[0], { subject: 'Between theirs' })
    await patch(made[1], { priority: '1' })
    await dialog.getByRole('button', { name: 'Write' }).click()
    await dialog
      .getByText(
        /(Мария Соколова|maria\.sokolova)\S* has changed these fields since the check. Nothing is overwritten./,
      )
      .waitFor()
    await dialog.getByText('1 record is changed.').waitFor()
    expect(await stage.findings(page)).toEqual([])
    expect(await storedOf(made)).toEqual([
      ['Between theirs', '3'],
      ['Between mine, too', '1'],
    ])
  })

  test('Escape stops what is being written, and the dialog says what is changed', async () => {
    const made = await incidents('Escaped', 2)
    const page = await listOf('Escaped')
    const dialog = await pasteInto(page, 'Escaped 1', 2, 'Critical\r\nCritical')
    await dialog.getByText('2 records would change.').waitFor()
    let escapes = 1
    await page.route('**/rest/v1/table/itsm_incident/*', async (route) => {
      if (route.request().method() === 'PATCH' && escapes-- > 0) await page.keyboard.press('Escape')
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Write' }).click()
    await dialog.getByText('1 record is changed. The others are as they were.').waitFor()
    expect((await storedOf(made)).map(([, priority]) => priority)).toEqual(['1', '3'])
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('the progress counts only the records that change', async () => {
    await incidents('Counted', 3)
    const page = await listOf('Counted')
    const dialog = await pasteInto(page, 'Counted 1', 1, 'Counted 1\nCounted two\nCounted 3')
    await dialog.getByText('1 record would change.').waitFor()
    let release = (): void => undefined
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/rest/v1/table/itsm_incident/*', async (route) => {
      if (route.request().method() === 'PATCH') await isReleased
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Write' }).click()
    await dialog.getByText('Writing… 0 of 1').waitFor()
    release()
    await page.getByText('1 record is changed.').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('what is pasted into the editor of a cell goes into its field', async () => {
    await incidents('Editor', 1)
    const page = await listOf('Editor')
    await page.evaluate(`navigator.clipboard.writeText('a\\tb')`)
    await cellOf(page, 'Editor 1', 1).dblclick()
    const field = page.getByRole('textbox', { name: 'Subject' })
    await focused(field)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+v')
    await expect.poll(() => field.inputValue()).toBe('a\tb')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test.each(widths)('the cells fit $width px', async ({ width }) => {
    const word = `Fit${width}`
    await incidents(word, 2)
    const page = await listOf(word)
    const dialog = await pasteInto(page, `${word} 1`, 1, 'A longer subject than before, of one record\t9\tx\nB\tHigh')
    await dialog.getByText('2 cells cannot be written.').waitFor()
    await page.setViewportSize({ width, height: 900 })
    expect(await stage.findingsInThemes(page, 'paste')).toEqual([])
  })
})
