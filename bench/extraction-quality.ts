/**
 * npm run bench:extraction-quality: the share of the words of files that is found, by kind of file, and missing or wrong warnings. The
 * corpus is that of `test/corpus/`: LibreOffice writes the office files and, with pdftotext, is the reference reader.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CheckedFile, checkFile, figuresByKind } from '../test/corpus/check-corpus.ts'
import { makeCorpus } from '../test/corpus/make-corpus.ts'
import { describeMachine } from './measure/machine.ts'
import { table, writeResults } from './measure/results.ts'

const folder = mkdtempSync(join(tmpdir(), 'docket-corpus-'))
const checked: CheckedFile[] = []
try {
  for (const file of await makeCorpus(folder)) checked.push(await checkFile(file))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

const measured = figuresByKind(checked)
const share = (value: number): string => value.toFixed(3)
writeResults('extraction-quality', { machine: describeMachine(), measured }, [
  `${checked.length} files. "Well read": share of the files of which at least nine tenths of the words are found.`,
  '',
  ...table(
    ['kind', 'files', 'well read', 'recall', 'precision', 'false alarms', 'missed warnings', 'characters per byte'],
    measured.map((each) => [
      each.kind,
      String(each.files),
      share(each.wellRead),
      share(each.recall),
      share(each.precision),
      String(each.falseAlarms),
      String(each.missed),
      each.charactersPerByte.toFixed(4),
    ]),
  ),
])
