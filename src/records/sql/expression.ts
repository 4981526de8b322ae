import type { Sql } from '../../kernel/sql.ts'
import type { PlannedPath } from '../plan/planned-predicate.ts'

/** An SQL expression. */
export type Expression = Sql<unknown>

/** Supplies the values of a comparison. */
export interface HopValues {
  /** The value at the end of a field path. */
  valueOf(fieldPath: PlannedPath): Expression
  /** A condition on the row that has the value of a field path; SQL null where the caller may not see that value. */
  whereVisible(fieldPath: PlannedPath, condition: (record: NamedRecord) => Expression | null): Expression | null
}

/** A row that is compared by its sys_id, or by a reference in it. */
export interface NamedRecord {
  isRequested(sysId: Expression): Expression
  isAmong(names: Expression): Expression
  refersTo(
    column: PlannedPath['column'],
    target: { readonly one: Expression } | { readonly among: Expression },
  ): Expression | null
}
