import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../../src/kernel/sql.ts'
import { makeCallers } from '../../contract/documents/stage.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { embedByMeaning, type ModelStandIn, startModelStandIn } from '../../harness/model-stand-in.ts'
import { sendTo } from '../../harness/send-request.ts'
import { spawnDocket, temporaryFolder } from '../../harness/spawn-docket.ts'

let fresh: FreshDatabase
let model: ModelStandIn
beforeAll(async () => {
  fresh = await freshDatabase()
  model = await startModelStandIn()
})
afterAll(async () => {
  await model.stop()
  await fresh.drop()
})

test('a server that is killed while it makes vectors leaves documents that are found by their words; the next one makes the vectors', async () => {
  const keys = await makeCallers(fresh)
  const environment = {
    DOCKET_DATABASE_URL: fresh.connectionString,
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_EMBEDDINGS_URL: model.embeddingsUrl,
    DOCKET_EMBEDDINGS_MODEL: 'stand-in',
    DOCKET_EMBEDDINGS_QUERY_TIMEOUT_MS: '60000',
  }
  const due = () => fresh.database.rows(sql`select from docket_documents.document_embedding where position is null`)

  let isRequested = false
  model.embeddings = () => {
    isRequested = true
  }
  const killed = await spawnDocket(environment)
  const first = sendTo(killed.address)
  for (let n = 0; n < 5; n++) {
    const response = await first.send('POST', '/load_text_to_collection?collection_name=killed', {
      as: { bearer: keys.writer },
      body: { metadata: { doc_id: `d${n}` }, text: `The router number ${n}.` },
    })
    expect(response.status).toBe(200)
  }
  while (!isRequested) await pause(10)
  killed.signal('SIGKILL')
  await killed.exit
  first.close()
  expect(await due()).toHaveLength(5)

  model.embeddings = embedByMeaning()
  const next = await spawnDocket(environment)
  const second = sendTo(next.address)
  const find = (query: string) =>
    second.send('POST', '/get_relevant_documents', {
      as: { bearer: keys.reader },
      body: { query, k: 9, mode: 'hybrid' },
    })
  expect(await find('router')).toMatchObject({ status: 200, body: { mode: 'hybrid', data: { length: 5 } } })
  while ((await due()).length > 0) await pause(10)
  const { body } = await find('сеть')
  expect(body).toMatchObject({ mode: 'hybrid', data: { length: 5 } })
  expect(body).not.toHaveProperty('warnings')
  // A process that is stopped does not wait for the model.
  let isCalledAgain = false
  model.embeddings = () => {
    isCalledAgain = true
  }
  await second.send('POST', '/load_text_to_collection?collection_name=killed', {
    as: { bearer: keys.writer },
    body: { metadata: { doc_id: 'last' }, text: 'The last one.' },
  })
  while (!isCalledAgain) await pause(10)
  second.close()
  await next.stop()
  expect(next.log()).not.toMatch(/"level":"(error|warn)"/)
})
