import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect } from 'docket-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'
import { readPage, runCommands, withoutChance } from '../../harness/transcript.ts'

// packages/client/README.md in a new project: the package is packed and installed, the programs compile and print what the page says.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const page = 'packages/client/README.md'
const programs = new Map(
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, name = '', text = '']) => [name, text],
  ),
)
const { setup, sessions } = readPage(page)
const commands = sessions.flatMap((session) => session.commands)

const folder = mkdtempSync(join(tmpdir(), 'docket-readme-'))
const run = promisify(execFile)
let docket: RunningDocket
let printed: readonly string[]
beforeAll(async () => {
  await run(process.execPath, [join(root, 'tools/build-client.ts'), join(folder, 'dist')])
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  await run('npm', ['pack', './dist', '--silent'], { cwd: folder })
  const quiet = ['--offline', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', ...quiet, './docket-client-0.1.0.tgz'], { cwd: folder })
  for (const [name, text] of programs) writeFileSync(join(folder, name), text)
  docket = await startDocket({ template: 'demo' })
  const login = { method: 'POST', path: '/v1/auth/login', body: { username: admin.user, password: admin.password } }
  const { auth_key: key } = await connect({ url: docket.baseUrl }).request<{ auth_key: string }>(login)
  const shell = setup.filter((block) => block.startsWith('export'))
  const result = await runCommands(
    shell,
    commands.map(({ command }) => command),
    { baseUrl: docket.baseUrl, folder, environment: { KEY: key } },
  )
  printed = result.printed
})
afterAll(async () => {
  await docket.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('packages/client/README.md', () => {
  test('names programs and commands that are run here', () => {
    expect([...programs.keys()]).toEqual(['records.ts', 'errors.ts', 'many.ts', 'files.ts', 'sync.ts', 'receive.ts'])
    expect(setup.map((block) => block.split('\n')[0])).toEqual([
      'npm run build:client',
      'export DOCKET_URL=http://127.0.0.1:8080',
    ])
    expect(commands).toHaveLength(7)
  })

  test.each(commands.map((command, at) => ({ ...command, at })))('$command', ({ at, displayed }) => {
    expect(withoutChance(printed[at] ?? '', docket.baseUrl)).toBe(displayed)
  })

  test('has programs that compile', async () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
      typeRoots: [join(root, 'node_modules/@types')],
      types: ['node'],
      module: 'nodenext',
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [...programs.keys()] }))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch(({ stdout: found }) => ({
      stdout: found,
    }))
    expect(stdout).toBe('')
  })

  test('has a receiver that rejects what nobody signed', async () => {
    const { receive } = (await import(join(folder, 'receive.ts'))) as {
      receive(request: Request, secret: string): Promise<Response>
    }
    const request = new Request('http://127.0.0.1/hook', { method: 'POST', body: '{}' })
    const response = await receive(request, `whsec_${Buffer.alloc(32).toString('base64')}`)
    expect([response.status, await response.text()]).toEqual([400, 'missing-header'])
  })
})
