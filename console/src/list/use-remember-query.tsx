import { type ComponentType, type ReactNode, useState } from 'react'
import { loadPart } from '../load-part.ts'
import type { RememberQueryProps, UsedQuery } from './remember-query.tsx'

interface Remembering {
  /** Called with the query that the user has chosen. */
  readonly remember: (query: string) => void
  /** Displays nothing; belongs on the page. */
  readonly remembers: ReactNode
}

/** What remembers queries is loaded with the first one. If it cannot be loaded, none is remembered. */
export function useRememberQuery(table: string): Remembering {
  const [used, setUsed] = useState<UsedQuery | null>(null)
  const [Part, setPart] = useState<ComponentType<RememberQueryProps> | null>(null)
  const remember = (text: string): void => {
    setUsed({ text })
    if (Part !== null) return
    loadPart(() => import('./remember-query.tsx')).then(
      ({ RememberQuery }) => setPart(() => RememberQuery),
      () => undefined,
    )
  }
  return { remember, remembers: Part !== null && used !== null && <Part table={table} used={used} /> }
}
