import { isJson } from '../column-types/column-types.ts'
import { hasLongNumber, withDigitsAsText } from '../kernel/exact-json.ts'
import type { Column, Table } from './catalog.ts'

/**
 * Only json columns hold numbers of any length. For the others, a `LongNumber` becomes a text of its digits.
 *
 * @returns the same entries when none has to change
 */
export function withReadableNumbers(values: readonly Entry[], { columns }: Table): readonly Entry[] {
  const isLong = ([name, value]: Entry): boolean => hasLongNumber(value) && !mayHoldLongNumbers(columns.get(name))
  if (!values.some(isLong)) return values
  return values.map((entry): Entry => (isLong(entry) ? [entry[0], withDigitsAsText(entry[1])] : entry))
}

const mayHoldLongNumbers = (column: Column | undefined): boolean => column !== undefined && isJson(column)

type Entry = readonly [name: string, value: unknown]
