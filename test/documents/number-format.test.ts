import { expect, test } from 'vitest'
import { formatNumber, numberStyleOf } from '../../src/extraction/read/cell-values.ts'

test.each([
  ['0.00', '1234.5', '1234.50'],
  ['#,##0.00', '1234567.891', '1,234,567.89'],
  ['0%', '0.125', '13%'],
  ['0.0%', '0.125', '12.5%'],
  ['#,##0.00\\ "€"', '1234.5', '1,234.50 €'],
  ['[$€-407]#,##0.00', '1234.5', '€1,234.50'],
  ['"CHF" 0.00;[Red]"CHF" (0.00)', '-3', 'CHF (3.00)'],
  ['_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', '1234.5', '$1,234.50'],
  ['0.###', '1.5', '1.5'],
  ['0" pcs"', '12', '12 pcs'],
  ['General', '0.30000000000000004', '0.3'],
  ['0.00E+00', '12345', '12345'],
  ['# ?/?', '0.5', '0.5'],
  ['@', '42', '42'],
  ['yyyy\\-mm\\-dd', '46100', '2026-03-19'],
  ['[h]:mm', '0.5', '12:00:00'],
  ['"day" 0', '3', 'day 3'],
])('%s shows %s as %s (issue 11, 1.4)', (code, value, displayed) => {
  expect(formatNumber(value, numberStyleOf(200, code), false)).toBe(displayed)
})

test.each([
  [2, '2.50'],
  [4, '1,234.50'],
  [10, '250.00%'],
  [14, '1900-01-01'],
])('format %i has a pattern without being written (issue 11, 1.4)', (id, displayed) => {
  const value = id === 4 ? '1234.5' : id === 14 ? '2' : '2.5'
  expect(formatNumber(value, numberStyleOf(id), false)).toBe(displayed)
})
