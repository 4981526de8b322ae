import type { ColumnType } from './column-type.ts'
import { readText } from './given-value.ts'
import { scalar } from './json-piece.ts'

/** A type whose values are texts. */
export function textType(title: string, value = readText): ColumnType {
  return {
    title,
    storage: { type: 'text', index: 'btree' },
    compare: 'text',
    read: scalar,
    asText: scalar,
    write: { value },
    display: { write: scalar },
    convert: { group: 'text' },
    aggregate: {},
    schema: { stored: () => ({ type: 'string' }) },
  }
}
