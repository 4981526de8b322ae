import { expect, test } from 'vitest'
import { nestMarks } from './nest-marks.ts'

test('hundreds of marks that nodes have in common are opened and closed together', () => {
  const marks = Array.from({ length: 400 }, () => ({ open: '<b>', close: '</b>', apart: 0 }))
  const count = 300
  const texts = Array.from({ length: count }, () => 'a')
  const html = nestMarks(
    texts,
    texts.map((_, at) => (at % 3 === 2 ? [] : marks)),
  )
  expect(html).toBe(`${'<b>'.repeat(400)}aa${'</b>'.repeat(400)}a`.repeat(count / 3))
})
