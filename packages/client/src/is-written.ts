import type { Row } from './table-types.ts'

/** Whether a record contains these values already. Instructions and `find` cannot be compared with their results: false. */
export function isWritten(values: Row, row: Row): boolean {
  return Object.entries(values).every(([name, value]) => name in row && isSame(storedPartOf(value), row[name]))
}

function storedPartOf(value: unknown): unknown {
  return isObject(value) && 'value' in value ? value['value'] : value
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A number may be stored as digits. An empty text is stored as null. */
function isSame(written: unknown, stored: unknown): boolean {
  if (isObject(written)) return false
  if (Array.isArray(written)) return JSON.stringify(written) === JSON.stringify(stored)
  return String(written ?? '') === String(stored ?? '')
}
