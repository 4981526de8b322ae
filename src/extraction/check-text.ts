import { type Format, formats } from '../text-formats/media-types.ts'
import { hasWords, isLittleText } from './expected-text.ts'
import type { ExtractedText, Flag } from './extracted-text.ts'
import { unreadable } from './rejection.ts'

/**
 * The extraction of a file, with flags for content that may be lost.
 *
 * @param expectedAs absent: the format of its media type
 * @throws Rejection when it contains nothing that a search can find
 */
export function checkText(extracted: ExtractedText, bytes: number, expectedAs?: Format): ExtractedText {
  const { text, mediaType } = extracted
  if (!hasWords(text)) throw unreadable('no-text', whyNothing(extracted))
  const flags = extracted.flags.map((flag) =>
    flag.kind === 'pages-without-text' && mediaType === formats.pdf.mediaType ? withPages(flag, extracted) : flag,
  )
  const units = text.replace(/\s+/g, ' ').length
  const isFlagged = flags.some(({ kind }) => kind === 'little-text')
  if (isFlagged || !isLittleText(expectedAs ?? formatOf(mediaType), units, bytes)) return { ...extracted, flags }
  return { ...extracted, flags: [...flags, { kind: 'little-text', count: 1 }] }
}

function whyNothing({ flags }: ExtractedText): string {
  const isHidden = flags.some(({ kind }) => kind === 'hidden-text')
  return isHidden ? 'it contains no letter and no digit except in hidden text' : 'it contains no letter and no digit'
}

function withPages(flag: Flag, { pages = 0, blocks }: ExtractedText): Flag {
  const read = new Set(blocks.map(({ page }) => page))
  const empty = Array.from({ length: pages }, (_, index) => index + 1).filter((page) => !read.has(page))
  return { ...flag, details: empty }
}

const formatOfType = new Map(
  Object.entries(formats).map(([format, { mediaType }]) => [mediaType as string, format as Format]),
)

/** Source code has a media type for each language. */
function formatOf(mediaType: string): Format {
  return formatOfType.get(mediaType) ?? 'code'
}
