import { useEffect, useSyncExternalStore } from 'react'
import { createListeners } from '../listeners.ts'

/** By table: how many fields are open in the lists of the page. */
const open = new Map<string, number>()
const listeners = createListeners()

function add(table: string, count: number): void {
  open.set(table, (open.get(table) ?? 0) + count)
  listeners.notify()
}

export const areRowsHeld = (table: string): boolean => (open.get(table) ?? 0) > 0

/** While the component is in the page, no list of the table is read again: a row that moved would take the field in it away. */
export function useHoldRows(table: string): void {
  useEffect(() => {
    add(table, 1)
    return () => add(table, -1)
  }, [table])
}

export function useAreRowsHeld(table: string): boolean {
  const areHeld = (): boolean => areRowsHeld(table)
  return useSyncExternalStore(listeners.subscribe, areHeld, areHeld)
}
