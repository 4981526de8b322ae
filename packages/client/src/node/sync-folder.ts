import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Docket } from '../connect.ts'
import type { DocumentInfo } from '../document-reader.ts'
import { DocumentsClient, LoadFailed } from '../document-writer.ts'
import { abortedBySignal, DocketError, NotFound } from '../errors.ts'
import type { Row } from '../table-types.ts'
import { fileAt } from './files.ts'

export interface SyncOptions {
  readonly signal?: AbortSignal | undefined
  /** Metadata of every document; that of a file beside it wins. */
  readonly metadata?: Row | undefined
  /** Begins the doc_id of every file, which is its path within the folder, unless the metadata of the file has a `doc_id`. */
  readonly prefix?: string | undefined
  /** Documents at once, at least 1; default 4. */
  readonly parallel?: number | undefined
  /** Files of unsupported formats are counted as skipped, not as rejected. */
  readonly skipUnsupported?: boolean | undefined
  readonly onFile?: ((outcome: FileOutcome) => void) | undefined
}

export interface FileOutcome {
  readonly path: string
  readonly docId: string
  readonly result: 'created' | 'replaced' | 'unchanged' | 'skipped' | 'rejected'
  /** Why the file was skipped or rejected. */
  readonly message: string | null
}

export interface SyncResult {
  readonly created: number
  readonly replaced: number
  readonly unchanged: number
  readonly skipped: number
  readonly rejected: readonly FileOutcome[]
}

/** `report.pdf.metadata.json` holds the metadata of `report.pdf`. */
const sidecarEnding = '.metadata.json'
/** A larger file is queued, and its stages are read: no connection waits minutes for a response. */
const queuedFromBytes = 8 * 1024 * 1024
/** The file itself is what the server does not take. */
const rejectedStatuses: ReadonlySet<number> = new Set([400, 409, 413, 415, 422])

/**
 * Loads every file of a folder and its subfolders into a collection, as `docket documents load` does: what the server has already in the
 * same state is not sent, so a second run loads what is missing or has changed. Documents without a file stay. Names that begin with a
 * dot are left out, and so are links.
 *
 * @throws RangeError if `parallel` is not a whole number from 1
 * @throws DocketError when the server cannot be reached, or rejects the caller; files that were loaded before stay loaded
 */
export async function syncFolder(
  docket: Pick<Docket, 'send' | 'request'>,
  collection: string,
  folder: string,
  options: SyncOptions = {},
): Promise<SyncResult> {
  const { parallel = 4 } = options
  if (!Number.isInteger(parallel) || parallel < 1)
    throw new RangeError(`parallel must be a whole number from 1; it is ${parallel}`)
  const files = await filesIn(folder, options.prefix ?? '')
  const sync = new FolderSync(docket, collection, options)
  return sync.run(files)
}

interface FoundFile {
  readonly path: string
  readonly docId: string
  readonly size: number
}

async function filesIn(folder: string, prefix: string): Promise<readonly FoundFile[]> {
  const files = new Map<string, FoundFile>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const steps = relative(folder, path).split(sep)
    if (!entry.isFile() || entry.name.endsWith(sidecarEnding) || steps.some((step) => step.startsWith('.'))) continue
    // One spelling on every system: macOS returns decomposed names (NFD).
    const docId = `${prefix}${steps.join('/').normalize('NFC')}`
    const other = files.get(docId)
    if (other !== undefined) throw new Error(`${other.path} and ${path} would both be the document ${docId}.`)
    files.set(docId, { path, docId, size: (await stat(path)).size })
  }
  return [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}

type Known = Pick<DocumentInfo, 'sha256' | 'metadata' | 'file_name'>
type Loaded = Pick<FileOutcome, 'result' | 'message'>

class FolderSync {
  readonly #docket: Pick<Docket, 'send' | 'request'>
  readonly #documents: DocumentsClient
  readonly #collection: string
  readonly #options: SyncOptions

  constructor(docket: Pick<Docket, 'send' | 'request'>, collection: string, options: SyncOptions) {
    this.#docket = docket
    this.#documents = new DocumentsClient(docket.send)
    this.#collection = collection
    this.#options = options
  }

