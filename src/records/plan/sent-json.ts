import type { Column } from '../../catalog/catalog.ts'
import { columnTypeOf, isJson, refersToMany } from '../../column-types/column-types.ts'
import { storableJson } from '../../column-types/storable-json.ts'

/**
 * What a body holds for a column, as a read displays it: a reference as its sys_id, digits as a text. It is compared with the
 * stored value. null: no stored value equals it.
 */
export function sentJson(value: unknown, column: Column): string | null {
  if (refersToMany(column) && column.reference !== null) return joinedJson(withoutLink(value))
  const plain = isJson(column) ? value : withoutLink(value)
  return storableJson(
    typeof plain === 'number' && columnTypeOf(column).write.readsAsText === true ? String(plain) : (plain ?? null),
  )
}

/** A list of references is read as a joined text, and may be sent as an array. */
function joinedJson(value: unknown): string | null {
  if (!Array.isArray(value)) return storableJson(value === '' ? null : (value ?? null))
  const ids = value.map((member: unknown) => String(withoutLink(member)))
  return storableJson(ids.length === 0 ? null : ids.join(','))
}

/** The value of `{"value":…,"link":…}`. */
function withoutLink(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'value' in value ? value.value : value
}
