import type { Table } from '../../catalog/catalog.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import type { Operator } from '../../condition/operators.ts'
import type { Rights } from './plan-row-access.ts'
import type { PlannedPath, Predicate } from './planned-predicate.ts'
import { allOf, flatten, isConstant } from './predicates.ts'
import type { RemovedHistory } from './record-plan.ts'

export interface ListOfLog {
  readonly table: Table
  /** The rows that the caller may read. */
  readonly readable: Predicate
  /** The condition of the caller. */
  readonly where: Predicate
}

/** null: the table is not a view of the log. The result depends on rights and the condition, never on rows. */
export function planRemovedHistory({ table, readable, where }: ListOfLog, rights: Rights): RemovedHistory | null {
  if (systemTable(table.name).viewOfLog !== true) return null
  const seesAll = isConstant(readable, true)
  const isReadable = (owner: Table): boolean => rights.access.decideTable(owner, 'read').grant.kind !== 'never'
  const named = flatten('all', where).filter(namesClasses)
  return {
    classIds: [...rights.catalog.tables.values()].filter((owner) => seesAll || isReadable(owner)).map(({ id }) => id),
    includesGoneTables: seesAll || (readable.kind === 'belongs' && readable.others),
    named: named.length === 0 ? null : allOf(named),
  }
}

/** Whether only the class of a row decides, and the condition names the classes that it is true for. */
function namesClasses(predicate: Predicate): boolean {
  if (predicate.kind === 'any' || predicate.kind === 'all') return predicate.of.every(namesClasses)
  if (predicate.kind !== 'comparison') return false
  const { operator, fieldPath, other } = predicate.comparison
  return NAMES.has(operator) && fieldPath !== null && other === null && isOfClass(fieldPath)
}

const NAMES: ReadonlySet<Operator> = new Set<Operator>(['=', 'IN'])

function isOfClass({ hops: [first], column, visible }: PlannedPath): boolean {
  const own = first ?? { column, visible }
  return own.column.name === 'table_id' && isConstant(own.visible, true)
}
