import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { classes } from '../ui/button.tsx'
import { FirstRead } from '../ui/first-read.tsx'
import { Empty } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { dateTimeText, instantOf } from '../ui/value.tsx'
import adminCss from './admin.module.css'
import css from './home.module.css'

/** As the server sends it (`GET /v1/jobs`). */
interface JobGroup {
  readonly kind: 'queue' | 'document_load' | 'chunking' | 'vectors' | 'followed_collection' | 'index_build' | 'webhook'
  readonly state: 'failed' | 'running' | 'waiting'
  readonly name: string
  readonly count: number
  readonly since: string | null
  readonly error: string | null
  readonly records: { readonly table: string; readonly query: string } | null
}

const maxRows = 12
const queryKey = ['jobs']

/** Background work that runs, waits or has failed. */
export function Jobs() {
  const jobs = useQuery({
    queryKey,
    queryFn: ({ signal }) => docket.request<readonly JobGroup[]>({ method: 'GET', path: '/v1/jobs', signal }),
    refetchInterval: 30_000,
  })
  const { data, error, refetch } = jobs
  return (
    <section className={css.queue} aria-labelledby="jobs">
      <h2 id="jobs">{t('jobs.title')}</h2>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <FirstRead queryKey={queryKey} read={jobs} lines={5} />}
      {data?.length === 0 && <Empty>{t('jobs.none')}</Empty>}
      <ul className={adminCss.rows}>
        {data?.slice(0, maxRows).map((job) => (
          <JobRow key={`${job.kind} ${job.state} ${job.name}`} {...job} />
        ))}
      </ul>
      {data !== undefined && data.length > maxRows && (
        <p className={adminCss.quiet}>{t('jobs.more', { count: data.length - maxRows })}</p>
      )}
    </section>
  )
}

function JobRow({ kind, state, name, count, since, error, records }: JobGroup) {
  const { time_zone } = useSession()
  const at = instantOf(since)
  return (
    <li className={adminCss.row}>
      <p className={adminCss.rowHead}>
        <span
          className={classes(
            adminCss.badge,
            state === 'failed' && adminCss.isFault,
            state === 'running' && adminCss.isRunning,
          )}
        >
          {t(`jobs.${state}`)}
        </span>
        <strong>{name}</strong>
        {at !== null && <time dateTime={at.toISOString()}>{t('jobs.since', { at: dateTimeText(at, time_zone) })}</time>}
      </p>
      <p className={adminCss.rowFoot}>
        {records === null ? (
          <span>{t(`jobs.${kind}`, { count })}</span>
        ) : (
          <Link to="/t/$table" params={{ table: records.table }} search={{ q: records.query }}>
            {t(`jobs.${kind}`, { count })}
          </Link>
        )}
      </p>
      {error !== null && <p className={adminCss.error}>{error}</p>}
    </li>
  )
}
