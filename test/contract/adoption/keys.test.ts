import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorIn } from '../dictionary/dictionary-desk.ts'
import { type AdoptionDesk, openAdoptionDesk, shapeOf } from './adoption-desk.ts'

let desk: AdoptionDesk
let before: unknown
let adopted: Awaited<ReturnType<AdoptionDesk['adopt']>>
beforeAll(async () => {
  desk = await openAdoptionDesk('press')
  before = await desk.run(shapeOf('press'))
  adopted = await desk.adopt({ keys: new Map([['sold', 'isbn,number']]) })
})
afterAll(async () => {
  await desk.close()
})

const anna = '6b0a6f6e-7b0c-4f43-9c0e-0000000000a1'
const boris = '6b0a6f6e-7b0c-4f43-9c0e-0000000000b2'
const base = '/rest/v1/table'
const plain = 'sysparm_exclude_reference_link=1'

const dataOf = async (line: string, body?: unknown) => {
  const response = await desk.send(line, body)
  return response.status === 200 ? (response.body as { data: unknown }).data : errorIn(response)
}
/** The sys_ids of a list. */
const idsOf = async (table: string, query: string) => {
  const found = await dataOf(
    `GET ${base}/${table}?sysparm_fields=sys_id&sysparm_limit=100&sysparm_query=${encodeURIComponent(query)}`,
  )
  return Array.isArray(found) ? found.map(({ sys_id }: { sys_id: string }) => sys_id) : found
}

describe('what is adopted', () => {
  test('keys of every kind but those that say nothing as text', () => {
    expect(adopted.tables.map(({ name, described }) => [name, described.key.kind])).toEqual([
      ['book', 'text'],
      ['country', 'text'],
      ['edition', 'parts'],
      ['person', 'uuid'],
      ['rate', 'parts'],
      ['role', 'parts'],
      ['sale', 'whole'],
      ['sold', 'parts'],
      ['strange', 'parts'],
      ['subject', 'text'],
      ['tag', 'text'],
      ['word', 'text'],
    ])
    expect(adopted.rejected).toEqual([{ table: 'blob', why: 'its key hash is of type bytea, which is not served' }])
  })

  test('foreign keys of every kind are references', () => {
    const references = adopted.tables.flatMap(({ name, columns }) =>
      columns.flatMap(({ name: column, reference }) =>
        reference === null ? [] : [`${name}.${column} → ${reference}`],
      ),
    )
    expect(references).toEqual([
      'book.country → country',
      'book.subject → subject',
      'book.tag → tag',
      'book.owner → person',
      'edition.isbn → book',
      'person.mentor → person',
      'role.person → person',
      'role.edition → edition',
      'sale.day → rate',
      'sale.edition → edition',
      'subject.parent → subject',
      'word.like_word → word',
    ])
  })

  test('the tables of the database stay as they were, and a second run finds nothing to do', async () => {
    expect(await desk.run(shapeOf('press'))).toEqual(before)
    const again = await desk.adopt({ isDryRun: true })
    expect(
      again.tables.flatMap(({ columns, dropped }) => [...dropped, ...columns.flatMap(({ changes }) => changes)]),
    ).toEqual([])
    expect(again.tables.every((table) => table.before !== null)).toBe(true)
  })
})

