import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'
import { formatButton, openRichText, storedRichText } from '../../harness/rich-text-field.ts'

describe.skipIf(!hasChromium)('rich text in a form (issue 13)', () => {
  const stage = consoleStage()
  const stored = (sysId: string) => storedRichText(stage, sysId)
  const open = (workaround: string | null) => openRichText(stage, workaround)
  const save = async (page: Page): Promise<void> => {
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
  }

  test('two paragraphs are joined by Backspace and parted again by an undo, without a report of the policy', async () => {
    const { page, rich, stored } = await open('<p class="one">Use the stairs</p><h2>Not the lift</h2>')
    await rich.getByText('Not the lift').click()
    await page.keyboard.press('Home')
    await page.keyboard.press('Backspace')
    await expect.poll(() => rich.locator('p').allTextContents()).toEqual(['Use the stairsNot the lift'])
    await page.keyboard.press('Control+z')
    await rich.locator('h2').getByText('Not the lift').waitFor()
    // Nothing has changed, so there is nothing to save.
    await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await page.keyboard.press('Control+y')
    await save(page)
    expect(await stored()).toBe('<p class="one">Use the stairsNot the lift</p>')
  })

  test('lists are made, changed and left by keys and buttons', async () => {
    const { page, rich, stored } = await open(null)
    await formatButton(page, 'List').click()
    await page.keyboard.type('Stairs')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Lift')
    await page.keyboard.press('Control+]')
    expect(await rich.locator('ul ul li').allTextContents()).toEqual(['Lift'])
    await page.keyboard.press('Control+[')
    await expect.poll(() => formatButton(page, 'List').getAttribute('aria-pressed')).toBe('true')
    await formatButton(page, 'Numbered list').click()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Or stay')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('here')
    await expect.poll(() => formatButton(page, 'Numbered list').getAttribute('aria-pressed')).toBe('false')
    await save(page)
    expect(await stored()).toBe('<ol><li><p>Stairs</p></li><li><p>Lift</p></li></ol><p>Or stay<br />here</p>')
  })

  test('a link is made of words or of its address, changed where the caret is, and removed', async () => {
    const { page, rich, stored } = await open('<p>See the plan of the floor</p>')
    await rich.getByText('plan').click()
    await page.keyboard.press('End')
    for (let words = 0; words < 2; words += 1) await page.keyboard.press('Control+Shift+ArrowLeft')
    const link = async (address: string) => {
      await formatButton(page, 'Link').click()
      await page.getByLabel('Address of the link').fill(address)
      await page.getByLabel('Address of the link').press('Enter')
      await focused(rich)
    }
    await link('https://example.com/floor')
    await rich.getByRole('link', { name: 'the floor' }).waitFor()
    // An address that could run something is not taken.
    await formatButton(page, 'Link').click()
    await page.getByLabel('Address of the link').fill('javascript:alert(1)')
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
    await formatButton(page, 'Link').click()
    await rich.getByText('See the plan').click()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await formatButton(page, 'Link').click()
    expect(await page.getByLabel('Address of the link').inputValue()).toBe('https://example.com/floor')
    await formatButton(page, 'Link').click()
    await link('https://example.com/other')
    // What is typed or put after a link is not in it.
    await page.keyboard.press('Control+End')
    await link('https://example.com/')
    await save(page)
    const begin = '<p>See the plan of <a href="https://example.com/other">the floor</a>'
    expect(await stored()).toBe(`${begin}<a href="https://example.com/">https://example.com/</a></p>`)
    await page.keyboard.press('Control+End')
    await page.keyboard.press('ArrowLeft')
    await link('')
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toBe(`${begin}https://example.com/</p>`)
  })

  test('what is copied here keeps its form where it is pasted; content of other programs becomes plain text', async () => {
    const { page, rich, stored } = await open('<p>Use the <strong>stairs</strong></p>')
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+c')
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+v')
    await expect.poll(() => rich.locator('p').count()).toBe(2)
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Enter')
    const paste = (data: Readonly<Record<string, string>>) =>
      page.evaluate(`{
        const clipboardData = new DataTransfer()
        for (const [type, value] of Object.entries(${JSON.stringify(data)})) clipboardData.setData(type, value)
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
        document.activeElement.dispatchEvent(event)
      }`)
    await paste({ 'text/plain': '<b>One</b>\nTwo\n', 'text/html': '<img src=x onerror=alert(1)><b>One</b><p>Two' })
    // Half of a character, and the character 0: the server would take neither.
    await paste({ 'text/plain': ', three\ud83d\0' })
    // Any page can write this type, too.
    await paste({ 'text/plain': '!', 'application/x-docket-rich-text': '{"content":[{"type":"script"}]}' })
    const nothing = { type: 'paragraph', content: [{ type: 'kept', attrs: { node: null } }] }
    await paste({ 'text/plain': '.', 'application/x-docket-rich-text': JSON.stringify({ content: [nothing] }) })
    const address = { type: 'link', attrs: { given: { href: 'javascript:alert(1)' } } }
    const content = [{ type: 'paragraph', content: [{ type: 'text', text: '?', marks: [address] }] }]
    const slice = JSON.stringify({ content, openStart: 1, openEnd: 1 })
    await paste({ 'text/plain': '?', 'application/x-docket-rich-text': slice })
    expect(await rich.locator('a').count()).toBe(0)
    await save(page)
    const line = '<p>Use the <strong>stairs</strong></p>'
    expect(await stored()).toBe(`${line}${line}<p>&lt;b&gt;One&lt;/b&gt;</p><p>Two, three\ufffd!.?</p>`)
  })

  test('elements that the toolbar does not offer stay, also where words beside and in them are edited', async () => {
    const kept = [
      '<div class="note">Ask <mark>the <b>desk</b></mark></div>',
      '<section><h2>Floors</h2><dl><dt>One</dt><dd>Desk</dd></dl></section>',
      '<figure><img src="https://example.com/a.png" alt="Plan" /><figcaption>The floor</figcaption></figure>',
      '<table><caption>Rooms</caption><colgroup><col class="x" /></colgroup><thead><tr><th>Name</th></tr></thead>',
      '<tbody><tr><td></td></tr></tbody></table>',
    ].join('')
    const { page, rich, stored } = await open(
      `${kept}Press <kbd>Ctrl</kbd><kbd>C</kbd> on <span class="x">the <i>left</i></span> <ruby>漢<rt>kan</rt></ruby>`,
    )
    expect(await rich.getByText('Rooms').evaluate((each) => each.tagName)).toBe('CAPTION')
    await rich.getByText('Ctrl').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' now')
    await rich.getByText('left').click()
    await page.keyboard.press('Control+ArrowLeft')
    await page.keyboard.type('far ')
    await save(page)
    const line =
      'Press <kbd>Ctrl</kbd><kbd>C</kbd> on <span class="x">the far <i>left</i></span> <ruby>漢<rt>kan now</rt></ruby>'
    expect(await stored()).toBe(`${kept}${line}`)
    // The text that the server returned is the one that is there: the caret has not moved.
    await page.keyboard.type('and ')
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toBe(`${kept}${line.replace('far ', 'far and ')}`)
  })

  test('Enter makes another of the same element; a line in a cell or item becomes two paragraphs', async () => {
    const { page, rich, stored } = await open(
      '<div class="x">One</div><dl><dt>Two</dt></dl><ul><li>Three</li></ul><table><caption>Plan</caption><tr><td>Four</td></tr></table>',
    )
    const enterAfter = async (text: string, typed: string) => {
      await rich.getByText(text).click()
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await page.keyboard.type(typed)
    }
    await enterAfter('One', 'a')
    await enterAfter('Two', 'b')
    await enterAfter('Three', 'c')
    await enterAfter('Plan', 'B')
    await enterAfter('Four', 'd')
    await save(page)
    expect(await stored()).toBe(
      [
        '<div class="x">One</div><div>a</div><dl><dt>Two</dt><dd>b</dd></dl><ul><li>Three</li><li>c</li></ul>',
        '<table><caption>Plan<br />B</caption><tr><td><p>Four</p><p>d</p></td></tr></table>',
      ].join(''),
    )
    await page.keyboard.type('e')
    await page.keyboard.press('Control+s')
    await expect.poll(stored).toContain('<p>de</p>')
  })

  test('the boxes of a list of tasks are ticked by a click, and by the space bar', async () => {
    const box = '<input type="checkbox" />'
    const { page, rich, stored } = await open(`<ul><li>${box} Stairs</li><li>${box} Lift</li></ul>`)
    await rich.getByText('☐').first().click()
    await rich.getByText('☑').waitFor()
    await rich.getByText('Lift').click()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Space')
    await expect.poll(() => rich.getByText('☑').count()).toBe(2)
    await rich.getByText('☑').first().click()
    await save(page)
    expect(await stored()).toBe(`<ul><li>${box} Stairs</li><li><input type="checkbox" checked /> Lift</li></ul>`)
  })

  test('axe finds nothing in the editor', async () => {
    const { page, rich } = await open(
      [
        '<h2>Floors</h2><p>See <a href="https://example.com/">the plan</a>, <em>not</em> <img src="a.png" alt="Plan" /></p><hr />',
        '<table><tr><th>One</th><td><strong>Two</strong></td></tr></table><blockquote>Said</blockquote><pre>ls -l</pre>',
        '<ul><li>Stairs</li><li>Lift<ol><li>Call</li></ol></li></ul>',
        '<main><dl><dt>One</dt><dd>Two <kbd>Esc</kbd> <mark>here</mark> <small>now</small></dd></dl></main><nav>Three</nav>',
        '<table><caption>Rooms</caption><thead><tr><th>Name</th></tr></thead></table><input type="checkbox" checked /> Four',
      ].join(''),
    )
    await rich.getByText('the plan').click()
    await formatButton(page, 'Link').click()
    await rich.scrollIntoViewIfNeeded()
    expect(await stage.findingsInThemes(page, 'rich-text')).toEqual([])
  })

  test('a text that ends with a table goes on after it', async () => {
    const table = '<table><tr><td></td><td><p>Two</p></td></tr></table>'
    const { page, rich, stored } = await open(table)
    await rich.getByText('Two').click()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('After')
    await save(page)
    expect(await stored()).toBe(`${table}<p>After</p>`)
  })

  test('what is not edited of a rich text stays: cells over several columns, sizes of pictures, titles of links, spaces that break no line', async () => {
    const kept = [
      '<table><tr><th colspan="2"><p>Floors</p></th></tr><tr><td rowspan="2"><p>One</p></td><td><p>Two</p></td></tr></table>',
      '<p><a href="https://example.com/" title="More">Link</a> <img src="https://example.com/a.png" alt="Plan" width="40" height="30" /></p>',
      '<p>10\u00a0000\u00a0<strong>€, §\u00a05</strong></p>',
    ].join('')
    const sysId = await stage.makeIncident('Rich text kept', { workaround: `${kept}<p>Use the stairs</p>` })
    expect(await stored(sysId)).toBe(`${kept}<p>Use the stairs</p>`)
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.getByText(/^All fields/).click()
    const rich = page.getByRole('textbox', { name: 'Workaround' })
    await rich.getByText('Use the stairs').click()
    await page.keyboard.press('End')
    await page.keyboard.type(', slowly  now')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    const edited = `${kept}<p>Use the stairs, slowly  now</p>`
    expect(await stored(sysId)).toBe(edited)
  })

  test('an edit of a rich text keeps class, direction and language, and the target and place of links', async () => {
    const kept = [
      '<p class="note off-screen" dir="rtl" lang="ar">Before</p><h2 class="part">Floors</h2><hr class="thin" />',
      '<ul class="steps"><li lang="en"><p><strong class="key">One</strong></p></li></ul>',
      '<table class="plan"><tr><td colspan="2" class="cell"><p>Two</p></td></tr></table>',
      '<p><a href="https://example.com/" target="_blank" rel="noopener" class="more">Link</a><a name="place">Place</a></p>',
    ].join('')
    const sysId = await stage.makeIncident('Rich text with classes', { workaround: `${kept}<p>Use the stairs</p>` })
    const before = await stored(sysId)
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.getByText(/^All fields/).click()
    const rich = page.getByRole('textbox', { name: 'Workaround' })
    // Its class is none of the console, which would hide it.
    expect(await rich.getByText('Before').evaluate((each) => each.getBoundingClientRect().height)).toBeGreaterThan(10)
    expect(await rich.getByText('Before').getAttribute('dir')).toBe('rtl')
    await rich.getByText('Use the stairs').click()
    await page.keyboard.press('End')
    await page.keyboard.type(', slowly')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await stored(sysId)).toBe(String(before).replace('<p>Use the stairs</p>', '<p>Use the stairs, slowly</p>'))
  })

  test('after a save, typing goes on where it was in a rich text', async () => {
    const sysId = await stage.makeIncident('Rich text goes on')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.getByText(/^All fields/).click()
    const rich = page.getByRole('textbox', { name: 'Workaround' })
    await rich.click()
    await page.keyboard.type('Stairsonly')
    // Words that were bold for a moment are a text node of their own.
    for (let letters = 0; letters < 4; letters += 1) await page.keyboard.press('Shift+ArrowLeft')
    await page.getByRole('button', { name: 'Bold' }).click()
    await page.getByRole('button', { name: 'Bold' }).click()
    await focused(rich)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await focused(rich)
    await page.keyboard.type(' are ')
    await page.keyboard.press('Control+s')
    await expect.poll(() => stored(sysId)).toMatch(/^(<p>)?Stairs are only(<\/p>)?$/)
  })

  test('rich text is displayed as its words, in lists and among the changes; plain text as it is', async () => {
    const sysId = await stage.makeIncident('Words of rich text', {
      workaround: '<p class="x">Tom &amp; Jerry</p><ul><li>if 1 &lt; 2<br />call</li></ul>',
    })
    const plain = 'a <b && c> d from <anna@example.com>, List<String> &amp;'
    await stage.makeIncident('Words of plain text', { workaround: plain })
    const page = await stage.signedIn(
      'michael.brown',
      '/t/itsm_incident?q=subjectSTARTSWITHWords of^ORDERBYDESCsubject&cols=subject,workaround',
    )
    const cells = page.getByRole('gridcell').filter({ hasNotText: /^Words of/ })
    const texts = async () => (await cells.allTextContents()).map((each) => each.trim()).filter((each) => each !== '')
    await expect.poll(texts).toEqual(['Tom & Jerry if 1 < 2 call', plain])
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('michael.brown'),
      body: { workaround: '<p>Tom &amp; <strong>Jerry</strong> again</p>' },
    })
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    const change = page.locator('#form-activity').getByText('Tom & Jerry again')
    await change.waitFor()
    expect(await page.locator('#form-activity').textContent()).not.toMatch(/<\/?(p|ul|strong)/)
  })
})
