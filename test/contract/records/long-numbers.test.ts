import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import type { Caller } from '../../harness/send-request.ts'
import { type Stage, setStage } from './fixture.ts'

/** A json column keeps the digits of every number, in all kinds of writes and reads (issue 8). */

let stage: Stage
beforeAll(async () => {
  stage = await setStage([sql`update docket.sys_db_table set is_audit = true where name = 'probe'`])
})
afterAll(() => stage.close())

const LONG = '12345678901234567890'
const table = '/rest/v1/table/probe'
const json = { 'content-type': 'application/json' }
const send = (line: string, body?: string, headers: Readonly<Record<string, string>> = json) =>
  stage.send('worker', line, body === undefined ? {} : { body, headers })
const idOf = (response: { readonly body: unknown }): string =>
  (response.body as { data: [{ sys_id: string }] }).data[0].sys_id
const stored = async (where: ReturnType<typeof sql>) =>
  (await stage.run(sql`select c_json::text as json from docket.probe where ${where} order by sys_id`)).map(
    (row) => (row as { json: string }).json,
  )
const byTitle = (title: string) => stored(sql`title = ${title}`)
async function make(title: string, value: string): Promise<string> {
  const made = await send(`POST ${table}?sysparm_fields=sys_id,c_json`, `{"title":"${title}","c_json":${value}}`)
  expect(made.status).toBe(200)
  return idOf(made)
}

/** A stream of events as text: a JSON parser would lose digits. */
async function readText(path: string) {
  const headers = headersOf(stage.callerOf('admin'))
  const response = await fetch(`${stage.docket.baseUrl}${path}`, { headers })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader?.read())?.value ?? ''
  return {
    async untilEvent(): Promise<string> {
      while (!/data: \{.*\n\n/.test(text)) text += (await reader?.read())?.value ?? ''
      await reader?.cancel()
      return text
    },
  }
}

