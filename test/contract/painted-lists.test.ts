import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parse } from 'parse5'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PaintList } from '../../src/endpoints/pages/list-painter.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type DemoUserName, loginOf } from '../harness/console-browser.ts'
import { cookieOf, isPainted, type OpenedPage, openPage, openPainted } from '../harness/open-page.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

/** The first list as HTML (docs/decisions/0046-first-list-from-the-server.md), over HTTP. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const list = '/console/t/itsm_incident?q=active=true^ORDERBYDESCopened_at'
const users = ['michael.brown', 'anna.petrova', 'maria.sokolova', 'john.smith', 'elena.volkova'] as const

let docket: RunningDocket
const cookies = new Map<DemoUserName, string>()
const cookie = (user: DemoUserName): string => cookies.get(user) ?? ''
beforeAll(async () => {
  execFileSync(process.execPath, [join(root, 'tools', 'build-console.ts')], { stdio: 'pipe' })
  docket = await startDocket({ template: 'demo' })
  for (const user of users) cookies.set(user, await cookieOf(docket.baseUrl, loginOf(user)))
})
afterAll(() => docket.close())

interface Element {
  readonly nodeName: string
  readonly attrs?: readonly { readonly name: string; readonly value: string }[]
  readonly childNodes?: readonly Element[]
  readonly value?: string
}

const attribute = (element: Element, name: string): string | undefined =>
  element.attrs?.find((each) => each.name === name)?.value
const allIn = (element: Element): readonly Element[] => [element, ...(element.childNodes ?? []).flatMap(allIn)]
const textOf = (element: Element): string => element.value ?? (element.childNodes ?? []).map(textOf).join('')
const elementsOf = (html: string): readonly Element[] => allIn(parse(html) as unknown as Element)

/** Texts of the cells, row by row, without the row of titles. */
function rowsOf(html: string): readonly (readonly string[])[] {
  const rows = elementsOf(html).filter((each) => attribute(each, 'role') === 'row')
  const cells = (row: Element) => allIn(row).filter((each) => attribute(each, 'role') === 'gridcell')
  return rows.map((row) => cells(row).map(textOf)).filter((texts) => texts.length > 0)
}

interface Embedded {
  readonly address: string
  readonly data: unknown
}
const embeddedIn = (html: string): readonly Embedded[] =>
  elementsOf(html)
    .filter((each) => attribute(each, 'type') === 'application/json')
    .map((each) => ({ address: attribute(each, 'data-address') ?? '', data: JSON.parse(textOf(each)) }))

