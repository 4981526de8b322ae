import { type DocketEvent, type EventOptions, readEvents } from './events.ts'
import { type CallOptions, type HttpRequest, lowerCased, type Send, sender } from './http.ts'
import { readTables, type TableSummary } from './meta.ts'
import { TableClient } from './records.ts'
import type { AnyTables } from './table-types.ts'

export interface ConnectOptions {
  /** Address of the server, such as https://desk.example.com. */
  readonly url: string
  /** An access key. At most one of `token`, `login` and `session` is given. */
  readonly token?: string | undefined
  /** User name and password. The client signs in before the first request, and again when its key has expired. */
  readonly login?: { readonly username: string; readonly password: string } | undefined
  /** In a browser: the session cookie of the page. Scripts then have no access to a credential. */
  readonly session?: true | undefined
  /** Language of titles, display values and messages; default: that of the user. */
  readonly language?: 'en' | 'ru' | undefined
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Retries after the first attempt; default 4. */
  readonly retry?: number | undefined
  /** Time limit for a call with its retries, in milliseconds; default 30,000. */
  readonly timeoutMs?: number | undefined
  /** Maximum `Retry-After` to wait for; default: the rest of `timeoutMs`. With a longer one, the error is thrown at once. */
  readonly maxRetryAfterMs?: number | undefined
  readonly fetch?: typeof fetch | undefined
}

/** Who the caller is, and how long their credentials are valid. */
export interface Session {
  readonly user: { readonly sys_id: string; readonly user_name: string; readonly display_name: string }
  readonly roles: readonly string[]
  readonly groups: readonly string[]
  readonly language: 'en' | 'ru'
  readonly time_zone: string
  readonly auth_method: string
  readonly expires_at: string | null
  readonly ends_at: string | null
  readonly landing_page: 'administrator' | 'agent' | 'caller'
  /** The caller may search documents. */
  readonly may_read_documents: boolean
  readonly features: { readonly hybrid: boolean; readonly converter: boolean; readonly viewers: boolean }
  readonly server_version: string
  /** `since` of `events`: everything that changes after this response. */
  readonly last_event_id: string
}

/** @typeParam T types of the tables, as `docket-client types` writes them; or rows by table, written by hand */
export interface Docket<T extends object = AnyTables> {
  table<Name extends keyof T & string>(name: Name): TableClient<T[Name], T>
  /** The tables that the caller may read. */
  tables(options?: CallOptions): Promise<readonly TableSummary[]>
  /** Any other request: `data` of its response. */
  request<Data>(request: HttpRequest): Promise<Data>
  /** The response itself, for streams and headers. */
  send: Send
  session(options?: CallOptions): Promise<Session>
  events(options?: EventOptions): AsyncGenerator<DocketEvent, void, undefined>
}

/** @throws TypeError if more than one of `token`, `login` and `session` is given */
export function connect<T extends object = AnyTables>(options: ConnectOptions): Docket<T> {
  const given = [options.token, options.login, options.session].filter((each) => each !== undefined)
  if (given.length > 1) throw new TypeError('connect takes one of token, login and session: leave out the others.')
  // What the page sets in `headers` now counts for the next request.
  const headers = (): Record<string, string> => ({
    ...(options.language === undefined ? {} : { 'x-docket-language': options.language }),
    ...lowerCased(options.headers ?? {}),
  })
  const http = {
    url: options.url.replace(/\/+$/, ''),
    fetch: options.fetch ?? ((input: Parameters<typeof fetch>[0], init?: RequestInit) => fetch(input, init)),
    retry: options.retry ?? 4,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetryAfterMs: options.maxRetryAfterMs,
    credentials: options.session === true ? 'same-origin' : 'omit',
  } as const
  const signingIn = sender({ ...http, headers, renew: () => Promise.resolve(false) })
  const credentials = credentialsOf(options, signingIn)
  const send = sender({
    ...http,
    headers: () => ({ ...headers(), ...credentials.headers() }),
    renew: credentials.renew,
  })
  const request = async <Data>(wanted: HttpRequest): Promise<Data> => {
    const response = await send(wanted)
    return ((await response.json()) as { readonly data: Data }).data
  }
  return {
    table: <Name extends keyof T & string>(name: Name) => new TableClient<T[Name], T>(name, send),
    tables: (call = {}) => readTables(send, call),
    request,
    send,
    session: (call) => request<Session>({ ...call, method: 'GET', path: '/v1/auth/session' }),
    events: (call = {}) => readEvents(send, call),
  }
}

interface Credentials {
  headers(): Readonly<Record<string, string>>
  /** True if there are other credentials than the rejected ones. Calls at the same time share one sign-in. */
  renew(rejected: string | undefined): Promise<boolean>
}

function credentialsOf({ login, token }: ConnectOptions, send: Send): Credentials {
  let authorization = token === undefined ? undefined : `Bearer ${token}`
  let signingIn: Promise<boolean> | null = null
  const signIn = async (): Promise<boolean> => {
    const response = await send({ method: 'POST', path: '/v1/auth/login', body: login })
    const { data } = (await response.json()) as { readonly data: { readonly auth_key: string } }
    authorization = `Bearer ${data.auth_key}`
    return true
  }
  return {
    headers: (): Readonly<Record<string, string>> => (authorization === undefined ? {} : { authorization }),
    renew: (rejected) => {
      if (login === undefined) return Promise.resolve(false)
      // A call that was sent with the former key can be rejected after another one has signed in.
      if (authorization !== rejected) return Promise.resolve(true)
      signingIn ??= signIn().finally(() => {
        signingIn = null
      })
      return signingIn
    },
  }
}