const headersOf = (caller: Caller): Readonly<Record<string, string>> => {
  const { user, password } = caller as { user: string; password: string }
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

describe('numbers of more digits than a double holds in a json column', () => {
  test.each([
    ['an object', `{"n":${LONG}}`, `{"n": ${LONG}}`],
    ['a number alone', LONG, LONG],
    ['a list', `[${LONG},0.12345678901234567890123]`, `[${LONG}, 0.12345678901234567890123]`],
    ['beside a text of digits', `{"n":${LONG},"t":"${LONG}"}`, `{"n": ${LONG}, "t": "${LONG}"}`],
    ['beyond the range of a double', '[1e400]', `[1${'0'.repeat(400)}]`],
  ])('%s', async (_name, value, kept) => {
    const made = await send(`POST ${table}?sysparm_fields=sys_id,c_json`, `{"c_json":${value}}`)
    const id = idOf(made)
    expect({ status: made.status, text: made.text }).toEqual({
      status: 200,
      text: `{"status":"OK","data":[{"sys_id":"${id}","c_json":${kept}}]}`,
    })
    const read = await send(`GET ${table}/${id}?sysparm_fields=c_json`)
    expect(read.text).toBe(`{"status":"OK","data":[{"c_json":${kept}}]}`)
    expect(await stored(sql`sys_id = ${id}::bigint`)).toEqual([kept])
  })

  test.each(['PUT', 'PATCH'])('%s writes them, and changes nothing when it sends what was read', async (method) => {
    const id = await make(method, '{"n":1}')
    const log = async () =>
      stage.run(sql`select changes::text from docket_system.change where record_id = ${id} order by position`)
    await send(`${method} ${table}/${id}`, `{"c_json":{"n":${LONG}}}`)
    expect(await byTitle(method)).toEqual([`{"n": ${LONG}}`])
    const before = await log()
    const read = await send(`GET ${table}/${id}?sysparm_fields=c_json,c_biginteger`)
    const record = read.text.slice('{"status":"OK","data":['.length, -2)
    const again = await send(`${method} ${table}/${id}?sysparm_fields=c_json,c_biginteger`, record)
    expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: read.text })
    expect(await log()).toEqual(before)
  })

  test('PATCH instructions: value and merge', async () => {
    const id = await make('instructions', '{"a":1}')
    await send(`PATCH ${table}/${id}`, `{"c_json":{"value":{"a":${LONG}}}}`)
    await send(`PATCH ${table}/${id}`, `{"c_json":{"merge":{"b":[${LONG}1]}}}`)
    expect(await byTitle('instructions')).toEqual([`{"a": ${LONG}, "b": [${LONG}1]}`])
  })

  test('conditions compare every digit', async () => {
    await make('conditions', `{"n":${LONG}}`)
    await make('conditions', `{"n":${LONG.slice(0, -1)}1}`)
    const found = await send(`GET ${table}?sysparm_fields=c_json&sysparm_query=title=conditions^c_json={"n":${LONG}}`)
    expect(found.text).toBe(`{"status":"OK","data":[{"c_json":{"n": ${LONG}}}]}`)
  })

  test('one bulk request', async () => {
    await make('bulk', '{}')
    const body = `{"query":"title=bulk","action":"update","values":{"c_json":{"n":${LONG}},"c_biginteger":9007199254740993}}`
    expect((await send('POST /rest/v1/bulk/probe', body)).status).toBe(200)
    expect(await byTitle('bulk')).toEqual([`{"n": ${LONG}}`])
    const [row] = await stage.run(sql`select c_biginteger::text as n from docket.probe where title = 'bulk'`)
    expect(row).toEqual({ n: '9007199254740993' })
  })

  test('an idempotent create that is repeated', async () => {
    const headers = { ...json, 'idempotency-key': 'long-number' }
    const path = `POST ${table}?sysparm_fields=c_json`
    const first = await send(path, `{"c_json":${LONG}}`, headers)
    expect((await send(path, `{"c_json":${LONG}}`, headers)).text).toBe(first.text)
    expect((await send(path, `{"c_json":${LONG}1}`, headers)).status).toBe(422)
  })

  test('history and events', async () => {
    const id = await make('history', `{"n":${LONG}}`)
    const events = await readText('/rest/v1/events')
    await send(`PATCH ${table}/${id}`, `{"c_json":{"value":{"n":${LONG}1}}}`)
    const history = await stage.send('admin', `GET /rest/v1/history/probe/${id}`)
    expect(history.text).toContain(`{"n":${LONG}1}`)
    expect(history.text).toContain(`{"n":${LONG}}`)
    expect(await events.untilEvent()).toContain(`{"n":${LONG}1}`)
  })

  test('a number of more than 1000 digits is rejected', async () => {
    const response = await send(`POST ${table}`, '{"c_json":[1e100000]}')
    expect({ status: response.status, body: response.body }).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'INVALID_VALUE', field: 'c_json', message: expect.stringContaining('1000 digits') }] },
    })
  })

  test('a body that is such a number alone is not an object', async () => {
    expect((await send(`POST ${table}`, LONG)).body).toMatchObject({
      errors: [{ code: 'BAD_JSON', message: expect.stringContaining('a number') }],
    })
  })
})

describe('the other columns take such a number as a text of its digits', () => {
  test('of a record, also in an instruction and a list', async () => {
    const id = await make('others', '{}')
    const body =
      '{"c_biginteger":9007199254740993,"c_text":12345678901234567890,"c_list":[12345678901234567890],"c_float":1e400}'
    const wrong = await send(`PATCH ${table}/${id}`, body)
    expect(wrong.body).toMatchObject({ errors: [{ field: 'c_float', message: expect.stringContaining('"1e400"') }] })
    const written = await send(
      `PATCH ${table}/${id}?sysparm_fields=c_biginteger,c_text,c_list`,
      body.replace(',"c_float":1e400', '').replace('9007199254740993', '{"value":9007199254740993}'),
    )
    expect(written.text).toBe(
      `{"status":"OK","data":[{"c_biginteger":"9007199254740993","c_text":"${LONG}","c_list":["${LONG}"]}]}`,
    )
  })
})

