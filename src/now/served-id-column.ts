import type { Column, Table } from '../catalog/catalog.ts'
import { GIVEN_ID } from '../catalog/given-ids.ts'
import type { NamedColumn } from '../catalog/vocabulary.ts'

/** Stands for the sys_id in conditions on its order. No request can name it: a name has no space. */
export const SERVED_ID = 'served id'

/**
 * The sys_id as it is served, in a hierarchy whose records may have ids of another system, or some of which have well-known ids: a
 * text, in the order of its bytes.
 * undefined: the numbers of the records have the same order.
 */
export function servedIdColumn(table: Table, prefix: string): NamedColumn | undefined {
  const key = table.columns.get(table.keyColumn)
  const given = table.columns.get(GIVEN_ID)?.storage ?? null
  const { given: ofOthers, wellKnown } = table.key
  if ((ofOthers === undefined && wellKnown === undefined) || key === undefined || key.storage === null) return undefined
  const served = ofOthers === undefined ? null : given
  const column: Column = {
    ...key,
    key: { ...table.key, kind: 'text', parts: [] },
    displayed: { kind: 'served-id', storage: key.storage, given: served, ids: { prefix, wellKnown } },
    indexed: { values: true, computed: true, parts: false, folded: false },
  }
  const displayed = { table, column }
  return { via: [], displayed, stored: displayed, isWritable: false }
}
