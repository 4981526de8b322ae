import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from './fixture.ts'
import { errorBody, ok } from './scenarios.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

interface Written {
  readonly column: string
  /** The value in the body of the write. */
  readonly write: unknown
  /** The value in the response with sysparm_display_value=0. */
  readonly stored: unknown
  /** The value with 1, for a caller with English and UTC. */
  readonly displayed: string | boolean | null
  /** The value with 1, for a caller with Russian and Moscow time; absent: the same. */
  readonly displayedRu?: string | boolean | null
  /** The display value with `all`; absent: the same as with 1. */
  readonly beside?: string
}

const same = (column: string, text: string): Written => ({ column, write: text, stored: text, displayed: text })
const userTable = '{user}'

/** Writes and reads of every column type: docs/spec/records.md, section 4. */
const written: readonly Written[] = [
  { column: 'c_integer', write: 42, stored: 42, displayed: '42' },
  { column: 'c_integer', write: ' -2147483648 ', stored: -2147483648, displayed: '-2147483648' },
  { column: 'c_integer', write: '', stored: null, displayed: null },
  { column: 'c_smallinteger', write: 32767, stored: 32767, displayed: '32767' },
  {
    column: 'c_biginteger',
    write: '9223372036854775807',
    stored: '9223372036854775807',
    displayed: '9223372036854775807',
  },
  { column: 'c_biginteger', write: 7, stored: '7', displayed: '7' },
  { column: 'c_decimal', write: '12.33', stored: '12.33', displayed: '12.33', displayedRu: '12,33' },
  {
    column: 'c_decimal',
    write: 1234567.5,
    stored: '1234567.50',
    displayed: '1,234,567.50',
    displayedRu: '1\u00a0234\u00a0567,50',
  },
  { column: 'c_decimal', write: '-0.05', stored: '-0.05', displayed: '-0.05', displayedRu: '-0,05' },
  { column: 'c_float', write: 0.1, stored: 0.1, displayed: '0.1', displayedRu: '0,1' },
  { column: 'c_float', write: '-1.5e3', stored: -1500, displayed: '-1500' },
  { column: 'c_percent', write: 45, stored: 45, displayed: '45%' },
  { column: 'c_percent', write: '0', stored: 0, displayed: '0%' },
  { column: 'c_boolean', write: true, stored: true, displayed: true, beside: 'Yes' },
  { column: 'c_boolean', write: 'FALSE', stored: false, displayed: false, beside: 'No' },
  { column: 'c_boolean', write: 1, stored: true, displayed: true, beside: 'Yes' },
  { column: 'c_boolean', write: '0', stored: false, displayed: false, beside: 'No' },
  same('title', 'Ёлка "и" \\ ^ 🎄'),
  { column: 'title', write: 42, stored: '42', displayed: '42' },
  { column: 'title', write: '🎄'.repeat(20), stored: '🎄'.repeat(20), displayed: '🎄'.repeat(20) },
  same('c_text', 'two\nlines\t"quoted" \\ </script>'),
  same('c_text', ''),
  same('c_url', 'https://example.com/путь?a=1'),
  same('c_url', '/relative'),
  same('c_email', 'анна@пример.рф'),
  same('c_color', '#ff8800'),
  same('c_color', 'rebeccapurple'),
  same('c_html', '<b>bold</b> & plain'.replace(' & plain', '')),
  { column: 'c_html', write: '<b>x</b><script>alert(1)</script>', stored: '<b>x</b>', displayed: '<b>x</b>' },
  { column: 'c_html', write: '<a href="javascript:x" onclick="y">z</a>', stored: '<a>z</a>', displayed: '<a>z</a>' },
  same('c_html', 'no markup: a < b & c'),
  same('c_translated', 'Hello'),
  same('c_wysiwyg', 'plain text'),
  same('c_wysiwyg', '<p>Hi <strong>there</strong></p>'),
  {
    column: 'c_wysiwyg',
    write: '<p>Hi</p><img src="x" onerror="y" />',
    stored: '<p>Hi</p><img src="x" />',
    displayed: '<p>Hi</p><img src="x" />',
  },
  {
    column: 'c_datetime',
    write: '2026-03-01 22:30:00',
    stored: '2026-03-01 22:30:00',
    displayed: '2026-03-01 22:30:00',
    displayedRu: '2026-03-02 01:30:00',
  },
  {
    column: 'c_datetime',
    write: '2026-03-01T12:00:00+03:00',
    stored: '2026-03-01 09:00:00',
    displayed: '2026-03-01 09:00:00',
    displayedRu: '2026-03-01 12:00:00',
  },
  {
    column: 'c_datetime',
    write: '2026-03-01T12:00:00Z',
    stored: '2026-03-01 12:00:00',
    displayed: '2026-03-01 12:00:00',
    displayedRu: '2026-03-01 15:00:00',
  },
  {
    column: 'c_datetime',
    write: '2026-03-01',
    stored: '2026-03-01 00:00:00',
    displayed: '2026-03-01 00:00:00',
    displayedRu: '2026-03-01 03:00:00',
  },
  same('c_date', '2024-02-29'),
  same('c_time', '23:59:59'),
  { column: 'c_duration', write: 3900000, stored: '3900000', displayed: '1 h 5 m', displayedRu: '1 ч 5 мин' },
  {
    column: 'c_duration',
    write: '90061000',
    stored: '90061000',
    displayed: '1 d 1 h 1 m',
    displayedRu: '1 д 1 ч 1 мин',
  },
  { column: 'c_duration', write: 0, stored: '0', displayed: '0 s', displayedRu: '0 с' },
  { column: 'c_duration', write: '-400', stored: '-400', displayed: '0 s', displayedRu: '0 с' },
  { column: 'c_duration', write: '-1000', stored: '-1000', displayed: '-1 s', displayedRu: '-1 с' },
  {
    column: 'c_days',
    write: 31,
    stored: 31,
    displayed: 'Monday, Tuesday, Wednesday, Thursday, Friday',
    displayedRu: 'Понедельник, Вторник, Среда, Четверг, Пятница',
  },
  { column: 'c_days', write: 64, stored: 64, displayed: 'Sunday', displayedRu: 'Воскресенье' },
  { column: 'c_choice', write: '10', stored: '10', displayed: 'Ten', displayedRu: 'Десять' },
  { column: 'c_choice', write: 1, stored: '1', displayed: 'One', displayedRu: 'Один' },
  { column: 'c_choice', write: '', stored: null, displayed: null },
  { column: 'c_reference', write: '201', stored: '201', displayed: 'Wanda Worker' },
  { column: 'c_reference', write: 204, stored: '204', displayed: 'Миша Московский' },
  {
    column: 'c_reference',
    write: { value: '202', link: 'https://elsewhere.example/rest/v1/table/user/202' },
    stored: '202',
    displayed: 'Rita Reader',
  },
  { column: 'c_reference', write: '', stored: null, displayed: null },
  { column: 'c_list', write: ['b', 'a', 'b'], stored: ['b', 'a'], displayed: 'b, a' },
  { column: 'c_list', write: 'x, y', stored: ['x', 'y'], displayed: 'x, y' },
  { column: 'c_list', write: [], stored: null, displayed: null },
  { column: 'c_users', write: ['202', '201'], stored: '202,201', displayed: 'Rita Reader, Wanda Worker' },
  { column: 'c_users', write: '202,201', stored: '202,201', displayed: 'Rita Reader, Wanda Worker' },
  { column: 'c_users', write: [], stored: null, displayed: null },
  { column: 'c_users', write: '', stored: null, displayed: null },
  { column: 'c_users', write: [{ value: '204' }], stored: '204', displayed: 'Миша Московский' },
  {
    column: 'c_document',
    write: `${userTable}00000000000000c9`,
    stored: `${userTable}-0000-0000000000c9`,
    displayed: 'Wanda Worker',
  },
  {
    column: 'c_json',
    write: { a: [1, null, 'ё'], b: 1.5 },
    stored: { a: [1, null, 'ё'], b: 1.5 },
    displayed: '{"a": [1, null, "ё"], "b": 1.5}',
  },
  { column: 'c_json', write: [], stored: [], displayed: '[]' },
  { column: 'c_journal', write: 'an entry', stored: null, displayed: null },
]

