type Leave = () => Promise<boolean>

/** Elements of open cells. Each has what saves and closes it; `false`: it stays open. */
const opened = new Map<Element, Leave>()

/** @returns called when the cell is closed */
export function addOpenCell(cell: Element, leave: Leave): () => void {
  opened.set(cell, leave)
  return () => opened.delete(cell)
}

/** What saves and closes the open cell within an element; null: there is none. */
export const leaveCellIn = (element: Element): Leave | null =>
  [...opened].find(([cell]) => element.contains(cell))?.[1] ?? null
