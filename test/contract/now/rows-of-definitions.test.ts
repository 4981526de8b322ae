import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage } from '../records/fixture.ts'
import { id, servedIds } from './expected.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    servedIds,
    sql`delete from docket.sys_security_acl where table_name in ('sys_history', 'sys_record_deletion_log')`,
    rule({ operation: 'read', table: 'sys_history', roles: ['itil'] }),
    rule({ operation: 'read', table: 'sys_record_deletion_log', roles: ['itil'] }),
    sql`update docket.sys_db_table set is_audit = true where name = 'itsm_incident'`,
    sql`update docket.sys_db_table set record_deletion_logging = true where name = 'company'`,
  ])
})
afterAll(() => stage.close())

const FLAT = 'sysparm_exclude_reference_link=true'
const ID = expect.stringMatching(/^c0ffee0123456789[0-9a-f]{16}$/)
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

/** The columns that every record has. */
const system = (table: string, more: object = {}) => ({
  sys_id: ID,
  sys_class_name: table,
  sys_created_on: TIME,
  sys_created_by: '',
  sys_updated_on: TIME,
  sys_updated_by: '',
  sys_mod_count: expect.stringMatching(/^\d+$/),
  sys_domain: 'global',
  sys_domain_path: '/',
  sys_tags: '',
  ...more,
})

async function only(table: string, query: string): Promise<unknown> {
  const line = `GET /api/now/table/${table}?sysparm_query=${encodeURIComponent(query)}&${FLAT}`
  const { status, body } = await stage.send('admin', line)
  return { status, body }
}
const one = (record: object) => ({ status: 200, body: { result: [record] } })

describe('whole rows of what describes and logs records (issue 15, section 3)', () => {
  test('sys_db_object', async () => {
    expect(await only('sys_db_object', 'name=incident')).toEqual(
      one({
        ...system('sys_db_object'),
        name: 'incident',
        label: 'Incidents',
        super_class: ID,
        history_keep_days: '',
        indicate_presence: '',
        is_audit: 'true',
        is_extendable: 'true',
        is_system: 'true',
        is_vcs_enabled: '',
        key_column: 'sys_id',
        queued_create: 'false',
        record_deletion_logging: 'false',
        storage_schema: 'docket',
        storage_table: 'task',
      }),
    )
  })

  const described = {
    ...system('sys_dictionary'),
    active: 'true',
    choice_field_id: '',
    choice_table_id: '',
    choice_type: '',
    default_value: '',
    dependent_on: '',
    display: 'false',
    full_text_search: 'false',
    is_system: 'true',
    mandatory: 'false',
    max_length: '',
    read_only: 'false',
    unique: 'false',
  }
  test('sys_dictionary, of a column', async () => {
    expect(await only('sys_dictionary', 'name=task^element=caller_id')).toEqual(
      one({
        ...described,
        name: 'task',
        element: 'caller_id',
        column_label: 'Caller',
        internal_type: 'reference',
        reference: 'sys_user',
        storage_column: 'caller',
        on_delete: 'restrict',
      }),
    )
  })
  test('sys_dictionary, of a table', async () => {
    expect(await only('sys_dictionary', 'name=core_company^element=')).toEqual(
      one({
        ...described,
        name: 'core_company',
        element: '',
        column_label: 'Companies',
        internal_type: 'collection',
        reference: '',
        storage_column: '',
        on_delete: '',
      }),
    )
  })

  test('sys_glide_object', async () => {
    expect(await only('sys_glide_object', 'name=glide_date_time')).toEqual(
      one({ ...system('sys_glide_object'), name: 'glide_date_time', label: 'Date/Time', storage: 'timestamp(0)' }),
    )
  })

  test('sys_number', async () => {
    expect(await only('sys_number', 'prefix=INC')).toEqual(
      one({ ...system('sys_number'), prefix: 'INC', digits: '7', start: '1', table_id: ID }),
    )
  })

  const byWorker = { sys_created_by: 'worker', sys_updated_by: 'worker' }
  test('sys_audit and sys_audit_delete', async () => {
    const patched = await stage.send('worker', `PATCH /api/now/table/incident/${id(1001)}`, { body: { state: '6' } })
    expect(patched.status).toBe(200)
    expect(await only('sys_audit', 'fieldname=state')).toEqual(
      one({
        ...system('sys_audit', { ...byWorker, sys_mod_count: '0' }),
        tablename: 'incident',
        documentkey: id(1001),
        fieldname: 'state',
        oldvalue: '2',
        newvalue: '6',
      }),
    )
    await stage.run(
      sql`insert into docket.company (sys_id, name, city, sys_created_by) values (309, 'Gone', 'Oslo', 201)`,
    )
    expect((await stage.send('admin', `DELETE /api/now/table/core_company/${id(309)}`)).status).toBe(204)
    expect(await only('sys_audit_delete', `documentkey=${id(309)}`)).toEqual(
      one({
        ...system('sys_audit_delete', { sys_created_by: 'admin', sys_updated_by: 'admin', sys_mod_count: '0' }),
        tablename: 'core_company',
        documentkey: id(309),
        display_value: 'Gone',
        payload: expect.stringMatching(/^\{.*"city": "Oslo".*\}$/),
      }),
    )
  })

  test('incident', async () => {
    expect(await only('incident', 'number=INC0000003')).toEqual(
      one({
        ...system('incident', byWorker),
        sys_id: id(1003),
        number: 'INC0000003',
        short_description: '100% of disk_C used',
        u_short_description: '',
        display_name: 'INC0000003 100% of disk_C used',
        active: 'true',
        additional_comments: '',
        approval: 'not requested',
        assigned_to: '',
        assignment_group: '',
        attention_required: 'false',
        business_service: id(501),
        caller_id: id(203),
        category: '',
        close_code: '',
        close_notes: '',
        closed_at: '',
        closed_by: '',
        comments: '',
        comments_and_work_notes: '',
        company: id(301),
        contact: '',
        contact_type: '',
        description: '',
        details: '',
        due_date: '',
        hold_reason: '',
        impact: '3',
        labels: '',
        opened_at: '2026-02-03 08:00:00',
        opened_by: '',
        parent: '',
        priority: '2',
        reassignment_count: '',
        reopen_count: '',
        screenshot: '',
        severity: '',
        sla_due: '',
        state: '2',
        state_changed_at: '',
        subcategory: '',
        time_worked: '',
        urgency: '3',
        watch_list: '',
        wf_executing_activity: '',
        work_notes: '',
        workaround: '',
      }),
    )
  })
})
