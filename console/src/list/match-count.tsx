import { useEffect, useState } from 'react'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { FilterSentence } from './filter-sentence.tsx'
import css from './list.module.css'
import { useTotal } from './use-rows.ts'

const pauseMs = 300

interface MatchCountProps {
  readonly info: TableInfo
  /** null: the condition is not complete. */
  readonly query: string | null
}

/** What the list would find, and how many records, while a condition is being edited. A count that fails is not displayed: the list reports the error. */
export function MatchCount({ info, query }: MatchCountProps) {
  const [counted, setCounted] = useState(query)
  useEffect(() => {
    const timer = setTimeout(() => setCounted(query), pauseMs)
    return () => clearTimeout(timer)
  }, [query])
  return (
    <>
      {query !== null && <FilterSentence info={info} query={query} />}
      <p className={css.matches} role="status">
        {counted !== null && query !== null && <Count table={info.entry.name} query={counted} />}
      </p>
    </>
  )
}

function Count({ table, query }: { readonly table: string; readonly query: string }) {
  const { data, error } = useTotal(table, query)
  if (data === undefined || error !== null) return null
  return t(data.isOver ? 'list.over' : 'list.total', { count: data.count })
}
