import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface RawSocket {
  /** Writes bytes and waits for one more complete response, or for the end of the connection. @returns everything received so far */
  call(bytes: string | Uint8Array): Promise<string>
  write(bytes: string | Uint8Array): void
  /** Waits until the server closes the connection. @returns everything received */
  end(): Promise<string>
  /** Closes the writing side of the connection; the server responds to what it received and closes its side. */
  finish(): void
}

export function openSocket(baseUrl: string): RawSocket {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  socket.setNoDelay()
  const chunks: Buffer[] = []
  let seen = (): void => undefined
  const text = (): string => Buffer.concat(chunks).toString('utf8')
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      seen()
    })
    // The server may close before everything is written; only its response matters.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
  })
  return {
    write: (bytes) => socket.write(bytes),
    finish: () => socket.end(),
    async call(bytes) {
      const before = splitResponses(text()).length
      const responded = new Promise<void>((resolve) => {
        seen = () => {
          if (splitResponses(text()).length > before) resolve()
        }
      })
      socket.write(bytes)
      await Promise.race([responded, closed])
      return text()
    },
    async end() {
      await closed
      return text()
    },
  }
}

/**
 * Writes bytes to a server without any change, and returns everything that it sends until it closes the connection.
 *
 * @param pieces written one after the other, so that they arrive in separate packets if the machine is not busy
 */
export async function rawRequest(baseUrl: string, ...pieces: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = openSocket(baseUrl)
  for (const piece of pieces) {
    socket.write(piece)
    if (pieces.length > 1) await delay(1)
  }
  return socket.end()
}

export interface RawResponse {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Splits the complete responses of a connection; each must have a `content-length`. */
export function splitResponses(text: string): readonly RawResponse[] {
  const responses: RawResponse[] = []
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) break
    const head = rest.subarray(0, end).toString('utf8')
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    if (rest.length < end + 4 + length) break
    const body = rest.subarray(end + 4, end + 4 + length).toString('utf8')
    responses.push({ status: Number(head.split(' ')[1]), head, body })
    rest = rest.subarray(end + 4 + length)
  }
  return responses
}
