import type { ColumnType } from './column-type.ts'
import { noValue } from './json-piece.ts'
import { textType } from './text-type.ts'

/** Displayed by some APIs where there is a value. */
export const MASK = '********'

/** A type whose values nobody can read. They become a hash or a sealed text before the statement runs; here they are texts. */
export function secretType(title: string, secret: 'hashed' | 'sealed'): ColumnType {
  const type = textType(title)
  return {
    ...type,
    secret,
    storage: { type: 'text', index: null },
    compare: 'nothing',
    read: noValue,
    asText: noValue,
    display: { write: noValue },
    convert: { group: 'fixed' },
    schema: { ...type.schema, note: 'Never returned.' },
  }
}
