import type { UseQueryResult } from '@tanstack/react-query'
import { ErrorBanner } from './states.tsx'

/** Reads that are displayed together: one message about those that have failed, and one retry. */
export function FailedReads({ reads }: { readonly reads: readonly Pick<UseQueryResult, 'error' | 'refetch'>[] }) {
  const failed = reads.filter(({ error }) => error !== null)
  const [first] = failed
  if (first === undefined) return null
  const retry = (): void => {
    for (const { refetch } of failed) void refetch()
  }
  return <ErrorBanner error={first.error} onRetry={retry} />
}
