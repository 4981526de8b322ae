import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { type DocumentStage, ok, rejected, setDocumentStage, type Who } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

interface LoadedFile {
  readonly doc_id: string
  readonly result: string
  readonly version: number
}

let collection = ''
let collections = 0
beforeEach(() => {
  collection = `identity${++collections}`
})

const send = (name: string, bytes: string, more = '', metadata?: unknown, as: Who = 'writer') =>
  stage.sendFile(as, `collection_name=${collection}${more}`, { name, bytes }, metadata)
async function load(name: string, bytes: string, more = '', metadata?: unknown): Promise<LoadedFile> {
  const { status, body } = await send(name, bytes, more, metadata)
  expect({ status, body }).toMatchObject({ status: 200 })
  const { doc_id, result, version } = (body as { data: LoadedFile }).data
  return { doc_id, result, version }
}
const byName = '&replace_by=file_name'

/** File name, text and version of each document, according to both endpoints, which must agree. */
async function there(): Promise<readonly (readonly [string, string, number])[]> {
  const { body } = await stage.send('reader', `GET /get_content_by_tag?collection_name=${collection}`)
  const content = (body as { data: { doc_id: string; file_name: string; text: string; version: number }[] }).data
  const found = await stage.send(
    'reader',
    `GET /get_relevant_documents?query=otter&k=99&collection_names=${collection}`,
  )
  expect((found.body as { data: { doc_id: string }[] }).data.map(({ doc_id }) => doc_id).sort()).toEqual(
    content.map(({ doc_id }) => doc_id),
  )
  return content
    .map(({ file_name, text, version }) => [file_name, text, version] as const)
    .sort(([one, text], [other, second]) => (one + text < other + second ? -1 : 1))
}

const conflict = (message: string): unknown => ({
  status: 'ERROR',
  error_type: 'SERVER',
  message,
  errors: [{ message, code: 'CONFLICT', reason: 'conflict' }],
  request_id: 'ID',
})

const contentId = (bytes: string): string => createHash('sha256').update(bytes).digest('hex').slice(0, 32)

/** A document as an earlier version of Docket stored it: identified only by its content. */
async function loadAsBefore(name: string, bytes: string): Promise<void> {
  await load(name, bytes, '', { doc_id: contentId(bytes), kept: 1 })
  await stage.docket.database.rows(sql`
    update docket_documents.document d set metadata = d.metadata - 'doc_id'
    from docket_documents.collection c
    where c.id = d.collection_id and c.name = ${collection} and d.doc_id = ${contentId(bytes)} and d.removed_position is null`)
}

describe('a file without a doc_id of its own is named by its file name and its content (issue 11, 2.3)', () => {
  test('the whole response to a first load, a second one, and one of other content', async () => {
    const responses = [
      await send('a.txt', 'An otter.'),
      await send('a.txt', 'An otter.'),
      await send('a.txt', 'The otters.'),
    ]
    const ids = responses.map(({ body }) => (body as { data: LoadedFile }).data.doc_id)
    const data = (doc_id: string | undefined, result: string, characters: number) =>
      ok({
        doc_id,
        collection_name: collection,
        state: 'ready',
        result,
        chunks: 1,
        characters,
        pages: null,
        media_type: 'text/plain',
        language: 'en',
        version: 1,
        sequence: 0,
        took_ms: 0,
      })
    expect(responses.map(({ body }) => body)).toEqual([
      data(ids[0], 'created', 9),
      data(ids[0], 'unchanged', 9),
      data(ids[2], 'created', 11),
    ])
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(ids[2]).not.toBe(ids[0])
  })

  test('two files of one content are two documents', async () => {
    const [one, other] = [await load('a.txt', 'An otter.'), await load('b.txt', 'An otter.')]
    expect([one.result, other.result, one.doc_id === other.doc_id]).toEqual(['created', 'created', false])
    expect(await there()).toEqual([
      ['a.txt', 'An otter.', 1],
      ['b.txt', 'An otter.', 1],
    ])
  })

  test('other metadata replaces it', async () => {
    const one = await load('a.txt', 'An otter.', '', { n: 1 })
    expect(await load('a.txt', 'An otter.', '', { n: 2 })).toEqual({ ...one, result: 'replaced', version: 2 })
  })

  test('a doc_id or a sys_id of its own comes first, and a text is named by its content', async () => {
    expect(await load('a.txt', 'An otter.', '', { sys_id: '7' })).toEqual({
      doc_id: '7',
      result: 'created',
      version: 1,
    })
    expect(await load('a.txt', 'An otter.', '', { sys_id: '7', doc_id: 'd' })).toMatchObject({ doc_id: 'd' })
    const text = await stage.send('writer', `POST /load_text_to_collection?collection_name=${collection}`, {
      text: 'An otter.',
    })
    expect(text.body).toMatchObject({ data: { doc_id: contentId('An otter.'), result: 'created' } })
    // The text is not a file of an earlier version, so a file with the same content is another document.
    expect(await load('a.txt', 'An otter.')).toMatchObject({ result: 'created' })
    expect(await there()).toHaveLength(4)
  })
})

