import { DocumentsReader, type LoadStatus, parametersOf } from './document-reader.ts'
import { NotFound } from './errors.ts'
import { type CallOptions, deadlineOf, pause, type Send } from './http.ts'
import { pathSegment } from './path-segment.ts'
import { readServerSentEvents } from './server-sent-events.ts'
import type { Row } from './table-types.ts'
import { type FileInput, type SentBytes, uploadOf } from './upload-body.ts'

export interface LoadTextOptions extends CallOptions {
  /** `doc_id` names the document; a document of the same name is replaced. */
  readonly metadata?: Row | undefined
  /** Instead of the vector that a model would make. */
  readonly vector?: readonly number[] | undefined
}

export interface LoadOptions extends CallOptions {
  /** `doc_id` names the document; without it its file name and its content do. */
  readonly metadata?: Row | undefined
  /** `file_name`: the document of the same file name is replaced, whatever its content was. */
  readonly replaceBy?: 'doc_id' | 'file_name' | undefined
  /** Encoding of a text file. */
  readonly charset?: string | undefined
}

export interface ReportsProgress {
  readonly onProgress: (progress: LoadProgress) => void
}

/** Bytes that are sent, then the stages of the server. */
export type LoadProgress =
  | ({ readonly kind: 'bytes' } & SentBytes)
  | { readonly kind: 'status'; readonly status: LoadStatus }

export interface LoadedDocument {
  readonly doc_id: string
  readonly collection_name: string
  readonly state: 'ready'
  /** `unchanged`: the same content and metadata are already loaded. */
  readonly result: 'created' | 'replaced' | 'unchanged'
  readonly chunks: number
  readonly characters: number
  readonly pages: number | null
  readonly media_type: string
  readonly language: string | null
  readonly version: number
  /** For `min_sequence` of a search that has to find the document. */
  readonly sequence: number
  readonly warnings?: readonly string[]
  readonly took_ms: number
}

export interface QueuedDocument {
  readonly doc_id: string
  readonly collection_name: string
  readonly state: 'queued'
}

/** A load in the background failed; `status.error` says why. */
export class LoadFailed extends Error {
  override readonly name = 'LoadFailed'
  readonly status: LoadStatus
  constructor(status: LoadStatus) {
    super(status.error?.message ?? `The document ${status.doc_id} could not be loaded.`)
    this.status = status
  }
}

/** What is not named stays; null is the default. For administrators. */
export interface CollectionSettings {
  readonly reader_role?: string | null
  readonly writer_role?: string | null
  readonly acl_table?: string | null
  readonly chunk_units?: number | null
  readonly overlap_units?: number | null
  readonly embeddings_model?: string | null
  readonly vector_length?: number | null
}

/** A collection that follows a table (docs/changes.md). */
export interface FollowSettings {
  readonly table: string
  readonly query?: string
  readonly template: string
  readonly metadata?: readonly string[]
  readonly exposed_columns?: readonly string[]
}

export interface FollowState extends Required<FollowSettings> {
  readonly collection: string
  readonly state: 'following' | 'comparing'
  readonly documents: number
  readonly error: string | null
  readonly compared_at: string | null
  readonly mended: number
}

/** Searches, reads, loads and deletes: `new DocumentsClient(docket.send)`. */
export class DocumentsClient extends DocumentsReader {
  readonly #send: Send

  constructor(send: Send) {
    super(send)
    this.#send = send
  }

  /** Loads a text, and resolves when every search finds it. A text that is there already is unchanged, so a lost response is no harm. */
  async loadText(
    collection: string,
    text: string,
    { metadata, vector, ...options }: LoadTextOptions = {},
  ): Promise<LoadedDocument> {
    const path = `/load_text_to_collection?${parametersOf({ collection_name: collection })}`
    return this.#data({ ...options, method: 'POST', path, body: { text, metadata, vector }, isRepeatable: true })
  }

