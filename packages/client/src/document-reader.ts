import { type Download, download } from './download.ts'
import { type Evaluated, type EvaluationInput, joined, partsOf } from './evaluate.ts'
import type { CallOptions, Send } from './http.ts'
import { pathSegment } from './path-segment.ts'

/** A passage that answers a query (docs/documents.md). */
export interface FoundChunk {
  readonly doc_id: string
  readonly collection_name: string
  readonly chunk_index: number
  readonly text: string
  readonly score: number
  /** 0 to 1; absent without words to search for. */
  readonly relevance?: number
  readonly metadata: Readonly<Record<string, unknown>>
  readonly file_name: string | null
  readonly media_type: string
  /** With the parameter `details`: when the document was loaded, ISO 8601. */
  readonly loaded_at?: string
  readonly page: number | null
  readonly page_to: number | null
  readonly heading_path: readonly string[]
  /** Offsets in the text of the document, in UTF-16 units. */
  readonly from: number
  readonly to: number
  /** Ranges of words that were found, from the beginning of `text`. */
  readonly highlights?: readonly (readonly [from: number, to: number])[]
  readonly explain?: readonly {
    readonly term: string
    readonly weight: number
    readonly chunks: number
    readonly score: number
  }[]
  /** With `explain`, in a hybrid search: places from 1, null where the passage is not among the best. */
  readonly ranks?: {
    readonly lexical: number | null
    readonly vector: number | null
    readonly similarity: number | null
    readonly rerank: number | null
  }
}

export interface SearchResult {
  readonly chunks: readonly FoundChunk[]
  readonly mode: 'lexical' | 'hybrid' | 'vector'
  readonly tookMs: number
  /** Words that no visible document has, with those that were searched instead. */
  readonly corrections: readonly { readonly word: string; readonly corrections: readonly string[] }[]
  readonly didYouMean: string | null
  readonly warnings: readonly string[]
}

export interface SearchOptions extends CallOptions {
  /** Default: all collections that the caller may read. */
  readonly collections?: readonly string[] | undefined
  /** Condition on the metadata, in the query language. */
  readonly filter?: string | undefined
  /** Passages at most; default 10. */
  readonly k?: number | undefined
  readonly mode?: 'lexical' | 'hybrid' | 'vector' | undefined
  /** Further parameters of get_relevant_documents, such as group_by. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
}

export interface DocumentText {
  readonly doc_id: string
  readonly collection_name: string
  readonly text: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly file_name: string | null
  readonly media_type: string
  readonly version: number
}

/** A collection, as `get_list_of_collection?details=1` describes it. */
export interface CollectionInfo {
  readonly collection_name: string
  readonly documents: number
  readonly chunks: number
  /** Table that decides who sees which document; null: none. */
  readonly acl_table: string | null
}

/** A document of a list (docs/documents.md). */
export interface DocumentInfo {
  readonly doc_id: string
  readonly state: 'ready'
  readonly metadata: Readonly<Record<string, unknown>>
  readonly title: string | null
  readonly file_name: string | null
  readonly media_type: string
  readonly language: string | null
  /** In bytes. */
  readonly size: number
  readonly sha256: string
  readonly characters: number
  readonly pages: number | null
  readonly chunks: number
  readonly version: number
  readonly warnings?: readonly string[]
  readonly loaded_at: string
}

export interface ListDocumentsOptions extends CallOptions {
  /** Condition on the metadata, in the query language. */
  readonly filter?: string | undefined
}

/** A key that a filter over metadata can name. */
export interface MetadataKey {
  readonly key: string
  /** How filters compare its values, the type of most values first. */
  readonly types: readonly ('text' | 'number' | 'boolean' | 'time')[]
  readonly documents: number
  /** Different values, without times. */
  readonly distinct_values: number
  /** Values of most documents first, without times and long texts. */
  readonly values: readonly { readonly value: string | number | boolean; readonly documents: number }[]
}

export interface MetadataKeys {
  readonly keys: readonly MetadataKey[]
  /** Documents that were read. */
  readonly documents: number
  /** false: there are more documents than were read. */
  readonly isComplete: boolean
}

export interface MetadataKeysOptions extends CallOptions {
  /** Default: all collections that the caller may read. */
  readonly collections?: readonly string[] | undefined
  /** Keys at most; default 100. */
  readonly limit?: number | undefined
  /** Values of each key at most; default 20. */
  readonly values?: number | undefined
}

export interface EvaluateOptions extends CallOptions {
  /** Default: as the server searches. */
  readonly mode?: 'lexical' | 'hybrid' | undefined
}

/** Where a chunk begins and ends in the text of its document, in UTF-16 units. */
export interface ChunkRange {
  readonly chunk_index: number
  readonly from: number
  readonly to: number
  readonly page: number | null
  readonly page_to: number | null
  readonly heading_path: readonly string[]
}

/** How a load goes. */
export interface LoadStatus {
  readonly doc_id: string
  readonly collection_name: string
  readonly state: 'queued' | 'extracting' | 'indexing' | 'ready' | 'failed'
  /** From 0 to 100. */
  readonly percent: number
  readonly pages_done: number | null
  readonly attempts: number
  /** The version that searches find meanwhile. */
  readonly version: number | null
  readonly warnings?: readonly string[]
  readonly error: { readonly code: string; readonly message: string } | null
}

interface SearchBody {
  readonly data: readonly FoundChunk[]
  readonly mode: SearchResult['mode']
  readonly took_ms: number
  readonly corrections?: SearchResult['corrections']
  readonly did_you_mean?: string
  readonly warnings?: readonly string[]
}

/** Searches and reads: `new DocumentsReader(docket.send)`. `DocumentsClient` loads and deletes, too. */
export class DocumentsReader {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  async collections(options: CallOptions = {}): Promise<readonly CollectionInfo[]> {
    return (await this.#read<{ data: readonly CollectionInfo[] }>('/get_list_of_collection', { details: 1 }, options))
      .data
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    const { collections, filter, k, mode, parameters } = options
    const body = { query, collection_names: collections, metadata: filter, k, mode, ...parameters }
    const request = { method: 'POST', path: '/get_relevant_documents', body, isRead: true }
    const response = await this.#send({ ...options, ...request })
    const found = (await response.json()) as SearchBody
    return {
      chunks: found.data,
      mode: found.mode,
      tookMs: found.took_ms,
      corrections: found.corrections ?? [],
      didYouMean: found.did_you_mean ?? null,
      warnings: found.warnings ?? [],
    }
  }

