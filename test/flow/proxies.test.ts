import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../harness/fresh-database.ts'
import { type ProxyName, proxyIsInstalled, type ReverseProxy, startProxy } from '../harness/reverse-proxy.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

// The samples of deploy/ in a real nginx and a real Caddy before a real server. `.ci/run` installs both; without them the
// tests are skipped, and counted as such.

const proxies: readonly ProxyName[] = ['nginx', 'caddy']
const installed = proxies.filter(proxyIsInstalled)

describe.skipIf(installed.length < proxies.length)('behind a proxy (issue 9, step 10)', () => {
  describe.each(proxies)('%s', (name) => {
    let docket: RunningDocket
    let proxy: ReverseProxy
    beforeAll(async () => {
      docket = await startDocket({ environment: { DOCKET_TRUSTED_PROXIES: '127.0.0.1' } })
      proxy = await startProxy(name, docket.baseUrl)
    })
    afterAll(async () => {
      await proxy.stop()
      await docket.close()
    })

    /** Options of curl for each request: the name of the sample leads to this machine. */
    const options = (): readonly string[] => {
      const { hostname, port } = new URL(proxy.url)
      const credentials = ['-u', `${admin.user}:${admin.password}`]
      return ['-sS', ...credentials, '--cacert', proxy.certificate, '--resolve', `${hostname}:${port}:127.0.0.1`]
    }
    const curl = async (path: string, ...more: readonly string[]): Promise<string> =>
      (await promisify(execFile)('curl', [...options(), ...more, `${proxy.url}${path}`], { maxBuffer: 100_000_000 }))
        .stdout
    const json = async (path: string, ...more: readonly string[]) =>
      JSON.parse(await curl(path, ...more)) as { status: string; data: Record<string, unknown>[] }

    test('links have the scheme and the name that the caller used', async () => {
      const { data } = await json('/rest/v1/table/user?sysparm_fields=sys_created_by')
      const host = name === 'nginx' ? 'https://desk.example.com/' : `${proxy.url}/`
      expect(data[0]?.['sys_created_by']).toMatchObject({
        link: expect.stringMatching(`^${host}rest/v1/table/user/\\d+$`),
      })
    })

    test('the address of the caller is not one that the caller invents', async () => {
      await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          curl(
            '/v1/auth/login',
            '-H',
            `X-Forwarded-For: 203.0.113.${n}`,
            '--json',
            `{"username":"nobody","password":"wrong-${n}"}`,
          ),
        ),
      )
      const last = await curl(
        '/v1/auth/login',
        '-H',
        'X-Forwarded-For: 203.0.113.99',
        '--json',
        '{"username":"nobody","password":"wrong"}',
      )
      expect(JSON.parse(last)).toMatchObject({ errors: [{ code: 'TOO_MANY_ATTEMPTS' }] })
    })

    test('an event arrives while the stream is open', async () => {
      const stream = spawn('curl', ['-N', ...options(), `${proxy.url}/rest/v1/events?tables=company`])
      const lines = createInterface({ input: stream.stdout })[Symbol.asyncIterator]()
      const next = async (): Promise<string> => String((await lines.next()).value)
      while (!(await next()).startsWith('id:')) {}
      await json('/rest/v1/table/company', '--json', '{"name":"Behind a proxy"}')
      let line = await next()
      while (!line.startsWith('data:')) line = await next()
      stream.kill()
      expect(JSON.parse(line.slice(5))).toMatchObject({ operation: 'create', table: 'company' })
    })

    test('an upload of 20 MB arrives and comes back as it was', async () => {
      const task = await json('/rest/v1/table/task?sysparm_fields=sys_id', '--json', '{"subject":"Upload"}')
      const upload = `head -c 20000000 /dev/zero | tr '\\0' x`
      const shell = `${upload} | curl ${[...options(), '-F', 'files[]=@-;filename=x.txt'].map((word) => `'${word}'`).join(' ')} '${proxy.url}/v1/attachments/upload/task/${task.data[0]?.['sys_id']}'`
      const { stdout } = await promisify(execFile)('sh', ['-c', shell])
      const { data } = JSON.parse(stdout) as { data: { sys_id: string }[] }
      const file = await curl(`/v1/attachments/${data[0]?.sys_id}/file`)
      expect(file.length).toBe(20_000_000)
    })

    test('a compressed response is whole, and its entity tag gives 304', async () => {
      const path = '/rest/v1/table/sys_db_column?sysparm_limit=200'
      const plain = await curl(path)
      const headers = await curl(path, '-H', 'Accept-Encoding: gzip', '-D', '-', '-o', '/dev/null')
      expect(headers).toMatch(/^content-encoding: gzip/im)
      expect(await curl(path, '--compressed')).toBe(plain)
      const [, etag = ''] = /^etag: (.*)$/im.exec(headers) ?? []
      const again = await curl(
        path,
        '-H',
        `If-None-Match: ${etag.trim()}`,
        '-H',
        'Accept-Encoding: gzip',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
      )
      expect({ etag: etag !== '', status: again }).toEqual({ etag: true, status: '304' })
    })

    test('a query of 60 KB in the URL is read', async () => {
      const { status } = await json(`/rest/v1/table/task?sysparm_query=subject=${'x'.repeat(60_000)}`)
      expect(status).toBe('OK')
    })
  })
})
