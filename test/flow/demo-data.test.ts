import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { crc32, inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalog } from '../../src/catalog/load-catalog.ts'
import { isResolvedPath, resolvePath } from '../../src/catalog/resolve-path.ts'
import { parseEncodedQuery } from '../../src/condition/parse-encoded-query.ts'
import type { Database } from '../../src/database/database.ts'
import { demoRules } from '../../src/demo/access-rules.ts'
import { demoUsers } from '../../src/demo/demo-users.ts'
import { demoFilters, demoViews } from '../../src/demo/form-views.ts'
import { type FileToKeep, fillWithDemoData } from '../../src/demo/load-demo-data.ts'
import { makeServiceDesk } from '../../src/demo/make-service-desk.ts'
import type { Ground } from '../../src/demo/model.ts'
import { loadPrincipal } from '../../src/identity/load-principal.ts'
import { verifyPassword } from '../../src/identity/passwords.ts'
import type { Principal } from '../../src/identity/principal.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'
import type { Operation } from '../../src/records/parse/record-request.ts'
import { planRuleCondition } from '../../src/records/plan/plan-row-access.ts'
import { createRecordDeps, type RecordDeps } from '../../src/records/record-deps.ts'
import { mediaTypeOf } from '../../src/text-formats/detect-media-type.ts'
import { readBytes } from '../documents/read-bytes.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { respondAsText } from '../harness/respond-as-text.ts'

/** A Tuesday noon. */
const nowMs = Date.UTC(2026, 2, 17, 12, 0, 0)
const now = '2026-03-17 12:00:00'

const loadDemoData = (database: Database, options: Parameters<typeof fillWithDemoData>[1]) =>
  database.inTransaction((session) => fillWithDemoData(session, options))

let fresh: FreshDatabase
const kept = new Map<string, Buffer>()
const keepFiles = async (files: readonly FileToKeep[]): Promise<void> => {
  for (const { bytes, hash } of files) kept.set(hash.toString('hex'), bytes)
}
beforeAll(async () => {
  fresh = await freshDatabase()
  expect(await loadDemoData(fresh.database, { nowMs, keepFiles })).toMatchObject({ outcome: 'loaded' })
})
afterAll(() => fresh.drop())

/** Rows that should not be: each question about the desk asks for those that break it. */
const rowsOf = (text: string) => fresh.database.rows<Record<string, unknown>>(sql.raw(text))
const classCounts = async () =>
  Object.fromEntries(
    (
      await rowsOf(`select t.name, count(*)::int as n from docket.task k
        join docket.sys_db_table t on t.sys_id = k.sys_db_table_id group by 1`)
    ).map(({ name, n }) => [name, n]),
  )

