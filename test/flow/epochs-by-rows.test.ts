import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

/** A raised epoch makes every process read the dictionary or the users again, so writes of no rows must not raise one. */
let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase('demo')
})
afterAll(() => fresh.drop())

const run = (statement: ReturnType<typeof sql>) => fresh.database.rows(statement)
const epochs = () => run(sql`select catalog, identity from docket_system.epoch`)

/** Which epochs a write raises. */
async function raisedBy(statement: ReturnType<typeof sql>): Promise<string> {
  const [before] = (await epochs()) as readonly { catalog: string; identity: string }[]
  await run(statement)
  const [after] = (await epochs()) as readonly { catalog: string; identity: string }[]
  return [after?.catalog !== before?.catalog && 'catalog', after?.identity !== before?.identity && 'identity']
    .filter((each) => each !== false)
    .join(' ')
}

const CATALOG = [
  'sys_db_table',
  'sys_db_column',
  'sys_db_column_type',
  'sys_translated_text',
  'sys_choice',
  'sys_property',
  'sys_number',
]
const VIEWS = ['sys_ui_form', 'sys_ui_form_section', 'sys_ui_form_element']
const RULES = ['sys_security_acl', 'sys_dynamic_option', 'sys_state_model', 'sys_state_transition']
const IDENTITY = ['sys_role_contains', 'sys_user_has_role', 'sys_user_group', 'sys_group_has_role']
const raises: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...CATALOG, ...VIEWS, ...RULES].map((table) => [table, 'catalog'])),
  ...Object.fromEntries(IDENTITY.map((table) => [table, 'identity'])),
  sys_role: 'catalog identity',
}

describe.each(Object.entries(raises))('%s (issue 8)', (name, expected) => {
  const table = sql.ref(`docket.${name}`)

  test('writes of no rows raise no epoch', async () => {
    expect(await raisedBy(sql`update ${table} set sys_updated_at = sys_updated_at where false`)).toBe('')
    expect(await raisedBy(sql`delete from ${table} where false`)).toBe('')
    expect(await raisedBy(sql`insert into ${table} select * from ${table} where false`)).toBe('')
  })

  test('a row that is updated raises the epoch', async () => {
    const update = sql`update ${table} set sys_updated_at = sys_updated_at where sys_id = (select min(sys_id) from ${table})`
    const [row] = (await run(sql`select count(*)::integer as count from ${table}`)) as readonly { count: number }[]
    expect(await raisedBy(update)).toBe(row?.count === 0 ? '' : expected)
  })
})

test('a row that is inserted or deleted raises the epoch (issue 8)', async () => {
  expect(await raisedBy(sql`insert into docket.sys_property (name, value) values ('epoch.test', '1')`)).toBe('catalog')
  expect(await raisedBy(sql`delete from docket.sys_property where name = 'epoch.test'`)).toBe('catalog')
  expect(await raisedBy(sql`insert into docket.sys_role (name) values ('epoch_test')`)).toBe('catalog identity')
  expect(await raisedBy(sql`delete from docket.sys_role where name = 'epoch_test'`)).toBe('catalog identity')
  expect(await raisedBy(sql`truncate docket.sys_user_group`)).toBe('identity')
})

describe('users, groups and keys (issue 8)', () => {
  const user = sql`(select min(sys_id) from docket."user")`
  test.each([
    ['the same name', sql`update docket."user" set user_name = user_name`, ''],
    ['another e-mail address', sql`update docket."user" set email = 'other@example.com' where sys_id = ${user}`, ''],
    ['another display name', sql`update docket."user" set display_name = 'Other' where sys_id = ${user}`, 'identity'],
    [
      'another language of one of all',
      sql`update docket."user" set language = case sys_id when ${user} then 'ru' else language end`,
      'identity',
    ],
    ['the end of a user', sql`update docket."user" set active = false where sys_id = ${user}`, 'identity'],
    ['no user', sql`update docket."user" set active = false where false`, ''],
    ['a group as it is', sql`update docket.sys_group set active = active`, ''],
    ['the end of groups', sql`update docket.sys_group set active = not active`, 'identity'],
    ['no generation', sql`update docket_system.user_generation set generation = 2 where false`, ''],
    [
      'a generation',
      sql`insert into docket_system.user_generation values (${user}, 99) on conflict (user_id) do update set generation = 99`,
      'identity',
    ],
  ])('%s', async (_name, statement, expected) => {
    expect(await raisedBy(statement)).toBe(expected)
  })

  test('a key that is used raises no epoch, a key that is revoked does', async () => {
    await run(sql`insert into docket_system.access_key (key_hash, kind, user_id, generation, created_at, created_by, expires_at)
      values (decode(repeat('00', 32), 'hex'), 'session', ${user}, 1, now(), 1, now())`)
    expect(await raisedBy(sql`update docket_system.access_key set last_used_at = now()`)).toBe('')
    expect(await raisedBy(sql`update docket_system.access_key set revoked_at = now()`)).toBe('identity')
  })
})
