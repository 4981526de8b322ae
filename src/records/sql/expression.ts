import type { RawBuilder } from 'kysely'
import type { PlannedPath } from '../plan/planned-predicate.ts'

/** A piece of SQL with a value. */
export type Expression = RawBuilder<unknown>

/** Where a test finds the values that it compares. */
export interface WalkedValues {
  /** The value at the end of a walk from the row at hand. */
  valueOf(fieldPath: PlannedPath): Expression
  /** A condition on the record whose sys_id stands at the end of a walk; null where that may not be seen. */
  whereVisible(fieldPath: PlannedPath, condition: (record: NamedRecord) => Expression | null): Expression | null
}

/** A row that is found by its sys_id. */
export interface NamedRecord {
  isRequested(sysId: Expression): Expression
  isAmong(names: Expression): Expression
  refersTo(
    column: PlannedPath['column'],
    target: { readonly one: Expression } | { readonly among: Expression },
  ): Expression | null
}