describe('a uuid', () => {
  test('is read in any spelling and written in one', async () => {
    const whole = [{ sys_id: anna, name: 'Анна', email: 'anna@example.org', mentor: null }]
    for (const spelling of [
      anna,
      anna.toUpperCase(),
      `{${anna}}`,
      anna.replaceAll('-', ''),
      '6b0a6f6e7b0c-4f439c0e-0000-0000-00a1',
    ]) {
      expect([spelling, await dataOf(`GET ${base}/person/${spelling}?${plain}`)]).toEqual([spelling, whole])
      expect(await idsOf('person', `sys_id=${spelling}`)).toEqual([anna])
      expect(await idsOf('person', `mentor=${spelling}`)).toEqual([boris])
      expect(await idsOf('person', `sys_idIN${spelling},${boris}^ORDERBYname`)).toEqual([boris, anna])
    }
    expect(await idsOf('person', `sys_id!=${anna}`)).toEqual([boris])
    expect(await idsOf('person', `sys_idNOT IN${anna}@${boris}`)).toEqual([])
    expect(await idsOf('person', 'sys_idSTARTSWITH6B0A^ORDERBYDESCsys_id')).toEqual([boris, anna])
    expect(await idsOf('person', 'mentor.name=Анна')).toEqual([boris])
  })

  test('that is none is no record in a path, and wrong in a condition and a body', async () => {
    for (const path of [
      '1',
      'x',
      anna.slice(1),
      `${anna}0`,
      `{${anna}`,
      '%00',
      encodeURIComponent(`${anna}' or true`),
    ]) {
      expect([path, await dataOf(`GET ${base}/person/${path}`)]).toMatchObject([
        path,
        { status: 404, code: 'RECORD_NOT_FOUND' },
      ])
    }
    expect(await dataOf(`PATCH ${base}/person/1`, { name: 'x' })).toMatchObject({ status: 404 })
    expect(await dataOf(`DELETE ${base}/person/1`)).toMatchObject({ status: 404 })
    expect(await idsOf('person', 'sys_id=1')).toMatchObject({ status: 400, code: 'BAD_QUERY' })
    expect(await idsOf('person', `sys_idIN${anna},1`)).toMatchObject({ status: 400, code: 'BAD_QUERY' })
    expect(await idsOf('person', 'mentor=javascript:gs.getUserID()')).toMatchObject({ status: 400 })
    expect(await dataOf(`PATCH ${base}/person/${boris}`, { mentor: '1' })).toMatchObject({
      status: 422,
      field: 'mentor',
    })
    const nobody = '00000000-0000-4000-8000-000000000000'
    expect(await dataOf(`PATCH ${base}/person/${boris}`, { mentor: nobody })).toMatchObject({
      status: 422,
      field: 'mentor',
    })
    expect(await dataOf(`GET ${base}/person/${nobody}`)).toMatchObject({ status: 404 })
  })

  test('is made by the database, or given by whoever creates the record', async () => {
    const made = await desk.send(`POST ${base}/person?sysparm_fields=sys_id,name,mentor`, {
      name: 'Vera',
      mentor: anna.toUpperCase(),
    })
    const [vera] = (made.body as { data: { sys_id: string }[] }).data
    expect(vera).toEqual({
      sys_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      name: 'Vera',
      mentor: { value: anna, link: `${desk.docket.baseUrl}${base}/person/${anna}` },
    })
    expect(made.headers['location']).toBe(`${desk.docket.baseUrl}${base}/person/${vera?.sys_id}`)
    const given = '6B0A6F6E-7B0C-4F43-9C0E-0000000000C3'
    expect(await dataOf(`POST ${base}/person?sysparm_fields=sys_id`, { sys_id: given, name: 'Gleb' })).toEqual([
      { sys_id: given.toLowerCase() },
    ])
    expect(await dataOf(`POST ${base}/person`, { sys_id: given, name: 'Gleb' })).toMatchObject({ status: 409 })
    expect(await dataOf(`POST ${base}/person`, { sys_id: 'x', name: 'Gleb' })).toMatchObject({
      status: 422,
      field: 'sys_id',
    })
    for (const id of [vera?.sys_id, given]) expect((await desk.send(`DELETE ${base}/person/${id}`)).status).toBe(200)
  })
})

