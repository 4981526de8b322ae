import type { Query } from '@tanstack/react-query'
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

export const heldTables = (): readonly string[] => [...open.keys()].filter(areRowsHeld)

/** Whether it is what a list displays, and a cell of its table is open. A count beside a closed list is none of it. */
export const isOfHeldRows = ({ queryKey: [kind, table, , use] }: Query): boolean =>
  (kind === 'rows' || kind === 'groups' || (kind === 'total' && use === undefined)) && areRowsHeld(String(table))

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
