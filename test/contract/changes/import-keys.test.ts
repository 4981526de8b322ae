import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type Stage, setStage } from '../records/fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  await stage.run(sql`update docket.probe set c_text = 'before' where sys_id = 2001`)
  await stage.run(sql`delete from docket.probe where sys_id not in (2001, 2002, 2003)`)
})

const base = { inserted: 0, updated: 0, skipped: 0, failed: 0, errors: [], ignored_columns: [], dry_run: false }
const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

/** Imports one row as CSV, with display values of a caller who reads Russian in Moscow. */
async function load(query: string, row: Readonly<Record<string, string>>): Promise<unknown> {
  const body = `${Object.keys(row).join(',')}\n${Object.values(row).map(quoted).join(',')}\n`
  const response = await stage.send('moscow', `POST /rest/v1/import/probe${query}`, {
    body,
    headers: { 'content-type': 'text/csv' },
  })
  return (response.body as { data?: unknown }).data ?? response.body
}
const imported = (more: object) => ({ ...base, table: 'probe', ...more })
const rows = () =>
  stage.run(sql`select sys_id::text as id, nullif(c_text, '') as c_text from docket.probe order by sys_id`)
const CHANGED = [
  { id: '2001', c_text: 'after' },
  { id: '2002', c_text: 'printer' },
  { id: '2003', c_text: null },
]

/** Display values of record 2001; no other record has them. */
const displayed: readonly (readonly [column: string, value: string])[] = [
  ['c_boolean', 'Да'],
  ['c_datetime', '2026-03-02 01:30:00'],
  ['c_duration', '1 ч 5 мин'],
  ['c_days', 'Понедельник, Вторник, Среда, Четверг, Пятница'],
  ['c_percent', '45%'],
  ['c_decimal', '1 234,5'],
  ['c_choice', 'Два'],
  ['c_reference', 'Wanda Worker'],
  ['c_users', 'Wanda Worker, Rita Reader'],
  ['c_date', '2026-02-28'],
  ['c_json', '{"a":[1,null]}'],
]

describe('a key is compared by the value that the row would store', () => {
  test.each(displayed)('%s: the display value finds the record', async (column, value) => {
    const query = `?key=${column}&sysparm_input_display_value=1`
    expect(await load(`${query}&dry_run=1`, { [column]: value, c_text: 'after' })).toEqual(
      imported({ updated: 1, dry_run: true }),
    )
    expect(await load(query, { [column]: value, c_text: 'after' })).toEqual(imported({ updated: 1 }))
    expect(await rows()).toEqual(CHANGED)
  })

  test('several key columns, each by its display value', async () => {
    const keys = displayed.filter(([column]) => column !== 'c_json')
    const query = `?key=${keys.map(([column]) => column).join(',')}&sysparm_input_display_value=1`
    expect(await load(query, { ...Object.fromEntries(keys), c_text: 'after' })).toEqual(imported({ updated: 1 }))
    expect(await rows()).toEqual(CHANGED)
  })

  test('two forms of one value are one record', async () => {
    const body = 'c_duration,title\n2 ч,one\n120 мин,two\n7200000,three\n'
    const response = await stage.send(
      'moscow',
      'POST /rest/v1/import/probe?key=c_duration&sysparm_input_display_value=1',
      { body, headers: { 'content-type': 'text/csv' } },
    )
    expect(response.body).toMatchObject({ data: imported({ inserted: 1, updated: 2 }) })
    expect(await stage.run(sql`select title from docket.probe where c_duration = 7200000`)).toEqual([
      { title: 'three' },
    ])
  })

  test('a dry run reports the same', async () => {
    const body = 'c_duration,title\n2 ч,one\n120 мин,two\n7200000,three\n'
    const response = await stage.send(
      'moscow',
      'POST /rest/v1/import/probe?key=c_duration&sysparm_input_display_value=1&dry_run=1',
      { body, headers: { 'content-type': 'text/csv' } },
    )
    expect(response.body).toMatchObject({ data: imported({ inserted: 1, updated: 2, dry_run: true }) })
  })

  test('without display values, a key is a stored value: times are UTC', async () => {
    expect(await load('?key=c_datetime', { c_datetime: '2026-03-01T22:30Z', c_text: 'after' })).toEqual(
      imported({ updated: 1 }),
    )
    expect(await rows()).toEqual(CHANGED)
  })

  test.each([
    ['c_boolean', 'vielleicht'],
    ['c_datetime', 'gestern'],
    ['c_duration', '3 недели'],
    ['c_days', 'Monday, Someday'],
    ['c_decimal', 'viel'],
  ])('%s: a value that cannot be converted is rejected as a write rejects it', async (column, value) => {
    const options = { body: { [column]: value } }
    const write = await stage.send('moscow', 'POST /rest/v1/table/probe?sysparm_input_display_value=1', options)
    const [{ message, code }] = (write.body as { errors: [{ message: string; code: string }] }).errors
    const errors = [{ table: 'probe', line: 2, code, message, field: column }]
    expect(await load(`?key=${column}&sysparm_input_display_value=1`, { [column]: value, title: 'x' })).toEqual(
      imported({ failed: 1, errors }),
    )
  })
})

describe('rows of one file whose keys are equal in the database change one record:', () => {
  test.each([
    ['c_decimal', ['7.5', '7.50', '+07.5']],
    ['c_decimal', ['-0', '0.00']],
    ['c_float', ['1.5', '1.50', '15e-1']],
    ['c_list', ['k,l', 'l,k', 'k,l,k']],
    ['c_text', ['ΟΔΟΣ', 'οδοσ']],
    ['c_text', ['İx', 'ix']],
  ])('%s %j', async (column, keys) => {
    const body = `${column},title\n${keys.map((key, at) => `${quoted(key)},${at}\n`).join('')}`
    const send = async (query: string): Promise<unknown> => {
      const headers = { 'content-type': 'text/csv' }
      const response = await stage.send('admin', `POST /rest/v1/import/probe?key=${column}${query}`, { body, headers })
      return (response.body as { data?: unknown }).data ?? response.body
    }
    const counts = { inserted: 1, updated: keys.length - 1 }
    expect(await send('&dry_run=1')).toEqual(imported({ ...counts, dry_run: true }))
    expect(await send('')).toEqual(imported(counts))
  })

  test('members of lists that differ in case are different', async () => {
    const body = 'c_list,title\nm,1\nM,2\n'
    for (const dry of ['&dry_run=1', '']) {
      const headers = { 'content-type': 'text/csv' }
      const response = await stage.send('admin', `POST /rest/v1/import/probe?key=c_list${dry}`, { body, headers })
      expect(response.body).toMatchObject({ data: { inserted: 2, updated: 0, failed: 0 } })
    }
  })
})
