import { Dialog } from '@base-ui/react/dialog'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { condition } from 'docket-client'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useIsStaff, useSession } from '../app.tsx'
import { docket } from '../docket.ts'
import { isTooLong } from '../list/list-state.ts'
import { searchOfFilter, useSavedFilters } from '../list/saved-filters.ts'
import { t } from '../messages/i18n.ts'
import { signOut } from '../session.ts'
import { useTables } from '../table/use-table.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { OPEN_SHORTCUTS } from '../ui/single-keys.ts'
import ui from '../ui/ui.module.css'
import { useStoredLook } from '../ui/use-look.ts'
import { leaveIfSure } from '../unsaved-input.ts'
import css from './palette.module.css'
import { ticketTablesIn } from './ticket-tables.ts'

interface Command {
  readonly key: string
  readonly icon: IconName
  readonly title: string
  /** Kind of the command, or what tells records apart. */
  readonly hint: string
  readonly run: () => void
}

const maxRecords = 8
const maxListed = 40
const minUnits = 2
const pauseMs = 200

/** Buttons and fields of the page that offer themselves. They are found when the palette opens: a page has others at any time. */
function commandsOfPage(): readonly Command[] {
  return [...document.querySelectorAll<HTMLElement>('#page [data-command]:not(:disabled)')].map((element, index) => ({
    key: `page ${index}`,
    icon: 'check',
    title: element.dataset['command'] ?? '',
    hint: element.getAttribute('aria-keyshortcuts') ?? t('palette.action'),
    // The palette hands the focus back first.
    run: () =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => (element.matches('textarea') ? element.focus() : element.click())),
      ),
  }))
}

