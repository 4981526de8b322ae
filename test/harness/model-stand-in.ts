import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stillRunning } from './still-running.ts'

/** A request that the stand-in received. */
export interface ModelRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: ModelBody
}

interface ModelBody {
  readonly model?: string
  readonly input?: readonly string[]
  readonly dimensions?: number
  readonly query?: string
  readonly documents?: readonly string[]
}

export type ModelResponder = (response: ServerResponse, requested: ModelRequest) => void

/** A model behind HTTP that the test controls: an OpenAI-compatible `/v1/embeddings` and a `/rerank`. */
export interface ModelStandIn {
  readonly embeddingsUrl: string
  readonly rerankUrl: string
  readonly requests: ModelRequest[]
  /** Responds to the next requests; by default like a correct model. */
  embeddings: ModelResponder
  rerank: ModelResponder
  /** `stop` closes every connection and accepts no new one; `start` accepts them again on the same port. */
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startModelStandIn(): Promise<ModelStandIn> {
  let port = 0
  const requests: ModelRequest[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => take(request, response, Buffer.concat(pieces)))
  })
  const take = ({ url: path = '', headers }: IncomingMessage, response: ServerResponse, bytes: Buffer): void => {
    const requested = { path, headers, body: JSON.parse(bytes.toString('utf8')) as ModelBody }
    requests.push(requested)
    if (path === '/v1/embeddings') standIn.embeddings(response, requested)
    else if (path === '/v1/rerank') standIn.rerank(response, requested)
    else response.writeHead(404).end()
  }
  const start = (): Promise<void> =>
    new Promise((resolve) => {
      server.listen(port, '127.0.0.1', () => {
        port = (server.address() as AddressInfo).port
        stillRunning.add(`model stand-in ${port}`)
        resolve()
      })
    })
  await start()
  const standIn: ModelStandIn = {
    embeddingsUrl: `http://127.0.0.1:${port}/v1/embeddings`,
    rerankUrl: `http://127.0.0.1:${port}/v1/rerank`,
    requests,
    embeddings: embedByMeaning(),
    rerank: rerankByLength,
    start,
    stop: () =>
      new Promise((resolve) => {
        stillRunning.delete(`model stand-in ${port}`)
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return standIn
}

/** Words with the same meaning, in both languages. A model finds them alike, stems do not. */
const meanings: readonly (readonly string[])[] = [
  ['printer', 'принтер', 'laserjet', 'печат'],
  ['holiday', 'vacation', 'отпуск', 'leave'],
  ['network', 'router', 'vpn', 'сеть', 'wifi'],
  ['password', 'login', 'пароль'],
]

/** A vector has the number of words of each meaning. Because of the last number, no vector is zero. */
export function vectorOf(text: string): readonly number[] {
  const lower = text.toLowerCase()
  const counts = meanings.map((words) => words.reduce((sum, word) => sum + lower.split(word).length - 1, 0))
  return [...counts, 0.25]
}

export function embedByMeaning(
  shape: (vector: readonly number[]) => readonly unknown[] = (vector) => vector,
): ModelResponder {
  return (response, { body }) => {
    const data = (body.input ?? []).map((text, index) => ({
      object: 'embedding',
      index,
      embedding: shape(vectorOf(text)),
    }))
    // In another order than in the request: only the index is valid.
    sendJson(response, { object: 'list', data: data.reverse(), model: body.model, usage: { total_tokens: 1 } })
  }
}

/** The shortest text is the most relevant. */
export const rerankByLength: ModelResponder = (response, { body }) => {
  const results = (body.documents ?? []).map((text, index) => ({ index, relevance_score: 1 / text.length }))
  sendJson(response, { results: results.sort((one, other) => other.relevance_score - one.relevance_score) })
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
