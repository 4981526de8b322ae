import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AccessDenied, condition, printEncodedQuery } from 'docket-client'
import type { DocumentInfo } from 'docket-client/documents'
import { useState } from 'react'
import { useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import { documents } from '../search/documents.ts'
import type { TableInfo } from '../table/table-info.ts'
import { classes } from '../ui/button.tsx'
import { sizeText } from '../ui/size-text.ts'
import { ErrorBanner } from '../ui/states.tsx'
import { dateTimeText } from '../ui/value.tsx'
import css from './form.module.css'

/** More are found by a search. */
const maxListed = 100

interface RecordDocumentsProps {
  readonly info: TableInfo
  readonly sysId: string
}

/** The documents of a record, in collections that are bound to its table. A collection that has none is left out. */
export function RecordDocuments({ info, sysId }: RecordDocumentsProps) {
  const { may_read_documents: maySearch } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['documents', info.entry.name, sysId],
    enabled: maySearch,
    queryFn: async ({ signal }) => {
      const bound = (await documents.collections({ signal })).filter(
        ({ acl_table: table }) => table !== null && info.chain.includes(table),
      )
      const lists = await Promise.all(bound.map(({ collection_name: name }) => readDocuments(name, sysId, signal)))
      return lists.filter(({ found }) => found.length > 0)
    },
  })
  // Users who may read no documents have none here.
  if (error instanceof AccessDenied) return null
  if (error !== null) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (data === undefined || data.length === 0) return null
  return (
    <section className={classes(css.section, css.relatedLists)} aria-label={t('related.documents')}>
      <h2>{t('related.documents')}</h2>
      {data.map((list) => (
        <DocumentList key={list.collection} {...list} />
      ))}
    </section>
  )
}

interface ListedDocuments {
  readonly sysId: string
  readonly collection: string
  readonly found: readonly DocumentInfo[]
  /** There are more than are listed. */
  readonly hasMore: boolean
}

const filterFor = (sysId: string): string => printEncodedQuery({ where: condition('sys_id', '=', sysId), orders: [] })

async function readDocuments(collection: string, sysId: string, signal: AbortSignal): Promise<ListedDocuments> {
  const found: DocumentInfo[] = []
  for await (const each of documents.list(collection, { filter: filterFor(sysId), signal })) {
    if (found.length === maxListed) return { sysId, collection, found, hasMore: true }
    found.push(each)
  }
  return { sysId, collection, found, hasMore: false }
}

function DocumentList({ sysId, collection, found, hasMore }: ListedDocuments) {
  const { time_zone: timeZone } = useSession()
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={css.related} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{collection}</span>
        <span className={css.count}>{hasMore ? `${found.length}+` : found.length}</span>
      </summary>
      {isOpen && (
        <ul className={css.dependents}>
          {found.map((each) => (
            <li key={each.doc_id}>
              <Link to="/search" search={{ doc: each.doc_id, docc: collection }}>
                {each.title ?? each.file_name ?? each.doc_id}
              </Link>{' '}
              <small>
                {sizeText(each.size)} · {dateTimeText(new Date(each.loaded_at), timeZone)}
              </small>
            </li>
          ))}
          {hasMore && (
            <li>
              <Link to="/search" search={{ c: collection, filter: filterFor(sysId) }}>
                {t('related.moreDocuments')}
              </Link>
            </li>
          )}
        </ul>
      )}
    </details>
  )
}