describe('the desk', () => {
  test('has the promised people, groups, companies, services and tickets', async () => {
    const [counts] = await rowsOf(`select
      (select count(*)::int from docket."user" where user_name <> 'admin') as users,
      (select count(*)::int from docket."user" where language = 'ru') as russian,
      (select count(*)::int from docket.sys_group) as groups,
      (select count(*)::int from docket.company) as companies,
      (select count(*)::int from docket.service) as services`)
    expect(counts).toEqual({ users: 200, russian: 102, groups: 12, companies: 20, services: 30 })
    const classes = await classCounts()
    expect(classes).toMatchObject({
      itsm_incident: 2300,
      task: 700,
      itsm_request: 420,
      itsm_change_request: 130,
      itsm_problem: 48,
    })
    expect(classes['itsm_task']).toBeGreaterThan(100)
  })

  test('has departments: with a head who works there, below the management, for everybody with a position', async () => {
    expect(
      await rowsOf(`select language, d.name, p.name as parent, count(*)::int as people, bool_and(u.department is null or u.department = d.name) as same,
          bool_or(u.sys_id = d.head_id) as head
        from docket."user" u join docket.department d on d.sys_id = u.department_id left join docket.department p on p.sys_id = d.parent_id
        where d.name in ('Management', 'IT Support', 'Editorial', 'Транспортный отдел') group by 1, 2, 3 order by 1, 2`),
    ).toEqual([
      { language: 'en', name: 'Editorial', parent: 'Management', people: 1, same: true, head: true },
      { language: 'en', name: 'IT Support', parent: 'Management', people: expect.any(Number), same: true, head: true },
      { language: 'en', name: 'Management', parent: null, people: expect.any(Number), same: true, head: true },
      {
        language: 'ru',
        name: 'Транспортный отдел',
        parent: 'Дирекция',
        people: expect.any(Number),
        same: true,
        head: true,
      },
    ])
    expect(
      await rowsOf(`select user_name from docket."user" where department_id is null and user_name not in ('admin', 'monitoring')
        union all select name from docket.department where head_id is null`),
    ).toEqual([])
  })

  test('has more than a thousand subjects, in both languages, and no word left unfilled', async () => {
    const [subjects] = await rowsOf(`select count(distinct subject) > 1000 as many,
      count(distinct subject) filter (where subject ~ '[а-я]') > 400 as russian,
      count(distinct subject) filter (where subject !~ '[а-я]') > 400 as english from docket.task`)
    expect(subjects).toEqual({ many: true, russian: true, english: true })
    expect(
      await rowsOf(`select text from (
        select subject as text from docket.task union all select description from docket.task
        union all select closure_notes from docket.task union all select root_cause from docket.task
        union all select value from docket.sys_journal_entry) as texts
        where text ~ '[{}|]|undefined|null' or text = '' limit 5`),
    ).toEqual([])
  })

  test('has texts in the language of the person who wrote them', async () => {
    expect(
      await rowsOf(`select t.number, t.subject from docket.task t join docket."user" u on u.sys_id = t.caller
        where (u.language = 'ru') <> (t.description ~ '[а-яё]{3}') limit 5`),
    ).toEqual([])
  })

  test('is assigned to members of the group that it is assigned to', async () => {
    expect(
      await rowsOf(`select number from docket.task t where assigned_user is not null and not exists (
        select from docket.sys_user_group m where m.user_id = t.assigned_user and m.group_id = t.assignment_group) limit 5`),
    ).toEqual([])
    expect(await rowsOf(`select number from docket.task where assignment_group is null limit 5`)).toEqual([])
    expect(
      await rowsOf(`select number from docket.task where state not in ('0') and approval_state <> 'rejected'
        and assigned_user is null and not (state = '1' and reassignment_count > 0) limit 5`),
    ).toEqual([])
  })

  test('has dates that agree with the states and with each other', async () => {
    expect(
      await rowsOf(
        `select number, state, opened_at, state_changed_at, closed_at, due_date, sla_due from docket.task where
        (state = '10') <> (closed_at is not null) or (state = '10') <> (closed_by is not null) or (state = '10') = active
        or opened_at <> sys_created_at or opened_by <> sys_created_by
        or opened_at > state_changed_at or state_changed_at > sys_updated_at or sys_updated_at > '${now}'
        or closed_at <> state_changed_at or due_date < opened_at or sla_due <= opened_at
        or opened_at < timestamp '${now}' - interval '91 days'
        or (state in ('7', '10') and table_name(sys_db_table_id) like 'itsm_%' and close_code is null)
        or (state in ('0', '1', '2', '3', '4', '5') and close_code is not null)
        or planned_end <= planned_start limit 5`.replace(
          /table_name\(([a-z_]+)\)/,
          '(select name from docket.sys_db_table d where d.sys_id = $1)',
        ),
      ),
    ).toEqual([])
    expect(
      await rowsOf(
        `select sys_id from docket.task where sys_id / 100000000 <> extract(epoch from sys_created_at)::bigint limit 5`,
      ),
    ).toEqual([])
    const states = await rowsOf(`select distinct state from docket.task order by 1`)
    expect(states.map(({ state }) => state)).toEqual(
      ['0', '1', '10', '2', '3', '4', '5', '7'].concat(states.length > 8 ? ['6'] : []).sort(),
    )
  })

  test('moves between states only as incidents may', async () => {
    const moves = await rowsOf(`select distinct old_value || '→' || new_value as move from docket.sys_history h
      join docket.sys_db_table t on t.sys_id = h.table_id where t.name = 'itsm_incident' and column_name = 'state' and operation = 'u' order by 1`)
    const allowed = [
      '0→1',
      '0→2',
      '1→2',
      '1→3',
      '1→7',
      '2→1',
      '2→4',
      '2→3',
      '2→5',
      '2→7',
      '3→2',
      '4→2',
      '5→2',
      '7→1',
      '7→2',
      '7→6',
      '7→10',
      '6→1',
      '6→2',
    ]
    expect(moves.map(({ move }) => move).filter((move) => !allowed.includes(String(move)))).toEqual([])
    expect(moves.length).toBeGreaterThan(10)
  })

  test('lives by the week: Mondays are busy, weekends are quiet', async () => {
    const days = await rowsOf(
      `select extract(isodow from opened_at)::int as day, count(*)::int as n from docket.task group by 1 order by 1`,
    )
    const counts = days.map(({ n }) => Number(n))
    expect(Math.max(...counts)).toBe(Math.max(counts[0] ?? 0, counts[1] ?? 0))
    expect((counts[5] ?? 0) + (counts[6] ?? 0)).toBeLessThan((counts[4] ?? 0) / 2)
  })

  test('has notes within the life of their ticket, by people who had to do with it', async () => {
    expect(
      await rowsOf(`select t.number, j.value from docket.sys_journal_entry j join docket.task t on t.sys_id::text = j.record_id
        where j.sys_created_at < t.opened_at or j.sys_created_at > t.sys_updated_at or j.table_id <> t.sys_db_table_id
        or not (j.sys_created_by = t.caller or exists (select from docket.sys_user_group m where m.user_id = j.sys_created_by)) limit 5`),
    ).toEqual([])
    const [journal] = await rowsOf(
      `select count(*) > 5000 as many, count(distinct column_name)::int as columns from docket.sys_journal_entry`,
    )
    expect(journal).toEqual({ many: true, columns: 3 })
  })

  test('is numbered without a gap in the order of opening, and the next number goes on', async () => {
    expect(
      await rowsOf(`select number from (
        select number, row_number() over (partition by sys_db_table_id order by opened_at, sys_id) as place from docket.task) as t
        where right(number, 7)::int <> place limit 5`),
    ).toEqual([])
    const [next] = await rowsOf(
      `select docket_system.next_number(sys_id) as number from docket.sys_db_table where name = 'itsm_incident'`,
    )
    expect(next).toEqual({ number: 'INC0002301' })
  })

  test('uses addresses and numbers that nobody can have', async () => {
    expect(await rowsOf(`select email from docket."user" where email !~ '\\.example$' limit 5`)).toEqual([])
    expect(
      await rowsOf(`select details ->> 'address' as ip from docket.task where details is not null
        and details ->> 'address' !~ '^(192\\.0\\.2|198\\.51\\.100|203\\.0\\.113)\\.' limit 5`),
    ).toEqual([])
  })
})