/** Ctrl + K: one field that leads to every list, filter, record and action. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  /** Enter was pressed while records were searched: it opens the first one when they are there. */
  const [isRunPending, setRunPending] = useState(false)
  const listId = useId()
  const [ofPage] = useState(commandsOfPage)
  const commands = [...ofPage, ...useCommands()]
  const { records, isSearching } = useRecords(text)
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ title, hint }: Command): boolean =>
    words.every((word) => `${title} ${hint}`.toLowerCase().includes(word))
  const begins = ({ title }: Command): boolean => title.toLowerCase().startsWith(words[0] ?? '')
  const fitting = commands.filter(fits)
  const listed = [...fitting.filter(begins), ...fitting.filter((each) => !begins(each)), ...records].slice(0, maxListed)
  const chosen = Math.min(at, Math.max(0, listed.length - 1))
  const run = (command: Command | undefined): void => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const runFirst = (): void => {
    // The listed records may be those of the previous words.
    const isEarly = isSearching && fitting.length === 0
    setRunPending(isEarly)
    if (!isEarly) run(listed[0])
  }
  const choose = (next: number): void => {
    setAt(next)
    setRunPending(false)
  }
  useEffect(() => {
    if (isRunPending && !isSearching) runFirst()
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter' && at === 0) runFirst()
    else if (event.key === 'Enter') run(listed[chosen])
    else if (step !== 0 && listed.length > 0) choose((chosen + step + listed.length) % listed.length)
    else return
    event.preventDefault()
  }
  useEffect(() => {
    document.getElementById(`${listId}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [listId, chosen])
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={css.palette}>
          <Dialog.Title className="off-screen">{t('palette.title')}</Dialog.Title>
          <input
            role="combobox"
            aria-expanded
            aria-controls={listId}
            aria-activedescendant={listed.length > 0 ? `${listId}-${chosen}` : undefined}
            aria-label={t('palette.title')}
            className={css.input}
            placeholder={t('palette.hint')}
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              choose(0)
            }}
            onKeyDown={onKeyDown}
          />
          <div id={listId} role="listbox" aria-label={t('palette.title')} className={css.list}>
            {listed.map((command, index) => (
              <div
                key={command.key}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === chosen}
                className={css.option}
                onPointerMove={() => setAt(index)}
                onClick={() => run(command)}
              >
                <Icon name={command.icon} />
                <span>{command.title}</span>
                <small>{command.hint}</small>
              </div>
            ))}
          </div>
          <p role="status" className={css.status}>
            {listed.length > 0 ? '' : t(isSearching ? 'state.loading' : 'picker.nothing')}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function useCommands(): readonly Command[] {
  const navigate = useNavigate()
  const isStaff = useIsStaff()
  const { user, may_read_documents: maySearch } = useSession()
  const { data: tables = [] } = useTables()
  const { data: filters = [] } = useSavedFilters(user.sys_id, isStaff)
  const { change } = useStoredLook()
  // Callers have tickets, not tables: the lists of their sidebar.
  const lists = isStaff ? tables : ticketTablesIn(tables)
  const theme = (value: 'light' | 'dark' | 'system'): Command => ({
    key: `theme ${value}`,
    icon: 'more',
    title: `${t('theme.title')}: ${t(`theme.${value}`)}`,
    hint: t('palette.action'),
    run: () => change({ theme: value }),
  })
  const toSearch: Command = {
    key: 'search',
    icon: 'search',
    title: t('nav.search'),
    hint: '',
    run: () => void navigate({ to: '/search' }),
  }
  return [
    { key: 'home', icon: 'home', title: t('nav.home'), hint: '', run: () => void navigate({ to: '/' }) },
    ...(maySearch ? [toSearch] : []),
    ...filters.map((filter): Command => {
      const search = searchOfFilter(filter)
      const toFilter = () => navigate({ to: '/f/$filter', params: { filter: filter.sysId } })
      const toList = () => navigate({ to: '/t/$table', params: { table: filter.table }, search })
      return {
        key: filter.sysId,
        icon: 'star',
        title: filter.title,
        hint: t('palette.filter'),
        run: () => void (isTooLong(search) ? toFilter() : toList()),
      }
    }),
    ...lists.map(
      ({ name, title }): Command => ({
        key: `list ${name}`,
        icon: 'table',
        title,
        hint: t('palette.list'),
        run: () => void navigate({ to: '/t/$table', params: { table: name } }),
      }),
    ),
    ...lists
      .filter(({ may_create }) => may_create)
      .map(
        ({ name, title }): Command => ({
          key: `new ${name}`,
          icon: 'plus',
          title: t('nav.newOf', { table: title }),
          hint: t('palette.action'),
          run: () => void navigate({ to: '/t/$table/$sysId', params: { table: name, sysId: 'new' } }),
        }),
      ),
    theme('light'),
    theme('dark'),
    theme('system'),
    {
      key: 'keys',
      icon: 'more',
      title: t('keys.title'),
      hint: '?',
      run: () => dispatchEvent(new Event(OPEN_SHORTCUTS)),
    },
    { key: 'me', icon: 'user', title: t('nav.settings'), hint: '', run: () => void navigate({ to: '/me' }) },
    {
      key: 'out',
      icon: 'user',
      title: t('nav.signOut'),
      hint: t('palette.action'),
      run: () => leaveIfSure(signOut),
    },
  ]
}

/** Tickets by number, or by words. */
function useRecords(text: string): { readonly records: readonly Command[]; readonly isSearching: boolean } {
  const navigate = useNavigate()
  const { data: tables = [] } = useTables()
  const [wanted, setWanted] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setWanted(text.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const hasTasks = tables.some(({ name }) => name === 'task')
  const isLong = wanted.length >= minUnits
  const { data, isFetching } = useQuery({
    queryKey: ['palette', wanted],
    enabled: hasTasks && isLong,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const where = /^[a-z]*\d+$/i.test(wanted) ? condition('number', 'LIKE', wanted) : condition('', 'ARE', wanted)
      const orders = [{ path: ['sys_updated_at'], direction: 'descending', position: 0 }] as const
      const fields = ['sys_id', 'number', 'subject', 'sys_db_table_id']
      return docket.table('task').page({ where, orders }, { fields, display: 'all', limit: maxRecords, signal })
    },
  })
  const rows = isLong ? (data?.rows ?? []) : []
  const records = rows.map((row): Command => {
    const sysId = String(row['sys_id']?.value)
    const title = row['sys_db_table_id']?.display_value
    const table = tables.find((each) => each.title === title)?.name ?? 'task'
    return {
      key: sysId,
      icon: 'edit',
      title: row['subject']?.display_value ?? sysId,
      hint: row['number']?.display_value ?? '',
      run: () => void navigate({ to: '/t/$table/$sysId', params: { table, sysId } }),
    }
  })
  return { records, isSearching: isFetching || wanted !== text.trim() }
}
