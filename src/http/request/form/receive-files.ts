import { dropFile, type ReceivedFile, receiveFile } from '../../../documents/store/blob-store.ts'
import type { Problem } from '../../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../../kernel/result.ts'
import { isFile, type OpenForm, problemOfForm, readField } from './open-form.ts'
import { BrokenForm, type FormPart } from './read-form.ts'

export interface FilesToReceive<T> {
  /** Where files are stored while they are received. */
  readonly folder: string
  /** Of each file. */
  readonly maxBytes: number
  readonly maxFiles: number
  /** Bytes of each field; null: fields are not read. */
  readonly maxFieldBytes: number | null
  /** Called before a file is received, with the fields before it. An error ends the form. @returns what is known of the file */
  readonly accept: (part: FormPart, fields: ReadonlyMap<string, string>) => Promise<Result<T, Problem>>
}

export interface FormFile<T> {
  readonly file: ReceivedFile
  readonly about: T
}

export interface FilesOfForm<T> {
  readonly files: readonly FormFile<T>[]
  /** All fields of the form. */
  readonly fields: ReadonlyMap<string, string>
}

/** Writes the files of a form to the disk as they arrive. After an error there are none; otherwise the caller removes them. */
export async function receiveFiles<T>(
  form: Result<OpenForm, Problem>,
  expected: FilesToReceive<T>,
): Promise<Result<FilesOfForm<T>, Problem>> {
  if (!form.ok) return form
  const files: FormFile<T>[] = []
  let received: Result<FilesOfForm<T>, Problem> | null = null
  try {
    received = await readParts(form.value.parts, expected, files)
    return received
  } catch (error) {
    return fail(problemOfForm(error))
  } finally {
    form.value.close()
    if (received?.ok !== true) for (const { file } of files) await dropFile(file)
  }
}

async function readParts<T>(
  parts: AsyncIterable<FormPart>,
  { folder, maxBytes, maxFiles, maxFieldBytes, accept }: FilesToReceive<T>,
  files: FormFile<T>[],
): Promise<Result<FilesOfForm<T>, Problem>> {
  const fields = new Map<string, string>()
  for await (const part of parts) {
    if (!isFile(part)) {
      if (maxFieldBytes !== null) fields.set(part.name, await readField(part, maxFieldBytes))
      continue
    }
    if (files.length === maxFiles)
      throw new BrokenForm(maxFiles === 1 ? 'it holds more than one file' : `it holds more than ${maxFiles} files`)
    const accepted = await accept(part, fields)
    if (!accepted.ok) return accepted
    files.push({ file: await receiveFile(part.content, folder, maxBytes), about: accepted.value })
  }
  return succeed({ files, fields })
}