describe('the log of changes', () => {
  test('put together, what it tells of a ticket is the ticket: of each that something happened to in the last 30 days', async () => {
    const changes = await fresh.database.rows<LoggedRow>(
      sql`select record_id, operation, changes from docket_system.change where audited order by position`,
    )
    const described = new Map<string, Record<string, unknown>>()
    for (const { record_id: id, operation, changes: each } of changes) {
      if (operation === 'c') {
        expect(described.has(id)).toBe(false)
        described.set(id, { ...each })
        continue
      }
      const values = described.get(id) ?? {}
      for (const [name, pair] of Object.entries(each)) {
        const [old, now] = pair as readonly [unknown, unknown]
        if (journals.has(name)) continue
        expect([id, name, values[name] ?? null]).toEqual([id, name, old])
        if (now === null) delete values[name]
        else values[name] = now
      }
    }
    const records =
      await rowsOf(`select t.sys_id as id, t.sys_updated_at > '${now}'::timestamp - interval '30 days' as is_recent, docket_system.stored_values(t.sys_db_table_id, to_jsonb(t))
      - array['sys_id', 'sys_created_at', 'sys_created_by', 'sys_updated_at', 'sys_updated_by', 'sys_db_table_id', 'display_name'] as stored
      from docket.task t`)
    expect(records.filter(({ id, is_recent: isRecent }) => isRecent === true && !described.has(String(id)))).toEqual([])
    const describedRecords = records.filter(({ id }) => described.has(String(id)))
    expect([describedRecords.length, described.size > 1_000]).toEqual([described.size, true])
    const differing = describedRecords.flatMap(({ id, stored }) => differences(stored, described.get(String(id))))
    expect(differing.slice(0, 3)).toEqual([])
  })

  test('ends where the records say that they were changed last, by whoever that was', async () => {
    expect(
      await rowsOf(`select t.number, t.sys_updated_at, l.changed_at from docket.task t
        join lateral (select changed_at, changed_by from docket_system.change c where c.record_id = t.sys_id::text order by position desc limit 1) l on true
        where (t.sys_updated_at, t.sys_updated_by) is distinct from (l.changed_at, l.changed_by) limit 5`),
    ).toEqual([])
  })

  test('goes with the time, tells of each note, and of the last 30 days of what has no history', async () => {
    expect(
      await rowsOf(`select position from (select position, changed_at < lag(changed_at) over (order by position) as is_back
        from docket_system.change) c where is_back limit 5`),
    ).toEqual([])
    expect(
      await rowsOf(`select j.value from docket.sys_journal_entry j where exists (select from docket_system.change c where c.record_id = j.record_id) and not exists (select from docket_system.change c
        where c.record_id = j.record_id and c.changed_at = j.sys_created_at and c.changed_by = j.sys_created_by
          and c.changes -> j.column_name = jsonb_build_array(null, j.value)) limit 5`),
    ).toEqual([])
    const [others] = await rowsOf(`select min(changed_at) > '${now}'::timestamp - interval '30 days' as recent,
        (select array_agg(distinct t.name order by t.name) from docket_system.change c join docket.sys_db_table t on t.sys_id = c.table_id
         where not audited) as tables from docket_system.change where not audited`)
    expect(others).toEqual({ recent: true, tables: ['sys_approval', 'sys_attachment'] })
  })

  test('is no news to a webhook of the desk, which tells nobody of anything yet', async () => {
    expect(
      await rowsOf(`select w.active, h.position = (select max(position) from docket_system.change) as told
        from docket.sys_webhook w join docket_system.webhook h on h.webhook_id = w.sys_id`),
    ).toEqual([{ active: false, told: true }])
  })

  test('has approvals decided when they were, and the tasks told of it', async () => {
    expect(
      await rowsOf(`select a.sys_id from docket.sys_approval a join docket.task t on t.sys_id = a.task
        where (a.decided_at is null) <> (a.state = 'requested') or a.decided_at <> a.sys_updated_at or a.state <> t.approval_state
        or exists (select from docket_system.change c where c.record_id = t.sys_id::text) and not exists (select from docket_system.change c where c.record_id = t.sys_id::text and c.changed_at = coalesce(a.decided_at, a.sys_created_at)
          and c.changes -> 'approval_state' ->> 1 = a.state) limit 5`),
    ).toEqual([])
    const [counted] = await rowsOf(
      `select count(distinct state)::int as states, count(distinct decided_at) > 50 as apart from docket.sys_approval`,
    )
    expect(counted).toEqual({ states: 3, apart: true })
  })
})

