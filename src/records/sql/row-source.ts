import type { Table } from '../../catalog/catalog.ts'
import type { Operator } from '../../condition/operators.ts'
import { sql } from '../../kernel/sql.ts'
import type { PlannedPath, Predicate } from '../plan/planned-predicate.ts'
import type { PlannedOrder } from '../plan/record-plan.ts'
import { storageOf } from './adopted-storage.ts'
import type { Expression } from './expression.ts'
import { type Aliases, Row } from './from-clause.ts'
import { idLiteral } from './id-literal.ts'

/** The condition and the orders of a list, a total, or groups. */
export interface RowsRead {
  readonly where: Predicate
  readonly orders?: readonly PlannedOrder[]
}

export interface RowSource {
  readonly row: Row
  /** The text after `from`. */
  readonly tables: Expression
}

/**
 * The rows of a table. No index of the table has sys_updated_at, because every update changes it (docs/decisions/0028). If an order or a
 * range needs it, it is read from docket_system.updated_record, which has one row for each record.
 */
export function sourceOf(table: Table, aliases: Aliases, { where, orders = [] }: RowsRead): RowSource {
  const alias = aliases.next()
  const records = sql`${storageOf(table)} as ${sql.id(alias)}`
  const isOrdered = orders[0] !== undefined && isUpdateTime(orders[0].fieldPath)
  if (table.updateOrder === null || !(isOrdered || hasRangeOfUpdates(where))) {
    return { row: new Row(alias, table), tables: records }
  }
  const update = aliases.next()
  return {
    row: new UpdatedRow(alias, table, { update, isOrdered }),
    tables: sql`${records} join docket_system.updated_record as ${sql.id(update)}
      on ${sql.id(update, 'table_id')} = ${idLiteral(table.updateOrder)} and ${sql.id(update, 'record_id')} = ${sql.id(alias, 'sys_id')}`,
  }
}

/** A row whose sys_updated_at is read from docket_system.updated_record. */
class UpdatedRow extends Row {
  readonly #update: string
  readonly #otherWorkers: Readonly<Record<string, string>>

  /** @param isOrdered rows are in order of sys_updated_at, then sys_id: one index has both */
  constructor(alias: string, table: Table, { update, isOrdered }: { update: string; isOrdered: boolean }) {
    super(alias, table)
    this.#update = update
    this.#otherWorkers = { sys_updated_at: 'updated_at', ...(isOrdered && { sys_id: 'record_id' }) }
  }

  override storage(name: string): Expression {
    const column = this.#otherWorkers[name]
    return column === undefined ? super.storage(name) : sql.id(this.#update, column)
  }
}

const isUpdateTime = ({ hops, column, visible }: PlannedPath): boolean =>
  hops.length === 0 &&
  column.name === 'sys_updated_at' &&
  column.displayed === undefined &&
  visible.kind === 'constant' &&
  visible.value

/** Whether the condition restricts sys_updated_at to a range. */
function hasRangeOfUpdates(predicate: Predicate): boolean {
  if (predicate.kind === 'all') return predicate.of.some(hasRangeOfUpdates)
  if (predicate.kind !== 'comparison' || predicate.comparison.fieldPath === null) return false
  return isUpdateTime(predicate.comparison.fieldPath) && RANGES.has(predicate.comparison.operator)
}

const RANGES: ReadonlySet<Operator> = new Set([
  '=',
  '<',
  '>',
  '<=',
  '>=',
  'IN',
  'BETWEEN',
  'ON',
  'RELATIVEGT',
  'RELATIVEGE',
  'RELATIVELT',
  'RELATIVELE',
  'RELATIVEEE',
])
