import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { loadPrincipal } from '../../src/identity/load-principal.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'
import { type ChangesRequest, visibleChanges } from '../../src/records/changes/visible-changes.ts'
import { watchChanges } from '../../src/records/changes/watch-changes.ts'
import { createRecordDeps, type RecordDeps } from '../../src/records/record-deps.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'

const SUBSCRIBERS = 1_000
const USERS = 40
const GRANTS = 8

let fresh: FreshDatabase
let deps: RecordDeps
/** Texts of the statements sent since it was emptied. */
const sent: string[] = []
let people: readonly Pick<ChangesRequest, 'principal' | 'identityEpoch'>[]
beforeAll(async () => {
  fresh = await freshDatabase()
  const { database } = fresh
  await database.rows(sql`
    insert into docket.sys_role (name, description) select 'line_' || n, 'Sees some companies' from generate_series(1, ${GRANTS}::integer) n`)
  await database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, roles, condition, description)
    select 'read', 'company', array[r.sys_id::text], 'name!=none of ' || r.name, 'Some' from docket.sys_role r where r.name like 'line_%'`)
  await database.rows(sql`
    insert into docket."user" (user_name, display_name) select 'sub.' || n, 'Subscriber ' || n from generate_series(0, ${USERS - 1}::integer) n`)
  await database.rows(sql`
    insert into docket.sys_user_has_role (user_id, role_id)
    select u.sys_id, r.sys_id from docket."user" u join docket.sys_role r
      on r.name = 'line_' || 1 + substring(u.user_name from 5)::integer % ${GRANTS}::integer where u.user_name like 'sub.%'`)
  const counting: Database = {
    ...database,
    run: (statement, values) => {
      sent.push(statement.text)
      return database.run(statement, values)
    },
  }
  deps = createRecordDeps({ database: counting, clock: systemClock })
  const users = await database.rows<{ id: string }>(
    sql`select sys_id::text as id from docket."user" where user_name like 'sub.%' order by length(user_name), user_name`,
  )
  people = await Promise.all(
    users.map(async ({ id }) => {
      const loaded = await loadPrincipal(database, id)
      if (loaded === undefined) throw new Error(`no user ${id}`)
      return loaded
    }),
  )
})
afterAll(() => fresh.drop())

const areChanges = (text: string): boolean => text.includes('docket_system.change as c')

/** One turn of all streams: what the watch reports to all of them at once. */
async function reportAll(after: string, upTo: string): Promise<readonly string[]> {
  const described = await Promise.all(
    Array.from({ length: SUBSCRIBERS }, (_, n) => {
      const person = people[n % USERS]
      if (person === undefined) throw new Error('no subscriber')
      const requested = { ...person, after, upTo, tables: new Set(['company']), operations: null, max: 500 }
      return visibleChanges(deps, { ...requested, run: (work) => work() })
    }),
  )
  return described.map((page) =>
    page.kind === 'changes' ? page.changes.map(({ changes }) => String(changes['name'])).join() : page.kind,
  )
}

test('a change is read once for each grant, however many streams wait for it (issue 12, part 8)', async () => {
  const watch = watchChanges(fresh.database)
  try {
    let after = await watch.now()
    // Plans and pages are not cached yet at the first turn.
    for (let n = 0; n < 6; n += 1) {
      const name = n % 2 === 0 ? `Company ${n}` : `none of line_${1 + (n % GRANTS)}`
      await fresh.database.rows(sql`
        with made as (insert into docket.company (name) values (${name}) returning *)
        select docket_system.log_change(null, to_jsonb(made), null) from made`)
      const upTo = await watch.now()
      sent.length = 0
      const described = await reportAll(after, upTo)
      const expected = Array.from({ length: SUBSCRIBERS }, (_, at) =>
        name === `none of line_${1 + ((at % USERS) % GRANTS)}` ? '' : name,
      )
      expect(described).toEqual(expected)
      expect(sent.filter(areChanges).length).toBe(GRANTS)
      // In addition: the page of the log, and the epochs, at most once after each page.
      expect(sent.length).toBeLessThanOrEqual(2 * GRANTS + 2)
      after = upTo
    }
  } finally {
    watch.close()
  }
})
