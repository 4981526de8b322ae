import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdoptionDesk, openAdoptionDesk } from './adoption-desk.ts'

/** Columns json and jsonb of an adopted table keep the digits of every number (issue 8). */

const LONG = '12345678901234567890'
let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('ledger')
  await desk.run(
    `create table ledger.paper (id integer primary key, plain json, binary_json jsonb);
     insert into ledger.paper values (1, '{"n": ${LONG}, "m":1.10}', '{"n": ${LONG}}')`,
  )
  await desk.adopt()
})
afterAll(() => desk.close())

const path = '/rest/v1/table/paper'
const fields = 'sysparm_fields=plain,binary_json'

test('a long number in a column json or jsonb is read with its digits', async () => {
  const read = await desk.send(`GET ${path}/1?${fields}`)
  expect(JSON.parse(read.text, keepText)).toEqual({
    status: 'OK',
    data: [{ plain: { n: LONG, m: '1.10' }, binary_json: { n: LONG } }],
  })
  const exported = await desk.send(`GET /rest/v1/export/paper?format=ndjson&${fields}`)
  expect(exported.text).toBe(`{"plain":{"m":1.1,"n":${LONG}},"binary_json":{"n":${LONG}}}\n`)
})

test.each(['PUT', 'PATCH'])('%s writes it, and changes nothing when it sends what was read', async (method) => {
  await desk.send(`DELETE ${path}/2`)
  expect((await desk.send(`POST ${path}`, '{"sys_id":"2","plain":{},"binary_json":{}}')).status).toBe(200)
  const value = `{"plain":{"n":${LONG}1},"binary_json":[${LONG}2]}`
  const written = await desk.send(`${method} ${path}/2?${fields}`, value)
  expect(withoutBlanks(written.text)).toBe(`{"status":"OK","data":[${value}]}`)
  const stored = async () =>
    (await desk.run('select plain::text, binary_json::text from ledger.paper where id = 2')).map((row) =>
      withoutBlanks(`${row['plain']} ${row['binary_json']}`),
    )
  expect(await stored()).toEqual([`{"n":${LONG}1}[${LONG}2]`])
  const again = await desk.send(`${method} ${path}/2?${fields}`, value)
  expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: written.text })
  expect(await stored()).toEqual([`{"n":${LONG}1}[${LONG}2]`])
})

const withoutBlanks = (text: string): string => text.replaceAll(' ', '')

function keepText(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? context?.source : value
}
