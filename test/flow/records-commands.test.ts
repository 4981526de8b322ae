import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DocumentStage, setDocumentStage } from '../contract/documents/stage.ts'
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
  expect(imported.errors).toContain('line 3: The value of active is refused')
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

test('a dry run keeps nothing', async () => {
  const file = write('dry.ndjson', '{"name":"Dry","city":"Dry"}\n{"nothing":1}\n')
  const outcome = await run('import', file, '--table', 'company', '--dry-run')
  expect(outcome.errors).toContain('1 inserted, 0 updated, 0 skipped, 1 failed')
  expect(await count('Dry')).toEqual({ all: 0, names: 0 })
})

test('an import that is interrupted goes on where it was', async () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => `company ${n},Long`)
  const file = write('long.csv', `name,city\n${rows.join('\n')}\n`)
  const command = startCommand(environment(), ['records', 'import', file, '--table', 'company'])
  let isOver = false
  command.outcome.then(() => {
    isOver = true
  })
  await expect.poll(() => isOver || existsSync(`${file}.docket-import`), { timeout: 100_000, interval: 5 }).toBe(true)
  command.child.kill('SIGINT')
  const { code } = await command.outcome
  // A fast machine may be at the end before it hears of it.
  expect([0, 130]).toContain(code)
  if (code === 130) {
    expect((await count('Long'))?.all).toBeLessThan(3_000)
    const rest = await run('import', file, '--table', 'company')
    expect(rest.errors).toContain('rows are in already; going on behind them.')
    expect(rest.errors).toContain('3000 inserted, 0 updated, 0 skipped, 0 failed')
  }
  expect(await count('Long')).toEqual({ all: 3_000, names: 3_000 })
})

test.each([
  [['import', 'nowhere.csv', '--table', 'company'], 2, 'nowhere.csv cannot be read.'],
  [['import', 'package.json', '--table', 'company'], 2, 'Say by --format whether the file is csv or ndjson.'],
  [['export', '--table', 'nothing', '--output', '-'], 1, 'There is no table nothing.'],
])('%j is refused', async (args, code, message) => {
  const outcome = await run(...args)
  expect([outcome.code, outcome.errors]).toEqual([code, expect.stringContaining(message)])
})
