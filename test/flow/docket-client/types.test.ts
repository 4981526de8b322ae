import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect, type Docket, q, type TableMeta } from 'docket-client'
import { generateTypes } from 'docket-client/types'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import type { TableDescription } from '../../../src/contract/meta.ts'
import type { Desk } from '../../fixtures/docket-client/desk.ts'
import { admin } from '../../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'
import { startWithEquipment } from './equipment.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const command = join(root, 'packages/client/src/node/cli.ts')

let running: RunningDocket
let docket: Docket<Desk>
let key: string
beforeAll(async () => {
  running = await startWithEquipment()
  key = await keyOf(running)
  docket = connect<Desk>({ url: running.baseUrl, token: key })
})
afterAll(() => running.close())

async function keyOf({ baseUrl }: RunningDocket): Promise<string> {
  const login = { username: admin.user, password: admin.password }
  const nobody = connect({ url: baseUrl })
  return (await nobody.request<{ auth_key: string }>({ method: 'POST', path: '/v1/auth/login', body: login })).auth_key
}

interface Outcome {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** `docket-client …`; the key is in the environment alone. */
async function run(args: readonly string[], token: string | null = key): Promise<Outcome> {
  const env = { PATH: process.env['PATH'] ?? '', ...(token === null ? {} : { DOCKET_TOKEN: token }) }
  return promisify(execFile)(process.execPath, [command, ...args], { env, maxBuffer: 1 << 26 }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout, errors: stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      output: stdout,
      errors: stderr,
    }),
  )
}

describe('docket-client types', () => {
  test('writes the whole module of two tables, each time the same', async () => {
    const options = ['types', '--url', running.baseUrl, '--tables', 'site,equipment']
    const first = await run(options)
    expect({ ...first, output: '' }).toEqual({ code: 0, output: '', errors: '' })
    await expect(first.output).toMatchFileSnapshot('../../fixtures/docket-client/desk.ts')
    expect(await run(options)).toEqual(first)
  })

  test('--check ends with 1 when the dictionary is another one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'docket-types-'))
    const file = join(folder, 'types.ts')
    try {
      const written = await run(['types', '--url', running.baseUrl, '--tables', 'site', '--output', file])
      expect(written).toEqual({ code: 0, output: '', errors: '' })
      const check = ['types', '--url', running.baseUrl, '--tables', 'site', '--check', file]
      expect(await run(check)).toEqual({ code: 0, output: '', errors: '' })
      writeFileSync(file, readFileSync(file, 'utf8').replace('Part of', 'Belongs to'))
      expect(await run(check)).toEqual({
        code: 1,
        output: '',
        errors: `${file} differs from the dictionary of the server: write it again with --output ${file}.\n`,
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('says what is wrong with a command line, a key and a table', async () => {
    const { errors: usage } = await run([])
    expect(usage).toMatch(/^The command is "types", found ""\.\n\nUsage: docket-client types --url <address>/)
    expect((await run(['--help'])).output).toBe(usage.slice(usage.indexOf('Usage:'), -1))
    const outcomes = await Promise.all([
      run(['types']),
      run(['types', '--url', running.baseUrl], null),
      run(['types', '--url', running.baseUrl, '--chek', 'x']),
      run(['types', '--url', running.baseUrl], 'no-such-key'),
      run(['types', '--url', running.baseUrl, '--tables', 'equipmint']),
      run(['types', '--url', running.baseUrl, '--name', 'my desk']),
    ])
    expect(outcomes.map(({ code, output, errors }) => [code, output, errors.split('\n')[0]])).toEqual([
      [2, '', '--url is missing: write --url https://desk.example.com.'],
      [2, '', 'DOCKET_TOKEN is not set: put an API key into it, as docket token create prints it.'],
      [2, '', expect.stringMatching(/^Unknown option '--chek'/)],
      [1, '', expect.stringMatching(/^The server rejects the key of DOCKET_TOKEN: /)],
      [1, '', expect.stringMatching(/equipmint.*equipment/)],
      [1, '', '"my desk" cannot be the name of a type: write one such as Desk.'],
    ])
    expect(JSON.stringify(outcomes)).not.toContain('no-such-key')
  })

  test('of the demo desk compile, with everything that they name', async () => {
    const demo = await startDocket({ template: 'demo' })
    const folder = mkdtempSync(join(tmpdir(), 'docket-types-'))
    try {
      const text = await generateTypes(connect({ url: demo.baseUrl, token: await keyOf(demo) }))
      writeFileSync(join(folder, 'desk.ts'), text)
      writeFileSync(join(folder, 'use.ts'), DEMO_PROGRAM)
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIGURATION))
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--diagnostics']).catch(
        ({ stdout: found }: { stdout: string }) => ({ stdout: found }),
      )
      expect(stdout.split('\n').filter((line) => /error/.test(line))).toEqual([])
      // A structural check instead of a time limit: paths are resolved where they are used, and not listed in advance.
      expect(Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1])).toBeLessThan(100_000)
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await demo.close()
    }
  })
})

