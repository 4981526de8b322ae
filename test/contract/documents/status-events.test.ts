import { EventSource } from 'eventsource'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DocumentStage, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

interface Followed {
  readonly states: readonly string[]
  readonly last: unknown
  /** The status of the response when the client connected again. */
  readonly endedBy: number | undefined
}

/** Behaves like a browser: listens, connects again when the stream ends, and stops if the server says so. */
function follow(docId: string): Promise<Followed> {
  const source = new EventSource(
    `${stage.docket.baseUrl}/get_document_status?collection_name=events&id_value=${docId}&stream=1`,
    {
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${stage.keys.reader}` } }),
    },
  )
  const seen: string[] = []
  let last: unknown
  source.addEventListener('status', ({ data }) => {
    last = JSON.parse(data)
    seen.push((last as { state: string }).state)
  })
  return new Promise((resolve) => {
    source.addEventListener('error', ({ code }) => {
      if (source.readyState === EventSource.CLOSED)
        resolve({ states: seen.filter((state, at) => state !== seen[at - 1]), last, endedBy: code })
    })
  })
}

const queue = async (docId: string, name: string, bytes: string): Promise<void> => {
  const response = await stage.sendFile('writer', 'collection_name=events&async=1', { name, bytes }, { doc_id: docId })
  expect(response.status).toBe(202)
}

const inOrder = ['queued', 'extracting', 'indexing', 'ready', 'failed']

test('an EventSource follows a load to its end and then stays away', async () => {
  await queue('good', 'notes.md', '# Notes\n\nThe gateway needs a new certificate.')
  const { states, last, endedBy } = await follow('good')
  expect(last).toEqual({
    doc_id: 'good',
    collection_name: 'events',
    state: 'ready',
    percent: 100,
    pages_done: null,
    attempts: 1,
    version: 1,
    error: null,
  })
  // The number of intermediate states in the stream depends on the speed of the load.
  expect(states).toEqual(inOrder.filter((state) => states.includes(state)))
  expect(endedBy).toBe(204)
})

test('an EventSource is told why a load failed', async () => {
  await queue('bad', 'a.pdf', '%PDF-1.7\nnot really')
  const { last, endedBy } = await follow('bad')
  expect(last).toEqual({
    doc_id: 'bad',
    collection_name: 'events',
    state: 'failed',
    percent: 0,
    pages_done: null,
    attempts: 1,
    version: null,
    error: {
      code: 'UNREADABLE_DOCUMENT',
      message: expect.stringMatching(/^No text can be read from the document: .*PDF/),
    },
  })
  expect(endedBy).toBe(204)
})

test('an EventSource of an absent document, or of nobody, ends with the error', async () => {
  const { states, endedBy } = await follow('absent')
  expect({ states, endedBy }).toEqual({ states: [], endedBy: 404 })
})
