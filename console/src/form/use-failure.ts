import { useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import { useIsGone } from '../ui/use-is-gone.ts'

/**
 * Why a write has failed that does not end with its form: it is displayed where the write began, or a message says it elsewhere.
 *
 * @param lost the message, if the form has been left
 */
export function useFailure(lost: (reason: string) => string) {
  const isGone = useIsGone()
  const [error, setError] = useState<unknown>(null)
  const report = (problem: unknown): void => {
    if (endIfSignedOut(problem)) setError(null)
    else if (isGone.current) showToast(lost(messageOf(problem)))
    else setError(problem)
  }
  return { error, report, clear: () => setError(null) }
}
