import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type DocumentStage, setDocumentStage } from '../contract/documents/stage.ts'
import { writeZip } from '../documents/write-zip.ts'
import { runCommand, startCommand } from '../harness/run-command.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'

const folder = temporaryFolder()
let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true, force: true })
})

const environment = () => ({ DOCKET_URL: stage.docket.baseUrl, DOCKET_TOKEN: stage.keys.admin })
const run = (...args: readonly string[]) => runCommand(environment(), ['records', ...args], '')
function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
const count = async (city: string) =>
  (
    await stage.docket.database.rows<{ all: number; names: number }>(
      sql`select count(*)::integer as all, count(distinct name)::integer as names from docket.company where city = ${city}`,
    )
  )[0]

test('a file is imported, what is wrong is told with its line, and what was exported is imported as it is', async () => {
  const file = write(
    'companies.csv',
    'name,city,active\nOne,CLI,true\n"Two\nlines",CLI,maybe\nThree,CLI,false,x\nFour,CLI,1\n',
  )
  const imported = await run('import', file, '--table', 'company', '--key', 'name')
  expect(imported.code).toBe(1)
  expect(imported.errors).toContain('line 3: The value of active is rejected')
  expect(imported.errors).toContain('line 5: ')
  expect(imported.errors).toContain('2 inserted, 0 updated, 0 skipped, 2 failed')
  expect(existsSync(`${file}.docket-import`)).toBe(false)
  for (const name of ['out.csv', 'out.ndjson']) {
    const out = join(folder, name)
    const query = ['--query', 'city=CLI^ORDERBYname']
    expect((await run('export', '--table', 'company', '--output', out, ...query)).code).toBe(0)
    const before = readFileSync(out, 'utf8')
    expect(before).toContain('Four')
    const again = await run('import', out, '--table', 'company', '--key', 'sys_id')
    expect([again.code, again.errors.split('\n').at(-2)]).toEqual([
      0,
      `${out}: 0 inserted, 2 updated, 0 skipped, 0 failed`,
    ])
  }
})

test('a dry run keeps nothing, and sees what the import would see', async () => {
  const file = write('dry.ndjson', '{"name":"Dry","city":"Dry"}\n{"nothing":1}\n')
  const outcome = await run('import', file, '--table', 'company', '--dry-run')
  expect(outcome.errors).toContain('1 inserted, 0 updated, 0 skipped, 1 failed')
  // The same key far below in the file.
  const rows = Array.from({ length: 2_500 }, (_, n) => `dry ${n % 2_400},Dry`)
  const twice = write('twice.csv', `name,city\n${rows.join('\n')}\n`)
  const tried = await run('import', twice, '--table', 'company', '--key', 'name', '--dry-run')
  expect(tried.errors).toContain('2400 inserted, 100 updated, 0 skipped, 0 failed')
  expect(await count('Dry')).toEqual({ all: 0, names: 0 })
  expect(existsSync(`${twice}.docket-import`)).toBe(false)
})

test('a row that no request can carry is reported with its line, and the others are imported', async () => {
  const files = [
    ['odd.csv', 'name,city\nOdd one,Odd\nOdd \0,Odd\nOdd two,Odd\n'],
    [
      'odd.ndjson',
      String.raw`{"name":"Odd three","city":"Odd"}
{"name":"Odd \u0000","city":"Odd"}
{"name":"Odd four","city":"Odd"}`,
    ],
  ] as const
  for (const [name, text] of files) {
    const file = write(name, text)
    const { code, errors } = await run('import', file, '--table', 'company', '--key', 'name')
    expect([code, errors]).toEqual([1, expect.stringContaining('2 inserted, 0 updated, 0 skipped, 1 failed')])
    expect(errors).toMatch(/line [23]: .* the character U\+0000\./)
    expect(existsSync(`${file}.docket-import`)).toBe(false)
  }
  expect(await count('Odd')).toEqual({ all: 4, names: 4 })
})

test('a line of NDJSON that names a column twice is rejected, as in a dry run', async () => {
  const file = write('twice.ndjson', '{"name":"Two cities","city":"Twice","city":"Once"}\n')
  for (const more of [[], ['--dry-run']]) {
    const { code, errors } = await run('import', file, '--table', 'company', ...more)
    expect([code, errors]).toEqual([1, expect.stringMatching(/line 1: .*: the key "city" occurs twice/)])
  }
})

