import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from '../records/fixture.ts'

/** Lists, aggregates and exports of the log say since when changes are removed, as the history of one record does (decision 0035). */

const PREFIX = 'c0ffee0123456789'
const GONE = '990000000000000001'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`update docket_system.served_id set prefix = ${PREFIX}`,
    sql`delete from docket.sys_security_acl where table_name in ('sys_history', 'sys_record_deletion_log', 'sys_property')`,
    rule({ operation: 'read', table: 'sys_history', roles: ['user', 'itil'] }),
    rule({ operation: 'read', table: 'sys_record_deletion_log', roles: ['user'] }),
    sql`insert into docket_system.history_retention (table_id, removed_before)
      select t.sys_id, r.removed_before::timestamp from docket.sys_db_table t
      join (values ('task', '2025-01-01'), ('company', '2025-02-01'), ('sys_property', '2025-03-01')) as r (name, removed_before) using (name)`,
    sql`insert into docket_system.history_retention (table_id, removed_before) values (0, '2025-04-01')`,
  ])
})
afterAll(() => stage.close())

async function removedBefore(as: Who, path: string): Promise<unknown> {
  const response = await stage.send(as, path)
  expect(response.status).toBe(200)
  return response.headers['x-history-removed-before'] ?? null
}

const idOf = async (table: string): Promise<string> => {
  const rows = await stage.run(sql`select sys_id::text as id from docket.sys_db_table where name = ${table}`)
  return (rows as readonly { readonly id: string }[])[0]?.id ?? ''
}

const listOf = (as: Who, query: string, table = 'sys_history') =>
  removedBefore(as, `GET /rest/v1/table/${table}?sysparm_limit=1&sysparm_query=${encodeURIComponent(query)}`)

describe('the latest time of the tables in the list', () => {
  test('of all tables that the caller may read', async () => {
    expect(await listOf('admin', '')).toBe('2025-04-01 00:00:00')
    expect(await listOf('admin', '', 'sys_record_deletion_log')).toBe('2025-04-01 00:00:00')
    expect(await listOf('reader', '')).toBe('2025-02-01 00:00:00')
  })

  test('of the tables that the query names', async () => {
    const [task, company, incident] = [await idOf('task'), await idOf('company'), await idOf('itsm_incident')]
    expect(await listOf('admin', `table_id=${task}^column_name=subject`)).toBe('2025-01-01 00:00:00')
    expect(await listOf('admin', 'table_id.name=task^ORDERBYDESCsys_created_at')).toBe('2025-01-01 00:00:00')
    expect(await listOf('admin', `table_idIN${task},${company}`)).toBe('2025-02-01 00:00:00')
    expect(await listOf('admin', `table_id=${task}^ORtable_id=${company}`)).toBe('2025-02-01 00:00:00')
    expect(await listOf('admin', `table_id=${task}`, 'sys_record_deletion_log')).toBe('2025-01-01 00:00:00')
    expect(await listOf('admin', `table_id=${incident}`)).toBe(null)
  })

  test('conditions that do not name tables narrow nothing', async () => {
    const task = await idOf('task')
    for (const query of [
      `table_id!=${task}`,
      `table_id=${task}^ORcolumn_name=name`,
      'record_id=1001',
      `table_id.nameLIKEtas`,
    ])
      expect({ query, at: await listOf('admin', query) }).toEqual({ query, at: '2025-04-01 00:00:00' })
  })

  test('of tables that the dictionary no longer has, only for callers who see their changes', async () => {
    expect(await listOf('admin', `table_id=${GONE}`)).toBe('2025-04-01 00:00:00')
    expect(await listOf('reader', `table_id=${GONE}`)).toBe(null)
  })

  test('by POST and by cursor, too, and not for other tables', async () => {
    const body = { sysparm_query: 'table_id.name=company', sysparm_limit: '1' }
    const posted = await stage.send('admin', 'POST /rest/v1/table/sys_history/query', { body })
    expect(posted.headers['x-history-removed-before']).toBe('2025-02-01 00:00:00')
    expect(await removedBefore('admin', 'GET /rest/v1/table/sys_history?sysparm_cursor=*')).toBe('2025-04-01 00:00:00')
    expect(await removedBefore('admin', 'GET /rest/v1/table/task')).toBe(null)
  })
})

