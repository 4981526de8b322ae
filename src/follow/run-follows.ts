import { type WorkBehindChanges, workBehindChanges } from '../records/changes/work-behind-changes.ts'
import type { FollowRoom } from './follow-settings.ts'
import { followedCollections, leadCollection } from './lead-collection.ts'

/** Leads every followed collection behind the log of changes; every process does its share. */
export function runFollows(room: FollowRoom, onTrouble: (error: unknown) => void): WorkBehindChanges {
  return workBehindChanges(
    room.watch,
    async (stopping) => {
      const collections = await followedCollections(room)
      for (const id of collections) {
        // What fails in one collection must not hold up the others.
        await leadOn(room, id, stopping).catch(onTrouble)
      }
      return collections.length > 0
    },
    onTrouble,
  )
}

async function leadOn(room: FollowRoom, id: number, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await leadCollection(room, id)));
}
