import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { InvalidValue } from 'docket-client'
import type { FoundChunk, SearchResult } from 'docket-client/documents'
import { useEffect, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import { isolated } from '../messages/isolate.ts'
import type { SearchSearch } from '../router.tsx'
import { longerThan } from '../table/too-long.ts'
import { Button, classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, Loading, StillWorking } from '../ui/loading.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { documents } from './documents.ts'
import { FilterBuilder } from './filter-builder.tsx'
import { chunkKey } from './found.ts'
import type { FilterFault } from './metadata-filter.ts'
import { Results } from './results.tsx'
import css from './search.module.css'
import { Source } from './source.tsx'

const pauseMs = 250
const maxChunks = 30
const route = getRouteApi('/search')

/** Search in all collections that the user may read. The source of a passage opens beside the list. */
export function SearchPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  // The words are searched some time after they were typed: what was chosen in between stays.
  const change = (part: SearchSearch): void => void navigate({ search: (now) => ({ ...now, ...part }), replace: true })
  const client = useQueryClient()
  const found = useFound(search)
  const isSearching = found.fetchStatus === 'fetching'
  /** The passages are those of other words or conditions, or there are none yet. */
  const isUnread = search.q !== undefined && (found.isPending || found.isPlaceholderData)
  const stop = (): void => void client.cancelQueries({ queryKey: ['found'] })
  const { data: collections = [] } = useCollections()
  useEffect(() => {
    document.title = `${isolated(search.q ?? t('search.title'))} · Docket`
  }, [search.q])
  const chosen = found.data?.chunks.find(
    ({ collection_name, doc_id, chunk_index }) =>
      collection_name === search.docc && doc_id === search.doc && String(chunk_index) === search.chunk,
  )
  const fault = faultOf(found.error)
  const isOpen = search.doc !== undefined
  const body = useRef<HTMLDivElement>(null)
  const opened = useRef<FoundChunk | undefined>(undefined)
  if (chosen !== undefined) opened.current = chosen
  const isClosing = useRef(false)
  const close = (): void => {
    isClosing.current = true
    change({ doc: undefined, chunk: undefined, docc: undefined })
  }
  // Not before: on a narrow screen the source covers the results.
  useEffect(() => {
    if (isOpen || !isClosing.current) return
    isClosing.current = false
    const found = [...(body.current?.querySelectorAll<HTMLElement>('[data-found]') ?? [])]
    const key = opened.current === undefined ? '' : chunkKey(opened.current)
    const target = found.find((each) => each.dataset['found'] === key) ?? found[0]
    ;(target ?? document.getElementById('search-words'))?.focus()
  }, [isOpen])
  return (
    <div className={classes(css.page, isOpen && css.withSource)}>
      <h1 className="off-screen">{t('search.title')}</h1>
      <header className={css.head}>
        <SearchBox
          text={search.q ?? ''}
          onChange={(q) => change({ q, doc: undefined, chunk: undefined, docc: undefined })}
        />
        <Narrowing search={search} names={collections.map((each) => each.collection_name)} onChange={change} />
        <FilterBuilder
          text={search.filter ?? ''}
          collections={search.c?.split(',')}
          fault={fault}
          onChange={(filter) => change({ filter, doc: undefined, chunk: undefined, docc: undefined })}
        />
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the source has a button to close it, too */}
      <div ref={body} className={css.body} onKeyDown={(event) => isOpen && event.key === 'Escape' && close()}>
        <section className={css.found} aria-label={t('search.results')}>
          <Notices result={found.data} onQuery={(q) => change({ q })} />
          {found.error !== null && fault === null && (
            <ErrorBanner error={found.error} onRetry={() => void found.refetch()} />
          )}
          {found.isLoading && <Loading lines={8} onCancel={stop} />}
          {found.isPlaceholderData && isSearching && <StillWorking onCancel={stop} />}
          {isUnread && !isSearching && (
            <p className={css.notice} role="status">
              {t('state.cancelled')} <Button onClick={() => void found.refetch()}>{t('action.retry')}</Button>
            </p>
          )}
          {search.q === undefined && <Empty>{t('search.begin')}</Empty>}
          {found.data !== undefined && found.data.chunks.length === 0 && (
            <Empty>
              {t(search.c === undefined && search.filter === undefined ? 'search.none' : 'search.noneHere')}
            </Empty>
          )}
          {found.data !== undefined && (
            <Results
              chunks={found.data.chunks}
              chosen={chosen}
              isGrouped={search.group === 'doc'}
              isStale={found.isPlaceholderData}
              onOpen={(chunk) =>
                change({ doc: chunk.doc_id, chunk: String(chunk.chunk_index), docc: chunk.collection_name })
              }
            />
          )}
        </section>
        {search.doc !== undefined && search.docc !== undefined && (
          <Source
            key={`${search.docc}/${search.doc}`}
            collection={search.docc}
            docId={search.doc}
            query={search.q ?? ''}
            mode={modeOf(search)}
            chunk={search.chunk === undefined ? null : Number(search.chunk)}
            isBound={collections.some((each) => each.collection_name === search.docc && each.acl_table !== null)}
            hasChunks={search.chunks === '1'}
            onChunks={(hasChunks) => change({ chunks: hasChunks ? '1' : undefined })}
            onChunk={(chunk) => change({ chunk: String(chunk) })}
            onClose={close}
          />
        )}
      </div>
    </div>
  )
}

