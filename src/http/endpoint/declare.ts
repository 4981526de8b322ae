import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { findUnknownParameter } from '../../catalog/find-unknown-parameter.ts'
import type { Authenticated } from '../../identity/authenticate.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse } from '../../kernel/result.ts'
import type { JsonObject } from '../openapi/json-schema.ts'
import type { ReceivedUpload } from '../request/form/receive-upload.ts'
import { readShape } from '../request/read-shape.ts'
import { readInput, type Sent } from './read-input.ts'

/**
 * One operation: where it is, what it takes, what it returns, how it can fail, and what it does. Routes, reading of parameters, errors
 * about unknown names and the OpenAPI document come from it.
 */
export interface Declaration<Deps, Input extends z.ZodRawShape, Body extends z.ZodObject> {
  readonly id: string
  /** As OpenAPI writes it: `/collections/{name}`. */
  readonly path: string
  /** GET answers HEAD, too. */
  readonly methods: readonly Method[]
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Parameters of the query string or the body. */
  readonly input: Input
  /** A body that is one value, in place of parameters in the body. */
  readonly body?: Body
  /** `form`: parameters and one file come as multipart/form-data. */
  readonly receives?: 'form'
  readonly maxBodyBytes?: number
  /** Descriptions of the parameters of the path. */
  readonly inPath?: Readonly<Record<string, string>>
  /** The response of 200. */
  readonly output: z.ZodType | 'bytes'
  /** Further responses, as OpenAPI has them. */
  readonly responses?: JsonObject
  /** Statuses of errors beside those of every request that sends parameters. */
  readonly errors: readonly number[]
  /** Counts as a running statement of its caller until it has responded. */
  readonly isGated: boolean
  handle(
    deps: Deps,
    input: z.output<z.ZodObject<Input>> & BodyOf<Body>,
    request: EndpointRequest,
  ): Promise<Result<EndpointResponse, Problem>>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Reply = FastifyReply
/** Nothing if no body is declared. */
type BodyOf<Body extends z.ZodObject> = z.ZodObject extends Body ? unknown : { readonly body: z.output<Body> }

export interface EndpointRequest {
  readonly principal: Principal
  readonly caller: Authenticated
  /** Of the connection. */
  readonly address: string
  /** Headers of a response that ends the browser session of the request. */
  readonly withoutCookie: Readonly<Record<string, string>>
  /** Parameters of the path. */
  readonly path: Readonly<Record<string, string>>
  readonly method: string
  /** Runs work as a statement of the caller, where the whole operation is not. */
  readonly gated: <T>(work: () => Promise<Result<T, Problem>>) => Promise<Result<T, Problem>>
  /** Of an operation that receives a form. */
  readonly upload?: ReceivedUpload
}

/** Either `data` in the envelope, with members beside it, or a response that the operation sends itself. */
export type EndpointResponse =
  | {
      readonly data: unknown
      readonly beside?: object
      readonly status?: 200 | 202
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly send: (reply: Reply) => Promise<Result<void, Problem>> }

/** A declaration whose handler reads its own input. */
export interface Endpoint<Deps> extends Omit<Declaration<Deps, z.ZodRawShape, z.ZodObject>, 'handle'> {
  run(deps: Deps, sent: Sent, request: EndpointRequest): Promise<Result<EndpointResponse, Problem>>
}

export function declare<Deps, const Input extends z.ZodRawShape, Body extends z.ZodObject = z.ZodObject>(
  declaration: Declaration<Deps, Input, Body>,
): Endpoint<Deps> {
  const { handle, input: shape, body: bodyShape, ...rest } = declaration
  const known = Object.keys({ ...shape, ...bodyShape?.shape, ...(rest.receives === 'form' ? { file: null } : {}) })
  return {
    ...rest,
    input: shape,
    ...(bodyShape === undefined ? {} : { body: bodyShape }),
    async run(deps, sent, request) {
      const unknown = findUnknownParameter([...sent.query.keys(), ...Object.keys(sent.body)].filter(isRead), known)
      if (unknown !== null) return refuse(unknown)
      const input = readInput(shape, sent)
      if (!input.ok) return input
      if (bodyShape === undefined) return handle(deps, input.value as never, request)
      const members = Object.fromEntries(Object.entries(sent.body).filter(([name]) => isRead(name)))
      const body = readShape(bodyShape, members)
      return body.ok ? handle(deps, { ...input.value, body: body.value } as never, request) : body
    },
  }
}

/** Clients add names such as `_` against caches. Other unknown names are rejected: a misspelt filter would find everything. */
const isRead = (name: string): boolean => !name.startsWith('_')
