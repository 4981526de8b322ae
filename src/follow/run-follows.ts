import { sql } from 'kysely'
import { type WorkBehindChanges, workBehindChanges } from '../records/changes/work-behind-changes.ts'
import type { FollowRoom } from './follow-settings.ts'
import { followedCollections, leadCollection, TURN_FAILED } from './lead-collection.ts'

/** Leads every followed collection behind the log of changes; every process does its share. */
export function runFollows(room: FollowRoom, onTrouble: (error: unknown) => void): WorkBehindChanges {
  return workBehindChanges(
    room.watch,
    async (stopping) => {
      for (;;) {
        const collections = await followedCollections(room)
        let hasMore = false
        // A step of each in turn: a collection that is compared for an hour keeps no other waiting.
        for (const id of collections) {
          if (stopping.aborted) return false
          const goesOn = await leadCollection(room, id).catch((error: unknown) =>
            keepTrouble(room, id, error, onTrouble),
          )
          hasMore ||= goesOn
        }
        if (!hasMore) return collections.length > 0
      }
    },
    onTrouble,
  )
}

/** What fails in one collection must not hold up the others; its administrator reads why. */
async function keepTrouble(
  { documents }: FollowRoom,
  id: number,
  error: unknown,
  onTrouble: (error: unknown) => void,
): Promise<boolean> {
  const text = `${TURN_FAILED}${error instanceof Error ? error.message : String(error)}`.slice(0, 2_000)
  const [kept] = await documents.database
    .rows(
      sql`update docket_documents.follow set error = ${text} where collection_id = ${id} and error is distinct from ${text} returning 1 as kept`,
    )
    .catch(() => [])
  // Told once; the same trouble comes again each second.
  if (kept !== undefined) onTrouble(error)
  return false
}
