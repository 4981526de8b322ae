import type { Result } from '../kernel/result.ts'
import type { ModelError } from './call-model.ts'
import type { EmbeddingModel } from './store/models.ts'

/** What makes vectors: an address of the settings, or a model in a folder of this machine. */
export interface Embedder {
  readonly model: EmbeddingModel
  /** Texts that are given to it at once, at most. */
  readonly textsOfRequest: number
  /** For texts of documents. */
  readonly timeoutMs: number
  /** For the one text of a search, whose caller waits. */
  readonly queryTimeoutMs: number
  /** What some models want before a text that is searched, and before one that is searched for; '' for none. */
  readonly textPrefix: string
  readonly queryPrefix: string
  /** One vector for each text, all of one length. Never throws. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Result<readonly Float32Array[], ModelError>>
  close(): Promise<void>
}

export interface EmbedOptions {
  readonly timeoutMs: number
  /** Ends the question when nobody waits for its answer any more. */
  readonly stop?: AbortSignal
  /** A search waits for it: it goes before texts of documents. */
  readonly isUrgent?: boolean
}

/** What is embedded for the query of a search. */
export function queryInput({ queryPrefix }: Pick<Embedder, 'queryPrefix'>, query: string): string {
  return prefixed(queryPrefix, query)
}

/**
 * What is embedded for a chunk: its text, under the title and the headings that it stands under. A text without either, or
 * that begins with them, is embedded as it is.
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
