import type { Column, Table } from '../catalog/catalog.ts'
import { ALL_TABLES, COLUMNS, COLUMNS_OF_DESCENDANTS, type Meaning } from './vocabulary.ts'

/** The name of a column in this API; prefixed if the vocabulary uses its own name for something else. */
export function nameHere({ name }: Column, renamed: ReadonlyMap<string, string>, meanings: Meanings): string {
  return renamed.get(name) ?? (meanings.has(name) ? `u_${name}` : name)
}

/** What the names of a table's columns refer to, by the name in this API. */
type Meanings = ReadonlyMap<string, Meaning>

export function meaningsIn({ ancestors, name }: Table): Meanings {
  const below = COLUMNS_OF_DESCENDANTS[name]
  const owners = [...ancestors.toReversed(), ...(below === undefined ? [] : [below])]
  return new Map<string, Meaning>(
    [ALL_TABLES, ...owners.map((owner) => COLUMNS[owner] ?? {})].flatMap(Object.entries<Meaning>),
  )
}

/** Names that replace those of columns. */
export const renamedColumns = (meanings: Meanings): ReadonlyMap<string, string> =>
  new Map([...meanings].flatMap(([name, meaning]) => columnNamedBy(meaning).map((column) => [column, name] as const)))

function columnNamedBy(meaning: Meaning): readonly string[] {
  if (typeof meaning === 'string') return [meaning.split('.')[0] ?? '']
  switch (meaning.is) {
    case 'class':
      return ['sys_db_table_id']
    case 'constant':
    case 'updates':
    case 'journals':
      return []
    case 'type':
      return ['column_type_id']
    case 'referenced-table':
      return ['reference_id']
    case 'type-name':
      return ['name']
    default:
      return [meaning.of ?? (meaning.is === 'column-name' ? 'column_name' : 'name')]
  }
}
