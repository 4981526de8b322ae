import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

test('only changes of these columns of a task write its indexes: all others can be HOT updates (issue 12, F)', async () => {
  // pg_depend also knows the columns of expressions and of conditions.
  const rows = await fresh.database.rows<{ name: string }>(sql`
    select distinct a.attname as name from pg_index x
    join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = x.indexrelid and d.refobjid = x.indrelid and d.refobjsubid > 0
    join pg_attribute a on a.attrelid = x.indrelid and a.attnum = d.refobjsubid
    where x.indrelid = 'docket.task'::regclass`)
  const constraint = await fresh.database.rows<{ name: string }>(sql`
    select a.attname as name from pg_index x join pg_attribute a on a.attrelid = x.indrelid and a.attnum = any(x.indkey)
    where x.indrelid = 'docket.task'::regclass`)
  const names = new Set([...rows, ...constraint].map(({ name }) => name))
  expect([...names].toSorted()).toEqual([
    'active',
    'assigned_user',
    'assignment_group',
    'caller',
    'closed_by',
    'company',
    'contact',
    'description',
    'display_name',
    'due_date',
    'number',
    'opened_by',
    'parent_id',
    'priority',
    'requested_for',
    'service',
    'short_description',
    'state',
    'subject',
    'sys_created_at',
    'sys_db_table_id',
    'sys_id',
  ])
})
