import { useEffect } from 'react'
import { useSession } from '../app.tsx'
import { initialsOf } from '../frame/user-menu.tsx'
import { t } from '../messages/i18n.ts'
import { ApiKeys } from './api-keys.tsx'
import { Appearance } from './appearance.tsx'
import { LanguageForm } from './language-form.tsx'
import css from './me.module.css'
import { PasswordForm } from './password-form.tsx'
import { Sessions } from './sessions.tsx'

/** The user's own settings. */
export function MePage() {
  const { user, roles } = useSession()
  useEffect(() => {
    document.title = `${t('me.title')} · Docket`
  }, [])
  return (
    <div className={css.page}>
      <header className={css.head}>
        <span className={css.face} aria-hidden="true">
          {initialsOf(user.display_name)}
        </span>
        <div>
          <h1>{user.display_name}</h1>
          <p className={css.quiet}>
            {user.user_name} · {roles.join(', ')}
          </p>
        </div>
      </header>
      <Appearance />
      <LanguageForm />
      <PasswordForm />
      <Sessions />
      <ApiKeys />
    </div>
  )
}
