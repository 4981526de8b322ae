import { randomKey } from 'docket-client'
import { pageUser } from '../docket.ts'
import { draftPrefix } from '../session.ts'
import type { Texts } from './merge.ts'

const storageKey = (key: string): string => `${draftPrefix(pageUser() ?? '')}${key}`

/** Typed text that is not saved, by record. It survives a reload and the end of the session. */
export const drafts = {
  read: (key: string): Texts => {
    const text = sessionStorage.getItem(storageKey(key))
    return text === null ? {} : (JSON.parse(text) as Texts)
  },
  write: (key: string, draft: Texts): void => {
    const isEmpty = Object.keys(draft).length === 0
    if (!isEmpty && isStored(storageKey(key), JSON.stringify(draft))) return
    sessionStorage.removeItem(storageKey(key))
  },
}

/** Browsers store some millions of characters. A longer text stays in the page, which asks before it is left. */
function isStored(key: string, text: string): boolean {
  try {
    sessionStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}

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

/**
 * A dialog can create a record of the same table as the form below it. What a new record begins with belongs to its draft: a record for another
 * parent has another draft.
 */
export function draftKeyOf(record: string, preset: Texts, idPrefix: string): string {
  const beginning = Object.keys(preset).length === 0 ? '' : `?${JSON.stringify(preset)}`
  return `${idPrefix === 'field' ? '' : `${idPrefix}/`}${record}${beginning}`
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

/** By draft: what a create has sent last, if its response has not come. A text too long for the storage of the browser is only here. */
const sentCreates = new Map<string, Texts>()
const sentKey = (key: string): string => `${key}#sent`

/**
 * Idempotency key of a create. What is sent again as it was, also after a reload, has the same key: a create whose response was lost makes
 * one record. The server takes no other body with this key.
 */
export function idempotencyKeyOf(draftKey: string, body: string): string {
  const place = sentKey(draftKey)
  const last = sentCreates.get(storageKey(place)) ?? drafts.read(place)
  const key = last['body'] === body ? (last['key'] ?? randomKey()) : randomKey()
  sentCreates.set(storageKey(place), { key, body })
  drafts.write(place, { key, body })
  return key
}

/** The record is created, or what was typed is discarded: the next create makes another record. */
export function forgetSent(draftKey: string): void {
  sentCreates.delete(storageKey(sentKey(draftKey)))
  drafts.write(sentKey(draftKey), {})
}
