import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { endIfSignedOut, useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import css from './me.module.css'
import { Part } from './part.tsx'

/** Languages by their own names. */
const LANGUAGES = [
  ['en', 'English'],
  ['ru', 'Русский'],
] as const

/** Language and time zone are in the user's record, so the API uses them, too. */
export function LanguageForm() {
  const session = useSession()
  const [language, setLanguage] = useState<string>(session.language)
  const [zone, setZone] = useState(session.time_zone)
  const [error, setError] = useState<unknown>(null)
  const { data: writable = [], error: unread, refetch } = useWritable(session.user.sys_id)
  const isChanged = language !== session.language || zone !== session.time_zone
  const save = async (): Promise<void> => {
    setError(null)
    try {
      const values = {
        ...(language === session.language ? {} : { language }),
        ...(zone === session.time_zone ? {} : { time_zone: zone }),
      }
      await docket.table('user').update(session.user.sys_id, values, { ifMatch: false, fields: ['sys_id'] })
      // Titles and times that were read before are in the old language and time zone.
      location.reload()
    } catch (problem) {
      if (!endIfSignedOut(problem)) setError(problem)
    }
  }
  return (
    <Part title={t('me.languagePart')} hint={t('me.languageHint')}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        {error !== null && <ErrorBanner error={error} />}
        {unread !== null && <ErrorBanner error={unread} onRetry={() => void refetch()} />}
        <label className={css.field}>
          <span>{t('me.language')}</span>
          <select
            className={ui.input}
            value={language}
            disabled={!writable.includes('language')}
            onChange={(event) => setLanguage(event.target.value)}
          >
            {LANGUAGES.map(([value, title]) => (
              <option key={value} value={value} lang={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label className={css.field}>
          <span>{t('me.zone')}</span>
          <select
            className={ui.input}
            value={zone}
            disabled={!writable.includes('time_zone')}
            onChange={(event) => setZone(event.target.value)}
          >
            {zonesWith(session.time_zone).map((each) => (
              <option key={each} value={each}>
                {each.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </label>
        <p className={css.quiet}>{t('me.now', { time: timeIn(zone) })}</p>
        <div>
          <Button type="submit" look="primary" disabled={!isChanged}>
            {t('edit.save')}
          </Button>
        </div>
      </form>
    </Part>
  )
}

const zonesWith = (zone: string): readonly string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', zone])].sort()

function timeIn(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(document.documentElement.lang, {
      timeZone,
      timeStyle: 'short',
      dateStyle: 'medium',
    }).format()
  } catch {
    return '—'
  }
}

/** Columns of the user's own record that the user may change. */
const useWritable = (sysId: string): UseQueryResult<readonly string[]> =>
  useQuery({
    queryKey: ['own-columns', sysId],
    queryFn: async ({ signal }) => {
      const options = { fields: ['sys_id'], parameters: { sysparm_rights: '1' }, signal }
      const { body } = await docket.table('user').get(sysId, options)
      return (body['rights'] as { readonly write: readonly string[] }).write
    },
  })
