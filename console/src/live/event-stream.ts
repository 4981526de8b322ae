import type { DocketEvent } from 'docket-client'
import { docket } from '../docket.ts'

type Listener = (event: DocketEvent) => void

/** One stream serves everything in view. It is reopened when other tables come into view. */
const listeners = new Map<Listener, readonly string[]>()
let running: AbortController | null = null
let openTables = ''

/** @returns a function that ends listening */
export function listen(tables: readonly string[], listener: Listener): () => void {
  listeners.set(listener, tables)
  restart()
  return () => {
    listeners.delete(listener)
    restart()
  }
}

let timer: ReturnType<typeof setTimeout> | undefined

/** Waits a moment, because one page is left and the next is opened almost at once. */
function restart(): void {
  clearTimeout(timer)
  timer = setTimeout(() => {
    const tables = [...new Set([...listeners.values()].flat())].sort()
    if (tables.join() === openTables && running !== null) return
    running?.abort()
    running = null
    openTables = tables.join()
    if (tables.length > 0) void read(tables)
  }, 50)
}

async function read(tables: readonly string[]): Promise<void> {
  const stop = new AbortController()
  running = stop
  try {
    for await (const event of docket.events({ tables, signal: stop.signal })) {
      for (const listener of listeners.keys()) listener(event)
    }
  } catch {
    // The session has ended, or the caller may not watch these tables: pages display the error where they read.
    for (const listener of listeners.keys()) listener({ kind: 'closed', nextInMs: 0 })
  }
}