const differences = (stored: unknown, described: Readonly<Record<string, unknown>> = {}) => {
  const values = stored as Readonly<Record<string, unknown>>
  return [...new Set([...Object.keys(values), ...Object.keys(described)])].flatMap((name) =>
    isDeepStrictEqual(values[name], described[name])
      ? []
      : [{ name, stored: values[name], described: described[name] }],
  )
}
const journals: ReadonlySet<string> = new Set(['work_notes', 'comments', 'additional_comments'])
interface LoggedRow {
  readonly record_id: string
  readonly operation: 'c' | 'u'
  readonly changes: Readonly<Record<string, unknown>>
}

describe('files', () => {
  test('are of several kinds, small, and what their rows say', async () => {
    const rows = (await rowsOf(
      `select file_name, content_type, size_bytes, hash from docket.sys_attachment`,
    )) as readonly {
      readonly file_name: string
      readonly content_type: string
      readonly size_bytes: string
      readonly hash: string
    }[]
    expect(new Set(rows.map(({ file_name }) => extname(file_name)))).toEqual(
      new Set(['.png', '.pdf', '.csv', '.log', '.txt']),
    )
    expect(rows.length).toBeGreaterThan(30)
    expect(rows.length).toBeLessThan(120)
    for (const row of rows) {
      const bytes = kept.get(row.hash) ?? Buffer.alloc(0)
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(row.hash)
      expect([row.file_name, bytes.length, mediaTypeOf(bytes, row.file_name)]).toEqual([
        row.file_name,
        Number(row.size_bytes),
        row.content_type,
      ])
      expect(bytes.length).toBeLessThan(5_000)
    }
  })

  test('hang on tickets, attached in their lives by people who had to do with them', async () => {
    expect(
      await rowsOf(`select a.file_name from docket.sys_attachment a left join docket.task t on t.sys_id::text = a.record_id
        where t.sys_id is null or a.table_id <> t.sys_db_table_id or a.sys_created_at < t.opened_at or a.sys_created_at > '${now}'
        or a.sys_created_by not in (t.opened_by, coalesce(t.caller, t.opened_by)) limit 5`),
    ).toEqual([])
    expect(
      await rowsOf(`select t.number from docket.task t where t.screenshot is not null and not exists (select from docket.sys_attachment a
        where a.sys_id = t.screenshot and a.record_id = t.sys_id::text and a.content_type = 'image/png') limit 5`),
    ).toEqual([])
    const [pictures] = await rowsOf(`select count(*) > 2 as some from docket.task where screenshot is not null`)
    expect(pictures).toEqual({ some: true })
  })

  test('are sound: pictures can be drawn, sheets can be read', async () => {
    const drawn = [...kept.values()].filter((bytes) => bytes.subarray(1, 4).toString() === 'PNG')
    expect(drawn.length).toBeGreaterThan(2)
    for (const png of drawn) {
      const parts = chunksOf(png)
      expect(parts.map(({ type }) => type)).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND'])
      expect(parts.every(({ sum, body }) => sum === crc32(body))).toBe(true)
      const [width, height] = [parts[0]?.data.readUInt32BE(0) ?? 0, parts[0]?.data.readUInt32BE(4) ?? 0]
      expect(inflateSync(parts[2]?.data ?? Buffer.alloc(0)).length).toBe((width + 1) * height)
    }
    const sheets = [...kept.values()].filter((bytes) => bytes.subarray(0, 4).toString() === '%PDF')
    expect(sheets.length).toBeGreaterThan(2)
    for (const sheet of sheets) {
      const read = (await readBytes(sheet)) as { readonly pages: number; readonly blocks: readonly string[] }
      expect([read.pages, read.blocks[0]]).toEqual([
        1,
        expect.stringMatching(/^1 heading1 (Quotation SO-\d{6}|Change plan)$/),
      ])
    }
  })

  test('are left out where there is no place for them', async () => {
    const other = await freshDatabase()
    try {
      await loadDemoData(other.database, { nowMs })
      const [counted] = await other.database.rows(sql`select (select count(*)::int from docket.sys_attachment) as files,
        (select count(*)::int from docket.task where screenshot is not null) as pictures, (select count(*)::int from docket.task) > 3000 as tickets`)
      expect(counted).toEqual({ files: 0, pictures: 0, tickets: true })
    } finally {
      await other.drop()
    }
  })
})

