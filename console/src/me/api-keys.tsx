import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { endIfSignedOut, useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { longerThan } from '../table/too-long.ts'
import { Button } from '../ui/button.tsx'
import { copyText } from '../ui/copy-text.ts'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { dateTimeText, instantOf } from '../ui/value.tsx'
import css from './me.module.css'
import { Part } from './part.tsx'

interface ApiKey {
  readonly id: string
  readonly name: string
  readonly roles: readonly string[] | null
  readonly expires_at: string
  readonly last_used_at: string | null
  readonly state: 'valid' | 'expired' | 'ended'
}

const lives = ['7d', '90d', '1y'] as const

/** API keys for programs. The key itself is displayed once and stored nowhere. */
export function ApiKeys() {
  const client = useQueryClient()
  const [newKey, setNewKey] = useState<string | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const {
    data = [],
    error,
    refetch,
  } = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => docket.request<readonly ApiKey[]>({ method: 'GET', path: '/v1/auth/keys', signal }),
  })
  /** @returns whether it is done */
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    setFailure(null)
    try {
      await work()
    } catch (problem) {
      if (!endIfSignedOut(problem)) setFailure(problem)
      return false
    }
    await client.invalidateQueries({ queryKey: ['keys'] })
    return true
  }
  const make = (name: string, life: string): Promise<boolean> =>
    run(async () => {
      const body = { name, life }
      const [key] = await docket.request<readonly { readonly auth_key: string }[]>({
        method: 'POST',
        path: '/v1/auth/keys',
        body,
      })
      setNewKey(key?.auth_key ?? null)
    })
  const revoke = (id: string): Promise<boolean> =>
    run(async () => {
      await docket.request({ method: 'DELETE', path: `/v1/auth/keys/${encodeURIComponent(id)}` })
    })
  return (
    <Part title={t('me.keys')} hint={t('me.keysHint')}>
      {failure !== null && <ErrorBanner error={failure} />}
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {newKey !== null && <CreatedKey text={newKey} onDone={() => setNewKey(null)} />}
      <ul className={css.rows}>
        {data.map((key) => (
          <KeyRow key={key.id} apiKey={key} onRevoke={() => void revoke(key.id)} />
        ))}
      </ul>
      <NewKey onMake={make} />
    </Part>
  )
}

function KeyRow({ apiKey, onRevoke }: { readonly apiKey: ApiKey; readonly onRevoke: () => void }) {
  const { time_zone } = useSession()
  const until = instantOf(apiKey.expires_at)
  return (
    <li className={css.row}>
      <div className={css.rowText}>
        <strong>
          {apiKey.name}
          {apiKey.state !== 'valid' && <span className={css.badge}>{t(`me.key.${apiKey.state}`)}</span>}
        </strong>
        <small>
          {apiKey.roles?.join(', ') ?? t('me.keyAllRoles')}
          {until !== null && ` · ${t('me.until', { time: dateTimeText(until, time_zone, true) })}`}
        </small>
      </div>
      {apiKey.state === 'valid' && (
        <Button aria-label={t('me.revokeOf', { name: apiKey.name })} onClick={onRevoke}>
          {t('me.revoke')}
        </Button>
      )}
    </li>
  )
}

function CreatedKey({ text, onDone }: { readonly text: string; readonly onDone: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  // The key is displayed once, so it must be in view. It moves the button that made it out of view.
  useEffect(() => box.current?.querySelector('button')?.focus(), [])
  return (
    <div ref={box} className={css.made} role="status">
      <p>{t('me.keyMade')}</p>
      <code>{text}</code>
      <div className={ui.row}>
        <Button onClick={() => void copyText(text)}>{t('me.copy')}</Button>
        <Button look="quiet" onClick={onDone}>
          {t('action.close')}
        </Button>
      </div>
    </div>
  )
}

const maxName = 100

interface NewKeyProps {
  /** Resolves to whether there is a key. */
  readonly onMake: (name: string, life: string) => Promise<boolean>
}

function NewKey({ onMake }: NewKeyProps) {
  const [name, setName] = useState('')
  const [isMaking, setMaking] = useState(false)
  const [life, setLife] = useState<string>('90d')
  const fault = longerThan(maxName, name)
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    // A second key would take the place of the first, which is displayed once.
    if (isMaking) return
    setMaking(true)
    const isMade = await onMake(name, life)
    setMaking(false)
    if (isMade) setName((now) => (now === name ? '' : now))
  }
  return (
    <form className={css.line} onSubmit={(event) => void send(event)}>
      <label className={css.field}>
        <span>{t('me.keyName')}</span>
        <input
          className={ui.input}
          required
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={fault === undefined ? undefined : 'key-name-fault'}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      {fault !== undefined && (
        <p role="alert" id="key-name-fault" className={css.error}>
          {fault}
        </p>
      )}
      <label className={css.field}>
        <span>{t('me.keyLife')}</span>
        <select className={ui.input} value={life} onChange={(event) => setLife(event.target.value)}>
          {lives.map((each) => (
            <option key={each} value={each}>
              {t(`me.life.${each}`)}
            </option>
          ))}
        </select>
      </label>
      <Button type="submit" disabled={name.trim() === '' || fault !== undefined} aria-disabled={isMaking}>
        {t('me.keyMake')}
      </Button>
    </form>
  )
}
