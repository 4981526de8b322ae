import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { coalesced } from '../live/coalesced.ts'
import { listen } from '../live/event-stream.ts'
import { readAgain } from '../live/read-again.ts'
import { refreshMs } from '../live/table-refresh.ts'
import { usePolling } from '../live/use-polling.ts'
import { isKindOf } from '../live/use-table-events.ts'
import { t } from '../messages/i18n.ts'
import { useTables } from '../table/use-table.ts'
import css from './home.module.css'

/**
 * Reads the queues of the page again when tickets are changed, created or deleted. While the pointer is over one of them, they stay: no row
 * moves under it. Displays a sentence if no events arrive.
 */
export function QueueEvents() {
  const client = useQueryClient()
  const { data: tables = [] } = useTables()
  const latest = useRef(tables)
  latest.current = tables
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = coalesced(() => readAgain(client, ['queue']))
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        if (document.querySelector('[data-queue]:hover') === null) read()
        else soon()
      }, refreshMs)
    }
    const stop = listen(['task'], (event) => {
      const isChange = event.kind === 'change' && isKindOf(event.change.table, 'task', latest.current)
      if (isChange || event.kind === 'reset') soon()
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client])
  const isOffline = usePolling(() => void readAgain(client, ['queue']))
  return isOffline ? (
    <p className={css.offline} role="status">
      {t('live.offline')}
    </p>
  ) : null
}
