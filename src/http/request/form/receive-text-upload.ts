import type { FastifyRequest } from 'fastify'
import type { Problem } from '../../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../../kernel/result.ts'
import { FieldTooLong, isFile, type OpenForm, openForm, problemOfForm, readField } from './open-form.ts'
import { BrokenForm } from './read-form.ts'

/** A form with one file of text, in memory as a whole. */
export interface TextUpload {
  readonly text: string
  readonly fileName: string
  readonly fields: ReadonlyMap<string, string>
}

/** Bytes. What is larger is sent as a stream. */
export const maxTextBytes = 32 * 1_048_576
const maxFields = 20
/** Bytes. */
const maxFieldBytes = 100_000

export async function receiveTextUpload(request: FastifyRequest): Promise<Result<TextUpload, Problem>> {
  const form = openForm(request)
  if (!form.ok) return form
  try {
    return await readParts(form.value)
  } catch (error) {
    if (error instanceof FieldTooLong && error.longest === maxTextBytes)
      return fail({ kind: 'body-too-large', maxBytes: maxTextBytes })
    return fail(problemOfForm(error))
  } finally {
    form.value.close()
  }
}

async function readParts({ parts }: OpenForm): Promise<Result<TextUpload, Problem>> {
  const fields = new Map<string, string>()
  let file: Pick<TextUpload, 'text' | 'fileName'> | undefined
  for await (const part of parts) {
    if (!isFile(part)) fields.set(part.name, await readField(part, maxFieldBytes))
    else if (file !== undefined) throw new BrokenForm('it holds more than one file')
    else file = { text: await readField(part, maxTextBytes), fileName: part.fileName ?? '' }
    if (fields.size > maxFields) throw new BrokenForm(`it has more than ${maxFields} fields`)
  }
  return file === undefined
    ? fail({ kind: 'invalid-value', field: 'file', detail: 'it is missing' })
    : succeed({ ...file, fields })
}