describe('files', () => {
  const csvCell = `"{""n"":${LONG}}"`
  test.each([
    ['NDJSON', 'application/x-ndjson', `{"title":"ndjson","c_json":{"n":${LONG}},"c_biginteger":9007199254740993}\n`],
    ['CSV', 'text/csv', `title,c_json,c_biginteger\r\ncsv,${csvCell},9007199254740993\r\n`],
  ])('%s goes in and comes out', async (name, type, file) => {
    const title = name.toLowerCase()
    const loaded = await stage.send('admin', `POST /rest/v1/import/probe?key=title`, {
      body: file,
      headers: { 'content-type': type },
    })
    expect(loaded.body).toMatchObject({ data: { inserted: 1, failed: 0 } })
    const query = `sysparm_query=title=${title}&sysparm_fields=title,c_json,c_biginteger&format=${title}`
    const exported = await stage.send('admin', `GET /rest/v1/export/probe?${query}`)
    expect(exported.text).toBe(file.replace(':9007199254740993', ':"9007199254740993"'))
    // The import also updates: it finds existing records by their key.
    const again = await stage.send('admin', `POST /rest/v1/import/probe?key=title`, {
      body: file.replace(LONG, `${LONG}1`),
      headers: { 'content-type': type },
    })
    expect(again.body).toMatchObject({ data: { updated: 1, failed: 0 } })
    expect(await byTitle(title)).toEqual([`{"n": ${LONG}1}`])
  })

  test('a JSON file', async () => {
    const form = new FormData()
    const rows = `[{"title":"file","c_json":{"n":${LONG}},"c_biginteger":9007199254740993}]`
    form.set('file', new Blob([`{"probe":${rows}}`]), 'rows.json')
    const url = `${stage.docket.baseUrl}/v1/import/json?key=title,c_biginteger`
    const headers = headersOf(stage.callerOf('admin'))
    for (const kind of ['inserted', 'updated'] as const) {
      const response = await fetch(url, { method: 'POST', body: form, headers })
      expect(await response.json()).toMatchObject({ data: { [kind]: 1, failed: 0 } })
    }
    expect(await byTitle('file')).toEqual([`{"n": ${LONG}}`])
  })
})

test('any JSON is read with the digits that were written (law)', async () => {
  const number = fc
    .tuple(
      fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
      fc.option(fc.stringMatching(/^\d{1,30}$/)),
      fc.option(fc.integer({ min: -400, max: 400 })),
    )
    .map(([whole, part, exponent]) => [whole, part === null ? '' : `.${part}`, exponent === null ? '' : `e${exponent}`])
    .map((parts) => parts.join(''))
  const value = fc.oneof(
    number,
    fc.array(number, { maxLength: 5 }).map((members) => `[${members}]`),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), number).map((members) => {
      return `{${Object.entries(members).map(([key, each]) => `"${key}":[{"x":${each}}]`)}}`
    }),
  )
  const id = await make('law', 'null')
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom('PUT', 'PATCH'), async (written, method) => {
      const response = await send(
        `${method} ${table}/${id}?sysparm_fields=c_json`,
        `{"c_json":{"value":${written},"display_value":""}}`,
      )
      expect(response.status).toBe(200)
      const [row] = await stage.run(
        sql`select c_json = ${written}::jsonb as stored, ${response.text}::jsonb #> '{data,0,c_json}' = c_json as read from docket.probe where sys_id = ${id}::bigint`,
      )
      expect(row).toEqual({ stored: true, read: true })
    }),
    { numRuns: 60 },
  )
})

test.each(['-9223372036854775808', '9223372036854775807'])('the biginteger %s is found by its value', async (value) => {
  const [row] = await stage.run(
    sql`insert into docket.probe (title, c_biginteger) values ('end', ${value}::bigint) returning sys_id::text as id`,
  )
  const { id } = row as { id: string }
  for (const query of [`=${value}`, `IN${value}`, `BETWEEN${value}@${value}`]) {
    const found = await send(`GET ${table}?sysparm_fields=sys_id&sysparm_query=c_biginteger${query}`)
    expect([query, found.body]).toEqual([query, { status: 'OK', data: [{ sys_id: id }] }])
  }
})
