import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { Explanation } from '../access/explanation.tsx'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { useTables } from '../table/use-table.ts'
import { Button } from '../ui/button.tsx'
import { FirstRead } from '../ui/first-read.tsx'
import { Empty } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { dateTimeText, instantOf } from '../ui/value.tsx'
import adminCss from './admin.module.css'
import css from './home.module.css'

/** As the server sends it (`GET /v1/denials`). */
interface Denial {
  readonly user: { readonly value: string; readonly display_value: string; readonly user_name: string }
  readonly message: string
  readonly operation: 'create' | 'read' | 'write' | 'delete' | null
  readonly table: string | null
  readonly record: string | null
  readonly column: string | null
  readonly method: string
  readonly route: string
  readonly requests: number
  readonly last_at: string
  readonly explain: string | null
}

const maxRows = 8
const queryKey = ['denials']

/** The latest requests that were rejected because a right is missing. */
export function Denials() {
  const denials = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      docket.request<readonly Denial[]>({ method: 'GET', path: `/v1/denials?sysparm_limit=${maxRows}`, signal }),
    refetchInterval: 30_000,
  })
  const { data, error, refetch } = denials
  return (
    <section className={css.queue} aria-labelledby="denials">
      <h2 id="denials">{t('denials.title')}</h2>
      <p>
        <Link to="/admin/access">{t('access.title')}</Link>
      </p>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <FirstRead queryKey={queryKey} read={denials} lines={5} />}
      {data?.length === 0 && <Empty>{t('denials.none')}</Empty>}
      <ul className={adminCss.rows}>
        {data?.map((denial) => (
          <DenialRow
            key={JSON.stringify([denial.user.value, denial.route, denial.record, denial.message])}
            {...denial}
          />
        ))}
      </ul>
    </section>
  )
}

function DenialRow(denial: Denial) {
  const { user, message, requests, last_at, explain } = denial
  const { time_zone } = useSession()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const at = instantOf(last_at)
  return (
    <li className={adminCss.row}>
      <p className={adminCss.rowHead}>
        <strong>{user.display_value}</strong>
        <span className={adminCss.quiet}>{user.user_name}</span>
        {at !== null && <time dateTime={at.toISOString()}>{dateTimeText(at, time_zone)}</time>}
      </p>
      <p>{message}</p>
      <p className={adminCss.rowFoot}>
        <Place {...denial} />
        {requests > 1 && <span>{t('denials.requests', { count: requests })}</span>}
        {explain !== null && (
          <Button look="quiet" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
            {t('denials.why')}
          </Button>
        )}
      </p>
      <div id={id} role="status">
        {isOpen && explain !== null && <Explanation query={explain.slice(explain.indexOf('?') + 1)} />}
      </div>
    </li>
  )
}

/** What was requested: the record, or the table, by title if the administrator may read it. */
function Place({ table, record, column, method, route }: Denial) {
  const { data: tables = [] } = useTables()
  const known = tables.find(({ name }) => name === table)
  if (table === null) return <code>{`${method} ${route}`}</code>
  const parts = [known?.title ?? table, ...(column === null ? [] : [column]), ...(record === null ? [] : [record])]
  const text = parts.join(' · ')
  if (known === undefined) return <span>{text}</span>
  return record === null ? (
    <Link to="/t/$table" params={{ table }}>
      {text}
    </Link>
  ) : (
    <Link to="/t/$table/$sysId" params={{ table, sysId: record }}>
      {text}
    </Link>
  )
}
