import { expect, test } from 'vitest'
import { succeed } from '../kernel/result.ts'
import { RecordJson } from '../records/record-result.ts'
import type { RecordService } from '../records/record-service.ts'
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

/** Responds with one record a page, for ever. */
function endlessPages(): { readonly records: Pick<RecordService, 'list'>; requested: number } {
  const pages = {
    requested: 0,
    records: {
      async list() {
        pages.requested += 1
        return succeed({
          kind: 'page',
          table: 'task',
          ignoresView: false,
          records: new RecordJson(`[{"name":"page ${pages.requested}"}]`),
          total: null,
          totalOver: null,
          hasMore: true,
          next: String(pages.requested),
          limit: 1,
          isClamped: false,
        } as const)
      },
    },
  }
  return pages
}

test('a page is asked for when the one before it was taken, and none when nobody takes any more', async () => {
  const pages = endlessPages()
  const exported = await exportRows(options, pages.records)
  if (!exported.ok) throw new Error('refused')
  const taken: string[] = []
  for await (const piece of exported.value.text) {
    taken.push(piece)
    expect(pages.requested).toBeLessThanOrEqual(Math.max(1, taken.length - 1))
    if (taken.length === 5) break
  }
  expect(taken).toEqual(['name\r\n', 'page 1\r\n', 'page 2\r\n', 'page 3\r\n', 'page 4\r\n'])
  expect(pages.requested).toBe(4)
})
