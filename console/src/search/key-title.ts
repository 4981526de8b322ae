import { t } from '../messages/i18n.ts'
import type { MessageKey } from '../messages/keys.ts'

/** Keys that every document has (docs/documents.md). Others have no title. */
const TITLES: Readonly<Record<string, MessageKey>> = {
  doc_id: 'search.key.docId',
  file_name: 'search.key.fileName',
  media_type: 'search.key.mediaType',
  language: 'search.key.language',
  loaded_at: 'search.key.loadedAt',
  size: 'search.key.size',
}

export function keyTitle(key: string): string {
  const title = Object.hasOwn(TITLES, key) ? TITLES[key] : undefined
  return title === undefined ? key : t(title)
}
