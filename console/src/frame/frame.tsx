import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { memo, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { isStaff, useSession } from '../app.tsx'
import { t, withMessages } from '../messages/i18n.ts'
import { Logo } from '../sign-in/sign-in-page.tsx'
import { useTables } from '../table/use-table.ts'
import { Button, classes } from '../ui/button.tsx'
import { holdKeys, releaseKeys } from '../ui/held-keys.ts'
import { Icon } from '../ui/icon.tsx'
import { lazyDialog } from '../ui/part.tsx'
import { isTyping, OPEN_SHORTCUTS } from '../ui/single-keys.ts'
import ui from '../ui/ui.module.css'
import css from './frame.module.css'
import { LinkText, NavGroup } from './nav-group.tsx'
import { SavedFilters } from './saved-filters.tsx'
import { ticketTables, ticketTablesIn } from './ticket-tables.ts'
import { UserMenu } from './user-menu.tsx'

const Palette = lazyDialog(async () => (await withMessages(import('./palette.tsx'), 'dialogs')).Palette)
const ShortcutsDialog = lazyDialog(
  async () => (await withMessages(import('./shortcuts.tsx'), 'dialogs')).ShortcutsDialog,
)

/** Sidebar and page. On a narrow screen the sidebar opens over the page. */
export function Frame() {
  const [isOpen, setOpen] = useState(false)
  const address = useRouterState({ select: ({ location }) => location.href })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the sidebar
  useEffect(() => setOpen(false), [address])
  const opener = useRef<HTMLButtonElement>(null)
  const close = useCallback((): void => {
    setOpen(false)
    opener.current?.focus()
  }, [])
  const palette = usePalette()
  const shortcuts = useShortcuts()
  return (
    <div className={css.frame}>
      <a className={css.skip} href="#page">
        {t('nav.skip')}
      </a>
      <header className={css.bar}>
        <Button
          ref={opener}
          look="quiet"
          isIcon
          aria-label={t('nav.menu')}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="menu" />
        </Button>
        <Logo size={22} />
        <strong>Docket</strong>
      </header>
      <Sidebar isOpen={isOpen} onPalette={palette.open} onClose={close} />
      {isOpen && <button type="button" className={css.veil} aria-label={t('action.close')} onClick={close} />}
      <main id="page" className={css.page} tabIndex={-1}>
        <Outlet />
      </main>
      <Suspense>
        {palette.isOpen && <Palette onClose={palette.close} />}
        {shortcuts.isOpen && <ShortcutsDialog onClose={shortcuts.close} />}
      </Suspense>
    </div>
  )
}

/** The palette opens by Ctrl + K. What is typed until its script is there goes into its field. */
function usePalette() {
  const [isOpen, setOpen] = useState(false)
  const close = useCallback((): void => {
    releaseKeys()
    setOpen(false)
  }, [])
  const open = useCallback((): void => {
    holdKeys(close)
    setOpen(true)
  }, [close])
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.code !== 'KeyK' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      if (!isOpen) open()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [isOpen, open])
  return { isOpen, open, close }
}

/** The list of keys opens by `?`, and from the palette. */
function useShortcuts() {
  const [isOpen, setOpen] = useState(false)
  const close = useCallback((): void => setOpen(false), [])
  useEffect(() => {
    const open = (): void => setOpen(true)
    const listen = (event: KeyboardEvent): void => {
      if (event.key === '?' && !isTyping(event)) open()
    }
    addEventListener('keydown', listen)
    addEventListener(OPEN_SHORTCUTS, open)
    return () => {
      removeEventListener('keydown', listen)
      removeEventListener(OPEN_SHORTCUTS, open)
    }
  }, [])
  return { isOpen, close }
}

interface SidebarProps {
  readonly isOpen: boolean
  readonly onPalette: () => void
  readonly onClose: () => void
}

/** A new address renders its links, which know where they lead to, and nothing else of it. */
const Sidebar = memo(function Sidebar({ isOpen, onPalette, onClose }: SidebarProps) {
  const panel = useRef<HTMLElement>(null)
  // Over the page, it covers the button that opened it.
  useEffect(() => {
    if (isOpen) panel.current?.querySelector('a')?.focus()
  }, [isOpen])
  const { data: tables = [] } = useTables()
  const known = ticketTablesIn(tables)
  const others = tables.filter(
    ({ name }) => !ticketTables.includes(name) && !name.startsWith('sys_') && name !== 'itsm_task',
  )
  const session = useSession()
  return (
    <nav
      ref={panel}
      className={classes(css.sidebar, isOpen && css.open)}
      aria-label={t('nav.main')}
      onKeyDown={(event) => {
        // A menu of the sidebar closes alone.
        if (isOpen && event.key === 'Escape' && (event.target as Element).closest('[role=menu]') === null) onClose()
      }}
    >
      <div className={css.brand}>
        <Logo size={24} />
        <strong>Docket</strong>
      </div>
      <ul className={css.links}>
        <li>
          <Link to="/" activeOptions={{ exact: true }} className={css.link}>
            <Icon name="home" /> {t('nav.home')}
          </Link>
        </li>
        {session.may_read_documents && (
          <li>
            <Link to="/search" activeOptions={{ includeSearch: false }} className={css.link}>
              <Icon name="search" /> {t('nav.search')}
            </Link>
          </li>
        )}
        <li>
          <button type="button" className={css.link} onClick={onPalette}>
            <Icon name="group" /> {t('nav.goTo')} <kbd className={classes(ui.kbd, css.shortcut)}>Ctrl K</kbd>
          </button>
        </li>
      </ul>
      <NavGroup title={t('nav.tickets')}>
        {known.map(({ name, title }) => (
          <TableLink key={name} name={name} title={title} />
        ))}
      </NavGroup>
      <SavedFilters />
      {isStaff(session) && (
        <NavGroup title={t('nav.records')}>
          {others.map(({ name, title }) => (
            <TableLink key={name} name={name} title={title} />
          ))}
        </NavGroup>
      )}
      <div className={css.spacer} />
      <UserMenu within={panel} />
    </nav>
  )
})

function TableLink({ name, title }: { readonly name: string; readonly title: string }) {
  const open = ticketTables.includes(name) ? { q: 'active=true^ORDERBYDESCopened_at' } : {}
  return (
    <li>
      <Link
        to="/t/$table"
        params={{ table: name }}
        search={open}
        activeOptions={{ includeSearch: false }}
        className={css.link}
      >
        <Icon name="table" /> <LinkText text={title} />
      </Link>
    </li>
  )
}
