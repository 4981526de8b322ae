import type { BlockKind } from '../extracted-text.ts'
import type { RowPlace, TextSink } from '../text-builder.ts'
import { oneLine } from './table-rows.ts'

export interface SlidePiece {
  readonly kind: BlockKind
  readonly text: string
  readonly place: 'title' | 'body' | 'other'
  readonly row?: RowPlace
}

/** Adds a slide, its title first, wherever it is in the file. Without a title, the first line opens the slide. */
export function addSlide(pieces: readonly SlidePiece[], into: TextSink): void {
  const withText = pieces.filter(({ text }) => text.trim() !== '')
  const titles = withText.filter(({ place }) => place === 'title')
  const others = withText.filter(({ place }) => place !== 'title')
  const first = titles.length > 0 ? titles : others.splice(0, 1)
  if (first.length === 0) return
  into.add('slide', oneLine(first.map(({ text }) => text).join(' ')), { level: 1 })
  for (const { kind, text, row } of others) into.add(kind, text, row)
}
