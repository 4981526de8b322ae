import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { isolated } from '../../../console/src/messages/isolate.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

const markup = '<img src=x onerror=alert(1)><b>bold</b>&lt;i&gt;<script>alert(2)</script>'
/** Overrides of the direction that nobody ends, and ends of isolates that nobody began. */
const turned = 'left \u202Etxt.exe \u2067\u05D0\u05D1\u2069\u2069 \u202Egpj'
/** The last character of every hostile text: what stands behind it belongs to the page. */
const end = '‡'
const hostile = (units: number): string => {
  const begin = `${markup} ${turned} `
  return `${begin}${'W'.repeat(Math.max(0, units - begin.length - 1))}${end}`
}
const whole = hostile(10_000)
/** As long as titles may be. */
const short = hostile(250)

/** Words of the page that run from right to left because of a value beside them. */
const reversedWords = `(() => {
  const turns = /[\\u0590-\\u08FF\\u200F\\u202A-\\u202E\\u2066-\\u2069]/
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const reversed = []
  while (walker.nextNode()) {
    const node = walker.currentNode
    const from = turns.test(node.data) ? node.data.lastIndexOf('${end}') + 1 : 0
    if (from === 0 && turns.test(node.data)) continue
    const word = /[a-z]{2,}/i.exec(node.data.slice(from))
    if (word === null) continue
    const boxOf = (at) => {
      const range = document.createRange()
      range.setStart(node, from + word.index + at)
      range.setEnd(node, from + word.index + at + 1)
      return range.getBoundingClientRect()
    }
    const [one, two] = [boxOf(0), boxOf(1)]
    if (one.width > 0 && Math.abs(one.top - two.top) < 1 && two.left < one.left) reversed.push(node.data.slice(from, from + 60))
  }
  return reversed
})()`

/** Elements that data has made, and what makes a part of the page scroll horizontally. */
const misshaped = `(() => {
  const made = [...document.querySelectorAll('img[src="x"], b, i:not([aria-hidden]), script:not([src])')].map((each) => each.outerHTML.slice(0, 80))
  const parts = [document.documentElement, ...document.querySelectorAll('main, nav, [role=dialog], [role=alertdialog], [role=menu]')]
  const wide = parts.filter((part) => part.scrollWidth > part.clientWidth + 1)
  const causes = (part) => {
    const isFree = (each) => {
      for (let at = each.parentElement; at !== null && at !== part; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== 'visible') return false
      return each.getBoundingClientRect().right > part.getBoundingClientRect().right + 1
    }
    return [...part.querySelectorAll('*')].filter(isFree).slice(-3).map((each) => each.outerHTML.slice(0, 90))
  }
  return [...made, ...wide.map((part) => part.tagName + ' is ' + part.scrollWidth + ' px wide: ' + causes(part).join(' | '))]
})()`

