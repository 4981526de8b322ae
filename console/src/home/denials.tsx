import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { useTables } from '../table/use-table.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Loading } from '../ui/loading.tsx'
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

/** The latest requests that were rejected because a right is missing. */
export function Denials() {
  const { data, error, refetch } = useQuery({
    queryKey: ['denials'],
    queryFn: ({ signal }) =>
      docket.request<readonly Denial[]>({ method: 'GET', path: `/v1/denials?sysparm_limit=${maxRows}`, signal }),
    refetchInterval: 30_000,
  })
  return (
    <section className={css.queue} aria-labelledby="denials">
      <h2 id="denials">{t('denials.title')}</h2>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading lines={5} />}
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
        {isOpen && explain !== null && <Explanation address={explain} />}
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

/** As the server sends it (`GET /rest/v1/acl/explain`). */
interface ExplainedDecision {
  readonly level: string | null
  readonly rules: readonly {
    readonly sys_id: string
    readonly description: string
    readonly roles: readonly string[]
    readonly condition: string
  }[]
}

interface Explained {
  readonly verdict: 'allowed' | 'refused' | 'on_condition'
  readonly table_decision: ExplainedDecision
  readonly column_decision: ExplainedDecision | null
  readonly reason: string
}

/** What the rules decide now, which may differ from what they decided then. */
function Explanation({ address }: { readonly address: string }) {
  const path = address.slice(address.indexOf('/rest/v1/acl/explain'))
  const { data, error, refetch } = useQuery({
    queryKey: ['explain', path],
    queryFn: ({ signal }) => docket.request<Explained>({ method: 'GET', path, signal }),
    staleTime: 0,
  })
  if (error !== null) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading lines={3} />
  const rules = [...data.table_decision.rules, ...(data.column_decision?.rules ?? [])]
  return (
    <div className={adminCss.explanation}>
      <p>
        <strong>{t(`denials.${data.verdict}`)}</strong> <span lang="en">{data.reason}</span>
      </p>
      {rules.length === 0 && <p>{t('denials.noRule')}</p>}
      <ul>
        {rules.map(({ sys_id, description, roles, condition }) => (
          <li key={sys_id}>
            <Link to="/t/$table/$sysId" params={{ table: 'sys_security_acl', sysId: sys_id }}>
              {description || sys_id}
            </Link>
            {roles.length > 0 && <span>{t('denials.roles', { roles: roles.join(', ') })}</span>}
            {condition !== '' && <code>{condition}</code>}
          </li>
        ))}
      </ul>
    </div>
  )
}
