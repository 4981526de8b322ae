import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

let docket: RunningDocket
let below: RunningDocket
let without: RunningDocket
beforeAll(async () => {
  execFileSync(process.execPath, [join(root, 'tools', 'build-console.ts')], { stdio: 'pipe' })
  docket = await startDocket()
  below = await startDocket({ environment: { DOCKET_BASE_URL: 'https://example.com/desk' } })
  without = await startDocket({ environment: { DOCKET_CONSOLE: 'off' } })
})
afterAll(() => Promise.all([docket, below, without].map((each) => each.close())))

describe('the console is served (issue 13)', () => {
  test.each(['/console', '/console/', '/console/t/task/1', '/console/login?next=/t/task'])(
    '%s is the same page with the same policy',
    async (path) => {
      const { status, headers, text } = await docket.request('GET', path, { headers: browser })
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-store',
      ])
      expect(text).toContain('<div id="root">')
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self'; " +
          "worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types docket-worker",
      )
      expect([
        headers['cross-origin-opener-policy'],
        headers['referrer-policy'],
        headers['x-content-type-options'],
      ]).toEqual(['same-origin', 'no-referrer', 'nosniff'])
      expect(headers['permissions-policy']).toContain('camera=(), display-capture=(), geolocation=()')
      // The page has no inline script or style.
      expect(text.replace(/<script type="module"[^>]*src="[^"]+"><\/script>/g, '')).not.toMatch(
        /<script|<style| style=/,
      )
    },
  )

  test('its assets have hashed names, are kept for ever, and come compressed', async () => {
    const { text } = await docket.request('GET', '/console', { headers: browser })
    const assets = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
    expect(assets.length).toBeGreaterThan(1)
    for (const path of assets) {
      expect(path).toMatch(/-[\w-]{8}\.(js|css|svg)$/)
      const plain = await fetch(`${docket.baseUrl}${path}`, { headers: { 'accept-encoding': 'identity' } })
      expect([plain.status, plain.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
      // A shared worker has the policy of its own file.
      expect(plain.headers.get('content-security-policy')).toBe("default-src 'none'; connect-src 'self'")
      const bytes = Buffer.from(await plain.arrayBuffer())
      for (const [coding, unpack] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const { rawHeaders, body } = await raw(path, coding)
        expect(rawHeaders['content-encoding']).toBe(coding)
        expect(unpack(body).equals(bytes)).toBe(true)
      }
    }
  })

  test('a missing asset is 404, and no name leads out of the folder', async () => {
    for (const path of [
      '/console/assets/none.js',
      '/console/assets/..%2f..%2fpackage.json',
      '/console/assets/index.html',
    ]) {
      expect((await docket.request('GET', path)).status, path).toBe(404)
    }
  })

  test('below a path prefix, every address of the page begins with it', async () => {
    const { text } = await below.request('GET', '/console/t/task', { headers: browser })
    expect(
      [...text.matchAll(/(?:src|href)="([^"]+)"/g)].filter(
        ([, path]) => path?.startsWith('/desk/console/assets/') !== true,
      ),
    ).toEqual([])
    expect(text).toContain('data-prefix="/desk"')
    expect((await below.request('GET', '/', { headers: browser })).headers['location']).toBe('/desk/console')
  })

  test('an address that leads nowhere is a page for a browser, and JSON for a program', async () => {
    const page = await docket.request('GET', '/nowhere', { headers: browser })
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    const json = await docket.request('GET', '/nowhere')
    expect([json.status, json.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
  })

  test('turned off, nothing of it is there', async () => {
    expect((await without.request('GET', '/console', { headers: browser })).status).toBe(404)
    expect((await without.request('GET', '/', { headers: browser })).status).toBe(200)
  })
})

async function raw(path: string, coding: string): Promise<{ rawHeaders: Record<string, unknown>; body: Buffer }> {
  const { get } = await import('node:http')
  return new Promise((resolve, reject) => {
    get(`${docket.baseUrl}${path}`, { headers: { 'accept-encoding': coding } }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ rawHeaders: response.headers, body: Buffer.concat(parts) }))
    }).on('error', reject)
  })
}
