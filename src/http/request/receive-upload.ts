import type { FastifyRequest } from 'fastify'
import { documentLimits } from '../../documents/document-limits.ts'
import { dropFile, type ReceivedFile, receiveFile, TooManyBytes } from '../../documents/store/blob-store.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'

/** A form with one file. The file is on the disk; whoever gets it drops it. */
export interface ReceivedUpload {
  readonly file: ReceivedFile
  readonly fileName: string
  readonly fields: ReadonlyMap<string, string>
}

/** Fields of a form: ours are two; the limit of their length leaves the metadata's own check something to say. */
const formLimits = {
  fields: 20,
  fieldSize: documentLimits.metadataBytes * 4,
  fieldNameSize: 200,
  files: 1,
  parts: 21,
  // Above ours, which speaks first: the framework's own is that of small bodies.
  fileSize: documentLimits.fileBytes * 2,
}
/** What a form may hold beside its file. */
const formBytes = documentLimits.fileBytes + formLimits.fields * formLimits.fieldSize

/** Reads `multipart/form-data` with the field `file`, in any order of its parts, without holding the file in memory. */
export async function receiveUpload(request: FastifyRequest, folder: string): Promise<Result<ReceivedUpload, Problem>> {
  if (!request.isMultipart()) {
    const found = request.headers['content-type'] ?? 'no Content-Type'
    return refuse({ kind: 'unsupported-media-type', found, expected: 'Content-Type: multipart/form-data' })
  }
  // A caller who says how much is to come need not send it to be refused.
  if (Number(request.headers['content-length'] ?? 0) > formBytes) return refuse(tooLarge)
  const fields = new Map<string, string>()
  let received: { readonly file: ReceivedFile; readonly fileName: string } | undefined
  try {
    for await (const part of request.parts({ limits: formLimits })) {
      if (part.type === 'field') {
        if (part.valueTruncated || part.fieldnameTruncated)
          throw new UnfitForm(`the field ${part.fieldname} is too long`)
        fields.set(part.fieldname, String(part.value))
      } else {
        if (part.fieldname !== 'file')
          throw new UnfitForm(`the file stands in the field ${part.fieldname}, not in file`)
        received = {
          file: await receiveFile(part.file, folder, documentLimits.fileBytes),
          fileName: part.filename,
        }
      }
    }
  } catch (error) {
    if (received !== undefined) await dropFile(received.file)
    // The rest is read and dropped. Left alone, a caller who goes away meanwhile would not be noticed, and the connection
    // would stay for the ten minutes that a request may take.
    request.raw.unpipe()
    request.raw.resume()
    return refuse(problemOf(error))
  }
  if (received !== undefined) return succeed({ ...received, fields })
  return refuse({ kind: 'invalid-value', field: 'file', detail: 'it is missing' })
}

class UnfitForm extends Error {}

const tooLarge: Problem = { kind: 'body-too-large', maxBytes: documentLimits.fileBytes }

/** What a parser of forms throws over is a fault of the form: files of ours that cannot be written are another matter. */
function problemOf(error: unknown): Problem {
  if (error instanceof TooManyBytes) return tooLarge
  if (error instanceof Error && 'syscall' in error && diskCalls.has(String(error.syscall))) throw error
  return { kind: 'malformed-request', detail: `the form cannot be read: ${wordsOf(error)}` }
}

const diskCalls: ReadonlySet<string> = new Set(['open', 'write', 'mkdir', 'close'])

/** Where the parser's own words say little. */
const words: ReadonlyMap<unknown, string> = new Map([
  ['FST_FILES_LIMIT', 'it holds more than one file'],
  ['FST_FIELDS_LIMIT', `it has more than ${formLimits.fields} fields`],
  ['FST_PARTS_LIMIT', `it has more than ${formLimits.parts} parts`],
  ['FST_PROTO_VIOLATION', 'a field has a name that no field may have'],
])

function wordsOf(error: unknown): string {
  const known = error instanceof Error && 'code' in error ? words.get(error.code) : undefined
  if (known !== undefined) return known
  const message = error instanceof Error ? error.message : String(error)
  return message.slice(0, 200).replace(/\.$/, '')
}