test('a file in another encoding is imported when it is named, and rejected with its line when it is not', async () => {
  const windows1251 = Buffer.from([...Buffer.from('name,city\nname 1,Cyr\n'), 0xcf, 0xe5, ...Buffer.from(',Cyr\n')])
  const file = join(folder, 'cyrillic.csv')
  writeFileSync(file, windows1251)
  const rejected = await run('import', file, '--table', 'company')
  expect(rejected.code).toBe(1)
  expect(rejected.errors).toContain('line 3: text in the encoding that is named')
  expect(rejected.errors).toContain('1 inserted, 0 updated, 0 skipped, 1 failed')
  const named = await run('import', file, '--table', 'company', '--key', 'name', '--encoding', 'windows-1251')
  expect(named.errors).toContain('1 inserted, 1 updated, 0 skipped, 0 failed')
  const rows = await stage.docket.database.rows(sql`select name from docket.company where city = 'Cyr' order by name`)
  expect(rows).toEqual([{ name: 'name 1' }, { name: 'Пе' }])
})

test('rows that are together larger than a request are sent in several, and a row that is too long is named', async () => {
  const { database } = stage.docket
  await database.rows(sql`select docket_system.define_table('wide', 'Wide', 'Широкие')`)
  await database.rows(
    sql`select docket_system.define_column('wide', 'body', 'text', 'Body', 'Текст', '{"full_text_search": false}')`,
  )
  // 19 rows of 1.8 MB are 34.2 MB; a request takes 32 MiB.
  const rows = Array.from({ length: 19 }, (_, n) => ({ body: 'я'.repeat(900_000) + n }))
  const tooLong = { body: 'x'.repeat(33_600_000) }
  const file = write('wide.ndjson', [tooLong, ...rows].map((row) => JSON.stringify(row)).join('\n'))
  const imported = await run('import', file, '--table', 'wide')
  expect([imported.code, imported.errors]).toEqual([
    1,
    expect.stringContaining('19 inserted, 0 updated, 0 skipped, 1 failed'),
  ])
  expect(imported.errors).toContain(
    'line 1: a JSON object of column names and values is expected; found more than 33554432 characters.',
  )
  expect(
    await database.rows(sql`select count(*)::integer as n, count(distinct body)::integer as bodies from docket.wide`),
  ).toEqual([{ n: 19, bodies: 19 }])
})

/** Waits until an import has recorded that rows are written, or has ended. */
async function untilSomeAreIn(file: string, command: { readonly outcome: Promise<unknown> }): Promise<void> {
  let isOver = false
  command.outcome.then(() => {
    isOver = true
  })
  const rowsIn = (): number => {
    const text = existsSync(`${file}.docket-import`) ? readFileSync(`${file}.docket-import`, 'utf8') : '{"rows":0}'
    return (JSON.parse(text) as { rows: number }).rows
  }
  await expect.poll(() => isOver || rowsIn() > 0, { timeout: 100_000, interval: 5 }).toBe(true)
}

test('an import that is interrupted goes on where it was', async () => {
  const rows = Array.from({ length: 12_000 }, (_, n) => `company ${n},Long`)
  const file = write('long.csv', `name,city\n${rows.join('\n')}\n`)
  const command = startCommand(environment(), ['records', 'import', file, '--table', 'company'])
  await untilSomeAreIn(file, command)
  command.child.kill('SIGINT')
  const { code } = await command.outcome
  // A fast machine may finish first.
  expect([0, 130]).toContain(code)
  if (code === 130) {
    const rest = await run('import', file, '--table', 'company')
    expect(rest.errors).toContain('rows are in already; going on behind them.')
    expect(rest.errors).toContain('12000 inserted, 0 updated, 0 skipped, 0 failed')
  }
  expect(await count('Long')).toEqual({ all: 12_000, names: 12_000 })
})

