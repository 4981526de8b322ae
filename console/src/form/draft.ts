import { drafts } from '../session.ts'
import type { Texts } from './merge.ts'

/** The version of a record on which edits were made. */
export interface EditedVersion {
  readonly etag: string
  /** At least those of the edited columns. */
  readonly texts: Texts
}

export interface Draft {
  readonly edits: Texts
  /** null: the record is new. */
  readonly base: EditedVersion | null
}

/** No column has this name. */
const etagKey = '#etag'
const baseKey = (key: string): string => `${key}#base`

/** Edits with the version that they were made on: others may have changed the record before the draft comes back. */
export function readDraft(key: string): Draft {
  const { [etagKey]: etag, ...texts } = drafts.read(baseKey(key))
  return { edits: drafts.read(key), base: etag === undefined ? null : { etag, texts } }
}

export function writeDraft(key: string, { edits, base }: Draft): void {
  drafts.write(key, edits)
  const columns = Object.keys(edits)
  const texts = Object.fromEntries(columns.map((column) => [column, base?.texts[column] ?? '']))
  drafts.write(baseKey(key), base === null || columns.length === 0 ? {} : { [etagKey]: base.etag, ...texts })
}
