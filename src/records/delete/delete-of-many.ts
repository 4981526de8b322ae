import type { Catalog } from '../../catalog/catalog.ts'
import type { Session } from '../../database/database.ts'
import { fail } from '../../kernel/result.ts'
import type { RecordCall } from '../record-call.ts'
import type { RecordDeps } from '../record-deps.ts'
import type { CallOutcome } from '../request-stages.ts'
import type { Dependent } from './collect-dependents.ts'
import { countByColumn, type DependentsOfColumn } from './count-dependents.ts'
import { deleteInSession } from './delete-record.ts'

/** Records that the deletes of one request may affect besides those that its query finds. Each costs about a millisecond. */
export const MAX_DEPENDENTS_OF_MANY = 10_000

interface Deleting {
  readonly deps: RecordDeps
  readonly catalog: Catalog
  readonly session: Session
  readonly holdsEpochs: boolean
}

/** Deletes records in one transaction, each with what `on_delete` says, and counts the dependents. */
export class DeleteOfMany {
  readonly #deleting: Deleting
  /** Each record once per column, even if several deletes remove members from its list. */
  readonly #dependents = new Map<string, Dependent>()
  #touched = 0

  constructor(deleting: Deleting) {
    this.#deleting = deleting
  }

  async delete(call: RecordCall): Promise<CallOutcome> {
    const { collected, outcome } = await deleteInSession({ ...this.#deleting, call })
    if (outcome?.ok !== true) return outcome
    const dependents = collected?.dependents ?? []
    this.#touched += dependents.length
    if (this.#touched > MAX_DEPENDENTS_OF_MANY)
      return fail({ kind: 'too-many-dependents', max: MAX_DEPENDENTS_OF_MANY })
    for (const each of dependents) this.#dependents.set(`${each.by.column.id} ${each.table.name} ${each.sysId}`, each)
    return outcome
  }

  /** Dependents that were deleted or emptied with the records, as far as the caller may read them. */
  counts(): readonly DependentsOfColumn[] {
    return countByColumn([...this.#dependents.values()], MAX_DEPENDENTS_OF_MANY)
  }
}