/** @throws RangeError where a length leads out of the file */
function chunksOf(png: Buffer) {
  const chunks: { type: string; data: Buffer; body: Buffer; sum: number }[] = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    chunks.push({
      type: body.toString('latin1', 0, 4),
      data: body.subarray(4),
      body,
      sum: png.readUInt32BE(at + 8 + length),
    })
    at += 12 + length
  }
  return chunks
}

describe('loading', () => {
  test('is done once: a database in use is left alone', async () => {
    const before = await classCounts()
    expect(await loadDemoData(fresh.database, { nowMs })).toEqual({ outcome: 'not-empty' })
    expect(await classCounts()).toEqual(before)
  })

  test('is whole or nothing, and of two at once one does it', async () => {
    const other = await freshDatabase()
    try {
      const { database } = other
      await database.rows(sql`insert into docket.sys_group (name) values ('Service Desk')`)
      await expect(loadDemoData(database, { nowMs })).rejects.toThrow(/duplicate key/)
      expect(await database.rows(sql`select user_name from docket."user"`)).toEqual([{ user_name: 'admin' }])
      await database.rows(sql`delete from docket.sys_group`)
      const outcomes = await Promise.all([1, 2].map(() => loadDemoData(database, { nowMs })))
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['loaded', 'not-empty'])
      expect(await database.rows(sql`select count(*)::int as n from docket."user"`)).toEqual([{ n: 201 }])
    } finally {
      await other.drop()
    }
  })

  test('makes the same desk of the same ground, letter by letter', () => {
    const ground = (hasDepartments: boolean): Ground => {
      let serial = 0
      return {
        nowMs,
        newSysId: (ms) => `${Math.floor(ms / 1_000)}${String(serial++).padStart(8, '0')}`,
        classId: (table) => table,
        roleId: (role) => role,
        columnId: (table, column) => `${table}.${column}`,
        administratorId: '1',
        hasDepartments,
      }
    }
    const once = JSON.stringify(makeServiceDesk(ground(true), new Map(), true))
    expect(JSON.stringify(makeServiceDesk(ground(true), new Map(), true))).toBe(once)
    const without = makeServiceDesk(ground(false), new Map(), true).rows
    expect(without['department']).toEqual([])
    expect(JSON.stringify([without['user'], without['sys_security_acl']])).not.toMatch(
      /department_id|"department","column/,
    )
  })
})

