import type { Catalog, LoggedWords, Table } from '../catalog/catalog.ts'
import type { GivenIdColumn, WellKnownIds } from '../column-types/record-key.ts'
import { CHOICES, CHOICES_OF } from './choice-values.ts'
import { meaningsIn, nameHere, renamedColumns } from './column-meanings.ts'

/** What the names of this API are made from. */
export interface Words {
  readonly catalog: Catalog
  /** Gives the displayed name of a table. */
  readonly nameOf: (table: string) => string
  readonly idPrefix: string
}

type WordsOfClass = LoggedWords['sets'][number]

/**
 * The names and values of this API for a log that has those of the dictionary. Most classes of a hierarchy share one set, which is
 * a constant of the statement.
 */
export function loggedWords({ catalog, nameOf, idPrefix }: Words): LoggedWords {
  const sets = new Map<string, number>()
  const all: WordsOfClass[] = []
  const setOf = new Map<string, number>()
  for (const table of catalog.tables.values()) {
    const words = wordsOfClass(table)
    const key = JSON.stringify(words)
    const at = sets.get(key) ?? all.push(words) - 1
    sets.set(key, at)
    setOf.set(table.id, at)
  }
  return {
    classStorage: 'table_id',
    columnStorage: 'column_name',
    setOf,
    sets: all,
    tables: new Map([...catalog.tables.values()].map(({ id, name }) => [id, nameOf(name)])),
    ids: { prefix: idPrefix, wellKnown: wellKnownIdsIn(catalog) },
    given: givenIdColumnsIn(catalog),
  }
}

function wordsOfClass(table: Table): WordsOfClass {
  const meanings = meaningsIn(table)
  const renamed = renamedColumns(meanings)
  const names = [...table.columns.values()]
    .map((column) => [column.name, nameHere(column, renamed, meanings)] as const)
    .filter(([own, here]) => own !== here)
  const negated = [...meanings.values()].flatMap((meaning) =>
    typeof meaning !== 'string' && meaning.is === 'not'
      ? [[meaning.of, { true: 'false', false: 'true' }] as const]
      : [],
  )
  return { names: Object.fromEntries(names), texts: Object.fromEntries([...choiceTexts(table), ...negated]) }
}

function choiceTexts({ ancestors, columns }: Table): readonly (readonly [string, Readonly<Record<string, string>>])[] {
  return Object.entries(CHOICES).flatMap(([column, byTable]) => {
    if (columns.get(column)?.ownerTable !== CHOICES_OF) return []
    const values = byTable[ancestors.find((name) => byTable[name] !== undefined) ?? CHOICES_OF] ?? []
    const texts = values.flatMap(({ value, stored, alsoReads = [] }) =>
      [stored, ...alsoReads].map((each) => [each, value] as const),
    )
    return [[column, Object.fromEntries(texts)] as const]
  })
}

/** Columns with ids of another system, of all tables. */
export function givenIdColumnsIn({ tables }: Catalog): readonly GivenIdColumn[] {
  const columns = [...tables.values()].flatMap(({ key }) => key.given ?? [])
  return [...new Map(columns.map((column) => [`${column.schema}.${column.table}`, column])).values()]
}

/** undefined: none. */
export function wellKnownIdsIn({ tables }: Catalog): WellKnownIds | undefined {
  const known = new Map([...tables.values()].flatMap(({ key }) => [...(key.wellKnown ?? [])]))
  return known.size === 0 ? undefined : known
}