describe('a text', () => {
  const codes = [
    'math',
    'math/algebra',
    '100% ?#&=+',
    'Война и мир',
    `"quoted" 'twice'`,
    'a^b',
    'a@b,c',
    'a,b',
    ' led by a space',
  ]
  const more = [
    'javascript:gs.getUserID()',
    'back\\slash',
    'Math',
    'long'.repeat(200),
    '~tilde~!21',
    'ORDERBYlabel',
    '😀',
  ]

  test('whatever stands in it is found by path, by condition and by the link that leads to it', async () => {
    for (const code of [...codes, ...more]) {
      const escaped = code.replaceAll('^', '^^')
      const [read] = (await dataOf(`GET ${base}/subject/${encodeURIComponent(code)}`)) as { sys_id: string }[]
      expect(read?.sys_id).toBe(code)
      expect([code, await idsOf('subject', `sys_id=${escaped}`)]).toEqual([code, [code]])
      const book = `${base}/book/978-2?sysparm_fields=subject`
      const [changed] = (await dataOf(`PATCH ${book}`, { subject: code })) as {
        subject: { value: string; link: string }
      }[]
      expect(changed?.subject).toEqual({
        value: code,
        link: `${desk.docket.baseUrl}${base}/subject/${encodeURIComponent(code)}`,
      })
      const { pathname } = new URL(changed?.subject.link ?? '')
      expect(((await dataOf(`GET ${pathname}`)) as { sys_id: string }[])[0]?.sys_id).toBe(code)
      expect([code, await idsOf('book', `subject=${escaped}^sys_id!=978-1`)]).toEqual([code, ['978-2']])
      const both = await dataOf(`GET ${book}&sysparm_display_value=all`)
      expect(both).toEqual([
        { subject: { value: code, display_value: expect.any(String), link: changed?.subject.link } },
      ])
    }
    expect(await dataOf(`PATCH ${base}/book/978-2?sysparm_fields=subject`, { subject: null })).toEqual([
      { subject: null },
    ])
  })

  test('is compared as it is, and lists are parted as all lists are', async () => {
    expect(await idsOf('subject', 'sys_id=MATH')).toEqual([])
    expect(await idsOf('subject', 'sys_idINmath@a,b@nothing^ORDERBYsys_id')).toEqual(['a,b', 'math'])
    expect(await idsOf('subject', 'sys_idINmath,Math,a^^b^ORDERBYlabel')).toEqual(['Math', 'a^b', 'math'])
    expect(await dataOf(`GET ${base}/subject/MATH`)).toMatchObject({ status: 404 })
    expect(await dataOf(`GET ${base}/subject/%00`)).toMatchObject({ status: 404 })
    expect(await idsOf('subject', 'label=Nameless')).toEqual([])
    expect(await idsOf('subject', 'parent=math')).toEqual(['math/algebra'])
    expect(await idsOf('subject', 'parent.label=Mathematics')).toEqual(['math/algebra'])
    expect(await idsOf('subject', 'sys_idLIKEWAR^ORsys_idSTARTSWITHвойна')).toEqual(['Война и мир'])
  })

  test('is created, told in Location, and kept', async () => {
    const made = await desk.send(`POST ${base}/subject?sysparm_fields=sys_id`, { sys_id: 'новый/код?', label: 'New' })
    expect([made.status, made.headers['location']]).toEqual([
      200,
      `${desk.docket.baseUrl}${base}/subject/${encodeURIComponent('новый/код?')}`,
    ])
    const path = `${base}/subject/${encodeURIComponent('новый/код?')}`
    expect(await dataOf(`PUT ${path}?sysparm_fields=sys_id,label`, { sys_id: 'новый/код?', label: 'Same' })).toEqual([
      { sys_id: 'новый/код?', label: 'Same' },
    ])
    expect(await dataOf(`PUT ${path}`, { sys_id: 'other' })).toMatchObject({ status: 422, field: 'sys_id' })
    expect(await dataOf(`POST ${base}/subject`, { label: 'No key' })).toMatchObject({ status: 422, field: 'sys_id' })
    expect(await dataOf(`POST ${base}/subject`, { sys_id: 'новый/код?', label: 'Twice' })).toMatchObject({
      status: 409,
    })
    expect((await desk.send(`DELETE ${path}`)).status).toBe(200)
  })

  test('of a fixed length has no blanks behind it, and one without case is the same in any', async () => {
    expect(await idsOf('country', 'sys_id=x')).toEqual(['x'])
    expect(await dataOf(`GET ${base}/country/x`)).toEqual([{ sys_id: 'x', name: 'Nowhere' }])
    expect(await idsOf('book', 'country=ru')).toEqual(['978-1'])
    expect(await dataOf(`POST ${base}/country`, { sys_id: 'de', name: 'Deutschland' })).toEqual([
      { sys_id: 'de', name: 'Deutschland' },
    ])
    expect((await desk.send(`DELETE ${base}/country/de`)).status).toBe(200)
    for (const tag of ['Fresh', 'FRESH', 'fresh']) {
      expect(await dataOf(`GET ${base}/tag/${tag}`)).toEqual([{ sys_id: 'Fresh', note: 'new' }])
      expect(await idsOf('tag', `sys_id=${tag}`)).toEqual(['Fresh'])
      expect(await idsOf('tag', `sys_idIN${tag},gone`)).toEqual(['Fresh'])
      expect(await idsOf('book', `tag=${tag}`)).toEqual(['978-1'])
    }
    expect(await idsOf('tag', 'sys_id!=FRESH')).toEqual(['old'])
    for (const word of ['Ель', 'ЕЛЬ', 'ель']) {
      const [read] = (await dataOf(`GET ${base}/word/${encodeURIComponent(word)}`)) as { sys_id: string }[]
      expect(read?.sys_id).toBe('Ель')
      expect(await idsOf('word', `sys_id=${word}`)).toEqual(['Ель'])
      expect(await idsOf('word', `like_wordIN${word},x`)).toEqual(['elk'])
    }
    expect(await idsOf('word', 'like_word.note=tree')).toEqual(['elk'])
    expect(await dataOf(`GET ${base}/book/978-1?sysparm_fields=tag,tag.note`)).toEqual([
      { tag: { value: 'fresh', link: `${desk.docket.baseUrl}${base}/tag/fresh` }, 'tag.note': 'new' },
    ])
    expect(await dataOf(`POST ${base}/tag`, { sys_id: 'OLD' })).toMatchObject({ status: 409 })
  })
})

