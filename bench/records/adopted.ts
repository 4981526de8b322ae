import { adoptSchema } from '../../src/adopt/adopt-schema.ts'
import type { Database } from '../../src/database/database.ts'
import { sql } from '../../src/kernel/sql.ts'
import type { Case } from './cases.ts'

/** Tables as another program creates them; Docket serves them unchanged. */
const TABLES = [
  sql`create schema helpdesk`,
  sql`create table helpdesk.person (id bigint generated always as identity primary key, name text not null, email text not null)`,
  sql`create table helpdesk.team (id bigint generated always as identity primary key, name text not null)`,
  sql`create table helpdesk.ticket (id bigint generated always as identity primary key, title text not null, body text not null,
    kind integer not null, status integer not null, open boolean not null, created_at timestamp(0) not null, updated_at timestamp(0) not null,
    customer_id bigint not null references helpdesk.person, agent_id bigint references helpdesk.person, team_id bigint references helpdesk.team)`,
]

const INDEXES = [
  sql`create index on helpdesk.ticket (created_at, id)`,
  sql`create index on helpdesk.ticket (status, created_at, id)`,
  sql`create index on helpdesk.ticket (customer_id)`,
  sql`create index on helpdesk.ticket (agent_id)`,
  sql`create index on helpdesk.ticket (team_id)`,
]

interface SeededTickets {
  /** Random ids. */
  readonly ticketIds: readonly string[]
  /** sys_id of their table. */
  readonly tableId: string
}

export async function seedAdopted(database: Database, tickets: number): Promise<SeededTickets> {
  for (const statement of TABLES) await database.rows(statement)
  await database.rows(sql`
    insert into helpdesk.person (name, email) select 'Анна Петрова ' || n, 'person' || n || '@example.com' from generate_series(1, 2000) n`)
  await database.rows(sql`insert into helpdesk.team (name) select 'Support line ' || n from generate_series(1, 50) n`)
  await database.rows(sql`
    insert into helpdesk.ticket (title, body, kind, status, open, created_at, updated_at, customer_id, agent_id, team_id)
    select 'Не печатает принтер ' || n, repeat('It worked yesterday. Пользователь сообщает, что ошибка повторяется. ', (1 + n % 5)::integer), n % 3, n % 6, n % 10 < 6,
      at, at, 1 + n % 2000, case when n % 10 > 0 then 1 + n * 7 % 2000 end, 1 + n % 50
    from (select n, timestamp(0) '2026-01-01' + make_interval(secs => n * 31536000.0 / ${tickets}::bigint) as at
      from generate_series(1, ${tickets}::bigint) n) as drawn`)
  for (const statement of INDEXES) await database.rows(statement)
  const adoption = await adoptSchema(database, {
    schema: 'helpdesk',
    tables: null,
    keys: new Map(),
    grants: [],
    isDryRun: false,
  })
  if (!adoption.ok) throw new Error(JSON.stringify(adoption.error))
  for (const table of ['person', 'team', 'ticket'])
    await database.rows(sql`vacuum (analyze) ${sql.id('helpdesk', table)}`)
  const rows = await database.rows<{ id: string }>(
    sql`select id::text as id from helpdesk.ticket order by md5(id::text) limit 5000`,
  )
  const [table] = await database.rows<{ id: string }>(
    sql`select sys_id::text as id from docket.sys_db_table where name = 'ticket'`,
  )
  if (table === undefined) throw new Error('the table was not adopted')
  return { ticketIds: rows.map(({ id }) => id), tableId: table.id }
}

const listPath = (query: string): string => {
  const parameters = new URLSearchParams({
    sysparm_query: query,
    sysparm_fields: 'sys_id,title,status,created_at,customer_id,agent_id,team_id',
    sysparm_display_value: '1',
    sysparm_limit: '20',
    sysparm_no_count: '1',
  })
  return `/rest/v1/table/ticket?${parameters}`
}

const statuses = ['1', '2', '3', '4']
const newest = '^ORDERBYDESCcreated_at^ORDERBYDESCsys_id'

const newTicket = (n: number): string =>
  JSON.stringify({
    title: `Не открывается отчёт ${n}`,
    body: 'The monthly report shows an empty page since this morning',
    kind: n % 3,
    status: n % 6,
    open: n % 10 < 6,
    created_at: '2026-06-01 10:00:00',
    updated_at: '2026-06-01 10:00:00',
    customer_id: String(1 + (n % 2_000)),
    agent_id: String(1 + ((n * 7) % 2_000)),
    team_id: String(1 + (n % 50)),
  })

const change = (n: number): string => JSON.stringify({ status: n % 6, title: `Called back; attempt ${n % 10}` })

/** Point read, list, filtered list with an order, create, PATCH: the targets are those of issue 12. */
export function adoptedCases(adminKey: string, ticketIds: readonly string[]): readonly Case[] {
  const headers = { authorization: `Bearer ${adminKey}` }
  const get = (path: string) => ({ method: 'GET', path, headers }) as const
  const bareGet = (kind: string, value: string) => ({ method: 'GET', path: `/${kind}/${value}` }) as const
  const created = ticketIds.slice(0, 1_000).map((_id, n) => newTicket(n))
  const patched = ticketIds.map((id, n) => ({ id, body: change(n) }))
  return [
    {
      name: 'adopted point read',
      docket: ticketIds.map((id) => get(`/rest/v1/table/ticket/${id}`)),
      bare: ticketIds.map((id) => bareGet('adoptedRead', id)),
      aim: 0.9,
      volatile: [],
    },
    {
      name: 'adopted list of 20 with three display names',
      docket: [get(listPath(newest.slice(1)))],
      bare: [bareGet('adoptedList', 'all')],
      aim: 0.8,
      volatile: [],
    },
    {
      name: 'adopted list of 20 with a filter',
      docket: statuses.map((status) => get(listPath(`open=true^status=${status}${newest}`))),
      bare: statuses.map((status) => bareGet('adoptedFiltered', status)),
      aim: 0.8,
      volatile: [],
    },
    {
      name: 'adopted create',
      docket: created.map((body) => ({ method: 'POST', path: '/rest/v1/table/ticket', headers, body })),
      bare: created.map((body) => ({ method: 'POST', path: '/adoptedCreate', body })),
      aim: 0.7,
      volatile: ['sys_id'],
    },
    {
      name: 'adopted PATCH',
      docket: patched.map(({ id, body }) => ({ method: 'PATCH', path: `/rest/v1/table/ticket/${id}`, headers, body })),
      bare: patched.map(({ id, body }) => ({ method: 'PATCH', path: `/adoptedPatch/${id}`, body })),
      aim: 0.7,
      volatile: [],
    },
  ]
}
