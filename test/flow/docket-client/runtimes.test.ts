import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { connect } from 'docket-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, launchBrowser } from '../../harness/console-browser.ts'
import { admin } from '../../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'

/** Programs beside this Node, with colons: other versions of Node, `bun`, `deno`. They come from npm: `npm i bun deno node@20`. */
const others = (process.env['DOCKET_TEST_RUNTIMES'] ?? '').split(':').filter((path) => path !== '')

const root = fileURLToPath(new URL('../../..', import.meta.url))
const fixtures = join(root, 'test/fixtures/docket-client')
const folder = mkdtempSync(join(tmpdir(), 'docket-runtimes-'))
const packed = join(folder, 'node_modules/docket-client')
const run = promisify(execFile)

let running: RunningDocket
let key: string
beforeAll(async () => {
  await run(process.execPath, [join(root, 'tools/build-client.ts'), packed])
  for (const name of ['main.mjs', 'scenario.mjs']) cpSync(join(fixtures, name), join(folder, name))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  running = await startDocket()
  const login = { method: 'POST', path: '/v1/auth/login', body: { username: admin.user, password: admin.password } }
  key = (await connect({ url: running.baseUrl }).request<{ auth_key: string }>(login)).auth_key
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true, force: true })
})

const WHOLE = {
  created: true,
  changed: { description: 'changed' },
  stale: ['ConflictError', 'stale'],
  inserted: 3,
  listed: [' 0', ' 1', ' 2', ' 3'],
  exported: [' 0', ' 1', ' 2', ' 3'],
  isAllSent: true,
  attached: ['x.txt', 100_000, 100_000],
  loaded: ['gyro', 'created', 'ready'],
  found: ['gyro'],
  measured: 1,
  hasKey: true,
  chunks: [[0, 21]],
  events: ['create'],
  missing: ['NotFound', 'TABLE_NOT_FOUND', 404],
  nobody: 'Unauthenticated',
  position: [16, 16],
  webhook: [{ id: '1' }, 'wrong-signature'],
  types: true,
}

describe('the built package', () => {
  test.each([process.execPath, ...others].map((program, at) => ({ program, name: basename(program), at })))(
    'does everything in $name ($at)',
    async ({ program, at }) => {
      const more = basename(program) === 'deno' ? ['run', '--allow-all', '--quiet'] : []
      const { stdout } = await run(program, [...more, 'main.mjs', running.baseUrl, key, `runtime${at}`], {
        cwd: folder,
      })
      expect(JSON.parse(stdout)).toEqual(WHOLE)
    },
  )

  test.skipIf(!hasChromium)('does everything in a browser', async () => {
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      const at = `${running.baseUrl}/client-test`
      // The page and the package stand on the server's own origin; everything else reaches the server.
      await page.route(`${at}/**`, (route) => {
        const name = new URL(route.request().url()).pathname.slice('/client-test/'.length)
        if (name === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>test</title>' })
        const file = name === 'scenario.mjs' ? join(folder, name) : join(packed, name)
        return route.fulfill({ contentType: 'text/javascript', body: readFileSync(file, 'utf8') })
      })
      await page.goto(`${at}/`)
      const server = { url: running.baseUrl, key, name: 'browser' }
      const program = `(async () => {
        const [core, attachments, bulk, documents, parse, types, webhooks] = await Promise.all(
          ['index', 'attachments', 'bulk', 'documents', 'parse', 'types', 'webhooks'].map((name) => import('${at}/' + name + '.js')),
        )
        const { runScenario } = await import('${at}/scenario.mjs')
        return runScenario({ core, attachments, bulk, documents, parse, types, webhooks }, ${JSON.stringify(server)})
      })()`
      expect(await page.evaluate(program)).toEqual(WHOLE)
    } finally {
      await browser.close()
    }
  })

  test('has a manifest whose files are there, and a command', async () => {
    const manifest = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>
      readonly dependencies?: object
      readonly private?: boolean
    }
    expect(Object.keys(manifest.exports)).toEqual([
      '.',
      './attachments',
      './bulk',
      './documents',
      './node',
      './parse',
      './types',
      './webhooks',
    ])
    for (const { types, default: code } of Object.values(manifest.exports))
      expect([types, code].filter((file) => !existsSync(join(packed, file)))).toEqual([])
    expect([manifest.dependencies, manifest.private]).toEqual([undefined, undefined])
    const { stdout } = await run(process.execPath, [join(packed, 'cli.js'), '--help'])
    expect(stdout).toMatch(/^Usage: docket-client types --url <address>/)
  })

  test('imports nothing of Node outside of its entries for Node', () => {
    const importers = globSync('**/*.js', { cwd: packed }).filter((file) =>
      /^(?:import|export)\b.*["'](?!\.)[^"']+["'];?$/m.test(readFileSync(join(packed, file), 'utf8')),
    )
    expect(importers.sort()).toEqual(['cli.js', 'node.js'])
  })

  test('its types compile in a program that has only the package', async () => {
    const program = join(folder, 'typed')
    mkdirSync(program)
    cpSync(join(fixtures, 'desk.ts'), join(program, 'desk.ts'))
    writeFileSync(join(program, 'use.ts'), TYPED_PROGRAM)
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: [],
      module: 'nodenext',
      moduleResolution: 'nodenext',
      allowImportingTsExtensions: true,
    }
    writeFileSync(join(program, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', program]).catch(({ stdout: found }) => ({
      stdout: found,
    }))
    expect(stdout).toBe('')
  })

  test('the main entry loads none of the others', () => {
    const main = readFileSync(join(packed, 'index.js'), 'utf8')
    const chunks = [...main.matchAll(/from "\.\/(chunks\/[^"]+)"/g)].map(([, name = '']) =>
      readFileSync(join(packed, name)),
    )
    expect(chunks.length).toBeGreaterThan(0)
    // Not minified: what matters is that no entry pulls in another.
    expect(gzipSync(Buffer.concat([Buffer.from(main), ...chunks])).length).toBeLessThan(24_000)
    expect(main).not.toMatch(/attachments|webhooks|documents/)
  })
})

const TYPED_PROGRAM = `import { connect, q } from 'docket-client'
import { createMany } from 'docket-client/bulk'
import { AttachmentsClient } from 'docket-client/attachments'
import { DocumentsClient } from 'docket-client/documents'
import { syncFolder } from 'docket-client/node'
import { parseEncodedQuery } from 'docket-client/parse'
import { generateTypes } from 'docket-client/types'
import { verifyWebhook } from 'docket-client/webhooks'
import type { Desk } from './desk.ts'

const docket = connect<Desk>({ url: 'http://127.0.0.1:1' })
const query = q<Desk, 'equipment'>().where('site.name', '=', 'North')
for await (const row of docket.table('equipment').export(query, { fields: ['name', 'count'] })) {
  const count: number | null = row.count
  // @ts-expect-error: it was not requested
  console.log(count, row.labels)
}
// @ts-expect-error: the name is missing
await createMany(docket, 'equipment', [{ count: 1 }])
console.log(AttachmentsClient, DocumentsClient, syncFolder, parseEncodedQuery, generateTypes, verifyWebhook)
`
