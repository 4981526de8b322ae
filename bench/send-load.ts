/**
 * The load generator: a separate process, so that its work does not count as the server's. It uses HTTP/1.1 over bare sockets and reads
 * only the status and the length of a response, because on a small machine every microsecond of its own hides a difference between the
 * servers.
 */
import { connect, type Socket } from 'node:net'
import { quantile } from './measure/figures.ts'
import type { LoadOrder, LoadOutcome } from './measure/load.ts'

const headEnd = '\r\n\r\n'
const lengthName = 'content-length: '

interface Run {
  readonly order: LoadOrder
  readonly requests: readonly Buffer[]
  readonly latenciesMs: number[]
  readonly rejected: string[]
  next: number
  bytes: number
  isOver: boolean
}

process.on('message', (order: LoadOrder) => {
  runLoad(order).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  )
})

async function runLoad(order: LoadOrder): Promise<LoadOutcome> {
  const run: Run = {
    order,
    requests: order.requests.map((text) => Buffer.from(text)),
    latenciesMs: [],
    rejected: [],
    next: 0,
    bytes: 0,
    isOver: false,
  }
  const beganMs = performance.now()
  const timer = order.durationMs === null ? undefined : setTimeout(() => (run.isOver = true), order.durationMs)
  await Promise.all(Array.from({ length: order.connections }, () => sendOnOne(run)))
  clearTimeout(timer)
  const tookMs = performance.now() - beganMs
  const { latenciesMs } = run
  return {
    requests: latenciesMs.length,
    rejected: run.rejected.length,
    firstRejected: run.rejected[0] ?? null,
    tookMs,
    bytes: run.bytes,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
  }
}

/** One connection: the next request is sent when the whole response to the one before has arrived. */
function sendOnOne(run: Run): Promise<void> {
  const { host, port } = run.order
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    let sentMs = 0
    let held: Buffer | null = null
    const send = (): void => {
      const total = run.order.count
      if (run.isOver || (total !== null && run.next >= total)) {
        socket.end()
        resolve()
        return
      }
      const request = run.requests[run.next % run.requests.length]
      run.next += 1
      sentMs = performance.now()
      if (request !== undefined) socket.write(request)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => (run.isOver ? resolve() : reject(new Error('the server closed a connection'))))
    socket.on('data', (chunk: Buffer) => {
      held = held === null ? chunk : Buffer.concat([held, chunk])
      const size = sizeOfResponse(held, socket)
      if (size === null || held.length < size) return
      run.latenciesMs.push(performance.now() - sentMs)
      run.bytes += size
      // "HTTP/1.1 2": with any other status the run would measure nothing.
      if (held[9] !== 0x32) run.rejected.push(held.toString('utf8', 0, Math.min(size, 1_000)))
      held = null
      send()
    })
  })
}

/** @returns null if the head is not complete */
function sizeOfResponse(response: Buffer, socket: Socket): number | null {
  const end = response.indexOf(headEnd)
  if (end === -1) return null
  const at = response.indexOf(lengthName)
  if (at === -1 || at > end) {
    socket.destroy(new Error(`a response without content-length: ${response.toString('latin1', 0, end)}`))
    return null
  }
  const digits = response.toString('latin1', at + lengthName.length, at + lengthName.length + 12)
  return end + headEnd.length + Number.parseInt(digits, 10)
}
