import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorIn } from '../dictionary/dictionary-desk.ts'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

/** A bulk delete of adopted records handles references to them like a single delete (issue 8, B10). */

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('ledger')
  await desk.run(`
    create table ledger.owner (id text primary key, name text);
    create table ledger.car (id integer primary key, owner text references ledger.owner on delete cascade);
    create table ledger.badge (id integer primary key, owner text references ledger.owner on delete set null);
    create table ledger.debt (id integer primary key, owner text references ledger.owner);
    create table ledger.part (id integer primary key, whole integer references ledger.part on delete cascade)`)
  await desk.adopt()
  await desk.send('POST /rest/v1/table/sys_db_table', { name: 'loan', title: 'Loan' })
  for (const [name, action] of [
    ['goes', 'cascade'],
    ['stays', 'clear'],
    ['keeps', 'restrict'],
  ])
    await desk.send('POST /rest/v1/table/sys_db_column', {
      table_id: { find: { name: 'loan' } },
      column_name: name,
      title: name,
      column_type_id: { find: { name: 'reference' } },
      reference_id: { find: { name: 'owner' } },
      on_delete: action,
    })
})
afterAll(() => desk.close())

async function fill(): Promise<void> {
  await desk.run(`
    delete from ledger.debt; delete from ledger.car; delete from ledger.badge; delete from ledger.owner; delete from docket.loan;
    insert into ledger.owner values ('a', 'Anna'), ('b', 'Boris'), ('c', 'Clara');
    insert into ledger.car values (1, 'a'), (2, 'b'), (3, 'c');
    insert into ledger.badge values (1, 'a'), (2, 'c');
    insert into docket.loan (goes, stays) values ('a', null), ('b', 'c'), (null, 'b'), ('c', 'a')`)
}
const world = () =>
  desk.run(`select (select json_agg(id order by id) from ledger.owner) as owners,
    (select json_agg(id order by id) from ledger.car) as cars,
    (select json_agg(json_build_array(id, owner) order by id) from ledger.badge) as badges,
    (select json_agg(json_build_array(goes, stays) order by goes, stays) from docket.loan) as loans`)
const bulk = (table: string, query: string, more: object = {}) =>
  desk.send(`POST /rest/v1/bulk/${table}`, { query, action: 'delete', ...more })

describe('adopted records that own and adopted tables refer to', () => {
  test('a dry run reports what would happen, and the delete does what single deletes do', async () => {
    await fill()
    const before = await world()
    const dependents = [
      { table: 'badge', column: 'owner', action: 'clear', count: 1, more: false },
      { table: 'car', column: 'owner', action: 'cascade', count: 2, more: false },
      { table: 'loan', column: 'goes', action: 'cascade', count: 2, more: false },
      { table: 'loan', column: 'stays', action: 'clear', count: 2, more: false },
    ]
    const data = { count: 2, failed: 0, errors: [], dependents }
    expect((await bulk('owner', 'sys_idINa,b', { dry_run: true })).body).toEqual({
      status: 'OK',
      data: { ...data, dry_run: true },
    })
    expect(await world()).toEqual(before)
    expect((await bulk('owner', 'sys_idINa,b')).body).toEqual({ status: 'OK', data: { ...data, dry_run: false } })
    const after = await world()
    expect(after).toEqual([
      {
        owners: ['c'],
        cars: [3],
        badges: [
          [1, null],
          [2, 'c'],
        ],
        loans: [
          ['c', null],
          [null, null],
        ],
      },
    ])
    await fill()
    for (const id of ['a', 'b']) expect((await desk.send(`DELETE /rest/v1/table/owner/${id}`)).status).toBe(200)
    expect(await world()).toEqual(after)
  })

  test.each([
    ['a foreign key of an adopted table', `insert into ledger.debt values (1, 'b')`, 'debt'],
    ['a column of an own table', `insert into docket.loan (keeps) values ('b')`, 'loan'],
  ])('%s restricts', async (_name, insert, by) => {
    await fill()
    await desk.run(insert)
    const before = await world()
    const single = errorIn(await desk.send('DELETE /rest/v1/table/owner/b')) as { message: string }
    expect(single.message).toBe(`The record cannot be deleted: records of ${by} refer to it.`)
    expect(errorIn(await bulk('owner', 'sys_idINa,b,c'))).toEqual({
      ...single,
      record: 'b',
      message: `Record b: ${single.message}`,
    })
    expect((await bulk('owner', 'sys_idINa,b,c', { dry_run: true })).body).toMatchObject({
      data: { count: 3, failed: 1, errors: [{ record: 'b', message: single.message }] },
    })
    expect(await world()).toEqual(before)
    await desk.run(`delete from ledger.debt`)
  })

  test('records that the database deletes with others of the same request are no failure', async () => {
    await desk.run(`delete from ledger.part; insert into ledger.part values (3, null), (2, 3), (1, 2), (4, null)`)
    const response = await bulk('part', 'sys_id<4')
    expect(response.body).toMatchObject({ status: 'OK', data: { count: 3, failed: 0 } })
    expect(await desk.run('select id from ledger.part')).toEqual([{ id: 4 }])
  })

  test('records that the database deletes or empties are counted, also if no own table refers to them', async () => {
    await desk.run(`delete from ledger.part; insert into ledger.part values (3, null), (2, 3), (1, 2), (4, null)`)
    const dependents = [{ table: 'part', column: 'whole', action: 'cascade', count: 1, more: false }]
    for (const dry_run of [true, false])
      expect((await bulk('part', 'sys_id=3', { dry_run })).body).toEqual({
        status: 'OK',
        data: { count: 1, failed: 0, errors: [], dependents, dry_run },
      })
    expect(await desk.run('select id from ledger.part')).toEqual([{ id: 4 }])
  })
})
