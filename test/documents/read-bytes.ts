import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extractDocument } from '../../src/extraction/extract-document.ts'
import type { ExtractedText } from '../../src/extraction/extracted-text.ts'
import { defaultExtractionLimits, type ExtractionLimits } from '../../src/extraction/extraction-limits.ts'

/** What a test wants to see of an extraction: everything but the offsets, which are checked on the way. */
export interface Seen {
  readonly mediaType: string
  readonly title?: string
  readonly language?: string
  readonly pages?: number
  readonly flags?: Readonly<Record<string, number>>
  readonly attachmentsNotRead?: readonly string[]
  /** `page-pageTo kind+level text`, without what is not there. */
  readonly blocks: readonly string[]
}

/** Extracts in this process: for what must be right, not for what must be survived. */
export async function readBytes(
  bytes: Uint8Array | string,
  fileName = 'upload',
  limits: Partial<ExtractionLimits> = {},
): Promise<unknown> {
  const result = await extractBytes(bytes, fileName, limits)
  return result.ok ? seen(result.value) : result.error
}

/** The extracted text itself. */
export async function extractBytes(
  bytes: Uint8Array | string,
  fileName = 'upload',
  limits: Partial<ExtractionLimits> = {},
): Promise<Awaited<ReturnType<typeof extractDocument>>> {
  const directory = mkdtempSync(join(tmpdir(), 'docket-extract-'))
  try {
    const path = join(directory, 'bytes')
    writeFileSync(path, bytes)
    return await extractDocument({ path, fileName }, { ...defaultExtractionLimits, ...limits }, () => undefined)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

export function seen(extracted: ExtractedText): Seen {
  const { text, blocks, flags, attachmentsNotRead, mediaType, title, language, pages } = extracted
  let end = 0
  for (const { from, to } of blocks) {
    if (from < end || to <= from || text.slice(end, from).trim() !== '')
      throw new Error(`block ${from} to ${to} after ${end}`)
    end = to
  }
  if (text.slice(end).trim() !== '') throw new Error('text after the last block')
  return {
    mediaType,
    ...(title === undefined ? {} : { title }),
    ...(language === undefined ? {} : { language }),
    ...(pages === undefined ? {} : { pages }),
    ...(flags.length === 0 ? {} : { flags: Object.fromEntries(flags.map(({ kind, count }) => [kind, count])) }),
    ...(attachmentsNotRead === undefined ? {} : { attachmentsNotRead }),
    blocks: blocks.map(
      ({ from, to, kind, level = '', page, pageTo }) =>
        `${page === undefined ? '' : `${page}${pageTo === undefined ? '' : `-${pageTo}`} `}${kind}${level} ${text.slice(from, to)}`,
    ),
  }
}