const CONFIGURATION = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.iterator'],
    types: [],
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    noUnusedLocals: true,
    skipLibCheck: false,
    paths: { 'docket-client': [join(root, 'packages/client/src/index.ts')] },
  },
  files: ['use.ts'],
}

const DEMO_PROGRAM = `import { connect, q } from 'docket-client'
import type { Desk } from './desk.ts'

const docket = connect<Desk>({ url: 'http://127.0.0.1:1' })
const open = q<Desk, 'itsm_incident'>().where('active', '=', true).and('caller.company.name', 'LIKE', 'Meridian')
for await (const incident of docket.table('itsm_incident').list(open, { fields: ['number', 'subject', 'caller.display_name'] })) {
  const subject: string | null = incident.subject
  // @ts-expect-error: it was not requested
  const state = incident.state
  console.log(subject, state)
}
`

describe('a typed client', () => {
  test('knows fields, paths and forms of display', async () => {
    const root = await docket.table('site').create({ name: 'Campus' })
    const site = await docket.table('site').create({ name: 'North', part_of: String(root.row.sys_id) })
    const created = await docket
      .table('equipment')
      .create(
        { name: 'Camera', condition: 'good', site: { find: { name: 'North' } }, labels: ['fragile'], price: '12.50' },
        { fields: ['name', 'condition', 'site', 'labels', 'price', 'count'] },
      )
    expectTypeOf(created.row).toEqualTypeOf<{
      readonly name: string | null
      readonly condition: 'good' | "it's broken" | null
      readonly site: string | null
      readonly labels: readonly ('fragile' | 'heavy')[] | null
      readonly price: string | null
      readonly count: number | null
    }>()
    expect(created.row).toEqual({
      name: 'Camera',
      condition: 'good',
      site: site.row.sys_id,
      labels: ['fragile'],
      price: '12.50',
      count: null,
    })

    const found = await docket
      .table('equipment')
      .list('', { fields: ['site.part_of.name', 'is_lent'], display: 'all' })
      .first()
    expectTypeOf(found).toEqualTypeOf<{
      readonly 'site.part_of.name': { readonly value: string | null; readonly display_value: string | null }
      readonly is_lent: { readonly value: boolean | null; readonly display_value: string | null }
    } | null>()
    expect(found).toEqual({
      'site.part_of.name': { value: 'Campus', display_value: 'Campus' },
      is_lent: { value: null, display_value: null },
    })

    const displayed = await docket
      .table('equipment')
      .list('', { fields: ['condition', 'is_lent'], display: 'display' })
      .first()
    expectTypeOf(displayed).toEqualTypeOf<{
      readonly condition: string | null
      readonly is_lent: boolean | null
    } | null>()
    expect(displayed).toEqual({ condition: 'Good', is_lent: null })
  })

  test('a record changes itself under its version, with instructions that fit', async () => {
    const created = await docket
      .table('equipment')
      .create({ name: 'Tripod', count: 1 }, { fields: ['count', 'labels'] })
    const changed = await created.update({ count: { increment: 2 }, labels: { add: ['heavy'] } })
    expect(changed.row).toEqual({ count: 3, labels: ['heavy'] })
    await expect(created.update({ count: 9 })).rejects.toMatchObject({ name: 'ConflictError', reason: 'stale' })
    expect((await changed.update({ count: { clear: true } })).row).toEqual({ count: null, labels: ['heavy'] })
  })

  test('columns that do not exist, values that do not fit and fields that were not requested do not compile', async () => {
    const equipment = docket.table('equipment')
    const wrong = [
      // @ts-expect-error: no such table
      () => docket.table('equipmint').page(),
      // @ts-expect-error: no such column
      () => equipment.page('', { fields: ['nmae'] }),
      // @ts-expect-error: no such column behind the reference
      () => equipment.page('', { fields: ['site.nmae'] }),
      // @ts-expect-error: a list of references is no step of a path
      () => equipment.page('', { fields: ['sites.name'] }),
      // @ts-expect-error: more than five references
      () => equipment.page('', { fields: ['site.part_of.part_of.part_of.part_of.part_of.name'] }),
      // @ts-expect-error: the name is missing
      () => equipment.create({ count: 1 }),
      // @ts-expect-error: no such choice
      () => equipment.create({ name: 'x', condition: 'new' }),
      // @ts-expect-error: the server fills it
      () => equipment.create({ name: 'x', sys_created_at: '2026-01-01 00:00:00' }),
      // @ts-expect-error: a text is not incremented
      () => equipment.update('1', { name: { increment: 1 } }, { ifMatch: false }),
      // @ts-expect-error: no such column
      () => q<Desk, 'equipment'>().where('nmae', '=', 1),
      // @ts-expect-error: a number has no text to search
      () => q<Desk, 'equipment'>().where('count', 'LIKE', '1'),
      // @ts-expect-error: a boolean has no order
      () => q<Desk, 'equipment'>().where('name', '=', 'x').and('is_lent', '>', true),
      // @ts-expect-error: neither has a text behind the reference a period
      () => q<Desk, 'equipment'>().where('site.part_of.name', 'ON', 'Today'),
      // @ts-expect-error: a query of another table
      () => equipment.list(q<Desk, 'site'>().where('part_of', 'ISNOTEMPTY')),
      // @ts-expect-error: a text for another table
      () => equipment.list(q.raw<Desk, 'site'>('part_ofISNOTEMPTY')),
      // @ts-expect-error: a group of conditions on another table
      () => q<Desk, 'equipment'>().all(q<Desk, 'site'>().where('part_of', 'ISNOTEMPTY')),
      // @ts-expect-error: a session is left out, and not denied
      () => connect({ url: '', session: false }),
      // @ts-expect-error: it was not requested
      async () => (await equipment.list('', { fields: ['name'] }).first())?.count,
      // @ts-expect-error: nobody reads a secret
      () => equipment.page('', { fields: ['pin'] }),
    ]
    expect(wrong).toHaveLength(19)
    const fitting = [
      q<Desk, 'equipment'>().where('due_at', 'ON', 'Today').and('labels', 'HAS', 'heavy'),
      q<Desk, 'equipment'>().where('count', 'BETWEEN', [1, 9]).and('notes', 'LIKE', 'lens').any(q<Desk, 'equipment'>()),
    ]
    for (const each of fitting) expect(await equipment.list(each).count()).toBe(0)
    const query = q<Desk, 'equipment'>().where('site.part_of.name', 'STARTSWITH', 'Camp').orderByDesc('name')
    const right = await equipment.list(query, { fields: ['name', 'size'] }).toArray({ max: 9 })
    expectTypeOf(right).toEqualTypeOf<
      { readonly name: string | null; readonly size: 's' | 'l' | (string & {}) | null }[]
    >()
    expect(right).toEqual([{ name: 'Camera', size: null }])
  })

  test('the interface of meta is that of the server', async () => {
    expectTypeOf<TableDescription>().toExtend<TableMeta>()
    expectTypeOf<TableMeta>().toExtend<TableDescription>()
    const meta = await docket.table('site').meta()
    expect(meta).toEqual(await docket.request({ method: 'GET', path: '/rest/v1/meta/site' }))
    const summaries = await docket.tables()
    const { lineage, children, has_history, columns, views, referenced_by, state_model, ...summary } = meta
    expect(summaries.find(({ name }) => name === 'site')).toEqual(summary)
  })

  test('rows written by hand work as they did', async () => {
    interface Task {
      readonly number: string
    }
    const tasks = connect<{ task: Task }>({ url: running.baseUrl, token: key }).table('task')
    const { row } = await tasks.create({ subject: 'By hand' })
    expectTypeOf(row).toEqualTypeOf<Task>()
    expect(await tasks.list(`number=${row.number}`, { fields: ['subject'] }).first()).toEqual({ subject: 'By hand' })
  })
})
