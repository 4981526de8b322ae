import type { FastifyRequest } from 'fastify'
import { TooManyBytes } from '../../../documents/store/blob-store.ts'
import type { Problem } from '../../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../../kernel/result.ts'
import { readUtf8 } from '../utf8.ts'
import { pullBytes } from './pull-bytes.ts'
import { BrokenForm, decodeStrictly, type FormPart, InvalidUtf8, readForm } from './read-form.ts'

/** The form of a request. The caller that opens it closes it: the rest of the body is then read and discarded. */
export interface OpenForm {
  readonly parts: AsyncGenerator<FormPart>
  close(): void
}

export function openForm({ raw, headers }: FastifyRequest): Result<OpenForm, Problem> {
  const type = headers['content-type'] ?? 'no Content-Type'
  if (!/^multipart\/form-data\s*(;|$)/i.test(type))
    return fail({ kind: 'unsupported-media-type', found: type, expected: 'Content-Type: multipart/form-data' })
  const body = pullBytes(raw)
  return succeed({ parts: readForm(body, type), close: () => body.stop() })
}

export function isFile({ fileName, type }: FormPart): boolean {
  return fileName !== undefined || type === 'application/octet-stream'
}

/**
 * The text of a field: in the encoding that the part names, UTF-8 by default.
 *
 * @param longest bytes
 * @throws UnfitForm, FieldTooLong
 */
export async function readField(part: FormPart, longest: number): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of part.content) {
    length += piece.length
    if (length > longest) throw new FieldTooLong(part.name, longest)
    pieces.push(piece)
  }
  // Windows programs write a byte order mark first.
  return textOf(part, Buffer.concat(pieces)).replace(/^\uFEFF/, '')
}

export class FieldTooLong extends BrokenForm {
  /** Maximum, in bytes. */
  readonly longest: number
  constructor(name: string, longest: number) {
    super(`the field ${name} is too long`)
    this.longest = longest
  }
}

/** The content of a part cannot be used. */
export class UnfitForm extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.kind)
    this.problem = problem
  }
}

function textOf({ name, charset, type }: FormPart, bytes: Buffer): string {
  if (!/^utf-?8$/.test(charset)) {
    const decoded = decodeStrictly(bytes, charset)
    if (decoded !== undefined) return decoded
    const found = `bytes that are not ${charset}`
    const expected = 'in the encoding that its part names'
    throw new UnfitForm({ kind: 'bad-parameter', parameter: name, found, expected })
  }
  const text = readUtf8(bytes)
  if (text.ok) return text.text
  const { position } = text
  if (name === 'metadata' || type === 'application/json')
    throw new UnfitForm({ kind: 'bad-json', detail: 'it is not UTF-8', position, field: name })
  throw new UnfitForm(notUtf8(name, 'a byte that is not', position))
}

function notUtf8(parameter: string, what: string, position: number): Problem {
  return { kind: 'bad-parameter', parameter, found: `${what}, at position ${position}`, expected: 'UTF-8', position }
}

/**
 * The problem of a form whose reading failed: a fault of the form or of the connection. Errors of writing to our own disk are not problems
 * of the form.
 *
 * @throws any other error
 */
export function problemOfForm(error: unknown): Problem {
  if (error instanceof UnfitForm) return error.problem
  if (error instanceof TooManyBytes) return { kind: 'body-too-large', maxBytes: error.maxBytes }
  if (error instanceof InvalidUtf8)
    return notUtf8(
      error.part === '' ? 'a part of the form' : error.part,
      'a byte of its name that is not',
      error.position,
    )
  if (error instanceof Error && 'syscall' in error && diskCalls.has(String(error.syscall))) throw error
  const words = error instanceof Error ? error.message : String(error)
  return { kind: 'malformed-request', detail: `the form cannot be read: ${words.slice(0, 200).replace(/\.$/, '')}` }
}

const diskCalls: ReadonlySet<string> = new Set(['open', 'write', 'mkdir', 'close'])
