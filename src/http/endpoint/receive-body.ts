import type { FastifyRequest } from 'fastify'
import { dropFile } from '../../documents/store/blob-store.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { bodyLimits, defaultTimeouts, type HttpParts, smallBodyLimits } from '../http-parts.ts'
import { isForm, readFormMembers } from '../request/form/read-form-members.ts'
import { receiveTextUpload } from '../request/form/receive-text-upload.ts'
import { type ReceivedUpload, receiveUpload } from '../request/form/receive-upload.ts'
import { nameOfShape } from '../request/name-of-shape.ts'
import { parametersOfBody } from '../request/parameters-of-body.ts'
import { type BodyLimits, readExactJsonBody, readJsonBody } from '../request/read-body.ts'
import type { Sent } from './read-input.ts'

/** What a request sent, read as its operation declares. */
export interface ReceivedRequest {
  readonly sent: Sent
  readonly body: unknown
  readonly upload?: ReceivedUpload
}

type Received = Result<ReceivedRequest, Problem>

export interface Receiving {
  readonly http: HttpParts
  readonly request: FastifyRequest
  readonly query: ReadonlyMap<string, string>
  readonly maxBodyBytes: number | undefined
  /** Members of the form, if one is taken. */
  readonly names: readonly string[]
  /** Where files are stored while they are received. */
  readonly uploadFolder: string
}

/**
 * What operations receive:
 *
 *  * `members`: parameters of the query string, or members of a JSON object;
 *  * `nothing`: the body is not read;
 *  * `json`: one JSON value; `small-json`: the same, for those whom nobody knows yet; `exact-json`: the same with long numbers kept;
 *  * `small-json-or-form`: a JSON object, or the same members as a form;
 *  * `texts`: parameters as texts, from the query string and from members of a JSON object;
 *  * `upload`: parameters and one file, as a multipart form;
 *  * `text-upload`: the same with a file of text, as `body`;
 *  * `stream`: the operation reads the body itself.
 */
const RECEIVERS = {
  members: receiveMembers,
  nothing: ({ query }: Receiving): Received => onlyQuery(query),
  stream: ({ query }: Receiving): Received => onlyQuery(query),
  json: (receiving: Receiving) =>
    receiveValue(receiving, readJsonBody(receiving.request.raw, bodyLimits(receiving.http))),
  'exact-json': (receiving: Receiving) =>
    receiveValue(receiving, readExactJsonBody(receiving.request.raw, bodyLimits(receiving.http))),
  'small-json': (receiving: Receiving) =>
    receiveValue(receiving, readJsonBody(receiving.request.raw, smallBodyLimits(receiving.http))),
  'small-json-or-form': receiveJsonOrForm,
  texts: receiveTexts,
  upload: receiveFile,
  'text-upload': receiveTextFile,
} as const satisfies Readonly<Record<string, (receiving: Receiving) => Received | Promise<Received>>>

export type Receives = keyof typeof RECEIVERS

export function receiveBody(receives: Receives, receiving: Receiving): Received | Promise<Received> {
  return RECEIVERS[receives](receiving)
}

const NO_MEMBERS = {}

function onlyQuery(query: ReadonlyMap<string, string>): Received {
  return succeed({ sent: { query, body: NO_MEMBERS }, body: undefined })
}

async function receiveMembers({ http, request, query, maxBodyBytes }: Receiving): Promise<Received> {
  const body = await readJsonBody(request.raw, limitsOf(http, maxBodyBytes))
  if (!body.ok) return body
  if (body.value !== undefined && nameOfShape(body.value) !== 'an object')
    return fail({ kind: 'bad-body', expected: 'a JSON object', found: nameOfShape(body.value) })
  return succeed({ sent: { query, body: (body.value ?? NO_MEMBERS) as Sent['body'] }, body: undefined })
}

function limitsOf(http: HttpParts, maxBodyBytes: number | undefined): BodyLimits {
  if (maxBodyBytes === undefined) return bodyLimits(http)
  return { maxBytes: maxBodyBytes, timeoutMs: http.timeouts?.requestMs ?? defaultTimeouts.requestMs }
}

async function receiveValue({ query }: Receiving, reading: Promise<Result<unknown, Problem>>): Promise<Received> {
  const body = await reading
  return body.ok ? succeed({ sent: { query, body: NO_MEMBERS }, body: body.value }) : body
}

function receiveJsonOrForm(receiving: Receiving): Promise<Received> {
  const { http, request, names } = receiving
  const limits = smallBodyLimits(http)
  const body = isForm(request.raw) ? readFormMembers(request.raw, names, limits) : readJsonBody(request.raw, limits)
  return receiveValue(receiving, body)
}

async function receiveTexts({ http, request, query }: Receiving): Promise<Received> {
  const body = await readJsonBody(request.raw, bodyLimits(http))
  if (!body.ok) return body
  const texts = parametersOfBody(body.value, query)
  return texts.ok ? onlyQuery(texts.value) : texts
}

/** Fields are texts, as parameters of the query string are. */
async function receiveFile({ request, query, uploadFolder }: Receiving): Promise<Received> {
  const upload = await receiveUpload(request, uploadFolder)
  if (!upload.ok) return upload
  const { fields } = upload.value
  const given = [...query].filter(([name, value]) => value !== '' || !fields.has(name))
  const sent = { query: new Map([...fields, ...given]), body: NO_MEMBERS }
  return succeed({ sent, body: undefined, upload: upload.value })
}

/** Values in the form win. */
async function receiveTextFile({ request, query }: Receiving): Promise<Received> {
  const upload = await receiveTextUpload(request)
  if (!upload.ok) return upload
  const sent = { query: new Map([...query, ...upload.value.fields]), body: NO_MEMBERS }
  return succeed({ sent, body: upload.value })
}

/** The file of an upload is on the disk until its operation has responded. */
export async function dropUpload({ upload }: ReceivedRequest): Promise<void> {
  if (upload !== undefined) await dropFile(upload.file)
}
