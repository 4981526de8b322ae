import { expect, test } from 'vitest'
import { succeed } from '../kernel/result.ts'
import type { AskRecords } from './call-records.ts'
import { exportRows } from './export-rows.ts'

const options = {
  table: 'task',
  query: { where: null, orders: [] },
  fields: ['name'],
  display: false,
  format: 'csv',
  journals: null,
  cells: { json: new Set<string>(), guarded: new Set<string>() },
} as const

/** Answers with one record a page, for ever. */
function endlessPages(): { readonly ask: AskRecords; asked: number } {
  const pages = {
    asked: 0,
    ask: (async () => {
      pages.asked += 1
      const body = JSON.stringify({ status: 'OK', data: [{ name: `page ${pages.asked}` }] })
      return succeed({ status: 200, headers: { 'x-next-cursor': String(pages.asked) }, body })
    }) as AskRecords,
  }
  return pages
}

test('a page is asked for when the one before it was taken, and none when nobody takes any more', async () => {
  const pages = endlessPages()
  const text = await exportRows(options, pages.ask)
  if (!text.ok) throw new Error('refused')
  const taken: string[] = []
  for await (const piece of text.value) {
    taken.push(piece)
    expect(pages.asked).toBeLessThanOrEqual(Math.max(1, taken.length - 1))
    if (taken.length === 5) break
  }
  expect(taken).toEqual(['name\r\n', 'page 1\r\n', 'page 2\r\n', 'page 3\r\n', 'page 4\r\n'])
  expect(pages.asked).toBe(4)
})
