import { useSyncExternalStore } from 'react'
import { createListeners } from '../listeners.ts'
import { entryPrefix } from '../session.ts'
import { confirmClosing } from '../unsaved-input.ts'
import { drafts } from './draft.ts'

/** A note or comment that is typed and not sent. */
export interface UnsentEntry {
  /** Name of the journal; absent: the first one that is offered. */
  readonly column?: string
  readonly text: string
  /**
   * Idempotency key of the request that has sent this text into this journal. A note whose response is lost is written once, also if it is
   * sent again after a reload.
   */
  readonly sentAs?: string
}

/**
 * The notes of this page, by record: a note can be sent while its form is left and opened again. They are in the storage of the tab, too, as
 * far as they fit.
 */
const notes = new Map<string, UnsentEntry>()
const listeners = createListeners()

const storedText = (record: string): string | undefined => drafts.read(entryPrefix + record)['text']

const isTyped = ({ text }: UnsentEntry): boolean => text !== ''

// Those that the storage of the tab does not have. The page knows of the others (main.tsx).
confirmClosing(() => [...notes].some(([record, note]) => isTyped(note) && note.text !== storedText(record)))

export function readUnsent(record: string): UnsentEntry {
  const known = notes.get(record)
  if (known !== undefined) return known
  const note = { text: '', ...drafts.read(entryPrefix + record) }
  notes.set(record, note)
  return note
}

export function writeUnsent(record: string, note: UnsentEntry): void {
  notes.set(record, note)
  drafts.write(entryPrefix + record, isTyped(note) ? { ...note } : {})
  listeners.notify()
}

export const useUnsent = (record: string): UnsentEntry =>
  useSyncExternalStore(listeners.subscribe, () => readUnsent(record))
