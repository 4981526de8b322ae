import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendTo } from '../harness/send-request.ts'
import { runningServer, type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

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

/** Runs lines as a person pastes them, in the folder of the clone; fails when one of them fails. */
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
    'DESK=anna.petrova:demo-anna-7291',
    'WRITER=maria.sokolova:demo-maria-3847',
    'DOCKET_TOKEN=$(npx docket token create --user maria.sokolova --name loader --expires 1d)',
    expect.stringMatching(/^DOCKET_DEMO=off .* npm start$/),
    expect.stringMatching(/^npx docket user create /),
  ])
  expect([...readme.matchAll(/^```(\w+)/gm)].map(([, language]) => language)).toEqual(
    expect.not.arrayContaining(['bash', 'shell', 'text']),
  )
})

describe('the console block', () => {
  const sessions = blocksIn('console').flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((session) => {
        const [command = '', ...shown] = session.trim().split('\n')
        return { command, shown: JSON.parse(shown.join('')) as unknown }
      }),
  )

  test('has something to show', () => {
    expect(sessions.length).toBeGreaterThanOrEqual(2)
  })

  test.each(sessions)('answers what it shows: $command', async ({ command, shown }) => {
    const answer: unknown = JSON.parse(await paste(command))
    expect(shapeOf(answer)).toEqual(shapeOf(shown))
  })
})

/** Keys and kinds of values, and the sentences of errors: tickets differ from day to day. */
function shapeOf(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((member) => shapeOf(member))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member, name)]))
  }
  return ['status', 'error_type', 'message', 'code', 'field', 'position'].includes(key) ? value : typeof value
}

test('the block that creates, lists and changes does all three', async () => {
  const [block = ''] = blocksIn('sh').filter((each) => each.startsWith('BASE='))
  const output = await paste(block)
  expect([...output.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status)).toEqual(['OK', 'OK', 'OK'])
  expect(output).toMatch(/^X-Total-Count: [1-9]/im)
  expect(output).toMatch(/^Link: </im)
  const changed = JSON.parse(output.slice(output.lastIndexOf('{"status"'))) as { data: Record<string, unknown>[] }
  expect(changed.data[0]).toMatchObject({
    subject: 'VPN does not connect',
    state: '2',
    labels: ['vpn'],
    assigned_user: { value: expect.stringMatching(/^\d{18}$/) },
  })
})

test('the block about what a record carries shows history, journals, files and a followed collection', async () => {
  const [block = ''] = blocksIn('sh').filter((each) => each.startsWith('DESK='))
  const output = await paste(`BASE=${WRITTEN_ADDRESS}\n${block}`)
  const answers = [...output.matchAll(/\{"status":"OK".*?(?=\{"status"|$)/gs)].map(
    ([text]) => JSON.parse(text) as { data: readonly Record<string, unknown>[] },
  )
  const [history, journal, attached, files, found] = answers.map(({ data }) => data)
  expect(answers).toHaveLength(5)
  expect([history?.at(-1)?.['operation'], journal?.length !== 0]).toEqual(['create', true])
  expect(attached).toEqual([expect.objectContaining({ file_name: 'probe.log', content_type: 'text/plain' })])
  expect(files?.map(({ file_name: name }) => name)).toContain('probe.log')
  expect(new Set(found?.map(({ collection_name: name }) => name))).toEqual(new Set(['open-incidents']))
})

test('the commands of docs/demo-desk.md find what it tells of', async () => {
  const page = readFileSync(`${root}/docs/demo-desk.md`, 'utf8')
  const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(page) ?? []
  const output = await paste(block)
  const answers = [...output.matchAll(/\{"status":"OK".*?(?=\{"status"|$)/gs)].map(
    ([text]) => (JSON.parse(text) as { data: readonly unknown[] }).data.length,
  )
  // How many pictures there are depends on the day.
  const [, ...others] = answers
  expect(others.map((rows) => rows > 0)).toEqual([true, true, true])
})

test('the block about documents loads one and finds it', async () => {
  const [block = ''] = blocksIn('sh').filter((each) => each.startsWith('WRITER='))
  const output = await paste(`BASE=${WRITTEN_ADDRESS}\n${block}`)
  const found = JSON.parse(output.slice(output.lastIndexOf('{"status":"OK"'))) as { data: Record<string, unknown>[] }
  expect(found.data).toEqual([
    expect.objectContaining({ collection_name: 'kb', metadata: { status: 'published', priority: 1 } }),
  ])
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
  const answer = await client.send('GET', '/rest/v1/table/task?sysparm_limit=1', { as: { bearer: key } })
  client.close()
  expect({ key: key.length, status: answer.status }).toEqual({ key: 64, status: 200 })
})

test('the line for real work starts a server without a demo', async () => {
  const [line = ''] = blocksIn('sh').filter((each) => each.startsWith('DOCKET_DEMO=off'))
  const words = line.trim().split(' ')
  expect(words.slice(-2)).toEqual(['npm', 'start'])
  const environment = Object.fromEntries(words.slice(0, -2).map((word) => word.split('=') as [string, string]))
  const folder = temporaryFolder()
  // Its folder is the machine's, and a server stands on its port perhaps; all else as it is written.
  const server = await spawnDocket({ ...environment, DOCKET_DATA_DIR: folder, DOCKET_PORT: '0' }, { throughNpm: true })
  const password = /^Administrator: admin, password: (\S+)/m.exec(server.output())?.[1] ?? ''
  const client = sendTo(server.address)
  const answer = await client.send('GET', '/rest/v1/table/user?sysparm_fields=sys_created_by,sys_db_table_id', {
    as: { user: 'admin', password },
  })
  const collections = await client.send('GET', '/get_list_of_collection', { as: { user: 'admin', password } })
  client.close()
  server.signal('SIGTERM')
  await server.exit
  await expect.poll(() => runningServer(folder), { timeout: 30_000 }).toBeUndefined()
  expect(answer.text).toContain(`"link":"${environment['DOCKET_BASE_URL']}/rest/v1/table/user/`)
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
    const answer = await client.send('POST', '/v1/auth/login', {
      body: { username: caller.user, password: caller.password },
    })
    client.close()
    expect(answer.status).toBe(200)
  })

  test.each(['/health', '/ready', '/docs', '/openapi.json'])('%s is there', async (path) => {
    expect(readme).toContain(path)
    const client = sendTo(docket.address)
    const answer = await client.send('GET', path, {
      as: { user: 'anna.petrova', password: 'demo-anna-7291' },
    })
    client.close()
    expect(answer.status).toBe(200)
  })

  test('the files it links to are there', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = '']) => path)
    expect(links.length).toBeGreaterThan(5)
    for (const path of links.filter((each) => /\.\w+$/.test(each))) {
      expect(() => readFileSync(`${root}/${path}`), path).not.toThrow()
    }
  })
})
