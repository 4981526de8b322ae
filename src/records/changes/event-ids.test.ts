import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventIds } from './event-ids.ts'

const ids = eventIds(Buffer.alloc(32, 7))
const position = fc.bigInt({ min: 0n, max: 999_999_999_999_999_999n }).map(String)

test('an id and a mark give their position back, and to nobody else', () => {
  fc.assert(
    fc.property(position, (at) => {
      expect(ids.positionOf(ids.idOf(at))).toBe(at)
      expect(ids.positionOf(ids.markOf(at))).toBe(at)
      expect(eventIds(Buffer.alloc(32, 8)).positionOf(ids.idOf(at))).toBeNull()
    }),
  )
})

test('a change has one id; a mark of the same place is another each time', () => {
  expect(ids.idOf('500000000100000000')).toBe(ids.idOf('500000000100000000'))
  expect(new Set(Array.from({ length: 100 }, () => ids.markOf('500000000100000000'))).size).toBe(100)
})

test('what nobody was given is no id', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_-]{22}$/)), (text) => {
      expect(ids.positionOf(text)).toBeNull()
    }),
  )
})
