import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'

describe.skipIf(!hasChromium)('groups of a list (issue 13)', () => {
  const stage = consoleStage()
  const heads = (page: Page) => page.locator('button[aria-expanded]').filter({ hasText: /record/ })

  test('texts that differ only in case are one group, which has the title of most of them and opens to all', async () => {
    for (const subject of ['Equal VPN', 'Equal VPN', 'equal vpn', 'Equal mail']) await stage.makeIncident(subject)
    for (const [group, inner] of [
      ['subject', false],
      ['priority,subject', true],
    ] as const) {
      const page = await stage.signedIn('michael.brown', `/t/itsm_incident?q=subjectSTARTSWITHequal&group=${group}`)
      if (inner) await heads(page).first().click()
      await heads(page).getByText('Equal VPN').waitFor()
      expect((await heads(page).allInnerTexts()).map((text) => text.replaceAll('\n', ' '))).toEqual([
        ...(inner ? ['Medium 4 records'] : []),
        'Equal mail 1 record',
        'Equal VPN 3 records',
      ])
      await heads(page).filter({ hasText: 'Equal VPN' }).click()
      await expect.poll(() => page.locator('[data-record]').count()).toBe(3)
      await page.context().close()
    }
  })

  test('a list with more groups than the server sends says how many there are', async () => {
    const set = (value: string) =>
      stage.docket.database.rows(sql`update docket.sys_property set value = ${value} where name = 'rest.limit.max'`)
    const [before] = await stage.docket.database.rows<{ value: string }>(
      sql`select value from docket.sys_property where name = 'rest.limit.max'`,
    )
    for (let at = 1; at <= 103; at += 1) await stage.makeIncident(`Cut ${at}`)
    await set('100')
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=subjectSTARTSWITHCut&group=subject')
    await page.getByText('Only 100 of 103 groups are displayed. A condition makes them fewer.').waitFor()
    expect(await heads(page).count()).toBe(100)
    await set(before?.value ?? '')
  })
})
