import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { migrate } from '../../src/database/migrations.ts'
import { administratorId } from '../../src/identity/administrator.ts'
import { sql } from '../../src/kernel/sql.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { freshDatabase } from '../harness/fresh-database.ts'
import { migrationsBefore } from '../harness/migrations-before.ts'

const OTHER = '201'

test('an upgrade gives a webhook the rights of who set its address, and nobody’s where that is unknown (issue 8, A9)', async () => {
  const fresh = await freshDatabase('blank')
  const folder = migrationsBefore('rights_of_webhooks')
  try {
    const options = { connectionString: fresh.connectionString, observe: observeNothing }
    await migrate({ ...options, folder })
    const run = <Row>(statement: ReturnType<typeof sql<Row>>) => fresh.database.rows<Row>(statement)
    await run(sql`insert into docket."user" (sys_id, user_name) values (${OTHER}::bigint, 'other')`)
    const hook = async (name: string, [createdBy, updatedBy]: readonly [string, string], logged: readonly object[]) => {
      const [made] = await run<{ id: string; class: string }>(sql`
        insert into docket.sys_webhook (name, url, sys_created_by, sys_updated_by)
        values (${name}, 'https://example.com', ${createdBy}::bigint, ${updatedBy}::bigint)
        returning sys_id::text as id, sys_db_table_id::text as class`)
      for (const { operation, by, changes } of logged as readonly {
        operation: string
        by: string
        changes: object
      }[]) {
        await run(sql`insert into docket_system.change (operation, table_id, record_id, changed_by, changes)
          values (${operation}, ${made?.class}::bigint, ${made?.id}, ${by}::bigint, ${JSON.stringify(changes)}::jsonb)`)
      }
    }
    const created = (by: string) => ({ operation: 'c', by, changes: { name: 'x', url: 'https://example.com' } })
    const changed = (by: string, column: string) => ({ operation: 'u', by, changes: { [column]: ['a', 'b'] } })
    await hook('by its creator', [administratorId, administratorId], [created(administratorId)])
    await hook(
      'renamed by an administrator',
      [OTHER, administratorId],
      [created(OTHER), changed(administratorId, 'name')],
    )
    await hook(
      'sent elsewhere, then renamed',
      [administratorId, administratorId],
      [created(administratorId), changed(OTHER, 'url'), changed(administratorId, 'name')],
    )
    await hook('before the log, of one hand', [administratorId, administratorId], [])
    await hook('before the log, of two hands', [OTHER, administratorId], [changed(administratorId, 'name')])
    await migrate(options)
    expect(await run(sql`select name, run_as::text as run_as from docket.sys_webhook order by sys_id`)).toEqual([
      { name: 'by its creator', run_as: administratorId },
      { name: 'renamed by an administrator', run_as: OTHER },
      { name: 'sent elsewhere, then renamed', run_as: OTHER },
      { name: 'before the log, of one hand', run_as: administratorId },
      { name: 'before the log, of two hands', run_as: null },
    ])
  } finally {
    rmSync(folder, { recursive: true })
    await fresh.drop()
  }
})
