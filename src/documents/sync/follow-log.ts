import { type Loop, startLoop } from '../../kernel/loop.ts'
import type { LexicalIndex } from './lexical-index.ts'

/** How long loads of other processes wait to be indexed where nobody searches; less while there are such loads. */
const followEveryMs = 1_000
const followSoonMs = 200
/** While the database does not respond. */
const maxPauseMs = 30_000

/**
 * Follows the change log also where nobody searches: the next search waits only for what was loaded in the last moments, not for everything
 * since the one before.
 */
export function followLog(
  index: Pick<LexicalIndex, 'refresh' | 'position'>,
  onError: (error: unknown) => void,
): Pick<Loop, 'stop'> {
  let soon: NodeJS.Timeout | undefined
  const loop = startLoop({
    async turn() {
      const before = index.position()
      await index.refresh()
      if (index.position() !== before) soon = setTimeout(loop.notify, followSoonMs).unref()
    },
    everyMs: followEveryMs,
    pauseMs: (failures) => Math.min(followEveryMs * 2 ** failures, maxPauseMs),
    onError,
  })
  return {
    async stop() {
      clearTimeout(soon)
      await loop.stop()
    },
  }
}
