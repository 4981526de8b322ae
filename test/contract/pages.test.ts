import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readVersion } from '../../src/config/version.ts'
import { html } from '../../src/http/answer/html.ts'
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
    const answer = await docket.request('GET', '/', { headers })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.text).toContain(`Version ${readVersion()} runs here`)
    expect(answer.text).toContain(`curl -u admin '${docket.baseUrl}/rest/v1/table/task?sysparm_limit=3'`)
    const links = [...answer.text.matchAll(/<a href="([^"]+)"/g)].map(([, link]) => link ?? '')
    expect(links).toEqual(['/docs', '/openapi.json', '/health', '/ready'])
    for (const link of links) expect((await docket.request('GET', link)).status, link).toBe(200)
  })

  test('as the console to a browser', async () => {
    const answer = await docket.request('GET', '/', { headers: browser })
    expect([answer.status, answer.headers['location'], answer.headers['vary']]).toEqual([302, '/console', 'accept'])
  })

  test('as JSON to a client that asks for JSON', async () => {
    const answer = await docket.request('GET', '/', { headers: { accept: 'application/json' } })
    const { baseUrl } = docket
    expect({ status: answer.status, body: answer.body }).toEqual({
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

test.each(['/', '/docs', '/docs/'])('the page %s lets in no script, style or frame from elsewhere', async (path) => {
  const { headers, text } = await docket.request('GET', path, { headers: { accept: '*/*' } })
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
  expect(headers['referrer-policy']).toBe('no-referrer')
  expect(text).not.toMatch(
    /<script(?! type="module" src="\/docs\/docs\.js">)|<style|style="|\son[a-z]+="|(?:src|href)="(?:https?:)?\/\//,
  )
})

test('everything that the pages load is there, and nothing else', async () => {
  const folder = new URL('../../src/endpoints/pages/assets/', import.meta.url)
  const names = readdirSync(folder)
  expect(names).toContain('docs.js')
  for (const name of names) {
    const answer = await docket.request('GET', `/docs/${name}`)
    expect(answer.status, name).toBe(200)
    expect(answer.text).toBe(readFileSync(new URL(name, folder), 'utf8'))
    expect(answer.headers['content-type']).toMatch(/^text\/(javascript|css); charset=utf-8$/)
    const imports = [...answer.text.matchAll(/from '\.\/([^']+)'/g)].map(([, imported]) => imported)
    expect(names).toEqual(expect.arrayContaining(imports))
  }
})

test.each(['/docs/nothing.js', '/docs/..%2f..%2fpackage.json', '/docs/__proto__', '/docs/constructor'])(
  '%s is 404',
  async (path) => {
    const answer = await docket.request('GET', path)
    expect(answer.status).toBe(404)
    expect(answer.body).toMatchObject({ status: 'ERROR', errors: [{ code: 'PATH_NOT_FOUND' }] })
  },
)

test('behind a proxy that serves Docket below a path, links and scripts lead there', async () => {
  const below = await startDocket({ environment: { DOCKET_BASE_URL: 'https://example.com/desk' } })
  const { text } = await below.request('GET', '/docs', { headers: browser })
  await below.close()
  expect(text).toContain('<html lang="en" data-prefix="/desk">')
  expect(text).toContain('src="/desk/docs/docs.js"')
  expect(text).toContain('https://example.com/desk/v1/auth/login')
})

test('a text in a page stays a text', () => {
  expect(html`<p title="${'"><script>'}">${"a<b>&'c'"}${html`<b>d</b>`}</p>`.text).toBe(
    '<p title="&quot;&gt;&lt;script&gt;">a&lt;b&gt;&amp;&#39;c&#39;<b>d</b></p>',
  )
})
