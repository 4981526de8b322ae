import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { outdateRecords } from '../live/outdate-records.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import { TypedNumber } from './bulk-parts.tsx'
import { deleteSelected, selectedQuery } from './bulk-run.ts'
import css from './list.module.css'
import type { Selection } from './use-selection.ts'
import type { EscapeRef } from './writing-dialog.tsx'

interface BulkDeleteProps {
  readonly info: TableInfo
  readonly selection: Selection
  readonly query: string
  readonly onEscape: EscapeRef
  readonly onClose: () => void
}

const typedFrom = 1_000

/** Lists what a bulk delete would remove, then deletes all selected records or none. */
export function BulkDelete({ info, selection, query, onEscape, onClose }: BulkDeleteProps) {
  const client = useQueryClient()
  const { name } = info.entry
  const [selected] = useState(() => selectedQuery(query, selection))
  const [typed, setTyped] = useState('')
  const [failure, setFailure] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['bulk-delete', name, selected],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) => deleteSelected(name, selected, { isDry: true, signal }),
  })
  const run = async (count: number): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      const signal = new AbortController().signal
      await deleteSelected(name, selected, { isDry: false, expectedCount: count, signal })
      selection.clear()
      outdateRecords(client)
      showToast(t('bulk.deleted', { count }))
      onClose()
    } catch (problem) {
      setBusy(false)
      if (endIfSignedOut(problem)) return
      setFailure(problem)
      // The number of records may be another one now.
      void refetch()
    }
  }
  // A deletion that runs cannot be cancelled: the dialog waits for its result.
  onEscape.current = isBusy ? () => undefined : null
  const isAllowed = data !== undefined && error === null && !isFetching && data.failed === 0 && data.count > 0
  const isTyped = data !== undefined && (data.count <= typedFrom || typed === String(data.count))
  return (
    <div className={css.bulkBody}>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {failure !== null && <ErrorBanner error={failure} />}
      {data === undefined && error === null && <Loading lines={2} />}
      {data !== undefined && (
        <>
          <p role="status">
            {t(data.failed === 0 ? 'bulk.wouldDelete' : 'bulk.wouldNotDelete', {
              count: data.count,
              failed: data.failed,
            })}
          </p>
          <ul className={css.failures}>
            {data.errors.slice(0, 5).map(({ record, message }) => (
              <li key={record}>{message}</li>
            ))}
          </ul>
          {data.count > typedFrom && <TypedNumber count={data.count} value={typed} onChange={setTyped} />}
        </>
      )}
      <div className={`${ui.row} ${ui.end}`}>
        <Button disabled={isBusy} onClick={onClose}>
          {t('action.cancel')}
        </Button>
        <Button
          className={ui.danger}
          disabled={!isAllowed || !isTyped || isBusy}
          onClick={() => data !== undefined && void run(data.count)}
        >
          {t('selected.delete')}
        </Button>
      </div>
    </div>
  )
}
