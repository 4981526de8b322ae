import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stillRunning } from './still-running.ts'

export interface ReceivedLetter {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface WebhookReceiver {
  readonly url: string
  readonly letters: readonly ReceivedLetter[]
  /** Sets the response from now on; 200 at first. */
  answer(status: number, headers?: Readonly<Record<string, string>>): void
  /** Responses wait until this resolves. */
  hold(until: Promise<void>): void
  /** Resolves when the deliveries so far satisfy `enough`. */
  until(enough: (letters: readonly ReceivedLetter[]) => boolean): Promise<readonly ReceivedLetter[]>
  close(): Promise<void>
}

/** A receiver of webhook deliveries on this machine. */
export async function webhookReceiver(): Promise<WebhookReceiver> {
  const letters: ReceivedLetter[] = []
  const waiting = new Set<() => void>()
  let answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> } = {
    status: 200,
    headers: {},
  }
  let held: Promise<void> = Promise.resolve()
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString('utf8')
      letters.push({ path: request.url ?? '', headers: request.headers, text })
      void held.then(() => response.writeHead(answer.status, answer.headers).end('thanks'))
      for (const look of waiting) look()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  stillRunning.add(`webhook receiver ${port}`)
  return {
    url: `http://127.0.0.1:${port}`,
    letters,
    answer: (status, headers = {}) => {
      answer = { status, headers }
    },
    hold: (until) => {
      held = until
    },
    until: (enough) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!enough(letters)) return
          waiting.delete(look)
          resolve([...letters])
        }
        waiting.add(look)
        look()
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => {
          stillRunning.delete(`webhook receiver ${port}`)
          resolve()
        })
      }),
  }
}
