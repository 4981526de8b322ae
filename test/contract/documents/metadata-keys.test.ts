import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentStage, ok, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

const load = (metadata: unknown, text = 'The dugong.') =>
  stage.send('writer', 'POST /load_text_to_collection?collection_name=keys', { metadata, text })
const read = (tag_info: string) => stage.send('reader', 'POST /get_content_by_tag?collection_name=keys', { tag_info })
const find = (metadata: string) =>
  stage.send('reader', 'POST /get_relevant_documents?query=dugong&k=99', { collection_names: ['keys'], metadata })

const idsOf = (response: { readonly body: unknown }) =>
  (response.body as { data: { doc_id: string }[] }).data.map(({ doc_id }) => doc_id).sort()

describe('every metadata key that can be loaded can be used in a filter (issue 11, 2.1)', () => {
  beforeAll(async () => {
    const kept = [
      { doc_id: 'k1', projectId: 'p1', 'due date': '2024-01-31', '1st': true, Имя: 'Анна', 'a^b=c': 'x' },
      { doc_id: 'k2', projectId: 'p2', 'say "hi"': 'yes', '(': 1, ORDERBYx: 'o', statusINx: 'i' },
      { doc_id: 'k3', loc: { from: 1, to: 20, page: { Label: 'iv' } }, source: { url: 'https://example.com' } },
    ]
    for (const metadata of kept) expect((await load(metadata)).status).toBe(200)
  })

  test.each([
    ['"projectId"=p1', ['k1']],
    ['"projectId"IN p1', []],
    ['"projectId"INp1,p2', ['k1', 'k2']],
    ['"projectId"ISNOTEMPTY^"projectId"!=p1', ['k2']],
    ['"due date"<2024-02-01', ['k1']],
    ['"1st"=true', ['k1']],
    ['"Имя"=анна', ['k1']],
    ['"a^b=c"=x', ['k1']],
    ['"say ""hi"""=yes', ['k2']],
    ['("("=1^OR"1st"=true)', ['k1', 'k2']],
    ['"ORDERBYx"=o', ['k2']],
    ['"statusINx"=i', ['k2']],
    // A simple key may be quoted, too.
    ['"doc_id"=k3', ['k3']],
    // Nested objects are flattened with dots.
    ['loc.from=1', ['k3']],
    ['loc.to>10', ['k3']],
    ['"loc.to">10', ['k3']],
    ['loc.page."Label"=iv', ['k3']],
    ['source.url=https://example.com', ['k3']],
    // Keys are compared exactly: no case folding, no trimming.
    ['"projectid"=p1', []],
    ['" projectId"=p1', []],
  ])('%s', async (filter, expected) => {
    expect([filter, idsOf(await read(filter)), idsOf(await find(filter))]).toEqual([filter, expected, expected])
  })

  test('a nested object is stored, and comes back, with dots', async () => {
    const { status, body } = await read('doc_id=k3')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        status: 'OK',
        data: [
          {
            doc_id: 'k3',
            collection_name: 'keys',
            text: 'The dugong.',
            metadata: {
              doc_id: 'k3',
              'loc.from': 1,
              'loc.to': 20,
              'loc.page.Label': 'iv',
              'source.url': 'https://example.com',
            },
            file_name: null,
            media_type: 'text/plain',
            version: 1,
          },
        ],
        next_cursor: null,
      },
    })
  })

  test('the same metadata, once nested and once with dots, is one: nothing is replaced', async () => {
    const response = await load({
      doc_id: 'k3',
      'loc.from': 1,
      'loc.to': 20,
      loc: { page: { Label: 'iv' } },
      source: { url: 'https://example.com' },
    })
    expect(response.body).toEqual(
      ok({
        doc_id: 'k3',
        collection_name: 'keys',
        state: 'ready',
        result: 'unchanged',
        chunks: 1,
        characters: 11,
        pages: null,
        media_type: 'text/plain',
        language: 'en',
        version: 1,
        sequence: 0,
        took_ms: 0,
      }),
    )
  })

  test('in the form of a file, too', async () => {
    const metadata = { doc_id: 'k4', loc: { Sheet: 'A' } }
    const sent = await stage.sendFile(
      'writer',
      'collection_name=keys',
      { name: 'a.txt', bytes: 'The dugong.' },
      metadata,
    )
    expect(sent.status).toBe(200)
    expect(idsOf(await read('loc."Sheet"=A'))).toEqual(['k4'])
    await stage.send('writer', 'DELETE /delete_document_from_collection?collection_name=keys&id_value=k4')
  })

  const quotes = ' A key with other characters than a-z, 0-9 and _ stands in double quotes: "projectId"=p1.'
  test.each([
    ['"projectId=p1', 0, 'The key that begins here has no closing quote.'],
    ['a=1^""=1', 4, 'Expected a key between the quotes.'],
    ['a."b', 2, 'The key that begins here has no closing quote.'],
    [
      'Project=1',
      0,
      'Expected a condition (a key in lower-case letters or in quotes, or an opening bracket), found "Project=1".',
    ],
  ])('%s is 400 with its place', async (filter, position, detail) => {
    const { status, body } = await read(filter)
    expect({ status, body }).toEqual({
      status: 400,
      body: rejected('BAD_QUERY', `The query cannot be read at position ${position}: ${detail}`, { position }),
    })
  })

  test('a key without quotes that needs them is 400 and says so', async () => {
    const { status, body } = await read('projectId=p1')
    const [error] = (body as { errors: [{ message: string; position: number; field: string }] }).errors
    expect({ status, position: error.position, field: error.field }).toEqual({
      status: 400,
      position: 7,
      field: 'project',
    })
    expect(error.message.endsWith(quotes)).toBe(true)
  })

  test.each([
    [
      'a key that occurs twice',
      { 'loc.from': 1, loc: { from: 2 } },
      'metadata.loc.from',
      'it occurs twice: once with a dot, once in a nested object',
    ],
    ['a key without a name', { loc: { '': 1 } }, 'metadata.loc.', 'a key must have a name'],
    ['an object under a key of the contract', { priority: { value: 1 } }, 'metadata.priority', 'it must be an integer'],
    [
      'too many keys',
      { a: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, n])) },
      'metadata',
      'it has 65 keys; at most 64 are allowed',
    ],
    [
      'keys that become too long',
      { ['x'.repeat(2_000)]: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, n])) },
      'metadata',
      'it is 18073 bytes long as JSON; at most 16384 are allowed',
    ],
  ])('%s is 422', async (_what, metadata, field, detail) => {
    const { status, body } = await load(metadata)
    expect({ status, body }).toEqual({
      status: 422,
      body: rejected('INVALID_VALUE', `The value of ${field} is rejected: ${detail}.`, { field }),
    })
  })

  test('law: any key, at any depth, selects its document', async () => {
    const key = fc
      .oneof(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.constantFrom('__proto__', 'a.b', '"', '""', '^OR', '.', ' '),
      )
      .filter((name) => name !== '' && !name.includes('\0') && name.isWellFormed())
    await fc.assert(
      fc.asyncProperty(fc.array(key, { minLength: 1, maxLength: 3 }), async (path) => {
        const metadata = path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), 'value')
        const sent = { ...(metadata as object), doc_id: 'law' }
        fc.pre(!path[0]?.match(/^(doc_id|sys_id|status|type|title|priority|flag|created)$/))
        expect((await load(sent)).status).toBe(200)
        const quoted = path.map((name) => `"${name.replaceAll('"', '""')}"`).join('.')
        expect(idsOf(await read(`${quoted}=value^doc_id=law`))).toEqual(['law'])
        expect(idsOf(await read(`${quoted}!=value^doc_id=law`))).toEqual([])
      }),
      { numRuns: 60 },
    )
  }, 120_000)
})
