import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  consoleStage,
  type DemoUserName,
  hasChromium,
  type Login,
  loginOf,
  views,
} from '../../harness/console-browser.ts'
import type { Fault } from '../../harness/fault-proxy.ts'
import { admin } from '../../harness/fresh-database.ts'
import { leaveListsToBrowser } from '../../harness/open-page.ts'

/** A screen in one of its states. */
interface State {
  readonly name: string
  readonly path: string
  /** Requests of the API that fail while the path opens. */
  readonly fails?: { readonly what: RegExp; readonly fault: Fault }
  /** Leads from the opened path to the state. */
  readonly enter?: (page: Page) => Promise<void>
  /** What the state displays. */
  readonly shows: (page: Page) => Locator
}

const anything = /^GET \/(rest|v1\/(?!auth\/session)|collections|get_|openapi)/
const held: Fault = { kind: 'hold' }
const away: Fault = { kind: 'cut-before' }
const busy: Fault = { kind: 'respond', status: 429, headers: { 'retry-after': '900' } }
const broken: Fault = { kind: 'respond', status: 500 }
const ids = { incident: '', opened: '', conflict: '' }

const text = (words: string) => (page: Page) => page.getByText(words).first()
const loading = (page: Page): Locator => page.getByRole('status', { name: 'Loading…' }).locator('div').first()
const retry = (page: Page): Locator =>
  page
    .getByRole('alert')
    .getByRole('button', { name: /^Try again/ })
    .first()
const notFound = text('This does not exist, or you do not have access to it.')
const offline = (page: Page): Locator => page.getByRole('alert').getByText('The server cannot be reached.').first()

/** The states that the network makes, on one screen. */
const reading = (name: string, path: string, what: RegExp = anything): readonly State[] => [
  { name: `${name}: loading`, path, fails: { what, fault: held }, shows: loading },
  { name: `${name}: busy`, path, fails: { what, fault: busy }, shows: retry },
  { name: `${name}: error`, path, fails: { what, fault: broken }, shows: retry },
  { name: `${name}: offline`, path, fails: { what, fault: away }, shows: offline },
]

const incidents = /^GET \/rest\/v1\/table\/itsm_incident\?.*sysparm_max_text/
const record = /^GET \/rest\/v1\/table\/itsm_incident\/\d+\?/
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

    /** Opens each state once, and looks at it in all views. A state that is not reached is a finding, too. */
    async function findingsOf(page: Page, state: State): Promise<readonly string[]> {
      const all: string[] = []
      try {
        if (state.fails !== undefined) {
          await leaveListsToBrowser(page)
          stage.proxy.fail(state.fails.what, state.fails.fault)
        }
        const path = state.path.replace('INCIDENT', ids.incident).replace('OPENED', ids.opened)
        await page.setViewportSize({ width: views[0].width, height: 900 })
        await page.goto(`${stage.baseUrl}/console${path.replace('CONFLICT', ids.conflict)}`)
        await state.enter?.(page)
        for (const { width, colorScheme } of views) {
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme })
          await state.shows(page).waitFor()
          const rules = colorScheme === 'dark' ? 'colours' : 'all'
          const each = await stage.findings(page, state.fails?.fault === held ? 'loading' : 'loaded', rules)
          await stage.picture(page, `${state.name.replaceAll(/\W+/g, '-')}-${width}-${colorScheme}`)
          all.push(...each.map((finding) => `${state.name}, ${width} px, ${colorScheme}: ${finding}`))
        }
      } catch (error) {
        all.push(`${state.name}: ${error instanceof Error ? error.message : String(error)}`)
      }
      stage.proxy.heal()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.goto('about:blank')
      return all
    }

    async function lookAt(who: DemoUserName | Login, states: readonly State[]): Promise<void> {
      const page = await stage.signedIn(who)
      page.removeAllListeners('dialog')
      // A form with edits asks before the page goes.
      page.on('dialog', (dialog) => void dialog.accept())
      const all: string[] = []
      for (const state of states) all.push(...(await findingsOf(page, state)))
      expect(all).toEqual([])
    }

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
      await lookAt('elena.volkova', [
        { name: 'home of a caller', path: '/', shows: (page) => page.getByRole('heading', { level: 1 }) },
      ])
    })

    test.each(views)('the menu with the name of the user, at $width px, $colorScheme', async (view) => {
      const page = await stage.signedIn('michael.brown', '/me', view)
      const user = page.getByRole('navigation').getByRole('button', { name: 'Michael Brown' })
      const opener = page.getByRole('button', { name: 'Menu', exact: true })
      if (await opener.isVisible()) await opener.click()
      await user.press('Enter')
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
      expect(await stage.findings(page)).toEqual([])
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
      for (const state of states) all.push(...(await findingsOf(page, state)))
      expect(all).toEqual([])
      await lookAt('michael.brown', [
        {
          name: 'session over',
          path: '/t/itsm_incident',
          enter: async (each) => {
            await each.getByRole('row').nth(3).waitFor()
            await each.context().clearCookies()
            await each.getByRole('columnheader', { name: 'Number' }).getByRole('button').dispatchEvent('click')
          },
          shows: (each) => each.getByRole('dialog', { name: 'Sign in again' }),
        },
      ])
    })
  },
)
