import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readVersion } from '../../src/config/version.ts'
import { html } from '../../src/http/response/html.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

let docket: RunningDocket
beforeAll(async () => {
  docket = await startDocket()
})
afterAll(() => docket.close())

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

describe('/ says what runs here and where to go on', () => {
  test.each([
    ['curl', { accept: '*/*' }],
    ['a client that does not say', {}],
  ])('as a page to %s', async (_who, headers) => {
    const response = await docket.request('GET', '/', { headers })
    expect([response.status, response.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(response.text).toContain(`Version ${readVersion()} runs here`)
    expect(response.text).toContain(`curl -u admin '${docket.baseUrl}/rest/v1/table/task?sysparm_limit=3'`)
    const links = [...response.text.matchAll(/<a href="([^"]+)"/g)].map(([, link]) => link ?? '')
    expect(links).toEqual(['/docs', '/openapi.json', '/health', '/ready'])
    for (const link of links.slice(1)) expect((await docket.request('GET', link)).status, link).toBe(200)
  })

  test('as the console to a browser', async () => {
    const response = await docket.request('GET', '/', { headers: browser })
    expect([response.status, response.headers['location'], response.headers['vary']]).toEqual([
      302,
      '/console',
      'accept',
    ])
  })

  test('as JSON to a client that asks for JSON', async () => {
    const response = await docket.request('GET', '/', { headers: { accept: 'application/json' } })
    const { baseUrl } = docket
    expect({ status: response.status, body: response.body }).toEqual({
      status: 200,
      body: {
        status: 'OK',
        data: {
          name: 'Docket',
          version: readVersion(),
          docs: `${baseUrl}/docs`,
          openapi: `${baseUrl}/openapi.json`,
          login: `${baseUrl}/v1/auth/login`,
          records: `${baseUrl}/rest/v1/table/{table}`,
          health: `${baseUrl}/health`,
          ready: `${baseUrl}/ready`,
        },
      },
    })
  })
})

test('the page at / lets in no script, style or frame from elsewhere', async () => {
  const { headers, text } = await docket.request('GET', '/', { headers: { accept: '*/*' } })
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self'; " +
      "worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; trusted-types docket-worker",
  )
  expect(headers['referrer-policy']).toBe('no-referrer')
  expect(text).not.toMatch(/<script|<style|style="|\son[a-z]+="|(?:src|href)="(?:https?:)?\/\//)
})

test('/docs leads to the API page of the console, and to the document where the console is off', async () => {
  const off = await startDocket({ environment: { DOCKET_CONSOLE: 'off', DOCKET_BASE_URL: 'https://example.com/desk' } })
  const responses = [await docket.request('GET', '/docs'), await off.request('GET', '/docs')]
  const home = await off.request('GET', '/', { headers: browser })
  await off.close()
  expect(responses.map(({ status, headers }) => [status, headers['location']])).toEqual([
    [302, '/console/api'],
    [302, '/desk/openapi.json'],
  ])
  expect(home.text).toContain('href="/desk/docs"')
  expect(home.text).toContain('https://example.com/desk/v1/auth/login')
})

test.each(['/docs/docs.js', '/docs/..%2f..%2fpackage.json', '/docs/__proto__'])('%s is 404', async (path) => {
  const response = await docket.request('GET', path)
  expect(response.status).toBe(404)
  expect(response.body).toMatchObject({ status: 'ERROR', errors: [{ code: 'PATH_NOT_FOUND' }] })
})

test('a text in a page stays a text', () => {
  expect(html`<p title="${'"><script>'}">${"a<b>&'c'"}${html`<b>d</b>`}</p>`.text).toBe(
    '<p title="&quot;&gt;&lt;script&gt;">a&lt;b&gt;&amp;&#39;c&#39;<b>d</b></p>',
  )
})
