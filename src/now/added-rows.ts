import type { AddedRows, Catalog, Table } from '../catalog/catalog.ts'
import { CHOICES, CHOICES_OF, type ChoiceValue } from './choice-values.ts'

/** The table as responses display it: with rows that only this API has. undefined: as it is. */
export function withAddedRows(table: Table, catalog: Catalog): Table | undefined {
  const rows = addedRows(table, catalog)
  return rows === null ? undefined : { ...table, addedRows: rows }
}

function addedRows({ name }: Table, catalog: Catalog): AddedRows | null {
  if (name === 'sys_db_column') return { kind: 'row-of-each-table', values: COLLECTION }
  return name === 'sys_choice' ? choices(catalog) : null
}

/** A row of the dictionary that describes a table. */
const COLLECTION = {
  column_name: '',
  active: true,
  read_only: false,
  mandatory: false,
  unique: false,
  full_text_search: false,
  display_by_ref: false,
  is_system: true,
}

/** The displayed values of choices in the place of the stored ones. Their sys_ids are numbers that no record has: those of records have 18 digits. */
function choices(catalog: Catalog): AddedRows | null {
  const hidden: { readonly columnId: string; readonly values: readonly string[] }[] = []
  const rows: Readonly<Record<string, unknown>>[] = []
  for (const [name, byTable] of Object.entries(CHOICES)) {
    const column = catalog.tables.get(CHOICES_OF)?.columns.get(name)
    if (column === undefined) continue
    const values = Object.entries(byTable)
    hidden.push({ columnId: column.id, values: [...new Set(values.flatMap(([, each]) => each.flatMap(storedValues)))] })
    for (const [owner, each] of values) {
      const table = catalog.tables.get(owner)
      if (table === undefined) continue
      for (const [at, { value, en, ru }] of each.entries())
        for (const [language, title] of Object.entries({ en, ru })) {
          const place = { table_id: table.id, column_id: column.id, order: (at + 1) * 100, active: true }
          rows.push({ ...place, sys_id: rows.length + 1, value, title, language })
        }
    }
  }
  return rows.length === 0 ? null : { kind: 'choices', hidden, rows }
}

const storedValues = ({ stored, alsoReads = [] }: ChoiceValue): readonly string[] => [stored, ...alsoReads]