describe('a document that an earlier version named by its content is found and replaced, never doubled (issue 11, 2.3)', () => {
  test.each([
    ['', 'a.txt'],
    ['', 'renamed.txt'],
    [byName, 'a.txt'],
  ])('load%s of %s', async (more, name) => {
    await loadAsBefore('a.txt', 'An otter.')
    const loaded = await load(name, 'An otter.', more)
    expect(loaded).toEqual({ doc_id: expect.stringMatching(/^[0-9a-f]{32}$/), result: 'replaced', version: 2 })
    expect(loaded.doc_id).not.toBe(contentId('An otter.'))
    expect(await load(name, 'An otter.', more)).toEqual({ ...loaded, result: 'unchanged' })
    expect(await there()).toEqual([[name, 'An otter.', 2]])
  })

  test('queued, too', async () => {
    await loadAsBefore('a.txt', 'An otter.')
    await untilReady(await queue('a.txt', 'An otter.', ''))
    expect(await there()).toEqual([['a.txt', 'An otter.', 2]])
  })

  test('other content leaves it alone', async () => {
    await loadAsBefore('a.txt', 'An otter.')
    await load('a.txt', 'The otters.')
    expect(await there()).toEqual([
      ['a.txt', 'An otter.', 1],
      ['a.txt', 'The otters.', 1],
    ])
  })
})

async function queue(name: string, bytes: string, more: string): Promise<string> {
  const { status, body } = await send(name, bytes, `${more}&async=1`)
  const { doc_id } = (body as { data: { doc_id: string } }).data
  expect({ status, body }).toEqual({
    status: 202,
    body: ok({ doc_id, collection_name: collection, state: 'queued' }),
  })
  return doc_id
}

async function untilReady(docId: string): Promise<void> {
  for (;;) {
    const { body } = await stage.send(
      'writer',
      `GET /get_document_status?collection_name=${collection}&id_value=${docId}`,
    )
    const { state } = (body as { data: { state: string } }).data
    expect(state).not.toBe('failed')
    if (state === 'ready') return
    await pause(20)
  }
}

