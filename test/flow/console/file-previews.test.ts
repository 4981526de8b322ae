import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { focused } from '../../harness/keyboard.ts'

/** One dot. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const pdf = readFileSync(new URL('../../fixtures/documents/manual.pdf', import.meta.url))
const markup = '<!doctype html><html><body><b id="made">bold</b><script>document.title = "run"</script></body></html>'
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>'

describe.skipIf(!hasChromium)('previews of files (issue 13, 8)', () => {
  const stage = consoleStage()

  async function incidentWith(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
    const sysId = await stage.makeIncident('Files to look at')
    const { user, password } = loginOf('michael.brown')
    const body = new FormData()
    for (const [name, bytes] of Object.entries(files))
      body.append('files[]', new File([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)], name))
    const sent = await fetch(`${stage.baseUrl}/v1/attachments/upload/itsm_incident/${sysId}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
      body,
    })
    expect(sent.status).toBe(200)
    return sysId
  }

  const filesOf = (page: Page) => page.getByRole('region', { name: 'Files' })

  test('a picture and a text are looked at without leaving the form, and the focus comes back', async () => {
    const sysId = await incidentWith({
      'dot.png': png,
      'log.txt': `Первая строка\n${'0123456789\n'.repeat(20_000)}end`,
    })
    for (const view of widths) {
      const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`, view)
      const picture = filesOf(page).getByRole('button', { name: 'Preview dot.png' })
      await picture.click()
      const ofPicture = page.getByRole('dialog', { name: 'dot.png' })
      const image = ofPicture.getByRole('img', { name: 'dot.png' })
      await expect
        .poll(() => image.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth))
        .toBe(1)
      expect(await stage.findingsInThemes(page, 'preview-picture')).toEqual([])
      await page.keyboard.press('Escape')
      await focused(picture)
      await filesOf(page).getByRole('button', { name: 'Preview log.txt' }).click()
      const ofText = page.getByRole('dialog', { name: 'log.txt' })
      const text = ofText.getByRole('region', { name: 'log.txt' })
      await ofText.getByText('Первая строка').waitFor()
      expect((await text.textContent())?.endsWith('end')).toBe(false)
      await ofText.getByText('Only the first 100 kB are displayed.').waitFor()
      expect(await stage.findingsInThemes(page, 'preview-text')).toEqual([])
      const file = page.waitForEvent('download')
      await ofText.getByRole('link', { name: 'Download' }).click()
      expect((await file).suggestedFilename()).toBe('log.txt')
      await ofText.getByRole('button', { name: 'Close' }).click()
      await ofText.waitFor({ state: 'detached' })
      await page.context().close()
    }
  })

  test('markup is displayed as text, in the preview and in a tab, and nothing of it runs', async () => {
    const sysId = await incidentWith({ 'page.html': markup, 'drawing.svg': drawing })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    for (const [name, source] of [
      ['page.html', markup],
      ['drawing.svg', drawing],
    ] as const) {
      await filesOf(page)
        .getByRole('button', { name: `Preview ${name}` })
        .click()
      const dialog = page.getByRole('dialog', { name })
      await expect.poll(() => dialog.getByRole('region', { name }).textContent()).toBe(source)
      expect(await dialog.locator('#made, svg[onload]').count()).toBe(0)
      const opened = page.context().waitForEvent('page')
      await dialog.getByRole('link', { name: 'Open in a tab' }).click()
      const tab = await opened
      await tab.getByText('<script>').waitFor()
      expect(await tab.locator('pre').textContent()).toBe(source)
      expect(await tab.locator('#made, svg').count()).toBe(0)
      expect(await tab.title()).not.toBe('run')
      await tab.close()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
  })

  test('a PDF opens in a tab; a file that browsers do not display is a download', async () => {
    const sysId = await incidentWith({ 'manual.pdf': pdf, 'packed.bin': Buffer.from([0, 1, 2, 3]) })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const link = filesOf(page).getByRole('link', { name: 'manual.pdf' })
    expect(await link.getAttribute('target')).toBe('_blank')
    const response = await page.request.get(new URL((await link.getAttribute('href')) ?? '', page.url()).href)
    expect([response.status(), response.headers()['content-type']]).toEqual([200, 'application/pdf'])
    expect(response.headers()['content-disposition']).toMatch(/^inline; /)
    expect(
      await filesOf(page)
        .getByRole('button', { name: /^Preview/ })
        .count(),
    ).toBe(0)
    const downloaded = Promise.withResolvers<string>()
    const listen = (each: Page): unknown => each.on('download', (file) => downloaded.resolve(file.suggestedFilename()))
    listen(page)
    page.context().on('page', listen)
    await filesOf(page).getByRole('link', { name: 'packed.bin' }).click()
    expect(await downloaded.promise).toBe('packed.bin')
  })

  test('a picture that is none, and a text that cannot be read at the moment, say so', async () => {
    const sysId = await incidentWith({ 'broken.png': png.subarray(0, 20), 'late.txt': 'Read later' })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await filesOf(page).getByRole('button', { name: 'Preview broken.png' }).click()
    await page.getByRole('alert').getByText('This file cannot be displayed. Download it instead.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.context().setOffline(true)
    await filesOf(page).getByRole('button', { name: 'Preview late.txt' }).click()
    const dialog = page.getByRole('dialog', { name: 'late.txt' })
    await dialog.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    // It is read by itself when the connection is back.
    await page.context().setOffline(false)
    await dialog.getByText('Read later').waitFor()
  })
})
