import { drawnTypes, readDrawnTexts } from './drawn-text.ts'
import { readComments } from './office-comments.ts'
import { readRelationships } from './office-parts.ts'
import type { Archive } from './open-archive.ts'

/** Content of a worksheet in other parts. */
export interface SheetParts {
  /** Comments by their cell: `B2`. */
  readonly comments: ReadonlyMap<string, readonly string[]>
  /** Text boxes and charts. */
  readonly drawn: readonly string[]
}

export async function readSheetParts(
  archive: Archive,
  sheet: string,
  people: ReadonlyMap<string, string>,
): Promise<SheetParts> {
  const links = await readRelationships(archive, sheet)
  const targets = (wanted: string): readonly string[] =>
    links.filter(({ type }) => type === wanted).map(({ target }) => target)
  // Threads are stored twice: the other form is for older programs.
  const threads = targets('threadedComment')
  const comments = new Map<string, string[]>()
  for (const part of threads.length > 0 ? threads : targets('comments'))
    for (const { cell, text } of await readComments(archive, part, people))
      comments.set(cell, [...(comments.get(cell) ?? []), text])
  const drawn: string[] = []
  for (const part of targets('drawing')) {
    drawn.push(...(await readDrawnTexts(archive, part)))
    for (const { type, target } of await readRelationships(archive, part))
      if (drawnTypes.has(type)) drawn.push(...(await readDrawnTexts(archive, target)))
  }
  return { comments, drawn }
}

/** `Page 3 of 7` without its fields has no content. */
const minTextUnits = 16

/** The text of a page header or footer of a worksheet; empty if it has only fields. Codes begin with `&`. */
export function sheetFurniture(coded: string): string {
  let hasField = false
  const text = coded
    .replace(/&(?:"[^"]*"|\d{1,3}|K[\dA-F+-]{5,6}|&|[A-Z])/gi, (code) => {
      if (code === '&&') return '&'
      hasField ||= /^&[PNDTZFA]$/i.test(code)
      return /^&[LCR]$/i.test(code) ? ' ' : ''
    })
    .replace(/\s+/g, ' ')
    .trim()
  return hasField && text.length < minTextUnits ? '' : text
}
