import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashPassword } from '../../src/identity/passwords.ts'
import { sql } from '../../src/kernel/sql.ts'
import { PASSWORD, type Stage, setStage } from '../contract/records/fixture.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

// The commands of docs/moving-in.md, from a desk with tickets, journals and files into an empty server. `npm run bench:moving`
// does it with ten thousand tickets.
const tickets = Number(process.env['DOCKET_MOVING_TICKETS'] ?? '300')
const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}/docs/moving-in.md`, 'utf8')
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
const folder = temporaryFolder()
/** Of the desk that the fixture makes. */
const othersThere = 5
const timeoutMs = Math.max(120_000, tickets * 60)

let old: Stage
let fresh: RunningDocket
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  old = await setStage([
    sql`insert into docket."user" (sys_id, user_name, display_name, company) values (251, 'john.smith', 'John Smith', 301)`,
    // Each refers to one further down, or further up; all kinds of states, and times of years ago.
    sql`insert into docket.task (sys_id, sys_db_table_id, number, subject, description, state, caller, parent_id, opened_at, closed_at, active,
          sys_created_at, sys_created_by, sys_updated_at, sys_updated_by)
        select 150000000000100000 + n, (select sys_id from docket.sys_db_table where name = 'itsm_incident'), 'INC' || lpad((10000 + n)::text, 7, '0'),
          case n % 3 when 0 then '=1+1' when 1 then 'Тикет ' || n else '''quoted'' ' || n end, case n % 5 when 0 then '' when 1 then null else E'line\nline' end,
          (array['0', '1', '2', '3', '7', '10'])[1 + n % 6], 201 + n % 4,
          case when n % 4 = 0 and n < ${tickets}::integer then 150000000000100001 + n end,
          timestamp '2019-01-01' + n * interval '1 hour', case when n % 6 = 5 then timestamp '2019-02-01' + n * interval '1 hour' end, n % 6 <> 5,
          timestamp '2019-01-01' + n * interval '1 hour', 202, timestamp '2019-03-01' + n * interval '1 hour', 201
        from generate_series(1, ${tickets}::integer) as n`,
    sql`insert into docket.sys_journal_entry (sys_id, table_id, record_id, column_name, value, sys_created_at, sys_created_by, sys_updated_at, sys_updated_by)
        select 150000000010000000 + n * 10 + m, t.sys_db_table_id, t.sys_id::text, (array['work_notes', 'comments'])[1 + m % 2], 'note ' || n || E'\n' || m,
          t.sys_created_at + m * interval '1 minute', 201 + m, t.sys_created_at + m * interval '1 minute', 201 + m
        from generate_series(1, ${tickets}::integer) as n join docket.task t on t.sys_id = 150000000000100000 + n, generate_series(0, 2) as m`,
  ])
  const admin = old.callerOf('admin')
  for (let n = 10; n <= tickets; n += 10) {
    const form = new FormData()
    form.append('files[]', new Blob([`file of ${n}`]), n % 20 === 0 ? 'log.txt' : 'снимок / экрана.txt')
    const { status } = await fetch(
      `${old.docket.baseUrl}/v1/attachments/upload/itsm_incident/${150000000000100000n + BigInt(n)}`,
      {
        method: 'POST',
        body: form,
        headers: { authorization: basicOf(admin as { user: string; password: string }) },
      },
    )
    expect(status).toBe(200)
  }
  fresh = await startDocket()
  await fresh.database.rows(
    sql`update docket."user" set password = ${await hashPassword(PASSWORD)} where user_name = 'admin'`,
  )
}, timeoutMs)
afterAll(async () => {
  await old.close()
  await fresh.close()
  rmSync(folder, { recursive: true, force: true })
})

const basicOf = ({ user, password }: { readonly user: string; readonly password: string }): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

async function keyOf(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  })
  return ((await response.json()) as { data: { auth_key: string } }).data.auth_key
}

/** Pastes the blocks in order into one shell. */
async function paste(lines: readonly string[]): Promise<string> {
  const script = lines.join('\n').replaceAll('npx docket', `"${process.execPath}" "${root}/bin/docket.js"`)
  const { stdout, stderr } = await promisify(execFile)('sh', ['-e', '-c', script], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      OLD: old.docket.baseUrl,
      NEW: fresh.baseUrl,
      OLD_TOKEN: await keyOf(old.docket.baseUrl),
      NEW_TOKEN: await keyOf(fresh.baseUrl),
    },
    maxBuffer: 100_000_000,
  })
  return stdout + stderr
}

test(`${tickets} tickets with journals and files move to an empty server, and the second export equals the first (issue 8, B3)`, {
  timeout: timeoutMs,
}, async () => {
  expect(blocks).toHaveLength(5)
  const stated = await paste(blocks.slice(0, 4))
  expect(stated).toContain(`itsm_incident.ndjson: ${tickets + othersThere} inserted, 0 updated, 0 skipped, 0 failed`)
  expect(stated).toContain(`moving/files: ${Math.floor(tickets / 10)} files attached, 0 failed`)
  const exported = readFileSync(join(folder, 'moving/itsm_incident.ndjson'), 'utf8').trim().split('\n')
  expect(exported).toHaveLength(tickets + othersThere)
  expect(JSON.parse(exported.find((line) => line.includes('INC0010001')) ?? '')).toMatchObject({
    number: 'INC0010001',
    sys_created_by: '202',
    comments: [{ value: 'note 1\n1', sys_created_at: '2019-01-01 01:01:00', sys_created_by: '202' }],
  })
  // A second import finds everything: nothing is duplicated.
  const again = await paste([blocks[0] ?? '', blocks[2] ?? '', (blocks[3] ?? '').replaceAll('again', 'third')])
  expect(again).toContain(`itsm_incident.ndjson: 0 inserted, ${tickets + othersThere} updated, 0 skipped, 0 failed`)
  // The logs record that the records were migrated.
  const [log] =
    await fresh.database.rows(sql`select count(*)::integer as all, count(*) filter (where migrated)::integer as migrated
    from docket_system.change c where c.operation = 'c' and c.record_id like '15000000000%'`)
  expect(log).toMatchObject({ migrated: (log as { all: number }).all })
})

test('the same as CSV: what was exported and imported is exported as it was (issue 8, B3, A10)', {
  timeout: timeoutMs,
}, async () => {
  const csv = [
    'export DOCKET_URL=$NEW DOCKET_TOKEN=$NEW_TOKEN',
    'npx docket records export --table itsm_incident --output moving/one.csv --with-journals',
    'npx docket records import moving/one.csv --table itsm_incident --key sys_id --migrate',
    'npx docket records export --table itsm_incident --output moving/two.csv --with-journals',
    'diff moving/one.csv moving/two.csv',
  ]
  expect(await paste([blocks[0] ?? '', ...csv])).toContain(
    `0 inserted, ${tickets + othersThere} updated, 0 skipped, 0 failed`,
  )
})

test('tickets of another system come by a mapping, with files by number (issue 8, B3)', {
  timeout: timeoutMs,
}, async () => {
  const stated = await paste([blocks[0] ?? '', 'export DOCKET_URL=$NEW DOCKET_TOKEN=$NEW_TOKEN', blocks[4] ?? ''])
  expect(stated.match(/tickets\.csv: 2 inserted, 0 updated, 0 skipped, 0 failed/g)).toHaveLength(2)
  expect(stated).toContain('moving/old-files: 1 files attached, 0 failed')
  const rows =
    await fresh.database.rows(sql`select t.number, t.subject, t.state, t.active, t.opened_at::text as opened_at, t.closed_at, u.user_name,
      (select count(*)::integer from docket.sys_attachment a where a.record_id = t.sys_id::text) as files
    from docket.task t join docket."user" u on u.sys_id = t.caller where t.number like 'INC009%' order by 1`)
  expect(rows).toEqual([
    {
      number: 'INC0090001',
      subject: 'The printer is on fire',
      state: '10',
      active: false,
      opened_at: '2020-03-01 09:00:00',
      closed_at: null,
      user_name: 'john.smith',
      files: 1,
    },
    {
      number: 'INC0090002',
      subject: 'No paper',
      state: '0',
      active: true,
      opened_at: '2020-03-02 10:30:00',
      closed_at: null,
      user_name: 'john.smith',
      files: 0,
    },
  ])
})

test('a row that refers to one in a later part of a long file waits for it (issue 8, B3)', {
  timeout: timeoutMs,
}, async () => {
  const rows = Array.from({ length: 2_100 }, (_, n) =>
    JSON.stringify({
      sys_id: String(150000000020000000n + BigInt(n)),
      subject: `late ${n}`,
      ...(n < 1_050 ? { parent_id: String(150000000020000000n + BigInt(2_000 + (n % 50))) } : {}),
    }),
  )
  mkdirSync(join(folder, 'moving'), { recursive: true })
  writeFileSync(
    join(folder, 'moving/late.ndjson'),
    [...rows, '{"subject":"late bad","parent_id":"150000000029999999"}'].join('\n'),
  )
  const stated = await paste([
    blocks[0] ?? '',
    'export DOCKET_URL=$NEW DOCKET_TOKEN=$NEW_TOKEN',
    'npx docket records import moving/late.ndjson --table task --migrate || true',
  ])
  expect(stated).toContain('line 2101: ')
  expect(stated).toContain('late.ndjson: 2100 inserted, 0 updated, 0 skipped, 1 failed')
})
