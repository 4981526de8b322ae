import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface LoadOrder {
  readonly host: string
  readonly port: number
  readonly connections: number
  /** Whole HTTP requests; each connection sends the next one, cyclically. */
  readonly requests: readonly string[]
  /** Ends after this time … */
  readonly durationMs: number | null
  /** … or after this number of requests. */
  readonly count: number | null
}

export interface LoadOutcome {
  readonly requests: number
  /** Responses whose status is not 2xx. */
  readonly rejected: number
  readonly firstRejected: string | null
  readonly tookMs: number
  readonly bytes: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface LoadGenerator {
  /** @throws Error if a response has another status than 2xx */
  run(order: LoadOrder): Promise<LoadOutcome>
  stop(): void
}

type FromGenerator = { readonly outcome: LoadOutcome } | { readonly failure: string }

export function startLoadGenerator(): LoadGenerator {
  const child: ChildProcess = fork(fileURLToPath(new URL('../send-load.ts', import.meta.url)))
  return {
    async run(order) {
      const message = await new Promise<FromGenerator>((resolve, reject) => {
        const ended = (code: number | null): void => reject(new Error(`the load generator ended (exit code ${code})`))
        child.once('exit', ended)
        child.once('message', (described) => {
          child.off('exit', ended)
          resolve(described as FromGenerator)
        })
        child.send(order)
      })
      if ('failure' in message) throw new Error(message.failure)
      const { outcome } = message
      if (outcome.rejected > 0) {
        throw new Error(`${outcome.rejected} of ${outcome.requests} requests were rejected: ${outcome.firstRejected}`)
      }
      return outcome
    },
    stop: () => {
      child.kill()
    },
  }
}

export interface RequestToSend {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body?: string
}

/** As it is sent. */
export function httpText({ method, path, headers = {}, body }: RequestToSend, host: string): string {
  const all = { host, ...headers, ...(body !== undefined && contentHeaders(body)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

function contentHeaders(body: string): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
}
