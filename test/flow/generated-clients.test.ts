import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

/** The generators have a lock file of their own; `.ci/run` installs it. Without it these tests are skipped, and counted as such. */
const folder = fileURLToPath(new URL('../../examples/generated-clients/', import.meta.url))
const isInstalled = existsSync(join(folder, 'node_modules'))
const out = join(folder, 'out')

const run = promisify(execFile)

/** Runs a tool of the folder, without telemetry. @returns its whole output */
async function runTool(name: string, ...options: readonly string[]): Promise<string> {
  const program = join(folder, 'node_modules', '.bin', name)
  const environment = {
    ...process.env,
    NO_COLOR: '1',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  }
  const { stdout } = await run(process.execPath, [program, ...options], {
    cwd: folder,
    env: environment,
    maxBuffer: 1 << 26,
  }).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${name} failed:\n${error.stdout?.slice(0, 4_000)}\n${error.stderr?.slice(0, 4_000)}`)
  })
  return stdout
}

// Sequentially: each uses a whole processor, and the last ones read the output of the others.
describe.skipIf(!isInstalled)('the document of the demo desk (issue 9, 6)', () => {
  let docket: RunningDocket
  beforeAll(async () => {
    docket = await startDocket({ template: 'demo' })
    rmSync(out, { recursive: true, force: true })
    mkdirSync(out)
    writeFileSync(join(out, 'openapi.json'), (await docket.request('GET', '/openapi.json', { as: admin })).text)
    writeFileSync(join(out, 'openapi-now.json'), (await docket.request('GET', '/openapi.json?face=now')).text)
  })
  afterAll(async () => {
    await docket.close()
    rmSync(out, { recursive: true, force: true })
  })

  test.each(['out/openapi.json', '../../docs/openapi.json', 'out/openapi-now.json', '../../docs/openapi-now.json'])(
    'passes Redocly without errors and warnings: %s',
    async (file) => {
      const report = await runTool('redocly', 'lint', file, '--config=redocly.yaml', '--format=json')
      expect(JSON.parse(report)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] })
    },
  )

  test.each(['out/openapi.json', 'out/openapi-now.json'])(
    'passes Spectral without errors and warnings: %s',
    async (file) => {
      const report = await runTool('spectral', 'lint', file, '--ruleset=spectral.yaml', '--quiet', '-f=json')
      expect(JSON.parse(report)).toEqual([])
    },
  )

  test('gives openapi-typescript, @hey-api/openapi-ts and orval clients that compile', async () => {
    await runTool('openapi-typescript', 'out/openapi.json', '-o', 'out/openapi-typescript.ts')
    await runTool(
      'openapi-ts',
      '-i',
      './out/openapi.json',
      '-o',
      './out/hey-api',
      '--client=@hey-api/client-fetch',
      '--no-log-file',
    )
    await runTool('orval', '--config', 'orval.config.ts')
    expect(await runTool('tsc', '-p', '.')).toBe('')
  }, 600_000)

  test('gives a client that reads, creates and changes records', async () => {
    const { body } = await docket.request('POST', '/v1/auth/login', {
      body: { username: admin.user, password: admin.password },
    })
    const { auth_key } = (body as { data: { auth_key: string } }).data
    const { stdout } = await run(process.execPath, ['use-openapi-typescript.ts', docket.baseUrl, auth_key], {
      cwd: folder,
    })
    expect(stdout).toMatch(/^\S.*\nPrinter on floor 7\n$/)
  })
})

test('the generators are installed where the tests of a change run', () => {
  expect(isInstalled || process.env['CI'] === undefined).toBe(true)
})
