import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
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

const maxEntries = 200

interface VersionsDialogProps {
  readonly table: string
  readonly sysId: string
  readonly onClose: () => void
}

/** Compares two versions of a record. */
export function VersionsDialog({ table, sysId, onClose }: VersionsDialogProps) {
  const { data, error } = useQuery({
    queryKey: ['versions', table, sysId],
    staleTime: 0,
    queryFn: ({ signal }) =>
      docket.request<readonly HistoryEntry[]>({
        method: 'GET',
        path: `/rest/v1/history/${encodeURIComponent(table)}/${sysId}?sysparm_limit=${maxEntries}`,
        signal,
      }),
  })
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog}>
          <Dialog.Title render={<h2 />}>{t('versions.title')}</Dialog.Title>
          {error !== null && <ErrorBanner error={error} />}
          {data === undefined && error === null && <Loading lines={4} />}
          {data !== undefined && data.length === 0 && <p>{t('versions.none')}</p>}
          {data !== undefined && data.length > 0 && <Comparison table={table} entries={data} />}
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
}

function Comparison({ table, entries }: ComparisonProps) {
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
    historyText(display, value, info?.columns.get(column))
  const found = differences(entries, [older, newer], textOf).filter(({ column }) => !isBookkeeping(column))
  return (
    <>
      <div className={css.versions}>
        <label>
          <span>{t('versions.older')}</span>
          <select className={ui.input} value={older} onChange={(event) => setOlder(Number(event.target.value))}>
            {[...entries.keys(), entries.length]
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
