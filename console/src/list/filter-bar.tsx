import { Popover } from '@base-ui/react/popover'
import { type ConditionTree, condition } from 'docket-client'
import { type FormEvent, type Ref, Suspense, startTransition, useEffect, useRef, useState } from 'react'
import { t, withMessages } from '../messages/i18n.ts'
import { usePreference } from '../preferences.ts'
import type { TableInfo } from '../table/table-info.ts'
import { afterFirstInput } from '../ui/after-first-input.ts'
import { Button, classes } from '../ui/button.tsx'
import { holdKeys, releaseKeys } from '../ui/held-keys.ts'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/part.tsx'
import ui from '../ui/ui.module.css'
import css from './list.module.css'
import { type ChangeQuery, type FilterQuery, printQuery, printTerm, replaceTerm } from './list-query.ts'
import { recentName, recentOf } from './recent-queries.ts'
import { useTermTitle } from './term-title.ts'

const RecentMenu = lazyPart(async () => (await withMessages(import('./recent-menu.tsx'), 'dialogs')).RecentMenu)
const loadConditionEditor = async () =>
  (await withMessages(import('./condition-editor.tsx'), 'dialogs')).ConditionEditor
const ConditionEditor = lazyPart(loadConditionEditor)

interface FilterBarProps {
  readonly info: TableInfo
  readonly query: FilterQuery
  readonly onChange: (change: ChangeQuery) => void
  /** Other conditions in the place of all. */
  readonly onReplace: (query: FilterQuery) => void
  /** undefined: the user sees no query. */
  readonly onText: (() => void) | undefined
  readonly addRef: Ref<HTMLButtonElement>
  /** A condition that stays, and is not displayed: the list is in the page of a record. */
  readonly fixed?: ConditionTree
}

/** A search field, and one chip for each condition. */
export function FilterBar({ info, query, onChange, onReplace, onText, addRef, fixed }: FilterBarProps) {
  const [isAdding, setAdding] = useState(false)
  useEffect(() => afterFirstInput(() => void loadConditionEditor().catch(() => undefined)), [])
  const { terms } = query
  const isTextSearch = (term: ConditionTree): boolean => term.kind === 'comparison' && term.path.length === 0
  const words = terms.find(isTextSearch)
  const queryOf = (next: readonly ConditionTree[]): string =>
    printQuery({ terms: fixed === undefined ? next : [fixed, ...next], orders: [] })
  const setWords = (text: string): void =>
    onChange((now) => {
      const others = now.terms.filter((term) => !isTextSearch(term))
      return { ...now, terms: text === '' ? others : [condition('', 'ARE', text), ...others] }
    })
  const open = (isOpen: boolean): void => {
    if (isOpen) holdKeys(() => setAdding(false))
    else releaseKeys()
    // The first form takes a slow computer 0.3 s: the browser draws the key or click before that.
    startTransition(() => setAdding(isOpen))
  }
  return (
    <div className={css.filters} role="search" aria-label={t('filter.title')}>
      <div className={css.terms}>
        <SearchInput
          words={words?.kind === 'comparison' && words.value.kind === 'words' ? words.value.text : ''}
          onSubmit={setWords}
        />
        {terms.map((term) =>
          isTextSearch(term) ? null : (
            <TermChip
              key={printTerm(term)}
              info={info}
              term={term}
              queryWith={(next) => queryOf(replaceTerm(query, term, next).terms)}
              onChange={(next) => onChange((now) => replaceTerm(now, term, next))}
              onRemove={() => onChange((now) => replaceTerm(now, term))}
            />
          ),
        )}
        <Popover.Root open={isAdding} onOpenChange={open}>
          <Popover.Trigger
            ref={addRef}
            title={`${t('filter.addToGroup')} (f)`}
            {...(fixed === undefined && { 'data-command': t('filter.addToGroup'), 'aria-keyshortcuts': 'F' })}
            className={classes(css.chip, css.add)}
          >
            <Icon name="plus" size={14} /> {t('filter.add')}
          </Popover.Trigger>
          <TermPopup>
            <ConditionEditor
              info={info}
              term={null}
              queryWith={(term) => queryOf([...terms, term])}
              onSubmit={(term) => {
                setAdding(false)
                onChange((now) => ({ ...now, terms: [...now.terms, term] }))
              }}
            />
          </TermPopup>
        </Popover.Root>
        <Recent info={info} onPick={(next) => onReplace({ ...query, terms: next })} />
      </div>
      {onText !== undefined && (
        <Button look="quiet" className={css.asText} data-command={t('filter.asText')} onClick={onText}>
          {t('filter.asText')}
        </Button>
      )}
    </div>
  )
}

