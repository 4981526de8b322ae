import type { ChangeEventResponse } from '../../contract/events.ts'
import type { EventIds } from './event-ids.ts'
import type { VisibleChange } from './visible-changes.ts'

/** A change in the form that clients receive. */
export function changeEvent(change: VisibleChange, ids: EventIds): ChangeEventResponse {
  const { position, operation, table, recordId, changedAt, changedBy } = change
  const changes = Object.entries(change.changes).map(
    ([column, stored]) => [column, valuesOf(operation, stored)] as const,
  )
  return {
    id: ids.idOf(position),
    operation,
    table,
    sys_id: recordId,
    changed_at: changedAt,
    changed_by: changedBy,
    changes: Object.fromEntries(changes),
  }
}

function valuesOf(operation: VisibleChange['operation'], stored: unknown): { old_value: unknown; new_value: unknown } {
  if (operation === 'create') return { old_value: null, new_value: stored }
  if (operation === 'delete') return { old_value: stored, new_value: null }
  const [old, now] = stored as readonly [unknown, unknown]
  return { old_value: old, new_value: now }
}
