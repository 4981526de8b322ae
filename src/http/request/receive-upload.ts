import type { FastifyRequest } from 'fastify'
import { documentLimits } from '../../documents/document-limits.ts'
import { dropFile, type ReceivedFile, receiveFile, TooManyBytes } from '../../documents/store/blob-store.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { pullBytes } from './pull-bytes.ts'
import { BadLetters, BrokenForm, decodeStrictly, type FormPart, readForm } from './read-form.ts'
import { readUtf8 } from './utf8.ts'

/** A form with one file. The file is on the disk; whoever gets it drops it. */
export interface ReceivedUpload {
  readonly file: ReceivedFile
  /** undefined: it was sent without one. */
  readonly fileName: string | undefined
  readonly fields: ReadonlyMap<string, string>
}

/** What a form may hold beside its file: ours are three fields; their length leaves the metadata's own check something to say. */
const mostFields = 20
const longestField = documentLimits.metadataBytes * 4
const formBytes = documentLimits.fileBytes + mostFields * longestField

/** Reads `multipart/form-data` with the field `file`, in any order of its parts, without holding the file in memory. */
export async function receiveUpload(request: FastifyRequest, folder: string): Promise<Result<ReceivedUpload, Problem>> {
  const type = request.headers['content-type'] ?? 'no Content-Type'
  if (!/^multipart\/form-data\s*(;|$)/i.test(type))
    return refuse({ kind: 'unsupported-media-type', found: type, expected: 'Content-Type: multipart/form-data' })
  // A caller who says how much is to come need not send it to be refused.
  if (Number(request.headers['content-length'] ?? 0) > formBytes) return refuse(tooLarge)
  const body = pullBytes(request.raw)
  const received: Received = { fields: new Map() }
  try {
    for await (const part of readForm(body, type)) await receivePart(part, folder, received)
  } catch (error) {
    if (received.file !== undefined) await dropFile(received.file)
    return refuse(problemOf(error))
  } finally {
    body.stop()
  }
  const { file, fileName, fields } = received
  if (file !== undefined) return succeed({ file, fileName, fields })
  return refuse({ kind: 'invalid-value', field: 'file', detail: 'it is missing' })
}

/** What came so far. */
interface Received {
  file?: ReceivedFile
  fileName?: string | undefined
  readonly fields: Map<string, string>
}

/** These are texts, also where a client sends them from a file of its own. */
const textFields: ReadonlySet<string> = new Set(['metadata', 'collection_name', 'async'])

async function receivePart(part: FormPart, folder: string, received: Received): Promise<void> {
  const { name, fileName, type } = part
  const isFile = !textFields.has(name) && (fileName !== undefined || type === 'application/octet-stream')
  if (!isFile) return receiveField(part, received.fields)
  if (name !== 'file') throw new BrokenForm(`the file stands in the field ${name}, not in file`)
  if (received.file !== undefined) throw new BrokenForm('it holds more than one file')
  received.file = await receiveFile(part.content, folder, documentLimits.fileBytes)
  received.fileName = fileName
}

async function receiveField(part: FormPart, fields: Map<string, string>): Promise<void> {
  const { name } = part
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of part.content) {
    length += piece.length
    if (length > longestField) throw new BrokenForm(`the field ${name} is too long`)
    pieces.push(piece)
  }
  // Windows programs put a mark in front.
  const text = textOf(part, Buffer.concat(pieces)).replace(/^\uFEFF/, '')
  const before = fields.get(name)
  if (before !== undefined && before !== text)
    throw new UnfitField({
      kind: 'bad-parameter',
      parameter: name,
      found: 'two different values',
      expected: 'one value',
    })
  fields.set(name, text)
  if (fields.size > mostFields) throw new BrokenForm(`it has more than ${mostFields} fields`)
}

/** What a field holds is not to be had. */
class UnfitField extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.kind)
    this.problem = problem
  }
}

/** In the encoding that the part names; UTF-8 where it names none. */
function textOf({ name, charset }: FormPart, bytes: Buffer): string {
  if (!/^utf-?8$/.test(charset)) {
    const decoded = decodeStrictly(bytes, charset)
    if (decoded !== undefined) return decoded
    const found = `bytes that are not ${charset}`
    throw new UnfitField({
      kind: 'bad-parameter',
      parameter: name,
      found,
      expected: 'in the encoding that its part names',
    })
  }
  const text = readUtf8(bytes)
  if (text.ok) return text.text
  const { position } = text
  if (name === 'metadata') throw new UnfitField({ kind: 'bad-json', detail: 'it is not UTF-8', position, field: name })
  throw new UnfitField(notUtf8(name, 'a byte that is not', position))
}

function notUtf8(parameter: string, what: string, position: number): Problem {
  return { kind: 'bad-parameter', parameter, found: `${what}, at position ${position}`, expected: 'UTF-8', position }
}

const tooLarge: Problem = { kind: 'body-too-large', maxBytes: documentLimits.fileBytes }

/** Whatever breaks off is a fault of the form or the connection: files of ours that cannot be written are another matter. */
function problemOf(error: unknown): Problem {
  if (error instanceof TooManyBytes) return tooLarge
  if (error instanceof UnfitField) return error.problem
  if (error instanceof BadLetters)
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
