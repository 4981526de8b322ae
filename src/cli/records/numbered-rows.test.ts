import { expect, test } from 'vitest'
import { succeed } from '../../kernel/result.ts'
import { batches, numbered } from './numbered-rows.ts'

async function* rowsOf(sizes: readonly number[]) {
  for (const [index, size] of sizes.entries()) yield { line: index + 1, values: succeed({ text: 'x'.repeat(size) }) }
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const megabyte = 1_048_576

test('a long row has a request of its own, and requests stay below 32 MB', async () => {
  const sizes = [10, 31 * megabyte, 10, 5 * megabyte, 5 * megabyte]
  const found = await all(batches(numbered(rowsOf(sizes))))
  expect(found.map((batch) => batch.map(({ number }) => number))).toEqual([[1], [2], [3, 4], [5]])
})

test('a row that no request has space for is reported with its size', async () => {
  const [row] = await all(numbered(rowsOf([32 * megabyte])))
  expect(row?.json).toEqual({
    ok: false,
    error: { kind: 'bad-body', expected: 'a row of at most 33544432 bytes as JSON', found: '33554443 bytes' },
  })
})

test('a row that the server would reject with the others of its request is rejected alone', async () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
  const values = [
    { name: 'a\0b' },
    { 'na\0me': 'a' },
    { list: [{ text: '\ud800' }] },
    { list: nested(98) },
    { list: nested(97) },
    { name: 'pair \ud83d\ude00' },
  ]
  const rows = async function* () {
    for (const [index, each] of values.entries()) yield { line: index + 1, values: succeed(each) }
  }
  expect((await all(numbered(rows()))).map(({ json }) => (json.ok ? 'sent' : json.error))).toEqual([
    { kind: 'bad-body', expected: 'a row that can be stored', found: 'the character U+0000' },
    { kind: 'bad-body', expected: 'a row that can be stored', found: 'the character U+0000' },
    { kind: 'bad-body', expected: 'a row that can be stored', found: 'half of a surrogate pair' },
    { kind: 'bad-body', expected: 'a row that can be stored', found: 'JSON that is nested deeper than 98 levels' },
    'sent',
    'sent',
  ])
})
