import type { Session } from '../../database/database.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import { conversionOf } from './convert-type.ts'
import type { ColumnDefinition, StoragePlace } from './definition.ts'
import type { Loss } from './storage-change.ts'

/** What would be lost; only non-zero counts. */
export interface CountedLoss {
  /** The name for sysparm_confirm: a table, or table.column. */
  readonly name: string
  readonly what: string
  readonly count: number
}

export async function countLosses(session: Session, losses: readonly Loss[]): Promise<readonly CountedLoss[]> {
  const counted: CountedLoss[] = []
  for (const loss of losses) {
    const { what, from } = describe(loss)
    const [row] = await session.rows<{ count: string }>(sql`select count(*)::text as count ${from}`)
    const count = Number(row?.count ?? 0)
    if (count > 0) counted.push({ name: loss.name, what, count })
  }
  return counted
}

function describe(loss: Loss): { readonly what: string; readonly from: Sql<unknown> } {
  switch (loss.kind) {
    case 'rows':
      return {
        what: 'records',
        from: sql`from ${place(loss.table.storage)} where sys_db_table_id = ${loss.table.id}::bigint`,
      }
    case 'values':
      return {
        what: 'values',
        from: sql`from ${place(loss.column.storage)} where ${stored(loss.column)} is not null`,
      }
    case 'misfits':
      return {
        what: `values that cannot be converted to ${loss.after.type}`,
        from: sql`from ${place(loss.before.storage)} where ${misfits(loss.before, loss.after)}`,
      }
    case 'long-texts':
      return {
        what: `texts longer than ${loss.maxLength} characters`,
        from: sql`from ${place(loss.column.storage)} where length(${stored(loss.column)}::text) > ${loss.maxLength}`,
      }
    default:
      return unreachable(loss)
  }
}

export const place = ({ schema, table }: StoragePlace): Sql<unknown> => sql.id(schema, table)

/** The column of PostgreSQL's table. */
export function stored({ storageColumn, name }: ColumnDefinition): Sql<unknown> {
  if (storageColumn === null) throw new Error(`the column ${name} has no place in its table`)
  return sql.id(storageColumn)
}

/** Condition for stored values that cannot be converted to the new type, on the rows of the table, which has no alias. */
export function misfits(before: ColumnDefinition, after: ColumnDefinition): Sql<unknown> {
  const keeps = conversionOf(before, after)?.keeps ?? null
  if (keeps === null || before.storageColumn === null) return sql`false`
  // With its table: the table of a reference, which the condition reads, may have a column of this name.
  const value = sql.id(before.storage.schema, before.storage.table, before.storageColumn)
  return sql`${value} is not null and (${keeps(value)}) is not true`
}
