import type { Result } from '../kernel/result.ts'
import type { ModelError } from './call-model.ts'
import type { EmbeddingModel } from './store/models.ts'

/** A source of vectors: a configured address, or a model in a local folder. */
export interface Embedder {
  readonly model: EmbeddingModel
  /** Maximum number of texts per call. */
  readonly textsOfRequest: number
  /** For texts of documents. */
  readonly timeoutMs: number
  /** For the single text of a search, whose caller waits. */
  readonly queryTimeoutMs: number
  /** Prefixes that some models need: for texts of documents, and for queries; '' for none. */
  readonly textPrefix: string
  readonly queryPrefix: string
  /** One vector for each text, all of the same length. Never throws. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Result<readonly Float32Array[], ModelError>>
  close(): Promise<void>
}

export interface EmbedOptions {
  readonly timeoutMs: number
  /** Aborts the request when nobody needs its response any more. */
  readonly stop?: AbortSignal
  /** A search waits for it: it takes precedence over texts of documents. */
  readonly isUrgent?: boolean
}

/** The text to embed for the query of a search. */
export function queryInput({ queryPrefix }: Pick<Embedder, 'queryPrefix'>, query: string): string {
  return prefixed(queryPrefix, query)
}

/**
 * The text to embed for a chunk: its text, preceded by the title and its headings. A text without either, or one that begins
 * with them, is embedded unchanged.
 */
export function chunkInput(
  { textPrefix }: Pick<Embedder, 'textPrefix'>,
  {
    title,
    headingPath,
    text,
  }: { readonly title: string | null; readonly headingPath: readonly string[]; readonly text: string },
): string {
  const above = [title ?? '', ...headingPath].filter((line, at, all) => line !== '' && all.indexOf(line) === at)
  const unsaid = above.filter((line) => !text.startsWith(line))
  return prefixed(textPrefix, unsaid.length === 0 ? text : `${unsaid.join(' > ')}\n\n${text}`)
}

function prefixed(prefix: string, text: string): string {
  return prefix === '' ? text : `${prefix} ${text}`
}
