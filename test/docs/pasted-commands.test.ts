import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'
import { docketCommands, readPage, runCommands } from '../harness/transcript.ts'

// The commands of these pages, pasted in order into one shell, do what the pages say. The pages show no output.

let fresh: FreshDatabase
let docket: RunningDocket
beforeAll(async () => {
  fresh = await freshDatabase('demo')
  docket = await startDocket({ fresh })
})
afterAll(async () => {
  await docket.close()
  await fresh.drop()
})

/** @param blocks how each block of the page begins. @returns what each block printed */
async function paste(
  page: string,
  blocks: readonly string[],
  environment: Readonly<Record<string, string>> = {
    DOCKET_DATABASE_URL: docket.connectionString,
    DOCKET_DATA_DIR: docket.dataDir,
  },
): Promise<readonly string[]> {
  const { setup } = readPage(page)
  expect(setup.map((block, at) => block.slice(0, blocks[at]?.length ?? 0))).toEqual(blocks)
  const { printed } = await runCommands([docketCommands], setup, {
    baseUrl: docket.baseUrl,
    folder: temporaryFolder(),
    environment,
  })
  return printed
}

test('docs/servicenow.md lists incidents, imports files of an instance, attaches files and makes a client (issue 9, step 10)', async () => {
  const printed = await paste('docs/servicenow.md', [
    'DOCKET=',
    'cat > people.xml',
    'INCIDENT=',
    'npx docket oauth-client',
  ])
  const [listed = '', imported = '', attached = '', client = ''] = printed
  expect((JSON.parse(listed) as { result: readonly unknown[] }).result).toHaveLength(5)
  expect(imported.match(/"result"/g)).toHaveLength(2)
  expect(attached.match(/"file_name":"log\.txt","content_type":"text\/plain"/g) ?? attached).toHaveLength(2)
  expect(client).toMatch(/^client_id=\w{32}\nclient_secret=\S{32}/m)
  const attachedTo = await docket.database.rows<{ readonly count: number }>(
    sql`select count(*)::integer as count from docket.sys_attachment where file_name = 'log.txt' and record_id is not null`,
  )
  expect(attachedTo).toEqual([{ count: 2 }])
})

test('docs/adoption.md adopts a schema, with rules, some tables, and a view with its key (issue 9, step 10)', async () => {
  await docket.database.rows(sql`create schema crm`)
  await docket.database.rows(sql`create table crm.customers (id integer primary key, name text not null)`)
  await docket.database.rows(
    sql`create table crm.orders (id integer primary key, customer integer references crm.customers, open boolean)`,
  )
  await docket.database.rows(sql`create view crm.open_orders as select id, customer from crm.orders where open`)
  const [printed = ''] = await paste('docs/adoption.md', ['docket adopt --schema crm --dry-run'])
  expect(printed).toContain('customers')
  const adopted = await docket.database.rows<{ readonly name: string }>(
    sql`select name from docket.sys_db_table where name in ('customers', 'orders', 'open_orders') order by name`,
  )
  expect(adopted.map(({ name }) => name)).toEqual(['customers', 'open_orders', 'orders'])
})

test('docs/troubleshooting.md examines an installation without a fault (issue 9, step 10)', async () => {
  const sound = await freshDatabase()
  const environment = { DOCKET_DATABASE_URL: sound.connectionString, DOCKET_DATA_DIR: temporaryFolder(0o700) }
  const [printed = ''] = await paste('docs/troubleshooting.md', ['docket doctor '], environment)
  await sound.drop()
  expect(printed).toMatch(/^ok +settings/m)
  expect(printed).toMatch(/"status": "ok"/)
})
