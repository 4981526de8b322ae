import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { consoleStage, hasChromium, loginOf, widths } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'

describe.skipIf(!hasChromium)('landing pages (issue 13)', () => {
  const stage = consoleStage()
  const administratorOnly = /\/health\/details|\/v1\/denials|\/v1\/jobs/

  test('an administrator sees health, denials with their explanation, and background work', async () => {
    const { docket } = stage
    const denied = await docket.request('GET', '/rest/v1/table/sys_security_acl', { as: loginOf('john.smith') })
    expect(denied.status).toBe(403)
    await docket.database.rows(sql`
      with hook as (insert into docket.sys_webhook (name, url, active) values ('Pager of the night shift', 'https://example.com', false) returning sys_id)
      insert into docket.sys_webhook_delivery (webhook, "position", state, attempts, error)
      select sys_id, 1, 'dead', 12, 'the receiver responded with status 500' from hook`)
    for (const view of widths) {
      const page = await stage.signedIn(admin, '/', view)
      const health = page.getByRole('region', { name: 'Health' })
      await health.getByText('PostgreSQL').waitFor()
      await health
        .getByText(/warning/)
        .first()
        .waitFor({ timeout: 60_000 })
      await health.getByText('delivery-dead').waitFor()
      const denials = page.getByRole('region', { name: 'Latest denials' })
      await denials.getByText('John Smith').waitFor()
      await denials.getByText('You have no access to read the records of the table sys_security_acl.').waitFor()
      const jobs = page.getByRole('region', { name: 'Background work' })
      await jobs.getByText('the receiver responded with status 500').waitFor()
      await jobs.getByRole('link', { name: '1 delivery of a webhook' }).waitFor()
      await page.setViewportSize({ width: view.width, height: 1_900 })
      expect(await stage.findingsInThemes(page, 'home-administrator')).toEqual([])
      await denials.getByRole('button', { name: 'Why?' }).first().click()
      await denials.getByRole('strong').getByText('Denied.').waitFor()
      await denials.getByRole('link', { name: 'Security administrators: rules and roles' }).waitFor()
      await page.setViewportSize({ width: view.width, height: 1_900 })
      expect(await stage.findingsInThemes(page, 'home-administrator-why')).toEqual([])
      await page.context().close()
    }
  })

  test('in Russian, too', async () => {
    await stage.docket.database.rows(sql`update docket."user" set language = 'ru' where user_name = 'admin'`)
    const page = await stage.signedIn(admin, '/')
    const health = page.getByRole('region', { name: 'Состояние' })
    await health
      .getByText(/предупреждени/)
      .first()
      .waitFor({ timeout: 60_000 })
    await page.getByRole('region', { name: 'Последние отказы в доступе' }).getByText('Нет доступа').first().waitFor()
    await page.getByRole('region', { name: 'Фоновые задачи' }).getByText('получатель ответил статусом 500').waitFor()
    await health.getByText('Доставки, которые не удались ни с одной попытки: 1.').waitFor()
    await health.getByText(/^прочитайте error в sys_webhook_delivery/).waitFor()
    await page.getByRole('button', { name: 'Почему?' }).first().click()
    await page
      .getByText(/Достаточно одного, которое разрешает/)
      .first()
      .waitFor()
    expect(await stage.findings(page)).toEqual([])
    await page.setViewportSize({ width: 1_440, height: 1_900 })
    await stage.picture(page, 'home-administrator-ru')
    await stage.docket.database.rows(sql`update docket."user" set language = 'en' where user_name = 'admin'`)
  })

  test('a security administrator who is no administrator sees denials alone', async () => {
    const { database } = stage.docket
    const role = sql`(select sys_id from docket.sys_role where name = 'security_admin')`
    const michael = sql`(select sys_id from docket."user" where user_name = 'michael.brown')`
    await database.rows(sql`insert into docket.sys_user_has_role (user_id, role_id) values (${michael}, ${role})`)
    const page = await stage.signedIn('michael.brown', '/')
    await page.getByRole('region', { name: 'Latest denials' }).getByText('John Smith').waitFor()
    await page.getByRole('heading', { name: 'Assigned to me' }).waitFor()
    expect(await page.getByRole('region', { name: 'Health' }).count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Background work' }).count()).toBe(0)
    await database.rows(sql`delete from docket.sys_user_has_role where user_id = ${michael} and role_id = ${role}`)
  })

  test('queues follow what others do, and no row moves under the pointer', async () => {
    const { docket } = stage
    const page = await stage.signedIn('michael.brown', '/')
    const mine = page.locator('[data-queue]').filter({ has: page.getByRole('heading', { name: 'Assigned to me' }) })
    await mine.getByRole('link').nth(1).waitFor()
    const sysId = await stage.makeIncident('A ticket that arrives while one looks')
    const change = async (values: object): Promise<void> => {
      const response = await docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
        as: admin,
        body: values,
      })
      expect(response.status, JSON.stringify(response.body)).toBe(200)
    }
    const session = await docket.request('GET', '/v1/auth/session', { as: loginOf('michael.brown') })
    const { user } = (session.body as { data: { user: { sys_id: string } } }).data
    await change({ assigned_user: user.sys_id, priority: '1' })
    const arrived = mine.getByRole('link', { name: /A ticket that arrives/ })
    await arrived.waitFor()

    await arrived.hover()
    await change({ subject: 'A ticket that has another name' })
    // The row is where it was when the event has long been there: other pages of the browser display it.
    const other = await page.context().newPage()
    await other.goto(`${stage.baseUrl}/console/t/itsm_incident/${sysId}`)
    await other.getByRole('heading', { name: /another name/ }).waitFor()
    expect(await arrived.count()).toBe(1)
    await page.mouse.move(1, 1)
    await mine.getByRole('link', { name: /another name/ }).waitFor()
  })

  test.each([
    ['anna.petrova', 'agent'],
    ['john.smith', 'caller'],
  ] as const)('%s sees own work, and nothing of the server is requested', async (user, name) => {
    for (const view of widths) {
      const page = await stage.signedIn(user, '/', view)
      await page.setViewportSize({ width: view.width, height: 1_900 })
      await page.locator('main li a').first().waitFor()
      expect(await stage.findingsInThemes(page, `home-${name}`)).toEqual([])
      const requested = await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name))
      expect(requested.some((address) => address.includes('/rest/v1/table/task'))).toBe(true)
      expect(requested.filter((address) => administratorOnly.test(address))).toEqual([])
      await page.context().close()
    }
  })
})
