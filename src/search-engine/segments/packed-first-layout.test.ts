import { expect, test } from 'vitest'
import { storedInFirstLayout } from '../../../test/harness/first-layout-terms.ts'
import { buildFromPacked } from './build-from-packed.ts'
import { buildSegment } from './build-segment.ts'
import { termsOfDocument } from './document-terms.ts'
import { openPackedTerms } from './packed-terms.ts'

test('terms that were stored in the first layout are read: the segment is that of the texts', () => {
  const chunks = Array.from({ length: 40 }, (_, at) => ({
    text: `${'printer '.repeat(at % 7)}and the toner${at % 5} Тонер INC00${at}`,
    headingPath: at % 3 === 0 ? ['Error ERR-42'] : [],
  }))
  const text = { id: 7, docId: 'старый', title: 'Принтер', language: 'en', chunks }
  const stored = Buffer.from(storedInFirstLayout, 'base64')
  const opened = openPackedTerms(7, stored)
  if (opened === undefined) throw new Error('the stored terms are damaged')
  const expected = buildSegment([termsOfDocument(text)])
  expect(Buffer.from(buildFromPacked([opened]).buffer).equals(Buffer.from(expected.buffer))).toBe(true)
  expect(openPackedTerms(8, stored)).toBe(undefined)
  stored[100] = (stored[100] ?? 0) ^ 1
  expect(openPackedTerms(7, stored)).toBe(undefined)
})
