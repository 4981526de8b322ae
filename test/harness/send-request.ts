import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'

/** The credentials of a request: user and password, or a key, in one of two headers. */
export type Caller =
  | { readonly user: string; readonly password: string }
  | { readonly bearer: string }
  | { readonly apiKey: string }

export interface RequestOptions {
  readonly as?: Caller
  /** A string or bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface ReceivedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Parsed if it is JSON, otherwise the text; undefined: no body. */
  readonly body: unknown
  /** As it was sent. */
  readonly text: string
}

export interface Sender {
  /** `path` is sent unchanged; nothing is encoded. */
  send(method: string, path: string, options?: RequestOptions): Promise<ReceivedResponse>
  /** Closes the kept connections. */
  close(): void
}

/** A client of one server that keeps its connections. */
export function sendTo(baseUrl: string): Sender {
  const { hostname, port } = new URL(baseUrl)
  const agent = new Agent({ keepAlive: true })
  return {
    close: () => agent.destroy(),
    send: (method, path, options = {}) =>
      new Promise((resolve, reject) => {
        const { payload, type } = payloadOf(options.body)
        const headers = {
          ...(type !== undefined && { 'content-type': type }),
          ...(payload !== undefined && { 'content-length': String(Buffer.byteLength(payload)) }),
          ...credentialsOf(options.as),
          ...options.headers,
        }
        const sent = httpRequest(
          { host: hostname.replace(/^\[|\]$/g, ''), port, method, path, headers, agent },
          (response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('error', reject)
            response.on('end', () => {
              const text = Buffer.concat(chunks).toString('utf8')
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                body: bodyOf(text, response.headers),
                text,
              })
            })
          },
        )
        sent.on('error', reject)
        sent.end(payload)
      }),
  }
}

function payloadOf(body: unknown): { readonly payload?: string | Uint8Array; readonly type?: string } {
  if (body === undefined) return {}
  if (typeof body === 'string' || body instanceof Uint8Array) return { payload: body, type: 'application/json' }
  return { payload: JSON.stringify(body), type: 'application/json' }
}

function credentialsOf(caller: Caller | undefined): Readonly<Record<string, string>> {
  if (caller === undefined) return {}
  if ('bearer' in caller) return { authorization: `Bearer ${caller.bearer}` }
  if ('apiKey' in caller) return { 'x-api-key': caller.apiKey }
  return { authorization: `Basic ${Buffer.from(`${caller.user}:${caller.password}`).toString('base64')}` }
}

function bodyOf(text: string, headers: IncomingHttpHeaders): unknown {
  if (text === '') return undefined
  return /[/+]json\b/.test(headers['content-type'] ?? '') ? JSON.parse(text) : text
}
