import type { TextSink } from '../text-builder.ts'

export interface WordPages {
  /** @param isInBlock in the middle of a paragraph or row */
  turn(isInBlock: boolean): void
  turnRendered(isInBlock: boolean): void
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
    turn(isInBlock) {
      into.turnToPage(++page, isInBlock)
      isJustTurned = true
    },
    turnRendered(isInBlock) {
      if (!isJustTurned) into.turnToPage(++page, isInBlock)
      isJustTurned = false
    },
    sawText() {
      isJustTurned = false
    },
    count: () => page,
  }
}
