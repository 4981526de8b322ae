import { sql } from '../kernel/sql.ts'
import { type WorkBehindChanges, workBehindChanges } from '../records/changes/work-behind-changes.ts'
import type { FollowSyncDeps } from './follow-settings.ts'
import { followedCollections, syncCollection, TURN_FAILED } from './sync-collection.ts'

/** Keeps every followed collection in step with the log of changes. Every process takes part in the work. */
export function runFollows(deps: FollowSyncDeps, onError: (error: unknown) => void): WorkBehindChanges {
  return workBehindChanges(
    deps.watch,
    async (stopping) => {
      for (;;) {
        const collections = await followedCollections(deps)
        let hasMore = false
        // Takes one step of each collection in turn, so that a full resync of an hour does not delay the others.
        for (const id of collections) {
          if (stopping.aborted) return false
          const hasMoreHere = await syncCollection(deps, id).catch((error: unknown) =>
            storeError(deps, id, error, onError),
          )
          hasMore ||= hasMoreHere
        }
        if (!hasMore) return collections.length > 0
      }
    },
    onError,
  )
}

/** An error in one collection must not delay the others; it is stored for the administrator. */
async function storeError(
  { documents }: FollowSyncDeps,
  id: number,
  error: unknown,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const text = `${TURN_FAILED}${error instanceof Error ? error.message : String(error)}`.slice(0, 2_000)
  const [kept] = await documents.database
    .rows(
      sql`update docket_documents.follow set error = ${text} where collection_id = ${id} and error is distinct from ${text} returning 1 as kept`,
    )
    .catch(() => [])
  // Reported once, because the same error occurs again each second.
  if (kept !== undefined) onError(error)
  return false
}
