import { type FocusEvent, type KeyboardEvent, useRef } from 'react'
import { useSession } from '../app.tsx'
import { currentLanguage, t } from '../messages/i18n.ts'
import { isolated } from '../messages/isolate.ts'
import { useViewers, type Viewer } from './use-viewers.ts'
import css from './viewers.module.css'

interface ViewersProps {
  readonly table: string
  readonly sysId: string
}

const maxInitials = 3

/** Who else has the record open: initials, with names where there is space, and all of them with their times on demand. */
export function Viewers({ table, sysId }: ViewersProps) {
  const viewers = useViewers(table, sysId)
  const { time_zone } = useSession()
  const details = useRef<HTMLDetailsElement>(null)
  const close = (): void => {
    if (details.current !== null) details.current.open = false
  }
  const onBlur = (event: FocusEvent): void => {
    if (!event.currentTarget.contains(event.relatedTarget)) close()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || details.current?.open !== true) return
    event.stopPropagation()
    close()
    details.current.querySelector('summary')?.focus()
  }
  const names = viewers.map(nameOf)
  const announced =
    names.length === 0 ? '' : t('viewers.open', { names: listText(names.map(isolated)), count: names.length })
  const more = names.length - maxInitials
  return (
    <div className={css.viewers}>
      {/* Stays in the page, so that it is read when another user comes. */}
      <span role="status" className="off-screen">
        {announced}
      </span>
      {viewers.length > 0 && (
        <details ref={details} onBlur={onBlur} onKeyDown={onKeyDown}>
          <summary title={announced}>
            <span className="off-screen">{announced}</span>
            {names.slice(0, maxInitials).map((name, at) => (
              <span key={viewers[at]?.user.value} className={css.initials} aria-hidden="true">
                {initialsOf(name)}
              </span>
            ))}
            {more > 0 && (
              <span className={css.initials} aria-hidden="true">
                +{more}
              </span>
            )}
            <span className={css.names} aria-hidden="true">
              {listText(names.map(isolated))}
            </span>
          </summary>
          <div className={css.list}>
            <h2>{t('viewers.title')}</h2>
            <ul>
              {viewers.map((viewer) => (
                <li key={viewer.user.value}>
                  <bdi>{nameOf(viewer)}</bdi>{' '}
                  <small>{t('viewers.since', { at: timeText(viewer.since, time_zone) })}</small>
                </li>
              ))}
            </ul>
          </div>
        </details>
      )}
    </div>
  )
}

const nameOf = ({ user }: Viewer): string => {
  const name = user.display_value?.trim() ?? ''
  return name === '' ? t('viewers.unnamed') : name
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : '']
  return ([...first].slice(0, 1).join('') + [...last].slice(0, 1).join('')).toLocaleUpperCase(currentLanguage()) || '?'
}

const listText = (names: readonly string[]): string =>
  new Intl.ListFormat(currentLanguage(), { type: 'conjunction' }).format(names)

const timeText = (utc: string, timeZone: string): string =>
  new Intl.DateTimeFormat(currentLanguage(), {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(Date.parse(`${utc.replace(' ', 'T')}Z`))
