import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

const approvals = /^GET \/rest\/v1\/table\/sys_approval\?/
const removed = /^GET \/v1\/attachments\/removed\//
const removable = /^GET \/v1\/attachments\/removable\//
const busy = { kind: 'respond', status: 503 } as const

describe.skipIf(!hasChromium)('parts of the activity that cannot be read (issue 13)', () => {
  const stage = consoleStage({ proxy: true })
  const alertIn = (place: Locator): Locator =>
    place.getByRole('alert').filter({ hasText: 'The server is not available at the moment (status 503).' })
  const retryIn = (place: Locator): Promise<void> =>
    alertIn(place)
      .getByRole('button', { name: /^Try again/ })
      .click()
  const activityOf = (page: Page): Locator => page.locator('#form-activity')

  /** A task of john.smith whose approval is requested of michael.brown, with a removed file. */
  async function makeTask(subject: string): Promise<string> {
    const task = await stage.makeIncident(subject, { caller: { find: { user_name: 'john.smith' } } })
    const body = { task, approver: { find: { user_name: 'michael.brown' } }, state: 'requested' }
    const requested = await stage.docket.request('POST', '/rest/v1/table/sys_approval', { as: admin, body })
    expect(requested.status).toBe(200)
    const headers = { authorization: `Basic ${Buffer.from(`${admin.user}:${admin.password}`).toString('base64')}` }
    const form = new FormData()
    for (const name of ['kept.txt', 'wrong.txt']) form.append('files[]', new File([name], name, { type: 'text/plain' }))
    const address = `${stage.docket.baseUrl}/v1/attachments/upload/itsm_incident/${task}`
    const sent = (await (await fetch(address, { method: 'POST', headers, body: form })).json()) as {
      data: { sys_id: string; file_name: string }[]
    }
    const wrong = sent.data.find(({ file_name }) => file_name === 'wrong.txt')?.sys_id
    const { status } = await fetch(`${stage.docket.baseUrl}/v1/attachments/${wrong}`, { method: 'DELETE', headers })
    expect(status).toBe(200)
    return task
  }

  test.each(widths)('say so once, and are there after a retry: $width px', async (view) => {
    const task = await makeTask(`Not read ${view.width}`)
    for (const part of [approvals, removed]) stage.proxy.fail(part, busy)
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${task}`, view)
    const activity = activityOf(page)
    await alertIn(activity).waitFor()
    await stage.settled(page)
    await expect.poll(() => activity.getByRole('alert').count()).toBe(1)
    await alertIn(activity).scrollIntoViewIfNeeded()
    expect(await stage.findingsInThemes(page, 'activity-error')).toEqual([])
    stage.proxy.heal(approvals)
    await retryIn(activity)
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    // The other part still fails.
    await alertIn(activity).waitFor()
    stage.proxy.heal(removed)
    await retryIn(activity)
    await activity.getByRole('listitem').filter({ hasText: 'removed a file' }).waitFor()
    await activity.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('say so among the files, if it is unknown which of them may be removed', async () => {
    const task = await makeTask('Files to remove')
    stage.proxy.fail(removable, busy)
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${task}`)
    const files = page.getByRole('region', { name: 'Files' })
    await files.getByRole('link', { name: 'kept.txt' }).waitFor()
    await alertIn(files).waitFor()
    stage.proxy.heal()
    await retryIn(files)
    await files.getByRole('button', { name: 'Remove kept.txt' }).waitFor()
    await files.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('are not mentioned to a caller who may not read them', async () => {
    const task = await makeTask('Of the caller')
    const page = await stage.signedIn('john.smith', `/t/itsm_incident/${task}`)
    await activityOf(page).getByRole('link', { name: 'kept.txt' }).first().waitFor()
    await stage.settled(page)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.getByRole('group', { name: 'Approval' }).count()).toBe(0)
  })
})
