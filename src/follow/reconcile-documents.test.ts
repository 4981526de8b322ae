import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { isUnchanged } from './reconcile-documents.ts'

const text = 'Printer 3 is out of toner.'
const hash = createHash('sha256').update(text).digest('hex')

test('a record with columns of objects is loaded again only when it changed (issue 11, 2.1)', () => {
  const metadata = { sys_id: '7', place: { floor: 3, room: { name: 'B2' } }, tags: ['a', 'b'], empty: {} }
  const stored = { hash, metadata: { sys_id: '7', 'place.floor': 3, 'place.room.name': 'B2', tags: ['a', 'b'] } }
  expect(isUnchanged(stored, metadata, text)).toBe(true)
  expect(isUnchanged(stored, { ...metadata, place: { floor: 4, room: { name: 'B2' } } }, text)).toBe(false)
  expect(isUnchanged(stored, { ...metadata, tags: ['b', 'a'] }, text)).toBe(false)
  expect(isUnchanged(stored, metadata, `${text} Again.`)).toBe(false)
  expect(isUnchanged(undefined, metadata, text)).toBe(false)
})
