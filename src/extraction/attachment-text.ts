import { Rejection } from './rejection.ts'
import type { TextSink } from './text-builder.ts'

/** Reads a file inside of a file as if it were one of its own. */
export type ReadAttachment = (bytes: Buffer, fileName: string, into: TextSink) => Promise<unknown>

/** Where an attachment of a mail writes its text: behind a heading with its name, as parts of the section it opens. */
export interface AttachmentText {
  readonly into: TextSink
  hasText(): boolean
}

/** The mail is level 1, an attachment level 2. */
const attachmentLevel = 2

export function createAttachmentText(into: TextSink, name: string): AttachmentText {
  let hasText = false
  const begin = (): void => {
    if (!hasText) into.add('heading', name, { level: attachmentLevel })
    hasText = true
  }
  const deeper = (level: number): number => level + attachmentLevel
  return {
    hasText: () => hasText,
    into: {
      add(kind, text, details) {
        if (text.trim() === '') return
        begin()
        into.add(kind, text, details?.level === undefined ? details : { ...details, level: deeper(details.level) })
      },
      addWhole(text, blocksOf) {
        if (text.trim() === '') return
        begin()
        into.addWhole(text, function* (cleaned) {
          for (const block of blocksOf(cleaned))
            yield block.level === undefined ? block : { ...block, level: deeper(block.level) }
        })
      },
      // A mail has no pages, whatever is attached to it.
      turnToPage: () => undefined,
      flag: into.flag,
      missAttachment: into.missAttachment,
    },
  }
}

/** What is wrong with an attachment is not wrong with the file around it, except that its text is too long for any document. */
export async function isReadable(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read()
    return true
  } catch (error) {
    const isTooMuch =
      error instanceof Rejection &&
      error.problem.kind === 'unreadable-document' &&
      error.problem.cause === 'too-much-text'
    if (isTooMuch) throw error
    return false
  }
}
