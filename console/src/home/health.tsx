import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { type MessageKey, t } from '../messages/i18n.ts'
import { classes } from '../ui/button.tsx'
import { FirstRead } from '../ui/first-read.tsx'
import { sizeText } from '../ui/size-text.ts'
import { ErrorBanner } from '../ui/states.tsx'
import { dateTimeText, instantOf } from '../ui/value.tsx'
import adminCss from './admin.module.css'
import css from './home.module.css'

/** As the server sends it (`GET /health/details`). */
interface Details {
  readonly version: string
  readonly node: string
  readonly started_at: string
  readonly database: { readonly version: string; readonly schema: string; readonly size: number | null }
  readonly files: { readonly attachments: number; readonly size: number | null }
  readonly disk: { readonly free: number | null; readonly total: number | null }
  readonly search_index: { readonly state: 'building' | 'ready'; readonly percent: number }
  readonly examination: {
    readonly state: 'running' | 'done' | 'failed'
    readonly ended_at: string | null
    readonly checks: readonly Check[]
  }
}

interface Check {
  readonly check: string
  readonly status: 'ok' | 'skipped' | 'warning' | 'fault'
  readonly fault: string | null
  readonly message: string
  readonly where: string | null
  readonly cure: string | null
}

/** In milliseconds. */
const whileRunning = 3_000
const whenDone = 60_000
const queryKey = ['health']

export function Health() {
  const health = useQuery({
    queryKey,
    queryFn: ({ signal }) => docket.request<Details>({ method: 'GET', path: '/health/details', signal }),
    refetchInterval: ({ state }) => (state.data?.examination.state === 'running' ? whileRunning : whenDone),
  })
  const { data, error, refetch } = health
  return (
    <section className={css.queue} aria-labelledby="health">
      <h2 id="health">{t('health.title')}</h2>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <FirstRead queryKey={queryKey} read={health} lines={4} />}
      {data !== undefined && <HealthDetails details={data} />}
    </section>
  )
}

function HealthDetails({ details }: { readonly details: Details }) {
  const { time_zone } = useSession()
  const { examination } = details
  const findings = examination.checks.filter(({ status }) => status === 'fault' || status === 'warning')
  const endedAt = instantOf(examination.ended_at)
  return (
    <div className={adminCss.panel}>
      <p className={adminCss.summary} role="status">
        <i aria-hidden="true" data-level={levelOf(examination)} />
        <strong>{summaryOf(examination)}</strong>
        {endedAt !== null && (
          <small>
            {t('health.examined', { count: examination.checks.length, at: dateTimeText(endedAt, time_zone) })}
          </small>
        )}
        {examination.state === 'running' && endedAt !== null && <small>{t('health.again')}</small>}
      </p>
      <Facts details={details} />
      {findings.length > 0 && (
        <ul className={adminCss.findings}>
          {findings.map((check) => (
            <Finding key={`${check.fault} ${check.where}`} {...check} />
          ))}
        </ul>
      )}
    </div>
  )
}

const faultsIn = (checks: readonly Check[]): number => checks.filter(({ status }) => status === 'fault').length
const warningsIn = (checks: readonly Check[]): number => checks.filter(({ status }) => status === 'warning').length

function levelOf({ ended_at, state, checks }: Details['examination']): Check['status'] {
  if (faultsIn(checks) > 0 || state === 'failed') return 'fault'
  if (warningsIn(checks) > 0) return 'warning'
  return ended_at === null ? 'skipped' : 'ok'
}

function summaryOf({ ended_at, state, checks }: Details['examination']): string {
  if (ended_at === null) return t(state === 'failed' ? 'health.failed' : 'health.running')
  const [faults, warnings] = [faultsIn(checks), warningsIn(checks)]
  if (faults + warnings === 0) return t('health.good')
  const parts = [
    ...(faults === 0 ? [] : [t('health.faults', { count: faults })]),
    ...(warnings === 0 ? [] : [t('health.warnings', { count: warnings })]),
  ]
  return parts.join(', ')
}

function Facts({
  details: { version, node, started_at, database, files, disk, search_index },
}: {
  readonly details: Details
}) {
  const { time_zone } = useSession()
  const startedAt = instantOf(started_at)
  const size = (bytes: number | null): string => (bytes === null ? '—' : sizeText(bytes))
  const isBuilt = search_index.state === 'ready'
  return (
    <dl className={adminCss.facts}>
      <Fact title="Docket" more={`Node ${node}`}>
        {version}
      </Fact>
      <Fact title="PostgreSQL" more={t('health.schema', { schema: database.schema.slice(0, 6) })}>
        {database.version}
      </Fact>
      <Fact title={t('health.database')}>{size(database.size)}</Fact>
      <Fact title={t('health.files')} more={t('health.fileCount', { count: files.attachments })}>
        {size(files.size)}
      </Fact>
      <Fact title={t('health.disk')} more={disk.total === null ? '' : t('health.ofTotal', { total: size(disk.total) })}>
        {size(disk.free)}
      </Fact>
      <Fact title={t('health.index')} more={isBuilt ? '' : t('health.building')}>
        {isBuilt ? t('health.ready') : t('health.percent', { percent: search_index.percent })}
      </Fact>
      {startedAt !== null && <Fact title={t('health.started')}>{dateTimeText(startedAt, time_zone)}</Fact>}
    </dl>
  )
}

interface FactProps {
  readonly title: string
  readonly more?: string
  readonly children: ReactNode
}

function Fact({ title, more = '', children }: FactProps) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {children}
        {more !== '' && <small>{more}</small>}
      </dd>
    </div>
  )
}

/** Names of the checks that docket doctor has (src/doctor). A newer server may have others. */
const CHECK_TITLES: Readonly<Record<string, MessageKey>> = {
  settings: 'check.settings',
  'data directory': 'check.dataDirectory',
  disk: 'check.disk',
  database: 'check.database',
  clock: 'check.clock',
  trigrams: 'check.trigrams',
  'demo users': 'check.demoUsers',
  tables: 'check.tables',
  'access rules': 'check.rules',
  views: 'check.views',
  filters: 'check.filters',
  'adopted tables': 'check.adoptedTables',
  jobs: 'check.jobs',
  documents: 'check.documents',
  'files of documents': 'check.documentFiles',
  'files of records': 'check.recordFiles',
  'file stores': 'check.fileStores',
  'search index': 'check.searchIndex',
  webhooks: 'check.webhooks',
  events: 'check.events',
}

function Finding({ check, status, fault, message, where, cure }: Check) {
  const title = CHECK_TITLES[check]
  return (
    <li className={adminCss.finding}>
      <span className={classes(adminCss.badge, status === 'fault' && adminCss.isFault)}>
        {t(status === 'fault' ? 'health.fault' : 'health.warning')}
      </span>
      <div>
        <p className={adminCss.findingHead}>
          <strong>{title === undefined ? check : t(title)}</strong>
          <code>{fault}</code>
        </p>
        <p>{message}.</p>
        <dl className={adminCss.more}>
          {where !== null && (
            <div>
              <dt>{t('health.where')}</dt>
              <dd>{where}</dd>
            </div>
          )}
          {cure !== null && (
            <div>
              <dt>{t('health.cure')}</dt>
              <dd>{cure}</dd>
            </div>
          )}
        </dl>
      </div>
    </li>
  )
}
