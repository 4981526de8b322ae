import { readXmlIfThere } from './office-parts.ts'
import type { Archive } from './open-archive.ts'
import { attributeNamed, localName } from './read-xml.ts'

/** Footnotes, endnotes and comments by the name of their reference and their number. A comment is marked as one. */
export async function readWordNotes(archive: Archive, parts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const notes = new Map<string, string>()
  for (const part of parts) await readNotesOf(archive, part, notes)
  return notes
}

const namesOfNotes: ReadonlySet<string> = new Set(['footnote', 'endnote', 'comment'])

async function readNotesOf(archive: Archive, part: string, notes: Map<string, string>): Promise<void> {
  let key: string | undefined
  let lines: string[] = []
  let mark = ''
  let isText = false
  await readXmlIfThere(archive, part, {
    open(full, attributes) {
      const name = localName(full)
      if (namesOfNotes.has(name)) {
        key = `${name}Reference ${attributeNamed(attributes, 'id') ?? ''}`
        mark = name === 'comment' ? commentMark(attributeNamed(attributes, 'author')) : ''
        lines = []
      }
      isText = name === 't'
      if (name === 'p') lines.push('')
    },
    text(text) {
      if (isText) lines.push((lines.pop() ?? '') + text)
    },
    close(full) {
      isText = false
      if (!namesOfNotes.has(localName(full)) || key === undefined) return
      const note = lines.join('\n').trim()
      if (note !== '') notes.set(key, mark + note)
      key = undefined
    },
  })
}

/** The prefix of a comment, so that it is not mistaken for text of the document. */
export function commentMark(author: string | undefined): string {
  const name = author?.trim() ?? ''
  return name === '' ? 'Comment: ' : `Comment (${name}): `
}
