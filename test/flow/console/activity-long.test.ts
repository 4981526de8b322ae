import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('long texts in the activity (issue 13)', () => {
  const stage = consoleStage()

  test('of a long change the first lines are displayed, and the rest on request', async () => {
    const sysId = await stage.makeIncident('Long texts', { description: `${'before '.repeat(20)}same` })
    const patch = (body: object) =>
      stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, { as: loginOf('anna.petrova'), body })
    await patch({ description: `${'after '.repeat(5_000)}same`, work_notes: 'A line\n'.repeat(500) })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const activity = page.locator('#form-activity')
    const folded = activity.getByRole('button', { name: 'Show all', exact: true })
    await expect.poll(() => folded.count()).toBe(2)
    const height = () => activity.locator('ol').evaluate((each) => each.scrollHeight)
    expect(await height()).toBeLessThan(2_000)
    // What came before is within reach.
    await activity.getByText('created the record').waitFor()
    expect(await stage.findings(page)).toEqual([])
    await folded.first().click()
    await expect.poll(height).toBeGreaterThan(2_000)
    await activity.getByRole('button', { name: 'Show less', exact: true }).click()
    await expect.poll(height).toBeLessThan(2_000)
    // On paper everything is there.
    await page.emulateMedia({ media: 'print' })
    await expect.poll(height).toBeGreaterThan(2_000)
  })

  test('texts of a few lines have no button', async () => {
    const sysId = await stage.makeIncident('Short texts', { work_notes: 'Some words '.repeat(60) })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.locator('#form-activity').getByText('Some words').waitFor()
    await stage.settled(page)
    expect(await page.getByRole('button', { name: 'Show all', exact: true }).count()).toBe(0)
  })
})
