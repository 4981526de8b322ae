import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../src/database/migrations.ts'
import { ensureAdministrator } from '../../src/identity/administrator.ts'
import { sql } from '../../src/kernel/sql.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { admin, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { migrationsBefore } from '../harness/migrations-before.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

/** The ids that clients have in their code. */
const TASK = '155931135900000083'
const INCIDENT = '156950677111866258'
const TABLES = '155931135900000015'
const ADMINISTRATOR = '155931135900000001'
const OWN_TASK = '900000000000000001'

const migrationFolder = `
  task 155931135900000083, user 155931135900000084, employee 156873090301469473, sys_group 155931135900000025,
  sys_user_group 155931135900000078, sys_user_has_role 155931135900000079, sys_role 155931135900000053, sys_role_contains 155931135900000054,
  sys_choice 155931135900000009, sys_db_column 155931135900000012, sys_db_table 155931135900000015, sys_db_column_type 155931135900000014,
  sys_number 155931135900000046, sys_property 155931135900000051, sys_filter 155931135900000023, sys_dynamic_option 155931135900000024,
  sys_schedule 155931135900000056, sys_indication 165996489807396821, sys_attachment 155931135900000007, sys_history 155931135900000027,
  sys_record_deletion_log 161704027300112313, sys_security_acl 155931135900000062, sys_state_model 156846521905974638, sys_approval 156525007504892837,
  sys_ui_form 155931135900000068, sys_ui_form_section 155931135900000070, sys_ui_form_element 155931135900000069, itsm_task 156950363112415683,
  itsm_incident 156950677111866258, itsm_problem 156950604414524664, itsm_change_request 156950641515337420, itsm_request 156950616617772294`
const types = `
  integer 1, smallinteger 2, datetime 3, time 5, percent_complete 6, decimal 7, reference 8, boolean 9, text 11, string 12, image 16, choice 17,
  phone 18, url 19, date 20, document_id 21, float 22, biginteger 23, json 24, password 27, days_of_week 28, script 29, list 30,
  journal_input 31, html 32, field_name 33, encrypted 34, duration 35, color 38, translated_text 39, record_class 40, wysiwyg 42`
/** Types that Docket does not have, and the nearest ones. */
const nearest = 'text 10, string 26, text 37, datetime 41'
/** Dynamic options have ids of their own in every database. */
const options = 'Me 156957117519820256, One of my groups 159679003220074662'
/** A type that was added later, with its id, so no database has another id for it. */
const RECORD_CLASS = { name: 'record_class', id: '40' }

const pairs = (list: string): readonly string[] => list.split(',').map((pair) => pair.trim().replace(/\s+/, ' '))

