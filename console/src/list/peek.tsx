import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button, classes } from '../ui/button.tsx'
import { cancelledRead, FirstRead } from '../ui/first-read.tsx'
import { Icon } from '../ui/icon.tsx'
import { StillWorking } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { Value } from '../ui/value.tsx'
import css from './list.module.css'

interface PeekProps {
  readonly info: TableInfo
  readonly sysId: string
  readonly onClose: () => void
}

const peekKey = (table: string, sysId: string) => ['record', table, sysId, 'peek']

const usePeek = ({ entry: { name } }: TableInfo, sysId: string) =>
  useQuery({
    queryKey: peekKey(name, sysId),
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => docket.table(name).get(sysId, { display: 'all', signal }),
  })

/** Read-only side panel with one record. */
export function Peek({ info, sysId, onClose }: PeekProps) {
  const row = usePeek(info, sysId).data?.row
  return (
    <aside
      className={css.peek}
      aria-label={t('peek.title')}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <header className={css.peekHead}>
        <h2>{row?.[info.displayColumn]?.display_value ?? ' '}</h2>
        <Button look="quiet" isIcon aria-label={t('action.close')} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      <RecordFacts info={info} sysId={sysId} />
    </aside>
  )
}

interface RecordFactsProps extends Pick<PeekProps, 'info' | 'sysId'> {
  /** The name of the record is above its facts. */
  readonly isTitled?: boolean
}

/** What a record has to say, to be read, and the way to it. */
export function RecordFacts({ info, sysId, isTitled = false }: RecordFactsProps) {
  const { time_zone } = useSession()
  const client = useQueryClient()
  const { name } = info.entry
  const peek = usePeek(info, sysId)
  const { data, error, refetch } = peek
  const view = info.views.get('Default view')
  const columns = (view?.sections.flatMap((section) => section.columns) ?? [...info.columns.keys()]).flatMap(
    (each) => info.columns.get(each) ?? [],
  )
  // The record before stays until this one is there.
  const cancelled = peek.isPlaceholderData && peek.fetchStatus === 'idle' ? cancelledRead : null
  const cancel = (): void => void client.cancelQueries({ queryKey: peekKey(name, sysId), exact: true })
  const row = data?.row
  return (
    <>
      {isTitled && row !== undefined && <h3>{row[info.displayColumn]?.display_value}</h3>}
      {(error ?? cancelled) !== null && <ErrorBanner error={error ?? cancelled} onRetry={() => void refetch()} />}
      {row === undefined ? (
        error === null && <FirstRead queryKey={peekKey(name, sysId)} read={peek} lines={8} />
      ) : (
        <>
          {peek.isPlaceholderData && cancelled === null && <StillWorking onCancel={cancel} />}
          <dl className={classes(css.facts, peek.isPlaceholderData && css.stale)}>
            {columns
              .filter(
                (column) =>
                  row[column.name]?.value != null && column.type !== 'journal_input' && column.type !== 'json',
              )
              .map((column) => (
                <div key={column.name} data-type={column.type}>
                  <dt>{column.title}</dt>
                  <dd>
                    <Value cell={row[column.name]} column={column} timeZone={time_zone} />
                  </dd>
                </div>
              ))}
          </dl>
          <Link to="/t/$table/$sysId" params={{ table: name, sysId }}>
            {t('peek.open')}
          </Link>
        </>
      )}
    </>
  )
}
