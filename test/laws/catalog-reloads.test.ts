import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { catalogSource } from '../../src/catalog/catalog-source.ts'
import { type DictionaryReading, loadCatalog, readDictionary } from '../../src/catalog/load-catalog.ts'
import { type Sql, sql } from '../../src/kernel/sql.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

let made = 0
const someTable = sql`(select sys_id from docket.sys_db_table order by hashint8(sys_id + ${sql.lit(7)}) limit 1)`
const pick = (from: 'sys_db_table' | 'sys_db_column', seed: number): Sql<unknown> =>
  sql`(select sys_id from docket.${sql.ref(from)} order by hashint8(sys_id + ${seed}) limit 1)`
const titleColumnOf = (of: string): Sql<unknown> => sql`
  (select c.sys_id from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id
   where t.name = ${of} and c.column_name = 'title')`

/** Changes of each kind of row in the dictionary. The law also holds for those that change nothing or are rejected. */
const changes: Readonly<Record<string, (seed: number) => Sql<unknown>>> = {
  'a new table': (seed) =>
    sql`select docket_system.define_table(${`law_${++made}`}, 'Law', ${seed % 2 ? 'Закон' : null})`,
  'a table below another': () =>
    sql`select docket_system.define_table(${`law_${++made}`}, 'Child', 'Дитя', '{"parent":"task"}')`,
  'a new column': () => sql`select docket_system.define_column('task', ${`law_${++made}`}, 'string', 'Law', 'Закон')`,
  'a column that refers': () =>
    sql`select docket_system.define_column('company', ${`law_${++made}`}, 'reference', 'To', 'К', '{"reference":"task"}')`,
  'another title of a table': (seed) =>
    sql`update docket.sys_db_table set title = ${`title ${seed}`} where sys_id = ${pick('sys_db_table', seed)}`,
  'another title of a column': (seed) =>
    sql`update docket.sys_db_column set title = ${`title ${seed}`} where sys_id = ${pick('sys_db_column', seed)}`,
  'a column that is out of use': (seed) =>
    sql`update docket.sys_db_column set active = not active where column_name like 'law%' and sys_id = ${pick('sys_db_column', seed)}`,
  'all columns of a table at once': () =>
    sql`update docket.sys_db_column set mandatory = mandatory where table_id = ${someTable}`,
  'a column that goes': () =>
    sql`delete from docket.sys_db_column where sys_id = (select max(sys_id) from docket.sys_db_column where column_name like 'law%')`,
  'a table that goes': () =>
    sql`delete from docket.sys_db_table where sys_id = (select max(sys_id) from docket.sys_db_table where name like 'law%' and name not in (select distinct r.name from docket.sys_db_column c join docket.sys_db_table r on r.sys_id = c.reference_id))`,
  'a translated title': (seed) => sql`
    insert into docket.sys_translated_text (column_id, record_id, language, value)
    values (${titleColumnOf('sys_db_column')}, ${pick('sys_db_column', seed)}, 'ru', ${`перевод ${seed}`})
    on conflict (column_id, record_id, language) do update set value = excluded.value`,
  'translated titles that go': (seed) =>
    sql`delete from docket.sys_translated_text where record_id = ${pick('sys_db_table', seed)}`,
  'a translation of something else': (seed) => sql`
    insert into docket.sys_translated_text (column_id, record_id, language, value)
    values (${titleColumnOf('sys_db_column')}, ${seed}, 'ru', 'x') on conflict do nothing`,
  'a choice': (seed) => sql`
    insert into docket.sys_choice (table_id, column_id, value, title)
    select c.table_id, c.sys_id, ${String(seed)}, 'Choice' from docket.sys_db_column c where c.sys_id = ${pick('sys_db_column', seed)}
    on conflict do nothing`,
  'choices that go': () => sql`delete from docket.sys_choice where title = 'Choice'`,
  'a rule': (seed) =>
    sql`insert into docket.sys_security_acl (operation, table_name, roles) values ('read', ${`law_${seed}`}, '{}')`,
  'rules that rest': () => sql`update docket.sys_security_acl set active = not active where table_name like 'law%'`,
  'a property': (seed) =>
    sql`insert into docket.sys_property (name, value) values (${`law.${++made}`}, ${String(seed)})`,
  'columns read as documents': () =>
    sql`delete from docket.sys_property where name = 'wysiwyg.columns.rest_api_json_mode'`,
  'other columns read as documents': (seed) => sql`
    insert into docket.sys_property (name, value)
    select 'wysiwyg.columns.rest_api_json_mode', c.sys_id::text
    from docket.sys_db_column c where c.sys_id = ${pick('sys_db_column', seed)}`,
  'a role': () => sql`insert into docket.sys_role (name) values (${`law_${++made}`})`,
  'roles that go': () => sql`delete from docket.sys_role where name like 'law%'`,
  'an option': () =>
    sql`insert into docket.sys_dynamic_option (name, value) values (${`law ${++made}`}, 'gs.getUserID()')`,
  'a view': (seed) =>
    sql`insert into docket.sys_ui_form (title, table_id) values (${`law ${seed}`}, ${pick('sys_db_table', seed)})`,
  'a state model': (seed) => sql`
    insert into docket.sys_state_model (name, table_id, active) values (${`law ${++made}`}, ${pick('sys_db_table', seed)}, true)`,
  'a transition': (seed) => sql`
    insert into docket.sys_state_transition (state_model_id, from_state, to_state, is_final)
    select m.sys_id, ${String(seed)}, '2', false from docket.sys_state_model m order by m.sys_id desc limit 1`,
  'a type': () => sql`update docket.sys_db_column_type set name = name where name = 'string'`,
  nothing: () => sql`select 1`,
  'everything at once': () => sql`truncate docket.sys_translated_text`,
}