interface RecentProps {
  readonly info: TableInfo
  readonly onPick: (terms: FilterQuery['terms']) => void
}

/** Opens the conditions that the user chose last, if there are any. */
function Recent({ info, onPick }: RecentProps) {
  const { value } = usePreference(recentName(info.entry.name))
  const [isOpen, setOpen] = useState(false)
  if (!isOpen && recentOf(value).length === 0) return null
  const title = t('filter.recent')
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger title={title} aria-label={title} data-command={title} className={classes(css.chip, css.add)}>
        <Icon name="clock" size={14} />
      </Popover.Trigger>
      <TermPopup title={title}>
        <RecentMenu
          info={info}
          onClose={() => setOpen(false)}
          onPick={(terms) => {
            setOpen(false)
            onPick(terms)
          }}
        />
      </TermPopup>
    </Popover.Root>
  )
}

function TermPopup({
  children,
  title = t('filter.condition'),
}: {
  readonly children: React.ReactNode
  readonly title?: string
}) {
  return (
    <Popover.Portal>
      <Popover.Positioner sideOffset={6} align="start" className={ui.layer}>
        <Popover.Popup className={classes(ui.popup, css.editor)} aria-label={title}>
          <Suspense fallback={<p className={ui.item}>{t('state.loading')}</p>}>{children}</Suspense>
        </Popover.Popup>
      </Popover.Positioner>
    </Popover.Portal>
  )
}

interface TermChipProps {
  readonly info: TableInfo
  readonly term: ConditionTree
  /** The query of the list with another condition in its place. */
  readonly queryWith: (term: ConditionTree) => string
  readonly onChange: (term: ConditionTree) => void
  readonly onRemove: () => void
}

function TermChip({ info, term, queryWith, onChange, onRemove }: TermChipProps) {
  const [isOpen, setOpen] = useState(false)
  const title = useTermTitle(info, term)
  return (
    <span className={css.chip}>
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger className={css.chipText} title={title}>
          {title}
        </Popover.Trigger>
        <TermPopup>
          <ConditionEditor
            info={info}
            term={term}
            queryWith={queryWith}
            onSubmit={(next) => {
              setOpen(false)
              onChange(next)
            }}
          />
        </TermPopup>
      </Popover.Root>
      <button type="button" className={css.chipRemove} aria-label={t('filter.remove', { title })} onClick={onRemove}>
        <Icon name="close" size={12} />
      </button>
    </span>
  )
}

/** The row that has the focus when the grid has it; without rows, the part of the page for them. */
function focusRows(from: HTMLElement): void {
  const body = from.closest('[data-list]')?.querySelector<HTMLElement>('[data-rows]') ?? null
  const stop = body?.querySelector<HTMLElement>('[data-record][tabindex="0"], [data-record] [tabindex="0"]') ?? body
  stop?.focus({ preventScroll: true })
}

function SearchInput({ words, onSubmit }: { readonly words: string; readonly onSubmit: (text: string) => void }) {
  const [text, setText] = useState(words)
  const sent = useRef(words)
  useEffect(() => {
    // The user may have typed more after sending the words.
    if (words !== sent.current) setText(words)
    sent.current = words
  }, [words])
  const isNew = text.trim() !== words
  const send = (): void => {
    sent.current = text.trim()
    onSubmit(sent.current)
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send()
  }
  return (
    <form className={css.words} onSubmit={submit}>
      <Icon name="search" />
      <input
        data-words
        type="search"
        className={ui.input}
        aria-label={t('filter.words')}
        placeholder={t('filter.words')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && focusRows(event.currentTarget)}
        enterKeyHint="search"
        onBlur={() => isNew && send()}
      />
      {isNew && <kbd className={ui.kbd}>Enter</kbd>}
    </form>
  )
}
