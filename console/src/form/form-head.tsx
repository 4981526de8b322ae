import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, Suspense, useEffect, useMemo, useRef } from 'react'
import { useIsStaff, useSession } from '../app.tsx'
import { moveInList, type PlaceInList, placeInList } from '../list/left-list.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/part.tsx'
import css from './form.module.css'
import { StateButtons } from './state-buttons.tsx'
import type { RecordEdits } from './use-record.ts'
import type { RecordRights } from './use-rights.ts'

const Viewers = lazyPart(async () => (await import('./viewers.tsx')).Viewers)

interface FormHeadProps {
  readonly info: TableInfo
  readonly sysId: string
  readonly edits: RecordEdits
  readonly rights: RecordRights | undefined
  readonly mayWrite: boolean
  /** Text of the heading if the record has no number and subject. */
  readonly title: string
  /** Buttons of the record: link, menu, save. */
  readonly actions: ReactNode
  /** Errors, below the states. */
  readonly children: ReactNode
}

export function FormHead({ info, sysId, edits, rights, mayWrite, title, actions, children }: FormHeadProps) {
  const { features } = useSession()
  const row = edits.opened?.row
  const number = row?.['number']?.display_value
  const subject = row?.['subject']?.display_value
  const place = useMemo(() => placeInList(info.entry.name, sysId), [info.entry.name, sysId])
  return (
    <header className={css.head}>
      <div className={css.topLine}>
        <BackLink info={info} place={place} />
        {features.viewers && sysId !== 'new' && (
          <Suspense>
            <Viewers table={info.entry.name} sysId={sysId} />
          </Suspense>
        )}
        {place !== null && <Neighbours table={info.entry.name} place={place} />}
      </div>
      <div className={css.titleLine}>
        <h1>
          {number != null && subject != null ? (
            <>
              <span className={css.number}>{number}</span> {subject}
            </>
          ) : (
            title
          )}
        </h1>
        <div className={css.actions}>{actions}</div>
      </div>
      {edits.opened !== null && (
        <div className={css.states}>
          <StateButtons
            info={info}
            version={edits.opened}
            targets={mayWrite ? (rights?.states ?? (rights === undefined ? [] : null)) : []}
            isBusy={edits.isSaving}
            onMove={(state) => void edits.save({ state })}
          />
          <TakeButton info={info} edits={edits} rights={rights} />
        </div>
      )}
      {children}
    </header>
  )
}

/** Leads to the list from which the record was opened, with its conditions; without one, to all records of the table. */
function BackLink({ info, place }: { readonly info: TableInfo; readonly place: PlaceInList | null }) {
  const { history } = useRouter()
  const { name, title } = info.entry
  const content = (
    <>
      <Icon name="back" /> <span>{title}</span>
    </>
  )
  const label = t('form.back', { table: title })
  if (place === null) {
    return (
      <Link to="/t/$table" params={{ table: name }} className={css.back} aria-label={label}>
        {content}
      </Link>
    )
  }
  const onClick = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    history.push(place.href)
  }
  return (
    <a href={place.href} className={css.back} aria-label={label} onClick={onClick}>
      {content}
    </a>
  )
}

/** The records before and after this one in the list. */
function Neighbours({ table, place }: { readonly table: string; readonly place: PlaceInList }) {
  const navigate = useNavigate()
  const { view, tab } = useSearch({ from: '/t/$table/$sysId' })
  const go = (by: -1 | 1): void => {
    const sysId = by < 0 ? place.previous : place.next
    if (sysId === null) return
    moveInList(place.row + by)
    void navigate({ to: '/t/$table/$sysId', params: { table, sysId }, search: { view, tab }, replace: true })
  }
  const latest = useRef(go)
  latest.current = go
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (!event.altKey || (event.key !== 'PageDown' && event.key !== 'PageUp')) return
      if ((event.target as HTMLElement | null)?.closest('[role=dialog], [role=alertdialog]') != null) return
      event.preventDefault()
      latest.current(event.key === 'PageDown' ? 1 : -1)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  return (
    <div className={css.neighbours}>
      {place.counted !== null && <span>{t('form.place', place.counted)}</span>}
      <Button
        look="quiet"
        isIcon
        aria-label={t('form.previous')}
        title={`${t('form.previous')} (Alt + Page Up)`}
        disabled={place.previous === null}
        onClick={() => go(-1)}
      >
        <Icon name="up" />
      </Button>
      <Button
        look="quiet"
        isIcon
        aria-label={t('form.next')}
        title={`${t('form.next')} (Alt + Page Down)`}
        data-command={t('form.next')}
        disabled={place.next === null}
        onClick={() => go(1)}
      >
        <Icon name="down" />
      </Button>
    </div>
  )
}

/** Assigns the record to the user: what an agent does first with a ticket. */
function TakeButton({
  info,
  edits,
  rights,
}: {
  readonly info: TableInfo
  readonly edits: RecordEdits
  readonly rights: RecordRights | undefined
}) {
  const { user } = useSession()
  const isStaff = useIsStaff()
  const isOffered =
    isStaff &&
    info.columns.get('assigned_user')?.target === 'user' &&
    rights?.write.includes('assigned_user') === true &&
    edits.openedTexts['assigned_user'] !== user.sys_id
  if (!isOffered) return null
  return (
    <Button
      look="quiet"
      title={`${t('form.take')} (a)`}
      aria-keyshortcuts="A"
      data-command={t('form.take')}
      disabled={edits.isSaving}
      onClick={() => void edits.save({ assigned_user: user.sys_id })}
    >
      <Icon name="user" /> {t('form.take')}
    </Button>
  )
}
