import type { Column, Table } from '../catalog/catalog.ts'
import { GIVEN_ID } from '../catalog/given-ids.ts'
import type { NamedColumn, Names } from '../catalog/vocabulary.ts'
import { columnTypeOf } from '../column-types/column-types.ts'
import { givenIdIn } from '../column-types/served-id.ts'

/** A record of another system in the words of the dictionary. */
export interface ReadRecord {
  readonly values: Readonly<Record<string, unknown>>
  /** Columns of the file that have no counterpart. */
  readonly ignored: readonly string[]
}

/**
 * Converts the values of an exported record to those of an import: names, states and other choices, ids. References stay as they are
 * written: an import finds their records by the column with given ids.
 *
 * @param userOf the sys_id of a user by name; null: there is none
 */
export function readExportedValues(
  exported: Readonly<Record<string, string>>,
  table: Table,
  { names, userOf }: { readonly names: Names; readonly userOf: (userName: string) => string | null },
): ReadRecord {
  const values: Record<string, unknown> = {}
  const ignored: string[] = []
  for (const [name, text] of Object.entries(exported)) {
    const named = names.columnNamed(table, name)
    const author = named === undefined ? null : authorColumnOf(named)
    if (name === table.keyColumn) Object.assign(values, idOf(text, table, names))
    else if (author !== null) values[author] = userOf(text)
    else if (named === undefined || isSecret(named.stored.column)) ignored.push(name)
    else if (isStored(named)) values[named.stored.column.name] = storedValue(text, exported, { names, table, named })
  }
  return { values, ignored }
}

/** The id of another system, or the key of one of our own records. */
function idOf(text: string, table: Table, names: Names): Readonly<Record<string, string>> {
  const given = table.key.given === undefined ? null : givenIdIn(text, table.key, names.idPrefix)
  if (given !== null) return { [GIVEN_ID]: given }
  const own = table.key.kind === 'whole' ? names.readSysId(text, table, names.readWellKnown) : ''
  return own === '' ? {} : { [table.keyColumn]: own }
}

/** Computed columns and constants follow from the others. */
const isStored = ({ via, isWritable, displayed, stored: { column } }: NamedColumn): boolean =>
  via.length === 0 && !COMPUTED.has(displayed.column.displayed?.kind) && (isWritable || column.readOnly)

const COMPUTED: ReadonlySet<string | undefined> = new Set(['constant', 'count', 'lookup', 'negated'])

const isSecret = (column: Column): boolean => columnTypeOf(column).secret !== undefined

/** `sys_created_by` and `sys_updated_by` are texts in exports, and references here. */
function authorColumnOf({ via: [hop], stored }: NamedColumn): string | null {
  const isAuthor = hop?.column.name === 'sys_created_by' || hop?.column.name === 'sys_updated_by'
  return isAuthor && stored.column.name === 'user_name' ? hop.column.name : null
}

interface Ground {
  readonly names: Names
  readonly table: Table
  readonly named: NamedColumn
}

function storedValue(
  text: string,
  exported: Readonly<Record<string, string>>,
  { names, table, named }: Ground,
): unknown {
  const { column } = named.stored
  const { displayed } = names.columnAsDisplayed(table, column)
  if (displayed?.kind !== 'choice') return names.readValue(text, column, names.readWellKnown)
  const choices = displayed.classes.find(({ ids }) => ids.includes(table.id))
  const { split } = choices ?? {}
  const by = split == null || text !== split.displayed ? undefined : split.stored.get(exported[split.by] ?? '')
  return by ?? choices?.stored.get(text) ?? names.readValue(text, column, names.readWellKnown)
}
