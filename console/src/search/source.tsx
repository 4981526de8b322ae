import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { condition, NotFound, printEncodedQuery } from 'docket-client'
import type { ChunkRange, DocumentText, FoundChunk, SearchOptions } from 'docket-client/documents'
import { Fragment, useEffect, useMemo, useRef, useState } from 'react'
import { prefix } from '../facts.ts'
import { t } from '../messages/i18n.ts'
import { Button, classes } from '../ui/button.tsx'
import { FirstRead } from '../ui/first-read.tsx'
import { Icon } from '../ui/icon.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { type Boundary, boundariesOf, partsOfLine } from './chunk-boundaries.ts'
import { documents } from './documents.ts'
import { recordOf, titleOf } from './found.ts'
import { Marked } from './marked.tsx'
import { type Line, linesOf, type Range, rangesWithin } from './marked-text.ts'
import { fencesOf, isMarkdown, withoutMarks } from './plain-markdown.ts'
import css from './search.module.css'

/** Of a longer text, only the part around the passage is rendered. */
const maxUnits = 120_000

interface SourceProps {
  readonly collection: string
  readonly docId: string
  readonly query: string
  /** How the words are searched. */
  readonly mode: SearchOptions['mode']
  /** Index of the opened passage. */
  readonly chunk: number | null
  /** The records of a table decide who may read the documents. */
  readonly isBound: boolean
  /** Where chunks begin and end is in the text. */
  readonly hasChunks: boolean
  readonly onChunks: (hasChunks: boolean) => void
  readonly onChunk: (chunk: number) => void
  readonly onClose: () => void
}

/** The text of a document, scrolled to the passage, with all matches of the query marked. */
export function Source({
  collection,
  docId,
  query,
  mode,
  chunk,
  isBound,
  hasChunks,
  onChunks,
  onChunk,
  onClose,
}: SourceProps) {
  const text = useText(collection, docId)
  const hits = useHits({ collection, docId, query, mode })
  const all = useMemo(() => [...(hits.data ?? [])].sort((one, other) => one.from - other.from), [hits.data])
  const at = all.findIndex(({ chunk_index }) => chunk_index === chunk)
  // An address may name a passage that the search does not find, as one without the words.
  const isOther = chunk !== null && at < 0 && !hits.isLoading
  const chunks = useChunks(collection, docId, hasChunks || isOther ? (text.data?.version ?? null) : null)
  const boundaries = useMemo(
    () => (hasChunks && chunks.data !== undefined ? boundariesOf(chunks.data) : []),
    [hasChunks, chunks.data],
  )
  const other =
    chunks.data === undefined ? undefined : (chunks.data.find((each) => each.chunk_index === chunk) ?? all[0])
  const current: Passage | undefined = chunk === null ? all[0] : (all[at] ?? (isOther ? other : undefined))
  const go = (step: 1 | -1): void => {
    // If the displayed passage is not a hit: the nearest hit before or after it.
    const after = all.findIndex(({ from }) => from > (current?.from ?? -1))
    const place = at >= 0 ? at + step : step < 0 ? (after < 0 ? all.length : after) - 1 : Math.max(after, 0)
    const next = all[(place + all.length) % all.length]
    if (next !== undefined) onChunk(next.chunk_index)
  }
  const named = all[Math.max(at, 0)]
  const title = named === undefined ? docId : titleOf(named)
  const record = text.data === undefined || !isBound ? null : recordOf(text.data)
  const panel = useRef<HTMLElement>(null)
  // On a narrow screen it covers the result that opened it.
  useEffect(() => {
    const { activeElement } = document
    if (activeElement === null || !activeElement.checkVisibility({ visibilityProperty: true })) panel.current?.focus()
  }, [])
  return (
    <aside ref={panel} tabIndex={-1} className={css.source} aria-label={t('search.source')}>
      <header className={css.sourceHead}>
        <h2>{title}</h2>
        <div className={ui.row}>
          {all.length > (isOther ? 0 : 1) && (
            <>
              {!isOther && (
                <small className={css.position}>
                  {t('search.hit', { at: Math.max(at, 0) + 1, count: all.length })}
                </small>
              )}
              <Button look="quiet" isIcon aria-label={t('search.previous')} onClick={() => go(-1)}>
                <Icon name="up" />
              </Button>
              <Button look="quiet" isIcon aria-label={t('search.next')} onClick={() => go(1)}>
                <Icon name="down" />
              </Button>
            </>
          )}
          <button
            type="button"
            className={css.chip}
            aria-pressed={hasChunks}
            title={t('search.chunksHint')}
            onClick={() => onChunks(!hasChunks)}
          >
            {hasChunks && <Icon name="check" size={12} />} {t('search.chunks')}
          </button>
          {record !== null && (
            <Link to="/t/$table/$sysId" params={record} className={css.linkButton}>
              {t('search.record')}
            </Link>
          )}
          {text.data?.file_name != null && (
            <a
              className={css.linkButton}
              target="_blank"
              rel="noopener noreferrer"
              href={originalOf(collection, docId, current?.page ?? null)}
            >
              {t('search.original')}
            </a>
          )}
          <Button look="quiet" isIcon aria-label={t('action.close')} onClick={onClose}>
            <Icon name="close" />
          </Button>
        </div>
      </header>
      {text.error !== null && <ErrorBanner error={text.error} onRetry={() => void text.refetch()} />}
      {text.data === undefined && text.error === null && (
        <FirstRead queryKey={textKey(collection, docId)} read={text} lines={12} />
      )}
      <p className="off-screen" role="status">
        {hasChunks && chunks.data !== undefined && t('search.chunksShown', { count: chunks.data.length })}
      </p>
      {chunks.error !== null && (hasChunks || isOther) && (
        <ErrorBanner error={chunks.error} onRetry={() => void chunks.refetch()} />
      )}
      {text.data !== undefined && <Body text={text.data} hits={all} current={current} boundaries={boundaries} />}
    </aside>
  )
}

