import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type DocumentStage, setDocumentStage } from '../contract/documents/stage.ts'
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts'
import { runCommand, startCommand } from '../harness/run-command.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'

const folder = temporaryFolder()
let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  mkdirSync(folder, { recursive: true })
})
afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true, force: true })
})

const rowsOf = (file: string) =>
  stage.docket.database.rows<{ rows: number; subjects: number; parents: number }>(sql`
    select count(*)::integer as rows, count(distinct subject)::integer as subjects, count(parent_id)::integer as parents
    from docket.task where starts_with(subject, ${file})`)
const filesOf = async (file: string) =>
  (
    await stage.docket.database.rows<{ name: string }>(sql`select a.file_name as name from docket.sys_attachment a
      join docket.task t on t.sys_id::text = a.record_id where starts_with(t.subject, ${file}) order by a.file_name`)
  ).map(({ name }) => name)

/** Three requests of rows. The first rows wait for one of the second request, which waits for one of the third; nobody has a sys_id. */
function writeSource(name: string): string {
  const numberOf = (row: number): string => `TSK${name}${row}`
  const rows = Array.from({ length: 2_010 }, (_, row) => ({
    subject: `${name} ${row}`,
    ...(row < 10 ? { parent_id: numberOf(1_500) } : {}),
    ...(row === 1_500 ? { number: numberOf(row), parent_id: numberOf(2_005) } : {}),
    ...(row === 2_005 ? { number: numberOf(row) } : {}),
  }))
  const file = join(folder, `${name}.ndjson`)
  writeFileSync(file, [...rows, { parent_id: 'nowhere' }].map((row) => JSON.stringify(row)).join('\n'))
  const attached = join(folder, name, numberOf(2_005))
  mkdirSync(attached, { recursive: true })
  for (const each of ['one.txt', 'two.txt']) writeFileSync(join(attached, each), each)
  return file
}

const environment = (address: string) => ({ DOCKET_URL: address, DOCKET_TOKEN: stage.keys.admin })

/** Kills the command when the server has responded to a request and the command does not know it. */
async function importUntilKilled(args: readonly string[], request: number): Promise<CuttingProxy> {
  const proxy = await startCuttingProxy(stage.docket.baseUrl, (number) => {
    if (number === request) command.child.kill('SIGKILL')
    return number === request
  })
  const command = startCommand(environment(proxy.baseUrl), args)
  expect(await command.outcome).toMatchObject({ code: null })
  return proxy
}

// Requests: three of rows, one of the rows that waited, another for the row that nobody can write, two files.
test.each([1, 2, 3, 4, 5, 6, 7])(
  'a migration that is killed in its request %i ends as if it had not been: rows without a sys_id are there once',
  { timeout: 120_000 },
  async (request) => {
    const name = `killed${request}`
    const file = writeSource(name)
    const args = ['records', 'import', file, '--table', 'task', '--migrate', '--with-files', join(folder, name)]
    const proxy = await importUntilKilled(args, request)
    const intoOther = await runCommand(environment(stage.docket.baseUrl), args)
    expect([intoOther.code, intoOther.errors]).toEqual([
      2,
      `An import of this file into ${proxy.baseUrl} was interrupted. Continue it with --server ${proxy.baseUrl}, or begin at the first row with --again.\n`,
    ])
    const { code, errors } = await runCommand(environment(proxy.baseUrl), args)
    await proxy.close()
    expect([code, errors]).toEqual([1, expect.stringContaining('2010 inserted, 0 updated, 0 skipped, 1 failed')])
    expect(errors).toContain('line 2011: ')
    expect(errors).toContain('2 files attached, 0 failed')
    expect(await rowsOf(name)).toEqual([{ rows: 2_010, subjects: 2_010, parents: 11 }])
    expect(await filesOf(name)).toEqual(['one.txt', 'two.txt'])
    expect(existsSync(`${file}.docket-import`)).toBe(false)
  },
)
