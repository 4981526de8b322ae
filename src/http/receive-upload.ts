import type { FastifyRequest } from 'fastify'
import { documentLimits } from '../documents/document-limits.ts'
import { dropFile, type ReceivedFile, receiveFile, TooManyBytes } from '../documents/store/blob-store.ts'
import type { Problem } from '../kernel/problem.ts'
import { type Result, refuse, succeed } from '../kernel/result.ts'

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

/** Reads `multipart/form-data` with the field `file`, in any order of its parts, without holding the file in memory. */
export async function receiveUpload(request: FastifyRequest, folder: string): Promise<Result<ReceivedUpload, Problem>> {
  if (!request.isMultipart()) {
    const found = request.headers['content-type'] ?? 'no Content-Type'
    return refuse({ kind: 'unsupported-media-type', found, expected: 'Content-Type: multipart/form-data' })
  }
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
    return refuse(problemOf(error))
  }
  if (received !== undefined) return succeed({ ...received, fields })
  return refuse({ kind: 'invalid-value', field: 'file', detail: 'it is missing' })
}

class UnfitForm extends Error {}

/** What a parser of forms throws over is a fault of the form: files of ours that cannot be written are another matter. */
function problemOf(error: unknown): Problem {
  if (error instanceof TooManyBytes) return { kind: 'body-too-large', maxBytes: documentLimits.fileBytes }
  if (error instanceof Error && 'syscall' in error && diskCalls.has(String(error.syscall))) throw error
  return { kind: 'malformed-request', detail: `the form cannot be read: ${wordsOf(error)}` }
}

const diskCalls: ReadonlySet<string> = new Set(['open', 'write', 'mkdir', 'close'])

function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.slice(0, 200).replace(/\.$/, '')
}
