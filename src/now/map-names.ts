import type { Catalog, Column, Table } from '../catalog/catalog.ts'
import type { Face, NamedColumn, Names } from '../catalog/vocabulary.ts'
import { OWN_KEY } from '../column-types/record-key.ts'
import { printServedId, readServedId, wellKnownIdsOf } from '../column-types/served-id.ts'
import { withAddedRows } from './added-rows.ts'
import { givenIdColumnsIn, wellKnownIdsIn } from './logged-words.ts'
import { type ColumnNames, classBelow, namesOfColumns } from './map-column-names.ts'
import { readComparison } from './read-condition.ts'
import { asParameter } from './read-parameter-condition.ts'
import { withoutNullWord, withStoredTexts } from './read-stored-text.ts'
import { isMasked, readValue } from './read-value.ts'
import { SERVED_ID, servedIdColumn } from './served-id-column.ts'
import { NAMED_BY, TABLES } from './vocabulary.ts'

/** ServiceNow's API. @param idPrefix prefix of the sys_ids of this database */
export function serviceNowFace(idPrefix: string): Face {
  const known = new WeakMap<Catalog, Names>()
  return {
    name: 'now',
    namesIn(catalog) {
      const names = known.get(catalog) ?? namesIn(catalog, idPrefix)
      known.set(catalog, names)
      return names
    },
  }
}

/** Path of records, in front of the table name. */
export const TABLE_PATH = '/api/now/table'

function namesIn(catalog: Catalog, idPrefix: string): Names {
  const ownNames = new Map(Object.entries(TABLES).map(([own, here]) => [here, own]))
  const columns = new Map<string, ColumnNames>()
  const nameOf = (table: string): string => TABLES[table] ?? (ownNames.has(table) ? `u_${table}` : table)
  const tables = new Map([...catalog.tables.values()].map((table) => [nameOf(table.name), table]))

  const displayed = new Map(
    [...tables.values()].flatMap((table) => {
      const as = withAddedRows(table, catalog)
      return as === undefined ? [] : [[table.name, as] as const]
    }),
  )

  const columnsIn = (table: Table): ColumnNames => {
    const named = columns.get(table.name) ?? namesOfColumns(table, { catalog, nameOf, idPrefix })
    columns.set(table.name, named)
    return named
  }
  const nameOfColumn = (table: string, column: string): string => {
    const known = catalog.tables.get(table)
    return known === undefined ? column : nameIn(columnsIn(known), column)
  }
  return {
    face: 'now',
    idPrefix,
    givenIdColumns: givenIdColumnsIn(catalog),
    wellKnownIds: wellKnownIdsIn(catalog),
    readWellKnown: wellKnownIdsOf([...catalog.tables.values()].map(({ key }) => key)),
    unknownNames: unknownNamesOf(catalog),
    tableNamed: (name) => tables.get(name),
    asDisplayed: (table) => displayed.get(table.name) ?? table,
    nameOf,
    columnNamed: (table, name) =>
      columnsIn(table).get(name) ?? (name === SERVED_ID ? servedIdColumn(table, idPrefix) : undefined),
    columnAsDisplayed: (table, column) => displayedAs(columnsIn(table), column),
    classBelow: (table) => classBelow(table, catalog),
    nameOfColumn,
    columnsOf: (table) => [...columnsIn(table).keys()],
    addressOf: (table) => `${TABLE_PATH}/${nameOf(table)}/`,
    readComparison(comparison, column, given) {
      const ids = { prefix: idPrefix, given }
      const stored = withStoredTexts(withoutNullWord(comparison, column), column)
      const read = asParameter(stored, column, { ...ids, catalog, nameOfColumn })
      // A display value is a text of another column.
      return read.path.length === comparison.path.length ? readComparison(read, column, ids) : read
    },
    readValue: (value, column, given) => readValue(value, column, { prefix: idPrefix, given }),
    isMasked,
    alsoNamedBy: (table) => NAMED_BY[table] ?? [],
    readSysId: (text, { key }, given) => readServedId(text, key, { prefix: idPrefix, given }) ?? '',
    writeSysId: (sysId, table) => printServedId(sysId, catalog.tables.get(table)?.key ?? OWN_KEY, idPrefix),
  }
}

/** Properties that instances have, too, but for the second. */
function unknownNamesOf({ properties }: Catalog): Names['unknownNames'] {
  if (properties.get('docket.invalid_query') === 'error') return 'error'
  return properties.get('glide.invalid_query.returns_no_rows') === 'true' ? 'no-rows' : 'ignored'
}

function displayedAs(columns: ColumnNames, column: Column): Column {
  const named = [...columns.values()].find(
    ({ via, stored, displayed }) =>
      via.length === 0 && stored.column.name === column.name && isDisplayedAsOther(displayed.column),
  )
  return named?.displayed.column ?? column
}

const isDisplayedAsOther = ({ displayed }: Column): boolean =>
  displayed?.kind === 'choice' || displayed?.kind === 'filled'

function nameIn(columns: ColumnNames, column: string): string {
  const isOf = ([, { via, stored }]: readonly [string, NamedColumn]): boolean =>
    (via[0]?.column.name ?? stored.column.name) === column
  return [...columns].find(isOf)?.[0] ?? column
}
