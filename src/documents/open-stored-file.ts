import type { Readable } from 'node:stream'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { orUnavailable } from '../kernel/upstream-error.ts'
import { type BlobPart, type BlobStore, MissingFile } from './store/blob-store.ts'

export interface FileReader {
  readonly blobs: BlobStore
  /** Receives the reason why a file could not be opened. */
  readonly onError: (error: unknown) => void
}

export interface StoredFileName {
  /** SHA-256 of the content, in hexadecimal. */
  readonly sha256: string
  /** The name that callers see. */
  readonly fileName: string
}

const retryAfterSeconds = 30

/** Opens a file of a document or a record. A file that another server stores is reported as unavailable here, with its name. */
export function openStoredFile(
  { blobs, onError }: FileReader,
  { sha256, fileName }: StoredFileName,
  part: BlobPart | null,
): Promise<Result<Readable, Problem>> {
  const open = async (): Promise<Result<Readable, Problem>> => {
    try {
      return succeed(await blobs.read(Buffer.from(sha256, 'hex'), part))
    } catch (error) {
      if (!(error instanceof MissingFile)) throw error
      onError(error)
      const detail = `The file ${JSON.stringify(fileName)} is not in the file store of this server; another server of this database may hold it`
      return fail({ kind: 'unavailable', detail, retryAfterSeconds })
    }
  }
  return orUnavailable(open, onError)
}
