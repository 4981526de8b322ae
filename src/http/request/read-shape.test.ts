import { expect, test } from 'vitest'
import { z } from 'zod'
import { inRussian } from '../response/russian-error-details.ts'
import { readShape } from './read-shape.ts'

const Shape = z.strictObject({
  name: z.string().min(2).max(4).optional(),
  rows: z
    .array(z.strictObject({ query_id: z.string(), gain: z.number().min(0).max(9).optional() }))
    .min(1)
    .max(2),
})
const row = { query_id: 'a' }

test.each([
  [{ rows: [row], names: 'x' }, 'names', 'nothing of this name is expected here; did you mean name?'],
  [{ rows: [row], other: 1 }, 'other', 'nothing of this name is expected here; known: name, rows'],
  [{ rows: [{ ...row, gains: 1 }] }, 'rows.0.gains', 'nothing of this name is expected here; did you mean gain?'],
  [{ rows: [row, { gain: 1 }] }, 'rows.1.query_id', 'it is missing'],
  [{ rows: [] }, 'rows', 'it has 0 members; needed: at least 1'],
  [{ rows: [row, row, row] }, 'rows', 'it has 3 members; allowed: at most 2'],
  [{ rows: [{ ...row, gain: -1 }] }, 'rows.0.gain', 'it is -1; needed: at least 0'],
  [{ rows: [{ ...row, gain: 10 }] }, 'rows.0.gain', 'it is 10; allowed: at most 9'],
  [{ rows: [row], name: 'x' }, 'name', 'it is 1 characters long; needed: at least 2'],
  [{ rows: [row], name: 'xxxxx' }, 'name', 'it is 5 characters long; allowed: at most 4'],
])('%j: %s', (body, field, detail) => {
  expect(readShape(Shape, body)).toEqual({ ok: false, error: { kind: 'invalid-value', field, detail } })
  expect(inRussian(detail)).toMatch(/[а-я]/)
  expect(inRussian(detail)).not.toMatch(/\b(expected|allowed|needed|members|mean)\b/)
})
