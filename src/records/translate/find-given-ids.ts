import type { Catalog, Table } from '../../catalog/catalog.ts'
import type { Names } from '../../catalog/vocabulary.ts'
import type { GivenIdColumn, RecordKey } from '../../column-types/record-key.ts'
import { comparedId, type GivenIds, isGivenId } from '../../column-types/served-id.ts'
import type { Database } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import type { RecordRequest } from '../parse/record-request.ts'

/**
 * Looks up the ids of another system that a request of another API contains: in its path, its conditions and its body. They are
 * looked up before the statement of the request, because conditions and plans compare numbers. An id never changes its record,
 * so the result is as good as one from the same snapshot (docs/decisions/0033-given-ids.md). No statement is sent for requests without such ids,
 * or without tables that have them.
 */
export function findGivenIds(
  request: RecordRequest,
  catalog: Catalog,
  database: Database,
): Promise<GivenIds> | GivenIds {
  const names = request.face?.namesIn(catalog)
  if (names === undefined) return NO_GIVEN_IDS
  if (names.givenIdColumns.length === 0) return names.readWellKnown
  const ids = idsIn([request.sysId, request.query, [...request.body.values()]], names.idPrefix)
  return ids.length === 0 ? names.readWellKnown : lookUp(ids, names.givenIdColumns, { names, database })
}

const NO_GIVEN_IDS: GivenIds = { sysIdOf: () => null }

/** The sys_id of a text outside of a record request; '' is that of no record. */
export async function readServedSysId(text: string, table: Table, { names, database }: Served): Promise<string> {
  const ids = idsIn(text, names.idPrefix)
  const isKnown = table.key.given === undefined || ids.length === 0
  const given = isKnown ? names.readWellKnown : lookUp(ids, [table.key.given], { names, database })
  return names.readSysId(text, table, await given)
}

/** The id of a record as responses contain it. */
export async function writeServedSysId(
  sysId: string,
  table: string,
  { names, database, catalog }: Served & { readonly catalog: Catalog },
): Promise<string> {
  const column = catalog.tables.get(table)?.key.given
  if (column === undefined) return names.writeSysId(sysId, table)
  const [row] = await database.rows<{ readonly id: string | null }>(
    sql`select g.${sql.id(column.column)} as id from ${sql.id(column.schema, column.table)} as g where g.sys_id = ${sysId}::bigint`,
  )
  return row?.id ?? names.writeSysId(sysId, table)
}

interface Served {
  readonly names: Names
  readonly database: Database
}

/** Members of lists are separated by commas or `@`. A longer text is no list of ids. */
const maxUnits = 100_000

function idsIn(value: unknown, ownPrefix: string): readonly string[] {
  const found = new Set<string>()
  const visit = (each: unknown): void => {
    if (typeof each === 'string') {
      for (const part of each.length > maxUnits ? [] : each.split(/[,@]/)) {
        const id = comparedId(part)
        if (isGivenId(id) && !id.startsWith(ownPrefix)) found.add(id)
      }
    } else if (typeof each === 'object' && each !== null) Object.values(each).forEach(visit)
  }
  visit(value)
  return [...found]
}

interface Found {
  readonly place: string
  readonly given: string
  readonly id: string
}

async function lookUp(
  ids: readonly string[],
  columns: readonly GivenIdColumn[],
  { names: { readWellKnown }, database }: Served,
): Promise<GivenIds> {
  // The unique index of the column is on the folded text.
  const parts = columns.map(
    (each) => sql`select ${placeOf(each)}::text as place, lower(g.${sql.id(each.column)}) as given, g.sys_id::text as id
      from ${sql.id(each.schema, each.table)} as g where docket_system.fold(g.${sql.id(each.column)}) = any(${ids}::text[])`,
  )
  const found = await database.rows<Found>(sql`${sql.join(parts, sql` union all `)}`)
  const byPlace = new Map(found.map(({ place, given, id }) => [`${place} ${given}`, id]))
  const anywhere = new Map(found.map(({ given, id }) => [given, id]))
  return {
    sysIdOf(id, key: Pick<RecordKey, 'kind' | 'given' | 'wellKnown'> | null) {
      const found =
        key === null ? anywhere.get(id) : byPlace.get(`${key.given === undefined ? '' : placeOf(key.given)} ${id}`)
      return found ?? readWellKnown.sysIdOf(id, key)
    },
  }
}

const placeOf = ({ schema, table }: GivenIdColumn): string => `${schema}.${table}`
