import { splitText } from '../../src/documents/chunk/prepare-text.ts'
import { extractSentText } from '../../src/extraction/extract-sent-text.ts'
import { defaultExtractionLimits } from '../../src/extraction/extraction-limits.ts'
import { buildSegment } from '../../src/search-engine/segments/build-segment.ts'
import { termsOfDocument } from '../../src/search-engine/segments/document-terms.ts'

/** Run as a process of its own: makes a text of 10 MB, prepares it as a load does, and prints what that took. */

const line: Readonly<Record<string, (n: number) => string>> = {
  'short headings': (n) => `${'#'.repeat(1 + (n % 6))} h${n} t\n`,
  'deep headings': (n) =>
    `${'#'.repeat(Math.min(6, 1 + n))} heading ${n} ${'lorem ipsum '.repeat(20)}\n\nbody ${n}\n\n`,
  paragraphs: (n) => `word${n} of the text and more of it. ${n % 20 === 0 ? '\n\n' : ''}`,
}

export interface Prepared {
  readonly blocks: number
  readonly chunks: number
  readonly segmentBytes: number
  /** Of the process at its peak, beyond what it had with the text alone. */
  readonly peakBytes: number
}

function textOf(kind: string): string {
  const parts: string[] = []
  let units = 0
  for (let n = 0; units < 9_999_000; n++) units += parts[parts.push(line[kind]?.(n) ?? '') - 1]?.length ?? 0
  return parts.join('').slice(0, 9_999_000)
}

function prepare(sent: string): Prepared {
  const before = process.resourceUsage().maxRSS
  const extracted = extractSentText(sent, defaultExtractionLimits)
  if (!extracted.ok) throw new Error(extracted.error.kind)
  const cut = splitText({
    source: { kind: 'extracted', extracted: extracted.value },
    title: null,
    fallbackTitle: null,
    sizes: { maxUnits: 1_000, overlapUnits: 200 },
  })
  if (!cut.ok) throw new Error(cut.error.kind)
  const { text, title, language, chunks } = cut.value
  const texts = chunks.map(({ from, to, headingPath }) => ({ text: text.slice(from, to), headingPath }))
  const segment = buildSegment([termsOfDocument({ id: 1, docId: 'a', title, language, chunks: texts })])
  return {
    blocks: extracted.value.blocks.length,
    chunks: chunks.length,
    segmentBytes: segment.buffer.byteLength,
    peakBytes: (process.resourceUsage().maxRSS - before) * 1_024,
  }
}

process.stdout.write(JSON.stringify(prepare(textOf(process.argv[2] ?? ''))))