describe('rules, views and filters', () => {
  test('name tables and columns that exist, with conditions that the server can use', async () => {
    const catalog = await loadCatalog(fresh.database)
    const unusable = demoRules.filter((rule) => {
      const table = catalog.tables.get(rule.table)
      const condition = parseEncodedQuery(rule.condition)
      const isColumnThere = rule.column === null || rule.column === '*' || table?.columns.has(rule.column)
      if (table === undefined || !isColumnThere || !condition.ok) return true
      return condition.value.where !== null && planRuleCondition(condition.value.where, table, catalog) === null
    })
    expect(unusable).toEqual([])
    const lostViews = demoViews.flatMap((view) => {
      const table = catalog.tables.get(view.table)
      return view.sections.flatMap(({ columns }) =>
        columns.filter((path) => table === undefined || !isResolvedPath(resolvePath(catalog, table, path.split('.')))),
      )
    })
    expect(lostViews).toEqual([])
    const lostFilters = demoFilters.filter((filter) => {
      const table = catalog.tables.get(filter.table)
      const condition = parseEncodedQuery(filter.condition)
      if (table === undefined || !condition.ok || condition.value.where === null) return true
      return condition.value.orders.length > 0 || planRuleCondition(condition.value.where, table, catalog) === null
    })
    expect(lostFilters).toEqual([])
  })
})