/** A database that was used before the ids were introduced, with a record, its history and a document id. */
async function usedBefore(): Promise<FreshDatabase> {
  const used = await freshDatabase('blank')
  const folder = migrationsBefore('well_known_ids')
  try {
    await migrate({ connectionString: used.connectionString, observe: observeNothing, folder })
    await ensureAdministrator(used.database, { password: admin.password })
    await used.database.rows(sql`
      insert into docket.task (sys_id, number, subject, sys_db_table_id, sys_created_by)
      select ${OWN_TASK}::bigint, 'TSK0000001', 'Printer', sys_id, ${ADMINISTRATOR}::bigint from docket.sys_db_table where name = 'task'`)
    await used.database.rows(sql`
      insert into docket_system.change (operation, table_id, record_id, changed_by, changes, audited)
      select 'c', sys_id, ${OWN_TASK}, ${ADMINISTRATOR}::bigint, '{"subject": "Printer"}'::jsonb, true
      from docket.sys_db_table where name = 'task'`)
    return used
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const idsOf = (fresh: FreshDatabase) =>
  fresh.database.rows<{ name: string; id: string }>(
    sql`select name, sys_id::text as id from docket.sys_db_table union all select name, sys_id::text from docket.sys_db_column_type order by 2`,
  )
const aliasesOf = (fresh: FreshDatabase) =>
  fresh.database.rows<{ line: string }>(sql`
    select coalesce(t.name, y.name, o.name) || ' ' || a.alias as line from docket_system.id_alias a
    left join docket.sys_dynamic_option o on a.of_table = 'sys_dynamic_option' and o.sys_id = a.record_id
    left join docket.sys_db_table t on a.of_table = 'sys_db_table' and t.sys_id = a.record_id
    left join docket.sys_db_column_type y on a.of_table = 'sys_db_column_type' and y.sys_id = a.record_id order by a.alias`)

describe('ids that clients of SimpleOne know (issue 10, 3)', () => {
  test('a new database gives them to its tables and column types; aliases lead to the nearest of types that it lacks', async () => {
    const fresh = await freshDatabase()
    try {
      const given = (await idsOf(fresh)).map(({ name, id }) => `${name} ${id}`)
      expect(pairs(migrationFolder).filter((pair) => !given.includes(pair))).toEqual([])
      expect(pairs(types).filter((pair) => !given.includes(pair))).toEqual([])
      expect((await aliasesOf(fresh)).map(({ line }) => line)).toEqual(pairs(`${nearest}, ${options}`))
    } finally {
      await fresh.drop()
    }
  })

  test('in a new database, every id of a table or column type that a row, a default, a view or a function holds is one that exists', async () => {
    const fresh = await freshDatabase()
    try {
      const rows = <Row>(statement: ReturnType<typeof sql<Row>>) => fresh.database.rows<Row>(statement)
      const columns = await rows<{ table: string; column: string }>(sql`
        select a.attrelid::regclass::text as table, quote_ident(a.attname) as column from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'docket'::regnamespace and c.relkind in ('r', 'v') and a.attname in ('sys_db_table_id', 'table_id', 'reference_id', 'parent_id', 'column_type_id')
          and not a.attisdropped`)
      expect(columns.length).toBeGreaterThan(40)
      const dangling: string[] = []
      for (const { table, column } of columns) {
        const target = column === 'column_type_id' ? 'docket.sys_db_column_type' : 'docket.sys_db_table'
        const [lost] = await rows<{ n: number }>(
          sql.raw(
            `select count(*)::int as n from ${table} r where r.${column} is not null and not exists (select from ${target} t where t.sys_id = r.${column})`,
          ) as never,
        )
        if (lost?.n !== 0) dangling.push(`${table}.${column}`)
      }
      expect(dangling).toEqual([])
      const texts = await rows<{ text: string }>(sql`
        select pg_get_expr(d.adbin, d.adrelid) as text from pg_attrdef d join pg_class c on c.oid = d.adrelid where c.relnamespace::regnamespace::text like 'docket%'
        union all select pg_get_viewdef(c.oid) from pg_class c where c.relkind = 'v' and c.relnamespace::regnamespace::text like 'docket%'
        union all select pg_get_functiondef(p.oid) from pg_proc p where p.prokind = 'f' and p.pronamespace::regnamespace::text like 'docket%'
        union all select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace::regnamespace::text like 'docket%'
        union all select to_jsonb(x)::text from docket.sys_property x union all select to_jsonb(x)::text from docket.sys_security_acl x
        union all select to_jsonb(x)::text from docket.sys_state_model x union all select to_jsonb(x)::text from docket.sys_translated_text x`)
      const known = await rows<{ id: string }>(sql`
        select sys_id::text as id from docket.sys_db_table union all select sys_id::text from docket.sys_db_column
        union all select sys_id::text from docket.sys_property union all select sys_id::text from docket.sys_security_acl
        union all select sys_id::text from docket.sys_state_model union all select sys_id::text from docket.sys_translated_text
        union all select sys_id::text from docket.sys_db_column_type union all select sys_id::text from docket."user"
        union all select sys_id::text from docket.sys_role`)
      const ids = new Set(known.map(({ id }) => id))
      const named = texts.flatMap(({ text }) => text.match(/(?<!\d)1\d{17}(?!\d)/g) ?? [])
      expect(named.length).toBeGreaterThan(30)
      expect(named.filter((id) => !ids.has(id))).toEqual([])
    } finally {
      await fresh.drop()
    }
  })

  test('an upgrade of a database that was used changes no id, and adds aliases of those that differ', async () => {
    const used = await usedBefore()
    try {
      const before = await idsOf(used)
      await migrate({ connectionString: used.connectionString, observe: observeNothing })
      const after = await idsOf(used)
      const isNew = ({ name }: { readonly name: string }): boolean => before.every((each) => each.name !== name)
      expect(after.filter((each) => !isNew(each))).toEqual(before)
      expect(after.filter(isNew)).toEqual([
        { id: expect.any(String), name: 'sys_user_preference' },
        { id: expect.any(String), name: 'sys_ui_related_list' },
        { id: expect.any(String), name: 'oauth_entity' },
        { id: expect.any(String), name: 'department' },
        RECORD_CLASS,
      ])
      const aliases = (await aliasesOf(used)).map(({ line }) => line)
      expect([...aliases].sort()).toEqual(
        [...pairs(migrationFolder), ...pairs(types), ...pairs(nearest), ...pairs(options)]
          .filter((pair) => pair !== 'record_class 40')
          .sort(),
      )
    } finally {
      await used.drop()
    }
  })

  describe.each(['a new database', 'a database that was used before'] as const)('%s', (kind) => {
    let fresh: FreshDatabase
    let docket: RunningDocket
    let taskId: string
    beforeAll(async () => {
      fresh = kind === 'a new database' ? await freshDatabase() : await usedBefore()
      await migrate({ connectionString: fresh.connectionString, observe: observeNothing })
      docket = await startDocket({ fresh })
      const [row] = await fresh.database.rows<{ id: string }>(
        sql`select sys_id::text as id from docket.sys_db_table where name = 'task'`,
      )
      taskId = row?.id ?? ''
    })
    afterAll(async () => {
      await docket.close()
      await fresh.drop()
    })
    const call = async (line: string, body?: unknown) => {
      const [method = '', ...path] = line.split(' ')
      const response = await docket.request(method, path.join(' '), {
        as: admin,
        ...(body === undefined ? {} : { body }),
      })
      return {
        status: response.status,
        body: response.body as { readonly data: readonly Readonly<Record<string, unknown>>[] },
      }
    }
    const ok = (...data: readonly unknown[]) => ({ status: 200, body: { status: 'OK', data } })
    const FIELDS = 'sysparm_exclude_reference_link=1&sysparm_fields='

    test('in paths', async () => {
      expect(await call(`GET /rest/v1/table/sys_db_table/${TASK}?sysparm_fields=name,sys_id`)).toEqual(
        ok({ name: 'task', sys_id: taskId }),
      )
      expect((await call(`GET /rest/v1/table/sys_db_column_type/10?sysparm_fields=name`)).body.data).toEqual([
        { name: 'text' },
      ])
      expect(
        await call(`PATCH /rest/v1/table/sys_db_table/${TASK}?sysparm_fields=is_vcs_enabled,indicate_presence`, {
          is_vcs_enabled: true,
        }),
      ).toEqual(ok({ is_vcs_enabled: true, indicate_presence: null }))
      expect((await call(`GET /rest/v1/history/sys_db_table/${TASK}`)).status).toBe(200)
    })

    test('in conditions', async () => {
      const names = async (query: string, table = 'sys_db_table') => {
        const response = await call(
          `GET /rest/v1/table/${table}?sysparm_query=${query}^ORDERBYname&sysparm_fields=name`,
        )
        return response.status === 200 ? response.body.data.map(({ name }) => name) : response
      }
      expect(await names(`sys_id=${TASK}`)).toEqual(['task'])
      expect(await names(`sys_idIN${TASK}@${INCIDENT}`)).toEqual(['itsm_incident', 'task'])
      expect(await names(`parent_id=${TASK}`)).toEqual(['itsm_task'])
      expect(await names(`sys_idNOTIN${TASK},${INCIDENT}^nameSTARTSWITHitsm_`)).toEqual([
        'itsm_change_request',
        'itsm_problem',
        'itsm_request',
        'itsm_task',
      ])
      expect(await names(`sys_db_table_id=${TABLES}^name=task`)).toEqual(['task'])
      expect(await names('sys_idIN8@12', 'sys_db_column_type')).toEqual(['reference', 'string'])
      expect(await names('sys_id=40', 'sys_db_column_type')).toEqual(['record_class'])
      const columns = `GET /rest/v1/table/sys_db_column?sysparm_query=table_id=${TASK}^column_type_id=31^ORDERBYcolumn_name&sysparm_fields=column_name`
      expect((await call(columns)).body.data.length).toBeGreaterThan(0)
      expect(
        await call(
          columns
            .replace(`table_id=${TASK}`, 'table_id.name=task')
            .replace('column_type_id=31', 'column_type_id.name=journal_input'),
        ),
      ).toEqual(await call(columns))
      const instances = (id: string) =>
        call(`GET /rest/v1/table/task?sysparm_query=sys_db_table_idINSTANCEOF${id}&sysparm_fields=sys_id`)
      expect((await instances(TASK)).status).toBe(200)
      expect(await instances(TASK)).toEqual(await instances('task'))
    })

    test('in bodies: a table and its columns, made with the numbers of clients', async () => {
      const table = await call(
        'POST /rest/v1/table/sys_db_table?sysparm_fields=sys_id,name,parent_id,is_vcs_enabled,indicate_presence,is_audit',
        {
          title: 'TestTable7',
          name: 'test_table_7',
          parent_id: '',
          is_vcs_enabled: false,
          is_audit: true,
          record_deletion_logging: false,
          indicate_presence: false,
        },
      )
      const id = String(table.body.data[0]?.['sys_id'])
      expect(table).toEqual(
        ok({
          sys_id: id,
          name: 'test_table_7',
          parent_id: null,
          is_vcs_enabled: false,
          indicate_presence: false,
          is_audit: true,
        }),
      )
      const made = async (type: string, name: string, more: object = {}) => {
        const response = await call(
          `POST /rest/v1/table/sys_db_column?${FIELDS}column_name,column_type_id.name,reference_id.name,choice_type,choice_table_id.name,choice_field_id.column_name`,
          { active: true, title: name, column_name: name, column_type_id: type, table_id: id, ...more },
        )
        return response.status === 200 ? response.body.data[0] : response
      }
      const row = (name: string, type: string, more: object = {}) => ({
        column_name: name,
        'column_type_id.name': type,
        'reference_id.name': null,
        choice_type: null,
        'choice_table_id.name': null,
        'choice_field_id.column_name': null,
        ...more,
      })
      expect(await made('12', 'title')).toEqual(row('title', 'string'))
      expect(await made('37', 'template')).toEqual(row('template', 'text'))
      expect(await made('41', 'planned')).toEqual(row('planned', 'datetime'))
      expect(await made('42', 'body')).toEqual(row('body', 'wysiwyg'))
      expect(await made('21', 'document')).toEqual(row('document', 'document_id'))
      expect(await made('40', 'class')).toEqual(row('class', 'record_class', { 'reference_id.name': 'sys_db_table' }))
      expect(await made('40', 'class_too', { reference_id: TABLES })).toEqual(
        row('class_too', 'record_class', { 'reference_id.name': 'sys_db_table' }),
      )
      expect(
        await call('POST /rest/v1/table/sys_db_column', {
          title: 'x',
          column_name: 'x',
          column_type_id: '40',
          table_id: id,
          reference_id: TASK,
        }),
      ).toMatchObject({ status: 422, body: { errors: [{ field: 'reference_id', code: 'INVALID_VALUE' }] } })
      const sysIdColumn = (
        await call(
          'GET /rest/v1/table/sys_db_column?sysparm_query=table_id.name=sys_choice^column_name=title&sysparm_fields=sys_id',
        )
      ).body.data[0]
      expect(
        await made('17', 'kind', {
          choice_type: '1',
          choice_table_id: '155931135900000009',
          choice_field_id: sysIdColumn?.['sys_id'],
        }),
      ).toEqual(
        row('kind', 'choice', {
          choice_type: '1',
          'choice_table_id.name': 'sys_choice',
          'choice_field_id.column_name': 'title',
        }),
      )
      const task = (await call('POST /rest/v1/table/task?sysparm_fields=sys_id', { subject: 'Keyboard' })).body
        .data[0]?.['sys_id']
      const hex = (value: string) => BigInt(value).toString(16).padStart(16, '0')
      const uuid = (digits: string) => digits.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
      const stored = uuid(hex(taskId) + hex(String(task)))
      const requested = hex(TASK) + hex(String(task))
      const record = await call(`POST /rest/v1/table/test_table_7?${FIELDS}title,class.name,document`, {
        title: 'x',
        class: INCIDENT,
        document: requested,
      })
      expect(record).toEqual(ok({ title: 'x', 'class.name': 'itsm_incident', document: stored }))
      for (const query of [
        `document=${requested}`,
        `document=${uuid(requested)}`,
        `document=${stored}`,
        `class=${INCIDENT}`,
      ]) {
        expect([
          query,
          await call(`GET /rest/v1/table/test_table_7?sysparm_query=${query}&sysparm_fields=title`),
        ]).toEqual([query, ok({ title: 'x' })])
      }
    })

    test('a column of type 40 is read as the id of its table in every display mode, and walked through', async () => {
      const table = String(
        (await call('POST /rest/v1/table/sys_db_table?sysparm_fields=sys_id', { name: 'kinds', title: 'Kinds' })).body
          .data[0]?.['sys_id'],
      )
      for (const [name, type] of [
        ['title', '12'],
        ['class', '40'],
      ] as const) {
        const body = { title: name, column_name: name, column_type_id: type, table_id: table }
        expect((await call('POST /rest/v1/table/sys_db_column', body)).status).toBe(200)
      }
      const kind = await call('POST /rest/v1/table/kinds?sysparm_fields=sys_id,class', { title: 'a', class: TASK })
      expect(kind).toEqual(ok({ sys_id: expect.any(String), class: taskId }))
      const read = (parameters: string) =>
        call(`GET /rest/v1/table/kinds?sysparm_fields=class,class.name&sysparm_query=class=${TASK}&${parameters}`)
      for (const exclude of ['0', '1']) {
        const links = `sysparm_exclude_reference_link=${exclude}&sysparm_display_value=`
        expect(await read(`${links}0`)).toEqual(ok({ class: taskId, 'class.name': 'task' }))
        expect(await read(`${links}1`)).toEqual(ok({ class: 'Tasks', 'class.name': 'task' }))
        expect(await read(`${links}all`)).toEqual(
          ok({
            class: { value: taskId, display_value: 'Tasks' },
            'class.name': { value: 'task', display_value: 'task' },
          }),
        )
      }
      const sysId = String(kind.body.data[0]?.['sys_id'])
      expect(await call(`PUT /rest/v1/table/kinds/${sysId}?sysparm_fields=class`, { class: '' })).toEqual(
        ok({ class: null }),
      )
      expect((await call(`PUT /rest/v1/table/kinds/${sysId}`, { class: '155931135900000099' })).status).toBe(422)
    })

    test('behind DYNAMIC, and SimpleOne’s name of the table of dynamic options', async () => {
      const me = '156957117519820256'
      const groups = '159679003220074662'
      const made = await call('POST /rest/v1/table/task?sysparm_fields=sys_id', {
        subject: 'Mine',
        assigned_user: ADMINISTRATOR,
        followers_list: [ADMINISTRATOR],
      })
      for (const query of [
        `assigned_userDYNAMIC${me}^subject=Mine`,
        `followers_listCONTAINS_DYNAMIC${me}^subject=Mine`,
        `(assigned_userDYNAMIC${me}^stateNOT IN7@10)^subject=Mine`,
      ]) {
        const found = await call(`GET /rest/v1/table/task?sysparm_fields=sys_id&sysparm_query=${encodeURI(query)}`)
        expect([query, found]).toEqual([query, ok(...made.body.data)])
      }
      expect(await call(`GET /rest/v1/table/task?sysparm_query=assignment_groupDYNAMIC${groups}^subject=Mine`)).toEqual(
        ok(),
      )
      const option = await call(`GET /rest/v1/table/sys_dynamic_option?sysparm_query=sys_id=${me}`)
      expect(option.body.data).toMatchObject([{ name: 'Me', value: 'gs.getUserID()', active: true }])
      expect(await call(`GET /rest/v1/table/sys_filter_option_dynamic?sysparm_query=sys_id=${me}`)).toEqual(option)
      expect(await call(`GET /rest/v1/table/sys_filter_option_dynamic/${me}`)).toEqual(option)
      const path = '/rest/v1/table/sys_filter_option_dynamic'
      const added = await call(`POST ${path}?sysparm_fields=sys_id,name`, { name: 'I', value: 'gs.getUserID()' })
      expect(added).toEqual(ok({ sys_id: expect.any(String), name: 'I' }))
      const id = String(added.body.data[0]?.['sys_id'])
      expect((await call(`PATCH ${path}/${id}`, { value: 'alert(1)' })).status).toBe(422)
      expect(
        await call(
          `GET /rest/v1/table/task?sysparm_fields=sys_id&sysparm_query=assigned_userDYNAMIC${id}^subject=Mine`,
        ),
      ).toEqual(ok(...made.body.data))
      expect((await call(`GET /rest/v1/history/sys_filter_option_dynamic/${id}`)).status).toBe(200)
      expect((await call(`GET /rest/v1/stats/sys_filter_option_dynamic?sysparm_query=sys_id=${id}`)).status).toBe(200)
      expect((await call(`DELETE ${path}/${id}`)).status).toBe(200)
      expect((await call(`GET ${path}/${id}`)).status).toBe(404)
    })

    test('an order of ids is an order of what is stored, and other ids stay ids of no record', async () => {
      const after = await call(
        'GET /rest/v1/table/sys_db_column_type?sysparm_query=sys_id>0^ORDERBYsys_id&sysparm_fields=sys_id&sysparm_limit=1',
      )
      const first = String(after.body.data[0]?.['sys_id'])
      const rest = await call(
        `GET /rest/v1/table/sys_db_column_type?sysparm_query=sys_id>${first}^ORDERBYsys_id&sysparm_fields=sys_id&sysparm_limit=0`,
      )
      const all = await call('GET /rest/v1/table/sys_db_column_type?sysparm_fields=sys_id&sysparm_limit=0')
      expect(rest.body.data.length).toBe(all.body.data.length - 1)
      expect((await call('GET /rest/v1/table/sys_db_table/155931135900000099')).status).toBe(404)
      // An id of a table never identifies a record of another table.
      expect((await call(`GET /rest/v1/table/task/${TASK}`)).status).toBe(404)
    })
  })
})
