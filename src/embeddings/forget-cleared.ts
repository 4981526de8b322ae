import type { Session } from '../database/database.ts'
import type { Thread } from '../processes/worker-thread.ts'
import type { VectorWork } from './in-memory/vector-thread.ts'
import { readHoldable } from './store/read-vectors.ts'

const documentsOfLook = 1_000

/** Forgets the vectors of documents that have no row any more: nothing in the database says that they were removed. */
export async function forgetCleared(
  session: Session,
  thread: Pick<Thread<VectorWork>, 'call'>,
  next: () => void,
): Promise<void> {
  const held = await thread.call('documentIds', undefined)
  for (let from = 0; from < held.length; from += documentsOfLook) {
    next()
    const some = held.slice(from, from + documentsOfLook)
    const existing = await readHoldable(session, 0, some)
    const documentIds = some.filter((id) => !existing.has(id))
    if (documentIds.length > 0) await thread.call('forget', { documentIds, collectionIds: [] })
  }
}