describe('a value is written, and read as it is stored, as people read it, and both', () => {
  test.each(written.map((each) => ({ ...each, text: JSON.stringify(each.write).slice(0, 60) })))(
    '$column = $text',
    async ({ column, write, stored, displayed, displayedRu = displayed, beside = displayed }) => {
      const table = await hexOfUserTable()
      const send = JSON.parse(JSON.stringify(write).replaceAll(userTable, table))
      const kept = JSON.parse(
        JSON.stringify(stored).replaceAll(userTable, table.replace(/^(.{8})(.{4})(.{4})$/, '$1-$2-$3')),
      )
      const options = `sysparm_exclude_reference_link=1&sysparm_fields=${column}`

      const created = await stage.send('worker', `POST /rest/v1/table/probe?${options}`, { body: { [column]: send } })
      expect({ status: created.status, body: created.body }).toEqual({ status: 200, body: ok({ [column]: kept }) })

      const path = new URL(created.headers.location ?? '').pathname
      const english = await stage.send('worker', `GET ${path}?${options}&sysparm_display_value=1`)
      expect(english.body).toEqual(ok({ [column]: displayed }))
      const russian = await stage.send('moscow', `GET ${path}?${options}&sysparm_display_value=1`)
      expect(russian.body).toEqual(ok({ [column]: displayedRu }))
      const both = await stage.send('worker', `GET ${path}?${options}&sysparm_display_value=all`)
      expect(both.body).toEqual(ok({ [column]: { value: kept, display_value: beside } }))

      const cleared = await stage.send('worker', `PATCH ${path}?${options}`, { body: { [column]: null } })
      expect(cleared.body).toEqual(ok({ [column]: null }))
    },
  )
})

