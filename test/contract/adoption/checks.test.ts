import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('depot')
  await desk.run(`create table depot.crate (id integer primary key,
      code text check (left(code, 1) in ('A', 'B')), letter text check (lower(letter) in ('x', 'y')),
      mark text check (not (mark in ('bad', 'worse'))), "Own Word" text check ("Own Word" in ('m', 'n''o')),
      size varchar(10) check (size in ('s', 'l')), "a""b" char(1) check ("a""b" in ('1', '2')));
    insert into depot.crate values (1, 'A1', 'X', 'good', 'm', 's', '1');
    create table depot.visit (id integer, year integer, primary key (id, year)) partition by range (year);
    create table depot.visit_2025 partition of depot.visit for values from (2025) to (2026)`)
  await desk.adopt()
})
afterAll(() => desk.close())

test('a list in a check is one of choices only if the check is on the column itself', async () => {
  const sent = { code: 'B27', letter: 'Y', mark: 'fine' }
  const changed = await desk.send('PATCH /rest/v1/table/crate/1', sent)
  expect(changed).toMatchObject({ status: 200, body: { data: [sent] } })
  const { body } = await desk.send('GET /rest/v1/meta/crate')
  const { columns } = (
    body as { data: { columns: readonly { name: string; choices?: readonly { value: string }[] }[] } }
  ).data
  const choices = columns.flatMap(({ name, choices: listed = [] }) =>
    listed.length === 0 ? [] : [[name, listed.map(({ value }) => value)]],
  )
  expect(Object.fromEntries(choices)).toEqual({ own_word: ['m', "n'o"], size: ['s', 'l'], a_b: ['1', '2'] })
})

test('a record that no partition takes is rejected with the reason', async () => {
  expect(await desk.send('POST /rest/v1/table/visit', { id: 1, year: 2025 })).toMatchObject({ status: 200 })
  expect(await desk.send('POST /rest/v1/table/visit', { id: 1, year: 2031 })).toMatchObject({
    status: 409,
    body: { message: 'No partition of the table visit takes this record.' },
  })
})