describe('the named users', () => {
  let deps: RecordDeps
  beforeAll(() => {
    deps = createRecordDeps({ database: fresh.database, clock: systemClock })
  })

  test.each(demoUsers)(
    '$userName can sign in and has the roles that are told',
    async ({ userName, password, roles }) => {
      const [user] = await rowsOf(`select password from docket."user" where user_name = '${userName}'`)
      expect(await verifyPassword(String(user?.['password']), password)).toBe(true)
      const principal = await principalNamed(userName)
      for (const role of roles) expect(principal.roles).toContain(role)
      expect(principal.roles).not.toContain('admin')
      expect(principal.roles).not.toContain('security_admin')
    },
  )

  test('docs/demo-desk.md tells the name, password and roles of each, and of nobody else', () => {
    const page = readFileSync(new URL('../../docs/demo-desk.md', import.meta.url), 'utf8')
    const described = [...page.matchAll(/^\| `([^`]+)` \| `([^`]+)` \| ([^|]+) \|/gm)].map(
      ([, name, password, roles]) => ({
        name,
        password,
        roles,
      }),
    )
    expect(described).toEqual(
      demoUsers.map(({ userName, password, roles }) => ({ name: userName, password, roles: roles.join(', ') })),
    )
  })

  test('nobody else has a password', async () => {
    const [found] = await rowsOf(
      `select count(*)::int as n from docket."user" where password is not null and user_name <> 'admin'`,
    )
    expect(found).toEqual({ n: demoUsers.length })
  })

  test('the desk sees every task, with work notes in the journal, and no mobile number but its own', async () => {
    const [all] = await rowsOf(`select count(*)::text as n from docket.task`)
    const anna = await principalNamed('anna.petrova')
    expect((await call(anna, 'list', 'task', { sysparm_limit: '1' })).headers['x-total-count']).toBe(all?.['n'])
    const [notes] = await rowsOf(
      `select count(*)::text as n from docket.sys_journal_entry where column_name = 'work_notes'`,
    )
    const journal = await call(anna, 'list', 'sys_journal_entry', {
      sysparm_query: 'column_name=work_notes',
      sysparm_limit: '1',
    })
    expect(journal.headers['x-total-count']).toBe(notes?.['n'])
    const john = await call(anna, 'list', 'user', { sysparm_query: 'user_name=john.smith' })
    expect(Object.keys(john.data[0] ?? {})).toContain('phone')
    expect(Object.keys(john.data[0] ?? {})).not.toContain('mobile_phone')
    const self = await call(anna, 'list', 'employee', { sysparm_query: 'user_name=anna.petrova' })
    expect(Object.keys(self.data[0] ?? {})).toContain('mobile_phone')
  })

  test.each(['john.smith', 'elena.volkova'])(
    '%s sees their own tasks, the comments on them, and nothing of the desk',
    async (userName) => {
      const user = await principalNamed(userName)
      const [own] = await rowsOf(`select count(*)::text as n from docket.task
      where ${user.userId} in (caller, opened_by, contact)`)
      const tasks = await call(user, 'list', 'task', { sysparm_limit: '1' })
      expect(tasks.headers['x-total-count']).toBe(own?.['n'])
      expect(Number(own?.['n'])).toBeGreaterThan(5)
      expect(Object.keys(tasks.data[0] ?? {})).not.toContain('work_notes')
      const [comments] = await rowsOf(`select count(*)::text as n from docket.sys_journal_entry j
      join docket.task t on t.sys_id::text = j.record_id
      where ${user.userId} in (t.caller, t.opened_by, t.contact) and j.column_name <> 'work_notes'`)
      const journal = await call(user, 'list', 'sys_journal_entry', { sysparm_limit: '1' })
      expect(journal.headers['x-total-count']).toBe(comments?.['n'])
      expect((await call(user, 'list', 'sys_security_acl')).status).toBe('table-denied')
      expect((await call(user, 'list', 'sys_history')).status).toBe('table-denied')
    },
  )

  test('a caller finds people by name, and nothing private of them', async () => {
    const john = await principalNamed('john.smith')
    const people = await call(john, 'list', 'user', { sysparm_query: 'display_name=Анна Петрова' })
    expect(Object.keys(people.data[0] ?? {}).sort()).toEqual([
      'active',
      'company',
      'department_id',
      'display_name',
      'first_name',
      'last_name',
      'sys_db_table_id',
      'sys_id',
    ])
    const self = await call(john, 'list', 'user', { sysparm_query: 'display_name=John Smith' })
    expect(self.data[0]).toMatchObject({ user_name: 'john.smith', email: 'john.smith@harrowfinch.example' })
  })

  test('a caller opens an incident, adds to it, and cannot steer it', async () => {
    const john = await principalNamed('john.smith')
    const opened = await call(
      john,
      'create',
      'itsm_incident',
      {},
      { subject: 'Printer on fire', caller: john.userId, urgency: '1' },
    )
    expect(opened.data[0]).toMatchObject({ state: '0', subject: 'Printer on fire' })
    const sysId = String(opened.data[0]?.['sys_id'])
    const added = await call(
      john,
      'patch',
      'itsm_incident',
      {},
      { description: 'Tray two.', comments: 'Please hurry.' },
      sysId,
    )
    expect(added.data[0]).toMatchObject({ description: 'Tray two.' })
    expect(await call(john, 'patch', 'itsm_incident', {}, { state: '7' }, sysId)).toMatchObject({
      status: 'column-denied',
    })
    expect(await call(john, 'create', 'itsm_incident', {}, { subject: 'x', priority: '1' })).toMatchObject({
      status: 'column-denied',
    })
    expect(await call(john, 'create', 'itsm_problem', {}, { subject: 'x' })).toMatchObject({ status: 'table-denied' })
    expect((await call(john, 'delete', 'itsm_incident', {}, undefined, sysId)).status).toBe('table-denied')
    const anna = await principalNamed('anna.petrova')
    const taken = await call(
      anna,
      'patch',
      'itsm_incident',
      {},
      { state: '1', assigned_user: anna.userId, work_notes: 'Взяла.' },
      sysId,
    )
    expect(taken.data[0]).toMatchObject({ state: '1' })
  })

  async function principalNamed(userName: string): Promise<Principal & { readonly identityEpoch: string }> {
    const [user] = await rowsOf(`select sys_id from docket."user" where user_name = '${userName}'`)
    const loaded = await loadPrincipal(fresh.database, String(user?.['sys_id']))
    if (loaded === undefined) throw new Error(`no user ${userName}`)
    return { ...loaded.principal, identityEpoch: loaded.identityEpoch }
  }

  /** `status`: 200, or the kind of the problem. */
  async function call(
    principal: Principal & { readonly identityEpoch: string },
    operation: Operation,
    table: string,
    parameters: Readonly<Record<string, string>> = {},
    body?: unknown,
    sysId: string | null = null,
  ) {
    const response = await respondAsText(deps, {
      operation,
      table,
      sysId,
      parameters: new Map(Object.entries(parameters)),
      body,
      principal,
      identityEpoch: principal.identityEpoch,
      baseUrl: 'http://test',
      ifMatch: null,
    })
    if (!response.ok)
      return { status: response.error.kind, error: response.error, headers: {} as Record<string, string>, data: [] }
    const { data } = JSON.parse(String(response.value.body)) as { data: readonly Record<string, unknown>[] }
    return { status: 'ok', headers: response.value.headers, data }
  }
})
