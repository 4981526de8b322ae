import type { Column } from '../catalog/catalog.ts'
import { comparisonOf } from '../column-types/column-types.ts'

/**
 * One text for all texts of values that the database treats as equal, as far as rows of a file can be compared without it.
 *
 * @param text the stored value, as the text of a condition
 */
export function equalText(text: string, column: Column): string {
  switch (comparisonOf(column)) {
    case 'decimal':
      return equalDecimal(text)
    case 'float':
      return String(Number(text) + 0)
    case 'list':
      return JSON.stringify([...new Set(text.split(','))].sort())
    case 'key':
      return column.storageCast?.endsWith('citext') ? foldCase(text) : text
    default:
      return foldCase(text)
  }
}

/** As `docket_system.fold`: each character by itself, so that a capital Σ at the end of a word is like any other. */
const foldCase = (text: string): string => text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase()

const DECIMAL = /^([+-]?)0*(\d*?)(?:\.(\d*?)0*)?$/

function equalDecimal(text: string): string {
  const [, sign, whole, fraction = ''] = DECIMAL.exec(text.trim()) ?? []
  if (whole === undefined) return text.trim().toLowerCase()
  const digits = `${whole}.${fraction}`
  return sign === '-' && digits !== '.' ? `-${digits}` : digits
}
