import type { FastifyRequest } from 'fastify'
import { documentLimits } from '../../../documents/document-limits.ts'
import { dropFile, type ReceivedFile, receiveFile } from '../../../documents/store/blob-store.ts'
import type { Problem } from '../../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../../kernel/result.ts'
import { isFile, openForm, problemOfForm, readField, UnfitForm } from './open-form.ts'
import { BrokenForm, type FormPart } from './read-form.ts'

/** A form with one file. The file is on disk; its receiver deletes it. */
export interface ReceivedUpload {
  readonly file: ReceivedFile
  /** undefined: sent without a file name. */
  readonly fileName: string | undefined
  /** The charset of the file's part; absent: none. */
  readonly charset?: string | undefined
  readonly fields: ReadonlyMap<string, string>
}

/**
 * Limits of a form beside its file: it has three fields. Their maximum length leaves long metadata to the check of metadata, which has a
 * clearer error.
 */
const maxFields = 20
const longestField = documentLimits.metadataBytes * 4
const formBytes = documentLimits.fileBytes + maxFields * longestField

/** Reads `multipart/form-data` with the field `file`, in any order of its parts, without holding the file in memory. */
export async function receiveUpload(request: FastifyRequest, folder: string): Promise<Result<ReceivedUpload, Problem>> {
  const form = openForm(request)
  if (!form.ok) return form
  const received: Received = { fields: new Map() }
  try {
    // A too large Content-Length is rejected before the body is sent.
    if (Number(request.headers['content-length'] ?? 0) > formBytes) return fail(tooLarge)
    for await (const part of form.value.parts) await receivePart(part, folder, received)
  } catch (error) {
    if (received.file !== undefined) await dropFile(received.file)
    return fail(problemOfForm(error))
  } finally {
    form.value.close()
  }
  const { file, fileName, charset, fields } = received
  if (file !== undefined) return succeed({ file, fileName, charset, fields })
  return fail({ kind: 'invalid-value', field: 'file', detail: 'it is missing' })
}

const tooLarge: Problem = { kind: 'body-too-large', maxBytes: documentLimits.fileBytes }

/** What has arrived so far. */
interface Received {
  file?: ReceivedFile
  fileName?: string | undefined
  charset?: string | undefined
  readonly fields: Map<string, string>
}

/** Fields are texts, even if a client sends them as files. */
const textFields: ReadonlySet<string> = new Set(['metadata', 'collection_name', 'async', 'charset'])

async function receivePart(part: FormPart, folder: string, received: Received): Promise<void> {
  const { name, fileName } = part
  if (textFields.has(name) || !isFile(part)) return receiveField(part, received.fields)
  if (name !== 'file') throw new BrokenForm(`the file stands in the field ${name}, not in file`)
  if (received.file !== undefined) throw new BrokenForm('it holds more than one file')
  received.file = await receiveFile(part.content, folder, documentLimits.fileBytes)
  received.fileName = fileName
  if (part.hasCharset === true && !noCharsets.has(part.charset)) received.charset = part.charset
}

/** Some programs write a charset that is not an encoding: `file --mime` says `charset=binary` for a PDF. */
const noCharsets: ReadonlySet<string> = new Set(['', 'binary', 'none', 'unknown-8bit'])

async function receiveField(part: FormPart, fields: Map<string, string>): Promise<void> {
  const { name } = part
  const text = await readField(part, longestField)
  const before = fields.get(name)
  if (before !== undefined && before !== text)
    throw new UnfitForm({
      kind: 'bad-parameter',
      parameter: name,
      found: 'two different values',
      expected: 'one value',
    })
  fields.set(name, text)
  if (fields.size > maxFields) throw new BrokenForm(`it has more than ${maxFields} fields`)
}
