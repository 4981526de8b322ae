import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endIfSignedOut, useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { FirstRead } from '../ui/first-read.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { dateTimeText, instantOf } from '../ui/value.tsx'
import { browserName } from './browser-name.ts'
import css from './me.module.css'
import { Part } from './part.tsx'

interface ListedSession {
  readonly id: string
  readonly kind: 'session' | 'cookie'
  readonly is_current: boolean
  readonly created_at: string
  readonly last_used_at: string | null
  readonly user_agent: string | null
  readonly address: string | null
}

/** The sessions of the user. */
export function Sessions() {
  const { time_zone } = useSession()
  const client = useQueryClient()
  const [failure, setFailure] = useState<unknown>(null)
  const queryKey = ['sessions']
  const sessions = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      docket.request<readonly ListedSession[]>({ method: 'GET', path: '/v1/auth/sessions', signal }),
  })
  const { data, error, refetch } = sessions
  const end = async (path: string): Promise<void> => {
    try {
      await docket.request({ method: 'DELETE', path })
    } catch (problem) {
      return setFailure(endIfSignedOut(problem) ? null : problem)
    }
    setFailure(null)
    await client.invalidateQueries({ queryKey: ['sessions'] })
  }
  const timeText = (text: string | null): string => {
    const at = instantOf(text)
    return at === null ? '—' : dateTimeText(at, time_zone)
  }
  return (
    <Part title={t('me.sessions')} hint={t('me.sessionsHint')}>
      {failure !== null && <ErrorBanner error={failure} />}
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <FirstRead queryKey={queryKey} read={sessions} lines={3} />}
      <ul className={css.rows}>
        {data?.map((session) => (
          <li key={session.id} className={css.row}>
            <div className={css.rowText}>
              <strong>
                {session.user_agent === null ? t('me.sessionKey') : browserName(session.user_agent)}
                {session.is_current && <span className={css.badge}>{t('me.sessionCurrent')}</span>}
              </strong>
              <small>
                {[
                  session.address,
                  t('me.since', { time: timeText(session.created_at) }),
                  session.last_used_at === null ? null : t('me.used', { time: timeText(session.last_used_at) }),
                ]
                  .filter((part) => part !== null)
                  .join(' · ')}
              </small>
            </div>
            {!session.is_current && (
              <Button
                aria-label={t('me.endOf', {
                  name: session.user_agent === null ? t('me.sessionKey') : browserName(session.user_agent),
                })}
                onClick={() => void end(`/v1/auth/sessions/${encodeURIComponent(session.id)}`)}
              >
                {t('me.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {(data?.length ?? 0) > 1 && (
        <div>
          <Button onClick={() => void end('/v1/auth/sessions')}>{t('me.endOthers')}</Button>
        </div>
      )}
    </Part>
  )
}
