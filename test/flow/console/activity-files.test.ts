import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium, loginOf, views } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('files in the activity, and who grants a right (issue 13)', () => {
  const stage = consoleStage()

  test('a file is in the activity: who attached it, its name and its link', async () => {
    const sysId = await stage.makeIncident('Files in the activity')
    const body = new FormData()
    body.append('files[]', new File(['text'], 'report.txt', { type: 'text/plain' }))
    const { user, password } = loginOf('anna.petrova')
    const sent = await fetch(`${stage.baseUrl}/v1/attachments/upload/itsm_incident/${sysId}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
      body,
    })
    expect(sent.status).toBeLessThan(300)
    for (const view of views) {
      const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`, view)
      const entry = page.getByRole('complementary').getByRole('listitem').filter({ hasText: 'attached a file' })
      await entry.getByText('Анна Петрова').waitFor({ state: 'attached' })
      const link = entry.getByRole('link', { name: 'report.txt' })
      expect(await link.getAttribute('href')).toMatch(/^\/v1\/attachments\/\d+\/file$/)
      await link.scrollIntoViewIfNeeded()
      expect(await stage.findings(page)).toEqual([])
      await stage.picture(page, `activity-files-${view.colorScheme}-${view.width}`)
      await page.context().close()
    }
  })

  test('a query with a column that may not be read says who can grant it', async () => {
    const page = await stage.signedIn('john.smith', '/t/itsm_incident?q=work_notesISNOTEMPTY')
    const alert = page.getByRole('alert')
    await alert.getByText(/^You have no access to read the column work_notes/).waitFor()
    await alert.getByText('a user with the role admin or security_admin can grant it').waitFor()
    for (const { width, colorScheme } of views) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await stage.picture(page, `denied-${colorScheme}-${width}`)
      expect(await stage.findings(page)).toEqual([])
    }
  })
})
