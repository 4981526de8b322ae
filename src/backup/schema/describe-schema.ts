import type { Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import { describeFunctions } from './describe-functions.ts'
import {
  describeCollations,
  describeExtensions,
  describeIndexes,
  describeSequences,
  describeStatistics,
  describeTriggers,
  describeViews,
} from './describe-objects.ts'
import { describeConstraints, describeDefaults, describeTables } from './describe-tables.ts'
import { listUncovered } from './list-uncovered.ts'
import { ownSchemas, type ReadStatements, type SchemaStatement } from './schema-statement.ts'

export interface DescribedTable {
  /** In SQL syntax: docket."user". */
  readonly name: string
  /** The columns that COPY transfers, in SQL syntax; generated ones are computed again. */
  readonly columns: string
}

/**
 * Docket's schemas in pg_catalog, as statements that create them again. The database itself writes the definitions, so they include the
 * tables, columns and indexes that administrators created with the dictionary. Two databases with equal descriptions have equal schemas,
 * and a restore compares them.
 */
export interface SchemaDescription {
  /** In a valid order of execution. */
  readonly beforeRows: readonly SchemaStatement[]
  readonly afterRows: readonly SchemaStatement[]
  readonly tables: readonly DescribedTable[]
  /** Objects of kinds that Docket never creates; they are not in the description. */
  readonly uncovered: readonly string[]
}

export async function describeSchema(session: Pick<Session, 'rows'>): Promise<SchemaDescription> {
  const read: ReadStatements = async (query) => {
    const rows = await session.rows(query)
    return rows.map(({ text, needs, fallback }) => ({
      text,
      ...(needs != null && { needs }),
      ...(fallback != null && { fallback }),
    }))
  }
  const schemas = await read(sql`
    select format('create schema if not exists %I', nspname) as text from pg_namespace
    where nspname = any (${ownSchemas}::text[]) order by nspname`)
  const functions = await describeFunctions(read)
  const constraints = await describeConstraints(read)
  return {
    beforeRows: [
      ...schemas,
      ...(await describeExtensions(read)),
      ...(await describeCollations(read)),
      ...(await describeSequences(read)),
      ...functions.withoutRowTypes,
      ...(await describeTables(read)),
      ...functions.withRowTypes,
      ...(await describeDefaults(read)),
    ],
    afterRows: [
      ...constraints.ofTables,
      ...(await describeIndexes(read)),
      ...(await describeStatistics(read)),
      ...constraints.foreignKeys,
      ...(await describeViews(read)),
      ...(await describeTriggers(read)),
    ],
    tables: await readTables(session),
    uncovered: await listUncovered(session),
  }
}

function readTables(session: Pick<Session, 'rows'>): Promise<readonly DescribedTable[]> {
  return session.rows(sql<DescribedTable>`
    select format('%I.%I', n.nspname, c.relname) as name,
      coalesce((select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''), '') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${ownSchemas}::text[]) and c.relkind = 'r' order by 1`)
}
