import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { printQuery, readQuery } from '../list/list-query.ts'
import type { SavedFilter } from '../list/saved-filters.ts'
import { readTotal, type Total } from '../list/use-rows.ts'
import { listen } from '../live/event-stream.ts'
import { isKindOf } from '../live/use-table-events.ts'
import { currentLanguage, t } from '../messages/i18n.ts'
import { useTables } from '../table/use-table.ts'
import css from './frame.module.css'

/** At most one count of a filter in this time, however many records change. */
const refreshMs = 30_000
const maxAtOnce = 2

/** Number of records of a saved filter, counted when the filter is in view. Without it, nothing is missing: an error is not displayed. */
export function FilterCount({ filter }: { readonly filter: SavedFilter }) {
  const place = useRef<HTMLSpanElement>(null)
  const isVisible = useIsVisible(place)
  const { table } = filter
  const query = withoutOrder(filter.query)
  const { data } = useQuery({
    queryKey: ['filter-count', table, query],
    enabled: isVisible,
    staleTime: refreshMs,
    refetchOnWindowFocus: true,
    queryFn: ({ signal }) => withSemaphore(() => readTotal(table, query, signal)),
  })
  useRefresh(table, isVisible)
  return (
    <span ref={place} className={css.count}>
      {data !== undefined && <Count {...data} />}
    </span>
  )
}

const Count = ({ count, isOver }: Total) => (
  <>
    <span aria-hidden>{count.toLocaleString(currentLanguage()) + (isOver ? '+' : '')}</span>
    <span className="off-screen">, {t(isOver ? 'list.over' : 'list.total', { count })}</span>
  </>
)

function withoutOrder(text: string): string {
  const read = readQuery(text)
  return read.ok ? printQuery({ ...read.query, orders: [] }) : text
}

/** Marks the counts of a table as outdated some time after its records have changed. */
function useRefresh(table: string, isVisible: boolean): void {
  const client = useQueryClient()
  const { data: tables = [] } = useTables()
  useEffect(() => {
    if (!isVisible) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = (): void => {
      timer = undefined
      void client.invalidateQueries({ queryKey: ['filter-count', table] })
    }
    // Events of the tables that the page shows; a count is no reason to have more of them sent.
    const stop = listen([], (event) => {
      const isChanged = event.kind === 'change' && isKindOf(event.change.table, table, tables)
      if (isChanged || event.kind === 'reset') timer ??= setTimeout(refresh, refreshMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, table, tables, isVisible])
}

function useIsVisible(place: RefObject<HTMLElement | null>): boolean {
  const [isVisible, setVisible] = useState(false)
  useEffect(() => {
    if (place.current === null) return undefined
    const observer = new IntersectionObserver((seen) => setVisible(seen.at(-1)?.isIntersecting === true))
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [place])
  return isVisible
}

let running = 0
const waiting: (() => void)[] = []

/** Leaves the server and the connection to what the user is waiting for. */
async function withSemaphore<T>(work: () => Promise<T>): Promise<T> {
  while (running >= maxAtOnce) await new Promise<void>((go) => waiting.push(go))
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}
