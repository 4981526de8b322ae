import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { PASSWORD, type Stage, setStage, type Who } from '../records/fixture.ts'

const page = readFileSync(fileURLToPath(new URL('../../../docs/servicenow.md', import.meta.url)), 'utf8')
const fileNamed = (name: string): string =>
  new RegExp(`^cat > ${name} <<'(\\w+)'\\n([\\s\\S]*?)^\\1$`, 'm').exec(page)?.[2] ?? ''
const responseOnPage = JSON.parse(
  /^The second response is\n\n```json\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '',
) as unknown

const COMPANY = '31bea3d53790200044e0bfc8bcbe5dec'
const USER = '62826bf03710200044e0bfc8bcbe5df1'
const CHILD = '9c573169c611228700193229fff72400'
const PARENT = 'd71f7935c0a8016700802b64c67c11c6'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

async function importFile(text: string, { as = 'admin' as Who, query = '' } = {}) {
  const response = await fetch(`${stage.docket.baseUrl}/api/now/unload${query}`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${as}:${PASSWORD}`).toString('base64')}`,
      'content-type': 'application/xml',
    },
    body: text,
  })
  const body = (await response.json()) as { request_id?: string }
  return { status: response.status, body: 'request_id' in body ? { ...body, request_id: 'ID' } : body }
}
const read = async (path: string) => (await stage.send('admin', `GET /api/now/table/${path}`)).body
const counts = (parts: object) => ({
  status: 200,
  body: {
    result: {
      inserted: 0,
      updated: 0,
      skipped: 0,
      failed: 0,
      errors: [],
      ignored_columns: [],
      unknown_authors: [],
      ...parts,
    },
  },
})
const failed = (message: string, detail: string | null) => ({
  error: { message, detail },
  status: 'failure',
  request_id: 'ID',
})
const FLAT = 'sysparm_exclude_reference_link=true'

describe('files that an instance exported (issue 15: an import that keeps sys_ids, numbers, dates and authors)', () => {
  test('the example of the page, and its response', async () => {
    const people = { ignored_columns: [] }
    expect(await importFile(fileNamed('people.xml'))).toEqual(
      counts({ ...people, inserted: 2, unknown_authors: ['abel.tuter'] }),
    )
    // By now, the user is there who changed his own record.
    expect(await importFile(fileNamed('people.xml'))).toEqual(counts({ ...people, updated: 2 }))
    const second = await importFile(fileNamed('incidents.json'))
    expect(second).toEqual({ status: 200, body: responseOnPage })
  })

  test('sys_ids, numbers, times, authors, references, states and journals are those of the file', async () => {
    const stamps = 'sys_created_on,sys_created_by,sys_updated_on,sys_updated_by'
    expect(
      await read(`sys_user/${USER}?${FLAT}&sysparm_fields=sys_id,name,user_name,email,active,company,${stamps}`),
    ).toEqual({
      result: {
        sys_id: USER,
        name: 'Abel Tuter',
        user_name: 'abel.tuter',
        email: 'abel.tuter@example.com',
        active: 'true',
        company: COMPANY,
        sys_created_on: '2019-03-02 08:00:00',
        sys_created_by: 'admin',
        sys_updated_on: '2020-05-05 09:30:00',
        sys_updated_by: 'abel.tuter',
      },
    })
    const fields = `sys_id,number,short_description,state,hold_reason,caller_id,parent,opened_at,closed_at,active,${stamps}`
    const incident = (more: object) => ({
      caller_id: USER,
      sys_created_by: 'abel.tuter',
      sys_updated_by: 'abel.tuter',
      ...more,
    })
    expect(
      await read(`incident?${FLAT}&sysparm_query=sys_idIN${CHILD},${PARENT}^ORDERBYnumber&sysparm_fields=${fields}`),
    ).toEqual({
      result: [
        incident({
          sys_id: CHILD,
          number: 'INC0090101',
          short_description: 'Cannot read email',
          state: '7',
          hold_reason: '',
          parent: PARENT,
          opened_at: '2020-06-01 10:00:00',
          closed_at: '2020-06-02 12:00:00',
          active: 'false',
          sys_created_on: '2020-06-01 10:00:00',
          sys_updated_on: '2020-06-02 12:00:00',
          sys_updated_by: '',
        }),
        incident({
          sys_id: PARENT,
          number: 'INC0090102',
          short_description: 'Mail server is down',
          state: '3',
          hold_reason: '4',
          parent: '',
          opened_at: '2020-05-31 07:00:00',
          closed_at: '',
          active: 'true',
          sys_created_on: '2020-05-31 07:00:00',
          sys_updated_on: '2020-05-31 08:00:00',
        }),
      ],
    })
    const entries = 'sysparm_fields=name,element,element_id,value,sys_created_on,sys_created_by'
    expect(await read(`sys_journal_field?element_id=${PARENT}&${entries}`)).toEqual({
      result: [
        {
          name: 'incident',
          element: 'work_notes',
          element_id: PARENT,
          value: 'The vendor is asked',
          sys_created_on: '2020-05-31 08:00:00',
          sys_created_by: 'abel.tuter',
        },
      ],
    })
  })

  test('imported again, the same records are written again, and no entry is there twice', async () => {
    const print = await stage.run(
      sql`select sys_id, given_sys_id, number, state, sys_updated_at from docket.task where given_sys_id is not null order by 1`,
    )
    const again = { updated: 2, inserted: 1, ignored_columns: ['made_sla'], unknown_authors: ['glide.maint'] }
    expect(await importFile(fileNamed('incidents.json'))).toEqual(counts(again))
    expect(
      await stage.run(
        sql`select sys_id, given_sys_id, number, state, sys_updated_at from docket.task where given_sys_id is not null order by 1`,
      ),
    ).toEqual(print)
    expect(
      await stage.run(sql`select count(*)::int as n from docket.sys_journal_entry where value = 'The vendor is asked'`),
    ).toEqual([{ n: 1 }])
  })

  test('rows that cannot be written are reported with their number, and the others are written', async () => {
    const xml = `<unload><incident action="INSERT_OR_UPDATE"><sys_id>aa573169c611228700193229fff72400</sys_id><short_description>Bad</short_description><caller_id>00573169c611228700193229fff72400</caller_id></incident>
      <incident action="DELETE"><sys_id>bb573169c611228700193229fff72400</sys_id></incident>
      <incident action="INSERT_OR_UPDATE"><sys_id>cc573169c611228700193229fff72400</sys_id><short_description>Good &amp; &lt;new&gt;</short_description></incident></unload>`
    const error = (line: number, message: string) => ({ table: 'incident', line, message })
    expect(await importFile(xml)).toEqual(
      counts({
        inserted: 1,
        failed: 2,
        errors: [
          error(1, expect.stringContaining('no record of user is called "00573169c611228700193229fff72400"') as never),
          error(2, expect.stringContaining('action="DELETE"') as never),
        ],
      }),
    )
    expect(await read('incident/cc573169c611228700193229fff72400?sysparm_fields=short_description')).toEqual({
      result: { short_description: 'Good & <new>' },
    })
  })

  test('records of a table that is not here are reported, and the others are written', async () => {
    const company = (digit: number) => ({
      sys_class_name: 'core_company',
      sys_id: `e${digit}573169c611228700193229fff72400`,
      name: `Around ${digit}`,
    })
    const script = { sys_class_name: 'sys_script', sys_id: 'ee573169c611228700193229fff72400', name: 'x' }
    const error = { table: 'sys_script', line: 2, message: 'There is no table sys_script.' }
    expect(await importFile(JSON.stringify({ records: [company(1), script, company(2)] }))).toEqual(
      counts({ inserted: 2, failed: 1, errors: [error] }),
    )
  })

  test('of a file that is cut off, the response says what was written before, and the whole file can be imported again', async () => {
    const company = (n: number) =>
      `<core_company><sys_id>cf${String(n).padStart(30, '0')}</sys_id><name>Cut ${n}</name></core_company>`
    const companies = Array.from({ length: 1_200 }, (_, n) => company(n))
    const { status, body } = await importFile(`<unload>${companies.join('')}<core_company><sys_id>`)
    const before =
      '1000 records before this are written; import the whole file again: no record with a sys_id will be there twice'
    expect(status).toBe(400)
    expect(body).toEqual(
      failed(
        'Exception while reading request',
        expect.stringMatching(`found not well-formed XML: .*; ${before}\\.$`) as never,
      ),
    )
    expect(await importFile(`<unload>${companies.join('')}</unload>`)).toEqual(
      counts({ inserted: 200, updated: 1_000 }),
    )
  })

  test('JSON with a record that is none is rejected before anything is written', async () => {
    const companies = Array.from({ length: 1_200 }, (_, n) => ({
      sys_class_name: 'core_company',
      sys_id: `cd${String(n).padStart(30, '0')}`,
      name: `None ${n}`,
    }))
    expect(await importFile(JSON.stringify({ records: [...companies, 'text'] }))).toEqual({
      status: 400,
      body: failed(
        'Exception while reading request',
        expect.stringMatching(/found a record 1201 that is not an object\.$/) as never,
      ),
    })
    expect(await read('core_company?sysparm_query=nameSTARTSWITHNone')).toEqual({ result: [] })
  })

  test('records without a class are of the table that the request names', async () => {
    const json = JSON.stringify({
      records: [{ sys_id: 'dd573169c611228700193229fff72400', short_description: 'Classless' }],
    })
    expect(await importFile(json, { query: '?table=problem' })).toEqual(counts({ inserted: 1 }))
    expect(await read('task/dd573169c611228700193229fff72400?sysparm_fields=sys_class_name')).toEqual({
      result: { sys_class_name: 'problem' },
    })
    expect(await importFile(json)).toEqual({ status: 400, body: failed('Invalid table ', null) })
  })

  test('a file that no instance exports, and a caller who is no administrator', async () => {
    const expected = 'a file that an instance exported: XML with <unload> or <xml>, or JSON with {"records":[…]}'
    for (const [text, found] of [
      ['', 'an empty body'],
      ['a,b', 'neither XML nor JSON'],
      ['<html><body/></html>', '<html>'],
      ['{"rows":[]}', 'JSON without an array records'],
      ['<unload><incident>', 'not well-formed'],
    ] as const) {
      const { status, body } = await importFile(text)
      expect([text, status, body]).toEqual([
        text,
        400,
        failed('Exception while reading request', expect.stringContaining(found) as never),
      ])
      expect(JSON.stringify(body)).toContain(JSON.stringify(expected).slice(1, -1))
    }
    expect(await importFile('<unload/>', { as: 'worker' })).toMatchObject({ status: 403 })
    expect(await importFile('<unload/>')).toEqual(counts({}))
  })
})

describe('files of Docket itself (issue 15: an import that keeps sys_ids)', () => {
  test('a record that was read and is imported again is written again under its own sys_id, and none is made twice', async () => {
    const made = (await stage.send('admin', 'POST /api/now/table/incident', { body: { short_description: 'Own' } }))
      .body as { readonly result: { readonly sys_id: string; readonly number: string } }
    const { sys_id: id, number } = made.result
    const row = { sys_id: id, sys_class_name: 'incident', short_description: 'Own, imported' }
    const list = `incident?sysparm_fields=sys_id,number,short_description&sysparm_query=short_descriptionSTARTSWITHOwn`
    expect(await importFile(JSON.stringify({ records: [row] }))).toEqual(counts({ updated: 1 }))
    expect(await read(list)).toEqual({ result: [{ sys_id: id, number, short_description: 'Own, imported' }] })
    // Deleted meanwhile, it is there again under the same id.
    expect((await stage.send('admin', `DELETE /api/now/table/incident/${id}`)).status).toBe(204)
    const [first, second] = [
      await importFile(JSON.stringify({ records: [row] })),
      await importFile(JSON.stringify({ records: [row] })),
    ]
    expect([first, second]).toEqual([counts({ inserted: 1 }), counts({ updated: 1 })])
    expect(await read(list)).toMatchObject({ result: [{ sys_id: id, short_description: 'Own, imported' }] })
    const wrong = { ...row, sys_id: `${id.slice(0, 16)}zzzzzzzzzzzzzzzz` }
    expect(await importFile(JSON.stringify({ records: [wrong] }))).toMatchObject({
      body: { result: { inserted: 0, updated: 0, failed: 1 } },
    })
  })
})

test('more records than an import lists errors of can wait for records further down (issue 15, section 4)', async () => {
  const id = (kind: string, n: number): string => `${kind}${String(n).padStart(31, '0')}`
  const indices = Array.from({ length: 1_100 }, (_, n) => n)
  const incidents = indices.map((n) => ({
    sys_id: id('e', n),
    sys_class_name: 'incident',
    short_description: `waits ${n}`,
    caller_id: id('f', n % 3),
  }))
  // The users wait as well, for their company: after the first round, all the incidents still wait.
  const users = [0, 1, 2].map((n) => ({
    sys_id: id('f', n),
    sys_class_name: 'sys_user',
    user_name: `later.${n}`,
    name: `Later ${n}`,
    company: id('d', 0),
  }))
  const company = { sys_id: id('d', 0), sys_class_name: 'core_company', name: 'Later' }
  expect(await importFile(JSON.stringify({ records: [...incidents, ...users, company] }))).toEqual(
    counts({ inserted: 1_104 }),
  )
  expect(
    await stage.run(
      sql`select count(*)::int as n from docket.task t join docket."user" u on u.sys_id = t.caller where u.user_name like 'later.%'`,
    ),
  ).toEqual([{ n: 1_100 }])
})

describe('journal entries of a file (issue 15: an import that keeps authors)', () => {
  const PARENT_ID = '1e573169c611228700193229fff72400'
  const entry = (n: number, of = PARENT_ID) => ({
    sys_class_name: 'sys_journal_field',
    sys_id: `ee${String(n).padStart(30, '0')}`,
    name: 'incident',
    element: 'work_notes',
    element_id: of,
    value: `entry ${n}`,
    sys_created_by: 'abel.tuter',
    sys_created_on: '2020-05-31 08:00:00',
  })
  const incident = { sys_id: PARENT_ID, sys_class_name: 'incident', short_description: 'With entries' }

  test('are written by groups; those that stand before their record wait for it', async () => {
    const entries = Array.from({ length: 1_050 }, (_, n) => entry(n))
    const none = entry(5_000, '2e573169c611228700193229fff72400')
    expect(await importFile(JSON.stringify({ records: [none, ...entries, incident] }))).toEqual(
      counts({
        inserted: 1_051,
        failed: 1,
        errors: [{ table: 'sys_journal_field', line: 1, message: expect.any(String) as never }],
      }),
    )
  })

  test('leave the record as it is, so that a change made at the same time stays', async () => {
    const row = () => stage.run(sql`select xmin::text, t.* from docket.task t where given_sys_id = ${PARENT_ID}`)
    const before = await row()
    expect(await importFile(JSON.stringify({ records: [entry(6_000)] }))).toEqual(counts({ inserted: 1 }))
    expect(await row()).toEqual(before)
    const last = `element_id=${PARENT_ID}&sysparm_query=value=entry%206000`
    expect(await read(`sys_journal_field?${last}&sysparm_fields=value,sys_created_by`)).toEqual({
      result: [{ value: 'entry 6000', sys_created_by: 'abel.tuter' }],
    })
  })
})
