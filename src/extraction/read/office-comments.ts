import { readXmlIfThere } from './office-parts.ts'
import type { Archive } from './open-archive.ts'
import { localName } from './read-xml.ts'
import { commentMark } from './word-notes.ts'

/** A comment on a slide or a cell, marked as a comment. */
export interface OfficeComment {
  /** `B2`; empty on a slide. */
  readonly cell: string
  readonly text: string
}

const commentNames: ReadonlySet<string> = new Set(['cm', 'comment', 'threadedComment', 'reply'])
const personNames: ReadonlySet<string> = new Set(['cmAuthor', 'author', 'person'])

interface OpenComment {
  readonly cell: string
  readonly author: string
  readonly lines: string[]
}

/** Names of people by their ids, from the parts that list authors of comments. */
export async function readPeople(archive: Archive, parts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const people = new Map<string, string>()
  for (const part of parts)
    await readXmlIfThere(archive, part, {
      open(full, { id, name, displayName }) {
        if (personNames.has(localName(full)) && id !== undefined) people.set(id, displayName ?? name ?? '')
      },
    })
  return people
}

/** The comments of one part, in its order; replies follow their comment. */
export async function readComments(
  archive: Archive,
  part: string,
  people: ReadonlyMap<string, string>,
): Promise<readonly OfficeComment[]> {
  const comments: OpenComment[] = []
  const open: OpenComment[] = []
  /** Spreadsheets list the authors in the same part and refer to them by index. */
  const authors: string[] = []
  let isAuthor = false
  let textDepth = 0
  await readXmlIfThere(archive, part, {
    open(full, attributes) {
      const name = localName(full)
      if (commentNames.has(name)) {
        const id = attributes['authorId'] ?? attributes['personId'] ?? ''
        const author = people.get(id) ?? authors[Number(id)] ?? ''
        const comment = { cell: attributes['ref'] ?? '', author, lines: [''] }
        comments.push(comment)
        open.push(comment)
      } else if (name === 'author') {
        authors.push('')
        isAuthor = true
      } else if (name === 't' || name === 'text') textDepth++
      else if (name === 'p') open.at(-1)?.lines.push('')
    },
    close(full) {
      const name = localName(full)
      if (commentNames.has(name)) open.pop()
      else if (name === 'author') isAuthor = false
      else if (name === 't' || name === 'text') textDepth--
    },
    text(text) {
      const lines = open.at(-1)?.lines
      if (isAuthor) authors.push((authors.pop() ?? '') + text)
      else if (textDepth > 0 && lines !== undefined) lines.push((lines.pop() ?? '') + text)
    },
  })
  return comments.flatMap(({ cell, author, lines }) => {
    const text = withoutAuthor(lines.join('\n').trim(), author)
    return text === '' ? [] : [{ cell, text: commentMark(author) + text }]
  })
}

/** Spreadsheet programs include the author in the text, too. */
function withoutAuthor(text: string, author: string): string {
  return author !== '' && text.startsWith(`${author}:`) ? text.slice(author.length + 1).trim() : text
}
