import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { useTables } from '../table/use-table.ts'
import { FirstRead } from '../ui/first-read.tsx'
import { Empty } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import valueCss from '../ui/value.module.css'
import { dateTimeText, instantOf } from '../ui/value.tsx'
import css from './home.module.css'

const fields = ['sys_id', 'number', 'subject', 'state', 'priority', 'sys_updated_at', 'sys_db_table_id']

interface QueueProps {
  readonly title: string
  readonly query: string
  readonly none: string
}

/** The first tickets of a query, with their number. */
export function Queue({ title, query, none }: QueueProps) {
  const { time_zone } = useSession()
  const queryKey = ['queue', query]
  const queue = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      docket.table('task').page(query, { fields, display: 'all', limit: 12, total: true, signal }),
  })
  const { data, error, refetch } = queue
  const { data: tables = [] } = useTables()
  return (
    <section className={css.queue} data-queue>
      <h2>
        <Link to="/t/$table" params={{ table: 'task' }} search={{ q: query }}>
          {title}
        </Link>
        {data?.total != null && <span className={css.count}>{data.total}</span>}
      </h2>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <FirstRead queryKey={queryKey} read={queue} lines={5} />}
      {data?.rows.length === 0 && <Empty>{none}</Empty>}
      <ul>
        {data?.rows.map((row) => {
          const at = instantOf(row['sys_updated_at']?.value)
          const title = row['sys_db_table_id']?.display_value
          const table = tables.find((each) => each.title === title)?.name ?? 'task'
          return (
            <li key={String(row['sys_id']?.value)}>
              <Link
                to="/t/$table/$sysId"
                params={{ table, sysId: String(row['sys_id']?.value) }}
                className={css.ticket}
              >
                <span className={css.subject}>{row['subject']?.display_value}</span>
                <span className={css.facts}>
                  <span>{row['number']?.display_value}</span>
                  <span className={valueCss.state} data-state={String(row['state']?.value)}>
                    {row['state']?.display_value}
                  </span>
                  {row['priority']?.display_value != null && (
                    <span className={valueCss.priority} data-priority={String(row['priority']?.value)}>
                      <i aria-hidden="true" /> {row['priority'].display_value}
                    </span>
                  )}
                  {at !== null && (
                    <time dateTime={at.toISOString()}>{t('home.changed', { at: dateTimeText(at, time_zone) })}</time>
                  )}
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