describe('several columns', () => {
  test('are one sys_id, and served beside it', async () => {
    const [role] = (await dataOf(`GET ${base}/role?sysparm_query=part=author`)) as Record<string, unknown>[]
    expect(role).toEqual({
      sys_id: `${anna}~author~978-1~1`,
      edition_isbn: '978-1',
      person: { value: anna, link: `${desk.docket.baseUrl}${base}/person/${anna}` },
      part: 'author',
      edition_number: 1,
      fee: '100.00',
      edition: { value: '978-1~1', link: `${desk.docket.baseUrl}${base}/edition/978-1~1` },
    })
    expect(await dataOf(`GET ${base}/role/${anna}~author~978-1~1`)).toEqual([role])
    expect(await dataOf(`GET ${base}/edition/978-1~1?${plain}`)).toEqual([
      { sys_id: '978-1~1', isbn: '978-1', number: 1, printed: '2020-01-02' },
    ])
    expect(await dataOf(`GET ${base}/rate/2024-01-02`)).toEqual([
      { sys_id: '2024-01-02', day: '2024-01-02', value: '91.50' },
    ])
    expect(await dataOf(`GET ${base}/sold/978-1~1`)).toEqual([{ sys_id: '978-1~1', isbn: '978-1', number: 1, n: '1' }])
  })

  test('are asked for in conditions, walked through, ordered and counted', async () => {
    expect(await idsOf('edition', 'sys_id=978-1~2')).toEqual(['978-1~2'])
    expect(await idsOf('edition', 'sys_idIN978-1~2@978-2~3@978-9~1')).toEqual(['978-1~2', '978-2~3'])
    expect(await idsOf('edition', 'sys_id!=978-1~2^isbn=978-1')).toEqual(['978-1~1', '978-1~3'])
    expect(await idsOf('edition', 'sys_idNOT IN978-1~2,978-1~1^isbn=978-1')).toEqual(['978-1~3'])
    expect(await idsOf('edition', 'ORDERBYDESCsys_id')).toEqual([
      '978-2~3',
      '978-2~2',
      '978-2~1',
      '978-1~3',
      '978-1~2',
      '978-1~1',
    ])
    expect(await idsOf('role', 'edition=978-1~2')).toEqual([`${boris}~editor~978-1~2`])
    expect(await idsOf('role', 'edition.isbn.title=Числа^edition.number=1')).toEqual([`${anna}~author~978-1~1`])
    expect(await idsOf('role', 'edition.sys_id=978-1~1')).toEqual([`${anna}~author~978-1~1`])
    expect(await idsOf('role', 'edition.sys_idIN978-1~2,x~1')).toEqual([`${boris}~editor~978-1~2`])
    expect(await idsOf('sale', 'edition.isbn.country.name=россия')).toEqual(['1'])
    expect(await dataOf(`GET ${base}/sale?sysparm_fields=sys_id,edition,day,edition.printed&${plain}`)).toEqual([
      { sys_id: '1', edition: '978-1~1', day: '2024-01-01', 'edition.printed': '2020-01-02' },
      { sys_id: '2', edition: null, day: null, 'edition.printed': null },
    ])
    const stats = await dataOf(
      `GET /rest/v1/stats/role?sysparm_group_by=edition,person&sysparm_sum_fields=fee&${plain}`,
    )
    expect(stats).toEqual([
      { group: { edition: '978-1~1', person: anna }, count: 1, sum: { fee: '100.00' } },
      { group: { edition: '978-1~2', person: boris }, count: 1, sum: { fee: '50.00' } },
    ])
  })

  test('what cannot be a sys_id is no record in a path, and in a condition what has not as many parts is wrong', async () => {
    for (const path of [
      '978-1',
      '978-1~1~1',
      '978-1~x',
      '978-1~99999999999',
      '978-1~',
      '~',
      '978-1~1%20or%201',
      '978-1~%00',
    ]) {
      expect([path, await dataOf(`GET ${base}/edition/${path}`)]).toMatchObject([path, { status: 404 }])
      expect((await desk.send(`DELETE ${base}/edition/${path}`)).status).toBe(404)
      expect((await desk.send(`PATCH ${base}/edition/${path}`, { printed: null })).status).toBe(404)
      expect((await desk.send(`GET /rest/v1/history/edition/${path}`)).status).toBe(404)
    }
    for (const day of ['today', '2024-02-30', 'x'])
      expect((await desk.send(`GET ${base}/rate/${day}`)).status).toBe(404)
    expect(await idsOf('edition', 'sys_id=978-1')).toMatchObject({ status: 400, code: 'BAD_QUERY' })
    expect(await idsOf('edition', 'sys_id=978-1~x')).toEqual([])
    expect((await desk.send(`GET ${base}/role/${anna}~singer~978-1~1`)).status).toBe(404)
  })

  test('are given on create and kept after it', async () => {
    const made = await desk.send(`POST ${base}/edition?${plain}`, { isbn: '978-2', number: 7, printed: '2024-05-06' })
    expect([made.status, (made.body as { data: unknown }).data, made.headers['location']]).toEqual([
      200,
      [{ sys_id: '978-2~7', isbn: '978-2', number: 7, printed: '2024-05-06' }],
      `${desk.docket.baseUrl}${base}/edition/978-2~7`,
    ])
    const path = `${base}/edition/978-2~7`
    expect(await dataOf(`POST ${base}/edition`, { isbn: '978-2', number: 7 })).toMatchObject({ status: 409 })
    expect(await dataOf(`POST ${base}/edition`, { isbn: '978-2' })).toMatchObject({ status: 422, field: 'number' })
    expect(await dataOf(`POST ${base}/edition`, { sys_id: '978-2~8', isbn: '978-2', number: 8 })).toMatchObject({
      status: 422,
      field: 'sys_id',
    })
    expect(await dataOf(`POST ${base}/edition`, { isbn: '978-9', number: 8 })).toMatchObject({
      status: 422,
      field: 'isbn',
    })
    for (const method of ['PUT', 'PATCH']) {
      expect(await dataOf(`${method} ${path}`, { number: 8 })).toMatchObject({
        status: 422,
        field: 'number',
        message: expect.stringContaining('part of the key'),
      })
      expect(
        await dataOf(`${method} ${path}?sysparm_fields=printed`, {
          sys_id: '978-2~7',
          isbn: '978-2',
          number: 7,
          printed: '2024-05-07',
        }),
      ).toEqual([{ printed: '2024-05-07' }])
    }
    expect(await dataOf(`PATCH ${path}`, { number: { increment: 1 } })).toMatchObject({ status: 422, field: 'number' })
    expect((await desk.send(`DELETE ${path}`)).status).toBe(200)
    expect((await desk.send(`GET ${path}`)).status).toBe(404)
    expect(await desk.run(`select from press.edition where number = 7`)).toEqual([])
  })

  test('are locked as one: of increments at once all count, and of two deletions one', async () => {
    const path = `${base}/role/${boris}~editor~978-1~2`
    await Promise.all(Array.from({ length: 10 }, () => desk.send(`PATCH ${path}`, { fee: { increment: 1 } })))
    expect(await dataOf(`GET ${path}?sysparm_fields=fee`)).toEqual([{ fee: '60.00' }])
    expect(await dataOf(`PATCH ${path}?sysparm_fields=fee`, { fee: '50' })).toEqual([{ fee: '50.00' }])
    await dataOf(`POST ${base}/edition`, { isbn: '978-2', number: 9 })
    const gone = await Promise.all([1, 2, 3].map(() => desk.send(`DELETE ${base}/edition/978-2~9`)))
    expect(gone.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
  })

  test('are groups and counts by sys_id as by their columns', async () => {
    const groups = async (table: string, by: string) =>
      (
        (await dataOf(`GET /rest/v1/stats/${table}?sysparm_group_by=${by}&${plain}`)) as {
          group: unknown
          count: number
        }[]
      ).map(({ group, count }) => [group, count])
    expect(await groups('edition', 'isbn')).toEqual([
      [{ isbn: '978-1' }, 3],
      [{ isbn: '978-2' }, 3],
    ])
    expect((await groups('edition', 'sys_id')).length).toBe(6)
    expect(await groups('person', 'mentor')).toEqual([
      [{ mentor: anna }, 1],
      [{ mentor: null }, 1],
    ])
    expect(await groups('book', 'tag,country')).toEqual([
      [{ tag: 'fresh', country: 'ru' }, 1],
      [{ tag: null, country: null }, 1],
    ])
  })

  test('whose texts hold what sets parts apart are written otherwise, and found', async () => {
    expect(await idsOf('strange', 'ORDERBYsys_id')).toEqual(['1~A!7Eb', '2~a!2C!40!5E!21'])
    for (const [id, key] of [
      ['1~A!7Eb', 'A~b'],
      ['1~a!7EB', 'A~b'],
      ['2~a!2C!40!5E!21', 'a,@^!'],
    ] as const) {
      expect(await dataOf(`GET ${base}/strange/${id}?sysparm_fields=key`)).toEqual([{ key }])
      expect(await idsOf('strange', `sys_idIN${id},9~none`)).toHaveLength(1)
    }
    expect(
      await dataOf(`PATCH ${base}/strange/1~a!7EB?sysparm_fields=sys_id,at`, { at: '2024-01-01 00:00:00' }),
    ).toEqual([{ sys_id: '1~A!7Eb', at: '2024-01-01 00:00:00' }])
  })
})

describe('a foreign key', () => {
  test('to a unique column leads to the record, both ways', async () => {
    expect(await dataOf(`GET ${base}/book/978-1?sysparm_fields=owner,owner.name&sysparm_display_value=1`)).toEqual([
      {
        owner: { display_value: 'Анна', value: anna, link: `${desk.docket.baseUrl}${base}/person/${anna}` },
        'owner.name': 'Анна',
      },
    ])
    expect(await idsOf('book', `owner=${anna}`)).toEqual(['978-1'])
    expect(await idsOf('book', 'ownerISEMPTY')).toEqual(['978-2'])
    const path = `${base}/book/978-2?sysparm_fields=owner&${plain}`
    expect(await dataOf(`PATCH ${path}`, { owner: anna })).toEqual([{ owner: anna }])
    expect(await desk.run(`select owner from press.book where isbn = '978-2'`)).toEqual([{ owner: 'anna@example.org' }])
    expect(await dataOf(`PATCH ${path}`, { owner: null })).toEqual([{ owner: null }])
    expect(await dataOf(`PATCH ${path}`, { owner: { find: { email: 'ANNA@example.org' } } })).toEqual([{ owner: anna }])
    expect(await dataOf(`PATCH ${path}`, { owner: { clear: true } })).toEqual([{ owner: null }])
    const found = {
      tag: { find: { note: 'new' } },
      subject: { find: { label: 'Caret' } },
      country: { find: { name: 'Nowhere' } },
    }
    expect(await dataOf(`PATCH ${base}/book/978-2?sysparm_fields=tag,subject,country&${plain}`, found)).toEqual([
      { tag: 'Fresh', subject: 'a^b', country: 'x' },
    ])
    const none = { tag: null, subject: null, country: null }
    expect(await dataOf(`PATCH ${base}/book/978-2?sysparm_fields=tag,subject,country`, none)).toEqual([none])
  })

  test('of several columns follows them, and is not written by itself', async () => {
    expect(await dataOf(`PATCH ${base}/sale/2`, { edition: '978-1~2' })).toMatchObject({
      status: 422,
      field: 'edition',
    })
    expect(await dataOf(`PATCH ${base}/sale/2?sysparm_fields=edition&${plain}`, { isbn: '978-1', number: 2 })).toEqual([
      { edition: '978-1~2' },
    ])
    expect(await dataOf(`PATCH ${base}/sale/2`, { isbn: '978-1', number: 22 })).toMatchObject({ status: 422 })
    expect(await dataOf(`PATCH ${base}/sale/2?sysparm_fields=edition`, { isbn: null, number: null })).toEqual([
      { edition: null },
    ])
  })

  test('to a key of another type is written as its sys_id', async () => {
    expect(await dataOf(`PATCH ${base}/sale/2?sysparm_fields=day&${plain}`, { day: '2024-01-02' })).toEqual([
      { day: '2024-01-02' },
    ])
    expect(await dataOf(`PATCH ${base}/sale/2`, { day: '2024-01-03' })).toMatchObject({ status: 422 })
    expect(await idsOf('sale', 'day=2024-01-02')).toEqual(['2'])
    expect(await idsOf('sale', 'day.value>91')).toEqual(['2'])
    expect(await dataOf(`PATCH ${base}/sale/2?sysparm_fields=day`, { day: null })).toEqual([{ day: null }])
  })
})
