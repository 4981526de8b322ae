import type { RawBuilder } from 'kysely'
import type { PlannedWalk } from '../plan/record-plan.ts'

/** A piece of SQL with a value. */
export type Expression = RawBuilder<unknown>

/** Where a test finds the values that it compares. */
export interface WalkedValues {
  /** The value at the end of a walk from the row at hand. */
  valueOf(walk: PlannedWalk): Expression
}
