import { Dialog } from '@base-ui/react/dialog'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { useTable } from '../table/use-table.ts'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { dateTimeText, instantOf } from '../ui/value.tsx'
import { historyText } from './change-text.ts'
import { ChangedText } from './changed-text.tsx'
import css from './form.module.css'
import { isBookkeeping } from './texts.ts'
import { differences, type HistoryEntry } from './versions.ts'

/** Changes that are read first, and further ones each time that the user asks for older ones. */
const pageChanges = 200

interface VersionsDialogProps {
  readonly table: string
  readonly sysId: string
  readonly onClose: () => void
}

interface ChangesPage {
  readonly changes: readonly HistoryEntry[]
  /** Of the page with older changes; null: there are none. */
  readonly cursor: string | null
}

interface PageRequest {
  readonly path: string
  readonly cursor: string | null
  readonly signal: AbortSignal
}

async function readPage({ path, cursor, signal }: PageRequest): Promise<ChangesPage> {
  let next: string | null = null
  const page = `sysparm_limit=${pageChanges}${cursor === null ? '' : `&sysparm_cursor=${encodeURIComponent(cursor)}`}`
  const changes = await docket.request<readonly HistoryEntry[]>({
    method: 'GET',
    path: `${path}?${page}`,
    signal,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      next = response.headers.get('x-next-cursor')
      return response
    },
  })
  return { changes, cursor: next }
}

/** Compares two versions of a record. */
export function VersionsDialog({ table, sysId, onClose }: VersionsDialogProps) {
  const path = `/rest/v1/history/${encodeURIComponent(table)}/${encodeURIComponent(sysId)}`
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['versions', table, sysId],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }: ChangesPage) => cursor,
    queryFn: ({ pageParam, signal }) => readPage({ path, cursor: pageParam, signal }),
  })
  const changes = data?.pages.flatMap((page) => page.changes)
  const retry = (): void => void (data === undefined ? refetch() : fetchNextPage())
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog}>
          <Dialog.Title render={<h2 />}>{t('versions.title')}</Dialog.Title>
          {changes === undefined && error === null && <Loading lines={4} />}
          {changes !== undefined && changes.length === 0 && <p>{t('versions.none')}</p>}
          {changes !== undefined && changes.length > 0 && (
            <Comparison
              table={table}
              entries={changes}
              hasOlder={hasNextPage}
              isReading={isFetching}
              onOlder={() => void fetchNextPage()}
            />
          )}
          {error !== null && <ErrorBanner error={error} onRetry={retry} />}
          <div className={`${ui.row} ${ui.end}`}>
            <Dialog.Close render={<Button>{t('action.close')}</Button>} />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface ComparisonProps {
  readonly table: string
  readonly entries: readonly HistoryEntry[]
  /** There are changes before these ones. */
  readonly hasOlder: boolean
  readonly isReading: boolean
  readonly onOlder: () => void
}

function Comparison({ table, entries, hasOlder, isReading, onOlder }: ComparisonProps) {
  const { data: info } = useTable(table)
  const { time_zone } = useSession()
  const [newer, setNewer] = useState(0)
  const [older, setOlder] = useState(Math.min(1, entries.length))
  const titleOf = (entry: HistoryEntry | undefined): string => {
    const at = instantOf(entry?.changed_at)
    if (entry === undefined || at === null) return t('versions.before')
    return `${dateTimeText(at, time_zone, true)} · ${entry.changed_by?.display_value ?? 'Docket'}`
  }
  const textOf = (display: string | null, value: unknown, column: string): string =>
    historyText(display, value, info?.columns.get(column), time_zone)
  const olderField = useRef<HTMLSelectElement>(null)
  // The button goes with the last page: the focus stays with the versions.
  const wasRequested = useRef(false)
  useEffect(() => {
    if (hasOlder || !wasRequested.current) return
    wasRequested.current = false
    olderField.current?.focus()
  }, [hasOlder])
  const found = differences(entries, [older, newer], textOf).filter(({ column }) => !isBookkeeping(column))
  return (
    <>
      <div className={css.versions}>
        <label>
          <span>{t('versions.older')}</span>
          <select
            ref={olderField}
            className={ui.input}
            value={older}
            onChange={(event) => setOlder(Number(event.target.value))}
          >
            {/* What was before the oldest of these changes has no time of its own while there are older ones. */}
            {[...entries.keys(), ...(hasOlder ? [] : [entries.length])]
              .filter((at) => at > newer)
              .map((at) => (
                <option key={at} value={at}>
                  {titleOf(entries[at])}
                </option>
              ))}
          </select>
        </label>
        <label>
          <span>{t('versions.newer')}</span>
          <select className={ui.input} value={newer} onChange={(event) => setNewer(Number(event.target.value))}>
            {[...entries.keys()]
              .filter((at) => at < older)
              .map((at) => (
                <option key={at} value={at}>
                  {titleOf(entries[at])}
                </option>
              ))}
          </select>
        </label>
      </div>
      {hasOlder && (
        <Button
          aria-disabled={isReading}
          onClick={() => {
            if (isReading) return
            wasRequested.current = true
            onOlder()
          }}
        >
          {t(isReading ? 'state.loading' : 'versions.more')}
        </Button>
      )}
      {found.length === 0 && <p>{t('versions.same')}</p>}
      <dl className={css.differences}>
        {found.map(({ column, title, before, after }) => (
          <div key={column}>
            <dt>{title}</dt>
            <dd>
              <ChangedText from={before === '' ? '—' : before} to={after} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
