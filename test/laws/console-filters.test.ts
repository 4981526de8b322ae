import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundariesOf, partsOfLine } from '../../console/src/search/chunk-boundaries.ts'
import {
  type ConditionForm,
  formOf,
  printFilter,
  readFilter,
  termOf,
  valuesTaken,
} from '../../console/src/search/metadata-filter.ts'
import { parseMetadataFilter } from '../../src/condition/parse-encoded-query.ts'
import { printEncodedQuery } from '../../src/condition/print-encoded-query.ts'
import { arbitraryCondition, arbitraryQueryText, treeWithoutPositions } from './arbitrary-query.ts'

/** Any condition on metadata, also with keys that only quotes can name. */
const anyKey = fc.oneof(
  fc.constantFrom('status', 'loc.from', 'projectId', 'a "b" ^NQ=(1)', '.', 'a..b', 'ключ', 'ORDERBY', '__proto__'),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter((key) => key.isWellFormed() && !key.includes('\0')),
)
const anyValue = fc
  .oneof(
    fc.constantFrom('a,b', 'x@y', 'javascript:gs.getUserID()', "'", '^', '(', ')', '=', '\\', ' '),
    fc.string({ minLength: 1, maxLength: 6 }),
  )
  .filter((value) => value.isWellFormed() && !value.includes('\0'))

const form: fc.Arbitrary<ConditionForm> = fc
  .constantFrom(
    '=',
    '!=',
    'LIKE',
    'NOT LIKE',
    'STARTSWITH',
    'ENDSWITH',
    '>',
    '<',
    '<=',
    '>=',
    'IN',
    'NOT IN',
    'ISEMPTY',
    'ISNOTEMPTY',
  )
  .chain((operator) => {
    const [min, max] = { none: [0, 0], one: [1, 1], two: [2, 2], several: [1, 4] }[valuesTaken(operator)] as [
      number,
      number,
    ]
    return fc.record({
      operator: fc.constant(operator),
      values: fc.array(anyValue, { minLength: min, maxLength: max }),
    })
  })

test('what the builder writes is read back as the same conditions, whatever key and values are', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyKey, form), { minLength: 1, maxLength: 4 }), (forms) => {
      const text = printFilter(forms.map(([key, each]) => termOf(key, each)))
      const parsed = parseMetadataFilter(text)
      expect(parsed.ok, text).toBe(true)
      const read = readFilter(text, '')
      if (!read.ok) throw new Error(read.detail)
      expect(printFilter(read.terms)).toBe(text)
      // A form that opens on a condition, and is applied without a change, changes nothing.
      for (const term of read.terms) {
        const opened = formOf(term)
        if (opened !== null) expect(printFilter([termOf(opened.key, opened)])).toBe(printFilter([term]))
      }
    }),
    { numRuns: 500 },
  )
})

test('the values of a form are data: they select what has exactly these values', () => {
  fc.assert(
    fc.property(anyKey, form, (key, each) => {
      const read = readFilter(printFilter([termOf(key, each)]), '')
      if (!read.ok) throw new Error(read.detail)
      const leaves = read.terms.flatMap((term) => (term.kind === 'any' ? term.of : [term]))
      const values = leaves.flatMap((leaf) => formOf(leaf)?.values ?? ['edited as text'])
      expect(new Set(values)).toEqual(new Set(each.values))
      for (const leaf of leaves) expect(formOf(leaf)?.key).toBe(key)
    }),
    { numRuns: 500 },
  )
})

test('a filter that was written by hand keeps its meaning, also where it has no form', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        arbitraryQueryText,
        arbitraryCondition.map((where) => printEncodedQuery({ where, orders: [] })),
      ),
      (text) => {
        const parsed = parseMetadataFilter(text)
        const read = readFilter(text, 'no order')
        expect(read.ok).toBe(parsed.ok && parsed.value.orders.length === 0)
        if (!read.ok || !parsed.ok) return
        const again = parseMetadataFilter(printFilter(read.terms))
        if (!again.ok) throw new Error(again.error.detail)
        const { where } = parsed.value
        expect(again.value.where === null ? null : treeWithoutPositions(again.value.where)).toEqual(
          where === null ? null : treeWithoutPositions(where),
        )
      },
    ),
  )
})

test('the parts of a line are the line, and each boundary stands before the part that begins with it', () => {
  const chunks = fc
    .array(fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 30 })), { maxLength: 6 })
    .map((all) => all.map(([from, length], chunk_index) => ({ chunk_index, from, to: from + length })))
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.nat(20), chunks, (text, from, all) => {
      const boundaries = boundariesOf(all)
      const parts = partsOfLine({ from, text }, boundaries)
      expect(parts.map((part) => part.text).join('')).toBe(text)
      const within = boundaries.filter(({ at }) => at >= from && at <= from + text.length)
      expect(parts.flatMap((part) => part.boundaries)).toEqual(within)
      for (const part of parts) for (const { at } of part.boundaries) expect(at).toBe(part.from)
      for (const { chunk_index, from: begin } of all)
        expect(boundaries).toContainEqual({ at: begin, kind: 'begin', number: chunk_index + 1 })
    }),
  )
})