describe.skipIf(!hasChromium)('hostile data stays text, and in its place (issue 13)', () => {
  const stage = consoleStage()
  const ids = { record: '', incident: '' }

  async function add(table: string, body: object, as: { user: string; password: string } = admin): Promise<string> {
    const response = await stage.docket.request('POST', `/rest/v1/table/${table}`, { as, body })
    expect({ table, status: response.status, body: response.status === 200 ? '' : response.body }).toEqual({
      table,
      status: 200,
      body: '',
    })
    return (response.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  }

  beforeAll(async () => {
    const table_id = { find: { name: 'hostile' } }
    await add('sys_db_table', { name: 'hostile', title: short })
    const column = (column_name: string, type: string, more: object = {}): Promise<string> =>
      add('sys_db_column', { table_id, column_name, title: short, column_type_id: { find: { name: type } }, ...more })
    await column('name', 'text', { display_by_ref: true })
    const kind = await column('kind', 'string')
    await column('note', 'text')
    await add('sys_choice', { table_id, column_id: kind, value: 'one', title: short })
    for (const operation of ['read', 'create', 'write', 'delete'])
      await add('sys_security_acl', { operation, table_name: 'hostile', roles: [{ find: { name: 'itil' } }] })
    const form = await add('sys_ui_form', { title: 'Default view', table_id })
    const section_id = await add('sys_ui_form_section', { form_id: form, title: short, order: 1 })
    for (const [order, column_name] of ['name', 'kind', 'note'].entries())
      await add('sys_ui_form_element', { section_id, column_name, order })
    ids.record = await add('hostile', { name: whole, kind: 'one', note: whole })
    const michael = loginOf('michael.brown')
    const found = await stage.docket.request('GET', '/rest/v1/table/user?sysparm_query=user_name=michael.brown', {
      as: admin,
    })
    const sysId = (found.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
    const named = { last_name: hostile(100), first_name: hostile(100), display_name: hostile(100) }
    const renamed = await stage.docket.request('PATCH', `/rest/v1/table/user/${sysId}`, { as: admin, body: named })
    expect(renamed.status).toBe(200)
    ids.incident = await add(
      'itsm_incident',
      { subject: short, description: whole, assigned_user: sysId, work_notes: whole },
      michael,
    )
    await add('sys_filter', { title: short, table_id, condition: 'kind=one', user_id: sysId }, michael)
    const loaded = await stage.docket.request('POST', '/load_text_to_collection?collection_name=knowledge', {
      as: loginOf('maria.sokolova'),
      body: { text: `# Zebra ${whole}\n\nzebra ${whole}`, metadata: { doc_id: 'zebra', title: short } },
    })
    expect(loaded.status).toBe(200)
  })

  /** In both widths. */
  async function isHarmless(page: Page, where: string): Promise<void> {
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await stage.settled(page)
      expect({ where, width, found: await page.evaluate(misshaped) }).toEqual({ where, width, found: [] })
      expect({ where, width, reversed: await page.evaluate(reversedWords) }).toEqual({ where, width, reversed: [] })
    }
    await page.setViewportSize({ width: 1_440, height: 900 })
    await stage.settled(page)
  }

  test('in lists: titles, values, choices, conditions, groups, columns, filters, the side panel', async () => {
    const page = await stage.signedIn('michael.brown', '/t/hostile?q=kind=one')
    await page.getByRole('row').nth(1).waitFor()
    await isHarmless(page, 'list')
    await page.getByRole('button', { name: 'Columns', exact: true }).click()
    await page.getByRole('button', { name: 'Add a column' }).waitFor()
    await isHarmless(page, 'columns')
    await page.getByRole('button', { name: 'Add a column' }).click()
    await page.getByPlaceholder('Find a field').waitFor()
    await isHarmless(page, 'field picker')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.getByLabel('Save as a new filter').fill(hostile(200))
    await page.getByLabel('Save as a new filter').press('Enter')
    await page
      .getByRole('navigation')
      .getByRole('link', { name: hostile(200) })
      .waitFor()
    await isHarmless(page, 'saved filter')
    await page.getByRole('row').nth(1).press(' ')
    await page.getByRole('complementary', { name: 'Record' }).getByRole('link', { name: 'Open the record' }).waitFor()
    await isHarmless(page, 'side panel')
    await page.goto(
      `${stage.baseUrl}/console/t/hostile?q=noteLIKE${encodeURIComponent(markup)}^nameLIKE${end}&group=kind`,
    )
    await page.locator('button[aria-expanded]').filter({ hasText: 'record' }).first().click()
    await page.getByRole('row').nth(1).waitFor()
    await isHarmless(page, 'group')
    await page.goto(`${stage.baseUrl}/console/t/hostile?q=name=${encodeURIComponent(short)}`)
    await page.getByText('Nothing matches the filter.').waitFor()
    await isHarmless(page, 'nothing found')
  })

  test('in records: fields, sections, activity, files, versions, deletion, names of users', async () => {
    const page = await stage.signedIn('michael.brown', `/t/hostile/${ids.record}`)
    await page.locator('#field-kind').waitFor()
    await isHarmless(page, 'form of the table')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText(/cannot be brought back/).waitFor()
    await isHarmless(page, 'deletion')
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${ids.incident}`)
    await page.getByRole('listitem').filter({ hasText: 'WWW' }).first().waitFor()
    const name = `${hostile(150).replaceAll('/', '')}.txt`
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('1') })
    await page.getByRole('region', { name: 'Files' }).getByRole('link').first().waitFor()
    await page.locator('#field-subject').fill(hostile(200))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await isHarmless(page, 'form of an incident')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Versions' }).click()
    await page.getByRole('dialog').getByRole('combobox').first().waitFor()
    await isHarmless(page, 'versions')
  })

  test('in a conflict, and in what others have changed', async () => {
    const page = await stage.signedIn('maria.sokolova', `/t/itsm_incident/${ids.incident}`)
    await page.locator('#field-subject').waitFor()
    await stage.settled(page)
    const change = (body: object) =>
      stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${ids.incident}`, {
        as: loginOf('michael.brown'),
        body,
      })
    await change({ urgency: '1' })
    const notice = page.getByRole('status').filter({ has: page.getByRole('button') })
    await notice.first().waitFor()
    await isHarmless(page, 'notice')
    await page.locator('#field-subject').fill(`Mine ${hostile(200)}`)
    await change({ subject: `Theirs ${hostile(200)}` })
    await page.locator('#field-subject').press('Control+s')
    await page.getByRole('dialog').getByRole('radio').first().waitFor()
    await isHarmless(page, 'conflict')
  })

  test('on the home page, in the palette, the search, the settings and the API page', async () => {
    const page = await stage.signedIn('michael.brown')
    await page.getByRole('main').getByRole('link').filter({ hasText: 'WWW' }).first().waitFor()
    await isHarmless(page, 'home')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('alert')
    await page.getByRole('option').filter({ hasText: 'WWW' }).first().waitFor()
    await isHarmless(page, 'palette')
    await page.goto(`${stage.baseUrl}/console/search?q=zebra`)
    await page.locator('[data-found]').first().waitFor()
    await isHarmless(page, 'search')
    await page.locator('[data-found]').first().click()
    await page.getByRole('document', { name: 'Text of the document' }).locator('mark').first().waitFor()
    await isHarmless(page, 'source')
    await page.goto(`${stage.baseUrl}/console/me`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await isHarmless(page, 'settings')
    await page.goto(`${stage.baseUrl}/console/api?table=hostile`)
    await page.getByRole('main').getByText('WWW').first().waitFor()
    await isHarmless(page, 'API')
  })

  test('half a surrogate pair in words, search, palette and a field raises no error of the page', async () => {
    const half = 'qqhalf \ud83d'
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident')
    await page.getByRole('row').nth(1).waitFor()
    // As a program would: keys cannot produce it.
    const type = async (selector: string): Promise<void> => {
      await page.locator(selector).waitFor()
      await page.evaluate(`(() => {
        const field = document.querySelector(${JSON.stringify(selector)})
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(half)})
        field.dispatchEvent(new Event('input', { bubbles: true }))
      })()`)
    }
    await type('input[data-words]')
    await page.locator('input[data-words]').press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toContain('half')
    await page
      .getByRole('main')
      .getByText(/Nothing matches/)
      .first()
      .waitFor()
    await page.keyboard.press('Control+k')
    await type('[role=combobox]')
    await page.getByRole('status').filter({ hasText: 'Nothing' }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.goto(`${stage.baseUrl}/console/search`)
    await type('#search-words')
    await page.locator('#search-words').press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toContain('half')
    await stage.settled(page)
    const sysId = await stage.makeIncident('Whole')
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    await page.locator('#field-subject').waitFor()
    await type('#field-subject')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    // The server rejects it with a reason, and the text stays.
    await page.getByRole('alert').first().waitFor()
    expect(await page.evaluate(`document.getElementById('field-subject').value === ${JSON.stringify(half)}`)).toBe(true)
    await isHarmless(page, 'half a pair')
  })
})

describe('a value in a sentence', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom(...'\u05D0\u202E\u2066\u2067\u2068\u2069a'),
  )
  const text = fc.array(unit, { maxLength: 30 }).map((units) => units.join(''))

  test('ends every isolate that it begins, and none of the sentence', () => {
    fc.assert(
      fc.property(text, (value) => {
        let depth = 0
        const placed = isolated(value)
        for (const [at, character] of [...placed].entries()) {
          if (/[\u2066-\u2068]/.test(character)) depth += 1
          if (character === '\u2069') depth -= 1
          const isInside = at < [...placed].length - 1
          expect(depth).toBeGreaterThanOrEqual(placed.startsWith('\u2068') && isInside ? 1 : 0)
        }
        expect(depth).toBe(0)
        expect(placed.isWellFormed()).toBe(true)
      }),
    )
  })

  test('stays as it is without such characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (value) => {
        expect(isolated(value)).toBe(value)
      }),
    )
    expect(isolated('Принтер №3 — «да»')).toBe('Принтер №3 — «да»')
  })
})