test('an import that is killed goes on where it was: no row is lost and none is there twice, without a key too', async () => {
  const rows = Array.from({ length: 15_000 }, (_, n) => `company ${n},Killed${n === 4_321 ? ',too many' : ''}`)
  const file = write('killed.csv', `name,city\n${rows.join('\n')}\n`)
  let isOver = false
  // Killed repeatedly while rows of a request whose response nobody will read are being sent.
  for (let time = 0; time < 4 && !isOver; time += 1) {
    const command = startCommand(environment(), ['records', 'import', file, '--table', 'company'])
    const known = (await count('Killed'))?.all ?? 0
    command.outcome.then(() => {
      isOver = true
    })
    const isMoving = async () => isOver || ((await count('Killed'))?.all ?? 0) > known
    await expect.poll(isMoving, { timeout: 100_000, interval: 5 }).toBe(true)
    command.child.kill('SIGKILL')
    const { code } = await command.outcome
    isOver = code !== null
  }
  if (!isOver) {
    const rest = await run('import', file, '--table', 'company')
    expect([rest.code, rest.errors]).toEqual([
      1,
      expect.stringContaining('14999 inserted, 0 updated, 0 skipped, 1 failed'),
    ])
  }
  expect(await count('Killed')).toEqual({ all: 14_999, names: 14_999 })
})

test.each([
  [['import', 'nowhere.csv', '--table', 'company'], 2, 'nowhere.csv cannot be read.'],
  [['import', 'src', '--table', 'company', '--format', 'csv'], 2, 'src is a folder: name a file.'],
  [
    ['export', '--table', 'company', '--output', '-', '--with-files', 'package.json'],
    1,
    'package.json cannot be written',
  ],
  [['import', 'package.json', '--table', 'company'], 2, 'Say by --format whether the file is csv or ndjson.'],
  [['export', '--table', 'nothing', '--output', '-'], 1, 'There is no table nothing.'],
])('%j is rejected', async (args, code, message) => {
  const outcome = await run(...args)
  expect([outcome.code, outcome.errors]).toEqual([code, expect.stringContaining(message)])
})

const zipOf = (files: Readonly<Record<string, string>>): Buffer =>
  writeZip(Object.entries(files).map(([name, content]) => ({ name, content })))

test.each([
  ['a ZIP archive', ''],
  ['a ZIP archive of one folder', 'packed/'],
])('%s is a source of files of a migration (issue 8, B3)', async (name, prefix) => {
  const key = prefix === '' ? 'INC0077001' : 'INC0077002'
  const rows = write(`${key}.ndjson`, JSON.stringify({ number: key, subject: name }))
  const list = JSON.stringify({ record: key, path: 'deep/er/log.txt', file_name: 'журнал.txt' })
  const entries = { 'files.ndjson': list, 'deep/er/log.txt': 'smoke, then fire' }
  const archive = join(folder, `${key}.zip`)
  writeFileSync(
    archive,
    zipOf(Object.fromEntries(Object.entries(entries).map(([path, content]) => [`${prefix}${path}`, content]))),
  )
  const options = ['--table', 'itsm_incident', '--key', 'number', '--migrate', '--with-files', archive]
  const imported = await run('import', rows, ...options)
  expect([imported.code, imported.errors]).toEqual([0, expect.stringContaining('1 files attached, 0 failed')])
  const attached = await stage.docket.database.rows(sql`
    select a.file_name, a.size_bytes::integer as bytes from docket.sys_attachment a join docket.task t on t.sys_id::text = a.record_id
    where t.number = ${key}`)
  expect(attached).toEqual([{ file_name: 'журнал.txt', bytes: 16 }])
})

test.each([
  [
    'leads out of its archive',
    zipOf({ '../../out.txt': 'x' }),
    'files.zip',
    'cannot be unpacked: invalid relative path',
  ],
  ['is damaged', Buffer.from('PK\x03\x04 and nothing more'), 'files.zip', 'cannot be unpacked: '],
  ['is of another kind', Buffer.from(''), 'files.tar.gz', 'unpack it first, or give a ZIP archive or a folder'],
])('an archive of files that %s is rejected (issue 8, B3)', async (_name, bytes, file, message) => {
  const rows = write('one.ndjson', JSON.stringify({ number: 'INC0077003', subject: 'rejected' }))
  const archive = join(folder, file)
  writeFileSync(archive, bytes)
  const imported = await run(
    'import',
    rows,
    '--table',
    'itsm_incident',
    '--key',
    'number',
    '--migrate',
    '--again',
    '--with-files',
    archive,
  )
  expect([imported.code, imported.errors]).toEqual([2, expect.stringContaining(message)])
  expect(existsSync(join(folder, '..', '..', 'out.txt'))).toBe(false)
})
