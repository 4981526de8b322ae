import type { Database } from '../../src/database/database.ts'
import { administratorId } from '../../src/identity/administrator.ts'
import { makeApiKey } from '../../src/identity/api-keys.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { sql } from '../../src/kernel/sql.ts'

export interface SeedSize {
  readonly tasks: number
  readonly users: number
  readonly groups: number
}

/** The users that send the load, and ids for their requests. */
export interface Seeded {
  /** Bearer keys. */
  readonly adminKey: string
  readonly agentKey: string
  readonly adminId: string
  /** A user for whom a rule selects tasks row by row. */
  readonly agentId: string
  readonly agentGroupIds: readonly string[]
  /** Random sys_ids. */
  readonly taskIds: readonly string[]
  /** Those that the agent may read. */
  readonly agentTaskIds: readonly string[]
  readonly userIds: readonly string[]
  readonly groupIds: readonly string[]
  /** The sequence for numbers of tasks. */
  readonly numberSequence: string
}

/** The rule of the agents' role: a task is theirs when it is assigned to them or to a group of theirs. */
const agentRule = 'assigned_user=javascript:gs.getUserID()^ORassignment_groupINjavascript:gs.getUser().getMyGroups()'

/**
 * Users, groups and tasks in a migrated, empty database. With SQL, because 100,000 requests would take minutes; triggers and defaults of
 * the tables are those of the product.
 */
export async function seed(database: Database, size: SeedSize): Promise<Seeded> {
  await seedPeople(database, size)
  await seedRules(database)
  const numberSequence = await findNumberSequence(database)
  await withIndexesAfterwards(database, () => seedTasks(database, size.tasks, numberSequence))
  await settle(database)
  const [agent] = await database.rows<{ id: string; groups: string[] }>(sql`
    select u.sys_id::text as id, array_agg(m.group_id::text) as groups
    from docket."user" u join docket.sys_user_group m on m.user_id = u.sys_id where u.user_name = 'bench.1' group by 1`)
  if (agent === undefined) throw new Error('no agent was seeded')
  return {
    adminKey: await keyFor(database, administratorId),
    agentKey: await keyFor(database, agent.id),
    adminId: administratorId,
    agentId: agent.id,
    agentGroupIds: agent.groups,
    taskIds: await drawIds(database, sql`docket.task`),
    agentTaskIds: await drawIds(
      database,
      sql`docket.task where assigned_user = ${agent.id}::bigint or assignment_group = any(${agent.groups}::bigint[])`,
    ),
    userIds: await drawIds(database, sql`docket."user" where user_name like 'bench.%'`),
    groupIds: await drawIds(database, sql`docket.sys_group`),
    numberSequence,
  }
}

async function findNumberSequence(database: Database): Promise<string> {
  const [found] = await database.rows<{ id: string }>(sql`
    select s.sys_id::text as id from docket.sys_number s join docket.sys_db_table t on t.sys_id = s.table_id where t.name = 'task'`)
  return `docket_system.number_${found?.id}`
}

async function seedPeople(database: Database, { users, groups }: SeedSize): Promise<void> {
  await database.rows(sql`insert into docket.sys_role (name, description) values ('bench_agent', 'Sees own tasks.')`)
  await database.rows(sql`
    insert into docket.sys_group (name, description)
    select 'Support line ' || n, 'Group number ' || n from generate_series(1, ${users > 0 ? groups : 0}::integer) n`)
  await database.rows(sql`
    insert into docket."user" (user_name, display_name, first_name, last_name, email, language)
    select 'bench.' || n, 'Анна Петрова ' || n, 'Анна', 'Петрова ' || n, 'bench.' || n || '@example.com', 'en'
    from generate_series(1, ${users}::integer) n`)
  await database.rows(sql`
    with numbered_group as (select sys_id, row_number() over (order by sys_id) as n from docket.sys_group),
         numbered_user as (select sys_id, row_number() over (order by sys_id) as n from docket."user" where user_name like 'bench.%')
    insert into docket.sys_user_group (user_id, group_id)
    select u.sys_id, g.sys_id from numbered_user u
    join numbered_group g on g.n in (u.n % ${groups}::integer + 1, (u.n * 7) % ${groups}::integer + 1)`)
  await database.rows(sql`
    insert into docket.sys_user_has_role (user_id, role_id)
    select u.sys_id, r.sys_id from docket."user" u, docket.sys_role r where u.user_name like 'bench.%' and r.name = 'bench_agent'`)
}

