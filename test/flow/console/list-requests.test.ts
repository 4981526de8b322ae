import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleStage, hasChromium } from '../../harness/console-browser.ts'
import { leaveListsToBrowser } from '../../harness/open-page.ts'

describe.skipIf(!hasChromium)('requests of a list (issue 13)', () => {
  const stage = consoleStage()

  /** Paths of the API that the page requests, without their parameters. */
  const requestsOf = (page: Page): string[] => {
    const paths: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/rest/') || pathname.startsWith('/v1/')) paths.push(pathname)
    })
    return paths
  }

  test('the first row needs the session, the description of the table and the rows, and waits for nothing else', async () => {
    const page = await stage.signedIn('michael.brown')
    await leaveListsToBrowser(page)
    const paths = requestsOf(page)
    const needed = ['/v1/auth/session', '/rest/v1/meta/itsm_incident', '/rest/v1/table/itsm_incident']
    await page.route(/\/(rest|v1)\//, async (route) => {
      const { pathname, searchParams } = new URL(route.request().url())
      const isCount = searchParams.get('sysparm_limit') === '1'
      // The others never get a response.
      if (needed.includes(pathname) && !isCount) await route.continue()
    })
    await page.goto(`${stage.docket.baseUrl}/console/t/itsm_incident?q=active=true`)
    await page.getByRole('row').nth(3).getByRole('gridcell').nth(1).getByText(/^INC/).waitFor()
    for (const path of needed) expect(paths.filter((each) => each === path).length).toBeGreaterThan(0)
    expect(paths.filter((path) => path === '/rest/v1/meta/itsm_incident')).toHaveLength(1)
    expect(paths.filter((path) => /sys_db_column|sys_choice|sys_ui_form/.test(path))).toEqual([])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('a column of a table three references away is found field by field, and stands in the address', async () => {
    const page = await stage.signedIn('michael.brown', '/t/itsm_incident?q=active=true&cols=number')
    await page.getByRole('row').nth(3).waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Add a column' }).click()
    const dialog = page.getByRole('dialog')
    for (const field of ['Assignment group', 'Manager', 'Company']) {
      await dialog.getByPlaceholder('Find a field').fill(field)
      await dialog.getByRole('button', { name: `Fields of ${field}`, exact: true }).click()
    }
    await dialog.getByPlaceholder('Find a field').fill('city')
    await dialog.getByRole('button', { name: /City/ }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Assignment group › Manager › Company › City' }).waitFor()
    await expect
      .poll(() => new URL(page.url()).searchParams.get('cols'))
      .toBe('number,assignment_group.manager.company.city')
    await page.reload()
    await page.getByRole('columnheader', { name: 'Assignment group › Manager › Company › City' }).waitFor()
  })
})