async function hexOfUserTable(): Promise<string> {
  const response = await stage.docket.request(
    'GET',
    '/rest/v1/table/sys_db_table?sysparm_query=name=user&sysparm_fields=sys_id',
    {
      as: stage.callerOf('admin'),
    },
  )
  const [row] = (response.body as { data: { sys_id: string }[] }).data
  return BigInt(row?.sys_id ?? 0)
    .toString(16)
    .padStart(16, '0')
}

const MOMENT = 'Expected a date and time that exist, as YYYY-MM-DD HH:MM:SS (or ISO 8601: YYYY-MM-DDTHH:MM:SSZ), found '

/** An invalid value of the column, and the end of the message. */
const wrong: readonly (readonly [column: string, value: unknown, detail: string])[] = [
  ['c_integer', 'five', 'a whole number from -2147483648 to 2147483647 is expected, found "five"'],
  ['c_integer', 1.5, 'a whole number from -2147483648 to 2147483647 is expected, found 1.5'],
  ['c_integer', 2147483648, 'a whole number from -2147483648 to 2147483647 is expected, found 2147483648'],
  ['c_integer', [1], 'a whole number from -2147483648 to 2147483647 is expected, found [1]'],
  ['c_smallinteger', 32768, 'a whole number from -32768 to 32767 is expected, found 32768'],
  [
    'c_biginteger',
    '9223372036854775808',
    'a whole number from -9223372036854775808 to 9223372036854775807 is expected, found 9223372036854775808',
  ],
  ['c_decimal', '1.234', 'a number with at most two digits after the point is expected, found "1.234"'],
  ['c_decimal', '1,5', 'a number with at most two digits after the point is expected, found "1,5"'],
  ['c_float', 'NaN', 'a number is expected, found "NaN"'],
  ['c_percent', 101, 'a whole number from 0 to 100 is expected, found 101'],
  ['c_boolean', 'yes', 'true or false is expected, found "yes"'],
  ['title', 'x'.repeat(21), 'at most 20 characters fit, found 21'],
  ['title', ['x'], 'a text is expected, found ["x"]'],
  ['c_url', 'javascript:alert(1)', 'an address (https://…) is expected, found "javascript:alert(1)"'],
  ['c_email', 'nobody', 'an e-mail address is expected, found "nobody"'],
  ['c_color', 'not a colour', 'a colour (#rrggbb) is expected, found "not a colour"'],
  ['c_datetime', '2026-02-30 10:00:00', `${MOMENT}"2026-02-30 10:00:00"`],
  ['c_datetime', 'yesterday', `${MOMENT}"yesterday"`],
  ['c_datetime', 5, 'a text with a date or time is expected, found 5'],
  ['c_date', '2025-02-29', 'Expected a date that exists, as YYYY-MM-DD, found "2025-02-29"'],
  ['c_date', '01.03.2026', 'Expected a date that exists, as YYYY-MM-DD, found "01.03.2026"'],
  ['c_time', '24:00:01', 'Expected a time of day, as HH:MM:SS, found "24:00:01"'],
  ['c_duration', '1 h', 'a whole number from -9223372036854775808 to 9223372036854775807 is expected, found "1 h"'],
  ['c_days', 128, 'a whole number from 0 to 127 is expected, found 128'],
  ['c_choice', '3', '"3" is not a choice; the choices are 1, 2, 10'],
  ['c_reference', 'wanda', 'the sys_id of a record (up to 18 digits) is expected, found "wanda"'],
  ['c_reference', '999', 'there is no such record in user'],
  ['c_list', { a: 1 }, 'an object is not a value of this column; instructions such as a belong to PATCH'],
  ['c_users', ['wanda'], 'the sys_id of a record is expected in the array, found "wanda"'],
  ['c_users', ['201', '999'], 'there is no such record in user'],
  ['c_document', 'x', 'Expected a document id (32 hexadecimal digits), found "x"'],
  ['c_document', '00000000000000010000000000000001', 'there is no such table or no such record in it'],
  ['sys_created_at', '2020-01-01 00:00:00', 'it is read-only, the server fills it'],
  ['nothing', 1, 'there is no column nothing in probe'],
]

describe('a value that does not fit is rejected with what would', () => {
  test.each(
    wrong.map(([column, value, detail]) => ({ column, value, detail, text: JSON.stringify(value).slice(0, 40) })),
  )('$column = $text', async ({ column, value, detail }) => {
    const before = await stage.fingerprint()
    const response = await stage.send('worker', 'POST /rest/v1/table/probe', { body: { [column]: value } })
    expect({ status: response.status, body: response.body }).toEqual({
      status: 422,
      body: errorBody('INVALID_VALUE', `The value of ${column} is rejected: ${detail}.`, { field: column }),
    })
    expect(await stage.fingerprint()).toBe(before)
  })
})
