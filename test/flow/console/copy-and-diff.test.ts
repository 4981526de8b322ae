import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'

const before = 'The printer on the second floor jams, and nobody knows why it does so every morning.'
const after = 'The old printer on the second floor jams, and nobody knows why it does so every evening.'

describe.skipIf(!hasChromium)('copying a record, and what changed in long texts', () => {
  const stage = consoleStage()

  test('a record is copied for a shell, for programs, and as JSON, without a key', async () => {
    const sysId = await stage.makeIncident('To be copied')
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = async (format: string): Promise<string> => {
      await page.evaluate(`navigator.clipboard.writeText('')`)
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: `Copy as ${format}`, exact: true }).click()
      const text = async () => String(await page.evaluate('navigator.clipboard.readText()'))
      await expect.poll(text).not.toBe('')
      return text()
    }
    const address = `${stage.baseUrl}/rest/v1/table/itsm_incident/${sysId}`
    expect(await copied('curl')).toBe(`curl -H "Authorization: Bearer $DOCKET_TOKEN" '${address}'`)
    expect(await copied('JavaScript')).toContain(`docket.table('itsm_incident').first('sys_id=${sysId}')`)
    expect(await copied('Python')).toContain(`"${address}"`)
    const read = await stage.docket.request('GET', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('michael.brown'),
    })
    expect([JSON.parse(await copied('JSON'))]).toEqual((read.body as { data: unknown }).data)
  })

  test('a long text that was changed is displayed once, with the words that are gone and new', async () => {
    const sysId = await stage.makeIncident('A long text', { description: before })
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('michael.brown'),
      body: { description: after },
    })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const change = page.locator('#form-activity li[data-kind=change]').first()
    await expect.poll(() => change.locator('ins').allTextContents()).toEqual(['old ', 'evening.'])
    expect(await change.locator('del').allTextContents()).toEqual(['morning.'])
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'diff')
  })
})
