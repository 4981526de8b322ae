import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stillRunning } from './still-running.ts'

export interface ReceivedDelivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface WebhookReceiver {
  readonly url: string
  readonly received: readonly ReceivedDelivery[]
  /** Status and headers of the responses from now on; 200 at first. */
  respond(status: number, headers?: Readonly<Record<string, string>>): void
  /** The receiver does not respond before this resolves. */
  hold(until: Promise<void>): void
  /** Resolves when the received deliveries satisfy this. */
  until(enough: (received: readonly ReceivedDelivery[]) => boolean): Promise<readonly ReceivedDelivery[]>
  close(): Promise<void>
}

/** A receiver of webhook deliveries on this machine. */
export async function webhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedDelivery[] = []
  const waiting = new Set<() => void>()
  let reply: { readonly status: number; readonly headers: Readonly<Record<string, string>> } = {
    status: 200,
    headers: {},
  }
  let held: Promise<void> = Promise.resolve()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      received.push({ path: request.url ?? '', headers: request.headers, text })
      void held.then(() => response.writeHead(reply.status, reply.headers).end('thanks'))
      for (const look of waiting) look()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  stillRunning.add(`webhook receiver ${port}`)
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    respond: (status, headers = {}) => {
      reply = { status, headers }
    },
    hold: (until) => {
      held = until
    },
    until: (enough) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!enough(received)) return
          waiting.delete(look)
          resolve([...received])
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
