import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Writes bytes to a server as they are and gives back everything that it answers until it closes the connection.
 *
 * @param pieces each becomes a packet of its own
 */
export async function rawRequest(baseUrl: string, ...pieces: readonly (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  socket.setNoDelay()
  const chunks: Buffer[] = []
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk))
    // The server may close before everything was written; what it answered counts.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
  })
  for (const piece of pieces) {
    socket.write(piece)
    if (pieces.length > 1) await delay(2)
  }
  await closed
  return Buffer.concat(chunks).toString('utf8')
}

export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** The answers that stand one behind the other on a connection; each must have a length. */
export function splitAnswers(text: string): readonly RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const head = rest.subarray(0, end).toString('utf8')
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    const body = rest.subarray(end + 4, end + 4 + length).toString('utf8')
    answers.push({ status: Number(head.split(' ')[1]), head, body })
    rest = rest.subarray(end + 4 + length)
  }
  return answers
}
