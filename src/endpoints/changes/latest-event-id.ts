import { readEventIds } from '../../records/changes/event-ids.ts'
import type { ChangeWatch } from '../../records/changes/watch-changes.ts'
import type { RecordDeps } from '../../records/record-deps.ts'

export interface LatestEventDeps {
  readonly records: RecordDeps
  readonly watch: ChangeWatch
}

/**
 * An id from which an event stream has every change that is committed after this call. It reveals nothing about changes before. Reads of
 * the user that begin after this call include these.
 */
export async function latestEventId({ records, watch }: LatestEventDeps, userId: string): Promise<string> {
  const [ids, position] = await Promise.all([readEventIds(records.database), watch.now()])
  await records.lagging?.writes.report(userId)
  return ids.markOf(position)
}
