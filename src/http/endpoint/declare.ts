import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { findUnknownParameter } from '../../catalog/find-unknown-parameter.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { JsonObject } from '../openapi/json-schema.ts'
import { readShape } from '../request/read-shape.ts'
import type { ErrorFormat } from '../response/error-format.ts'
import type { WholeResponse } from '../response/send-response.ts'
import type { Access } from './access.ts'
import type { EndpointRequest } from './endpoint-request.ts'
import { kindOf, readInput, type Sent } from './read-input.ts'
import type { Receives } from './receive-body.ts'

/**
 * One operation: where it is, who may call it, what it takes, what it returns, how it can fail, and what it does. Routes, checks of
 * the caller, reading of parameters and bodies, errors about unknown names, `/limits` and the OpenAPI document come from it.
 */
export interface Declaration<Deps, Input extends z.ZodRawShape, Body extends z.ZodType> {
  readonly id: string
  /** As OpenAPI writes it: `/collections/{name}`. */
  readonly path: string
  /** Other addresses of the same operation. The OpenAPI document has the first only. */
  readonly alsoAt?: readonly string[]
  /** GET responds to HEAD, too. */
  readonly methods: readonly Method[]
  /** GET is an endless stream, or one that cannot be repeated: HEAD is 405. */
  readonly hasNoHead?: true
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** By default: every caller with credentials. */
  readonly access?: Access
  /** Parameters of the query string, or also of the body if it `receives` members or fields. */
  readonly input: Input
  /**
   * Parameters with other names. By default they are rejected: a misspelt filter would match everything. Where they are ignored, because
   * clients add their own, the header X-Ignored-Parameters names them.
   */
  readonly otherNames?: 'ignored'
  /** Parameters in a language of their own. The operation parses `texts`. */
  readonly texts?: 'described' | 'undescribed'
  /** Further parameters and headers, in OpenAPI's form. */
  readonly parameters?: readonly JsonObject[]
  /** Headers of the request that the operation reads, by name. */
  readonly headers?: Readonly<Record<string, string>>
  /** A body that is one value, in place of parameters in the body. */
  readonly body?: Body
  /** The same as a form; its other members are ignored. */
  readonly form?: z.ZodObject
  /** By default: `members`. */
  readonly receives?: Receives
  /** The body in OpenAPI's form, if `body` and `input` do not describe it. */
  readonly requestBody?: JsonObject
  readonly maxBodyBytes?: number
  /** 406 if the header Accept excludes JSON. */
  readonly isNegotiated?: true
  /** Descriptions of the parameters of the path. */
  readonly inPath?: Readonly<Record<string, string>>
  /** The response with status 200: a schema, the name of one, or null if `responses` has it. */
  readonly output: z.ZodType | { readonly name: string } | null
  /** Names of headers of the response with status 200 (write-openapi.ts). */
  readonly outputHeaders?: readonly string[]
  /** Further responses, in OpenAPI's form. */
  readonly responses?: JsonObject
  /** Statuses of errors beside those that access, parameters and body can cause. */
  readonly errors: readonly number[]
  /** How its errors look, at all its addresses. Without it: `ERRORS`. */
  readonly errorFormat?: ErrorFormat
  /** Limits of the operation, for `GET /limits`. */
  readonly limits?: readonly Limit[]
  /** Browsers also request files by themselves, such as the rest of a download. */
  readonly sendsFiles?: true
  /** Not in the OpenAPI document: pages for people, and the document itself. */
  readonly isUndescribed?: true
  /** Counts as a running statement of its caller until it has responded. */
  readonly isGated: boolean
  handle(
    deps: Deps,
    input: z.output<z.ZodObject<Input>> & BodyOf<Body>,
    request: EndpointRequest,
  ): Promise<Result<EndpointResponse, Problem>>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Reply = FastifyReply
/** Nothing if no body is declared. */
type BodyOf<Body extends z.ZodType> = z.ZodType extends Body ? unknown : { readonly body: z.output<Body> }

/** Maximum size of a request, and the status of larger ones. */
export interface Limit {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly status: number
}

/**
 * `data` in the envelope, with members beside it; a whole response, made elsewhere; or a response that the operation sends itself, such as
 * a stream.
 */
export type EndpointResponse =
  | {
      readonly data: unknown
      readonly beside?: object
      readonly status?: 200 | 202
      readonly headers?: Readonly<Record<string, string>>
      /** With its quotes. A request whose If-None-Match contains it gets 304. */
      readonly etag?: string
    }
  | { readonly whole: WholeResponse }
  | { readonly send: (reply: Reply) => Promise<Result<void, Problem>> }

/** A declaration whose handler reads its own input. */
export interface Endpoint<Deps> extends Omit<Declaration<Deps, z.ZodRawShape, z.ZodType>, 'handle'> {
  readonly run: (deps: Deps, sent: Sent, request: EndpointRequest) => Promise<Result<EndpointResponse, Problem>>
}

export function declare<Deps, const Input extends z.ZodRawShape, Body extends z.ZodType = z.ZodType>(
  declaration: Declaration<Deps, Input, Body>,
): Endpoint<Deps> {
  const { handle, input: shape, body: bodyShape, ...rest } = declaration
  const isChecked = rest.otherNames !== 'ignored' && rest.texts === undefined
  const bodyNames = rest.receives === undefined ? namesOf(bodyShape) : []
  // A form has its file under a name of its own.
  const ofForm = rest.receives === 'upload' ? ['file'] : []
  const known = [...Object.keys(shape), ...bodyNames, ...ofForm]
  const inQuery = [...Object.keys(shape).filter((name) => kindOf(shape[name] as z.ZodType) !== 'member'), ...ofForm]
  return {
    ...rest,
    input: shape,
    ...(bodyShape === undefined ? {} : { body: bodyShape }),
    // Not async: each async function around another one costs the event loop three turns.
    run(deps, sent, request) {
      if (isChecked) {
        const unknown = unknownName(sent, { known, inQuery })
        if (unknown !== null) return Promise.resolve(fail(unknown))
      }
      const input = readInput(shape, sent)
      if (!input.ok) return Promise.resolve(input)
      if (bodyShape === undefined) return handle(deps, input.value as never, request)
      const body = readShape(bodyShape, rest.receives === undefined ? membersOf(sent) : request.body)
      return body.ok ? handle(deps, { ...input.value, body: body.value } as never, request) : Promise.resolve(body)
    },
  }
}

/** Pages take any name, and other APIs have headers of their own. */
export const namesIgnored = <Deps>({ otherNames, texts, errorFormat, isUndescribed }: Endpoint<Deps>): boolean =>
  otherNames === 'ignored' && texts === undefined && errorFormat === undefined && isUndescribed === undefined

interface Names {
  /** Of the query string and the body. */
  readonly known: readonly string[]
  /** Of the query string, or of a form. */
  readonly inQuery: readonly string[]
}

/** A name without a meaning, or a value in the query string for a member of the body, where it would have no effect. */
function unknownName({ query, body }: Sent, { known, inQuery }: Names): Problem | null {
  const sent = [...query.keys()].filter(isRead)
  const unknown = findUnknownParameter([...sent, ...Object.keys(body).filter(isRead)], known)
  if (unknown !== null) return unknown
  const parameter = sent.find((name) => query.get(name) !== '' && !inQuery.includes(name))
  return parameter === undefined
    ? null
    : { kind: 'bad-parameter', parameter, found: 'it in the URL', expected: 'a member of the body' }
}

const namesOf = (body: z.ZodType | undefined): readonly string[] =>
  Object.keys((body as z.ZodObject | undefined)?.shape ?? {})
const membersOf = ({ body }: Sent): object => Object.fromEntries(Object.entries(body).filter(([name]) => isRead(name)))

/** Clients add names such as `_` to avoid caches. */
const isRead = (name: string): boolean => !name.startsWith('_')

/** A response with `data`. */
export const withData = <T>(result: Result<T, Problem>): Result<EndpointResponse, Problem> =>
  result.ok ? succeed({ data: result.value }) : result
