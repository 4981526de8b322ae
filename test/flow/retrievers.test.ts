import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type DocumentStage, setDocumentStage, type Who } from '../contract/documents/stage.ts'

/** The examples have a lock file of their own; `.ci/run` installs it. Without it these tests are skipped, and counted as such. */
const folder = new URL('../../examples/retrievers/', import.meta.url)
const isInstalled = existsSync(new URL('node_modules/', folder))

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  const { database } = stage.docket
  await database.rows(sql`delete from docket.sys_security_acl where table_name = 'task'`)
  await database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, roles, condition, admin_overrides)
    values ('read', 'task', '{}', 'active=true', true)`)
  await database.rows(sql`
    insert into docket.task (sys_id, sys_db_table_id, subject, active)
    select 830000000 + n, (select sys_id from docket.sys_db_table where name = 'task'), 'x', n = 1 from generate_series(1, 2) as n`)
  await stage.send('admin', 'PUT /collections/bound', { acl_table: 'task' })
  for (const [collection, metadata, text] of [
    ['kb', { doc_id: 'open', status: 'open', loc: { Page: 1 } }, 'Reset the password in the portal.'],
    ['kb', { doc_id: 'closed', status: 'closed', 'a ^ "b"': 'x^y=z' }, 'The password of the printer.'],
    ['bound', { sys_id: '830000001' }, 'A password for everybody.'],
    ['bound', { sys_id: '830000002' }, 'A password for administrators.'],
  ] as const) {
    const line = `POST /load_text_to_collection?collection_name=${collection}`
    expect((await stage.send('admin', line, { metadata, text })).status).toBe(200)
  }
})
afterAll(() => stage.close())

interface Retrieved {
  readonly id: string
  readonly text: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly score: number
}

type Retrieve = (as: Who, options: object, query?: string) => Promise<readonly Retrieved[]>

const optionsOf = (as: Who, options: object) => ({ url: stage.docket.baseUrl, apiKey: stage.keys[as], ...options })

const withLangChain: Retrieve = async (as, options, query = 'password') => {
  const { DocketRetriever } = await import(new URL('langchain.js', folder).href)
  const documents = await new DocketRetriever(optionsOf(as, options)).invoke(query)
  return documents.map(
    ({
      id,
      pageContent: text,
      metadata,
    }: {
      id: string
      pageContent: string
      metadata: { docket: { score: number } }
    }) => ({
      id,
      text,
      metadata,
      score: metadata.docket.score,
    }),
  )
}

const withLlamaIndex: Retrieve = async (as, options, query = 'password') => {
  const { DocketRetriever } = await import(new URL('llamaindex.js', folder).href)
  const nodes = await new DocketRetriever(optionsOf(as, options)).retrieve(query)
  return nodes.map(
    ({ node, score }: { node: { id_: string; text: string; metadata: Record<string, unknown> }; score: number }) => ({
      id: node.id_,
      text: node.text,
      metadata: node.metadata,
      score,
    }),
  )
}

describe.skipIf(!isInstalled).each([
  ['LangChain', withLangChain],
  ['LlamaIndex', withLlamaIndex],
] as const)('the retriever for %s (issue 11)', (_name, retrieve) => {
  const idsOf = async (...request: Parameters<Retrieve>) => (await retrieve(...request)).map(({ id }) => id).sort()

  test('gives chunks with their metadata and where they come from', async () => {
    const found = await retrieve('reader', { collections: ['kb'], filter: 'status=open' })
    expect(found).toEqual([
      {
        id: 'kb/open#0',
        text: 'Reset the password in the portal.',
        metadata: {
          doc_id: 'open',
          status: 'open',
          'loc.Page': 1,
          docket: {
            doc_id: 'open',
            collection_name: 'kb',
            chunk_index: 0,
            file_name: null,
            page: null,
            page_to: null,
            heading_path: [],
            from: 0,
            to: 33,
            score: found[0]?.score,
          },
        },
        score: expect.any(Number),
      },
    ])
  })

  test('takes filters as text and as an object, with any key and value', async () => {
    const of = (filter: unknown) => idsOf('reader', { collections: ['kb'], filter })
    expect(await of(undefined)).toEqual(['kb/closed#0', 'kb/open#0'])
    expect(await of({ status: 'closed' })).toEqual(['kb/closed#0'])
    expect(await of({ status: ['open', 'closed'], 'loc.Page': 1 })).toEqual(['kb/open#0'])
    expect(await of({ 'a ^ "b"': 'x^y=z' })).toEqual(['kb/closed#0'])
    expect(await of({ 'loc.Page': null })).toEqual(['kb/closed#0'])
    expect(await of({ status: [] })).toEqual([])
    expect(await of({ status: 'javascript:gs.getUserID()' })).toEqual([])
  })

  test('has the rights of its key', async () => {
    expect(await idsOf('admin', { collections: ['bound'] })).toEqual(['bound/830000001#0', 'bound/830000002#0'])
    expect(await idsOf('reader', { collections: ['bound'] })).toEqual(['bound/830000001#0'])
    await expect(retrieve('nobody', { collections: ['bound'] })).rejects.toThrow('Docket rejected the search with 403')
  })

  test('says what is wrong with a request', async () => {
    await expect(retrieve('reader', { collections: ['absent'] })).rejects.toThrow(
      'Docket rejected the search with 404: There is no collection absent.',
    )
    await expect(retrieve('reader', { filter: 'projectId=1' })).rejects.toThrow(/400: .*"projectId"=p1/)
  })

  test('takes at most k chunks', async () => {
    expect(await retrieve('reader', { k: 1 })).toHaveLength(1)
  })
})

test('the examples are installed where the tests of a change run', () => {
  expect(isInstalled || process.env['CI'] === undefined).toBe(true)
})
