import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendTo } from '../harness/send-request.ts'
import { runningServer, type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'
import { readPage, runCommands, withoutChance } from '../harness/transcript.ts'

// What README.md tells people to type is typed here. Two lines are not: `npm ci && npm start` and `npm ci && npm test` need
// a clone of their own and are the first two things that every check of the repository does (.ci/run).
const CHECKED_BY_CI = ['npm ci && npm start', 'npm ci && npm test']

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(`${root}/README.md`, 'utf8')
const WRITTEN_ADDRESS = 'http://127.0.0.1:8080'

const blocksIn = (language: string): readonly string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text)

const dataDirectory = temporaryFolder()
let docket: SpawnedDocket
beforeAll(async () => {
  docket = await spawnDocket({ DOCKET_DEMO: 'on', DOCKET_DATA_DIR: dataDirectory })
})
afterAll(() => docket.stop())

/** Runs lines as a person pastes them, in the folder of the clone; fails if one of them fails. */
async function paste(lines: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', lines.replaceAll(WRITTEN_ADDRESS, docket.address)], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', DOCKET_DATA_DIR: dataDirectory },
    maxBuffer: 10_000_000,
  })
  return stdout
}

test('every block of commands is run below, or by the checks of the repository', () => {
  const shell = blocksIn('sh').map((block) => block.trim())
  expect(shell.slice(0, 2)).toEqual(CHECKED_BY_CI)
  expect(shell.slice(2).map((block) => block.split('\n')[0])).toEqual([
    `BASE=${WRITTEN_ADDRESS}`,
    'DOCKET_TOKEN=$(npx docket token create --user maria.sokolova --name loader --expires 1d)',
    expect.stringMatching(/^DOCKET_DEMO=off .* npm start$/),
    expect.stringMatching(/^npx docket user create /),
  ])
  expect([...readme.matchAll(/^```(\w+)/gm)].map(([, language]) => language)).toEqual(
    expect.not.arrayContaining(['bash', 'shell', 'text']),
  )
})

describe('the sessions (issue 9, step 10)', () => {
  const { setup, sessions } = readPage('README.md')
  const commands = sessions.flatMap((session) => session.commands)
  let printed: readonly string[]
  beforeAll(async () => {
    const shell = setup.filter((block) => block.startsWith('BASE='))
    const run = await runCommands(
      shell,
      commands.map(({ command }) => command.replaceAll(WRITTEN_ADDRESS, docket.address)),
      { baseUrl: docket.address },
    )
    printed = run.printed
  })

  test('show records, documents and an error', () => {
    expect(commands.length).toBeGreaterThan(15)
  })

  test.each(commands.map((command, at) => ({ ...command, at })))('$command', ({ at, displayed }) => {
    expect(withoutScores(withoutChance(printed[at] ?? '', docket.address))).toBe(
      withoutScores(withoutChance(displayed, docket.address)),
    )
  })
})

/** Differences between two desks of different days. The relevance depends on the texts alone. */
const withoutScores = (text: string): string =>
  text
    .replaceAll(/"(score|took_ms|sequence)":[\d.]+/g, '"$1":0')
    .replaceAll(/"change":"[\w-]+"/g, '"change":"…"')
    .replaceAll(/INC\d{7}/g, 'INC0000001')

test('the commands of docs/demo-desk.md find what it tells of', async () => {
  const page = readFileSync(`${root}/docs/demo-desk.md`, 'utf8')
  const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(page) ?? []
  const output = await paste(block)
  const responses = [...output.matchAll(/\{"status":"OK".*?(?=\{"status"|$)/gs)].map(
    ([text]) => (JSON.parse(text) as { data: readonly unknown[] }).data.length,
  )
  // The number of pictures depends on the day.
  const [, ...others] = responses
  expect(others.map((rows) => rows > 0)).toEqual([true, true, true])
})

test('the block of commands for documents loads a folder, once, and finds all in order', async () => {
  const [block = ''] = blocksIn('sh').filter((each) => each.startsWith('DOCKET_TOKEN='))
  const output = await paste(block)
  const [, loaded] = /^handbook: (\d+) created$/m.exec(output) ?? []
  expect(Number(loaded)).toBeGreaterThan(10)
  expect(output).toContain(`handbook: 0 created, ${loaded} unchanged\n`)
  expect(output).toMatch(new RegExp(`^\\s*${loaded}$`, 'm'))
  expect(output).toMatch(/^database: .*: sound\nfiles: .*: sound\nindex of process .*: sound\n$/m)
})

test('the commands for users and keys work beside the running server', async () => {
  const [block = ''] = blocksIn('sh').filter((each) => each.startsWith('npx docket'))
  const output = await paste(block)
  expect(output).toMatch(/nightly/)
  const key = /^[A-Za-z0-9_-]{64}$/m.exec(output)?.[0] ?? ''
  const client = sendTo(docket.address)
  const response = await client.send('GET', '/rest/v1/table/task?sysparm_limit=1', { as: { bearer: key } })
  client.close()
  expect({ key: key.length, status: response.status }).toEqual({ key: 64, status: 200 })
})

test('the line for real work starts a server without a demo', async () => {
  const [line = ''] = blocksIn('sh').filter((each) => each.startsWith('DOCKET_DEMO=off'))
  const words = line.trim().split(' ')
  expect(words.slice(-2)).toEqual(['npm', 'start'])
  const environment = Object.fromEntries(words.slice(0, -2).map((word) => word.split('=') as [string, string]))
  const folder = temporaryFolder()
  // The folder belongs to this machine, and its port may be in use; everything else stays as written.
  const server = await spawnDocket({ ...environment, DOCKET_DATA_DIR: folder, DOCKET_PORT: '0' }, { throughNpm: true })
  const password = /^Administrator: admin, password: (\S+)/m.exec(server.output())?.[1] ?? ''
  const client = sendTo(server.address)
  const response = await client.send('GET', '/rest/v1/table/user?sysparm_fields=sys_created_by,sys_db_table_id', {
    as: { user: 'admin', password },
  })
  const collections = await client.send('GET', '/get_list_of_collection', { as: { user: 'admin', password } })
  client.close()
  server.signal('SIGTERM')
  await server.exit
  await expect.poll(() => runningServer(folder), { timeout: 30_000 }).toBeUndefined()
  expect(response.text).toContain(`"link":"${environment['DOCKET_BASE_URL']}/rest/v1/table/user/`)
  expect(collections.body).toEqual({ status: 'OK', data: [] })
})

describe('what it says in between', () => {
  const users = [...readme.matchAll(/^\| `([\w.]+)` \| `([\w-]+)` \|/gm)].map(([, user = '', password = '']) => ({
    user,
    password,
  }))

  test('lists the users to sign in with', () => {
    expect(users.length).toBe(5)
  })

  test.each(users)('$user can sign in with the password it gives', async (caller) => {
    const client = sendTo(docket.address)
    const response = await client.send('POST', '/v1/auth/login', {
      body: { username: caller.user, password: caller.password },
    })
    client.close()
    expect(response.status).toBe(200)
  })

  test.each(['/health', '/ready', '/console/api', '/openapi.json'])('%s is there', async (path) => {
    expect(readme).toContain(path)
    const client = sendTo(docket.address)
    const response = await client.send('GET', path, {
      as: { user: 'anna.petrova', password: 'demo-anna-7291' },
    })
    client.close()
    // The API page is a screen of the console.
    expect(response.status).toBe(200)
  })

  test('the files it links to are there', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = '']) => path)
    expect(links.length).toBeGreaterThan(5)
    for (const path of links.filter((each) => /\.\w+$/.test(each))) {
      expect(() => readFileSync(`${root}/${path}`), path).not.toThrow()
    }
  })
})
