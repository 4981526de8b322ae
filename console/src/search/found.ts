import type { FoundChunk } from 'docket-client/documents'

/** Title of a document; without one, its file name, else its first heading. */
export function titleOf({ metadata, file_name, heading_path, text, doc_id }: FoundChunk): string {
  const title = metadata['title']
  if (typeof title === 'string' && title !== '') return title
  const firstLine = text.split('\n', 1)[0]?.replace(/^#+\s*/, '') ?? ''
  return file_name ?? heading_path[0] ?? (firstLine === '' ? doc_id : [...firstLine].slice(0, 120).join(''))
}

/** When the document was made, as its metadata says; otherwise when it was loaded. */
export function dateOf({
  metadata,
  loaded_at: loadedAt,
}: FoundChunk): { readonly at: Date; readonly isLoaded: boolean } | null {
  const created = new Date(typeof metadata['created'] === 'string' ? metadata['created'] : Number.NaN)
  if (!Number.isNaN(created.getTime())) return { at: created, isLoaded: false }
  return loadedAt === undefined ? null : { at: new Date(loadedAt), isLoaded: true }
}

/** Headings above the passage, without the title. */
export const headingsOf = (chunk: FoundChunk): readonly string[] => {
  const title = titleOf(chunk)
  return chunk.heading_path.filter((heading) => heading !== title)
}

export const chunkKey = ({ collection_name, doc_id, chunk_index }: FoundChunk): string =>
  `${collection_name}/${doc_id}/${chunk_index}`

/** Passages of each document, by its best passage. */
export function byDocument(chunks: readonly FoundChunk[]): readonly (readonly FoundChunk[])[] {
  const keyOf = ({ collection_name, doc_id }: FoundChunk): string => `${collection_name}/${doc_id}`
  return [...Map.groupBy(chunks, keyOf).values()]
}

/** The record that a document of a followed table belongs to. */
export function recordOf({ metadata }: Pick<FoundChunk, 'metadata'>): { table: string; sysId: string } | null {
  const { table, sys_id: sysId } = metadata
  return typeof table === 'string' && typeof sysId === 'string' ? { table, sysId } : null
}
