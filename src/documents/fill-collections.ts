import type { Session } from '../database/database.ts'
import { defaultExtractionLimits } from '../extraction/extraction-limits.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Result } from '../kernel/result.ts'
import { splitText } from './chunk/prepare-text.ts'
import type { Metadata } from './filter/filter-values.ts'
import { newDocument, sizesOf } from './load-document.ts'
import { type Collection, createCollection, readCollections, recordLanguage } from './store/collections.ts'
import { nextDocumentIds } from './store/find-document.ts'
import { type NewDocument, publishDocuments } from './store/publish-document.ts'
import { readTextUpload } from './upload/read-upload.ts'

/** A built-in collection. */
export interface CollectionToFill {
  readonly name: string
  readonly texts: readonly { readonly metadata: Metadata; readonly text: string }[]
}

/**
 * Creates collections with their documents, as loading each text would, in the caller's transaction. Runs before any
 * process serves, so no index needs a notification: processes find the documents in the database when they open their
 * index. Existing collections are not changed.
 *
 * @param by sys_id of the user who is recorded as the author
 * @throws Error when a text cannot be loaded: the texts are ours
 */
export async function fillCollections(
  session: Session,
  toFill: readonly CollectionToFill[],
  { by, now }: { readonly by: string; readonly now: Date },
): Promise<void> {
  const names = toFill.map(({ name }) => name)
  const there = new Set((await readCollections(session, names)).collections.map(({ name }) => name))
  const missing = toFill.filter(({ name }) => !there.has(name))
  for (const { name } of missing) await createCollection(session, name, by, now)
  const { collections } = await readCollections(
    session,
    missing.map(({ name }) => name),
  )
  const made = new Map(collections.map((collection) => [collection.name, collection]))
  const documents: NewDocument[] = []
  for (const { name, texts } of missing) {
    const collection = made.get(name)
    if (collection === undefined) throw new Error(`the collection ${name} was not made`)
    const read = texts.map((sent) => readText(collection, sent))
    for (const language of new Set(read.map(({ cut }) => cut.language)))
      await recordLanguage(session, collection, language)
    const ids = await nextDocumentIds(session, read.length)
    for (const [at, { upload, cut }] of read.entries())
      documents.push(
        newDocument(
          { ...cut, terms: null },
          {
            id: ids[at] ?? 0,
            upload,
            collection,
            by,
            loadedAt: now,
          },
        ),
      )
  }
  await publishDocuments(session, documents)
}

function readText(collection: Collection, { metadata, text }: CollectionToFill['texts'][number]) {
  const title = metadata['title']
  return {
    upload: loadable(readTextUpload({ collectionName: collection.name, metadata, text })),
    cut: loadable(
      splitText({
        source: { kind: 'sent', text, limits: defaultExtractionLimits },
        title: typeof title === 'string' ? title : null,
        fallbackTitle: null,
        sizes: sizesOf(collection),
      }),
    ),
  }
}

function loadable<T>(result: Result<T, Problem>): T {
  if (result.ok) return result.value
  throw new Error(`a text that Docket brings along cannot be loaded: ${JSON.stringify(result.error)}`)
}
