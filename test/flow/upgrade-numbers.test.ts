import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { migrate } from '../../src/database/migrations.ts'
import { ensureAdministrator } from '../../src/identity/administrator.ts'
import { sql } from '../../src/kernel/sql.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { admin, freshDatabase } from '../harness/fresh-database.ts'
import { migrationsBefore } from '../harness/migrations-before.ts'
import { startDocket } from '../harness/start-docket.ts'

test('an upgrade moves each counter above the numbers that stand already, and creates do not collide (issue 8, B2)', async () => {
  const fresh = await freshDatabase('blank')
  const folder = migrationsBefore('numbers')
  try {
    const options = { connectionString: fresh.connectionString, observe: observeNothing }
    await migrate({ ...options, folder })
    // The counters are before their first number; rows contain numbers a short way and a long way ahead, and of other forms.
    await fresh.database.rows(sql`
      insert into docket.task (sys_db_table_id, number, subject)
      select t.sys_id, r.number, 'before the upgrade' from docket.sys_db_table t join (values
        ('itsm_incident', 'INC0000003'), ('itsm_incident', 'INC0000007'), ('itsm_incident', 'inc0000005'), ('itsm_incident', 'INC-99'),
        ('itsm_incident', 'INC9999999999999999999999'), ('itsm_change_request', 'CHG0500000'), ('task', 'PRB0000041')) as r ("table", number)
        on t.name = r."table"`)
    await migrate(options)
    // Queried before the server runs: a create that meets a used number would also move its counter.
    expect(
      await fresh.database.rows(sql`select t.name, docket_system.last_number(n.sys_id)::int as last
        from docket.sys_number n join docket.sys_db_table t on t.sys_id = n.table_id
        where t.name like 'itsm_%' and t.name <> 'itsm_task' order by t.name`),
    ).toEqual([
      { name: 'itsm_change_request', last: 500_000 },
      { name: 'itsm_incident', last: 7 },
      { name: 'itsm_problem', last: 41 },
      { name: 'itsm_request', last: 0 },
    ])
    await ensureAdministrator(fresh.database, { password: admin.password })
    const docket = await startDocket({ fresh })
    try {
      const create = async (table: string): Promise<unknown> => {
        const response = await docket.request('POST', `/rest/v1/table/${table}?sysparm_fields=number`, {
          as: admin,
          body: { subject: 'after the upgrade' },
        })
        return [response.status, (response.body as { data?: unknown }).data]
      }
      for (const [table, number] of [
        ['itsm_incident', 'INC0000008'],
        ['itsm_incident', 'INC0000009'],
        ['itsm_change_request', 'CHG0500001'],
        // A number of a record of another class of the hierarchy: the column is unique in the whole hierarchy.
        ['itsm_problem', 'PRB0000042'],
        ['itsm_request', 'REQ0000001'],
      ] as const)
        expect([table, await create(table)]).toEqual([table, [200, [{ number }]]])
    } finally {
      await docket.close()
    }
  } finally {
    rmSync(folder, { recursive: true })
    await fresh.drop()
  }
})
