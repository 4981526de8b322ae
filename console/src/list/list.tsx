import { Link } from '@tanstack/react-router'
import { type DragEvent, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useSeesColumns } from '../app.tsx'
import { t, withMessages } from '../messages/i18n.ts'
import { isolated } from '../messages/isolate.ts'
import type { TableInfo } from '../table/table-info.ts'
import { useMayWriteViews } from '../table/use-table.ts'
import { Button, classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyDialog, lazyPart } from '../ui/part.tsx'
import { FilterBar } from './filter-bar.tsx'
import { FilterMenu } from './filter-menu.tsx'
import { FreshRows } from './fresh-rows.tsx'
import css from './list.module.css'
import { stateInAddress } from './list-address.ts'
import { ListBody } from './list-body.tsx'
import { ListMenus } from './list-menus.tsx'
import { type ChangeQuery, printQuery, readQuery } from './list-query.ts'
import type { ListState } from './list-state.ts'
import { newRecordOf } from './new-record.ts'
import { useList } from './use-list.ts'
import { useRememberQuery } from './use-remember-query.tsx'

const ImportDialog = lazyDialog(async () => (await withMessages(import('./import-dialog.tsx'), 'dialogs')).ImportDialog)

const QueryText = lazyPart(async () => (await withMessages(import('./query-text.tsx'), 'dialogs')).QueryText)

interface ListProps {
  readonly info: TableInfo
  readonly state: ListState
  /** `isStep`: the browser's "back" returns to the state before. */
  readonly onState: (state: ListState, isStep: boolean) => void
}

export function List({ info, state, onState }: ListProps) {
  const { name, title, may_create } = info.entry
  const { query: text } = state
  const read = useMemo(() => readQuery(text), [text])
  const list = useList(info, state)
  const { total, live } = list
  const seesColumns = useSeesColumns()
  const mayStoreForAll = useMayWriteViews()
  const newRecord = may_create ? newRecordOf(name) : null
  const [isTextMode, setTextMode] = useState(false)
  /** `choose`: the dialog asks for the file. */
  const [imported, setImported] = useState<File | 'choose' | null>(null)
  const mayImport = may_create && seesColumns
  // The page follows the address some frames later. What is changed until then adds to the newest state.
  const latest = useRef(state)
  latest.current = state
  const newest = (): ListState => stateInAddress(name) ?? latest.current
  const change = (next: Partial<ListState>, isStep = true): void => onState({ ...newest(), ...next }, isStep)
  const { remember, remembers } = useRememberQuery(name)
  const setQuery = (query: string, more: Partial<ListState> = {}): void => {
    remember(query)
    change({ query, ...more })
  }
  const changeQuery = (next: ChangeQuery): void => {
    const now = readQuery(newest().query)
    if (now.ok) setQuery(printQuery(next(now.query)))
  }
  const filterRef = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    document.title = `${isolated(title)} · Docket`
  }, [title])
  return (
    // A button imports files, too.
    <div data-list className={css.page} {...(mayImport && onDroppedFile(setImported))}>
      <header className={css.head}>
        <div className={css.title}>
          <h1>{title}</h1>
          <FilterMenu info={info} state={state} widths={list.look.widths} onState={change} />
          <span className={classes(css.total, total.isPlaceholderData && css.stale)} role="status">
            {total.data === undefined
              ? ''
              : t(total.data.isOver ? 'list.over' : 'list.total', { count: total.data.count })}
          </span>
          <FreshRows {...live} />
          {live.isOffline && <span className={css.offline}>{t('live.offline')}</span>}
        </div>
        <div className={css.actions}>
          <ListMenus {...{ info, state, list, mayStoreForAll }} onChange={change} />
          {mayImport && (
            <Button look="quiet" aria-label={t('list.import')} onClick={() => setImported('choose')}>
              <Icon name="up" /> <span className={css.wideOnly}>{t('list.import')}</span>
            </Button>
          )}
          {newRecord !== null && (
            <Link {...newRecord} title={`${t('list.newRecord')} (n)`} aria-keyshortcuts="N" className={css.newLink}>
              <Icon name="plus" /> <span>{t('list.create')}</span>
            </Link>
          )}
        </div>
      </header>
      {isTextMode || !read.ok ? (
        <Suspense fallback={<p className={css.queryText}>{t('state.loading')}</p>}>
          <QueryText
            info={info}
            text={text}
            isOpened={isTextMode}
            onChange={setQuery}
            onClose={read.ok ? () => setTextMode(false) : undefined}
          />
        </Suspense>
      ) : (
        <FilterBar
          info={info}
          query={read.query}
          onChange={changeQuery}
          onReplace={(query) => setQuery(printQuery(query), { filter: undefined })}
          onText={seesColumns ? () => setTextMode(true) : undefined}
          addRef={filterRef}
        />
      )}
      <ListBody
        {...list.body}
        query={read.ok ? read.query : null}
        newRecord={newRecord}
        orders={read.ok ? read.query.orders : []}
        onOrders={(orders) => {
          const now = readQuery(newest().query)
          if (now.ok) change({ query: printQuery({ ...now.query, orders }) })
        }}
        onQuery={changeQuery}
        onPeek={(sysId) => change({ peek: sysId ?? undefined }, false)}
        onFilter={() => filterRef.current?.click()}
        onReturn={(before) => onState(before, false)}
      />
      {remembers}
      {imported !== null && (
        <Suspense>
          <ImportDialog
            info={info}
            dropped={imported === 'choose' ? null : imported}
            onClose={() => setImported(null)}
          />
        </Suspense>
      )}
    </div>
  )
}

/** Of what is dropped, only files are taken. */
const onDroppedFile = (take: (file: File) => void) => ({
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer.types.includes('Files')) event.preventDefault()
  },
  onDrop: (event: DragEvent) => {
    const [file] = event.dataTransfer.files
    if (file === undefined) return
    event.preventDefault()
    // Dialogs over the list are none of its elements.
    if (event.currentTarget.contains(event.target as Node)) take(file)
  },
})
