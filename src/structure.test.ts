import { globSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { measureFunctions } from '../tools/measure-functions.ts'

/** Rules of the sources as a whole that no other tool counts. Exceptions go; none is added without a reason. */

const files = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') }).sort()
const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n')

const MAX_LINES = 400
const LONG_FILES = [
  // Texts of the console, one line for each.
  'console/src/messages/en.ts',
  'console/src/messages/ru.ts',
  // Settings and problems are tables: one entry each.
  'src/config/settings.ts',
  'src/http/response/error-messages.ts',
]

test('files have at most 400 lines, but for texts of the demo and tables (issue 9)', () => {
  expect(files.length).toBeGreaterThan(300)
  const clients = globSync('{console,packages/client}/src/**/*.{ts,tsx}').sort()
  expect(clients.length).toBeGreaterThan(150)
  const long = [...clients, ...files].filter(
    (file) => !file.startsWith('src/demo/words/') && linesOf(file).length - 1 > MAX_LINES,
  )
  expect(long).toEqual(LONG_FILES)
})

/** Modules that compute from their arguments alone (docs/ARCHITECTURE.md, "Import rules"). */
const PURE =
  /^src\/(kernel|condition|contract|column-types|records\/(parse|plan|sql|render)|documents\/(chunk|shape)|search-engine\/(analysis|ranking))\//
const STATE = [
  // Keys of a plan, found once: the plan is immutable, and they go with it.
  'src/records/render/render-editor-documents.ts',
  // The stems of words that were met before: the same words again give the same stems.
  'src/search-engine/analysis/analyze.ts',
  // Scores of rare terms: every search of a thread writes them before it reads them.
  'src/search-engine/ranking/range-bounds.ts',
  // Arrays of scores that every search of a thread uses again; they are zero between searches.
  'src/search-engine/ranking/score-part.ts',
]

test('pure modules keep no state between calls, but for what was computed before and reused arrays (issue 9)', () => {
  const pure = files.filter((file) => PURE.test(file))
  expect(pure.length).toBeGreaterThan(100)
  const isState = (line: string): boolean =>
    /^(export )?let /.test(line) || /^(export )?const \w+ = new (Map|Set|WeakMap|WeakSet|LRUCache)\b.*\(\)?$/.test(line)
  expect(pure.filter((file) => linesOf(file).some(isState))).toEqual(STATE)
})

test('half of the functions have at most 8 lines, nine of ten at most 21 (issue 9)', () => {
  const lengths = files
    .flatMap((file) => measureFunctions(readFileSync(file, 'utf8')).map(({ lines }) => lines))
    .sort((one, other) => one - other)
  expect(lengths.length).toBeGreaterThan(3_000)
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(8)
  expect(lengths[Math.floor(lengths.length * 0.9)]).toBeLessThanOrEqual(21)
})

test('functions of any form are measured by their lines', () => {
  const source = `export class Box {
  #lid = 1
  get lid(): number {
    return this.#lid
  }
  open(): void {}
}
const named = (n: number): number =>
  n + 1
export function ты(list: number[]): number[] {
  // A callback has no name.
  return list.map((n) => n)
}
`
  expect(measureFunctions(source)).toEqual([
    { name: 'lid', lines: 3 },
    { name: 'open', lines: 1 },
    { name: 'named', lines: 2 },
    { name: 'ты', lines: 4 },
  ])
})

test('only tests are called *-test.ts or *.test.ts (issue 9)', () => {
  expect(files.filter((file) => /(^|[-./])tests?\.ts$/.test(file))).toEqual([])
})

test.each(['migrations', 'docs/decisions'])('no two files of %s have the same number', (folder) => {
  const numbers = readdirSync(folder).flatMap((name) => /^\d+/.exec(name)?.[0] ?? [])
  expect(numbers.length).toBeGreaterThan(30)
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([])
})
