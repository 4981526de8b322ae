import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from '../records/fixture.ts'

const PREFIX = 'c0ffee0123456789'
const id = (sysId: number): string => PREFIX + sysId.toString(16).padStart(16, '0')

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`update docket_system.served_id set prefix = ${PREFIX}`,
    sql`delete from docket.sys_security_acl where table_name in ('sys_journal_entry', 'sys_history', 'sys_record_deletion_log')`,
    rule({ operation: 'read', table: 'sys_journal_entry', roles: ['itil'], condition: 'valueNOT LIKEsecret' }),
    rule({ operation: 'read', table: 'sys_history', roles: ['itil'] }),
    sql`update docket.sys_db_table set is_audit = true where name = 'itsm_incident'`,
  ])
})
afterAll(() => stage.close())

const read = async (as: Who, path: string) => {
  const { status, body } = await stage.send(as, `GET /api/now/table/${path}`)
  return { status, body }
}
const write = async (as: Who, body: object) => {
  const { status } = await stage.send(as, `PATCH /api/now/table/incident/${id(1001)}`, { body })
  expect(status).toBe(200)
}

describe('journals (issue 15, section 5)', () => {
  beforeAll(async () => {
    await write('worker', { work_notes: 'Looked at "it"\nand saw it' })
    await write('moscow', { work_notes: 'Починил' })
    await write('worker', { work_notes: 'a secret' })
    await write('worker', { comments: 'Solved' })
  })
  const fields = 'sysparm_fields=number,work_notes,comments'
  const english = {
    work_notes:
      '2026-03-02 10:00:00 - Миша Московский (Work notes)\nПочинил\n\n2026-03-02 10:00:00 - Wanda Worker (Work notes)\nLooked at "it"\nand saw it\n\n',
    comments: '2026-03-02 10:00:00 - Wanda Worker (Comments)\nSolved\n\n',
  }

  test('their value is empty', async () => {
    expect(await read('worker', `incident/${id(1001)}?${fields}`)).toEqual({
      status: 200,
      body: { result: { number: 'INC0000001', work_notes: '', comments: '' } },
    })
  })

  test('their display value are the entries that the caller may read, the newest first', async () => {
    expect(await read('worker', `incident/${id(1001)}?sysparm_display_value=true&${fields}`)).toEqual({
      status: 200,
      body: { result: { number: 'INC0000001', ...english } },
    })
    const list = `task?sysparm_query=numberININC0000001,INC0000002^ORDERBYnumber&sysparm_display_value=all&sysparm_fields=work_notes`
    expect(await read('worker', list)).toEqual({
      status: 200,
      body: {
        result: [
          { work_notes: { display_value: english.work_notes, value: '' } },
          { work_notes: { display_value: '', value: '' } },
        ],
      },
    })
  })

  test('in the language and the time zone of the caller', async () => {
    const { body } = await read('moscow', `incident/${id(1001)}?sysparm_display_value=true&sysparm_fields=comments`)
    const { comments } = (body as { readonly result: { readonly comments: string } }).result
    expect(comments).toMatch(/^2026-03-02 13:00:00 - Wanda Worker \([А-Я][а-я ]+\)\nSolved\n\n$/)
  })

  test('a caller who may read no entries has the text of a record without any', async () => {
    const as = 'reader'
    const { body, status } = await read(as, `incident/${id(1001)}?sysparm_display_value=true&${fields}`)
    expect({ status, body }).toMatchObject({ status: 200, body: { result: { number: 'INC0000001' } } })
    const { work_notes: notes = '' } = (body as { readonly result: { readonly work_notes?: string } }).result
    expect(notes).toBe('')
  })

  test('both journals together are one text, and are only read', async () => {
    const both = 'sysparm_fields=comments_and_work_notes'
    const { body } = await read('worker', `incident/${id(1001)}?sysparm_display_value=all&${both}`)
    const entries = `${english.comments}${english.work_notes}`
    expect(body).toEqual({ result: { comments_and_work_notes: { display_value: entries, value: '' } } })
    expect(await read('worker', `incident/${id(1001)}?${both}`)).toEqual({
      status: 200,
      body: { result: { comments_and_work_notes: '' } },
    })
    const found = await read('worker', 'incident?sysparm_query=comments_and_work_notesLIKESolved&sysparm_fields=number')
    expect(found).toEqual({ status: 200, body: { result: [{ number: 'INC0000001' }] } })
  })

  test('a record that is read with display values and written back gets no entry', async () => {
    const count = () => stage.run(sql`select count(*)::int as n from docket.sys_journal_entry`)
    const before = await count()
    const { body } = await read('worker', `incident/${id(1001)}?sysparm_display_value=all&sysparm_fields=work_notes`)
    await write('worker', (body as { readonly result: object }).result)
    expect(await count()).toEqual(before)
  })
})

describe('a caller who may not read one of two journals (issue 15, section 5)', () => {
  beforeAll(async () => {
    await stage.run(sql`insert into docket.sys_security_acl (operation, table_name, column_name, roles, admin_overrides)
      values ('read', 'task', 'work_notes', array[(select sys_id::text from docket.sys_role where name = 'admin')], true)`)
  })
  afterAll(() =>
    stage.run(sql`delete from docket.sys_security_acl where table_name = 'task' and column_name = 'work_notes'`),
  )

  test('has the entries of the other one', async () => {
    const { body } = await read(
      'worker',
      `incident/${id(1001)}?sysparm_display_value=true&sysparm_fields=work_notes,comments_and_work_notes`,
    )
    const entries = '2026-03-02 10:00:00 - Wanda Worker (Comments)\nSolved\n\n'
    expect(body).toEqual({ result: { comments_and_work_notes: entries } })
  })

  test('cannot search in both', async () => {
    expect(await read('worker', 'incident?sysparm_query=comments_and_work_notesLIKELooked')).toMatchObject({
      status: 403,
      body: { error: { message: 'Insufficient rights to query records' } },
    })
  })
})

test('the audit has the names of this API (issue 15, section 3)', async () => {
  await write('worker', { short_description: 'Printer jams again' })
  expect(
    await read(
      'worker',
      `sys_audit?documentkey=${id(1001)}&tablename=incident&sysparm_query=ORDERBYDESCsys_created_on&fieldname=short_description&sysparm_fields=tablename,documentkey,fieldname,oldvalue,newvalue,sys_created_by`,
    ),
  ).toEqual({
    status: 200,
    body: {
      result: [
        {
          tablename: 'incident',
          documentkey: id(1001),
          fieldname: 'short_description',
          oldvalue: 'Printer jams',
          newvalue: 'Printer jams again',
          sys_created_by: 'worker',
        },
      ],
    },
  })
  expect((await stage.send('admin', `DELETE /api/now/table/incident/${id(1001)}`)).status).toBe(204)
  const gone = await read(
    'admin',
    `sys_audit_delete?documentkey=${id(1001)}&sysparm_fields=tablename,documentkey,display_value`,
  )
  expect(gone.status).toBe(200)
})
