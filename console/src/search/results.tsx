import type { FoundChunk } from 'docket-client/documents'
import { type KeyboardEvent, useId, useState } from 'react'
import { useSession } from '../app.tsx'
import { currentLanguage, t } from '../messages/i18n.ts'
import { dateTimeText } from '../ui/value.tsx'
import { byDocument, chunkKey, dateOf, headingsOf, titleOf } from './found.ts'
import { Marked } from './marked.tsx'
import { excerptOf, type Range } from './marked-text.ts'
import { isMarkdown, withoutMarks } from './plain-markdown.ts'
import css from './search.module.css'

const excerptUnits = 320

interface ResultsProps {
  readonly chunks: readonly FoundChunk[]
  readonly chosen: FoundChunk | undefined
  /** Passages of a document are together, below its title. */
  readonly isGrouped: boolean
  /** They are those of the search before. They stay in view, and are not opened: what is searched now takes their place. */
  readonly isStale: boolean
  readonly onOpen: (chunk: FoundChunk) => void
}

/** Passages, the best first, or by document, that with the best passage first. The arrow keys move through them; if a source is open, it shows the current passage. */
export function Results({ chunks: found, chosen, isGrouped, isStale, onOpen }: ResultsProps) {
  const groups = isGrouped ? byDocument(found) : [found]
  const chunks = groups.flat()
  const open = (chunk: FoundChunk): void => {
    if (!isStale) onOpen(chunk)
  }
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-found]')]
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (at === -1 || to === undefined) return
    event.preventDefault()
    const target = to < 0 ? document.getElementById('search-words') : all[to]
    target?.focus()
    const chunk = chunks[to]
    if (chosen !== undefined && chunk !== undefined) open(chunk)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the passages in it are buttons
    <div
      className={css.results}
      {...(isStale && { role: 'group', 'aria-busy': true, 'aria-disabled': true })}
      onKeyDown={move}
    >
      {groups.map(([first, ...more]) => (
        <Passages
          key={first === undefined || !isGrouped ? '' : chunkKey(first)}
          chunks={first === undefined ? [] : [first, ...more]}
          title={first === undefined || !isGrouped ? null : titleOf(first)}
          chosen={chosen}
          onOpen={open}
        />
      ))}
    </div>
  )
}

interface PassagesProps extends Pick<ResultsProps, 'chunks' | 'chosen' | 'onOpen'> {
  /** Title of their document; null: they are of several. */
  readonly title: string | null
}

function Passages({ chunks, title, chosen, onOpen }: PassagesProps) {
  return (
    <>
      {title !== null && (
        <h2 className={css.group}>
          {title} <small>{t('search.count', { count: chunks.length })}</small>
        </h2>
      )}
      <ol>
        {chunks.map((chunk) => (
          <Result
            key={chunkKey(chunk)}
            chunk={chunk}
            hasTitle={title === null}
            isChosen={chosen !== undefined && chunkKey(chosen) === chunkKey(chunk)}
            onOpen={() => onOpen(chunk)}
          />
        ))}
      </ol>
    </>
  )
}

interface ResultProps {
  readonly chunk: FoundChunk
  /** Its title is displayed. */
  readonly hasTitle: boolean
  readonly isChosen: boolean
  readonly onOpen: () => void
}

function Result({ chunk, hasTitle, isChosen, onOpen }: ResultProps) {
  const { time_zone: timeZone } = useSession()
  const [isExplained, setExplained] = useState(false)
  const id = useId()
  const hasMarks = isMarkdown(chunk)
  const text = hasMarks ? chunk.text.replace(/^#+\s+[^\n]*\n+/, (heading) => ' '.repeat(heading.length)) : chunk.text
  const displayed = text.trim() === '' ? chunk.text : text
  const begin = displayed.length - displayed.trimStart().length
  const ranges = (chunk.highlights ?? [])
    .filter(([from]) => from >= begin)
    .map(([from, to]): Range => [from - begin, to - begin])
  const passage = { text: displayed.slice(begin), ranges }
  const plain = hasMarks ? withoutMarks(passage.text, ranges) : passage
  const excerpt = excerptOf(plain.text, plain.ranges, excerptUnits)
  const headings = headingsOf(chunk)
  const reasons = reasonsOf(chunk)
  const date = dateOf(chunk)
  return (
    <li className={css.result} data-chosen={isChosen}>
      <button
        type="button"
        data-found={chunkKey(chunk)}
        className={css.open}
        aria-current={isChosen || undefined}
        onClick={onOpen}
      >
        {hasTitle && <span className={css.resultTitle}>{titleOf(chunk)}</span>}
        {headings.length > 0 && <span className={css.headings}>{headings.join(' › ')}</span>}
        <span className={css.passage}>
          {excerpt.isCutBefore && '… '}
          <Marked text={excerpt.text} ranges={excerpt.ranges} />
          {excerpt.isCutAfter && ' …'}
        </span>
      </button>
      <p className={css.facts}>
        <span>{chunk.collection_name}</span>
        {chunk.page !== null && <span>{t('search.page', { page: chunk.page })}</span>}
        {date !== null && (
          <time
            dateTime={date.at.toISOString()}
            title={t(date.isLoaded ? 'search.loaded' : 'search.created', {
              date: dateTimeText(date.at, timeZone, true),
            })}
          >
            {dateTimeText(date.at, timeZone)}
          </time>
        )}
        {chunk.relevance !== undefined && <Relevance value={chunk.relevance} />}
        {reasons.length > 0 && (
          <button
            type="button"
            className={css.linkButton}
            aria-expanded={isExplained}
            aria-controls={id}
            onClick={() => setExplained(!isExplained)}
          >
            {t('search.why')}
          </button>
        )}
      </p>
      {isExplained && (
        <ul id={id} className={css.why}>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** Why the passage is where it is: its places in both rankings of a hybrid search, and what each word adds to that by words. */
function reasonsOf({ explain = [], ranks, score: whole }: FoundChunk): readonly string[] {
  const { lexical = null, vector = null, similarity = null, rerank = null } = ranks ?? {}
  // The score of a hybrid search is none of words.
  const ofWords = ranks === undefined ? whole : explain.reduce((sum, { score }) => sum + score, 0)
  return [
    ...(rerank === null ? [] : [t('search.whyRerank', { score: numberText(rerank) })]),
    ...(lexical === null ? [] : [t('search.whyLexical', { place: lexical })]),
    ...(vector === null
      ? []
      : [t('search.whyVector', { place: vector, similarity: percentText(Math.max(0, similarity ?? 0)) })]),
    ...explain.map(({ term, chunks, score }) =>
      t('search.whyTerm', { term, chunks, part: percentText(score / Math.max(ofWords, 1e-9)) }),
    ),
  ]
}

function Relevance({ value }: { readonly value: number }) {
  return (
    <span className={css.relevance} title={t('search.relevanceHint')}>
      <meter min={0} max={1} value={value} aria-label={t('search.relevance')} />
      {percentText(value)}
    </span>
  )
}

const numberText = (score: number): string =>
  new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: 2 }).format(score)

const percentText = (part: number): string =>
  new Intl.NumberFormat(currentLanguage(), { style: 'percent', maximumFractionDigits: 0 }).format(part)
