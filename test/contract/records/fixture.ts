import { hashPassword } from '../../../src/identity/passwords.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { sql } from '../../../src/kernel/sql.ts'
import type { FreshDatabase } from '../../harness/fresh-database.ts'
import { freshDatabase } from '../../harness/fresh-database.ts'
import type { Caller, ReceivedResponse } from '../../harness/send-request.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'

/** The time of every scenario, for the database and for the server. */
export const NOW = '2026-03-02 10:00:00'

/**
 * The callers of scenarios. `worker` may do everything with tasks, `reader` may read some, `nobody` has no role. `moscow` is a worker
 * with the language Russian and a time zone three hours ahead of UTC.
 */
export type Who = 'admin' | 'worker' | 'reader' | 'nobody' | 'moscow'

export const PASSWORD = 'a password for scenarios'
const USERS: Readonly<
  Record<Exclude<Who, 'admin'>, { readonly id: string; readonly display: string; readonly role: string | null }>
> = {
  worker: { id: '201', display: 'Wanda Worker', role: 'itil' },
  reader: { id: '202', display: 'Rita Reader', role: 'user' },
  nobody: { id: '203', display: 'Nemo Nobody', role: null },
  moscow: { id: '204', display: 'Миша Московский', role: 'itil' },
}

export interface Stage {
  readonly docket: RunningDocket
  /** Sends `METHOD path`. In the body, `BASE` replaces the address, names of tables replace their ids, `ID` that of the request. */
  send(as: Who | null, line: string, options?: SendOptions): Promise<ReceivedResponse>
  /** A text that changes if any value of a record changes, to check that nothing was written. */
  fingerprint(): Promise<string>
  callerOf(who: Who): Caller
  run(statement: ReturnType<typeof sql>): Promise<readonly unknown[]>
  close(): Promise<void>
}

export interface SendOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface StageOptions {
  /** The clock of the server; by default it always returns `NOW`. */
  readonly clock?: Clock
  /** `DOCKET_…` variables. */
  readonly environment?: Readonly<Record<string, string>>
}

export const nowMs = Date.parse(`${NOW.replace(' ', 'T')}Z`)

/** A server with a few known records: four users, two companies, a service, tasks 1001 to 1008, and `probe` with columns of all types. */
export async function setStage(
  more: readonly ReturnType<typeof sql>[] = [],
  { clock = { nowMs: () => nowMs }, environment = {} }: StageOptions = {},
): Promise<Stage> {
  const fresh = await freshDatabase()
  await fill(fresh, more)
  const docket = await startDocket({ fresh, clock, environment })
  const tables = await fresh.database.rows<{ id: string; name: string }>(
    sql`select sys_id::text as id, name from docket.sys_db_table`,
  )
  const names = new Map(tables.map((table) => [table.id, table.name]))
  const normalize = (text: string): string =>
    text
      .replaceAll(docket.baseUrl, 'BASE')
      .replaceAll(/"(\d{18})"|\/(\d{18})"/g, (found, quoted: string, linked: string) => {
        const name = names.get(quoted ?? linked)
        return name === undefined ? found : found.replace(/\d{18}/, name)
      })
      .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"ID"')

  return {
    docket,
    async send(as, line, options = {}) {
      const [method = '', ...path] = line.split(' ')
      const response = await docket.request(method, path.join(' '), {
        ...(as === null ? {} : { as: callerOf(as) }),
        ...(options.body === undefined ? {} : { body: options.body }),
        ...(options.headers === undefined ? {} : { headers: options.headers }),
      })
      const text = normalize(response.text)
      return { ...response, text, body: text.startsWith('{') ? JSON.parse(text) : text }
    },
    async fingerprint() {
      const [row] = await fresh.database.rows<{ print: string }>(sql`select md5(concat(
        (select string_agg((to_jsonb(t) - 'update$count')::text, '' order by sys_id) from docket.task t),
        (select string_agg((to_jsonb(t) - 'update$count')::text, '' order by sys_id) from docket."user" t),
        (select string_agg((to_jsonb(t) - 'update$count')::text, '' order by sys_id) from docket.probe t),
        (select string_agg((to_jsonb(t) - 'update$count')::text, '' order by sys_id) from docket.sys_journal_entry t),
        (select string_agg(t::text, '' order by sys_id) from docket_system.queued_record t))) as print`)
      return row?.print ?? ''
    },
    callerOf,
    run: (statement) => fresh.database.rows(statement),
    async close() {
      await docket.close()
      await fresh.drop()
    },
  }
}

