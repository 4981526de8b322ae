import { readFileSync } from 'node:fs'
import { warningsOf } from '../../src/documents/warnings.ts'
import { extractDocument } from '../../src/extraction/extract-document.ts'
import { defaultExtractionLimits } from '../../src/extraction/extraction-limits.ts'
import type { CorpusFile } from './make-corpus.ts'

/** What was found in a file of what an independent reader finds. */
export interface CheckedFile {
  readonly file: CorpusFile
  /** Shares of words, each as often as it occurs. */
  readonly recall: number
  readonly precision: number
  /** Kinds of warnings that it should not have. */
  readonly falseAlarms: readonly string[]
  /** Kinds of warnings that are missing. */
  readonly missed: readonly string[]
  readonly characters: number
  readonly bytes: number
}

export async function checkFile(file: CorpusFile): Promise<CheckedFile> {
  const bytes = readFileSync(file.path).length
  const read = await extractDocument({ path: file.path, fileName: file.path }, defaultExtractionLimits, () => undefined)
  const text = read.ok ? read.value.text : ''
  const warned = read.ok ? warningsOf(read.value.flags).map((warning) => warning.split(':')[0] ?? '') : ['refused']
  const [found, expected] = [wordsOf(text), wordsOf(file.expected)]
  const common = commonWords(expected, found)
  return {
    file,
    recall: expected.length === 0 ? 1 : common / expected.length,
    precision: found.length === 0 ? 1 : common / found.length,
    falseAlarms: warned.filter((kind) => !file.warnings.includes(kind)),
    missed: file.warnings.filter((kind) => !warned.includes(kind)),
    characters: text.length,
    bytes,
  }
}

/** Runs of letters and digits; of scripts that write no spaces, each character. */
function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu) ?? []
  )
}

function commonWords(expected: readonly string[], found: readonly string[]): number {
  const left = new Map<string, number>()
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1)
  return expected.filter((word) => {
    const count = left.get(word) ?? 0
    left.set(word, count - 1)
    return count > 0
  }).length
}

/** The figures of a kind of files. */
export interface KindFigures {
  readonly kind: string
  readonly files: number
  /** Share of the files of which at least nine tenths of the words were found. */
  readonly wellRead: number
  readonly recall: number
  readonly precision: number
  readonly falseAlarms: number
  readonly missed: number
  readonly charactersPerByte: number
}

export function figuresByKind(checked: readonly CheckedFile[]): readonly KindFigures[] {
  const kinds = [...new Set(checked.map(({ file }) => file.kind))]
  return kinds.map((kind) => {
    const files = checked.filter(({ file }) => file.kind === kind)
    const mean = (value: (each: CheckedFile) => number): number =>
      files.reduce((sum, each) => sum + value(each), 0) / files.length
    return {
      kind,
      files: files.length,
      wellRead: mean(({ recall }) => (recall >= 0.9 ? 1 : 0)),
      recall: mean(({ recall }) => recall),
      precision: mean(({ precision }) => precision),
      falseAlarms: files.filter(({ falseAlarms }) => falseAlarms.length > 0).length,
      missed: files.filter(({ missed }) => missed.length > 0).length,
      charactersPerByte: mean(({ characters, bytes }) => characters / bytes),
    }
  })
}
