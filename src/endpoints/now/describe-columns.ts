import type { Column, Language, Table } from '../../catalog/catalog.ts'
import type { NamedColumn, Names } from '../../catalog/vocabulary.ts'
import type { ColumnDescription, TableDescription } from '../../contract/meta.ts'
import { TYPES } from '../../now/vocabulary.ts'

/** A column in the form for ServiceNow's clients. */
export interface NowColumn {
  readonly label: string
  readonly name: string
  /** In ServiceNow's terms. */
  readonly type: string
  /** The referenced table; empty: none. */
  readonly reference: string
  readonly mandatory: boolean
  readonly read_only: boolean
  /** Characters; null: no limit. */
  readonly max_length: number | null
  readonly choices: readonly { readonly label: string; readonly value: string }[]
}

interface Words {
  readonly names: Names
  readonly language: Language
}

/** The columns of a table by their names in this API, restricted to those visible to the caller. */
export function describeColumns(
  table: Table,
  { columns }: TableDescription,
  { names, language }: Words,
): Readonly<Record<string, NowColumn>> {
  const known = new Map(columns.map((column) => [column.name, column]))
  const described = names.columnsOf(table).flatMap((name) => {
    const named = names.columnNamed(table, name)
    const stored = named === undefined ? undefined : known.get(storedName(named, known))
    return named === undefined || stored === undefined
      ? []
      : [[name, describe(name, named, stored, { names, language })] as const]
  })
  return Object.fromEntries(described)
}

/** A column of the table that the caller may read if they may read this one. */
function storedName({ via, stored }: NamedColumn, known: ReadonlyMap<string, unknown>): string {
  const { name, displayed } = via[0]?.column ?? stored.column
  if (displayed?.kind !== 'journals') return name
  return displayed.of.find((column) => known.has(column.name))?.name ?? name
}

function describe(
  name: string,
  { via, displayed, isWritable }: NamedColumn,
  stored: ColumnDescription,
  { names, language }: Words,
): NowColumn {
  const { type, displayed: computed, choices } = displayed.column
  const isOwn = via.length === 0 && (computed === undefined || computed.kind === 'choice' || computed.kind === 'filled')
  return {
    label: labelOf(name, displayed.column, stored, language),
    name,
    type: TYPES[type] ?? type,
    reference: isOwn && stored.reference !== null ? names.nameOf(stored.reference.table) : '',
    mandatory: stored.mandatory,
    read_only: stored.read_only || !isWritable,
    max_length: isOwn ? stored.max_length : null,
    choices: isOwn ? choices.map(({ value, titles }) => ({ label: titles[language], value })) : [],
  }
}

function labelOf(name: string, { displayed, titles }: Column, stored: ColumnDescription, language: Language): string {
  if (displayed?.kind === 'constant') return name
  return displayed?.kind === 'count' || displayed?.kind === 'journals' ? titles[language] : stored.title
}
