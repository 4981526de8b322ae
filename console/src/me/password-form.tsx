import { useQueryClient } from '@tanstack/react-query'
import { DocketError } from 'docket-client'
import { type FormEvent, useState } from 'react'
import { endIfSignedOut, useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner, messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import css from './me.module.css'
import { Part } from './part.tsx'

const NONE = { old: '', new: '', again: '' }

export function PasswordForm() {
  const { user } = useSession()
  const client = useQueryClient()
  const [typed, setTyped] = useState(NONE)
  const [error, setError] = useState<{ readonly field: keyof typeof NONE; readonly text: string } | null>(null)
  /** What is about no field: the server cannot be reached, or there were too many attempts. */
  const [failure, setFailure] = useState<unknown>(null)
  const send = async (): Promise<void> => {
    setFailure(null)
    if (typed.new !== typed.again) return setError({ field: 'again', text: t('me.passwordDiffers') })
    setError(null)
    try {
      const body = { old: typed.old, new: typed.new }
      await docket.request({ method: 'POST', path: '/v1/auth/password', body })
      setTyped(NONE)
      showToast(t('me.passwordChanged'))
      for (const key of ['sessions', 'keys']) await client.invalidateQueries({ queryKey: [key] })
    } catch (problem) {
      const field = problem instanceof DocketError ? problem.field : null
      if (field === 'old' || field === 'new') setError({ field, text: messageOf(problem) })
      else if (!endIfSignedOut(problem)) setFailure(problem)
    }
  }
  return (
    <Part title={t('me.password')} hint={t('me.passwordHint')}>
      <form
        className={css.form}
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void send()
        }}
      >
        {failure !== null && <ErrorBanner error={failure} isWrite onRetry={() => void send()} />}
        <input type="text" name="username" autoComplete="username" value={user.user_name} readOnly hidden />
        {(['old', 'new', 'again'] as const).map((field) => (
          <label key={field} className={css.field}>
            <span>{t(`me.password.${field}`)}</span>
            <input
              type="password"
              name={field}
              className={ui.input}
              required
              minLength={field === 'old' ? undefined : 8}
              autoComplete={field === 'old' ? 'current-password' : 'new-password'}
              value={typed[field]}
              aria-invalid={error?.field === field || undefined}
              aria-describedby={error?.field === field ? 'password-error' : undefined}
              onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
            />
          </label>
        ))}
        {error !== null && (
          <p id="password-error" role="alert" className={css.error}>
            {error.text}
          </p>
        )}
        <div>
          <Button type="submit" look="primary" disabled={typed.old === '' || typed.new === ''}>
            {t('me.passwordChange')}
          </Button>
        </div>
      </form>
    </Part>
  )
}
