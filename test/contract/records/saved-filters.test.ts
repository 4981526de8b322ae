import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { rule, type Stage, setStage, type Who } from './fixture.ts'

/** Conditions that callers save treat names that they may not read as missing. */

const OWNERS = { reader: '202', worker: '201', admin: null } as const

let stage: Stage
beforeAll(async () => {
  stage = await setStage([
    sql`select docket_system.define_table('hall', 'Halls', 'Залы')`,
    sql`select docket_system.define_table('vault', 'Vaults', 'Хранилища')`,
    sql`select docket_system.define_column('hall', c.name, c.type, c.name, c.name, c.options) from (values
      ('name', 'string', '{"mandatory":true,"display_by_ref":true}'::jsonb),
      ('seats', 'integer', '{}'),
      ('rent', 'integer', '{}'),
      ('twin', 'reference', '{"reference":"hall"}'),
      ('safe', 'reference', '{"reference":"vault"}'),
      ('lock', 'reference', '{"reference":"hall"}'),
      ('near', 'list', '{"reference":"hall"}')) as c (name, type, options)`,
    sql`select docket_system.define_column('vault', 'code', 'string', 'Code', 'Код', '{}')`,
    sql`select docket_system.resolve_references()`,
    rule({ operation: 'read', table: 'hall', roles: ['user'] }),
    ...['rent', 'lock'].map((column) => rule({ operation: 'read', table: 'hall', column, roles: ['itil'] })),
    sql`insert into docket.sys_filter (sys_id, title, table_id, user_id, condition)
      select n, 'kept', t.sys_id, 202, c from docket.sys_db_table t join (values
        (9001, 'vault', 'code=1'), (9002, 'hall', 'rent>5'), (9003, 'hall', '')) as f (n, of_table, c) on f.of_table = t.name`,
  ])
})
afterAll(() => stage.close())

async function tableId(name: string): Promise<string> {
  const [row] = (await stage.run(
    sql`select sys_id::text as id from docket.sys_db_table where name = ${name}`,
  )) as readonly { id: string }[]
  return row?.id ?? ''
}

async function save(as: Exclude<Who, 'nobody' | 'moscow'>, condition: string, table = 'hall') {
  const body = { title: 'Mine', user_id: OWNERS[as], table_id: await tableId(table), condition }
  const { status, text } = await stage.send(as, 'POST /rest/v1/table/sys_filter', { body })
  return { status, text }
}

function rejection(field: string, detail: string) {
  const message = `The value of ${field} is rejected: ${detail}.`
  const errors = [{ message, code: 'INVALID_VALUE', field }]
  return {
    status: 422,
    text: JSON.stringify({ status: 'ERROR', error_type: 'SERVER', message, errors, request_id: 'ID' }),
  }
}

