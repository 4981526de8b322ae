import { type FormEvent, type ReactNode, useState } from 'react'
import { consolePath, serverVersion } from '../facts.ts'
import { type MessageKey, t } from '../messages/i18n.ts'
import { signIn } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import css from './sign-in.module.css'

interface SignInPageProps {
  readonly demoUsers: readonly { readonly userName: string; readonly password: string }[]
  readonly onSignedIn: () => Promise<void>
}

export function SignInPage({ demoUsers, onSignedIn }: SignInPageProps) {
  const enter = async (userName: string, password: string): Promise<void> => {
    await signIn(userName, password)
    leaveSignInAddress()
    await onSignedIn()
  }
  return (
    <main className={css.page}>
      <div className={css.card}>
        <div className={css.brand}>
          <Logo />
          <h1>{t('signIn.title')}</h1>
        </div>
        {!isEncrypted() && <p className={ui.banner}>{t('signIn.notEncrypted')}</p>}
        <SignInForm onSubmit={enter} />
        {demoUsers.length > 0 && <DemoUsers users={demoUsers} onChoose={enter} />}
      </div>
      <p className={css.version}>Docket {serverVersion}</p>
    </main>
  )
}

interface StartFailureProps {
  readonly title?: MessageKey
  readonly error: unknown
  readonly onRetry: () => void
  readonly children?: ReactNode
}

/** Replaces the console while the server does not report who is signed in, or does not end the session. */
export function StartFailure({ title = 'state.error', ...props }: StartFailureProps) {
  return (
    <main className={css.page}>
      <div className={css.card}>
        <div className={css.brand}>
          <Logo />
          <h1>{t(title)}</h1>
        </div>
        <ErrorBanner {...props} />
      </div>
    </main>
  )
}

/** `/login?next=` leads to a page of the console. At any other address, the page stays. */
function leaveSignInAddress(): void {
  if (location.pathname !== `${consolePath}/login`) return
  const next = new URLSearchParams(location.search).get('next') ?? '/'
  const isOwn = next.startsWith('/') && !next.startsWith('//') && !next.includes('\\')
  history.replaceState(null, '', `${consolePath}${isOwn ? next : '/'}`)
}

const isEncrypted = (): boolean =>
  location.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)

interface SignInFormProps {
  readonly onSubmit: (userName: string, password: string) => Promise<void>
  /** If set, this user signs in again because the session has ended. */
  readonly userName?: string
}

export function SignInForm({ onSubmit, userName }: SignInFormProps) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setBusy(true)
    try {
      await onSubmit(userName ?? String(fields.get('username')), String(fields.get('password')))
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className={css.form} onSubmit={(event) => void submit(event)}>
      {error !== null && <ErrorBanner error={error} isWrite />}
      <label className={css.field}>
        {t('signIn.userName')}
        <input
          className={ui.input}
          name="username"
          autoComplete="username"
          defaultValue={userName}
          readOnly={userName !== undefined}
          required
          autoFocus={userName === undefined}
          autoCapitalize="none"
          spellCheck={false}
        />
      </label>
      <label className={css.field}>
        {t('signIn.password')}
        <input
          className={ui.input}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus={userName !== undefined}
        />
      </label>
      <Button type="submit" look="primary" disabled={isBusy}>
        {isBusy ? t('signIn.busy') : t('signIn.submit')}
      </Button>
    </form>
  )
}

interface DemoUsersProps {
  readonly users: SignInPageProps['demoUsers']
  readonly onChoose: (userName: string, password: string) => Promise<void>
}

function DemoUsers({ users, onChoose }: DemoUsersProps) {
  const [error, setError] = useState<unknown>(null)
  return (
    <>
      {error !== null && <ErrorBanner error={error} />}
      <section className={css.demo} aria-labelledby="demo-title">
        <h2 id="demo-title">{t('demo.title')}</h2>
        <p>{t('demo.hint')}</p>
        <ul>
          {users.map(({ userName, password }) => (
            <li key={userName}>
              <button
                type="button"
                className={css.demoUser}
                onClick={() => onChoose(userName, password).catch(setError)}
              >
                <strong>{userName}</strong>
                <span>{roleOf(userName)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

const roleOf = (userName: string): string => {
  if (userName === 'anna.petrova') return t('demo.anna')
  if (userName === 'michael.brown') return t('demo.michael')
  if (userName === 'maria.sokolova') return t('demo.maria')
  return t('demo.caller')
}

export function Logo({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <rect width="16" height="16" rx="4" fill="#0b6e62" />
      <path d="M4 4.5h8M4 8h8M4 11.5h5" stroke="#fff" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  )
}
