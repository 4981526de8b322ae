import type { Catalog } from '../../catalog/catalog.ts'

/** The record that a document id names, by the root of its table; null: the table does not exist. */
export function documentParts(
  value: unknown,
  catalog: Catalog,
): { readonly table: string; readonly id: string } | null {
  const digits = typeof value === 'string' ? value.replaceAll('-', '') : ''
  if (!/^[0-9a-f]{32}$/i.test(digits)) return null
  const half = (from: number): string => BigInt.asIntN(64, BigInt(`0x${digits.slice(from, from + 16)}`)).toString()
  let table = catalog.tablesById.get(half(0))
  while (table !== undefined && table.parent !== null) table = catalog.tables.get(table.parent)
  return table?.key.kind === 'whole' ? { table: table.name, id: half(16) } : null
}
