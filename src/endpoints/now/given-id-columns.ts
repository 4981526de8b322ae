import type { Catalog, Table } from '../../catalog/catalog.ts'
import { notifyOfServedIds } from '../../catalog/change/index-served-ids.ts'
import { GIVEN_ID } from '../../catalog/given-ids.ts'
import { equalsText } from '../../condition/literal-checks.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import type { RecordService } from '../../records/record-service.ts'

/** The root of the hierarchy can have a column with ids of another system. */
export function takesGivenIds(table: Table, { tables }: Catalog): boolean {
  const root = rootOf(table, tables)
  return root.adopted === null && root.key.aliases === undefined && (root.isExtendable || !root.name.startsWith('sys_'))
}

const rootOf = (table: Table, tables: Catalog['tables']): Table => tables.get(table.ancestors.at(-1) ?? '') ?? table

/**
 * Adds the column with ids of another system to the hierarchy of a table, as the caller. An index on the sys_ids as they are served
 * is built in the background.
 *
 * @returns whether the hierarchy has the column now
 */
export async function addGivenIds(
  { records }: { readonly records: RecordDeps },
  service: RecordService,
  table: Table,
): Promise<Result<boolean, Problem>> {
  const catalog = await records.catalog.upToDate()
  const known = catalog.tables.get(table.name)
  if (known === undefined || known.key.given !== undefined) return succeed(known !== undefined)
  if (!takesGivenIds(known, catalog)) return succeed(false)
  const root = rootOf(known, catalog.tables)
  const type = await service.list({
    table: 'sys_db_column_type',
    query: { where: equalsText(['name'], 'string'), orders: [] },
    fields: ['sys_id'],
    limit: 1,
  })
  if (!type.ok) return type
  const added = await service.create({
    table: 'sys_db_column',
    values: {
      table_id: root.id,
      column_name: GIVEN_ID,
      title: 'Given sys_id',
      column_type_id: type.value.records.rows()[0]?.['sys_id'],
      max_length: 32,
      unique: true,
      read_only: true,
    },
    fields: ['sys_id'],
    inputDisplay: false,
    migrating: false,
  })
  const now = (await records.catalog.upToDate()).tables.get(table.name)
  // Another request may have added it.
  if (now?.key.given === undefined) return added.ok ? succeed(false) : fail(added.error)
  await notifyOfServedIds(records.database)
  return succeed(true)
}