const originalOf = (collection: string, docId: string, page: number | null): string => {
  const parameters = new URLSearchParams({ collection_name: collection, id_value: docId, inline: '1' })
  return `${prefix}/get_document_file?${parameters}${page === null ? '' : `#page=${page}`}`
}

const filterFor = (docId: string): string => printEncodedQuery({ where: condition('doc_id', '=', docId), orders: [] })

const textKey = (collection: string, docId: string) => ['document', collection, docId]

const useText = (collection: string, docId: string) =>
  useQuery({
    queryKey: textKey(collection, docId),
    queryFn: async ({ signal }): Promise<DocumentText> => {
      for await (const document of documents.contents(collection, filterFor(docId), { signal }))
        if (document.doc_id === docId) return document
      throw new NotFound({
        status: 404,
        errors: [{ message: t('state.notFound'), code: 'DOCUMENT_NOT_FOUND' }],
        requestId: null,
        retryAfterMs: null,
      })
    },
  })

/** @param version of the text that is displayed; null: not wanted */
const useChunks = (collection: string, docId: string, version: number | null) =>
  useQuery({
    queryKey: ['chunks-of', collection, docId, version],
    enabled: version !== null,
    queryFn: async ({ signal }): Promise<readonly ChunkRange[]> => {
      const chunks: ChunkRange[] = []
      for await (const chunk of documents.chunks(collection, docId, { signal })) chunks.push(chunk)
      return chunks
    },
  })

type HitsOf = Pick<SourceProps, 'collection' | 'docId' | 'query' | 'mode'>

const useHits = ({ collection, docId, query, mode }: HitsOf) =>
  useQuery({
    queryKey: ['hits-in', collection, docId, query, mode],
    enabled: query !== '',
    queryFn: async ({ signal }): Promise<readonly FoundChunk[]> => {
      const options = { collections: [collection], filter: filterFor(docId), k: 100, mode, signal }
      return (await documents.search(query, options)).chunks
    },
  })

