import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdoptionDesk, openAdoptionDesk } from '../adoption/adoption-desk.ts'
import { id } from './expected.ts'

const UUID = '6b0a6f6e-7b0c-4f43-9c0e-0000000000a1'
const ANNA = UUID.replaceAll('-', '')
const BORIS = '6b0a6f6e7b0c4f439c0e0000000000b2'

let desk: AdoptionDesk
beforeAll(async () => {
  desk = await openAdoptionDesk('press')
  await desk.adopt()
})
afterAll(() => desk.close())

const call = async (line: string, body?: unknown) => {
  const response = await desk.send(line, body)
  const text = response.text
    .replaceAll(desk.docket.baseUrl, 'BASE')
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"ID"')
  return { status: response.status, headers: response.headers, body: text === '' ? '' : (JSON.parse(text) as unknown) }
}
const list = async (table: string, query: string, fields: string): Promise<unknown> => {
  const { status, body } = await call(
    `GET /api/now/table/${table}?sysparm_query=${encodeURIComponent(query)}&sysparm_fields=${fields}&sysparm_exclude_reference_link=true`,
  )
  return status === 200 ? (body as { readonly result: unknown }).result : body
}
const notFound = { error: expect.objectContaining({ message: 'No Record found' }), status: 'failure', request_id: 'ID' }

describe('keys of adopted tables (issue 15, section 4)', () => {
  test('a text with blanks at its ends is the key that it is', async () => {
    await desk.run(
      `create table press.shelf (k text primary key, v integer); insert into press.shelf values (' a', 1), ('a', 2)`,
    )
    await desk.adopt({ tables: ['shelf'] })
    expect((await call('GET /api/now/table/shelf/%20a')).body).toMatchObject({ result: { sys_id: ' a', v: '1' } })
    expect(await list('shelf', 'sys_id= a', 'v')).toEqual([{ v: '1' }])
    expect(await list('shelf', 'sys_id=a', 'v')).toEqual([{ v: '2' }])
  })

  test('a UUID is served without hyphens, and found in any spelling', async () => {
    for (const sysId of [ANNA, ANNA.toUpperCase(), UUID])
      expect((await call(`GET /api/now/table/person/${sysId}?sysparm_fields=sys_id,name`)).body).toEqual({
        result: { sys_id: ANNA, name: 'Анна' },
      })
    expect(await list('person', `sys_id=${ANNA}^ORsys_id=${UUID}`, 'name')).toEqual([{ name: 'Анна' }])
    expect(await list('person', `sys_idIN${ANNA},${BORIS}^ORDERBYname`, 'sys_id')).toEqual([
      { sys_id: BORIS },
      { sys_id: ANNA },
    ])
    for (const none of [ANNA.replace('a1', 'a9'), 'x', '7'])
      expect([none, (await call(`GET /api/now/table/person/${none}`)).body]).toEqual([none, notFound])
  })

  test('references have it, with a link that leads to the record; it is written and compared', async () => {
    const { body } = await call(`GET /api/now/table/person/${BORIS}?sysparm_fields=mentor`)
    expect(body).toEqual({ result: { mentor: { link: `BASE/api/now/table/person/${ANNA}`, value: ANNA } } })
    expect(await list('person', `mentor=${ANNA}`, 'name')).toEqual([{ name: 'Boris' }])
    expect(
      (await call(`PATCH /api/now/table/person/${ANNA}?sysparm_fields=mentor.name`, { mentor: BORIS })).body,
    ).toEqual({
      result: { 'mentor.name': 'Boris' },
    })
    expect((await call(`PATCH /api/now/table/person/${ANNA}?sysparm_fields=mentor`, { mentor: '' })).body).toEqual({
      result: { mentor: '' },
    })
    expect((await call(`PATCH /api/now/table/person/${ANNA}`, { mentor: 'f'.repeat(32) })).status).toBe(400)
  })

  test('a record that is created has its address in Location', async () => {
    const made = await call('POST /api/now/table/person?sysparm_fields=sys_id', { name: 'Clara' })
    const { sys_id: sysId } = (made.body as { readonly result: { readonly sys_id: string } }).result
    expect(sysId).toMatch(/^[0-9a-f]{32}$/)
    expect([made.status, made.headers['location']]).toEqual([
      201,
      `${desk.docket.baseUrl}/api/now/table/person/${sysId}`,
    ])
    expect((await call(`DELETE /api/now/table/person/${sysId}`)).status).toBe(204)
  })

  test('a whole number is served like ours', async () => {
    const ids = (await list('sale', 'ORDERBYsys_id', 'sys_id')) as readonly { readonly sys_id: string }[]
    expect(ids.map(({ sys_id: sysId }) => sysId.slice(16))).toEqual([1, 2].map((sysId) => id(sysId).slice(16)))
    const [{ sys_id: first = '' } = {}] = ids
    expect((await call(`GET /api/now/table/sale/${first}?sysparm_fields=sys_id,number`)).body).toEqual({
      result: { sys_id: first, number: '1' },
    })
    expect(await list('sale', `sys_id>${first}^ORDERBYsys_id`, 'sys_id')).toEqual([{ sys_id: ids[1]?.sys_id }])
    expect((await call('GET /api/now/table/sale/1')).body).toEqual(notFound)
  })

  test('other keys stay unchanged, whatever they contain', async () => {
    const subject = 'math/algebra'
    expect(
      (await call(`GET /api/now/table/subject/${encodeURIComponent(subject)}?sysparm_fields=sys_id,label,parent`)).body,
    ).toEqual({
      result: {
        sys_id: subject,
        label: 'Algebra',
        parent: { link: 'BASE/api/now/table/subject/math', value: 'math' },
      },
    })
    expect(await list('subject', 'parent=math', 'sys_id')).toEqual([{ sys_id: subject }])
    const made = await call(
      'POST /api/now/table/subject?sysparm_fields=sys_id,parent&sysparm_exclude_reference_link=true',
      {
        sys_id: 'a/b c',
        label: 'Made',
        parent: subject,
      },
    )
    expect([made.status, made.body, made.headers['location']]).toEqual([
      201,
      { result: { sys_id: 'a/b c', parent: subject } },
      `${desk.docket.baseUrl}/api/now/table/subject/a%2Fb%20c`,
    ])
    expect((await call('GET /api/now/table/subject/a%2Fb%20c?sysparm_fields=label')).body).toEqual({
      result: { label: 'Made' },
    })
    expect(await list('edition', 'ORDERBYsys_id', 'sys_id&sysparm_limit=1')).toEqual([{ sys_id: '978-1~1' }])
    expect((await call('GET /api/now/table/edition/978-1~1?sysparm_fields=sys_id')).body).toEqual({
      result: { sys_id: '978-1~1' },
    })
  })
})
