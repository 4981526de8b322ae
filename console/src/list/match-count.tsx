import { useEffect, useState } from 'react'
import { t } from '../messages/i18n.ts'
import css from './list.module.css'
import { useTotal } from './use-rows.ts'

const pauseMs = 300

interface MatchCountProps {
  readonly table: string
  /** null: the condition is not complete. */
  readonly query: string | null
}

/** How many records the list would have, while its condition is being edited. A count that fails is not displayed: the list reports the error. */
export function MatchCount({ table, query }: MatchCountProps) {
  const [counted, setCounted] = useState(query)
  useEffect(() => {
    const timer = setTimeout(() => setCounted(query), pauseMs)
    return () => clearTimeout(timer)
  }, [query])
  return (
    <p className={css.matches} role="status">
      {counted !== null && query !== null && <Count table={table} query={counted} />}
    </p>
  )
}

function Count({ table, query }: { readonly table: string; readonly query: string }) {
  const { data, error } = useTotal(table, query)
  if (data === undefined || error !== null) return null
  return t(data.isOver ? 'list.over' : 'list.total', { count: data.count })
}