describe('the page of a list has the list (decision 0046)', () => {
  test.each(users)(
    '%s gets the rows that the API gives, in the language of the user, and they are stored nowhere',
    async (user) => {
      const page = await openPainted(docket.baseUrl, list, { headers: { cookie: cookie(user) } })
      expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store'])
      const session = embeddedIn(page.text).find(({ address }) => address === '/v1/auth/session')
      const { user: own, language } = (
        session as Embedded & { data: { data: { user: { user_name: string }; language: string } } }
      ).data.data
      expect(own.user_name).toBe(user)
      expect(page.text).toContain(`<html lang="${language}">`)
      const numbers = await docket.request(
        'GET',
        '/rest/v1/table/itsm_incident?sysparm_query=active=true^ORDERBYDESCopened_at^ORDERBYDESCsys_id&sysparm_fields=number&sysparm_limit=10',
        { as: loginOf(user) },
      )
      const expected = (numbers.body as { data: { number: string }[] }).data.map(({ number }) => number)
      expect(expected.length).toBeGreaterThan(0)
      const found = rowsOf(page.text).map((cells) => cells.find((text) => /^INC\d+$/.test(text)))
      expect(found.slice(0, 10)).toEqual(expected)
    },
  )

  test('each embedded response is that of the API to the same user', async () => {
    for (const user of users) {
      const page = await openPainted(docket.baseUrl, list, { headers: { cookie: cookie(user) } })
      const embedded = embeddedIn(page.text)
      expect(embedded.map(({ address }) => address.split('?')[0]).sort()).toEqual([
        '/rest/v1/meta',
        '/rest/v1/meta/itsm_incident',
        '/rest/v1/table/itsm_incident',
        '/rest/v1/table/itsm_incident',
        '/rest/v1/table/sys_filter',
        '/rest/v1/table/sys_user_preference',
        '/v1/auth/session',
      ])
      for (const { address, data } of embedded.filter((each) => each.address !== '/v1/auth/session')) {
        const { text } = await openPage(docket.baseUrl, address, {
          headers: { cookie: cookie(user), accept: 'application/json' },
        })
        expect({ user, address, data }).toEqual({ user, address, data: JSON.parse(text) })
      }
    }
  })

  test('the page has no style, no other inline script, and nothing that takes the focus or has an id', async () => {
    const { text } = await openPainted(docket.baseUrl, list, { headers: { cookie: cookie('anna.petrova') } })
    const elements = elementsOf(text)
    expect(elements.filter((each) => attribute(each, 'style') !== undefined || each.nodeName === 'style')).toEqual([])
    const scripts = elements.filter(({ nodeName }) => nodeName === 'script')
    const executed = scripts.filter((each) => attribute(each, 'type') !== 'application/json')
    expect(
      executed.map((each) => [attribute(each, 'type'), textOf(each), attribute(each, 'src')?.slice(0, 37)]),
    ).toEqual([
      [
        'module',
        '',
        '/console/assets/painted-list-'.slice(0, 37) +
          executed[0]?.attrs?.find(({ name }) => name === 'src')?.value.slice(29, 37),
      ],
    ])
    const painted = elements.find((each) => attribute(each, 'id') === 'painted-list')
    const inside = painted === undefined ? [] : allIn(painted).slice(1)
    expect(inside.length).toBeGreaterThan(100)
    expect(inside.filter((each) => attribute(each, 'id') !== undefined)).toEqual([])
    const focusable = inside.filter(
      (each) => /^(a|button|input|select|textarea)$/.test(each.nodeName) || attribute(each, 'tabindex') !== undefined,
    )
    expect([...new Set(focusable.map((each) => attribute(each, 'tabindex')))]).toEqual(['-1'])
  })

  test('HEAD has the headers of GET', async () => {
    const headers = { cookie: cookie('michael.brown') }
    const got = await openPainted(docket.baseUrl, list, { headers })
    const lengths: (string | undefined)[] = []
    while (!lengths.includes(got.headers['content-length'])) {
      const head = await openPage(docket.baseUrl, list, { method: 'HEAD', headers })
      expect([head.status, head.text]).toEqual([200, ''])
      lengths.push(head.headers['content-length'])
    }
  })
})

describe('other pages have none (decision 0046)', () => {
  const headersOf: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
    'nobody is signed in': () => ({}),
    'the session is unknown': () => ({ cookie: `docket_session=${'x'.repeat(64)}` }),
    'another site links here': () => ({ cookie: cookie('michael.brown'), 'sec-fetch-site': 'cross-site' }),
    'another server of this host links here': () => ({
      cookie: cookie('michael.brown'),
      'sec-fetch-site': 'same-site',
    }),
    'a script requests the page': () => ({ cookie: cookie('michael.brown'), 'sec-fetch-mode': 'cors' }),
    'a script of another page embeds it': () => ({ cookie: cookie('michael.brown'), 'sec-fetch-mode': 'no-cors' }),
    'other credentials win over the cookie': () => ({ cookie: cookie('michael.brown'), authorization: 'Bearer x' }),
  }
  test.each(Object.keys(headersOf))('%s', async (why) => {
    await openPainted(docket.baseUrl, list, { headers: { cookie: cookie('michael.brown') } })
    const page = await openPage(docket.baseUrl, list, { headers: headersOf[why]?.() ?? {} })
    expect([page.status, isPainted(page)]).toEqual([200, false])
    expect(page.text).toBe((await openPage(docket.baseUrl, '/console')).text)
  })

  test.each([
    '/console',
    '/console/t/itsm_incident/1',
    '/console/t/itsm_incident?group=state',
    '/console/t/itsm_incident?q=active=true&peek=1',
    '/console/t/itsm_incident?cols=number,caller.company',
    '/console/t/itsm_incident?q=state~1',
    '/console/t/itsm_incident?q=subject=no record has this subject',
    '/console/t/no_such_table',
    '/console/search?q=a',
  ])('%s is left to the browser', async (path) => {
    const page = await openPage(docket.baseUrl, encodeURI(path), {
      headers: { cookie: cookie('michael.brown') },
    })
    expect([page.status, isPainted(page)]).toEqual([200, false])
    expect(docket.observations.filter(({ kind }) => kind === 'list-not-painted')).toEqual([])
  })

  test('a table that the user may not read is left to the browser', async () => {
    const path = '/console/t/sys_user_has_role'
    await openPainted(docket.baseUrl, list, { headers: { cookie: cookie('john.smith') } })
    const denied = await docket.request('GET', '/rest/v1/meta/sys_user_has_role', { as: loginOf('john.smith') })
    expect(denied.status).toBe(404)
    const page = await openPage(docket.baseUrl, path, { headers: { cookie: cookie('john.smith') } })
    expect(isPainted(page)).toBe(false)
  })

  test('a session that has ended', async () => {
    const ended = await cookieOf(docket.baseUrl, loginOf('michael.brown'))
    await openPainted(docket.baseUrl, list, { headers: { cookie: ended } })
    const { status } = await docket.request('POST', '/v1/auth/logout', {
      headers: { cookie: ended, origin: docket.baseUrl, 'x-docket-console': '1' },
    })
    expect(status).toBe(200)
    expect(isPainted(await openPage(docket.baseUrl, list, { headers: { cookie: ended } }))).toBe(false)
  })
})

