import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { enterByKeys } from '../../harness/keyboard.ts'

/** Passages of one document, so that one leads to the next. */
const ARTICLE = [
  '# Калибровка гигрометра',
  ...Array.from({ length: 12 }, (_, at) => `## Шаг ${at + 1}\n\n${'Прибор стоит в камере до утра. '.repeat(12)}`),
  '## Соль\n\nГигрометр калибруется солью. '.concat('Раствор не меняют. '.repeat(30)),
  '## Сроки\n\nГигрометр поверяют ежегодно. '.concat('Дату пишут в журнал. '.repeat(30)),
].join('\n\n')

describe.skipIf(!hasChromium)('more persons by keyboard alone (issue 13)', () => {
  const stage = consoleStage()

  test('maria.sokolova searches, learns why a passage was found, and reads it in its source', async () => {
    for (const [doc_id, text] of Object.entries({ hygrometer: ARTICLE, barometer: '# Барометр\n\nНе гигрометр.\n' })) {
      const { status } = await stage.docket.request('POST', '/load_text_to_collection?collection_name=knowledge', {
        as: loginOf('maria.sokolova'),
        body: { text, metadata: { doc_id } },
      })
      expect({ doc_id, status }).toEqual({ doc_id, status: 200 })
    }
    const page = await stage.openBrowser()
    const keys = await enterByKeys(stage, 'maria.sokolova', '/', page)
    const addressHas = (name: string) => expect.poll(() => new URL(page.url()).searchParams.get(name))

    // The palette leads to the search; it begins while she types.
    await keys.press('Control+k')
    await keys.isAt(page.getByRole('combobox'))
    await keys.type('Поиск')
    await page.getByRole('option', { name: /^Поиск/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    const box = page.getByRole('searchbox', { name: 'Искать в документах' })
    await keys.isAt(box)
    await keys.type('калибровка гигрометра солью')
    const found = page.locator('[data-found]')
    await found.first().locator('mark').first().waitFor()
    await addressHas('q').toBe('калибровка гигрометра солью')
    await stage.settled(page)

    // Why it is the first one.
    await keys.press('ArrowDown')
    await keys.isAt(found.first())
    await keys.goTo(/^Почему$/)
    await keys.press('Enter')
    const result = page.getByRole('region', { name: 'Фрагменты' }).getByRole('listitem').first()
    await expect
      .poll(() => result.getByRole('listitem').allTextContents())
      .toContainEqual(expect.stringMatching(/^«.+» даёт \d+\s?% оценки; встречается в \d+ фрагмент/))
    await keys.press('Enter')
    await expect.poll(() => result.getByRole('listitem').count()).toBe(0)

    // The source beside it, with its passages and its chunks.
    await keys.goTo(/калибруется солью/, 'Shift+Tab')
    await keys.isAt(found.first())
    await keys.press('Enter')
    const source = page.getByRole('complementary', { name: 'Источник' })
    const text = source.getByRole('document', { name: 'Текст документа' })
    await text.locator('mark').first().waitFor()
    await addressHas('doc').toBe('hygrometer')
    const chunk = new URL(page.url()).searchParams.get('chunk')
    await stage.settled(page)
    await keys.goTo(/^Следующий фрагмент$/)
    await keys.press('Enter')
    await addressHas('chunk').not.toBe(chunk)
    await keys.goTo(/^Предыдущий фрагмент$/, 'Shift+Tab')
    await keys.press('Enter')
    await addressHas('chunk').toBe(chunk)
    await keys.goTo(/^\s*Части$/)
    await keys.press('Enter')
    await text.locator('[data-boundary]').first().waitFor()
    await keys.goTo(/^Текст документа/)
    const scrolled = (): Promise<number> => text.evaluate((each) => each.scrollTop)
    await page.keyboard.press('Home')
    await expect.poll(scrolled).toBe(0)
    await page.keyboard.press('End')
    await expect.poll(scrolled).toBeGreaterThan(0)
    await keys.isSeen()

    // Back to the passage it was opened from, and from there to other words.
    await keys.press('Escape')
    await source.waitFor({ state: 'detached' })
    await keys.isAt(found.first())
    await keys.press('ArrowUp')
    await keys.isAt(box)
    await keys.retype('барометр')
    await addressHas('q').toBe('барометр')
    await expect.poll(() => found.count()).toBe(1)
    await keys.press('ArrowDown', 'Enter')
    await text.locator('mark').first().waitFor()
    await stage.settled(page)
    await stage.scenarioPictures(page, 'maria-search')
  })

  test('an integrator makes a key, copies the request of a record, and tries another one', async () => {
    const subject = 'Theodolite copied by keys'
    const sysId = await stage.makeIncident(subject)
    const page = await stage.openBrowser()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = (): Promise<unknown> => page.evaluate('navigator.clipboard.readText()')
    const keys = await enterByKeys(stage, 'michael.brown', '/', page)
    const goByPalette = async (words: string, option: RegExp): Promise<void> => {
      await keys.press('Control+k')
      await keys.isAt(page.getByRole('combobox', { name: 'Go to' }))
      await keys.type(words)
      await page.getByRole('option', { name: option, selected: true }).waitFor()
      await page.keyboard.press('Enter')
    }

    // A key, which is displayed once.
    await goByPalette('Settings', /^Settings/)
    await page.getByLabel('Name of the key').waitFor()
    await stage.settled(page)
    await keys.goTo(/^Name of the key/)
    await keys.type('theodolite')
    await keys.goTo(/^Make a key$/)
    await page.keyboard.press('Enter')
    const made = page.getByRole('status').locator('code')
    await made.waitFor()
    await keys.isAt(page.getByRole('status').getByRole('button', { name: 'Copy' }))
    await keys.press('Enter')
    await page.getByText('Copied.', { exact: true }).waitFor()
    const key = String(await copied())
    expect(key).toBe(await made.textContent())
    /** Pasted into a shell. */
    const run = async (command: string): Promise<unknown> => {
      const env = { ...process.env, DOCKET_TOKEN: key, KEY: key }
      return JSON.parse((await promisify(execFile)('sh', ['-c', command], { env, encoding: 'utf8' })).stdout)
    }

    // The request that reads a record.
    await goByPalette('Theodolite', new RegExp(subject))
    await page.getByRole('heading', { level: 1, name: new RegExp(subject) }).waitFor()
    await stage.settled(page)
    await openMenu(page)
    await keys.goTo(/^Copy as curl$/, 'ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(copied).toMatch(/^curl /)
    expect(await run(String(await copied()))).toMatchObject({ status: 'OK', data: [{ sys_id: sysId, subject }] })
    await keys.isAt(page.getByRole('button', { name: 'More actions' }))

    // Its place in the API: another request is tried, and copied.
    await openMenu(page)
    await keys.goTo(/^API$/, 'ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('[id="itsm_incident.read"]').getByLabel('Path').waitFor()
    await stage.settled(page)
    await keys.goTo(/^Path$/)
    await keys.retype(`/rest/v1/table/itsm_incident/${sysId}?sysparm_fields=subject`)
    await keys.press('Enter')
    const response = { status: 'OK', data: [{ subject }] }
    const displayed = page.getByRole('region', { name: 'Response' })
    await expect.poll(async () => JSON.parse((await displayed.textContent()) ?? '')).toEqual(response)
    await keys.goTo(/^Copy$/)
    await keys.press('Enter')
    await expect.poll(copied).toContain('sysparm_fields=subject')
    expect(await run(String(await copied()))).toEqual(response)
    await stage.scenarioPictures(page, 'michael-api')

    async function openMenu(at: Page): Promise<void> {
      await keys.goTo(/^More actions$/)
      await keys.press('Enter')
      // The menu takes the keys when it has the focus.
      await expect.poll(() => at.evaluate(`document.activeElement.closest('[role=menu]') !== null`)).toBe(true)
    }
  })
})