  async run(files: readonly FoundFile[]): Promise<SyncResult> {
    const { parallel = 4, onFile, signal } = this.#options
    const [known, maxBytes] = await Promise.all([this.#readKnown(), this.#readLimit()])
    const counts = { created: 0, replaced: 0, unchanged: 0, skipped: 0 }
    const rejected: FileOutcome[] = []
    const waiting = files.values()
    const failures: unknown[] = []
    const work = async (): Promise<void> => {
      // Each worker takes the next file of the one iterator.
      for (const file of waiting) {
        if (failures.length > 0) return
        signal?.throwIfAborted()
        const outcome = { path: file.path, ...(await this.#load(file, known, maxBytes)) }
        if (outcome.result === 'rejected') rejected.push(outcome)
        else counts[outcome.result] += 1
        onFile?.(outcome)
      }
    }
    // What was begun is finished, whatever fails.
    await Promise.all(Array.from({ length: parallel }, () => work().catch((error) => failures.push(error))))
    if (failures.length === 0) return { ...counts, rejected }
    if (signal?.aborted === true) throw abortedBySignal()
    throw failures[0]
  }

  async #readKnown(): Promise<ReadonlyMap<string, Known>> {
    const known = new Map<string, Known>()
    try {
      for await (const document of this.#documents.list(this.#collection, { signal: this.#options.signal }))
        known.set(document.doc_id, document)
    } catch (error) {
      // The first document makes the collection.
      if (!(error instanceof NotFound)) throw error
    }
    return known
  }

  /** Read before anything is sent: a server that rejects a large upload closes the connection, which looks like a broken one. */
  async #readLimit(): Promise<number> {
    const request = { method: 'GET', path: '/limits', signal: this.#options.signal }
    const limits = await this.#docket.request<readonly { service: string; name: string; value: number }[]>(request)
    return (
      limits.find(({ service, name }) => service === 'documents' && name === 'file')?.value ?? Number.POSITIVE_INFINITY
    )
  }

  async #load(
    file: FoundFile,
    known: ReadonlyMap<string, Known>,
    maxBytes: number,
  ): Promise<Omit<FileOutcome, 'path'>> {
    let { docId } = file
    try {
      const metadata = { ...this.#options.metadata, doc_id: docId, ...(await readSidecar(file.path)) }
      docId = docIdIn(metadata) ?? docId
      if (file.size > maxBytes)
        return { docId, ...rejection(`it is ${file.size} bytes long; the server takes at most ${maxBytes}`) }
      if (await isThere(file, metadata, known.get(docId))) return { docId, result: 'unchanged', message: null }
      return { docId, result: await this.#send(file, metadata), message: null }
    } catch (error) {
      return { docId, ...this.#rejection(error) }
    }
  }

  async #send({ path, size }: FoundFile, metadata: Row): Promise<'created' | 'replaced' | 'unchanged'> {
    const { signal } = this.#options
    const content = await fileAt(path)
    if (size < queuedFromBytes)
      return (await this.#documents.load(this.#collection, content, { metadata, signal })).result
    const status = await this.#documents.load(this.#collection, content, {
      metadata,
      signal,
      onProgress: () => undefined,
    })
    return status.version === 1 ? 'created' : 'replaced'
  }

  /** @throws what is no fault of the file */
  #rejection(error: unknown): Loaded {
    if (error instanceof LoadFailed || error instanceof BadSidecar) return rejection(error.message)
    if (error instanceof DocketError && rejectedStatuses.has(error.status)) {
      const isSkipped = error.status === 415 && this.#options.skipUnsupported === true
      return { result: isSkipped ? 'skipped' : 'rejected', message: error.message }
    }
    if (error instanceof Error && 'syscall' in error && 'path' in error)
      return rejection(`it cannot be read (${'code' in error ? error.code : error.message})`)
    throw error
  }
}

/** As the server reads it. */
const docIdIn = ({ doc_id, sys_id }: Row): string | undefined =>
  [doc_id, sys_id].find((id): id is string => typeof id === 'string' && id !== '')

const rejection = (message: string): Loaded => ({ result: 'rejected', message })

class BadSidecar extends Error {}

async function readSidecar(path: string): Promise<Row> {
  const sidecar = `${path}${sidecarEnding}`
  const text = await readFile(sidecar, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed }
  } catch {
    // Reported below.
  }
  throw new BadSidecar(
    `${sidecar} does not contain a JSON object: write the metadata of the file into it, or remove it.`,
  )
}

async function isThere({ path }: FoundFile, metadata: Row, known: Known | undefined): Promise<boolean> {
  if (known === undefined || !isDeepStrictEqual(known.metadata, metadata)) return false
  if (known.file_name !== basename(path).normalize('NFC')) return false
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return known.sha256 === hash.digest('hex')
}