function callerOf(who: Who): Caller {
  return { user: who, password: PASSWORD }
}

async function fill(fresh: FreshDatabase, more: readonly ReturnType<typeof sql>[]): Promise<void> {
  const name = new URL(fresh.connectionString).pathname.slice(1)
  await fresh.database.rows(sql`alter database ${sql.id(name)} set docket.now = ${sql.lit(NOW)}`)
  await fresh.database.rows(sql`select set_config('docket.now', ${NOW}, false)`)
  const hash = await hashPassword(PASSWORD)
  await fresh.database.inTransaction(async (session) => {
    await session.rows(sql`select set_config('docket.now', ${NOW}, true)`)
    for (const statement of [...world(hash), ...more]) await session.rows(statement)
    await session.rows(sql`alter sequence docket_system.sys_id_low restart with 1`)
    // The numbers of records that scenarios create begin at 1001.
    await session.rows(
      sql`select setval(format('docket_system.number_%s', sys_id)::regclass, 1000) from docket.sys_number`,
    )
  })
}

const roleId = (name: string) => sql`(select sys_id from docket.sys_role where name = ${name})`

/** A rule of sys_security_acl. */
export function rule(parts: {
  readonly operation: 'create' | 'read' | 'write' | 'delete'
  readonly table: string
  readonly column?: string
  /** Names; absent: everyone. */
  readonly roles?: readonly string[]
  readonly condition?: string
  readonly adminOverrides?: boolean
  readonly active?: boolean
}): ReturnType<typeof sql> {
  const roles = parts.roles ?? []
  const ids = roles.map((name) => sql`${roleId(name)}::text`)
  return sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, condition, admin_overrides, active)
    values (${parts.operation}, ${parts.table}, ${parts.column ?? null}, array[${sql.join(ids)}]::text[], ${parts.condition ?? null},
            ${parts.adminOverrides ?? true}, ${parts.active ?? true})`
}

function world(hash: string): readonly ReturnType<typeof sql>[] {
  const classOf = (table: string) => sql`(select sys_id from docket.sys_db_table where name = ${table})`
  const probe = (column: string, type: string, options: object = {}) =>
    sql`select docket_system.define_column('probe', ${column}, ${type}, ${column}, ${column}, ${JSON.stringify(options)}::jsonb)`
  return [
    sql`update docket."user" set password = ${hash}, display_name = 'System Administrator' where user_name = 'admin'`,
    sql`insert into docket.company (sys_id, name, city) values (301, 'Acme', 'London'), (302, 'Ромашка', 'Москва')`,
    ...Object.entries(USERS).map(
      ([
        name,
        user,
      ]) => sql`insert into docket."user" (sys_id, user_name, password, display_name, email, language, time_zone, company)
        values (${user.id}::bigint, ${name}, ${hash}, ${user.display}, ${`${name}@example.com`},
                ${name === 'moscow' ? 'ru' : 'en'}, ${name === 'moscow' ? 'Europe/Moscow' : 'UTC'}, 301)`,
    ),
    ...Object.values(USERS).flatMap((user) =>
      user.role === null
        ? []
        : [
            sql`insert into docket.sys_user_has_role (user_id, role_id) values (${user.id}::bigint, ${roleId(user.role)})`,
          ],
    ),
    sql`insert into docket.sys_group (sys_id, name) values (401, 'First line')`,
    sql`insert into docket.sys_user_group (user_id, group_id) values (201, 401)`,
    sql`insert into docket.service (sys_id, name, owner) values (501, 'Mail', 201)`,
    ...(['create', 'read', 'write', 'delete'] as const).map((operation) =>
      rule({ operation, table: 'task', roles: ['itil'] }),
    ),
    rule({ operation: 'read', table: 'task', roles: ['user'], condition: 'callerDYNAMICme' }),
    ...['user', 'company', 'sys_group', 'service'].map((table) => rule({ operation: 'read', table, roles: ['user'] })),
    sql`insert into docket.task (sys_id, sys_db_table_id, number, subject, description, state, priority, active, opened_at, assigned_user, caller,
                                 company, service, sys_created_at, sys_updated_at, sys_created_by, sys_updated_by)
      select 1000 + n, ${classOf('itsm_incident')}, 'INC000000' || n, subject, null, state, priority, active, opened::timestamp, assigned, caller, company,
             501, opened::timestamp, opened::timestamp, 201, 201
      from (values
        (1, 'Printer jams', '2', '1', true, '2026-02-01 08:00:00', 201, 202, 301),
        (2, 'Принтер не печатает', '2', '2', true, '2026-02-02 08:00:00', 201, 202, 302),
        (3, '100% of disk_C used', '1', '2', true, '2026-02-03 08:00:00', null, 203, 301),
        (4, 'Mail is slow', '0', '3', true, '2026-02-04 08:00:00', null, 203, null),
        (5, 'Old ticket', '10', '4', false, '2025-12-31 23:30:00', 204, 203, 301)
      ) as t (n, subject, state, priority, active, opened, assigned, caller, company)`,
    sql`insert into docket.task (sys_id, sys_db_table_id, number, subject, sys_created_at, sys_updated_at, sys_created_by, sys_updated_by, opened_at)
      select 1000 + n, (select sys_id from docket.sys_db_table where name = class), prefix || '000000' || n, subject, ${NOW}::timestamp, ${NOW}::timestamp, 201, 201, ${NOW}::timestamp
      from (values (6, 'task', 'TSK', 'A plain task'), (7, 'itsm_change_request', 'CHG', 'A change'), (8, 'itsm_problem', 'PRB', 'A problem')) as t (n, class, prefix, subject)`,
    sql`select docket_system.define_table('probe', 'Probes', 'Пробы')`,
    probe('title', 'string', { display_by_ref: true, max_length: 20 }),
    probe('c_integer', 'integer'),
    probe('c_smallinteger', 'smallinteger'),
    probe('c_biginteger', 'biginteger'),
    probe('c_decimal', 'decimal'),
    probe('c_float', 'float'),
    probe('c_percent', 'percent_complete'),
    probe('c_boolean', 'boolean'),
    probe('c_text', 'text', { full_text_search: true }),
    probe('c_url', 'url'),
    probe('c_email', 'email'),
    probe('c_color', 'color'),
    probe('c_html', 'html'),
    probe('c_translated', 'translated_text'),
    probe('c_wysiwyg', 'wysiwyg'),
    probe('c_datetime', 'datetime'),
    probe('c_date', 'date'),
    probe('c_time', 'time'),
    probe('c_duration', 'duration'),
    probe('c_days', 'days_of_week'),
    probe('c_choice', 'choice'),
    probe('c_reference', 'reference', { reference: 'user' }),
    probe('c_list', 'list'),
    probe('c_users', 'list', { reference: 'user' }),
    probe('c_document', 'document_id'),
    probe('c_json', 'json'),
    probe('c_journal', 'journal_input'),
    probe('c_password', 'password'),
    probe('c_encrypted', 'encrypted'),
    sql`select docket_system.define_choices('probe', 'c_choice', '[["1","One","Один"],["2","Two","Два"],["10","Ten","Десять"]]')`,
    sql`insert into docket.probe (sys_id, title, c_integer, c_smallinteger, c_biginteger, c_decimal, c_float, c_percent, c_boolean, c_text, c_url, c_email,
        c_color, c_html, c_translated, c_wysiwyg, c_datetime, c_date, c_time, c_duration, c_days, c_choice, c_reference, c_list, c_users, c_document, c_json,
        c_password, sys_created_by, sys_updated_by)
      values (2001, 'first', 5, -3, 9007199254740993, 1234.5, 0.25, 45, true, 'Ёлка и принтер', 'https://example.com/a', 'a@example.com',
        '#ff0000', '<b>x</b>', 'Hello', '<p>Hi</p>', '2026-03-01 22:30:00', '2026-02-28', '09:05:00', 3900000, 31, '2', 201, '{b,a}', '{201,202}',
        (lpad(to_hex(${classOf('user')}), 16, '0') || lpad(to_hex(201), 16, '0'))::uuid, '{"a": [1, null]}', 'hash', 201, 201),
      (2002, 'second', 10, 7, 12, -0.05, -1.5e3, 100, false, 'printer', null, null, null, null, null, null, '2026-03-02 09:00:00', '2026-03-02', '18:00:00',
        45000, 96, '10', 202, '{a}', '{}', null, '[]', null, 201, 201),
      (2003, null, null, null, null, null, null, null, null, '', null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, 201, 201)`,
    ...(['create', 'read', 'write', 'delete'] as const).map((operation) =>
      rule({ operation, table: 'probe', roles: ['itil'] }),
    ),
  ]
}
