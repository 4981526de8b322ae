import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { docket } from '../docket.ts'
import { t, withMessages } from '../messages/i18n.ts'
import type { RelatedList, TableInfo } from '../table/table-info.ts'
import { tableQuery, useTable } from '../table/use-table.ts'
import { classes } from '../ui/button.tsx'
import { FirstRead } from '../ui/first-read.tsx'
import { Loading } from '../ui/loading.tsx'
import { lazyPart } from '../ui/part.tsx'
import { ErrorBanner, messageOf } from '../ui/states.tsx'
import css from './form.module.css'

const RecordDocuments = lazyPart(async () => (await withMessages(import('./record-documents.tsx'))).RecordDocuments)
const EmbeddedList = lazyPart(async () => (await import('../list/embedded-list.tsx')).EmbeddedList)

interface RelatedListsProps {
  readonly info: TableInfo
  /** Those of the view; none: all that refer to the record, and its documents. */
  readonly configured: readonly RelatedList[]
  readonly sysId: string
}

/** Records that refer to this one. Their counts are read first, their rows when the user opens a list. */
export function RelatedLists({ info, configured, sysId }: RelatedListsProps) {
  const lists = configured.length > 0 ? configured : info.referencedBy
  return (
    <>
      {lists.length > 0 && (
        <section className={classes(css.section, css.relatedLists)} aria-label={t('related.title')}>
          <h2>{t('related.title')}</h2>
          {lists.map((list) => (
            <Related key={`${list.table} ${list.column}`} list={list} sysId={sysId} />
          ))}
        </section>
      )}
      {configured.length === 0 && (
        <Suspense>
          <RecordDocuments info={info} sysId={sysId} />
        </Suspense>
      )}
    </>
  )
}

/** Lists that the user has opened and not closed, so that "back" from one of their records finds them open. */
const opened = new Set<string>()

function Related({ list, sysId }: { readonly list: RelatedList; readonly sysId: string }) {
  const query = `${list.column}=${sysId}`
  const key = `${list.table}?${query}`
  const [isOpen, setOpen] = useState(opened.has(key))
  const counted = useQuery({
    // Under keys that begin with `total`, as all counts of the table.
    queryKey: ['total', list.table, query, 'related'],
    queryFn: ({ signal }) => docket.table(list.table).list(query, { signal }).count(),
  })
  const toggle = (isWanted: boolean): void => {
    if (isWanted) opened.add(key)
    else opened.delete(key)
    if (counted.isError) void counted.refetch()
    setOpen(isWanted)
  }
  return (
    <details className={css.related} open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary>
        <span>{list.title}</span>
        <span className={css.count}>
          {counted.data ?? (counted.error !== null && <NotCounted error={counted.error} />)}
        </span>
      </summary>
      {isOpen && <RelatedRows list={list} sysId={sysId} />}
    </details>
  )
}

/** The rows, which say what is wrong and are read again, are not displayed yet. */
function NotCounted({ error }: { readonly error: unknown }) {
  return <abbr title={messageOf(error)}>?</abbr>
}

function RelatedRows({ list, sysId }: { readonly list: RelatedList; readonly sysId: string }) {
  const table = useTable(list.table)
  const { data: info, error, refetch } = table
  if (error !== null) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (info === undefined) return <FirstRead queryKey={tableQuery(list.table).queryKey} read={table} lines={2} />
  return (
    <Suspense fallback={<Loading lines={4} />}>
      <EmbeddedList info={info} column={list.column} sysId={sysId} />
    </Suspense>
  )
}