describe('data is data (decision 0046)', () => {
  test('markup, ends of scripts, comments, line ends of scripts and marks of direction stay text', async () => {
    const subject =
      'Q</script><script>alert(1)</script><!--<script>" style="x" id="y" onclick=\'z\' \u2028\u2029\u202e‡ data-record=""'
    const created = await docket.request('POST', '/rest/v1/table/itsm_incident', {
      as: loginOf('michael.brown'),
      body: { subject, priority: '3' },
    })
    expect(created.status).toBe(200)
    const path = '/console/t/itsm_incident?q=subjectSTARTSWITHQ%3C/script'
    const { text } = await openPainted(docket.baseUrl, path, { headers: { cookie: cookie('michael.brown') } })
    expect(rowsOf(text).map((cells) => cells.filter((each) => each.startsWith('Q')))).toEqual([[subject]])
    const rows = embeddedIn(text).find(({ address }) => /itsm_incident.*sysparm_max_text/.test(address))
    const [row] = ((rows ?? { data: { data: [] } }).data as { data: { subject: { value: string } }[] }).data
    expect(row?.subject.value).toBe(subject)
    const scripts = elementsOf(text).filter(({ nodeName }) => nodeName === 'script')
    expect(scripts.filter((each) => attribute(each, 'type') === undefined)).toEqual([])
    expect(text).not.toMatch(/[\u2028\u2029]"/)
  })
})

test('texts that end like attributes stay texts (decision 0046)', async () => {
  await docket.database.rows(sql`insert into docket.sys_filter (sys_db_table_id, title, table_id, condition, user_id)
    select f.sys_id, x.title, t.sys_id, 'active=true', u.sys_id from unnest(array['Own id=', 'Next href=']) as x (title),
      docket.sys_db_table f, docket.sys_db_table t, docket."user" u
    where f.name = 'sys_filter' and t.name = 'itsm_incident' and u.user_name = 'michael.brown'`)
  const path = '/console/t/itsm_incident?q=123TEXTQUERY321=a%20with%20id=^ORactive=true'
  const { text } = await openPainted(docket.baseUrl, path, { headers: { cookie: cookie('michael.brown') } })
  const links = elementsOf(text).filter(({ nodeName }) => nodeName === 'a')
  const texts = links.map((each) => textOf(each).trim())
  expect(texts.filter((each) => /^(Own id|Next href)=$/.test(each))).toEqual(['Next href=', 'Own id='])
  expect(links.filter((each) => !/^(\/console|#page$|#start-failure$)/.test(attribute(each, 'href') ?? ''))).toEqual([])
})

test('an address is painted however it is escaped (decision 0046)', async () => {
  for (const query of ['active%3Dtrue%5EORDERBYDESCopened_at', 'active=true^stateNOT+IN77', 'active=true&other=1']) {
    const path = `/console/t/itsm_incident?q=${query}`
    const { text } = await openPainted(docket.baseUrl, path, { headers: { cookie: cookie('michael.brown') } })
    expect(rowsOf(text).length).toBeGreaterThan(1)
  }
})

describe('the address of the server (decision 0046)', () => {
  test('below a prefix, links and scripts have the prefix', async () => {
    const below = await startDocket({ template: 'demo', environment: { DOCKET_BASE_URL: 'https://desk.example/desk' } })
    try {
      const own = await cookieOf(below.baseUrl, loginOf('michael.brown'), { origin: 'https://desk.example' })
      expect(own).toMatch(/^__Secure-docket_session=/)
      const { text } = await openPainted(below.baseUrl, list, { headers: { cookie: own } })
      const addresses = elementsOf(text).flatMap((each) => attribute(each, 'href') ?? attribute(each, 'src') ?? [])
      expect(addresses.length).toBeGreaterThan(30)
      expect(addresses.filter((address) => !/^(\/desk\/console|#page$|#start-failure$)/.test(address))).toEqual([])
    } finally {
      await below.close()
    }
  })

  test('behind a trusted proxy with TLS, the requests count its cookie', async () => {
    const behind = await startDocket({ template: 'demo', environment: { DOCKET_TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const forwarded = {
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'desk.example',
        'x-forwarded-for': '192.0.2.7',
      }
      const own = await cookieOf(behind.baseUrl, loginOf('michael.brown'), {
        ...forwarded,
        origin: 'https://desk.example',
      })
      expect(own).toMatch(/^__Host-docket_session=/)
      await openPainted(behind.baseUrl, list, { headers: { ...forwarded, cookie: own } })
      // Without the headers of the proxy, the cookie has another name.
      expect(isPainted(await openPage(behind.baseUrl, list, { headers: { cookie: own } }))).toBe(false)
    } finally {
      await behind.close()
    }
  })
})

describe('users at once (decision 0046)', () => {
  test('500 lists of five users, with responses in any order, are each equal to the one made alone', async () => {
    const file = join(root, 'console', 'dist', 'server', 'paint-list.mjs')
    const { paintList } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      readonly paintList: PaintList
    }
    // Of each user, each response once: all that follows depends on nothing but the painter.
    const responses = new Map<string, OpenedPage>()
    const sendOf =
      (user: DemoUserName, turns: () => number): typeof fetch =>
      async (input) => {
        const { pathname, search } = new URL(String(input))
        const key = `${user} ${pathname}${search}`
        const { text, headers } = responses.get(key) ?? (await read(user, `${pathname}${search}`))
        responses.set(key, { status: 200, text, headers })
        for (let turn = turns(); turn > 0; turn -= 1) await new Promise(setImmediate)
        return new Response(text, { headers: headers as Readonly<Record<string, string>> })
      }
    async function read(user: DemoUserName, address: string): Promise<OpenedPage> {
      const page = await openPage(docket.baseUrl, address, {
        headers: { cookie: cookie(user), accept: 'application/json' },
      })
      expect([address, page.status]).toEqual([address, 200])
      return page
    }
    const alone = new Map<DemoUserName, unknown>()
    for (const user of users) {
      const atOnce = sendOf(user, () => 0)
      alone.set(user, await paintList(list, atOnce))
    }
    expect([...alone.values()]).not.toContain(null)
    expect(new Set([...alone.values()].map((each) => JSON.stringify(each))).size).toBe(users.length)
    for (let round = 0; round < 20; round += 1) {
      const wanted = Array.from({ length: 25 }, (_, at) => users[(at * 7 + round) % users.length] ?? 'john.smith')
      const lists = wanted.map((user, at) => {
        let requests = 0
        const turns = (): number => {
          requests += 1
          return ((at + 1) * 31 + round * 17 + requests * 7) % 23
        }
        return paintList(list, sendOf(user, turns))
      })
      for (const [at, painted] of (await Promise.all(lists)).entries())
        expect(painted, wanted[at]).toEqual(alone.get(wanted[at] ?? 'john.smith'))
    }
  })
})