describe('replace_by=file_name (issue 11, 2.3)', () => {
  test('replaces the document of the same file name, whatever its content was', async () => {
    const first = await load('a.txt', 'An otter.', byName)
    expect(first).toMatchObject({ result: 'created', version: 1 })
    await load('b.txt', 'An otter.', byName)
    expect(await load('a.txt', 'Two otters.', byName)).toEqual({ ...first, result: 'replaced', version: 2 })
    expect(await load('a.txt', 'Two otters.', byName)).toEqual({ ...first, result: 'unchanged', version: 2 })
    // Also without the parameter, a file with the same name and content is the same document.
    expect(await load('a.txt', 'Two otters.')).toEqual({ ...first, result: 'unchanged', version: 2 })
    expect(await there()).toEqual([
      ['a.txt', 'Two otters.', 2],
      ['b.txt', 'An otter.', 1],
    ])
  })

  test('replaces all versions of it that have their names from us', async () => {
    await load('a.txt', 'An otter.')
    await load('a.txt', 'Two otters.', '', { n: 1 })
    await load('a.txt', 'Two otters.', '', { n: 2 })
    await loadAsBefore('a.txt', 'Three otters.')
    await load('b.txt', 'Another otter.')
    expect(await load('a.txt', 'No otter.', byName)).toMatchObject({ result: 'replaced', version: 3 })
    expect(await there()).toEqual([
      ['a.txt', 'No otter.', 3],
      ['b.txt', 'Another otter.', 1],
    ])
  })

  test('a document that was given a doc_id keeps it', async () => {
    await load('a.txt', 'An otter.', '', { doc_id: 'handbook' })
    await load('a.txt', 'Two otters.')
    expect(await load('a.txt', 'Three otters.', byName)).toEqual({ doc_id: 'handbook', result: 'replaced', version: 2 })
    expect(await load('a.txt', 'Four otters.', byName)).toEqual({ doc_id: 'handbook', result: 'replaced', version: 3 })
    expect(await there()).toEqual([['a.txt', 'Four otters.', 3]])
  })

  test('of several that were given a doc_id none is replaced: 409 names them', async () => {
    for (const doc_id of ['one', 'two']) await load('a.txt', 'An otter.', '', { doc_id })
    for (const more of [byName, `${byName}&async=1`]) {
      const { status, body } = await send('a.txt', 'Two otters.', more)
      const message =
        '2 documents that were given a doc_id have the file name a.txt (one, two). metadata.doc_id says which one to replace.'
      expect({ status, body }).toEqual({ status: 409, body: conflict(message) })
    }
    expect(await there()).toHaveLength(2)
  })

  test('queued loads of one name follow each other: the last one stays', async () => {
    await load('a.txt', 'An otter.')
    const ids = [await queue('a.txt', 'Two otters.', byName), await queue('a.txt', 'Three otters.', byName)]
    expect(new Set(ids).size).toBe(1)
    for (const id of ids) await untilReady(id)
    expect((await there()).map(([name, text]) => [name, text])).toEqual([['a.txt', 'Three otters.']])
  })

  test('loads at once of one name leave one document', async () => {
    await Promise.all(Array.from({ length: 6 }, (_, n) => load('a.txt', `Otter ${n}.`, byName)))
    expect(await there()).toHaveLength(1)
  })

  test('as a field of the form, too', async () => {
    const form = new FormData()
    form.set('replace_by', 'file_name')
    form.set('file', new Blob(['Two otters.']), 'a.txt')
    await load('a.txt', 'An otter.')
    const sent = await fetch(`${stage.docket.baseUrl}/load_document_to_collection?collection_name=${collection}`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${stage.keys.writer}` },
    })
    expect(await sent.json()).toMatchObject({ data: { result: 'replaced' } })
  })

  test.each([
    [
      'with a doc_id',
      'a.txt',
      byName,
      { doc_id: 'd' },
      422,
      'INVALID_VALUE',
      'metadata.doc_id',
      'The value of metadata.doc_id is rejected: it names the document, and so does replace_by=file_name: send one of them.',
    ],
    [
      'with a sys_id',
      'a.txt',
      byName,
      { sys_id: '1' },
      422,
      'INVALID_VALUE',
      'metadata.sys_id',
      'The value of metadata.sys_id is rejected: it names the document, and so does replace_by=file_name: send one of them.',
    ],
    [
      'without a name',
      '..',
      byName,
      {},
      422,
      'INVALID_VALUE',
      'file',
      'The value of file is rejected: replace_by=file_name needs the name of the file.',
    ],
    [
      'another word',
      'a.txt',
      '&replace_by=name',
      {},
      400,
      'BAD_PARAMETER',
      'replace_by',
      'The parameter replace_by must be doc_id or file_name; found name.',
    ],
    [
      'another spelling',
      'a.txt',
      '&replaceby=file_name',
      {},
      400,
      'BAD_PARAMETER',
      'replaceby',
      'There is no parameter replaceby here. Did you mean replace_by?',
    ],
  ] as const)('%s is rejected', async (_what, name, more, metadata, status, code, field, message) => {
    const response = await send(name, 'An otter.', more, metadata)
    expect({ status: response.status, body: response.body }).toEqual({
      status,
      body: rejected(code, message, { field }),
    })
  })

  test('law: the names are those that were loaded, each once, with the text that came last', async () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      text: fc.constantFrom('x', 'y', 'z'),
      before: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        collection = `identity${++collections}`
        for (const { name, text } of steps.filter(({ before }) => before)) await loadAsBefore(name, `Otter ${text}.`)
        const expected = new Map<string, string>()
        const requested = steps.filter(({ before }) => !before)
        for (const { name, text } of requested) {
          await load(name, `Otter ${text}.`, byName)
          expected.set(name, `Otter ${text}.`)
        }
        for (const [name, text] of expected)
          expect((await there()).filter(([each]) => each === name).map(([, each]) => each)).toEqual([text])
      }),
      { numRuns: 12 },
    )
  }, 120_000)
})

describe('documents that a caller does not see are neither replaced nor told of (issue 11, 2.3)', () => {
  test('in a bound collection the response is that of a collection without them', async () => {
    await stage.docket.database.rows(sql`
      insert into docket.task (sys_id, sys_db_table_id, subject, active)
      select 810000001, (select sys_id from docket.sys_db_table where name = 'task'), 'hidden', false on conflict do nothing`)
    await stage.docket.database.rows(sql`delete from docket.sys_security_acl where table_name = 'task'`)
    await stage.docket.database.rows(sql`
      insert into docket.sys_security_acl (operation, table_name, roles, condition, admin_overrides)
      values ('read', 'task', '{}', 'active=true', true)`)
    const responses: unknown[] = []
    for (const isHiddenThere of [true, false]) {
      collection = `guarded${isHiddenThere}`
      await stage.send('admin', `PUT /collections/${collection}`, { acl_table: 'task' })
      if (isHiddenThere) {
        await send('a.txt', 'Hidden otter.', '', { doc_id: 'hidden', sys_id: '810000001' }, 'admin')
        await send('a.txt', 'Other otter.', '', undefined, 'admin')
        await send('a.txt', 'Third otter.', byName, undefined, 'admin')
      }
      const sent = [
        await send('a.txt', 'My otter.', byName),
        await send('a.txt', 'My otters.', byName),
        await send('a.txt', 'Another.', ''),
      ]
      responses.push(sent.map(({ status, text }) => ({ status, text: text.replaceAll(collection, 'COLLECTION') })))
    }
    expect(responses[0]).toEqual(responses[1])
  })
})
