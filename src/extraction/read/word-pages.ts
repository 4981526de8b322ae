import type { TextSink } from '../text-builder.ts'

export interface WordPages {
  /** @param isInBlock in the middle of a paragraph or row */
  turn(isInBlock: boolean): void
  turnRendered(isInBlock: boolean): void
  sawText(): void
  count(): number
}

/**
 * Pages in Word's last layout. Word marks each page start with `lastRenderedPageBreak`, also after a manual break: that one is
 * counted once.
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
