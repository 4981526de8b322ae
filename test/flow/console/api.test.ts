import { beforeAll, describe, expect, test } from 'vitest'
import { russian } from '../../../console/src/api/russian.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('the API page of the console (issue 13)', () => {
  const stage = consoleStage()
  beforeAll(async () => {
    // A title that would run as a script if it were parsed as markup.
    await stage.docket.database.rows(
      sql`update docket.sys_db_table set title = '<img src=x onerror=alert(1)>' where name = 'company'`,
    )
  })

  test('/docs leads to it; it has the tables of the user alone, and no script holds a credential', async () => {
    const page = await stage.openBrowser()
    await page.goto(`${stage.docket.baseUrl}/docs`)
    await page.locator('input[name=username]').fill('michael.brown')
    await page.locator('input[name=password]').fill(loginOf('michael.brown').password)
    await page.keyboard.press('Enter')
    const index = page.getByRole('navigation', { name: 'Parts of the API' })
    await index.getByRole('link').first().waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/api')
    const own = await stage.docket.request('GET', '/openapi.json', { as: loginOf('michael.brown') })
    const { tags } = own.body as { tags: { name: string }[] }
    const tables = tags.map(({ name }) => name).filter((name) => /^[a-z]/.test(name))
    await expect.poll(() => index.locator('code').allTextContents()).toEqual(tables)
    await expect.poll(() => index.getByRole('link').count()).toBe(tags.length)
    await index.getByText('<img src=x onerror=alert(1)>').waitFor()
    const kept = '({ ...localStorage, ...sessionStorage, cookie: document.cookie })'
    expect(await page.evaluate(kept)).toEqual({ 'docket.signed-in': 'en', cookie: '' })
  })

  test('a request is tried as the user, and a wrong body is explained in the words of the server', async () => {
    const page = await stage.signedIn('michael.brown', '/api?table=itsm_incident&operation=itsm_incident.list')
    await page.getByLabel('Path').first().fill('/rest/v1/table/itsm_incident?sysparm_query=subject=нет такой')
    await page.getByRole('button', { name: 'Send GET /rest/v1/table/itsm_incident', exact: true }).click()
    const displayed = page.getByRole('region', { name: 'Response' })
    expect(JSON.parse((await displayed.textContent()) ?? '')).toEqual({ status: 'OK', data: [] })
    await page.getByText('Create one record').click()
    await page.locator('[id="itsm_incident.create"]').getByLabel('Body').fill('{"subject":"x","prioriti":"1"}')
    await page.getByRole('button', { name: 'Send POST /rest/v1/table/itsm_incident', exact: true }).click()
    await page
      .locator('[id="itsm_incident.create"]')
      .getByRole('region', { name: 'Response' })
      .getByText('INVALID_VALUE')
      .waitFor()
  })

  test('a Russian user reads parts, operations and types in Russian', async () => {
    const whole = await stage.docket.request('GET', '/openapi.json', { as: admin })
    const { paths, tags } = whole.body as {
      paths: Record<string, Record<string, { summary?: string }>>
      tags: { name: string }[]
    }
    const summaries = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ summary }) => summary ?? []),
    )
    const parts = tags.map(({ name }) => name).filter((name) => /^[A-Z]/.test(name))
    expect(summaries.length).toBeGreaterThan(100)
    expect([...new Set([...summaries, ...parts])].filter((text) => !(text in russian))).toEqual([])
    const page = await stage.signedIn('anna.petrova', '/api?table=itsm_incident')
    await page.getByText('Прочитать записи', { exact: true }).waitFor()
    await page.getByRole('cell', { name: 'дата и время', exact: true }).first().waitFor()
    await page
      .getByRole('navigation', { name: 'Разделы API' })
      .getByRole('link', { name: 'Коллекции', exact: true })
      .waitFor()
    expect(await stage.findings(page)).toEqual([])
  })

  test('an administrator confirms a request that changes data', async () => {
    const page = await stage.signedIn(admin, '/api?table=task&operation=task.create')
    const create = page.locator('[id="task.create"]')
    await create.getByLabel('Body').fill('{"subject":"From the API page"}')
    const count = () => stage.docket.database.rows(sql`select 1 from docket.task where subject = 'From the API page'`)
    await create.getByRole('button', { name: 'Send POST /rest/v1/table/task' }).click()
    await create.getByRole('alert').waitFor()
    expect(await count()).toHaveLength(0)
    await create.getByRole('button', { name: 'Send it' }).click()
    await create.getByRole('region', { name: 'Response' }).waitFor()
    expect(await count()).toHaveLength(1)
  })

  test.each(widths)('axe finds nothing in the API page: $width px', async (view) => {
    const page = await stage.signedIn('michael.brown', '/api', view)
    await page.getByRole('navigation', { name: 'Parts of the API' }).getByRole('link').first().waitFor()
    expect(await stage.findingsInThemes(page)).toEqual([])
    await page.goto(`${stage.docket.baseUrl}/console/api?table=user&operation=user.list`)
    await page.getByRole('region', { name: 'Columns of user' }).waitFor()
    expect(await stage.findingsInThemes(page)).toEqual([])
    // The text of a button is not cut where the line is narrow.
    const cut = `[...document.querySelectorAll('main button')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)`
    expect(await page.evaluate(cut)).toEqual([])
  })
})
