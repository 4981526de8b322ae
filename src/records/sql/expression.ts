import type { RawBuilder } from 'kysely'
import type { PlannedWalk } from '../plan/planned-predicate.ts'

/** A piece of SQL with a value. */
export type Expression = RawBuilder<unknown>

/** Where a test finds the values that it compares. */
export interface WalkedValues {
  /** The value at the end of a walk from the row at hand. */
  valueOf(walk: PlannedWalk): Expression
  /** A condition on the record whose sys_id stands at the end of a walk; null where that may not be seen. */
  whereVisible(walk: PlannedWalk, condition: (record: NamedRecord) => Expression | null): Expression | null
}

/** A row that is found by its sys_id. */
export interface NamedRecord {
  isAsked(sysId: Expression): Expression
  isAmong(names: Expression): Expression
  refersTo(
    column: PlannedWalk['column'],
    target: { readonly one: Expression } | { readonly among: Expression },
  ): Expression | null
}
