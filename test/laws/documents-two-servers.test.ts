import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCallers, type Who } from '../contract/documents/stage.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { type ReceivedResponse, type Sender, sendTo } from '../harness/send-request.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

// Two servers, each a separate process with its own index, with the same PostgreSQL and the same folder of files.

let fresh: FreshDatabase
let keys: Readonly<Record<Who, string>>
let dockets: readonly SpawnedDocket[]
let senders: readonly Sender[]
beforeAll(async () => {
  fresh = await freshDatabase()
  keys = await makeCallers(fresh)
  const environment = { DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: temporaryFolder() }
  dockets = [await spawnDocket(environment), await spawnDocket(environment)]
  senders = dockets.map(({ address }) => sendTo(address))
})
afterAll(async () => {
  for (const sender of senders) sender.close()
  for (const docket of dockets) await docket.stop()
  await fresh.drop()
})

type Server = 0 | 1
const other = (server: Server): Server => (server === 0 ? 1 : 0)

async function send(server: Server, line: string, body?: unknown): Promise<ReceivedResponse> {
  const [method = '', path = ''] = line.split(' ')
  const sender = senders[server]
  if (sender === undefined) throw new Error('there are two servers')
  return sender.send(method, path, { as: { bearer: keys.writer }, ...(body === undefined ? {} : { body }) })
}
const dataOf = <T>({ body }: ReceivedResponse): T => (body as { readonly data: T }).data

/** The content of a document according to all endpoints of a server, which must agree. */
async function seen(server: Server, collection: string, docId: string, mark: string): Promise<unknown> {
  const search = await send(server, 'POST /get_relevant_documents?k=50', {
    query: mark,
    collection_names: [collection],
    metadata: `doc_id=${docId}`,
  })
  if (search.status === 404) return null
  const texts = [...new Set(dataOf<readonly { readonly text: string }[]>(search).map(({ text }) => text))]
  const content = await send(server, `GET /get_content_by_tag?collection_name=${collection}&tag_info=doc_id=${docId}`)
  const names = await send(server, `GET /get_list_of_documents_names?collection_name=${collection}`)
  const whole = dataOf<readonly { readonly text: string }[]>(content).map(({ text }) => text)
  expect(whole).toEqual(texts)
  expect(dataOf<readonly string[]>(names).includes(docId)).toBe(texts.length === 1)
  return texts[0] ?? null
}

/** A word for each client, which no stemmer changes. */
const markOf = (client: number): string => `zq${'bdfg'[client]}kx`

type Command =
  | { readonly kind: 'load'; readonly at: Server; readonly docId: string; readonly version: number }
  | { readonly kind: 'delete' | 'delete-collection'; readonly at: Server; readonly docId: string }
const at = fc.constantFrom<Server>(0, 1)
const docId = fc.constantFrom('a', 'b')
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('load' as const), at, docId, version: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), at, docId }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete-collection' as const), at, docId }) },
)

/** One client, with its own collection, and with its own documents in a collection that all clients share. */
async function work(client: number, commands: readonly Command[]): Promise<void> {
  const mark = markOf(client)
  const own = new Map<string, string>()
  const shared = new Map<string, string>()
  for (const each of commands) {
    const { kind, at: server } = each
    const name = `${client}-${each.docId}`
    if (kind === 'load') {
      const text = `Version ${each.version} of ${name} says ${mark}.`
      for (const [collection, held] of [
        [`own${client}`, own],
        ['shared', shared],
      ] as const) {
        const before = held.get(name)
        const response = await send(server, `POST /load_text_to_collection?collection_name=${collection}`, {
          metadata: { doc_id: name },
          text,
        })
        const result = before === undefined ? 'created' : before === text ? 'unchanged' : 'replaced'
        expect(response).toMatchObject({ status: 200, body: { data: { result } } })
        held.set(name, text)
      }
    } else if (kind === 'delete') {
      const line = `DELETE /delete_document_from_collection?collection_name=shared&id_value=${name}`
      expect((await send(server, line)).status).toBe(shared.delete(name) ? 200 : 404)
    } else {
      const response = await send(server, `DELETE /delete_collection?collection_name=own${client}`)
      // A collection would also exist after its documents were deleted one by one, but no command does that here.
      expect(response.status).toBe(own.size > 0 ? 200 : 404)
      own.clear()
    }
    for (const requested of [other(server), server]) {
      expect(await seen(requested, 'shared', name, mark)).toBe(shared.get(name) ?? null)
      expect(await seen(requested, `own${client}`, name, mark)).toBe(own.get(name) ?? null)
    }
  }
  for (const server of [0, 1] as const) {
    await send(server, `DELETE /delete_collection?collection_name=own${client}`)
    for (const name of shared.keys())
      await send(server, `DELETE /delete_document_from_collection?collection_name=shared&id_value=${name}`)
  }
}

test('after 200 a document is found and after its deletion it is not, by either of two servers, whatever others do meanwhile', async () => {
  const clients = fc.array(fc.array(command, { minLength: 1, maxLength: 8 }), { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(clients, async (plans) => {
      await Promise.all(plans.map((commands, client) => work(client, commands)))
    }),
    { numRuns: 10, endOnFailure: true },
  )
})