  /**
   * Loads a file, and resolves when every search finds it. A file that is there already is unchanged, so a lost response is no harm.
   * There is no limit of time, unless `timeoutMs` is given.
   *
   * @throws LoadFailed when `onProgress` is given and the load fails after the upload
   */
  load(collection: string, file: FileInput, options: LoadOptions & ReportsProgress): Promise<LoadStatus>
  load(collection: string, file: FileInput, options?: LoadOptions): Promise<LoadedDocument>
  async load(
    collection: string,
    file: FileInput,
    options: LoadOptions & Partial<ReportsProgress> = {},
  ): Promise<LoadedDocument | LoadStatus> {
    if (options.onProgress === undefined) return this.#upload<LoadedDocument>(collection, file, options, false)
    const deadline = deadlineOf(options.signal, options.timeoutMs ?? Number.POSITIVE_INFINITY)
    try {
      const { doc_id: docId } = await this.#upload<QueuedDocument>(collection, file, options, true)
      return await this.#whenReady(collection, docId, options, deadline.signal).catch((error: unknown) => {
        throw error instanceof LoadFailed ? error : deadline.explain(error)
      })
    } finally {
      deadline.clear()
    }
  }

  /** Sends a file and resolves when the server has it. `status` reports how the load goes. */
  queue(
    collection: string,
    file: FileInput,
    options: LoadOptions & Partial<ReportsProgress> = {},
  ): Promise<QueuedDocument> {
    return this.#upload<QueuedDocument>(collection, file, options, true)
  }

  /** @returns how many documents were deleted; 0 after a lost response, if an earlier attempt deleted it */
  delete(collection: string, docId: string, options: CallOptions = {}): Promise<number> {
    const given = { collection_name: collection, id_value: docId }
    return this.#delete(`/delete_document_from_collection?${parametersOf(given)}`, options)
  }

  /** Deletes a collection with all its documents. @returns how many there were */
  deleteCollection(collection: string, options: CallOptions = {}): Promise<number> {
    return this.#delete(`/delete_collection?${parametersOf({ collection_name: collection })}`, options)
  }

  async configure(collection: string, settings: CollectionSettings, options: CallOptions = {}): Promise<void> {
    await this.#data({ ...options, method: 'PUT', path: pathOf(collection), body: settings })
  }

  /** The collection gets a document for each record of the query, and follows its changes. */
  async follow(collection: string, settings: FollowSettings, options: CallOptions = {}): Promise<FollowState> {
    return this.#data({ ...options, method: 'PUT', path: `${pathOf(collection)}/follow`, body: settings })
  }

  async #delete(path: string, options: CallOptions): Promise<number> {
    try {
      return (await this.#data<{ readonly count: number }>({ ...options, method: 'DELETE', path })).count
    } catch (error) {
      if (error instanceof NotFound && error.isUncertain) return 0
      throw error
    }
  }

  async #upload<Data>(
    collection: string,
    file: FileInput,
    options: LoadOptions & Partial<ReportsProgress>,
    isAsync: boolean,
  ): Promise<Data> {
    const { metadata, replaceBy, charset, onProgress, ...call } = options
    const given = parametersOf({
      collection_name: collection,
      replace_by: replaceBy,
      charset,
      async: isAsync ? 1 : undefined,
    })
    const upload = uploadOf({
      parts: [...(metadata === undefined ? [] : [['metadata', JSON.stringify(metadata)] as const]), ['file', file]],
      onProgress: onProgress === undefined ? undefined : (bytes) => onProgress({ kind: 'bytes', ...bytes }),
    })
    return this.#data({
      timeoutMs: Number.POSITIVE_INFINITY,
      ...call,
      ...upload,
      headers: { ...call.headers, ...upload.headers },
      method: 'POST',
      path: `/load_document_to_collection?${given}`,
      isRepeatable: true,
    })
  }

  /** Reads the stages from the server's stream, and again after it breaks. */
  async #whenReady(
    collection: string,
    docId: string,
    { headers, onProgress }: LoadOptions & Partial<ReportsProgress>,
    signal: AbortSignal,
  ): Promise<LoadStatus> {
    const given = parametersOf({ collection_name: collection, id_value: docId, stream: 1 })
    for (;;) {
      const response = await this.#send({
        signal,
        timeoutMs: Number.POSITIVE_INFINITY,
        headers: { accept: 'text/event-stream', ...headers },
        method: 'GET',
        path: `/get_document_status?${given}`,
      })
      for await (const status of statusesOf(response)) {
        onProgress?.({ kind: 'status', status })
        if (status.state === 'failed') throw new LoadFailed(status)
        if (status.state === 'ready') return status
      }
      await pause(pauseMs, signal)
    }
  }

  async #data<Data>(request: Parameters<Send>[0]): Promise<Data> {
    const response = await this.#send(request)
    return ((await response.json()) as { readonly data: Data }).data
  }
}

const pauseMs = 500

/** Ends where the connection breaks. */
async function* statusesOf({ body }: Response): AsyncGenerator<LoadStatus, void, undefined> {
  if (body === null) return
  const events = readServerSentEvents(body)
  try {
    for (;;) {
      const next = await events.next().catch(() => null)
      if (next === null || next.done === true) return
      if (next.value.name === 'status') yield JSON.parse(next.value.data) as LoadStatus
    }
  } finally {
    await events.return()
  }
}

const pathOf = (collection: string): string => `/collections/${pathSegment(collection)}`
