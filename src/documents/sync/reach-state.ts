import { lateAfter } from '../../kernel/late-after.ts'
import type { SearchEngine } from '../../search-engine/search-engine.ts'
import type { ReachOptions } from './lexical-index.ts'

/** Waits until the engine can search a state. @returns the sequence number to search: an earlier one after a timeout */
export async function reachState(
  engine: SearchEngine,
  { sequence, from, waitMs }: ReachOptions,
  refresh: () => Promise<void>,
): Promise<number> {
  if (engine.canSearch(sequence)) return sequence
  const late = lateAfter(await waitMs())
  try {
    while (!engine.canSearch(sequence)) if ((await Promise.race([refresh(), late.promise])) === 'late') break
  } finally {
    late.cancel()
  }
  // An engine that failed has to be repaired first.
  while (!engine.canSearch(from)) await refresh()
  return Math.min(sequence, engine.sequence)
}