  /** Whole texts of the documents that a filter selects, page by page, by doc_id. */
  async *contents(
    collection: string,
    filter: string,
    options: CallOptions = {},
  ): AsyncGenerator<DocumentText, void, undefined> {
    yield* this.#pages<DocumentText>('/get_content_by_tag', { collection_name: collection, tag_info: filter }, options)
  }

  /** The documents of a collection, by doc_id, page by page. */
  async *list(
    collection: string,
    { filter, ...options }: ListDocumentsOptions = {},
  ): AsyncGenerator<DocumentInfo, void, undefined> {
    const given = { collection_name: collection, tag_info: filter, details: 1, limit: 500 }
    yield* this.#pages<DocumentInfo>('/get_list_of_documents_names', given, options)
  }

  /** Keys that a filter can name, of the documents that the caller may see. */
  async metadataKeys({ collections = [], limit, values, ...options }: MetadataKeysOptions = {}): Promise<MetadataKeys> {
    const given = parametersOf({ limit, values })
    for (const name of collections) given.append('collection_names', name)
    const request = { method: 'GET', path: `/get_list_of_metadata_keys?${given}` }
    const response = await this.#send({ ...options, ...request })
    const read = (await response.json()) as {
      readonly data: readonly MetadataKey[]
      readonly documents: number
      readonly complete: boolean
    }
    return { keys: read.data, documents: read.documents, isComplete: read.complete }
  }

  /** How a document is split, in the order of its text. */
  async *chunks(
    collection: string,
    docId: string,
    options: CallOptions = {},
  ): AsyncGenerator<ChunkRange, void, undefined> {
    const given = { collection_name: collection, id_value: docId }
    yield* this.#pages<ChunkRange>('/get_document_chunks', given, options)
  }

  /**
   * Measures how well searches of a collection answer judged questions. It changes nothing. More questions than the server takes at once
   * are sent in parts; there is no limit of time, unless `timeoutMs` is given for each part.
   */
  async evaluate(collection: string, questions: EvaluationInput, options: EvaluateOptions = {}): Promise<Evaluated> {
    const { mode, ...call } = options
    const parts: Evaluated[] = []
    for (const part of partsOf(questions)) {
      const response = await this.#send({
        timeoutMs: Number.POSITIVE_INFINITY,
        ...call,
        method: 'POST',
        path: `/collections/${pathSegment(collection)}/evaluate`,
        body: { ...part, mode },
        isRead: true,
      })
      parts.push(((await response.json()) as { readonly data: Evaluated }).data)
    }
    return joined(parts)
  }

  async status(collection: string, docId: string, options: CallOptions = {}): Promise<LoadStatus> {
    const given = { collection_name: collection, id_value: docId }
    return (await this.#read<{ data: LoadStatus }>('/get_document_status', given, options)).data
  }

  /** The file as it was loaded. */
  file(collection: string, docId: string, options: CallOptions = {}): Promise<Download> {
    const given = parametersOf({ collection_name: collection, id_value: docId })
    return download(this.#send, `/get_document_file?${given}`, options)
  }

  async *#pages<T>(path: string, given: Parameters, options: CallOptions): AsyncGenerator<T, void, undefined> {
    let cursor: string | null | undefined
    do {
      const page = await this.#read<{ data: readonly T[]; next_cursor: string | null }>(
        path,
        { ...given, cursor },
        options,
      )
      yield* page.data
      cursor = page.next_cursor
    } while (cursor != null)
  }

  async #read<Body>(path: string, given: Parameters, options: CallOptions): Promise<Body> {
    const response = await this.#send({ ...options, method: 'GET', path: `${path}?${parametersOf(given)}` })
    return (await response.json()) as Body
  }
}

type Parameters = Readonly<Record<string, string | number | null | undefined>>

export const parametersOf = (given: Parameters): URLSearchParams =>
  new URLSearchParams(
    Object.entries(given).flatMap(([name, value]): [string, string][] =>
      value == null ? [] : [[name, String(value)]],
    ),
  )