/** The part of the text that is displayed. */
type Passage = Pick<ChunkRange, 'chunk_index' | 'from' | 'to' | 'page'>

interface BodyProps {
  readonly text: DocumentText
  readonly hits: readonly FoundChunk[]
  readonly current: Passage | undefined
  readonly boundaries: readonly Boundary[]
}

function Body({ text: document, hits, current, boundaries }: BodyProps) {
  const { text } = document
  const [isWhole, setWhole] = useState(false)
  const hasMarks = isMarkdown(document)
  const fences = useMemo(() => (hasMarks ? fencesOf(text) : []), [text, hasMarks])
  const lines = useMemo(() => {
    const all = linesOf(text)
    const middle = current?.from ?? 0
    const isNear = ({ from }: Line): boolean => Math.abs(from - middle) < maxUnits / 2
    return isWhole || text.length <= maxUnits ? all : all.filter(isNear)
  }, [text, isWhole, current?.from])
  const marks = useMemo(
    () =>
      hits.flatMap(({ from, highlights = [] }) => highlights.map(([one, other]): Range => [from + one, from + other])),
    [hits],
  )
  const passage = useRef<HTMLParagraphElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to another passage
  useEffect(() => {
    passage.current?.scrollIntoView({ block: 'center' })
  }, [current?.chunk_index, hits.length])
  const first = lines.findIndex(({ from, text: line }) => current !== undefined && from + line.length >= current.from)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard
    <div className={css.text} tabIndex={0} role="document" aria-label={t('search.text')}>
      {lines.length < text.split('\n').length && (
        <p className={css.notice}>
          {t('search.part')}{' '}
          <button type="button" className={css.linkButton} onClick={() => setWhole(true)}>
            {t('search.whole')}
          </button>
        </p>
      )}
      {lines.map((line, at) => (
        <TextLine
          key={line.from}
          line={line}
          marks={marks}
          boundaries={boundaries}
          hasMarks={hasMarks && rangesWithin(fences, line.from, line.from + 1).length === 0}
          isCurrent={current !== undefined && line.from < current.to && line.from + line.text.length > current.from}
          place={at === first ? passage : undefined}
        />
      ))}
    </div>
  )
}

interface TextLineProps {
  readonly line: Line
  readonly marks: readonly Range[]
  readonly boundaries: readonly Boundary[]
  /** The text is Markdown, and this line is not code. */
  readonly hasMarks: boolean
  readonly isCurrent: boolean
  readonly place: React.RefObject<HTMLParagraphElement | null> | undefined
}

/** One line of the text. Headings of Markdown are displayed as headings, without marks. */
function TextLine({ line, marks, boundaries, hasMarks, isCurrent, place }: TextLineProps) {
  const sign = hasMarks ? (/^(#{1,6})\s+/.exec(line.text)?.[0] ?? '') : ''
  return (
    <p
      ref={place}
      className={classes(css.line, isCurrent && css.current)}
      aria-current={isCurrent || undefined}
      data-heading={sign.trim().length || undefined}
    >
      {partsOfLine(line, boundaries).map(({ from, text, boundaries: before }) => {
        const within = rangesWithin(marks, from, from + text.length)
        const displayed = hasMarks ? withoutMarks(text, within) : { text, ranges: within }
        return (
          <Fragment key={from}>
            {before.map(({ kind, number }) => (
              <span key={`${kind} ${number}`} className={css.boundary} data-boundary={kind}>
                {t(kind === 'begin' ? 'search.chunkBegin' : 'search.chunkEnd', { number })}
              </span>
            ))}
            <Marked text={displayed.text} ranges={displayed.ranges} />
          </Fragment>
        )
      })}
    </p>
  )
}
