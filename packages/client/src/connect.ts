import { type DocketEvent, type EventOptions, readEvents } from './events.ts'
import { type CallOptions, type HttpRequest, type Send, sender } from './http.ts'
import { readTables, type TableSummary } from './meta.ts'
import { TableClient } from './records.ts'
import type { AnyTables } from './table-types.ts'

export interface ConnectOptions {
  /** Address of the server, such as https://desk.example.com. */
  readonly url: string
  /** An access key. */
  readonly token?: string | undefined
  /** User name and password. The client signs in before the first request, and again when its key has expired. */
  readonly login?: { readonly username: string; readonly password: string } | undefined
  /** In a browser: the session cookie of the page. Scripts then have no access to a credential. */
  readonly session?: true | undefined
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Retries after the first attempt; default 4. */
  readonly maxRetries?: number | undefined
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

export function connect<T extends object = AnyTables>(options: ConnectOptions): Docket<T> {
  const url = options.url.replace(/\/+$/, '')
  const credentials = credentialsOf(options, url)
  const send = sender({
    url,
    headers: () => ({ ...options.headers, ...credentials.headers() }),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    maxRetries: options.maxRetries ?? 4,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetryAfterMs: options.maxRetryAfterMs,
    credentials: options.session === true ? 'same-origin' : 'omit',
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
  /** True if there are new credentials. Concurrent calls share one sign-in. */
  renew(): Promise<boolean>
}

function credentialsOf(options: ConnectOptions, url: string): Credentials {
  const { login } = options
  let token = options.token
  let signingIn: Promise<boolean> | null = null
  const signIn = async (): Promise<boolean> => {
    const send = sender({ ...plain, url, fetch: options.fetch ?? ((input, init) => fetch(input, init)) })
    const response = await send({ method: 'POST', path: '/v1/auth/login', body: login })
    token = ((await response.json()) as { readonly data: { readonly auth_key: string } }).data.auth_key
    return true
  }
  return {
    headers: (): Readonly<Record<string, string>> => (token === undefined ? {} : { authorization: `Bearer ${token}` }),
    renew: () => {
      if (login === undefined) return Promise.resolve(false)
      signingIn ??= signIn().finally(() => {
        signingIn = null
      })
      return signingIn
    },
  }
}

const plain = {
  headers: () => ({}),
  maxRetries: 4,
  timeoutMs: 30_000,
  credentials: 'omit',
  renew: () => Promise.resolve(false),
} as const
