import { type QueryKey, type UseQueryResult, useQueryClient } from '@tanstack/react-query'
import { Aborted } from 'docket-client'
import { useState } from 'react'
import { Loading, useIsLate } from './loading.tsx'
import { ErrorBanner, ErrorPage } from './states.tsx'

/** The user did not want to wait any longer. */
export const cancelledRead = new Aborted('cancelled')

interface FirstReadProps {
  readonly queryKey: QueryKey
  /** Has neither data nor an error yet. */
  readonly read: Pick<UseQueryResult, 'fetchStatus' | 'refetch'>
  readonly lines?: number
  /** Nothing else is on the page yet: it gets a heading. */
  readonly isPage?: boolean
}

/** In place of what is being read for the first time. After 8 s the user can cancel the request, and then read again. */
export function FirstRead({ queryKey, read, lines, isPage = false }: FirstReadProps) {
  const client = useQueryClient()
  const [isCancelled, setCancelled] = useState(false)
  const cancel = (): void => {
    setCancelled(true)
    void client.cancelQueries({ queryKey, exact: true })
  }
  // A cancelled query stays without data, and nothing fetches it again.
  if (read.fetchStatus !== 'idle') return <Loading lines={lines} isPage={isPage} onCancel={cancel} />
  return <Cancelled isPage={isPage} isOwn={isCancelled} onRetry={() => void read.refetch()} />
}

interface CancelledProps {
  readonly isPage: boolean
  /** Another part of the page may only have cancelled it to read it again at once. */
  readonly isOwn: boolean
  readonly onRetry: () => void
}

function Cancelled({ isPage, isOwn, onRetry }: CancelledProps) {
  const isLate = useIsLate(150)
  const Message = isPage ? ErrorPage : ErrorBanner
  return isOwn || isLate ? <Message error={cancelledRead} onRetry={onRetry} /> : null
}
