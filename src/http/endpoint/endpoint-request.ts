import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Authenticated } from '../../identity/authenticate.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Credentials } from '../../identity/read-credentials.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { Result } from '../../kernel/result.ts'
import type { RunGated } from '../../kernel/run-gated.ts'
import type { HttpParts } from '../http-parts.ts'
import { baseUrlOf } from '../request/base-url.ts'
import { type OpenForm, openForm } from '../request/form/open-form.ts'
import type { ReceivedUpload } from '../request/form/receive-upload.ts'
import { callerOf, identifyAgain, identifyNow } from '../request/identify-caller.ts'
import { cookieWith, emptyCookie, isSentByOwnPage, sessionKeyOf } from '../request/session-cookie.ts'
import type { StatementGate } from '../request/statement-gate.ts'
import { inWantedLanguage } from '../request/wanted-language.ts'
import { languageOf } from '../response/error-format.ts'

/** What an operation can read from its request beside its input. */
export interface EndpointRequest {
  readonly id: string
  readonly method: string
  /** The address of the operation that was called, as declared. */
  readonly route: string
  /** Parameters of the path. */
  readonly path: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  /** The parameters as texts, of an operation that parses them itself. */
  readonly texts: ReadonlyMap<string, string>
  /** The body as one value, of an operation that receives one. */
  readonly body: unknown
  /** Of an operation that receives an upload. */
  readonly upload?: ReceivedUpload
  /** @throws Error for an operation that takes requests without credentials */
  readonly caller: Authenticated
  /** null if the request has no credentials, where that is allowed. */
  readonly callerOrNobody: Authenticated | null
  readonly principal: Principal
  /** The network address of the caller. */
  readonly address: string
  /** The beginning of addresses in the response; no slash at its end. */
  readonly baseUrl: string
  /** The language of errors in the response. */
  readonly language: 'en' | 'ru'
  readonly gate: StatementGate
  /** Runs work as a statement of the caller, where the whole operation is not one. */
  readonly gated: <T>(work: () => Promise<Result<T, Problem>>) => Promise<Result<T, Problem>>
  /** The same for a part of work that has begun: waits without a time limit. */
  readonly gatedPatiently: RunGated
  /** The caller with rights at least as new as an identity epoch. */
  readonly renewCaller: (identityEpoch: string) => Promise<Result<Authenticated, Problem>>
  /** The caller as of now, for a response that takes long. */
  readonly callerNow: () => Promise<Result<Authenticated, Problem>>
  /** The browser session in the cookie of the request. */
  readonly cookie: SessionCookie
  /** Headers of a response that ends the browser session of the request. */
  readonly withoutCookie: Readonly<Record<string, string>>
  /** Continues the request as a request of this caller. */
  readonly becomeCaller: (credentials: Credentials) => Promise<Result<Authenticated, Problem>>
  /** The body, of an operation that reads it itself. */
  readonly stream: IncomingMessage
  readonly openForm: () => Result<OpenForm, Problem>
}

export interface SessionCookie {
  /** Whether or not it counts as a credential. */
  readonly key: string | undefined
  readonly isSentByOwnPage: boolean
  /** Headers of a response that starts a session. */
  readonly headersWith: (key: string) => Readonly<Record<string, string>>
}

interface Received {
  readonly texts: ReadonlyMap<string, string>
  readonly body: unknown
  readonly upload?: ReceivedUpload
}

/** Computed from the request of the web framework when an operation reads it: most operations need few of these values. */
export class HttpEndpointRequest implements EndpointRequest {
  readonly gate: StatementGate
  readonly texts: ReadonlyMap<string, string>
  readonly body: unknown
  readonly upload?: ReceivedUpload
  readonly #http: HttpParts
  readonly #request: FastifyRequest

  constructor(http: HttpParts, gate: StatementGate, request: FastifyRequest, received: Received) {
    this.#http = http
    this.#request = request
    this.gate = gate
    this.texts = received.texts
    this.body = received.body
    if (received.upload !== undefined) this.upload = received.upload
  }

  get id(): string {
    return this.#request.id
  }
  get method(): string {
    return this.#request.method
  }
  get route(): string {
    return (this.#request.routeOptions.url ?? '').replaceAll(/:(\w+)/g, '{$1}')
  }
  get path(): Readonly<Record<string, string>> {
    return this.#request.params as Readonly<Record<string, string>>
  }
  get headers(): IncomingHttpHeaders {
    return this.#request.headers
  }
  get caller(): Authenticated {
    return callerOf(this.#request)
  }
  get callerOrNobody(): Authenticated | null {
    return this.#request.caller
  }
  get principal(): Principal {
    return this.caller.principal
  }
  get address(): string {
    return this.#request.ip
  }
  get baseUrl(): string {
    return baseUrlOf(this.#request, this.#http.settings)
  }
  get language(): 'en' | 'ru' {
    return languageOf(this.#request)
  }
  get stream(): IncomingMessage {
    return this.#request.raw
  }
  get gated(): EndpointRequest['gated'] {
    return (work) => this.gate.run(this.principal.userId, work)
  }
  get gatedPatiently(): RunGated {
    return (work) => this.gate.runPatiently(this.principal.userId, work)
  }
  get renewCaller(): EndpointRequest['renewCaller'] {
    return (identityEpoch) => identifyAgain(this.#http.authenticator, this.#request, identityEpoch)
  }
  get callerNow(): EndpointRequest['callerNow'] {
    return () => identifyNow(this.#http.authenticator, this.#request)
  }
  get cookie(): SessionCookie {
    const { settings } = this.#http
    return {
      key: sessionKeyOf(this.#request, settings),
      isSentByOwnPage: isSentByOwnPage(this.#request, settings),
      headersWith: (key) => ({ 'set-cookie': cookieWith(key, this.#request, settings) }),
    }
  }
  get withoutCookie(): Readonly<Record<string, string>> {
    if (this.#request.sessionKey === null) return {}
    return { 'set-cookie': emptyCookie(this.#request, this.#http.settings) }
  }
  get becomeCaller(): EndpointRequest['becomeCaller'] {
    return async (credentials) => {
      const known = await this.#http.authenticator.authenticateNow(credentials, this.#request.ip)
      if (known.ok) this.#request.caller = inWantedLanguage(known.value, this.#request)
      return known
    }
  }
  get openForm(): EndpointRequest['openForm'] {
    return () => openForm(this.#request)
  }
}
