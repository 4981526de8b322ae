import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { migrate } from '../../src/database/migrations.ts'
import { sql } from '../../src/kernel/sql.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { freshDatabase } from '../harness/fresh-database.ts'
import { migrationsBefore } from '../harness/migrations-before.ts'

test('an upgrade gives creates that were logged as the value of a column `v` their column', async () => {
  const fresh = await freshDatabase('blank')
  const folder = migrationsBefore('log_of_a_column_v')
  try {
    const options = { connectionString: fresh.connectionString, observe: observeNothing }
    await migrate({ ...options, folder })
    await fresh.database.rows(sql`select docket_system.define_column('company', 'v', 'string', 'V', 'V', '{}'::jsonb)`)
    await fresh.database.rows(sql`insert into docket_system.change (operation, table_id, record_id, changes)
      select 'c', sys_id, '301', c from docket.sys_db_table, unnest(array['"text"', '{"name":"Acme"}']::jsonb[]) as c where name = 'company'`)
    await migrate(options)
    expect(
      await fresh.database.rows(
        sql`select changes from docket_system.change where record_id = '301' order by position`,
      ),
    ).toEqual([{ changes: { v: 'text' } }, { changes: { name: 'Acme' } }])
  } finally {
    rmSync(folder, { recursive: true })
    await fresh.drop()
  }
})