test('a dictionary that follows what changed is the dictionary that is read whole', async () => {
  const step = fc.record({ change: fc.constantFrom(...Object.keys(changes)), seed: fc.integer({ min: 1, max: 40 }) })
  const worked = new Set<string>()
  let known: DictionaryReading = await readDictionary(fresh.database)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      async (looks) => {
        for (const steps of looks) {
          for (const { change, seed } of steps) {
            // A rejected change changes nothing.
            const done = changes[change]?.(seed)
            if (done === undefined) continue
            await fresh.database.rows(done).then(
              () => worked.add(change),
              () => undefined,
            )
          }
          known = await readDictionary(fresh.database, known)
          expect(known.catalog).toEqual(await loadCatalog(fresh.database))
        }
      },
    ),
    {
      numRuns: 40,
      seed: 9_989,
      examples: [[Object.keys(changes).map((change, seed) => [{ change, seed: seed + 1 }])]],
    },
  )
  expect([...worked].sort()).toEqual(Object.keys(changes).sort())
})

test('lesson: thousands of tables make a reload slow (Hasura 9989, 10315); a change reads what changed', async () => {
  const own = await freshDatabase()
  const source = catalogSource(own.database)
  await source.current()
  const sent = vi.spyOn(pg.Client.prototype, 'query')
  /** Statements that read the dictionary's tables, with their parameters. */
  const reads = async (change: Sql<unknown>) => {
    await own.database.rows(change)
    sent.mockClear()
    await source.upToDate()
    const calls = sent.mock.calls as unknown as readonly (readonly [string, (readonly unknown[])?])[]
    return calls.filter(([text]) => typeof text === 'string' && /from docket\./.test(text))
  }
  try {
    expect(
      await reads(sql`insert into docket.sys_security_acl (operation, table_name, roles) values ('read', 'x', '{}')`),
    ).toHaveLength(1)
    expect(await reads(sql`insert into docket.sys_property (name, value) values ('a', 'b')`)).toHaveLength(1)
    expect(
      await reads(
        sql`insert into docket.sys_choice (table_id, column_id, value, title) select table_id, sys_id, 'v', 't' from docket.sys_db_column limit 1`,
      ),
    ).toHaveLength(1)
    const before = await source.current()
    const read = await reads(sql`select docket_system.define_column('company', 'lesson', 'string', 'Lesson', null)`)
    // The rows of the tables, the columns of the one table, and the views, which depend on tables.
    expect(read.length).toBeLessThanOrEqual(3)
    expect(read.map(([, values]) => values)).toContainEqual(
      expect.arrayContaining([[before.tables.get('company')?.id]]),
    )
    const after = await source.current()
    expect(after.tables.get('company')?.columns.has('lesson')).toBe(true)
    expect(before.tables.get('company')?.columns.has('lesson')).toBe(false)
  } finally {
    sent.mockRestore()
    await own.drop()
  }
})