describe('aggregates and exports have the time that a list of the same rows has', () => {
  const kinds = ['table', 'stats', 'export'] as const
  const times = (as: Who, table: string, query: string): Promise<readonly unknown[]> =>
    Promise.all(
      kinds.map((kind) =>
        removedBefore(as, `GET /rest/v1/${kind}/${table}?sysparm_query=${encodeURIComponent(query)}`),
      ),
    )

  test('by the tables that the query names and the caller may read', async () => {
    const thrice = (at: string | null): readonly unknown[] => [at, at, at]
    expect(await times('admin', 'sys_history', '')).toEqual(thrice('2025-04-01 00:00:00'))
    expect(await times('admin', 'sys_history', 'table_id.name=task')).toEqual(thrice('2025-01-01 00:00:00'))
    expect(await times('admin', 'sys_record_deletion_log', '')).toEqual(thrice('2025-04-01 00:00:00'))
    expect(await times('reader', 'sys_history', '')).toEqual(thrice('2025-02-01 00:00:00'))
    expect(await times('admin', 'sys_history', `table_id=${await idOf('itsm_incident')}`)).toEqual(thrice(null))
    expect(await times('admin', 'task', '')).toEqual(thrice(null))
  })

  test('with groups, conditions on groups and as lines of JSON', async () => {
    const grouped = 'GET /rest/v1/stats/sys_history?sysparm_group_by=table_id&sysparm_having=count%3E1000000'
    expect(await removedBefore('admin', grouped)).toBe('2025-04-01 00:00:00')
    expect(await removedBefore('admin', 'GET /rest/v1/export/sys_history?format=ndjson')).toBe('2025-04-01 00:00:00')
  })
})

test('a table that the caller may not read has no time for them, whether or not the query names it', async () => {
  const denied = await idOf('sys_property')
  expect(await listOf('admin', `table_id=${denied}`)).toBe('2025-03-01 00:00:00')
  expect(await listOf('reader', `table_id=${denied}`)).toBe(null)
  expect(await listOf('reader', `table_idIN${denied},${await idOf('task')}`)).toBe('2025-01-01 00:00:00')
  const rejected = await stage.send('nobody', 'GET /rest/v1/table/sys_history')
  expect([rejected.status, rejected.headers['x-history-removed-before']]).toEqual([403, undefined])
})

test('a reader of the deletion log of some tables only sees nothing of others', async () => {
  const narrowed = await setStage([
    sql`delete from docket.sys_security_acl where table_name in ('sys_record_deletion_log', 'sys_property')`,
    rule({ operation: 'read', table: 'sys_record_deletion_log', roles: ['user'], condition: 'table_id.name=company' }),
    sql`insert into docket_system.history_retention (table_id, removed_before)
      select sys_id, '2025-03-01' from docket.sys_db_table where name = 'sys_property'`,
  ])
  const response = await narrowed.send('reader', 'GET /rest/v1/table/sys_record_deletion_log')
  expect([response.status, response.headers['x-history-removed-before']]).toEqual([200, undefined])
  await narrowed.close()
})

test('in the API for clients of ServiceNow', async () => {
  expect(await removedBefore('admin', 'GET /api/now/table/sys_audit?sysparm_limit=1')).toBe('2025-04-01 00:00:00')
  for (const query of ['tablename=task', 'sysparm_query=tablename=task', 'sysparm_query=tablenameINtask,incident'])
    expect({
      query,
      at: await removedBefore('admin', `GET /api/now/table/sys_audit?sysparm_limit=1&${query}`),
    }).toEqual({ query, at: '2025-01-01 00:00:00' })
  // The log of deletions shows the reader all of its rows, also those of tables that they may not read.
  expect(await removedBefore('admin', 'GET /api/now/stats/sys_audit?sysparm_count=true')).toBe('2025-04-01 00:00:00')
  const deleted = 'GET /api/now/table/sys_audit_delete?tablename=sys_properties'
  expect(await removedBefore('reader', deleted)).toBe('2025-03-01 00:00:00')
})
