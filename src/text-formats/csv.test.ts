import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../test/harness/property-seed.ts'
import { guardCell, unguardCell } from './guard-cell.ts'
import { csvRows, InvalidCsv, readCsv } from './read-csv.ts'
import { csvCell, csvLine, isPlainCell } from './write-csv.ts'

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}
async function rowsOf(text: string, size = 1_000, delimiter: ',' | ';' | '\t' | null = null) {
  const rows: (readonly [number, readonly (string | null)[]])[] = []
  for await (const { line, cells } of readCsv(pieces(text, size), { delimiter, maxUnits: 10_000 }))
    rows.push([line, cells])
  return rows
}

test('a plain cell is what a cell with guard and quotes would be', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[a',= \t\r\n"\uFEFF@+-]{1,4}$/))
  fc.assert(
    fc.property(text, (each) => {
      if (isPlainCell(each)) expect(csvCell(guardCell(each))).toBe(each)
    }),
  )
  expect(['a b', 'a-b', '2026-11-23 05:00:00'].map(isPlainCell)).toEqual([true, true, true])
})

test('what is written is read back, however it is cut into pieces', async () => {
  const cell = fc.oneof(fc.constant(null), fc.string(), fc.stringMatching(/^[a",;\r\n\t é]{0,6}$/))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 7 }),
      async (rows, size) => {
        const text = rows.map(csvLine).join('')
        const read = await rowsOf(text, size, ',')
        expect(read.map(([, cells]) => cells)).toEqual(rows)
      },
    ),
  )
})

test('a guarded cell is nothing that a spreadsheet runs, and loses exactly its guard (issue 8, A10)', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^'{0,3}[=+\-@\t\r'a]{0,3}$/))
  fc.assert(
    fc.property(text, (value) => {
      const cell = guardCell(value)
      expect(cell).not.toMatch(/^[=+\-@\t\r]/)
      expect(unguardCell(cell)).toBe(value)
    }),
  )
})

test.each([
  ['=1+1', "'=1+1"],
  ["'=1+1", "''=1+1"],
  ["'quoted'", "'quoted'"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\rx', "'\rx"],
  ['a=1', 'a=1'],
])('%j is guarded as %j (issue 8, A10)', (text, cell) => {
  expect(guardCell(text)).toBe(cell)
  expect(unguardCell(cell)).toBe(text)
})

test('rows know the line that they begin on, also behind cells of several lines', async () => {
  expect(await rowsOf('a,b\n1,"x\ny"\n\n2,z\r\n3,"q\r\nr"\r\n4,5')).toEqual([
    [1, ['a', 'b']],
    [2, ['1', 'x\ny']],
    [5, ['2', 'z']],
    [6, ['3', 'q\r\nr']],
    [8, ['4', '5']],
  ])
})

test.each([
  [
    'a;b\n1,5;2',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    'a\tb\n1\t2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    '\uFEFFa,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['a\n\n"b ""c"""\r"d"', [['a'], ['b "c"'], ['d']]],
  ['5" pipe,x\n', [['5" pipe', 'x']]],
  ['', []],
  ['a', [['a']]],
  [',\n', [[null, null]]],
  ['"",\n', [['', null]]],
])('%j', async (text, rows) => {
  for (const size of [1, 2, 1_000]) expect((await rowsOf(text, size)).map(([, cells]) => cells)).toEqual(rows)
})

describe('what is no CSV is told with its line:', () => {
  test.each([
    ['a\n"open\nstill', 2, 'a quote is opened and not closed'],
    ['a\n"b"c', 2, 'behind a closing quote stands "c"'],
    [`a\n${'x'.repeat(20_000)}`, 2, 'a row is longer than 10000 characters'],
  ])('%#', async (text, line, message) => {
    const error = await rowsOf(text).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(InvalidCsv)
    expect(error).toMatchObject({ line, message })
  })
})

test('a text that may be a table is read on where it is no CSV (issue 9, step 4)', () => {
  expect([...csvRows('a,"b" c,\n\n1,"open\nstill', ',')]).toEqual([
    ['a', 'b c', ''],
    ['1', 'open\nstill'],
  ])
})

test('what is CSV is read alike, whatever reads it (issue 9, step 4)', async () => {
  const cell = fc.oneof(fc.constant(null), fc.string(), fc.stringMatching(/^[a",;\r\n\t é]{0,6}$/))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 6 }), async (rows) => {
      const text = rows.map(csvLine).join('')
      const strict = (await rowsOf(text, 1_000, ',')).map(([, cells]) => cells.map((one) => one ?? ''))
      expect([...csvRows(text, ',')]).toEqual(strict)
    }),
  )
})