async function seedRules(database: Database): Promise<void> {
  await database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, roles, condition, description)
    select rule.operation, rule.on_table, array[r.sys_id::text], rule.condition, 'Load test'
    from docket.sys_role r, (values ('read', 'task', ${agentRule}), ('create', 'task', ${agentRule}), ('write', 'task', ${agentRule}),
      ('read', 'user', ''), ('read', 'sys_group', '')) as rule (operation, on_table, condition)
    where r.name = 'bench_agent'`)
}

/** Builds the indexes of the tasks when their rows are there: ten million rows take half an hour, and an hour with the indexes beside. */
async function withIndexesAfterwards(database: Database, insertRows: () => Promise<void>): Promise<void> {
  const indexes = await database.rows<{ name: string; definition: string }>(sql`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i left join pg_constraint c on c.conindid = i.indexrelid
    where i.indrelid = 'docket.task'::regclass and c.oid is null order by 1`)
  for (const { name } of indexes) await database.rows(sql`drop index ${sql.raw(name)}`)
  await insertRows()
  for (const { definition } of indexes) {
    await database.rows(sql.raw(`set maintenance_work_mem = '2GB'; ${definition}; reset maintenance_work_mem`))
  }
}

/** Tasks that still change are among the newest; a group has many, a user some. */
async function seedTasks(database: Database, tasks: number, numberSequence: string): Promise<void> {
  await database.rows(sql`select setseed(0.5)`)
  await database.rows(sql`
    with u as (select array_agg(sys_id order by sys_id) as ids from docket."user" where user_name like 'bench.%'),
         g as (select array_agg(sys_id order by sys_id) as ids from docket.sys_group),
         drawn as (
           select n, random() as a, random() as b, random() as c, random() as d,
                  date_trunc('second', docket_system.now_utc() - make_interval(secs => (${tasks}::bigint - n) * 31536000.0 / ${tasks}::bigint)) as at
           from generate_series(1, ${tasks}::bigint) n)
    insert into docket.task (number, subject, short_description, description, state, priority, urgency, impact, active,
      opened_at, sys_created_at, sys_updated_at, due_date, assigned_user, assignment_group, opened_by, caller, sys_created_by, sys_updated_by)
    select 'TSK' || lpad(nextval(${numberSequence})::text, ${Math.max(7, String(tasks).length)}::integer, '0'),
      (array['Не печатает принтер', 'Cannot sign in to the mail', 'Нужен доступ к папке', 'Laptop runs slowly', 'Сбой сети на этаже'])[1 + (d * 4)::integer] || ' ' || n,
      'Room ' || (b * 900)::integer || ': reported by phone, asks for a call back',
      repeat('Пользователь сообщает, что ошибка повторяется. It worked yesterday. ', 1 + (c * 5)::integer),
      (1 + (a * 8)::integer)::text, (1 + (b * 3)::integer)::text, (1 + (c * 3)::integer)::text, (1 + (d * 3)::integer)::text, a < 0.6,
      at, at, at, at + interval '3 days',
      case when b < 0.9 then u.ids[1 + (c * (cardinality(u.ids) - 1))::integer] end, g.ids[1 + (d * (cardinality(g.ids) - 1))::integer],
      u.ids[1 + (a * (cardinality(u.ids) - 1))::integer], u.ids[1 + (b * (cardinality(u.ids) - 1))::integer],
      u.ids[1 + (a * (cardinality(u.ids) - 1))::integer], u.ids[1 + (a * (cardinality(u.ids) - 1))::integer]
    from drawn, u, g order by n`)
}

/** Like a database in use: with statistics, and without pending vacuum and checkpoint work. */
async function settle(database: Database): Promise<void> {
  await database.rows(sql`vacuum (analyze)`)
  await database.rows(sql`checkpoint`)
}

const drawIds = async (database: Database, from: ReturnType<typeof sql>): Promise<readonly string[]> => {
  const rows = await database.rows<{ id: string }>(
    sql`select id::text from (select sys_id as id from ${from}) as each order by md5(id::text) limit 5000`,
  )
  return rows.map(({ id }) => id)
}

export async function keyFor(database: Database, userId: string): Promise<string> {
  const expiresAtMs = systemClock.nowMs() + 86_400_000
  const made = await makeApiKey(
    { database, clock: systemClock },
    { userId, name: 'Load test', expiresAtMs, roles: null },
    administratorId,
  )
  if (!made.ok) throw new Error(JSON.stringify(made.error))
  return made.value.key
}
