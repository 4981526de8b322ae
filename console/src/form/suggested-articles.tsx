import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import { documents } from '../search/documents.ts'
import { titleOf } from '../search/found.ts'
import { Marked } from '../search/marked.tsx'
import { excerptOf } from '../search/marked-text.ts'
import { isMarkdown, withoutMarks } from '../search/plain-markdown.ts'
import css from './form.module.css'

const pauseMs = 400
const minUnits = 4
const maxArticles = 4
/** Chunks below this relevance rarely help (docs/documents.md). */
const minRelevance = 0.1

/** Documents that may solve the problem, found while the user types the subject. */
export function SuggestedArticles({ subject }: { readonly subject: string }) {
  const { may_read_documents: maySearch } = useSession()
  const [wanted, setWanted] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setWanted(subject.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [subject])
  const { data } = useQuery({
    queryKey: ['suggested', wanted],
    enabled: maySearch && wanted.length >= minUnits,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      documents.search(wanted.slice(0, 1_000).toWellFormed(), {
        k: maxArticles,
        parameters: { group_by: 'document', min_relevance: minRelevance },
        signal,
      }),
  })
  const chunks = wanted.length >= minUnits ? (data?.chunks ?? []) : []
  if (chunks.length === 0) return null
  return (
    <aside className={css.suggested} aria-label={t('suggested.title')}>
      <h2>{t('suggested.title')}</h2>
      <ul>
        {chunks.map((chunk) => {
          const ranges = chunk.highlights ?? []
          const plain = isMarkdown(chunk) ? withoutMarks(chunk.text, ranges) : { text: chunk.text, ranges }
          const excerpt = excerptOf(plain.text, plain.ranges, 140)
          return (
            <li key={`${chunk.collection_name}/${chunk.doc_id}`}>
              <Link
                to="/search"
                search={{ q: wanted, doc: chunk.doc_id, docc: chunk.collection_name, chunk: String(chunk.chunk_index) }}
                target="_blank"
              >
                {titleOf(chunk)}
              </Link>
              <p>
                <Marked text={excerpt.text} ranges={excerpt.ranges} />
              </p>
            </li>
          )
        })}
      </ul>
    </aside>
  )
}
