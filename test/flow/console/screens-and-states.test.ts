import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  consoleStage,
  type DemoUserName,
  hasChromium,
  type Login,
  loginOf,
  widths,
} from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import {
  away,
  broken,
  busy,
  findingsOf,
  lookAtStates,
  notFound,
  offline,
  reading,
  retry,
  type State,
  text,
} from '../../harness/screen-states.ts'

/** Users without tickets, groups and documents. */
const idle = {
  agent: { user: 'idle.agent', password: 'idle agent of the desk' },
  caller: { user: 'idle.caller', password: 'idle caller of the desk' },
}
const ids = { incident: '', opened: '', conflict: '' }

const incidents = /^GET \/rest\/v1\/table\/itsm_incident\?.*sysparm_max_text/
const record = /^GET \/rest\/v1\/table\/itsm_incident\/\d+\?/
const meta = /^GET \/rest\/v1\/meta\/itsm_incident/
const found = /^POST \/get_relevant_documents/

describe.skipIf(!hasChromium)(
  'every screen in every state has no finding of axe, in both themes and widths (issue 13)',
  // Many states in a test: they share the page.
  { timeout: 900_000 },
  () => {
    const stage = consoleStage({ proxy: true })

    async function asAdmin(table: string, body: object): Promise<string> {
      const response = await stage.docket.request('POST', `/rest/v1/table/${table}`, { as: admin, body })
      expect({ table, status: response.status }).toEqual({ table, status: 200 })
      return (response.body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
    }
    const createAsMaria = (subject: string) =>
      stage.docket.request('POST', '/rest/v1/table/itsm_incident', { as: loginOf('maria.sokolova'), body: { subject } })
    const changeAsMaria = (sysId: string, body: object) =>
      stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, { as: loginOf('maria.sokolova'), body })

    beforeAll(async () => {
      ids.incident = await stage.makeIncident('Screens and states')
      ids.opened = await stage.makeIncident('Screens and states, denied')
      ids.conflict = await stage.makeIncident('Screens and states, conflict')
      await stage.docket.request('POST', '/load_text_to_collection?collection_name=knowledge', {
        as: loginOf('maria.sokolova'),
        body: { text: '# The zither\n\nA zither needs a token.\n', metadata: { doc_id: 'zither' } },
      })
      const closed = { text: '# The closed zither\n\nA zither needs a key.\n', metadata: { doc_id: 'secret' } }
      await stage.docket.request('PUT', '/collections/closed', { as: admin, body: { reader_role: 'admin' } })
      await stage.docket.request('POST', '/load_text_to_collection?collection_name=closed', { as: admin, body: closed })
      for (const [role, { user: user_name, password }] of [
        ['itil', idle.agent],
        ['user', idle.caller],
      ] as const) {
        const user_id = await asAdmin('user', { user_name, password, display_name: user_name, language: 'en' })
        await asAdmin('sys_user_has_role', { user_id, role_id: { find: { name: role } } })
      }
      // Tables without records: in one the desk may create some.
      for (const name of ['drawer', 'shelf']) {
        await asAdmin('sys_db_table', { name, title: `${name} of the desk` })
        await asAdmin('sys_security_acl', { operation: 'read', table_name: name, roles: [{ find: { name: 'itil' } }] })
      }
      await asAdmin('sys_security_acl', {
        operation: 'create',
        table_name: 'drawer',
        roles: [{ find: { name: 'itil' } }],
      })
    })

    const resolve = (path: string): string =>
      path.replace('INCIDENT', ids.incident).replace('OPENED', ids.opened).replace('CONFLICT', ids.conflict)
    const lookAt = (who: DemoUserName | Login, states: readonly State[]): Promise<void> =>
      lookAtStates(stage, who, states, resolve)

    test('lists', () =>
      lookAt('michael.brown', [
        { name: 'list', path: '/t/itsm_incident?q=active=true', shows: (page) => page.getByRole('row').nth(3) },
        ...reading('list', '/t/itsm_incident?q=active=true', incidents),
        { name: 'list: nothing exists', path: '/t/drawer', shows: text('There is nothing here yet.') },
        {
          name: 'list: nothing matches',
          path: '/t/itsm_incident?q=subject=nope',
          shows: text('Nothing matches the filter.'),
        },
        { name: 'list: nothing to view', path: '/t/shelf', shows: text('There is nothing here that you can view.') },
        { name: 'list: not found', path: '/t/no_such_table', shows: notFound },
        {
          name: 'list: query with a fault',
          path: '/t/itsm_incident?q=a~b',
          shows: (page) => page.locator('#query-fault'),
        },
        ...['Columns', 'Group', 'Export', 'Save filter', 'Filter'].map((name) => ({
          name: `list: ${name}`,
          path: '/t/itsm_incident?q=active=true^priority=2',
          enter: async (page: Page) => {
            await page.getByRole('row').nth(2).waitFor()
            await page.getByRole('main').getByRole('button', { name, exact: true }).press('Enter')
          },
          shows: (page: Page) => page.locator('[data-popup-open]').first(),
        })),
        {
          name: 'list: groups',
          path: '/t/itsm_incident?group=priority',
          shows: (page) => page.getByRole('main').locator('[aria-expanded]').first(),
        },
        {
          name: 'list: the record beside it',
          path: '/t/itsm_incident?q=subjectSTARTSWITHScreens&peek=INCIDENT',
          shows: (page) => page.getByRole('complementary', { name: 'Record' }),
        },
        {
          name: 'list: change of several',
          path: '/t/itsm_incident?q=subjectSTARTSWITHScreens',
          enter: async (page) => {
            await page.getByRole('row').nth(1).press('x')
            await page.keyboard.press('e')
          },
          shows: (page) => page.getByRole('dialog', { name: /^Change several/ }),
        },
        {
          name: 'list: keys',
          path: '/t/itsm_incident?q=subjectSTARTSWITHScreens',
          enter: async (page) => page.getByRole('row').nth(1).press('?'),
          shows: (page) => page.getByRole('dialog', { name: /Keyboard/ }),
        },
        {
          name: 'list: palette',
          path: '/t/itsm_incident?q=subjectSTARTSWITHScreens',
          enter: async (page) => page.getByRole('row').nth(1).press('Control+k'),
          shows: (page) => page.getByRole('dialog', { name: /Go to/ }),
        },
        {
          name: 'list: stale',
          path: '/t/itsm_incident?q=subjectSTARTSWITHScreens',
          enter: async (page) => {
            await page.getByRole('row').nth(1).waitFor()
            await expect
              .poll(async () => {
                await createAsMaria('Screens and states, new')
                return page.getByRole('button', { name: /^\d+ new$/ }).count()
              })
              .toBe(1)
          },
          shows: (page) => page.getByRole('button', { name: /^\d+ new$/ }),
        },
      ]))

    test('forms', () =>
      lookAt('michael.brown', [
        { name: 'form', path: '/t/itsm_incident/INCIDENT', shows: (page) => page.locator('#field-subject') },
        ...reading('form', '/t/itsm_incident/INCIDENT', record),
        { name: 'form: not found', path: '/t/itsm_incident/999', shows: notFound },
        { name: 'form: new', path: '/t/itsm_incident/new', shows: (page) => page.locator('#field-subject') },
        ...reading('form: new', '/t/itsm_incident/new', meta),
        { name: 'form: new, not found', path: '/t/no_such_table/new', shows: notFound },
        { name: 'form: new, denied', path: '/t/shelf/new', shows: notFound },
        {
          name: 'form: stale',
          path: '/t/itsm_incident/INCIDENT',
          enter: async (page) => {
            await page.locator('#field-subject').waitFor()
            await page.getByRole('complementary', { name: 'Activity' }).getByRole('listitem').first().waitFor()
            let at = 0
            await expect
              .poll(async () => {
                at += 1
                await changeAsMaria(ids.incident, { description: `Changed ${at}` })
                return page.getByRole('button', { name: 'Show', exact: true }).count()
              })
              .toBe(1)
          },
          shows: (page) => page.getByRole('button', { name: 'Show', exact: true }),
        },
        {
          name: 'form: conflict',
          path: '/t/itsm_incident/CONFLICT',
          enter: async (page) => {
            await page.locator('#field-subject').fill('Mine')
            await changeAsMaria(ids.conflict, { subject: 'Theirs' })
            await page.keyboard.press('Control+s')
          },
          shows: (page) => page.getByRole('dialog', { name: 'Changed by two people' }),
        },
        {
          name: 'form: leaving',
          path: '/t/itsm_incident/CONFLICT',
          enter: async (page) => {
            await page.locator('#field-subject').fill('Left')
            await page.getByRole('link', { name: /^Back to/ }).press('Enter')
          },
          shows: (page) => page.getByRole('dialog', { name: 'Leave without saving?' }),
        },
        {
          name: 'form: required',
          path: '/t/itsm_incident/new',
          enter: async (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
          shows: (page) => page.getByRole('alert').filter({ hasText: 'Required' }).first(),
        },
        {
          name: 'form: versions',
          path: '/t/itsm_incident/INCIDENT',
          enter: async (page) => {
            await page.getByRole('button', { name: 'More actions' }).press('Enter')
            await page.getByRole('menuitem', { name: 'Versions' }).press('Enter')
          },
          shows: (page) => page.getByRole('dialog', { name: 'Versions' }),
        },
        {
          name: 'form: a file that fails',
          path: '/t/itsm_incident/INCIDENT',
          fails: { what: /^POST \/v1\/attachments/, fault: broken },
          enter: async (page) => {
            const file = { name: 'report.txt', mimeType: 'text/plain', buffer: Buffer.from('text') }
            await page.locator('input[type=file]').setInputFiles(file)
          },
          shows: (page) => page.getByRole('button', { name: 'Try again: report.txt' }),
        },
        {
          name: 'form: new, offline',
          path: '/t/itsm_incident/new',
          fails: { what: /^POST \/rest\/v1\/table\/itsm_incident/, fault: away },
          enter: async (page) => {
            await page.locator('#field-subject').fill('Never sent')
            await page.getByRole('button', { name: 'Create', exact: true }).click()
          },
          shows: offline,
        },
        {
          name: 'form: denied',
          path: '/t/itsm_incident/OPENED',
          enter: async (page) => {
            await page.locator('#field-subject').fill('Denied')
            const rule = { operation: 'write', table_name: 'itsm_incident', column_name: 'subject' }
            await asAdmin('sys_security_acl', { ...rule, roles: [{ find: { name: 'admin' } }] })
            await page.getByRole('button', { name: 'Save', exact: true }).click()
          },
          shows: (page) => page.getByRole('alert').filter({ hasText: 'access' }).first(),
        },
      ]))

    test('home, of an agent and of a caller', async () => {
      const mine = (page: Page): Locator => page.getByRole('main').getByRole('link', { name: 'Assigned to me' })
      await lookAt('michael.brown', [
        { name: 'home', path: '/', shows: mine },
        ...reading('home', '/', /^GET \/rest\/v1\/table\/task/),
      ])
      await lookAt(admin, [
        { name: 'home of an administrator', path: '/', shows: (page) => page.getByRole('region', { name: 'Health' }) },
        ...reading('home of an administrator', '/', /^GET \/(health\/details|v1\/(jobs|denials))/),
        {
          name: 'access',
          path: '/admin/access?table=itsm_incident&operation=write&user=anna.petrova&column=subject',
          shows: (page) => page.getByRole('link', { name: /./ }).last(),
        },
        ...reading('access', '/admin/access?table=itsm_incident', /^GET \/rest\/v1\/acl/),
      ])
      await lookAt(idle.agent, [{ name: 'home: empty', path: '/', shows: text('Nothing is assigned to you.') }])
      await lookAt(idle.caller, [{ name: 'home of a caller: empty', path: '/', shows: text('You have no tickets.') }])
      await lookAt('elena.volkova', [
        { name: 'home of a caller', path: '/', shows: (page) => page.getByRole('heading', { level: 1 }) },
      ])
    })

    test.each(widths)('the menu with the name of the user, at $width px', async (view) => {
      const page = await stage.signedIn('michael.brown', '/me', view)
      const user = page.getByRole('navigation').getByRole('button', { name: 'Michael Brown' })
      const opener = page.getByRole('button', { name: 'Menu', exact: true })
      if (await opener.isVisible()) await opener.click()
      await user.press('Enter')
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
      expect(await stage.findingsInThemes(page)).toEqual([])
      // It closes alone: the sidebar of a phone stays.
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      expect(await user.isVisible()).toBe(true)
    })

    test('search', () =>
      lookAt('michael.brown', [
        { name: 'search', path: '/search', shows: (page) => page.getByRole('searchbox') },
        { name: 'search: found', path: '/search?q=zither', shows: (page) => page.locator('[data-found]').first() },
        { name: 'search: nothing', path: '/search?q=zzqqxx', shows: text('Nothing was found') },
        { name: 'search: unknown source', path: '/search?q=zither&doc=none&docc=knowledge', shows: notFound },
        {
          name: 'search: source',
          path: '/search?q=zither',
          enter: (page) => page.locator('[data-found]').first().click(),
          shows: (page) => page.getByRole('document', { name: 'Text of the document' }),
        },
        ...reading('search', '/search?q=zither', found),
        {
          name: 'search: denied collection',
          path: '/search?q=zither&c=closed',
          shows: (page) => page.getByRole('alert'),
        },
        { name: 'search: denied source', path: '/search?q=zither&doc=secret&docc=closed', shows: notFound },
      ]))

    test('search, of somebody who may read no document', () =>
      lookAt(idle.agent, [
        { name: 'search: denied', path: '/search?q=zither', shows: (page) => page.getByRole('alert').first() },
      ]))

    test('settings, API, saved filter, and an unknown page', () =>
      lookAt('michael.brown', [
        { name: 'settings', path: '/me', shows: (page) => page.getByRole('heading', { level: 1 }) },
        ...reading('settings', '/me', /^GET \/v1\/auth\/sessions/).filter(({ name }) => name !== 'settings: loading'),
        { name: 'API', path: '/api?table=itsm_incident', shows: (page) => page.getByRole('heading', { level: 1 }) },
        ...reading('API', '/api?table=itsm_incident', /^GET \/openapi/),
        { name: 'filter: not found', path: '/f/999', shows: notFound },
        ...reading('filter', '/f/999', /^GET \/rest\/v1\/table\/sys_filter/),
        { name: 'unknown page', path: '/no/such/page', shows: (page) => page.getByRole('heading', { level: 1 }) },
      ]))

    test('signing in, and signing in again', async () => {
      const page = await stage.openBrowser()
      const form = (each: Page): Locator => each.locator('input[name=password]')
      const failed = async (each: Page): Promise<void> => {
        await each.locator('input[name=username]').fill('michael.brown')
        await form(each).fill('wrong')
        await form(each).press('Enter')
      }
      const login = /^POST \/v1\/auth\/login/
      const alert = (each: Page): Locator => each.getByRole('alert')
      const states: readonly State[] = [
        { name: 'sign-in', path: '/', shows: form },
        { name: 'sign-in: wrong password', path: '/', enter: failed, shows: alert },
        { name: 'sign-in: busy', path: '/', fails: { what: login, fault: busy }, enter: failed, shows: alert },
        { name: 'sign-in: offline', path: '/', fails: { what: login, fault: away }, enter: failed, shows: alert },
        { name: 'start: busy', path: '/', fails: { what: /^GET \/v1\/auth\/session/, fault: busy }, shows: retry },
        { name: 'start: offline', path: '/', fails: { what: /^GET \/v1\/auth\/session/, fault: away }, shows: offline },
      ]
      const all: string[] = []
      for (const state of states) all.push(...(await findingsOf(stage, page, state)))
      expect(all).toEqual([])
      await lookAt('michael.brown', [
        {
          name: 'session over',
          path: '/t/itsm_incident',
          enter: async (each) => {
            await each.getByRole('row').nth(3).waitFor()
            await each.context().clearCookies()
            await each.locator('#root [role=columnheader][data-path=number] button').dispatchEvent('click')
          },
          shows: (each) => each.getByRole('dialog', { name: 'Sign in again' }),
        },
      ])
    })
  },
)
