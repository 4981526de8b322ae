import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { runningServer, spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'
import { asKey, asPair, home, serverOn, testClock } from './people.ts'

const program = fileURLToPath(new URL('../../../bin/docket.js', import.meta.url))

interface Outcome {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

function docket(environment: Readonly<Record<string, string>>, args: readonly string[], input = ''): Promise<Outcome> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (bytes) => {
    output += bytes
  })
  child.stderr.on('data', (bytes) => {
    errors += bytes
  })
  child.stdin.end(input)
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output, errors })))
}

describe('docket user and docket token', () => {
  let fresh: FreshDatabase
  beforeAll(async () => {
    fresh = await freshDatabase()
  })
  afterAll(() => fresh.drop())
  const run = (args: readonly string[], input?: string) =>
    docket({ DOCKET_DATABASE_URL: fresh.connectionString }, args, input)
  // The commands use the real clock.
  const server = () => serverOn(fresh.database, testClock(new Date().toISOString()))
  const isLetIn = async (userName: string, password: string) =>
    (await server().authenticator.authenticate(asPair(userName, password), home)).ok

  test('make a user, with a password that is made or read from standard input', async () => {
    const made = await run([
      'user',
      'create',
      'anna',
      '--roles',
      'itil,document_reader',
      '--time-zone',
      'Europe/Moscow',
    ])
    expect(made).toEqual({
      code: 0,
      output: expect.stringMatching(/^Made the user anna \(sys_id \d{18}\)\.\nPassword: \w{20} \(shown only now\)\n$/),
      errors: '',
    })
    expect(await isLetIn('anna', made.output.split('Password: ')[1]?.slice(0, 20) ?? '')).toBe(true)

    const changed = await run(['user', 'password', 'anna', '--password-stdin'], 'пароль Анны\nsecond line\n')
    expect(changed).toEqual({
      code: 0,
      output: 'anna has another password; sessions and API keys have ended.\n',
      errors: '',
    })
    expect(await isLetIn('anna', 'пароль Анны')).toBe(true)
  })

  test('tell and change roles', async () => {
    expect(await run(['user', 'roles', 'anna', '--take', 'document_reader'])).toEqual({
      code: 0,
      output: 'Given: itil\nWith those of groups and those inside roles: itil, user\n',
      errors: '',
    })
  })

  test('make a key alone on standard output, list it without the key, and end it', async () => {
    const made = await run([
      'token',
      'create',
      '--user',
      'anna',
      '--name',
      'nightly',
      '--expires',
      '30d',
      '--roles',
      'itil',
    ])
    expect(made).toEqual({
      code: 0,
      output: expect.stringMatching(/^[A-Za-z0-9_-]{64}\n$/),
      errors: expect.stringMatching(/^API key \d{18} of anna, valid until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC:\n$/),
    })
    const key = made.output.trim()
    const caller = await server().authenticator.authenticate(asKey(key), home)
    expect(caller.ok && caller.value.principal.roles).toEqual(new Set(['itil', 'user']))

    const listed = JSON.parse((await run(['token', 'list', '--user', 'anna', '--json'])).output)
    expect(listed).toMatchObject([{ userName: 'anna', name: 'nightly', roles: ['itil'], state: 'valid' }])
    expect(JSON.stringify(listed)).not.toContain(key)
    const { id } = listed[0]
    expect(await run(['token', 'revoke', id])).toEqual({
      code: 0,
      output: `The API key ${id} has ended.\n`,
      errors: '',
    })
    expect(await server().authenticator.authenticateNow(asKey(key), home)).toMatchObject({ ok: false })
    expect((await run(['token', 'list'])).output).toMatch(
      new RegExp(`^${id}  ended  anna: nightly \\(itil\\), until .*\\n$`),
    )
  })

  test('lift the lock of a user, beside a server that runs (issue 8, A8)', async () => {
    const running = server()
    const guess = (n: number) => running.authenticator.authenticate(asPair('anna', `wrong ${n}`), '198.51.100.1')
    for (let n = 0; n < 10; n++) await guess(n)
    expect(await guess(10)).toMatchObject({ ok: false, error: { kind: 'too-many-attempts' } })
    expect(await run(['user', 'unlock', 'Anna'])).toEqual({
      code: 0,
      output: 'Anna can sign in again, also from the networks where logins of Anna failed.\n',
      errors: '',
    })
    expect(await guess(11)).toEqual({ ok: false, error: { kind: 'unauthenticated', reason: 'wrong' } })
  })

  test('let a user in no longer, and again', async () => {
    expect((await run(['user', 'deactivate', 'anna'])).code).toBe(0)
    expect(await isLetIn('anna', 'пароль Анны')).toBe(false)
    expect((await run(['user', 'activate', 'anna'])).code).toBe(0)
    expect(await isLetIn('anna', 'пароль Анны')).toBe(true)
    expect(await run(['user', 'end-sessions', 'anna'])).toEqual({
      code: 0,
      output: 'Sessions and API keys of anna have ended.\n',
      errors: '',
    })
  })

  test('list users with their roles (issue 8, C5)', async () => {
    await run(['user', 'create', 'bot', '--without-password', '--display-name', 'The Bot', '--roles', 'itil'])
    const { code, output, errors } = await run(['user', 'list'])
    expect({ code, errors, output: output.replaceAll(/\d{18}/g, 'ID') }).toEqual({
      code: 0,
      errors: '',
      output: 'ID  admin (System Administrator): admin\nID  anna: itil\nID  bot (The Bot): itil, no password\n',
    })
    const listed = JSON.parse((await run(['user', 'list', '--json'])).output)
    expect(listed[2]).toEqual({
      id: expect.stringMatching(/^\d{18}$/),
      userName: 'bot',
      displayName: 'The Bot',
      email: null,
      active: true,
      hasPassword: false,
      roles: ['itil'],
    })
    expect(JSON.stringify(listed)).not.toContain('$argon2')
  })

  test('make an OAuth client whose secret stands on standard output once (issue 15)', async () => {
    expect(await run(['oauth-client', 'create', '--name', 'connector', '--user', 'bot'])).toEqual({
      code: 0,
      output: expect.stringMatching(/^client_id=[0-9a-f]{32}\nclient_secret=[A-Za-z0-9_-]{32}\n$/),
      errors: '',
    })
  })

  test('ask before a new password ends sessions and keys (issue 8, C5)', async () => {
    await run(['token', 'create', '--user', 'bot', '--name', 'at work'])
    expect(await run(['user', 'password', 'bot', '--password-stdin'], 'a password of the bot\n')).toEqual({
      code: 2,
      output: '',
      errors:
        'This ends 1 session or API key of bot.\nNothing was changed: add --yes to set the password without a question.\n',
    })
    expect(await isLetIn('bot', 'a password of the bot')).toBe(false)
    expect(await run(['user', 'password', 'bot', '--password-stdin', '--yes'], 'a password of the bot\n')).toEqual({
      code: 0,
      output: 'bot has another password; sessions and API keys have ended.\n',
      errors: '',
    })
    expect(await isLetIn('bot', 'a password of the bot')).toBe(true)
  })

  test('list tables without rules (issue 8, A10)', async () => {
    const before = await run(['acl', 'check', '--json'])
    expect(before.code).toBe(1)
    const tables = (JSON.parse(before.output) as { table: string; operations: string[] }[]).map(({ table }) => table)
    expect(tables).toContain('task')
    const rule = (operation: string) => sql`
      insert into docket.sys_security_acl (operation, table_name, roles) values (${operation}, 'task', '{}')`
    for (const operation of ['create', 'read', 'write', 'delete']) await fresh.database.rows(rule(operation))
    const after = JSON.parse((await run(['acl', 'check', '--json'])).output) as { table: string }[]
    // Rules of ancestors apply to descendants.
    const left = after.map(({ table }) => table)
    expect(left).toEqual(tables.filter((table) => table !== 'task' && !table.startsWith('itsm_')))
    const { code, output, errors } = await run(['acl', 'check'])
    expect({ code, errors }).toEqual({ code: 1, errors: '' })
    expect(output).toContain('company: no rule for create, delete, read, write\n')
  })

  test.each([
    [['--version'], 0],
    [['-V'], 0],
    [['--help'], 0],
    [['user', '-h'], 0],
    [['user', 'create', '-h'], 0],
    [['nonsense'], 2],
    [['--nonsense'], 2],
    [['user', 'create'], 2],
    [['user', 'create', 'x', '--nonsense'], 2],
    [['user', 'create', 'x', '--language', 'fr'], 2],
    [['token', 'create', '--user', 'anna', '--name', 'x', '--expires', 'soon'], 2],
    [['documents', 'load'], 2],
    [['records', 'export'], 2],
  ] as const)('%j ends with %d (issue 8, C5)', async (args, code) => {
    const outcome = await run([...args])
    expect(outcome.code).toBe(code)
    expect(code === 0 ? outcome.errors : outcome.output).toBe('')
    expect(code === 0 ? outcome.output : outcome.errors).not.toBe('')
  })

  test('end quietly when nobody reads what they print (issue 8, C5)', async () => {
    const child = spawn(process.execPath, [program, 'user', 'list', '--json'], {
      env: { PATH: process.env['PATH'] ?? '', DOCKET_DATABASE_URL: fresh.connectionString },
    })
    child.stdout.destroy()
    let errors = ''
    child.stderr.on('data', (bytes) => {
      errors += bytes
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
  })

  test.each([
    [['user', 'create', 'anna'], 'There is another user with this user_name.\n'],
    [['user', 'deactivate', 'nobody'], 'There is no user nobody.\n'],
    [['user', 'unlock', 'nobody'], 'There is no user nobody.\n'],
    [['user', 'end-sessions', 'nobody'], 'There is no user nobody.\n'],
    [['user', 'create', 'new', '--roles', 'wizard'], 'There is no role wizard.\n'],
    [
      ['user', 'password', 'anna', '--password-stdin'],
      'Standard input is empty: a line with the password was expected there.\n',
    ],
    [['token', 'create', '--user', 'nobody', '--name', 'x'], 'There is no user nobody.\n'],
    [
      ['token', 'create', '--user', 'anna', '--name', 'x', '--roles', 'admin'],
      'roles cannot be used: the user does not have admin; the user has itil, user.\n',
    ],
    [['token', 'revoke', '1'], 'There is no API key 1.\n'],
    [['oauth-client', 'create', '--name', 'x', '--user', 'nobody'], 'There is no user nobody.\n'],
  ])('reject %j in one sentence', async (args, sentence) => {
    const { code, output, errors } = await run(args)
    expect({ isRefused: code !== 0, output, errors }).toEqual({ isRefused: true, output: '', errors: sentence })
  })
})

test('the commands work on the embedded database, beside a server that runs and without one', async () => {
  const environment = { DOCKET_DATA_DIR: temporaryFolder(), DOCKET_DEMO: 'off' }
  const first = await docket(environment, ['user', 'create', 'early', '--password-stdin'], 'a good password\n')
  expect({ code: first.code, errors: first.errors }).toEqual({ code: 0, errors: '' })
  expect(runningServer(environment.DOCKET_DATA_DIR)).toBeUndefined()

  const running = await spawnDocket(environment)
  const beside = await docket(environment, ['token', 'create', '--user', 'early', '--name', 'beside'])
  await running.stop()
  expect(beside).toMatchObject({ code: 0, output: expect.stringMatching(/^[A-Za-z0-9_-]{64}\n$/) })
})
