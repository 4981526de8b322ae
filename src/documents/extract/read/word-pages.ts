import type { TextSink } from '../text-builder.ts'

export interface WordPages {
  turn(): void
  turnRendered(): void
  sawText(): void
  count(): number
}

/**
 * Pages as Word last laid them out. It notes each beginning with `lastRenderedPageBreak`, and after a break that the author
 * made once more: that one is not counted twice.
 */
export function createWordPages(into: TextSink): WordPages {
  let page = 1
  let isJustTurned = false
  into.turnToPage(page)
  return {
    turn() {
      into.turnToPage(++page)
      isJustTurned = true
    },
    turnRendered() {
      if (!isJustTurned) into.turnToPage(++page)
      isJustTurned = false
    },
    sawText() {
      isJustTurned = false
    },
    count: () => page,
  }
}
