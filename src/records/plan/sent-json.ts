import type { Column } from '../../catalog/catalog.ts'
import { columnTypeOf, isJson, refersToMany } from '../../column-types/column-types.ts'
import { storableJson } from '../../column-types/storable-json.ts'

/**
 * The body's value of a column in the form of a read: a reference as its sys_id, the number of a column that is read as text as a text.
 * It is compared with the stored value. null: no stored value can equal it.
 */
export function sentJson(value: unknown, column: Column): string | null {
  if (refersToMany(column) && column.reference !== null) return joinedJson(withoutLink(value))
  const plain = isJson(column) ? value : withoutLink(value)
  return storableJson(
    typeof plain === 'number' && columnTypeOf(column).write.readsAsText === true ? String(plain) : (plain ?? null),
  )
}

/** A read returns a list of references as one text with commas; a body may also have an array. */
function joinedJson(value: unknown): string | null {
  if (!Array.isArray(value)) return storableJson(value === '' ? null : (value ?? null))
  const ids = value.map((member: unknown) => String(withoutLink(member)))
  return storableJson(ids.length === 0 ? null : ids.join(','))
}

/** The value of `{"value":…,"link":…}`. */
function withoutLink(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'value' in value ? value.value : value
}