describe('the condition of a saved filter', () => {
  test.each([
    ['a column', 'COLUMN>5', 'there is no column COLUMN in hall (at 0)', 'rent'],
    [
      'a column behind others',
      'seats>5^ORname=a^NQseats=1^COLUMN>5',
      'there is no column COLUMN in hall (at 27)',
      'rent',
    ],
    ['a column with an operator that does not fit', 'COLUMNON5', 'there is no column COLUMN in hall (at 0)', 'rent'],
    ['a column with a value that does not fit', 'COLUMN=many', 'there is no column COLUMN in hall (at 0)', 'rent'],
    ['a column that is compared with', 'seatsSAMEASCOLUMN', 'there is no column COLUMN in hall (at 0)', 'rent'],
    ['a column behind a reference', 'twin.twin.COLUMN=1', 'there is no column COLUMN in hall (at 0)', 'rent'],
    ['a column behind a list', 'near.COLUMN=1', 'there is no column COLUMN in hall (at 0)', 'rent'],
    ['a reference that leads to a column', 'COLUMN.name=a', 'there is no column COLUMN in hall (at 0)', 'lock'],
    ['a reference that leads to none', 'COLUMN.zzzz=a', 'there is no column COLUMN in hall (at 0)', 'lock'],
    ['a column that leads on', 'COLUMN.zzzz=a', 'there is no column COLUMN in hall (at 0)', 'rent'],
    ['a column of a closed table', 'safe.COLUMN=a', 'safe in hall leads to no table that you may read (at 0)', 'code'],
    ['a column further on', 'safe.COLUMN.a=a', 'safe in hall leads to no table that you may read (at 0)', 'code'],
    ['an order', 'seats>5^ORDERBYCOLUMN', 'a condition has no order', 'rent'],
    ['an order downwards', 'ORDERBYDESCCOLUMN', 'a condition has no order', 'rent'],
  ])(
    'that names %s which its user may not read gets the response as if there was none',
    async (_, form, detail, column) => {
      const closed = await save('reader', form.replace('COLUMN', column))
      const absent = await save('reader', form.replace('COLUMN', 'qqqq'))
      expect(closed).toEqual({ status: 422, text: absent.text.replaceAll('qqqq', column) })
      expect(closed).toEqual(rejection('condition', detail.replace('COLUMN', column)))
    },
  )

  test.each(['rentt=1', 'twin.rentt=1', 'locks.name=a', 'seatsSAMEASren'])(
    'with the name %s is suggested readable columns only',
    async (condition) => {
      const { status, text } = await save('reader', condition)
      expect([status, text]).toEqual([422, expect.stringContaining('there is no column')])
      expect(text).not.toContain('did you mean')
      expect((await save('admin', condition)).text).toContain('did you mean')
    },
  )

  test('is suggested what is readable', async () => {
    expect(await save('reader', 'seat=1')).toEqual(
      rejection('condition', 'there is no column seat in hall; did you mean seats? (at 0)'),
    )
  })

  test.each([
    ['reader', 'seats>5^twin.seats=1^ORnear.nameLIKEa'],
    ['reader', 'seatsSAMEAStwin.seats'],
    ['reader', 'safeISEMPTY'],
    ['reader', ''],
    ['worker', 'rent>5^lock.name=a'],
    ['admin', 'rent>5^safe.code=a'],
  ] as const)('%s saves %s, which they may read', async (as, condition) => {
    if (as === 'worker') {
      await stage.run(rule({ operation: 'read', table: 'hall', roles: ['itil'] }))
      for (const operation of ['create', 'read', 'write'] as const)
        await stage.run(rule({ operation, table: 'sys_filter', roles: ['itil'] }))
    }
    expect((await save(as, condition)).status).toBe(200)
  })

  test.each([
    ['operator', 'seatsLIKE5', /LIKE does not fit seats/],
    ['value', 'seats=many', /\\"many\\" is not a value that seats can be compared with/],
  ])('is told what is wrong with an %s', async (_, condition, message) => {
    expect(await save('reader', condition)).toEqual({ status: 422, text: expect.stringMatching(message) })
  })
})

describe('a filter that is stored', () => {
  const change = async (id: string, body: unknown) => {
    const { status, text } = await stage.send('reader', `PATCH /rest/v1/table/sys_filter/${id}`, { body })
    return { status, text }
  }

  test('on a table that its user may not read any more: every condition gets the same response', async () => {
    const known = await change('9001', { condition: 'code=1' })
    expect(known).toEqual(await change('9001', { condition: 'qqqq=1' }))
    expect(known).toEqual(await change('9001', { condition: '' }))
    expect(known).toEqual(rejection('table_id', 'there is no such record'))
  })

  test('with a column that its user may not read any more is renamed, and takes no such condition', async () => {
    expect((await change('9002', { title: 'renamed' })).status).toBe(200)
    const closed = await change('9002', { condition: 'rent>6' })
    const absent = await change('9002', { condition: 'qqqq>6' })
    expect(closed).toEqual({ status: 422, text: absent.text.replaceAll('qqqq', 'rent') })
    expect((await change('9002', { condition: 'seats>6' })).status).toBe(200)
  })

  test('moves to a table that its user may not read as to one that is not there', async () => {
    const closed = await change('9003', { table_id: await tableId('vault') })
    const absent = await change('9003', { table_id: '155931135900000999' })
    expect(closed).toEqual(absent)
  })

  test('moves to another table only with a condition that fits it there', async () => {
    expect((await change('9003', { condition: 'seats=1' })).status).toBe(200)
    const task = await tableId('task')
    expect(await change('9003', { table_id: task })).toEqual(
      rejection('condition', 'there is no column seats in task; did you mean state? (at 0)'),
    )
    expect((await change('9003', { table_id: task, condition: 'active=true' })).status).toBe(200)
  })
})
