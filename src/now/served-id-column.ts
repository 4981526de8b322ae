import type { Column, Table } from '../catalog/catalog.ts'
import { GIVEN_ID } from '../catalog/given-ids.ts'
import type { NamedColumn } from '../catalog/vocabulary.ts'

/** Stands for the sys_id in conditions on its order. No request can name it: a name has no space. */
export const SERVED_ID = 'served id'

/**
 * The sys_id as it is served, in a hierarchy whose records may have ids of another system: a text, in the order of its bytes.
 * undefined: the numbers of the records have the same order.
 */
export function servedIdColumn(table: Table, prefix: string): NamedColumn | undefined {
  const key = table.columns.get(table.keyColumn)
  const given = table.columns.get(GIVEN_ID)?.storage ?? null
  if (table.key.given === undefined || key === undefined || given === null || key.storage === null) return undefined
  const column: Column = {
    ...key,
    key: { kind: 'text', parts: [], given: table.key.given },
    displayed: { kind: 'served-id', storage: key.storage, given, prefix },
    indexed: { values: true, computed: true },
  }
  const displayed = { table, column }
  return { via: [], displayed, stored: displayed, isWritable: false }
}
