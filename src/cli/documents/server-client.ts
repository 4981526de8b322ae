import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { readSettings } from '../../config/settings.ts'
import { jsonOf } from '../../kernel/json-of.ts'
import { StartFailure } from '../../kernel/start-failure.ts'

/** A client of a running Docket over HTTP. */
export interface ServerClient {
  readonly address: string
  /**
   * @throws StartFailure if there is no response, the response is not Docket's, or the key is rejected: the next document would fail too
   */
  send(request: ServerRequest): Promise<ServerResponse>
  /** The same for a response that is not JSON. An error response is thrown. */
  download(request: ServerRequest): Promise<Response>
}

export interface ServerRequest {
  readonly method: 'GET' | 'POST'
  /** With a slash at its end. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Sent as JSON, as a given form, or as a stream that is opened again for each attempt. */
  readonly body?: FormData | object | (() => ReadableStream<Uint8Array>)
  /** Lower-case names; for a stream, its content-type. */
  readonly headers?: Readonly<Record<string, string>>
}

/** `data` and the members beside it, or the error. */
export type ServerResponse =
  | { readonly ok: true; readonly status: number; readonly body: unknown }
  | { readonly ok: false; readonly status: number; readonly message: string }

export interface ServerOption {
  readonly server?: string
}

/** The server of `--server` or DOCKET_URL, with the key of DOCKET_TOKEN. */
export function openServerClient({ server }: ServerOption): ServerClient {
  const { url, token, port } = readSettings()
  const address = (server ?? url ?? `http://127.0.0.1:${port}`).replace(/\/+$/, '')
  if (!/^https?:\/\/[^/]/i.test(address) || !URL.canParse(address))
    throw new StartFailure(`"${address}" is not an address: write one such as https://desk.example.com.`, {
      exitCode: 2,
    })
  const { username, password } = new URL(address)
  if (username !== '' || password !== '')
    throw new StartFailure(
      'The address of --server or DOCKET_URL contains a user or a password: leave them out, and put an API key into DOCKET_TOKEN.',
      { exitCode: 2 },
    )
  if (token === undefined)
    throw new StartFailure(
      'DOCKET_TOKEN is not set: put an API key into it, as docket token create prints it. (An argument could be read by everybody on the machine.)',
      { exitCode: 2 },
    )
  let hasResponded = false
  const sendChecked = async (request: ServerRequest): Promise<Response> => {
    // A server that never responded is the wrong one, or not started: waiting would not help.
    const response = await sendPatiently(address, token, request, hasResponded)
    hasResponded = true
    return response
  }
  return {
    address,
    async send(request) {
      const response = await sendChecked(request)
      return readResponse(address, response.status, await response.text())
    },
    async download(request) {
      const response = await sendChecked(request)
      if (response.ok) return response
      const result = readResponse(address, response.status, await response.text())
      throw new StartFailure(result.ok ? `${address} responded with status ${result.status}.` : result.message)
    },
  }
}

/** Pauses before retries, in milliseconds: a server that restarts is back within seconds. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000] as const
const maxPauseMs = 60_000

async function sendPatiently(
  address: string,
  token: string,
  request: ServerRequest,
  hasResponded: boolean,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const pauseMs = pausesMs[attempt]
    const outcome = await sendOnce(address, token, request)
    if (outcome instanceof Error) {
      if (pauseMs === undefined || !hasResponded) throw unreachable(address, outcome)
      await delay(pauseMs)
    } else {
      const isPassing = outcome.status === 503 || outcome.status === 429
      if (!isPassing || pauseMs === undefined) return outcome
      await outcome.body?.cancel()
      const wishedMs = Number(outcome.headers.get('retry-after') ?? 0) * 1_000
      await delay(Math.min(Math.max(pauseMs, wishedMs || 0), maxPauseMs))
    }
  }
}

/** Every request may be sent twice: a document that exists already is unchanged. */
async function sendOnce(
  address: string,
  token: string,
  { method, path, query, body, headers }: ServerRequest,
): Promise<Response | Error> {
  const parameters = new URLSearchParams(query).toString()
  const isRaw = body instanceof FormData || typeof body === 'function'
  const sent = typeof body === 'function' ? body() : isRaw ? body : JSON.stringify(body)
  try {
    return await fetch(`${address}${path}${parameters === '' ? '' : `?${parameters}`}`, {
      method,
      redirect: 'error',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: sent }),
      // Required for a stream, and missing in the types of fetch.
      ...(typeof body === 'function' ? ({ duplex: 'half' } as object) : {}),
    })
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error)
  }
}

function unreachable(address: string, error: Error): StartFailure {
  const code = 'code' in error ? String(error.code) : error.message
  return new StartFailure(
    `No Docket responds at ${address} (${code}): start it, or name another by --server or DOCKET_URL.`,
    { cause: error },
  )
}

const success = z.looseObject({ status: z.literal('OK') })
const failure = z.looseObject({ status: z.literal('ERROR'), message: z.string() })

function readResponse(address: string, status: number, text: string): ServerResponse {
  const body = jsonOf(text)
  if (success.safeParse(body).success) return { ok: true, status, body }
  const rejected = failure.safeParse(body)
  if (!rejected.success)
    throw new StartFailure(
      `The server at ${address} is not Docket (status ${status}): give the address of Docket with --server or DOCKET_URL.`,
    )
  const { message } = rejected.data
  if (status === 401)
    throw new StartFailure(
      `${address} does not let the key of DOCKET_TOKEN in: ${message} Make one with docket token create.`,
    )
  if (status === 403) throw new StartFailure(`${address} rejects the request: ${message}`)
  return { ok: false, status, message }
}
