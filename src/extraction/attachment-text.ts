import { Rejection } from './rejection.ts'
import type { TextSink } from './text-builder.ts'

/** Reads a file inside a file like a file of its own. */
export type ReadAttachment = (bytes: Buffer, fileName: string, into: TextSink) => Promise<unknown>

/**
 * The sink for the text of an attachment of a mail: the text follows a heading with the attachment's name, within the section
 * of that heading.
 */
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
      // A mail has no pages, whatever its attachments are.
      turnToPage: () => undefined,
      flag: into.flag,
      missAttachment: into.missAttachment,
    },
  }
}

/** An error in an attachment is not an error in the file around it, unless the text is too long for any document. */
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