/** What the server says about the filter; null: the error is about something else. */
const faultOf = (error: unknown): FilterFault | null =>
  error instanceof InvalidValue && error.code === 'BAD_QUERY' && error.position !== null
    ? { position: error.position, detail: error.message }
    : null

const useCollections = () =>
  useQuery({
    queryKey: ['collections'],
    staleTime: 300_000,
    queryFn: ({ signal }) => documents.collections({ signal }),
  })

/** undefined: that of the server */
const modeOf = ({ mode }: SearchSearch) =>
  mode === 'lexical' || mode === 'hybrid' || mode === 'vector' ? mode : undefined

function useFound({ q = '', c, filter, mode }: SearchSearch) {
  return useQuery({
    queryKey: ['found', q, c, filter, mode],
    enabled: q !== '',
    placeholderData: q === '' ? undefined : keepPreviousData,
    queryFn: ({ signal }) =>
      documents.search(q, {
        collections: c?.split(','),
        filter,
        k: maxChunks,
        mode: modeOf({ mode }),
        parameters: { explain: true, details: true, collapse: 'duplicates' },
        signal,
      }),
  })
}

/** In characters. An address with the words has to fit everywhere. */
const maxWords = 1_000

/** Searches when the user stops typing, and aborts the search before. */
function SearchBox({
  text,
  onChange,
}: {
  readonly text: string
  readonly onChange: (text: string | undefined) => void
}) {
  const [typed, setTyped] = useState(text)
  const fault = longerThan(maxWords, typed.trim())
  /** What the address is going to have, in this order: typing goes on meanwhile. */
  const sent = useRef<readonly string[]>([])
  useEffect(() => {
    const at = sent.current.indexOf(text)
    sent.current = sent.current.slice(at + 1)
    if (at < 0) setTyped(text)
  }, [text])
  const send = (): void => {
    const wanted = typed.trim()
    if (wanted === (sent.current.at(-1) ?? text)) return
    sent.current = [...sent.current, wanted]
    onChange(wanted === '' ? undefined : wanted)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the delay
  useEffect(() => {
    if (fault !== undefined) return undefined
    const timer = setTimeout(send, pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <>
      <form
        role="search"
        className={css.box}
        onSubmit={(event) => {
          event.preventDefault()
          if (fault === undefined) send()
        }}
      >
        <Icon name="search" size={18} />
        <input
          id="search-words"
          type="search"
          className={ui.input}
          autoFocus
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={fault === undefined ? undefined : 'search-words-fault'}
          placeholder={t('search.placeholder')}
          aria-label={t('search.placeholder')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return
            event.preventDefault()
            document.querySelector<HTMLElement>('[data-found]')?.focus()
          }}
        />
      </form>
      {fault !== undefined && (
        <p role="alert" id="search-words-fault" className={ui.danger}>
          {fault}
        </p>
      )}
    </>
  )
}

interface NarrowingProps {
  readonly search: SearchSearch
  readonly names: readonly string[]
  readonly onChange: (part: SearchSearch) => void
}

function Narrowing({ search, names, onChange }: NarrowingProps) {
  const { features } = useSession()
  const chosen = search.c?.split(',') ?? []
  const toggle = (name: string): void => {
    const next = chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]
    onChange({ c: next.length === 0 ? undefined : next.join(','), doc: undefined, chunk: undefined, docc: undefined })
  }
  return (
    <div className={css.narrowing}>
      {names.length > 1 && (
        <div role="group" aria-label={t('search.collections')} className={css.chips}>
          {names.map((name) => (
            <button
              key={name}
              type="button"
              className={css.chip}
              aria-pressed={chosen.includes(name)}
              onClick={() => toggle(name)}
            >
              {chosen.includes(name) && <Icon name="check" size={12} />} {name}
            </button>
          ))}
        </div>
      )}
      {features.hybrid && (
        <select
          className={classes(ui.input, css.mode)}
          aria-label={t('search.mode')}
          value={search.mode ?? ''}
          onChange={(event) => onChange({ mode: event.target.value || undefined })}
        >
          <option value="">{t('search.mode.default')}</option>
          <option value="lexical">{t('search.mode.lexical')}</option>
          <option value="hybrid">{t('search.mode.hybrid')}</option>
          <option value="vector">{t('search.mode.vector')}</option>
        </select>
      )}
      <button
        type="button"
        className={css.chip}
        aria-pressed={search.group === 'doc'}
        onClick={() => onChange({ group: search.group === 'doc' ? undefined : 'doc' })}
      >
        {search.group === 'doc' && <Icon name="check" size={12} />} {t('search.byDocument')}
      </button>
    </div>
  )
}

/** The server's warnings about the search. */
function Notices({
  result,
  onQuery,
}: {
  readonly result: SearchResult | undefined
  readonly onQuery: (q: string) => void
}) {
  if (result === undefined) return null
  const { didYouMean, warnings } = result
  return (
    <>
      <p className="off-screen" role="status">
        {t('search.count', { count: result.chunks.length })}
      </p>
      {didYouMean !== null && (
        <p className={css.notice}>
          {t('search.didYouMean')}{' '}
          <button type="button" className={css.linkButton} onClick={() => onQuery(didYouMean)}>
            {didYouMean}
          </button>
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className={classes(ui.banner, ui.bannerWarn)}>
          {warning}
        </p>
      ))}
    </>
  )
}
