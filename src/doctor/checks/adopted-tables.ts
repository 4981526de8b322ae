import { type Adoption, adoptSchema } from '../../adopt/adopt-schema.ts'
import type { PlannedTable } from '../../adopt/plan-adoption.ts'
import { sql } from '../../kernel/sql.ts'
import { type Check, type DatabaseGround, type Finding, listNames } from '../check.ts'

/** Adopted tables that are not what the dictionary says of them any more: what `docket adopt` would change. */
export const checkAdoptedTables: Check<DatabaseGround> = {
  name: 'adopted tables',
  async run({ database }) {
    const schemas = await database.rows(sql<{ name: string; tables: string[] }>`
      select storage_schema as name, array_agg(storage_table::text order by storage_table) as tables
      from docket.sys_db_table where adopted_key is not null group by storage_schema order by storage_schema`)
    const findings: Finding[] = []
    for (const { name: schema, tables } of schemas) {
      const wanted = { schema, tables: null, keys: new Map(), grants: [], isDryRun: true }
      const planned = await adoptSchema(database, wanted)
      const drifted = planned.ok ? driftOf(planned.value, tables) : [`the schema ${schema} is gone`]
      if (drifted.length > 0) findings.push(driftedFrom(schema, drifted))
    }
    const count = schemas.reduce((sum, { tables }) => sum + tables.length, 0)
    return { summary: `${count}`, findings }
  },
}

function driftedFrom(schema: string, drifted: readonly string[]): Finding {
  const what = 'Adopted tables differ from what the dictionary says of them'
  return {
    fault: 'adopted-table-drifted',
    what,
    where: listNames(drifted),
    cure: `docket adopt --schema ${schema} (with --dry-run it only says what it would do)`,
  }
}

function driftOf({ tables, gone, rejected }: Adoption, adopted: readonly string[]): readonly string[] {
  return [
    ...gone.map(({ name }) => `${name} is gone`),
    ...rejected.filter(({ table }) => adopted.includes(table)).map(({ table, why }) => `${table}: ${why}`),
    ...tables.flatMap(changesOf),
  ]
}

function changesOf({ name, before, described, columns, dropped }: PlannedTable): readonly string[] {
  if (before === null) return []
  return [
    ...dropped.map((column) => `${name}.${column.name} is gone`),
    ...columns.filter((column) => column.before === null).map((column) => `${name}.${column.name} is new`),
    ...columns.flatMap((column) => column.changes.map((change) => `${name}.${column.name}: ${change}`)),
    ...(before.isReadOnly === described.isReadOnly ? [] : [`${name}: read-only or not`]),
  ]
}
