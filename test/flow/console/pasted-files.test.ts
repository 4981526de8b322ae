import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'
import { holdResponse } from '../../harness/held-response.ts'
import { focused } from '../../harness/keyboard.ts'

/** Puts a real picture, and perhaps a text, into the clipboard of the browser. */
async function copy(page: Page, content: { readonly hasPicture: boolean; readonly text?: string }): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(`(async ({ hasPicture, text }) => {
    const canvas = new OffscreenCanvas(8, 8)
    canvas.getContext('2d').fillRect(0, 0, 4, 4)
    const picture = { 'image/png': await canvas.convertToBlob({ type: 'image/png' }) }
    const words = text === undefined ? {} : { 'text/plain': new Blob([text], { type: 'text/plain' }) }
    await navigator.clipboard.write([new ClipboardItem({ ...(hasPicture ? picture : {}), ...words })])
  })(${JSON.stringify(content)})`)
}

const pictureName = /^image \d{4}-\d\d-\d\d \d\d-\d\d-\d\d\.png$/

describe.skipIf(!hasChromium)('files from the clipboard (issue 13)', () => {
  const stage = consoleStage()
  const filesOf = async (sysId: string): Promise<readonly { readonly file_name: string }[]> => {
    const path = `/rest/v1/table/sys_attachment?sysparm_query=record_id=${sysId}&sysparm_fields=file_name,content_type`
    const { body } = await stage.docket.request('GET', path, { as: loginOf('michael.brown') })
    return (body as { data: { file_name: string }[] }).data
  }
  const attached = (page: Page) => page.getByRole('region', { name: 'Files' }).getByRole('link')

  test.each([
    ['the field of a note', '#composer'],
    ['a field of the form', '#field-subject'],
  ])('a picture that is pasted into %s is attached, and the field keeps its text', async (_where, selector) => {
    const sysId = await stage.makeIncident('Picture of the screen')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const field = page.locator(selector)
    await field.fill('Words before')
    await copy(page, { hasPicture: true })
    await field.press('Control+v')
    await attached(page).waitFor()
    expect(await attached(page).textContent()).toMatch(pictureName)
    expect(await field.inputValue()).toBe('Words before')
    await page.getByRole('complementary').getByRole('listitem').filter({ hasText: 'attached a file' }).waitFor()
    expect(await filesOf(sysId)).toEqual([{ file_name: expect.stringMatching(pictureName), content_type: 'image/png' }])
    // The thumbnail is the picture itself.
    const thumbnail = page.getByRole('region', { name: 'Files' }).locator('img')
    await expect
      .poll(() => thumbnail.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(8)
    await stage.picture(page, `pasted-${selector.slice(1)}`)
  })

  test('cells of a spreadsheet, text and picture at once, are text; a text is text', async () => {
    const sysId = await stage.makeIncident('Cells')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    for (const hasPicture of [true, false]) {
      await page.locator('#composer').fill('')
      await copy(page, { hasPicture, text: 'one\ttwo' })
      await page.locator('#composer').press('Control+v')
      await expect.poll(() => page.locator('#composer').inputValue()).toBe('one\ttwo')
    }
    await stage.settled(page)
    expect(await filesOf(sysId)).toEqual([])
  })

  test('a caller pastes a picture into a new request: it waits for the record, and is attached to it', async () => {
    const page = await stage.signedIn('john.smith', '/t/itsm_incident/new', { width: 390 })
    await page.locator('#field-subject').fill('The screen flickers')
    await copy(page, { hasPicture: true })
    await page.locator('#field-subject').press('Control+v')
    const waiting = page.getByRole('region', { name: 'Files' }).getByRole('listitem')
    await waiting.first().waitFor()
    await page.locator('#field-subject').press('Control+v')
    await expect.poll(() => waiting.count()).toBe(2)
    await waiting
      .first()
      .getByRole('button', { name: /^Cancel image/ })
      .click()
    await expect.poll(() => waiting.count()).toBe(1)
    await stage.picture(page, 'pasted-into-new')
    expect(await stage.findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await attached(page).waitFor()
    const sysId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    expect(await filesOf(sysId)).toEqual([{ file_name: expect.stringMatching(pictureName), content_type: 'image/png' }])
  })

  test('a file that is pasted while the record is being created is attached to it, and one that is cancelled then is not', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new')
    const subject = page.locator('#field-subject')
    await subject.fill('Pasted while it is created')
    await copy(page, { hasPicture: true })
    const chosen = { name: 'cancelled.txt', mimeType: 'text/plain', buffer: Buffer.from('1') }
    await page.locator('input[type=file]').setInputFiles(chosen)
    const cancel = page.getByRole('button', { name: 'Cancel cancelled.txt' })
    await cancel.waitFor()
    const response = await holdResponse(page, 'POST', /\/rest\/v1\/table\/itsm_incident/)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await response.arrived
    await subject.press('Control+v')
    await page.getByRole('button', { name: /^Cancel image/ }).waitFor()
    await cancel.click()
    await cancel.waitFor({ state: 'detached' })
    response.release()
    await page.waitForURL(/itsm_incident\/\d+$/)
    await attached(page).first().waitFor()
    await stage.settled(page)
    const sysId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    expect((await filesOf(sysId)).map(({ file_name }) => file_name)).toEqual([expect.stringMatching(pictureName)])
  })

  test('a file that is attached while the files of the record are read is displayed', async () => {
    const sysId = await stage.makeIncident('Files in flight')
    const page = await stage.signedIn('michael.brown')
    const isUploaded = Promise.withResolvers<void>()
    let isFirst = true
    // The response is as old as the request, and arrives after the file was attached.
    await page.route(/\/rest\/v1\/table\/sys_attachment\b/, async (route) => {
      const response = await route.fetch()
      if (isFirst) {
        isFirst = false
        await isUploaded.promise
      }
      await route.fulfill({ response }).catch(() => undefined)
    })
    await page.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    await page.locator('#composer').waitFor()
    await copy(page, { hasPicture: true })
    const uploaded = page.waitForResponse(/\/v1\/attachments\/upload\//)
    await page.locator('#composer').press('Control+v')
    expect((await uploaded).status()).toBe(200)
    isUploaded.resolve()
    await attached(page).waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('leaving a new record with a file alone asks, and who may not change a record attaches nothing to it', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident/new')
    const subject = page.locator('#field-subject')
    await subject.waitFor()
    await copy(page, { hasPicture: true })
    await subject.press('Control+v')
    await page.getByRole('region', { name: 'Files' }).getByRole('listitem').waitFor()
    await page.getByRole('link', { name: /^Back to/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await focused(dialog.getByRole('button', { name: 'Keep editing' }))
    await dialog.getByRole('button', { name: 'Discard and leave' }).click()
    await page.getByRole('row').nth(1).waitFor()

    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
    const { body } = await stage.docket.request('GET', '/rest/v1/table/user?sysparm_query=user_name=elena.volkova', {
      as: loginOf('michael.brown'),
    })
    await page.goto(`${stage.baseUrl}/console/t/user/${(body as { data: { sys_id: string }[] }).data[0]?.sys_id}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await stage.settled(page)
    await copy(page, { hasPicture: true })
    await page.keyboard.press('Control+v')
    await stage.settled(page)
    expect(sent.filter((each) => each.startsWith('POST /v1/attachments'))).toEqual([])
  })
})
