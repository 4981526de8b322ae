import type { Catalog, Table } from './catalog.ts'
import { tableOfOtherName } from './system-tables.ts'

/** The property that gives tables further names: `sys_widget=widget,sys_script=script`. */
export const TABLE_NAMES = 'rest.table_names'

/** The table that a path names. An exact match wins. */
export function tableNamed(
  name: string,
  { tables, properties }: Pick<Catalog, 'tables' | 'properties'>,
): Table | undefined {
  const table = tables.get(name) ?? tables.get(tableOfOtherName(name) ?? '')
  if (table !== undefined) return table
  const given = readTableNames(properties.get(TABLE_NAMES) ?? '').find((entry) => entry.name === name)
  return tables.get(given?.table ?? '')
}

/** The entries of the property. An entry that cannot be read has an empty table. */
export function readTableNames(text: string): readonly { readonly name: string; readonly table: string }[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [name = '', table = ''] = entry.split('=').map((part) => part.trim())
      return { name, table }
    })
}
